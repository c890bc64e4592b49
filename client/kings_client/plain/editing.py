"""Lines from a terminal that can edit them: history, completion, and a prompt that nothing tears.

The editor runs its own loop in a worker thread, one line at a time, so that the client's own loop
has the main thread and its signals. It is always waited for: it alone can give the terminal back.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth, create_output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle

from kings_client.model import Model
from kings_client.plain.completing import completions


@contextmanager
def edited_lines(model: Callable[[], Model]) -> Iterator["EditedLines"]:
    """Give edited lines; whatever is printed meanwhile appears above the line being edited."""
    with patch_stdout():
        yield EditedLines(model)


class EditedLines:
    """A line editor on the terminal."""

    def __init__(self, model: Callable[[], Model]) -> None:
        """Make an editor that completes by what ``model`` returns."""
        output = create_output()
        # A screen reader has no use for a question about the cursor, nor an old terminal an answer.
        output.enable_cpr = False  # type: ignore[attr-defined]
        self._session: PromptSession[str] = PromptSession(
            "> ",
            completer=_Completer(model),
            complete_while_typing=False,
            key_bindings=_bindings(),
            complete_style=CompleteStyle.READLINE_LIKE,
            color_depth=ColorDepth.DEPTH_1_BIT,
            output=output,
        )
        self._leaving = self._interrupted = False

    async def read(self) -> str | None:
        """Return the next line; nothing at the end of input.

        Raises:
            KeyboardInterrupt: the person interrupted.
        """
        self._leaving = False
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._give_back)
            line = await trio.to_thread.run_sync(self._edit)
            nursery.cancel_scope.cancel()
        if self._interrupted:
            raise KeyboardInterrupt
        return line

    def _edit(self) -> str | None:
        try:
            return self._session.prompt(pre_run=self._leave_if_asked).strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            self._interrupted = True
            return None

    async def _give_back(self) -> None:
        """Once cancelled, have the editor end: its thread is waited for."""
        try:
            await trio.sleep_forever()
        finally:
            self._leaving = True
            loop = self._session.app.loop
            with suppress(RuntimeError):
                if loop is not None:
                    loop.call_soon_threadsafe(self._leave_if_asked)

    def _leave_if_asked(self) -> None:
        future = self._session.app.future
        if self._leaving and future is not None and not future.done():
            self._session.app.exit(exception=EOFError())


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add(Keys.ControlZ)
    def _suspend(_: KeyPressEvent) -> None:
        if hasattr(signal, "SIGTSTP"):
            run_in_terminal(_stop)

    return bindings


def _stop() -> None:
    # The main thread sends it, because it is the one that stops before it goes on: this one might
    # have the terminal again by then.
    trio.from_thread.run_sync(os.kill, 0, signal.SIGTSTP)


class _Completer(Completer):
    """Offers what may stand where the cursor is."""

    def __init__(self, model: Callable[[], Model]) -> None:
        self._model = model

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """Return the words that begin like the one before the cursor."""
        before = document.text_before_cursor
        word = before.split(" ")[-1]
        for text in completions(self._model(), before):
            yield Completion(text, start_position=-len(word))
