"""Runs a program's seat: connects, sits down, asks the program, and says what happens.

Everything runs under trio in the main thread but the program's own thinking, which has a thread of
its own: pings are answered meanwhile, however long it takes. What it decides carries the version of
the position that it was shown, so that the server refuses what comes too late.
"""

import random
import sys
from typing import Final

import trio
from attrs import define, field

from kings_client.intents import EndTurn as AskEndTurn
from kings_client.intents import Intent, MovePile, PlayCard, PlayTop, Quit
from kings_client.model import Linked, Model
from kings_client.outside.policy import Policy
from kings_client.outside.seat import Next, Plan, Stuck, Think, next_step
from kings_client.outside.telling import changes
from kings_client.plain.telling import Teller
from kings_client.screenless import PAUSE_SECONDS, hand_over, heed_signals
from kings_client.screens.knowing import rules_of
from kings_client.session import Session
from kings_engine.actions import EndTurn, Move, Play, SeatAction
from kings_engine.events import Event
from kings_engine.view import View

AGAIN_SECONDS: Final = 1.0
"""The pause before a wish that was refused, or a page that had nothing, is asked for again."""

FAILED: Final = 1


def run(session: Session, plan: Plan, policy: Policy, rng: random.Random) -> int:
    """Play until the seat is gone, and return the exit code.

    Args:
        session: goes to the server.
        plan: where to sit.
        policy: the program.
        rng: the source of chance that the program is handed.

    Returns:
        0 after the seat was given up or taken away, 1 if the connection was over before, or no
        seat could be chosen; 128 and the signal's number after one.
    """
    return trio.run(_Seat(session, plan, policy, rng).run)


@define
class _Seat:
    session: Session
    plan: Plan
    policy: Policy
    rng: random.Random
    _code: int = 0
    _sat: bool = False
    _before: Model = field(factory=Model)
    _told: tuple[str, int] | None = None
    _last: Intent | None = None
    _news: trio.Event = field(factory=trio.Event)
    _scope: trio.CancelScope = field(factory=trio.CancelScope)
    _teller: Teller = field(factory=lambda: Teller(Model()))

    async def run(self) -> int:
        send, receive = trio.open_memory_channel[Intent](0)
        async with trio.open_nursery() as nursery:
            await nursery.start(heed_signals, self._leave)
            nursery.start_soon(self.session.talk, receive, self._publish)
            with self._scope:
                await self._sit(send)
            with trio.move_on_after(AGAIN_SECONDS):
                await send.send(Quit())
            nursery.cancel_scope.cancel()
        return self._code

    def _leave(self, code: int) -> None:
        self._code = code
        self._scope.cancel()

    def _publish(self, model: Model) -> None:
        for sentence in (*changes(self._before, model), *self._teller.happened(model)):
            print(sentence, flush=True)
        self._before = model
        self._sat = self._sat or model.seat is not None
        self._news.set()
        self._news = trio.Event()

    async def _sit(self, send: trio.MemorySendChannel[Intent]) -> None:
        while True:
            model, news = self.session.model, self._news
            step = next_step(model, self.plan, sat=self._sat)
            match step:
                case Next.GONE:
                    closed = model.link.state is Linked.CLOSED
                    self._code = FAILED if closed else 0
                    return
                case Stuck(why):
                    print(f"kings bot: {why}", file=sys.stderr)
                    self._code = FAILED
                    return
                case Think(view) if not self._has_answered(view, model.refused):
                    step = await self._think(step, model.events)
                case Next() | Think():
                    await news.wait()
                    continue
            await trio.sleep(AGAIN_SECONDS if step == self._last else PAUSE_SECONDS)
            self._last = step
            await hand_over(send, step)

    def _has_answered(self, view: View, refused: Intent | None) -> bool:
        """Say whether the position that is shown is one that was decided on, and not refused."""
        decided = getattr(self._last, "version", None)
        return decided == view.public.version and refused != self._last

    async def _think(self, turn: Think, history: tuple[Event, ...]) -> Intent:
        if self._told != (turn.table.table, turn.table.match):
            self._told = turn.table.table, turn.table.match
            self.policy.hear_rules(rules_of(turn.table), turn.own.seat)
        action = await trio.to_thread.run_sync(
            self.policy.action, turn.view, turn.own, history, self.rng, abandon_on_cancel=True
        )
        return _intent(action, turn.view)


def _intent(action: SeatAction, view: View) -> Intent:
    version = view.public.version
    match action:
        case Play(card, place):
            return PlayCard(card, place, version)
        case Move(source, place):
            return MovePile(source, place, version)
        case EndTurn():
            return AskEndTurn(version)
        case _:
            return PlayTop(action.place, version)
