"""One table: the only place where a live match changes.

One task runs it. It takes requests and departures from a bounded mailbox, and waits for nothing but
that, its own next deadline and the journal; never for a client. All its timers are times kept in
its state, so a table that is gone leaves none behind.

Events are dealt with one by one. What an event does changes the table at once, but nobody is shown
it and nobody is answered: that is in the ledger, and is carried out when the journal has the event,
with no checkpoint in between. Whatever stops the task stops it before or after, never half-way.

While the journal fails, the table refuses what would have to be kept and lets its timers stand.
Connections still come and go. It goes on from what the journal turns out to hold.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Final, TypeAlias

import trio
from attrs import evolve, frozen

from kings_engine.actions import TABLE, Action
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match
from kings_engine.record import state_hash
from kings_protocol.codes import NoticeCode, RefusalCode, UnseatedCode
from kings_protocol.limits import CHAT_TAIL
from kings_protocol.messages import (
    Act,
    ChatLine,
    Join,
    MakeTable,
    Notice,
    Refused,
    Reply,
    Request,
    Resume,
    TableLine,
    Unseated,
    Watch,
)
from kings_server import course
from kings_server.answers import Answers
from kings_server.bounds import Bounds
from kings_server.counts import Counts
from kings_server.dealing import Dealing
from kings_server.desk import judge
from kings_server.feed import Snapshot
from kings_server.journal import Journal
from kings_server.journal_rows import (
    SavedTable,
    Write,
    forget_answers,
    keep_answer,
    keep_line,
    keep_step,
)
from kings_server.keeper import Keeper
from kings_server.kept import text_of
from kings_server.ledger import Ledger
from kings_server.limits import MAILBOX, MAILBOX_REQUESTS, RECONNECT_SECONDS, SAVE_AGAIN_SECONDS
from kings_server.log import Log
from kings_server.outbox import Encode, Slot
from kings_server.picture import Phase, Picture, Settings
from kings_server.pool import Pool
from kings_server.reviving import revive
from kings_server.roster import Peer, Roster
from kings_server.thinkers import Thinkers
from kings_server.timers import Timers

ARRIVALS: Final = (MakeTable, Join, Watch, Resume)


@frozen(eq=False)
class Asked:
    """A request that waits in the mailbox."""

    peer: Peer
    request: Request


@frozen(eq=False)
class Departed:
    """A connection that has ended."""

    peer: Peer


@frozen(eq=False)
class Stopped:
    """Whoever runs the server wants the table to end."""


Event: TypeAlias = Asked | Departed | Stopped


class Table:
    """A table, its people, and the match they play.

    Attributes:
        settings: what it was made with.
        maker: the id of the client that made it.
        bounds: the server's limits.
        roster: its seats and the people.
        phase: what it is doing.
        match: the running or last match.
        matches: how many matches have begun.
        dealing: the commitment that is out.
        chat: the newest lines that were said.
        said: how many lines were said.
        closed: whether the match was closed because it could not be replayed.
        saving: whether the journal takes what happens.
        ended: whether the table takes nothing more.
        keeper: what the journal has of it.
        ledger: what the event that is being dealt with has done.
        thinkers: its bots.
        timers: when it acts by itself.
        alive_until: until when it waits for people though it waits for nobody by name.
        counts: where its moves are counted.
        ends_as: what people are told why, when it ends in order.
    """

    def __init__(
        self,
        settings: Settings,
        maker: str,
        bounds: Bounds,
        journal: Journal,
        pool: Pool,
        log: Log,
        changed: Callable[[], None],
    ) -> None:
        """Make an empty table; ``changed`` is called when its line in the lobby is another."""
        self.settings = settings
        self.maker = maker
        self.bounds = bounds
        self.roster = Roster(settings.rules.players)
        self.phase = Phase.WAITING
        self.match: Match | None = None
        self.matches = 0
        self.dealing: Dealing | None = None
        self.chat: deque[ChatLine] = deque(maxlen=CHAT_TAIL)
        self.said = 0
        self.closed = False
        self.saving = True
        self.ended = False
        self.ledger = Ledger()
        self.log = log
        self.thinkers = Thinkers(settings.pace, pool, log)
        self.timers = self.new_timers()
        self.alive_until = -inf
        self.keeper = Keeper(settings.table, journal)
        self._changed = changed
        self.counts = Counts()
        self.ends_as = UnseatedCode.TABLE_CLOSED
        self._save_at = inf
        self._snapshot: Snapshot | None = None
        self._shown = Picture(seats=tuple(self.roster.seats))
        self._touched = False
        self._requests = 0
        self._judged: Asked | None = None
        self._post, self._mailbox = trio.open_memory_channel[Event](MAILBOX)
        self._later: deque[Departed | Stopped] = deque()

    def new_timers(self) -> Timers:
        """Return timers of which none is set."""
        return Timers(self.settings, self.bounds.between_seconds, self.thinkers)

    @property
    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return self._shown.line(self.settings)

    # ---- what connections call; nothing here awaits

    def ask(self, peer: Peer, request: Request) -> bool:
        """Hand in a request; say whether there was room for it."""
        if self.ended or self._requests >= MAILBOX_REQUESTS:
            return False
        self._requests += 1
        self._post.send_nowait(Asked(peer, request))
        return True

    def depart(self, peer: Peer) -> None:
        """Tell that the connection has ended."""
        if not self.ended:
            self._post.send_nowait(Departed(peer))

    def end_soon(self) -> None:
        """Let it end once the event that it deals with is done: whoever runs the server wants so."""
        if not self.ended and self.ends_as is UnseatedCode.TABLE_CLOSED:
            self.ends_as = UnseatedCode.TABLE_ENDED
            self._post.send_nowait(Stopped())

    # ---- the task

    async def run(self) -> None:
        """Run the table until nobody is there and nobody is waited for."""
        while True:
            event = await self._next()
            if isinstance(event, Stopped):
                return
            if isinstance(event, Asked):
                self._judged = event
                reply = judge(self, event.peer, event.request)
                if reply is not None:
                    self.ledger.then(event.peer.answer, reply)
            elif isinstance(event, Departed):
                course.departed(self, event.peer)
            if self.saving:
                course.do_what_is_due(self)
            elif trio.current_time() >= self._save_at:
                await self._try_to_save()
            await self._settle(event)
            self._judged = None
            if not self.roster.alive and trio.current_time() >= self.alive_until:
                return

    def end(self, code: UnseatedCode) -> None:
        """Take no more requests, and send everybody who is still here back to the lobby."""
        self.ended = True
        self.thinkers.stop()
        unanswered = [] if self._judged is None else [self._judged]
        while self._requests:
            event = self._mailbox.receive_nowait()
            if isinstance(event, Asked):
                self._requests -= 1
                unanswered.append(event)
        arriving = {asked.peer for asked in unanswered if isinstance(asked.request, ARRIVALS)}
        for peer in self.roster.people():
            peer.go_back()
            if peer not in arriving:
                peer.outbox.put(Unseated(code=code))
        self.roster.feeds.clear()
        for asked in unanswered:
            asked.peer.answer(Refused(re=asked.request.id, code=RefusalCode.NO_SUCH_TABLE))
        self._post.close()
        self._mailbox.close()

    async def _next(self) -> Event | None:
        if self._later:
            return self._later.popleft()
        return await self._receive(course.deadline(self) if self.saving else self._save_at)

    async def _receive(self, deadline: float) -> Event | None:
        event = None
        try:
            event = self._mailbox.receive_nowait()
        except trio.WouldBlock:
            if deadline == inf:
                event = await self._mailbox.receive()
            else:
                with trio.move_on_at(deadline):
                    event = await self._mailbox.receive()
        if isinstance(event, Asked):
            self._requests -= 1
        return event

    # ---- keeping, and what is shown then

    async def _settle(self, event: Event | None) -> None:
        """Have what the event did kept, then carry out its effects."""
        if self.saving and self.keeper.keeps:
            # An action alone changes nothing else that is kept.
            played = isinstance(event, Asked) and isinstance(event.request, Act)
            state = self._touched or not played
            if not await self.keeper.keep(self, self.ledger.writes, state=state):
                await self._find_out(event)
        # Nothing awaits from here on.
        self.ledger.carry_out()
        self._tell()

    def come_back(self, saved: SavedTable) -> None:
        """Be the table that an earlier server saved.

        Raises:
            ValueError: what is saved cannot be read.
        """
        revive(self, saved, RECONNECT_SECONDS)
        self.ledger.carry_out()
        self._tell()

    async def _find_out(self, event: Event | None) -> None:
        """Learn what the journal holds after a failure, and take back what it does not hold.

        Until that is known, every request is refused.
        """
        self._stop_saving()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._refuse_all)
            saved = await self.keeper.reread()
            nursery.cancel_scope.cancel()
        if saved is None or not self.keeper.has_all(saved, self):
            self.ledger.drop()
            if isinstance(event, Asked):
                refused = Refused(re=event.request.id, code=RefusalCode.JOURNAL_UNAVAILABLE)
                self.ledger.then(event.peer.answer, refused)
            elif event is not None:
                self._later.appendleft(event)  # whoever is gone is gone, saved or not
            if saved is None:
                self.roster = Roster(len(self.roster.seats))
            else:
                revive(self, saved, 0.0)
        course.arm(self)
        self.touch()

    def _stop_saving(self) -> None:
        self.saving = False
        self._save_at = trio.current_time() + SAVE_AGAIN_SECONDS
        self._shown = evolve(self._shown, saving=False)
        self.roster.tell(Notice(code=NoticeCode.CANNOT_SAVE))
        self._show_state()

    async def _refuse_all(self) -> None:
        while (event := await self._receive(inf)) is not None:
            if isinstance(event, Departed | Stopped):
                self._later.append(event)
            else:
                code = RefusalCode.JOURNAL_UNAVAILABLE
                event.peer.answer(Refused(re=event.request.id, code=code))

    async def _try_to_save(self) -> None:
        """See whether the journal takes the table's state; go on if it does."""
        self._save_at = trio.current_time() + SAVE_AGAIN_SECONDS
        if await self.keeper.keep_whole(self):
            self.touch()
            self.saving = True
            course.arm(self)
            self.notice(NoticeCode.SAVED_AGAIN)

    # ---- changes

    def apply(self, actor: int, action: Action) -> Refusal | None:
        """Apply an action to the match, or say why the rules refuse it."""
        if self.match is None:
            raise LookupError("no match is running")
        changed = apply(self.match, actor, action)
        if isinstance(changed, Refusal):
            return changed
        self.counts.moves += actor != TABLE
        match, _ = changed
        self.match = match
        if self.keeper.keeps:
            table, hashed = self.settings.table, state_hash(match)
            step = keep_step(table, self.matches, match.version, actor, str(action), hashed)
            self.keep(step)
        self.ledger.then(self.show, match)
        course.follow(self, match)
        return None

    def remember(self, seat: int, request: Request, reply: Reply) -> None:
        """Remember what a seat was answered."""
        answers = self.roster.answers[seat]
        if self.keeper.keeps:
            told = (text_of(request), text_of(reply))
            self.keep(keep_answer(self.settings.table, seat, answers.number, *told))
        self.ledger.then(answers.keep, request, reply)

    def forget_answers(self, seat: int) -> None:
        """Forget what a seat was answered: somebody else sits there now."""
        self.roster.answers[seat] = Answers()
        self.keep(forget_answers(self.settings.table, seat))

    def say(self, line: ChatLine) -> None:
        """Add a line to the chat's tail."""
        self.keep(keep_line(self.settings.table, self.said, text_of(line)))
        self.said += 1
        self.ledger.then(self.chat.append, line)

    def keep(self, *writes: Write) -> None:
        """Have ``writes`` kept with what the event does."""
        if self.keeper.keeps:
            self.ledger.keep(*writes)

    def touch(self) -> None:
        """Remember that the table's state has changed."""
        self._touched = True

    # ---- what people are shown; outside of the ledger only what is kept already

    @property
    def shown(self) -> Match | None:
        """The match as people see it: what is kept already."""
        return None if self._snapshot is None else self._snapshot.match

    def show(self, match: Match) -> None:
        """Show a match to all people here."""
        snapshot = self._snapshot = Snapshot(self.matches, match)
        for feed in self.roster.feeds.values():
            feed.show(snapshot)

    def _tell(self) -> None:
        """Send the table's state to all people here, if it has changed."""
        if self._touched:
            self._touched = False
            self._shown = Picture(
                phase=self.phase,
                match=self.matches,
                host=self.roster.host,
                seats=tuple(self.roster.seats),
                watchers=self.roster.watchers,
                dealing=self.dealing,
                next_at=self.timers.next_at,
                turn_until=self.timers.clock.until,
                away_at=self.timers.attention.announced,
                paused=self.roster.paused,
                saving=self.saving,
            )
            self._show_state()

    def _show_state(self) -> None:
        source = partial(self._state, self._shown)
        for peer in self.roster.people():
            peer.outbox.renew(Slot.TABLE, source)
        self._changed()

    def _state(self, shown: Picture, encode: Encode) -> bytes:
        return encode(shown.state(self.settings, trio.current_time()))

    def seat(self, number: int, peer: Peer) -> None:
        """Let ``peer`` be connected to a seat."""
        self.roster.connect(number, peer)
        self._welcome(peer, watching=False)

    def let_watch(self, peer: Peer) -> None:
        """Let ``peer`` look on."""
        self.roster.watch(peer)
        self._welcome(peer, watching=True)

    def _welcome(self, peer: Peer, *, watching: bool) -> None:
        if peer.gone:
            # It ended before this was kept, when it did not know yet that it is here.
            self.depart(peer)
            return
        peer.arrive(self, watching=watching)
        if self._snapshot is not None:
            self.roster.feeds[peer].show(self._snapshot)
        if self.closed:
            peer.outbox.put(Notice(code=NoticeCode.MATCH_CLOSED))

    def notice(
        self,
        code: NoticeCode,
        seat: int | None = None,
        number: int | None = None,
        *,
        but: Peer | None = None,
    ) -> None:
        """Announce something that is no move, once it is kept."""
        name = None if seat is None else self.roster.seats[seat].name or None
        notice = Notice(code=code, seat=seat, number=number, name=name)
        self.ledger.then(self.roster.tell, notice, but=but)
