"""One table: its people, the match they play, and what they are shown of it.

It is the only place where a live match changes, and it changes by ``events`` alone, one by one.
What an event does changes the table at once, but nobody is shown it and nobody is answered: that is
in the ledger, and is carried out when the journal has the event. All timers are times kept in the
table's state, so a table that is gone leaves none behind.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf

import trio
from attrs import evolve

from kings_engine.actions import TABLE, Action
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match
from kings_engine.record import state_hash
from kings_protocol.codes import NoticeCode
from kings_protocol.limits import CHAT_TAIL
from kings_protocol.messages import (
    ChatLine,
    Notice,
    Reply,
    Request,
    TableLine,
)
from kings_server import course
from kings_server.allowance import Talk
from kings_server.answers import Answers
from kings_server.bounds import Bounds
from kings_server.counts import Counts
from kings_server.dealing import Dealing
from kings_server.events import Events
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
from kings_server.limits import SAVE_AGAIN_SECONDS
from kings_server.log import CLIENT_SHOWN, Log
from kings_server.outbox import Encode, Slot
from kings_server.picture import Maker, Phase, Picture, Settings
from kings_server.pool import Pool
from kings_server.reviving import revive
from kings_server.roster import Peer, Roster
from kings_server.shares import wait_for_shares
from kings_server.thinkers import Thinkers
from kings_server.timers import Timers


class Table:
    """A table, its people, and the match they play.

    Attributes:
        settings: what it was made with.
        maker: who made it.
        bounds: the server's limits.
        roster: its seats and the people.
        phase: what it is doing.
        match: the running or last match.
        matches: how many matches have begun.
        server: the id of the server.
        dealing: the deck that is being made.
        withheld: the seats that withheld a share in this match, and have none for the rest of it.
        chat: the newest lines that were said.
        said: how many lines were said.
        talk: how much may be said.
        closed: whether the rules are others than before a restart, and no match has begun since.
        saving: whether the journal takes what happens.
        ended: whether the table takes nothing more.
        keeper: what the journal has of it.
        ledger: what the event that is being dealt with has done.
        thinkers: its bots.
        timers: when it acts by itself.
        alive_until: until when it waits for people though it waits for nobody by name.
        counts: where its moves are counted.
        picture: how people are shown it.
        touched: whether its state is another than that.
        events: what happens at it, and its task.
    """

    def __init__(
        self,
        server: str,
        settings: Settings,
        maker: Maker,
        bounds: Bounds,
        journal: Journal,
        pool: Pool,
        log: Log,
        changed: Callable[[], None],
    ) -> None:
        """Make an empty table of ``server``; ``changed`` is called when its line is another."""
        self.server = server
        self.settings = settings
        self.maker = maker
        self.bounds = bounds
        self.roster = Roster(settings.rules.players)
        self.phase = Phase.WAITING
        self.match: Match | None = None
        self.matches = 0
        self.dealing: Dealing | None = None
        self.withheld: tuple[int, ...] = ()
        self.chat: deque[ChatLine] = deque(maxlen=CHAT_TAIL)
        self.said = 0
        self.talk = Talk(bounds.chat_seconds, trio.current_time())
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
        self._save_at = inf
        self._snapshot: Snapshot | None = None
        self.picture = Picture(seats=tuple(self.roster.seats))
        self.touched = False
        self.events = Events(self)

    def new_timers(self) -> Timers:
        """Return timers of which none is set."""
        return Timers(self.settings, self.bounds.between_seconds, self.thinkers)

    @property
    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return self.picture.line(self.settings)

    @property
    def deadline(self) -> float:
        """When the table does something by itself, if no event comes before."""
        return course.deadline(self) if self.saving else self._save_at

    # ---- keeping, and what is shown then

    def come_back(self, saved: SavedTable) -> None:
        """Be the table that an earlier server saved.

        Raises:
            ValueError: what is saved cannot be read.
        """
        revive(self, saved, self.bounds.reconnect_seconds)
        self.ledger.carry_out()
        self.tell()

    def stop_saving(self) -> None:
        """Say that the journal fails, and let the timers stand."""
        self.saving = False
        self._save_at = trio.current_time() + SAVE_AGAIN_SECONDS
        self.picture = evolve(self.picture, saving=False)
        self.roster.tell(Notice(code=NoticeCode.CANNOT_SAVE))
        self._show_state()

    async def try_to_save(self) -> None:
        """See whether the journal takes the table's state; go on if it does."""
        self._save_at = trio.current_time() + SAVE_AGAIN_SECONDS
        if await self.keeper.keep_whole(self) and not self.ended:
            self.touch()
            self.saving = True
            course.arm(self)
            wait_for_shares(self)
            self.notice(NoticeCode.SAVED_AGAIN)

    # ---- changes

    def apply(self, actor: int, action: Action) -> Refusal | None:
        """Apply an action to the match, or say why the rules refuse it."""
        if self.match is None:
            raise LookupError("no match is running")
        changed = apply(self.match, actor, action)
        if isinstance(changed, Refusal):
            return changed
        match, _ = changed
        self.match = match
        if self.keeper.keeps:
            table, hashed = self.settings.table, state_hash(match)
            step = keep_step(table, self.matches, match.version, actor, str(action), hashed)
            self.keep(step)
        self.ledger.then(self._done, match, actor)
        course.follow(self, match)
        return None

    def _done(self, match: Match, actor: int) -> None:
        self.counts.moves += actor != TABLE
        self.show(match)

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
        self.touched = True

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

    def tell(self) -> None:
        """Send the table's state to all people here, if it has changed."""
        if self.touched:
            self.touched = False
            self.picture = Picture(
                phase=self.phase,
                match=self.matches,
                host=self.roster.host,
                seats=tuple(self.roster.seats),
                watchers=self.roster.watchers,
                dealing=self.dealing,
                withheld=self.withheld,
                next_at=self.timers.next_at,
                turn_until=self.timers.clock.until,
                away_at=self.timers.attention.announced,
                paused=self.roster.paused,
                saving=self.saving,
                silent=self.roster.silent,
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
        self.log.info("seat taken", seat=number, **self._who(peer))
        self.roster.connect(number, peer)
        self._welcome(peer, watching=False)

    def let_watch(self, peer: Peer) -> None:
        """Let ``peer`` look on."""
        self.log.info("watched", **self._who(peer))
        self.roster.watch(peer)
        self._welcome(peer, watching=True)

    def _who(self, peer: Peer) -> dict[str, str]:
        return {"name": peer.name, "client": peer.client[:CLIENT_SHOWN]}

    def _welcome(self, peer: Peer, *, watching: bool) -> None:
        if peer.gone:
            # It ended before this was kept, when it did not know yet that it is here.
            self.events.depart(peer)
            return
        peer.arrive(self.events, watching=watching)
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
