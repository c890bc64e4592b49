"""One table: the only place where a live match changes.

Events are dealt with one by one: at once, by whoever brings them, or after the one that is under
way. What an event does changes the table at once, but nobody is shown it and nobody is answered:
that is in the ledger, and is carried out when the journal has the event. Neither half awaits, so
whatever stops the server stops it before the event or after it.

The table's own task does what takes time: it waits for the next deadline, and finds out what became
of an event that the journal failed to keep. It never waits for a client. All timers are times kept
in the table's state, so a table that is gone leaves none behind.

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
from kings_server.journal import Journal, JournalUnavailable
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
from kings_server.limits import RECONNECT_SECONDS, SAVE_AGAIN_SECONDS, WAITING_REQUESTS
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
    """A request that somebody at the table makes, or who comes to it."""

    peer: Peer
    request: Request


@frozen(eq=False)
class Departed:
    """A connection that has ended."""

    peer: Peer


Event: TypeAlias = Asked | Departed | None
"""What a table deals with; nothing stands for the clock."""


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
        self.thinkers = Thinkers(settings.pace, settings.thinking, pool, log)
        self.timers = self.new_timers()
        self.alive_until = -inf
        self.keeper = Keeper(settings.table, journal)
        self._changed = changed
        self.counts = Counts()
        self.ends_as = UnseatedCode.TABLE_CLOSED
        self._save_at = inf
        self._snapshot: Snapshot | None = None
        self.picture = Picture(seats=tuple(self.roster.seats))
        self._touched = False
        self._events: deque[Event] = deque()
        self._event: Event = None
        self._engaged = False
        self._unsure = False
        self._broken: Exception | None = None
        self._wake = trio.Event()
        self._sleeps_until = -inf

    def new_timers(self) -> Timers:
        """Return timers of which none is set."""
        return Timers(self.settings, self.bounds.between_seconds, self.thinkers)

    @property
    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return self.picture.line(self.settings)

    # ---- what connections call; nothing here awaits

    def ask(self, peer: Peer, request: Request) -> bool:
        """Hand in a request; say whether there was room for it."""
        if self.ended or len(self._events) >= WAITING_REQUESTS:
            return False
        if self._unsure:
            peer.answer(Refused(re=request.id, code=RefusalCode.JOURNAL_UNAVAILABLE))
        else:
            self._hand_in(Asked(peer, request))
        return True

    def depart(self, peer: Peer) -> None:
        """Tell that the connection has ended."""
        if not self.ended:
            self._hand_in(Departed(peer))

    # ---- events; nothing here awaits

    def _hand_in(self, event: Event) -> None:
        """Deal with an event, or let it wait for its turn."""
        self._events.append(event)
        self._go_on()

    def _go_on(self, *, kept: bool = False) -> None:
        """Deal with what waits, until the journal has to be waited for.

        Whoever brings an event has nothing to do with an error of the table's: its task raises it.
        """
        try:
            if kept:
                self._finish()
            while self._events and not self._engaged:
                self._engaged, self._event = True, self._events.popleft()
                self._deal_with(self._event)
        except Exception as error:  # noqa: BLE001  raised again by the task
            self._broken = error
            self._wake.set()

    def _deal_with(self, event: Event) -> None:
        if isinstance(event, Asked):
            reply = judge(self, event.peer, event.request)
            if reply is not None:
                self.ledger.then(self._answer, event, reply)
            else:
                self._event = None  # it is replied to later, whatever becomes of this
        elif isinstance(event, Departed):
            course.departed(self, event.peer)
        if self.saving:
            if event is None or self.phase is not Phase.PLAYING:
                # While a deal is played, nothing but time makes anything due.
                course.do_what_is_due(self)
            # An action alone changes nothing else that is kept.
            played = isinstance(event, Asked) and isinstance(event.request, Act)
            state = self._touched or not played
            if self.keeper.hand_in(self, self.ledger.writes, self._kept, state=state):
                return
        self._finish()

    def _kept(self, error: JournalUnavailable | None) -> None:
        """Go on after the event that the journal was handed, or see what became of it."""
        if self.ended:
            return
        if error is None:
            self._go_on(kept=True)
        else:
            self._unsure = True
            self._wake.set()

    def _finish(self) -> None:
        """Show what the event did: it is kept."""
        self.ledger.carry_out()
        self._tell()
        self._engaged, self._event = False, None
        if self._over or self._deadline < self._sleeps_until:
            self._wake.set()

    @property
    def _deadline(self) -> float:
        return course.deadline(self) if self.saving else self._save_at

    def end_soon(self) -> None:
        """Let it end once its event is done, because whoever runs the server wants it to."""
        if not self.ended and self.ends_as is UnseatedCode.TABLE_CLOSED:
            self.ends_as = UnseatedCode.TABLE_ENDED
            self._wake.set()

    # ---- the task

    async def run(self) -> None:
        """Run the table until nobody is there and nobody is waited for."""
        while True:
            if self._broken is not None:
                raise self._broken
            if not self._engaged and self._over:
                return
            if self._unsure:
                await self._find_out()
            elif not self._engaged and trio.current_time() >= self._deadline:
                if not self.saving:
                    self._engaged = True
                    await self._try_to_save()
                    self._engaged = False
                self._hand_in(None)
                await trio.lowlevel.checkpoint()  # bots without a pause let others have a turn
            else:
                await self._sleep(inf if self._engaged else self._deadline)

    @property
    def _over(self) -> bool:
        if self.ends_as is not UnseatedCode.TABLE_CLOSED:
            return True
        return not self.roster.alive and trio.current_time() >= self.alive_until

    async def _sleep(self, until: float) -> None:
        """Wait for what is to be done by the table's own task."""
        self._wake, self._sleeps_until = trio.Event(), until
        with trio.move_on_at(until):
            await self._wake.wait()
        self._sleeps_until = -inf

    def end(self, code: UnseatedCode) -> None:
        """Take no more requests, and send everybody who is still here back to the lobby."""
        self.ended = True
        self.thinkers.stop()
        events, self._events = (self._event, *self._events), deque()
        unanswered = [event for event in events if isinstance(event, Asked)]
        arriving = {asked.peer for asked in unanswered if isinstance(asked.request, ARRIVALS)}
        for peer in self.roster.people():
            peer.go_back()
            if peer not in arriving:
                peer.outbox.put(Unseated(code=code))
        self.roster.feeds.clear()
        for asked in unanswered:
            asked.peer.answer(Refused(re=asked.request.id, code=RefusalCode.NO_SUCH_TABLE))

    # ---- keeping, and what is shown then

    def come_back(self, saved: SavedTable) -> None:
        """Be the table that an earlier server saved.

        Raises:
            ValueError: what is saved cannot be read.
        """
        revive(self, saved, RECONNECT_SECONDS)
        self.ledger.carry_out()
        self._tell()

    async def _find_out(self) -> None:
        """Learn what the journal holds after a failure, and take back what it does not hold.

        Until that is known, every request is refused.
        """
        self._stop_saving()
        event, waiting = self._event, self._events
        self._events = deque(event for event in waiting if not isinstance(event, Asked))
        for asked in waiting:
            if isinstance(asked, Asked):
                self._refuse(asked)
        saved = await self.keeper.reread()
        if saved is None or not self.keeper.has_all(saved, self):
            self.ledger.drop()
            if isinstance(event, Asked):
                self.ledger.then(self._refuse, event)
            elif event is not None:
                self._events.appendleft(event)  # whoever is gone is gone, saved or not
            if saved is None:
                self.roster = Roster(len(self.roster.seats))
            else:
                revive(self, saved, 0.0)
        course.arm(self)
        self.touch()
        self._unsure = False
        self._go_on(kept=True)

    def _refuse(self, asked: Asked) -> None:
        code = RefusalCode.JOURNAL_UNAVAILABLE
        self._answer(asked, Refused(re=asked.request.id, code=code))

    def _answer(self, asked: Asked, reply: Reply) -> None:
        """Reply to a request, and note it: whatever fails after that, it has its reply."""
        if asked is self._event:
            self._event = None
        asked.peer.answer(reply)

    def _stop_saving(self) -> None:
        self.saving = False
        self._save_at = trio.current_time() + SAVE_AGAIN_SECONDS
        self.picture = evolve(self.picture, saving=False)
        self.roster.tell(Notice(code=NoticeCode.CANNOT_SAVE))
        self._show_state()

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
            self.picture = Picture(
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
        source = partial(self._state, self.picture)
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
