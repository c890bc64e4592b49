"""Runs the line mode: takes typed lines one at a time, and prints what happens as it happens.

Everything runs under trio in the main thread; only the wait for a line has a thread of its own. A
line is answered before the next one is read, so a program at the other end of a pipe can play.
"""

import math
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import trio
from attrs import define

from kings_client.intents import (
    AskHint,
    BeginAnew,
    BrowsePage,
    ComeBack,
    EndTurn,
    Here,
    Intent,
    Leave,
    MovePile,
    PlayCard,
    PlayTop,
    Quit,
    RetryNow,
    StartJoin,
    ToWelcome,
)
from kings_client.model import Linked, Model, Pending
from kings_client.plain.commands import obey
from kings_client.plain.lines import Lines, open_lines
from kings_client.plain.near import answering, listed
from kings_client.plain.orders import Context, Step
from kings_client.plain.sitting import due
from kings_client.plain.telling import Teller
from kings_client.screenless import PAUSE_SECONDS, hand_over, heed_signals
from kings_client.session import Intents, Publish
from kings_client.words.reasons import reason, unseated
from kings_client.words.refusals import refusal
from kings_client.words.spoken_table import instead
from kings_client.words.tongue import later, tell
from kings_protocol import messages

Talk: TypeAlias = Callable[[Intents, Publish], Awaitable[None]]
"""The client's other side: takes intents, and publishes a new model whenever it has one."""

OK: Final = "OK: "
"""Begins the answer to a command that was carried out."""

NO: Final = "No: "
"""Begins the answer to a command that was not."""

GOODBYE_SECONDS: Final = 3.0
"""How long the other side may take to end after it was asked to quit."""

SETTLE_SECONDS: Final = 5.0
"""How long the news that follows an answer is waited for before the next line is read."""

FAILED: Final = 1
INTERRUPTED: Final = 130


def run(model: Model, talk: Talk, *, at_home: bool = False) -> int:
    """Play by lines until the person quits or the input ends, and return the exit code.

    Args:
        model: what is known at the start.
        talk: the client's other side; it returns when it is asked to quit.
        at_home: whether no server is chosen yet.

    Returns:
        0 after quitting or at the end of input; 1 if the connection was over by then, or nobody
        reads what is printed; 128 and the signal's number after one.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        return trio.run(_Client(model, talk, at_home=at_home).run)
    except KeyboardInterrupt:
        return INTERRUPTED


@define
class _Asked:
    """What was asked for and has no answer yet; ``seen`` once it was sent."""

    intent: Intent
    ok: str
    seen: bool = False

    def is_in(self, pending: Pending) -> bool:
        comes_back = isinstance(self.intent, ComeBack | BeginAnew)
        return pending.ask is self.intent or (
            comes_back and isinstance(pending.request, messages.Resume)
        )


class _Client:
    """Holds the newest model, and answers."""

    def __init__(self, model: Model, talk: Talk, *, at_home: bool = False) -> None:
        self._model = model
        self._talk = talk
        self._teller = Teller(model)
        self._asked: _Asked | None = None
        self._asked_at = -math.inf
        self._was_online = False
        self._at_home = at_home
        self._news = trio.Event()
        self._send, self._receive = trio.open_memory_channel[Intent](0)
        self._scope = trio.CancelScope()
        self._parting = Quit()
        self._code = 0

    # ---- the life of the program

    async def run(self) -> int:
        """Run both sides, take them down in order, and return the exit code."""
        with open_lines(lambda: self._model) as lines:
            async with trio.open_nursery() as nursery:
                await nursery.start(heed_signals, self._leave)
                done = trio.Event()
                nursery.start_soon(self._talk_until, done)
                with self._scope:
                    await self._take_lines(lines)
                with trio.move_on_after(GOODBYE_SECONDS):
                    if not done.is_set():
                        await self._send.send(self._parting)
                    await done.wait()
                nursery.cancel_scope.cancel()
        return self._code

    async def _talk_until(self, done: trio.Event) -> None:
        await self._talk(self._receive, self._publish)
        done.set()
        self._scope.cancel()

    def _leave(self, code: int) -> None:
        self._code = code
        self._scope.cancel()

    def _publish(self, model: Model) -> None:
        """Take a newer model: answer what it answers, then tell what is new."""
        self._model = model
        self._was_online = self._was_online or model.link.state == Linked.ONLINE
        self._answer_if_due(model)
        if self._was_online or self._at_home or model.link.state != Linked.CLOSED:
            for sentence in self._teller.tell(model):
                # Names are other people's: none of them may look like an answer.
                self._print(f"- {sentence}" if sentence.startswith((OK, NO)) else sentence)
        self._news.set()
        self._news = trio.Event()

    async def _until(self, ready: Callable[[Model], bool]) -> None:
        while not ready(self._model):
            await self._news.wait()

    # ---- commands

    async def _take_lines(self, lines: Lines) -> None:
        await self._until(self._settled)
        if not self._was_online and not self._at_home:
            return
        tables: tuple[str, ...] = ()
        while True:
            try:
                line = await lines.read()
            except KeyboardInterrupt:
                self._code = INTERRUPTED
                return
            if line is None:
                self._code = FAILED if self._model.link.state == Linked.CLOSED else 0
                return
            if not line or line.startswith("#"):
                continue
            await self._say_here()
            step = obey(Context(self._model, tables, time.monotonic()), line)
            tables = tables if step.listed is None else step.listed
            await self._carry_out(step)
            if isinstance(step.intent, Quit):
                self._parting = step.intent
                return

    async def _say_here(self) -> None:
        """Let the server know that somebody types, where it begins to doubt it."""
        table = self._model.table
        doubted = table is not None and table.away_in is not None
        if doubted and self._model.link.state == Linked.ONLINE:
            await hand_over(self._send, Here())

    async def _carry_out(self, step: Step) -> None:
        for line in step.lines:
            self._print(f"  {line}")
        offline = self._model.link.state != Linked.ONLINE
        match step.intent:
            case _ if step.no:
                self._print(NO + step.no + ".")
            case None if step.waits:
                await self._wait()
            case None if step.patience:
                await self._search(step.patience)
            case StartJoin() | ToWelcome():
                await self._go(step.intent, step.ok)
            case None | Quit():
                self._print(OK + step.ok)
            case RetryNow():
                self._print(OK + step.ok)
                await hand_over(self._send, step.intent)
            case _ if offline:
                self._print(NO + tell("there is no connection now; retry tries again at once."))
            case _:
                await self._ask(_Asked(step.intent, step.ok))

    async def _wait(self) -> None:
        """Answer when there is something to do."""
        while True:
            model = self._model
            if model.link.state == Linked.CLOSED:
                self._print(NO + tell("the connection is over; type retry or quit."))
                return
            what = due(model) if model.link.state == Linked.ONLINE else ""
            if what and not self._teller.unsure:
                self._print(OK + what)
                return
            await self._news.wait()

    async def _search(self, seconds: float) -> None:
        """Answer with the list of servers when there is one, or when the time is over."""
        with trio.move_on_after(seconds):
            await self._until(lambda model: bool(answering(model)))
        await self._carry_out(listed(self._model))

    async def _go(self, intent: StartJoin | ToWelcome, ok: str) -> None:
        """Go to a server, or back to where one is chosen; answer when that is done or failed."""
        before = self._model
        self._at_home = True
        await hand_over(self._send, intent)
        await self._until(lambda model: model.where != before.where and self._settled(model))
        link = self._model.link
        if link.state == Linked.CLOSED:
            self._print(f"{NO}{reason(link.reason or '')}.")
        else:
            self._print(OK + ok)

    # ---- asking the server

    async def _ask(self, asked: _Asked) -> None:
        await trio.sleep_until(self._asked_at + PAUSE_SECONDS)
        before = self._model
        self._asked = asked
        await hand_over(self._send, asked.intent)
        self._asked_at = trio.current_time()
        if self._asked is not None and not asked.seen:
            self._asked = None
            self._print(NO + tell("that cannot be asked for just now; type help for what can."))
            return
        while self._asked is not None:
            await self._news.wait()
        with trio.move_on_after(SETTLE_SECONDS):
            await self._until(lambda model: self._is_shown(asked.intent, before, model))

    def _answer_if_due(self, model: Model) -> None:
        asked = self._asked
        if asked is None:
            return
        if model.link.state != Linked.ONLINE:
            self._asked = None
            lost = later("the connection is lost.")
            again = later("the connection is lost; it is asked again when the connection is back.")
            self._print(NO + tell(again if asked.seen else lost))
        elif any(map(asked.is_in, model.pending)):
            asked.seen = True
        elif asked.seen:
            self._asked = None
            self._print(self._answer(asked, model))

    def _answer(self, asked: _Asked, model: Model) -> str:
        intent, refused = asked.intent, model.refusal
        if model.unseated is not None and not isinstance(intent, Leave):
            return f"{NO}{unseated(model.unseated)}."
        if refused is None or (
            model.refused is not intent and not isinstance(intent, ComeBack | BeginAnew)
        ):
            if isinstance(intent, PlayCard | MovePile | PlayTop):
                self._teller.answered(intent)
            if isinstance(intent, AskHint) and model.hint is not None:
                return OK + str(model.hint[1]).lower()
            return OK + asked.ok
        self._teller.answer = refused
        why = refusal(refused)
        own = None if model.view is None else model.view.own
        if own is not None and isinstance(intent, PlayCard | MovePile | PlayTop):
            why += f"; {instead(own, intent)}"
        return f"{NO}{why}."

    def _is_shown(self, intent: Intent, before: Model, model: Model) -> bool:
        """Say whether what the answer said can be seen: the next line is judged by it."""
        if not self._settled(model) or self._teller.unsure:
            return False
        refused = model.refusal is not None and model.refused is intent
        if refused or model.link.state != Linked.ONLINE:
            return True
        match intent:
            case PlayCard() | MovePile() | PlayTop() | EndTurn():
                view = model.view
                return view is None or view.public.version > intent.version
            case BrowsePage(page):
                return model.lobby is None or model.lobby.page == page
            case Leave():
                return model.where != "table" or model.table is not before.table
        return True

    def _settled(self, model: Model) -> bool:
        """Say whether it is known where the person is, or that this will not come."""
        if model.at_home:
            return self._at_home
        if model.link.state in (Linked.WAITING, Linked.CLOSED):
            return True
        if model.moving:
            return False
        if model.where == "lobby":
            return model.lobby is not None
        if model.table is None:
            return model.unfinished is not None
        return model.table.phase != "playing" or model.view is not None

    # ---- printing

    def _print(self, line: str) -> None:
        try:
            print(line, flush=True)
        except OSError:
            # Nobody reads any more; what is still in the buffer must not fail at the exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
            self._leave(FAILED)
