"""Where typed lines come from: a pipe or a dumb terminal, or a terminal with a line editor."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Protocol

import trio

from kings_client.model import Model

LINE_BYTES: Final = 4096
"""Bytes of a line; what is longer is cut. A line of chat has 300 characters."""

DUMB: Final = ("dumb", "unknown")
"""Values of ``TERM`` that promise nothing but printing."""


class Lines(Protocol):
    """A source of lines."""

    async def read(self) -> str | None:
        """Return the next line; nothing at the end of input."""
        ...


def dumb() -> bool:
    """Say whether the terminal can only print."""
    return os.environ.get("TERM", "") in DUMB


def editable() -> bool:
    """Say whether a line editor works here."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb()


class PlainLines:
    """Lines as they come, from a pipe, a file or a terminal that can only print.

    The descriptor is read directly: a thread that waits inside ``sys.stdin`` would hold a lock that
    the interpreter wants at its end.
    """

    def __init__(self, descriptor: int) -> None:
        """Read from ``descriptor``."""
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def read(self) -> str | None:
        """Return the next line; nothing at the end of input."""
        while b"\n" not in self._buffer and not self._ended:
            data = await trio.to_thread.run_sync(self._more, abandon_on_cancel=True)
            self._ended = not data
            self._buffer += data
            if b"\n" not in self._buffer:
                self._buffer = self._buffer[:LINE_BYTES]
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line[:LINE_BYTES].decode(errors="replace").strip()

    def _more(self) -> bytes:
        with suppress(OSError):
            return os.read(self._descriptor, 65536)
        return b""


@contextmanager
def open_lines(model: Callable[[], Model]) -> Iterator[Lines]:
    """Give the lines that this process is given, and the terminal back in the end.

    Args:
        model: returns what is known now, for the completion of what is typed.
    """
    if not editable():
        yield PlainLines(sys.stdin.fileno())
        return
    from kings_client.plain.editing import edited_lines

    with edited_lines(model) as lines:
        yield lines
