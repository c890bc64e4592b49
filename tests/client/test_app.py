"""The two loops as one program: keys in, models out, and an orderly end whatever happens.

Ordinary tests that call ``app.run``: a guest run cannot start inside another trio run. The keyboard
is a pipe and the screen is a dummy; every run is bounded by the trio side's own limit.
"""

import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from kings_client import app
from kings_client.intents import EndTurn, Intent, PlayCard, Quit, Say
from kings_client.model import Model
from kings_client.settings import Settings
from kings_client.settings_file import save
from kings_engine.cards import parse_card
from tables import model_of, position

LIMIT = 10.0
GAME = model_of(position("KH 9H 5S", {"N": "TS", "S": "4D"}))


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINGS_CONFIG_DIR", str(tmp_path))


Receive = trio.MemoryReceiveChannel[Intent]
Publish = Callable[[Model], None]
Script = Callable[[Receive, Publish], Awaitable[None]]


class Recorded(DummyOutput):
    """A screen of a size of its own that keeps what is written."""

    def __init__(self, columns: int = 80, rows: int = 24, encoding: str = "utf-8") -> None:
        self.size = Size(rows=rows, columns=columns)
        self.written: list[str] = []
        self._encoding = encoding
        self._changed = trio.Event()

    async def until(self, text: str) -> None:
        """Wait until ``text`` has been written."""
        while text not in "".join(self.written):
            self._changed = trio.Event()
            await self._changed.wait()

    def _keep(self, data: str) -> None:
        self.written.append(data)
        self._changed.set()

    def get_size(self) -> Size:
        return self.size

    def write(self, data: str) -> None:
        self._keep(data)

    def write_raw(self, data: str) -> None:
        self._keep(data)

    def encoding(self) -> str:
        return self._encoding

    def bell(self) -> None:
        self._keep("<bell>")

    def quit_alternate_screen(self) -> None:
        self._keep("<left>")


@contextmanager
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe:
        yield pipe


def run(
    script: Script, pipe: PipeInput, output: Recorded | None = None, model: Model = GAME
) -> int:
    async def bounded(intents: Receive, publish: Publish) -> None:
        with trio.fail_after(LIMIT):
            await script(intents, publish)

    return app.run(model, bounded, source=pipe, output=output or Recorded())


async def quit_asked(intents: Receive) -> None:
    """Wait until the person quits, as the real trio side does."""
    async for intent in intents:
        if isinstance(intent, Quit):
            return


def test_keys_become_intents_and_quitting_ends_with_zero() -> None:
    asked: list[Intent] = []

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        pipe.send_text("\x1b[C\r\rd/hi q\rqq")
        async for intent in intents:
            asked.append(intent)
            if isinstance(intent, Quit):
                return

    with keyboard() as pipe:
        assert run(script, pipe) == 0
    version = GAME.view.public.version if GAME.view else 0
    assert asked == [
        PlayCard(parse_card("9H"), 0, version),
        EndTurn(version),
        Say("hi q"),
        Quit(False),
    ]


@pytest.mark.parametrize(("bell", "rings"), [("on", 1), ("off", 0)])
def test_the_bell_rings_when_ones_turn_begins_if_it_is_wanted(
    tmp_path: Path, bell: str, rings: int
) -> None:
    save(Settings(bell=bell), tmp_path)
    output = Recorded()
    theirs = model_of(position("QC QS", {"W": "7H"}, turn=1))

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        publish(GAME)
        await output.until("Your turn")
        pipe.send_text("qq")
        await quit_asked(intents)

    with keyboard() as pipe:
        assert run(script, pipe, output, theirs) == 0
    assert output.written.count("<bell>") == rings


def test_a_published_model_is_drawn_at_once() -> None:
    output = Recorded()

    async def script(intents: Receive, publish: Publish) -> None:
        publish(model_of(position("QC QS", {"W": "7H"})))
        await output.until("7♥")
        pipe.send_text("qq")
        await quit_asked(intents)

    with keyboard() as pipe:
        assert run(script, pipe, output) == 0


def test_escape_and_pasted_text_do_what_they_should() -> None:
    said: list[Intent] = []

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        # Pasted over the game nothing happens; into a line it is one line, also with a "d" in it.
        pipe.send_text("\x1b[200~dd\nqq\x1b[201~/\x1b[200~good\nday\x1b[201~\r\x03\x03")
        async for intent in intents:
            said.append(intent)
            if isinstance(intent, Quit):
                return

    with keyboard() as pipe:
        assert run(script, pipe) == 0
    assert said == [Say("good day"), Quit(False)]


def test_the_mouse_plays() -> None:
    played: list[Intent] = []

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        for x, y in ((39, 21), (37, 6)):
            pipe.send_text(f"\x1b[<0;{x + 1};{y}M\x1b[<0;{x + 1};{y}m")
        played.append(await intents.receive())
        pipe.send_text("\x03\x03")
        await quit_asked(intents)

    with keyboard() as pipe:
        assert run(script, pipe) == 0
    assert isinstance(played[0], PlayCard)
    assert (played[0].card, played[0].place) == (parse_card("9H"), 0)


def test_the_trio_side_says_goodbye_before_the_end_and_after_the_screen() -> None:
    output = Recorded()
    order: list[str] = []

    async def script(intents: Receive, publish: Publish) -> None:
        del publish
        async for intent in intents:
            if isinstance(intent, Quit):
                await output.until("<left>")
                order.append("goodbye")
                return

    with keyboard() as pipe:
        pipe.send_text("qq")
        assert run(script, pipe, output) == 0
    assert order == ["goodbye"]


def test_a_trio_side_that_ends_ends_the_screen() -> None:
    async def script(intents: Receive, publish: Publish) -> None:
        del intents, publish
        await trio.sleep(0.01)

    with keyboard() as pipe:
        assert run(script, pipe) == 0


def test_an_error_of_the_trio_side_is_one_line_and_a_code(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    output = Recorded()

    async def script(intents: Receive, publish: Publish) -> None:
        del intents, publish
        raise RuntimeError("broken link")

    with keyboard() as pipe:
        assert run(script, pipe, output) == app.CRASHED
    assert capsys.readouterr().err.count("\n") == 1
    assert "broken link" in caplog.text
    assert "<left>" in output.written


def test_an_error_of_the_screen_is_one_line_and_a_code(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A model that cannot be drawn stands for any mistake in a screen."""
    ended = []

    async def script(intents: Receive, publish: Publish) -> None:
        del intents
        publish(Model(where="lobby", lobby=5))  # type: ignore[arg-type]  # the mistake
        try:
            await trio.sleep_forever()
        finally:
            ended.append(True)

    with keyboard() as pipe:
        assert run(script, pipe) == app.CRASHED
    assert ended == [True]
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "AttributeError" in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals_end_in_order(name: str, code: int) -> None:
    output = Recorded()
    ended = []

    async def script(intents: Receive, publish: Publish) -> None:
        del intents
        publish(GAME)
        await output.until("Draw and end turn")
        os.kill(os.getpid(), getattr(signal, name))
        try:
            await trio.sleep_forever()
        finally:
            ended.append(True)

    with keyboard() as pipe:
        assert run(script, pipe, output) == code
    assert ended == [True]
    assert "<left>" in output.written


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_interrupts_during_the_goodbye_do_not_abandon_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    output = Recorded()
    ended: list[bool] = []

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        pipe.send_text("\x03\x03")
        await quit_asked(intents)
        await output.until("<left>")
        os.kill(os.getpid(), signal.SIGINT)
        await trio.sleep(0.05)
        ended.append(True)

    with keyboard() as pipe:
        assert run(script, pipe, output) == 0
    assert ended == [True]
    assert signal.getsignal(signal.SIGINT) == before


def test_too_many_intents_are_refused_not_queued() -> None:
    output = Recorded()

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        pipe.send_text("/x\r" * (app.INTENTS + 1))
        await output.until("Too much at once")
        assert intents.statistics().current_buffer_used == app.INTENTS
        pipe.send_text("\x03\x03")
        await quit_asked(intents)

    with keyboard() as pipe:
        assert run(script, pipe, output) == 0


def test_a_terminal_without_unicode_is_sent_ascii_only() -> None:
    output = Recorded(encoding="ascii")

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        await output.until("Draw and end turn")
        pipe.send_text("qq")
        await quit_asked(intents)

    with keyboard() as pipe:
        assert run(script, pipe, output) == 0
    text = "".join(output.written)
    assert "10s" in text
    assert text.isascii()


def test_nothing_is_left_running() -> None:
    before = threading.active_count()

    async def script(intents: Receive, publish: Publish) -> None:
        publish(GAME)
        pipe.send_text("qq")
        async for _ in intents:
            return

    for _ in range(3):
        with keyboard() as pipe:
            assert run(script, pipe) == 0
    # trio keeps one idle worker thread; it grows no further with each run.
    assert threading.active_count() <= before + 2
