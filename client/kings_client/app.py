"""The full screen: prompt_toolkit on asyncio in the main thread, with trio as its guest.

The order of events matters, at the end above all: the terminal is given back first, then the trio
side is cancelled and waited for, and only then is anything printed or the loop closed. Both sides
share one thread, so the trio side may hand over a model by a plain call.
"""

import asyncio
import errno
import logging
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeAlias

import trio
from attrs import evolve
from outcome import Error, Outcome
from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.data_structures import Point
from prompt_toolkit.input import Input
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandler, MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.styles import DynamicStyle, Style

from kings_client.colours import depth
from kings_client.intents import Intent, Quit
from kings_client.keys import make_bindings
from kings_client.model import Model
from kings_client.parts.canvas import Canvas, Spot
from kings_client.parts.hand import HandOrder
from kings_client.screens import route
from kings_client.screens.knowing import begins_turn, counting, lately
from kings_client.screens.selection import Selection
from kings_client.screens.state import Scene, Step, Ui
from kings_client.settings import Settings, look_of
from kings_client.settings_file import config_folder, load, save
from kings_client.style import PLAIN, theme
from kings_client.words.tongue import tell

Talk: TypeAlias = Callable[
    [trio.MemoryReceiveChannel[Intent], Callable[[Model], None]], Awaitable[None]
]
"""The trio side: takes intents, and publishes a new model whenever it has one."""

INTENTS: Final = 8
"""Intents that may wait for the trio side; a person is told when there are more."""

REDRAW_SECONDS: Final = 0.02
"""Least time between two pictures: a burst of news makes one."""

TICK_SECONDS: Final = 0.5
"""How often a picture with a countdown in it is drawn anew."""

ESCAPE_SECONDS: Final = 0.05
"""How long an escape byte waits for the rest of a key's sequence."""

CHORD_SECONDS: Final = 0.3
"""How long the first key of several waits for the next."""

GOODBYE_SECONDS: Final = 3.0
"""How long the trio side may take to end by itself after it was asked to quit."""

INTERRUPTED: Final = 130
HUNG_UP: Final = 129
CRASHED: Final = 70

_log = logging.getLogger("kings_client")


def run(
    model: Model, talk: Talk, *, source: Input | None = None, output: Output | None = None
) -> int:
    """Show the screen until the person quits, and return the exit code.

    Args:
        model: what is known at the start.
        talk: the trio side. It returns when it is asked to quit, or is cancelled once the screen
            is left, and waited for: what it still does then has to be bounded by itself.
        source: the keyboard; by default the terminal's.
        output: the screen; by default the terminal's.

    Returns:
        0 after quitting, 128 and the signal's number after one, 70 after an error of the program,
        of which the log has the details and standard error one line.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        return asyncio.run(_Client(model, talk, source, output).run())
    finally:
        signal.signal(signal.SIGINT, before)


class _Client:
    """Holds the newest model and the screen's own state, and moves both along."""

    def __init__(
        self, model: Model, talk: Talk, source: Input | None, output: Output | None
    ) -> None:
        self._model = model
        self._talk = talk
        self._send, self._receive = trio.open_memory_channel[Intent](INTENTS)
        self._quitting = False
        self._suspended = False
        output = create_output() if output is None else output
        self._output = output
        self._ascii = not _can_show(output.encoding(), "♠╭┏╔╌▒▸●◌✓→")
        self._folder = config_folder()
        loaded = load(self._folder)
        colours, self._basic = depth(os.environ, output)
        self._wear(loaded.settings)
        self.app: Application[int] = Application(
            layout=Layout(_Picture(self)),
            key_bindings=make_bindings(self),
            style=DynamicStyle(lambda: self._style),
            color_depth=colours,
            full_screen=True,
            mouse_support=True,
            enable_page_navigation_bindings=False,
            min_redraw_interval=REDRAW_SECONDS,
            input=source,
            output=output,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = CHORD_SECONDS
        settings = loaded.settings
        colourless = colours == ColorDepth.DEPTH_1_BIT
        look = look_of(settings, plain=self._ascii, colourless=colourless)
        selection = Selection(order=HandOrder(settings.sorting))
        ui = Ui(
            *(look, settings, self._ascii, colourless), selection=selection, note=loaded.problem
        )
        self._ui = route.settle(ui, model)

    # ---- what keys and clicks do

    def scene(self, width: int, height: int) -> Scene:
        """Return what a picture of this size is made of."""
        return Scene(self._model, self._ui, width, height, time.monotonic())

    def press(self, key: str) -> None:
        """Take one key."""
        self._follow(route.press(self._scene(), key))

    def click(self, spot: Spot) -> None:
        """Take a click on a spot of the picture."""
        self._follow(route.click(self._scene(), spot))

    def holds(self, spot: Spot) -> bool:
        """Say whether ``spot`` is picked up: a click there puts it back, a drag plays it."""
        return self._ui.selection.picked == spot

    def drag(self, held: Spot, over: Spot | None) -> None:
        """Take a move of the mouse with its button down."""
        self._follow(route.drag(self._scene(), held, over))

    def drop(self, held: Spot, over: Spot | None) -> None:
        """Take the end of such moves."""
        self._follow(route.drop(self._scene(), held, over))

    def writes(self) -> bool:
        """Say whether characters go into a line of text now."""
        return route.writes(self._scene())

    def _scene(self) -> Scene:
        size = self.app.output.get_size()
        return self.scene(size.columns, size.rows)

    def _wear(self, settings: Settings) -> None:
        """Take the settings' colours, and the characters that they allow."""
        colours = theme(settings.theme, settings.suit_colours, basic=self._basic)
        self._style = Style.from_dict(colours)
        self.ground = "class:ground " if "ground" in colours else ""
        self.plain = self._ascii or settings.symbols == "ascii"

    def _follow(self, step: Step) -> None:
        if step.ui.settings != self._ui.settings:
            self._wear(step.ui.settings)
            problem = save(step.ui.settings, self._folder)
            step = Step(evolve(step.ui, note=problem), step.intents)
        self._ui = step.ui
        for intent in step.intents:
            try:
                self._send.send_nowait(intent)
            except trio.WouldBlock:
                self._ui = evolve(self._ui, note=tell("too much at once; that was not sent"))
            except trio.BrokenResourceError:
                _log.info("an intent came after the trio side had ended")
            if isinstance(intent, Quit):
                self._quitting = True
                self.leave(0)
        self.app.invalidate()

    def publish(self, model: Model) -> None:
        """Show a newer model."""
        if self._ui.settings.bell == "on" and begins_turn(self._model, model):
            self._output.bell()
        self._ui = route.settle(self._ui, model, self._model)
        self._model = model
        self.app.invalidate()

    def suspend(self) -> None:
        """Give the terminal back, stop as any program does, and draw anew when it goes on."""
        if hasattr(signal, "SIGTSTP") and self.app.is_running and not self._suspended:
            self._suspended = True
            run_in_terminal(self._stop)

    def _stop(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_signal_handler(signal.SIGTSTP)
        # The whole job stops, as with a key of a terminal: who started it may wait for that.
        os.kill(0, signal.SIGTSTP)
        loop.add_signal_handler(signal.SIGTSTP, self.suspend)
        self._suspended = False

    def leave(self, code: int, error: BaseException | None = None) -> None:
        """Leave the screen; further calls change nothing."""
        if self.app.is_running and not self.app.is_done:
            if error is None:
                self.app.exit(result=code)
            else:
                self.app.exit(exception=error)

    # ---- the life of the two loops

    async def run(self) -> int:
        """Start the trio side, show the screen, and take both down in order."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._failed)
        done: asyncio.Future[Outcome[None]] = loop.create_future()
        scope = trio.CancelScope()

        def ended(outcome: Outcome[None]) -> None:
            done.set_result(outcome)
            self.leave(CRASHED if isinstance(outcome, Error) else 0)

        trio.lowlevel.start_guest_run(
            self._guest,
            scope,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            # asyncio takes the descriptor over with its first signal handler, or had it already.
            host_uses_signal_set_wakeup_fd=True,
            done_callback=ended,
        )
        ticking = asyncio.create_task(self._tick())
        error: BaseException | None = None
        code = CRASHED
        try:
            code = 0 if done.done() else await self._shown(loop)
        except (KeyboardInterrupt, asyncio.CancelledError):
            code = INTERRUPTED
        except OSError as failure:
            # A terminal that was closed cannot be restored, and nobody is left to be told.
            code = HUNG_UP
            error = None if failure.errno in (errno.EIO, errno.EPIPE) else failure
        except Exception as failure:  # noqa: BLE001  the screen's own fence: log it, say one line
            error = failure
        finally:
            # A second interrupt now would leave the trio side abandoned.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ticking.cancel()
            if self._quitting:
                await asyncio.wait({done}, timeout=GOODBYE_SECONDS)
            scope.cancel()
            await asyncio.shield(done)
        return _conclude(code, error, done.result())

    async def _guest(self, scope: trio.CancelScope) -> None:
        with scope:
            await self._talk(self._receive, self.publish)

    async def _shown(self, loop: asyncio.AbstractEventLoop) -> int:
        for name, code in (("SIGTERM", 143), ("SIGHUP", HUNG_UP)):
            number = getattr(signal, name, None)
            # Windows has neither these handlers nor SIGHUP.
            with suppress(NotImplementedError):
                if number is not None:
                    loop.add_signal_handler(number, self.leave, code)
        if hasattr(signal, "SIGTSTP"):
            loop.add_signal_handler(signal.SIGTSTP, self.suspend)
        return await self.app.run_async(handle_sigint=True, set_exception_handler=False)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if counting(self._model) or lately(self._model, time.monotonic()):
                self.app.invalidate()

    def _failed(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or RuntimeError(str(context.get("message")))
        self.leave(CRASHED, error)


class _Picture(Window):
    """The whole window: it puts the screen's cells where prompt_toolkit compares them.

    An ordinary window takes its text character by character through wrapping and scrolling, of
    which there is none here; at 200 by 60 that alone would take longer than a key may.
    """

    def __init__(self, client: _Client) -> None:
        super().__init__()
        self._client = client
        self._canvas = Canvas(0, 0)
        self._held: Spot | None = None
        self._over: Spot | None = None
        self._again = False

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,  # noqa: ARG002
        erase_bg: bool,  # noqa: ARG002
        z_index: int | None,  # noqa: ARG002
    ) -> None:
        """Draw the newest picture."""
        width, height = write_position.width, write_position.height
        plain, ground = self._client.plain, self._client.ground
        self._canvas = canvas = route.draw(self._client.scene(width, height))
        for y, (chars, styles) in enumerate(zip(canvas.chars, canvas.styles, strict=True)):
            row = screen.data_buffer[y]
            for x, (char, style) in enumerate(zip(chars, styles, strict=True)):
                if char != " " or style or ground:
                    row[x] = _cell(char, ground + style, plain)
        screen.width, screen.height = width, height
        screen.visible_windows_to_write_positions[self] = write_position
        screen.show_cursor = canvas.cursor is not None
        if canvas.cursor is not None:
            screen.set_cursor_position(self, Point(*canvas.cursor))
        # The same handler everywhere: a button is let go where nothing is, too.
        line: defaultdict[int, MouseHandler] = defaultdict(lambda: self._clicked)
        mouse_handlers.mouse_handlers = defaultdict(lambda: line)

    def _clicked(self, event: MouseEvent) -> None:
        spot = self._canvas.at(event.position.x, event.position.y)
        held = self._held
        match event.event_type:
            case MouseEventType.MOUSE_DOWN if event.button in _BUTTONS:
                self._held = self._over = spot
                self._again = spot is not None and self._client.holds(spot)
                if spot is not None and not self._again:
                    self._client.click(spot)
            case MouseEventType.MOUSE_MOVE if held is not None and spot != self._over:
                self._over = spot
                self._client.drag(held, spot)
            case MouseEventType.MOUSE_UP if held is not None:
                self._held = None
                if spot == held and self._again:
                    self._client.click(held)
                else:
                    self._client.drop(held, spot)
            case _:
                pass


_BUTTONS: Final = (MouseButton.LEFT, MouseButton.UNKNOWN)
"""Old terminals do not say which button it was."""


@lru_cache(maxsize=4096)
def _cell(char: str, style: str, plain: bool) -> Char:
    return Char(char.translate(PLAIN) if plain else char, style)


def _conclude(code: int, error: BaseException | None, outcome: Outcome[None]) -> int:
    """Return the exit code; an error of either side goes to the log, and one line to the person."""
    if error is None and isinstance(outcome, Error):
        error = outcome.error
    if error is None:
        return code
    _log.error("the client failed", exc_info=error)
    sys.stderr.write(
        "kings: " + tell("an error of the program ended it; the log has the details") + "\n"
    )
    return CRASHED


def _can_show(encoding: str, symbols: str) -> bool:
    try:
        symbols.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
