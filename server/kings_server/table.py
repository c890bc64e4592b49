"""One table: the only place where a live match changes.

One task runs it. It takes requests and departures from a bounded mailbox, and waits for nothing but
that, its own next deadline and the journal; never for a client. All its timers are times kept in
its state, so a table that is gone leaves none behind.

An action is applied to the match, which is a value, handed to the journal, and only then becomes
the table's match and visible, with no checkpoint in between: whatever stops the task stops it
before or after, never half-way.
"""

from collections.abc import Callable
from math import inf
from typing import Final

import trio
from attrs import frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut, Forfeit, Timeout
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase as MatchPhase
from kings_protocol.codes import NoticeCode, RefusalCode, UnseatedCode
from kings_protocol.messages import (
    Done,
    Join,
    MakeTable,
    Notice,
    Refused,
    Request,
    Resume,
    TableLine,
    Unseated,
    Watch,
)
from kings_server.bounds import Bounds
from kings_server.dealing import Dealing
from kings_server.desk import judge
from kings_server.feed import Snapshot
from kings_server.journal import Entry, Journal
from kings_server.limits import MAILBOX, MAILBOX_REQUESTS
from kings_server.log import Log
from kings_server.outbox import Encode, Slot
from kings_server.picture import Phase, Settings, milliseconds, table_line, table_state
from kings_server.roster import Peer, Roster
from kings_server.seats import Input, State, after_grace
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


class Table:
    """A table, its people, and the match they play."""

    def __init__(
        self,
        settings: Settings,
        bounds: Bounds,
        journal: Journal,
        log: Log,
        changed: Callable[[], None],
    ) -> None:
        """Make an empty table; ``changed`` is called when its line in the lobby is another."""
        self.settings = settings
        self.roster = Roster(settings.rules.players)
        self.phase = Phase.WAITING
        self.match: Match | None = None
        self.matches = 0
        self.dealing: Dealing | None = None
        self.ended = False
        self._bounds = bounds
        self._journal = journal
        self._log = log
        self._changed = changed
        self._thinkers = Thinkers(settings.pace, log)
        self._timers = Timers(settings, bounds.between_seconds, self._thinkers.pause)
        self._snapshot: Snapshot | None = None
        self._touched = False
        self._requests = 0
        self._judged: Asked | None = None
        self._post, self._mailbox = trio.open_memory_channel[Asked | Departed](MAILBOX)

    @property
    def line(self) -> TableLine:
        """The table's line in the lobby."""
        return table_line(self.settings, self.roster, self.phase)

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

    # ---- the task

    async def run(self) -> None:
        """Run the table until nobody is there and nobody is waited for."""
        while True:
            event = await self._next()
            if isinstance(event, Asked):
                self._requests -= 1
                self._judged = event
                reply = await judge(self, event.peer, event.request)
                self._judged = None
                if reply is not None:
                    event.peer.answer(reply)
            elif isinstance(event, Departed):
                self._departed(event.peer)
            await self._do_what_is_due()
            self.tell()
            if not self.roster.alive:
                return

    def end(self, code: UnseatedCode) -> None:
        """Take no more requests, and send everybody who is still here back to the lobby."""
        self.ended = True
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

    async def _next(self) -> Asked | Departed | None:
        try:
            return self._mailbox.receive_nowait()
        except trio.WouldBlock:
            deadline = self._deadline()
        if deadline == inf:
            return await self._mailbox.receive()
        with trio.move_on_at(deadline):
            return await self._mailbox.receive()
        return None

    def _deadline(self) -> float:
        due = min(self._timers.act_at, self._timers.next_at)
        if self.dealing is not None:
            due = min(due, -inf if self.dealing.complete else self.dealing.until)
        for seat in self.roster.seats:
            if seat.until is not None and seat.until < due:
                due = seat.until
        return due

    async def _do_what_is_due(self) -> None:
        now = trio.current_time()
        for number, seat in enumerate(self.roster.seats):
            if seat.until is not None and now >= seat.until:
                running, over = not self.phase.idle, self.phase is Phase.OVER
                what = after_grace(self.settings.absent, running=running, over=over)
                await self.lose(number, what)
                if what not in (Input.HOLD, Input.WAIT_ON):
                    self.notice(NoticeCode.SEAT_LOST, number)
        if self.phase.idle and self._may_start():
            self._start()
        elif self.phase is Phase.BETWEEN and (self.roster.all_ready or now >= self._timers.next_at):
            self._prepare()
        if self.dealing is not None and (self.dealing.complete or now >= self.dealing.until):
            await self._deal(self.dealing)
        if now >= self._timers.act_at:
            await self._act_for_absent()

    # ---- commit and fan out

    async def commit(
        self, actor: int, action: Action, request: Request | None = None
    ) -> Refusal | None:
        """Apply an action, keep it, show it and answer the request for it; or refuse it.

        Raises:
            trio.TooSlowError: the journal did not keep it in time; whether it did is unknown.
        """
        if self.match is None:
            raise LookupError("no match is running")
        changed = apply(self.match, actor, action)
        if isinstance(changed, Refusal):
            return changed
        match, _ = changed
        reply = None if request is None else Done(re=request.id, version=match.version)
        entry = Entry(
            self.settings.table, self.matches, match.version, actor, action, request, reply
        )
        kept = self._journal.commit(entry)
        if kept is not None:
            with trio.fail_after(self._bounds.journal_seconds, shield=True):
                await kept
        # Nothing awaits from here on.
        self.match = match
        if request is not None and reply is not None:
            self.roster.answers[actor].keep(request, reply)
            peer = self.roster.peers[actor]
            if peer is not None:
                peer.answer(reply)
        self._show(match)
        self._follow(match)
        return None

    def _show(self, match: Match) -> None:
        snapshot = self._snapshot = Snapshot(self.matches, match)
        for feed in self.roster.feeds.values():
            feed.show(snapshot)

    def _follow(self, match: Match) -> None:
        """Bring the table's phase and timers in line with the match."""
        if match.phase is MatchPhase.PLAY:
            if self.phase is not Phase.PLAYING:
                self._enter(Phase.PLAYING)
            self.arm()
        elif match.phase is MatchPhase.MATCH_OVER:
            self._enter(Phase.OVER)
            now = trio.current_time()
            for number in self.roster.where(State.DROPPED):
                self.roster.drop(number, now + self.settings.grace)
        elif self.phase is Phase.PLAYING:
            self._enter(Phase.BETWEEN)
        elif self.dealing is not None and self.dealing.deal != _due(match):
            self._prepare()

    def _enter(self, phase: Phase, dealing: Dealing | None = None) -> None:
        self.phase = phase
        self.dealing = dealing
        self.roster.unready()
        self.arm()
        self.touch()
        self.tell()

    def touch(self) -> None:
        """Remember that the table's state has changed."""
        self._touched = True

    def tell(self) -> None:
        """Send the table's state to all people here, if it has changed."""
        if self._touched:
            self._touched = False
            for peer in self.roster.people():
                peer.outbox.renew(Slot.TABLE, self._state)
            self._changed()

    def _state(self, encode: Encode) -> bytes:
        now = trio.current_time()
        return encode(
            table_state(
                self.settings,
                self.roster,
                phase=self.phase,
                match=self.matches,
                offer=None if self.dealing is None else self.dealing.offer(now),
                next_in=milliseconds(self._timers.next_at, now),
                turn_in=milliseconds(self._timers.clock.until, now),
                now=now,
            )
        )

    def welcome(self, peer: Peer) -> None:
        """Show the match to somebody who has just come."""
        if self._snapshot is not None:
            self.roster.feeds[peer].show(self._snapshot)
        self.touch()

    def notice(
        self,
        code: NoticeCode,
        seat: int | None = None,
        number: int | None = None,
        *,
        but: Peer | None = None,
    ) -> None:
        """Tell all people here, ``but`` perhaps one, of something that is no move."""
        notice = Notice(code=code, seat=seat, number=number)
        for peer in self.roster.people():
            if peer is not but:
                peer.outbox.put(notice)

    # ---- the course of a match

    def _may_start(self) -> bool:
        if not self.roster.full:
            return False
        alone = self.phase is Phase.WAITING and len(self.roster.where(State.SEATED)) == 1
        return alone or self.roster.all_ready

    def _start(self) -> None:
        self.match = new_match(self.settings.rules, rotation=self.matches)
        self.matches += 1
        self._log.info("match begins", match=self.matches)
        self._show(self.match)
        self._prepare()

    def _prepare(self) -> None:
        """Commit to the seed of the cut or the next deal, and ask for nonces."""
        if self.match is None:
            raise LookupError("no match is running")
        deal = _due(self.match)
        asked = self.roster.where(State.SEATED)
        until = trio.current_time() + self._bounds.nonce_seconds
        self._enter(Phase.OFFERING, Dealing(deal, len(self.roster.seats), asked, until))

    async def _deal(self, dealing: Dealing) -> None:
        secret = dealing.secret()
        refusal = await self.commit(TABLE, BeginDeal(secret) if dealing.deal else Cut(secret))
        if refusal is not None:
            raise RuntimeError(f"the deal was refused: {refusal.code}")

    def arm(self) -> None:
        """Set the timers anew, because the match, the phase or a seat has changed."""
        if self._timers.arm(self.phase, self.match, self.roster, trio.current_time()):
            self.touch()

    async def _act_for_absent(self) -> None:
        """Act for the seat on turn: a bot's move, or the end of a turn that nobody plays."""
        match = self.match
        if match is None or match.turn is None:
            return
        number = match.turn
        seat = self.roster.seats[number]
        if seat.level is not None:
            action = self._thinkers.choose(seat.level, match, number)
            if action is not None:
                refusal = await self.commit(number, action)
                if refusal is None:
                    return
                self._log.error("bot refused", seat=number, code=refusal.code)
            self.notice(NoticeCode.BOT_FAILED, number)
        elif seat.state is State.SEATED:
            self.notice(NoticeCode.TURN_TIMED_OUT, number)
        await self.commit(TABLE, Timeout())

    # ---- people who are gone

    async def lose(self, number: int, what: Input) -> None:
        """Do ``what`` becomes of a seat whose person is gone, for now or for good."""
        if what is Input.GIVE_UP and not self.phase.idle:
            # Refused only for a seat that is out of the match already.
            await self.commit(TABLE, Forfeit(number))
        host = self.roster.host
        self.roster.lose(number, what)
        if self.dealing is not None:
            self.dealing.excuse(number)
        if what in (Input.HOLD, Input.REPLACE):
            self.notice(NoticeCode.BOT_PLAYS, number)
        if self.roster.host not in (host, None):
            self.notice(NoticeCode.HOST_IS, self.roster.host)
        self._log.info("seat lost", seat=number, how=what.value)
        self.arm()
        self.touch()

    def _departed(self, peer: Peer) -> None:
        number = self.roster.seat_of(peer)
        if number is None:
            self.roster.unwatch(peer)
        else:
            grace = self.settings.grace
            self.roster.drop(number, trio.current_time() + grace)
            if self.dealing is not None:
                self.dealing.excuse(number)
            self.notice(NoticeCode.DROPPED, number, grace * 1000)
            self.arm()
        self.touch()


def _due(match: Match) -> int:
    """Return the number of the deal that is due, or 0 for the cut or the lot."""
    return 0 if match.phase is MatchPhase.CUT else match.number + 1
