"""What happens at a table, one event after the other, and the task that makes time pass there.

An event is dealt with at once, by whoever brings it, or after the one that is under way. What it
does is shown when the journal has it. Neither half awaits, so whatever stops the server stops it
before the event or after it. Whoever brings an event, or what became of it, has nothing to do with
an error of the table's: its own task raises that.

The task does what takes time: it waits for the next deadline, and finds out what became of an event
that the journal failed to keep. It never waits for a client.

While the journal fails, the table refuses what would have to be kept and lets its timers stand.
Connections still come and go. It goes on from what the journal turns out to hold.
"""

from collections import deque
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

import trio
from attrs import field, frozen

from kings_protocol.codes import RefusalCode, UnseatedCode
from kings_protocol.messages import (
    Act,
    Join,
    MakeTable,
    Refused,
    Reply,
    Request,
    Resume,
    Unseated,
    Watch,
)
from kings_server import course
from kings_server.desk import judge
from kings_server.journal import JournalUnavailable
from kings_server.limits import WAITING_REQUESTS
from kings_server.picture import Phase
from kings_server.reviving import revive
from kings_server.roster import Peer, Roster

if TYPE_CHECKING:
    from kings_server.table import Table

ARRIVALS: Final = (MakeTable, Join, Watch, Resume)


@frozen(eq=False)
class Asked:
    """A request that somebody at the table makes, or who comes to it, and when it came."""

    peer: Peer
    request: Request
    came: float = field(factory=trio.current_time, init=False)


@frozen(eq=False)
class Departed:
    """A connection that has ended, and when it did."""

    peer: Peer
    came: float = field(factory=trio.current_time, init=False)


Event: TypeAlias = Asked | Departed | None
"""What a table deals with; nothing stands for the clock."""


class Events:
    """The events of one table, and its task.

    Attributes:
        gone: is set when the table has ended.
    """

    def __init__(self, table: "Table") -> None:
        """Let things happen at ``table``; ``run`` must be running."""
        self._table = table
        self._waiting: deque[Event] = deque()
        self._event: Event = None
        self._engaged = False
        self._unsure = False
        self._held = False
        self.gone = trio.Event()
        self._broken: Exception | None = None
        self._wake = trio.Event()
        self._sleeps_until = -inf

    # ---- what connections call; nothing here awaits

    def ask(self, peer: Peer, request: Request) -> bool:
        """Hand in a request; say whether there was room for it."""
        if self._table.ended or len(self._waiting) >= WAITING_REQUESTS:
            return False
        if self._unsure:
            peer.answer(Refused(re=request.id, code=RefusalCode.JOURNAL_UNAVAILABLE))
        else:
            self._hand_in(Asked(peer, request))
        return True

    def depart(self, peer: Peer) -> None:
        """Tell that the connection has ended."""
        if not self._table.ended:
            self._hand_in(Departed(peer))

    # ---- events; nothing here awaits

    def _hand_in(self, event: Event) -> None:
        """Deal with an event, or let it wait for its turn."""
        self._waiting.append(event)
        self._go_on()

    def _go_on(self, *, kept: bool = False) -> None:
        """Deal with what waits, until the journal has to be waited for."""
        try:
            if kept:
                self._finish()
            while self._waiting and not self._engaged and not self._held:
                self._engaged, self._event = True, self._waiting.popleft()
                self._deal_with(self._event)
        except Exception as error:  # noqa: BLE001  raised again by the task
            self._broken = error
            self._wake.set()

    def _deal_with(self, event: Event) -> None:
        table = self._table
        if isinstance(event, Asked):
            reply = judge(table, event.peer, event.request)
            if reply is not None:
                table.ledger.then(self._answer, event, reply)
            else:
                self._event = None  # it is replied to later, whatever becomes of this
        elif isinstance(event, Departed):
            course.departed(table, event.peer)
        if table.saving:
            if event is None or table.phase is not Phase.PLAYING:
                # While a deal is played, nothing but time makes anything due.
                came = trio.current_time() if event is None else event.came
                course.do_what_is_due(table, came)
            # An action alone changes nothing else that is kept.
            played = isinstance(event, Asked) and isinstance(event.request, Act)
            state = table.touched or not played
            if table.keeper.hand_in(table, table.ledger.writes, self._kept, state=state):
                return
        self._finish()

    def _kept(self, error: JournalUnavailable | None) -> None:
        """Go on after the event that the journal was handed, or see what became of it."""
        if self._table.ended:
            return
        if error is None:
            self._go_on(kept=True)
        else:
            self._unsure = True
            self._wake.set()

    def _finish(self) -> None:
        """Show what the event did: it is kept."""
        table = self._table
        table.ledger.carry_out()
        table.tell()
        self._engaged, self._event = False, None
        if self._over or table.deadline < self._sleeps_until:
            self._wake.set()

    def hold(self) -> None:
        """Deal with nothing more but the event that is under way: the table is about to end."""
        self._held = True

    # ---- the task

    async def run(self) -> None:
        """Run the table until nobody is there and nobody is waited for, or it was ended."""
        while not self._table.ended:
            if self._broken is not None:
                raise self._broken
            if self._held:
                await self._sleep(inf)
            elif not self._engaged and self._over:
                return
            elif self._unsure:
                await self._find_out()
            elif not self._engaged and trio.current_time() >= self._table.deadline:
                if not self._table.saving:
                    self._engaged = True
                    await self._table.try_to_save()
                    self._engaged = False
                    if self._table.ended:
                        return
                self._hand_in(None)
                await trio.lowlevel.checkpoint()  # bots without a pause let others have a turn
            else:
                await self._sleep(inf if self._engaged else self._table.deadline)

    @property
    def _over(self) -> bool:
        return trio.current_time() >= course.ends_at(self._table)

    async def _sleep(self, until: float) -> None:
        """Wait for what is to be done by the table's own task."""
        self._wake, self._sleeps_until = trio.Event(), until
        with trio.move_on_at(until):
            await self._wake.wait()
        self._sleeps_until = -inf

    def end(self, code: UnseatedCode) -> None:
        """Take no more requests, and send everybody who is still here back to the lobby.

        Nothing is done if the table has ended before.
        """
        if self._table.ended:
            return
        self._table.ended = True
        self.gone.set()
        self._wake.set()
        self._table.thinkers.stop()
        events, self._waiting = (self._event, *self._waiting), deque()
        unanswered = [event for event in events if isinstance(event, Asked)]
        arriving = {asked.peer for asked in unanswered if isinstance(asked.request, ARRIVALS)}
        for peer in self._table.roster.people():
            peer.go_back()
            if peer not in arriving:
                peer.outbox.put(Unseated(code=code))
        self._table.roster.feeds.clear()
        for asked in unanswered:
            asked.peer.answer(Refused(re=asked.request.id, code=RefusalCode.NO_SUCH_TABLE))

    async def _find_out(self) -> None:
        """Learn what the journal holds after a failure, and take back what it does not hold.

        Until that is known, every request is refused.
        """
        self._table.stop_saving()
        event, waiting = self._event, self._waiting
        self._waiting = deque(event for event in waiting if not isinstance(event, Asked))
        for asked in waiting:
            if isinstance(asked, Asked):
                self._refuse(asked)
        saved = await self._table.keeper.reread()
        if self._table.ended:
            return
        if saved is None or not self._table.keeper.has_all(saved, self._table):
            self._table.ledger.drop()
            if isinstance(event, Asked):
                self._table.ledger.then(self._refuse, event)
            elif event is not None:
                self._waiting.appendleft(event)  # whoever is gone is gone, saved or not
            if saved is None:
                self._table.roster = Roster(len(self._table.roster.seats))
            else:
                revive(self._table, saved, 0.0)
        course.arm(self._table)
        self._table.touch()
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
