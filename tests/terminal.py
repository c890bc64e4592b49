"""A real pseudo-terminal with a terminal emulator: what a player sees, and a player's hands.

``until`` waits for something to be seen; nothing sleeps. Everything is bounded by the limit that
the terminal is opened with.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pexpect
import pyte

KEYS = {
    "left": "\x1b[D",
    "right": "\x1b[C",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "s-right": "\x1b[1;2C",
    "tab": "\t",
    "enter": "\r",
    "escape": "\x1b",
    "c-c": "\x03",
}

QUIET_SECONDS = 0.03
"""A program that has written nothing for so long has drawn its picture: it draws at once."""


class Terminal:
    """A program in a terminal."""

    def __init__(self, child: "pexpect.spawn[Any]", columns: int, rows: int, limit: float):
        self.child = child
        self.child.delaybeforesend = None
        self.picture = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.picture)
        self._deadline = time.monotonic() + limit
        self.raw = bytearray()

    @property
    def lines(self) -> list[str]:
        """Return the lines of the picture."""
        return list(self.picture.display)

    @property
    def text(self) -> str:
        """Return the picture as one string."""
        return "\n".join(self.lines)

    def press(self, *keys: str) -> None:
        """Press keys: named ones, or characters as they are."""
        for key in keys:
            self.child.send(KEYS.get(key, key))

    def click(self, x: int, y: int) -> None:
        """Press and release the left button of the mouse at a cell, counted from 0."""
        self.child.send(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def hold(self, x: int, y: int) -> None:
        """Press the left button of the mouse at a cell, and keep it down."""
        self.child.send(f"\x1b[<0;{x + 1};{y + 1}M")

    def carry(self, x: int, y: int) -> None:
        """Move the mouse to a cell with the button down."""
        self.child.send(f"\x1b[<32;{x + 1};{y + 1}M")

    def let_go(self, x: int, y: int) -> None:
        """Release the button at a cell."""
        self.child.send(f"\x1b[<0;{x + 1};{y + 1}m")

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self.child.setwinsize(rows, columns)
        self.picture.resize(rows, columns)

    def read(self, patience: float = 0.5) -> bool:
        """Take in what the program writes within ``patience`` seconds; say whether it wrote.

        Raises:
            EOFError: the program has ended.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise AssertionError(f"too late; the picture is\n{self.text}")
        try:
            data = self.child.read_nonblocking(65536, timeout=min(left, patience))
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF as end:
            raise EOFError from end
        self.raw += data
        self._stream.feed(data)
        return True

    def until(self, seen: str | Callable[[str], object]) -> str:
        """Wait for ``seen``, a pattern or a test of the picture; return the picture.

        A picture that is still being written does not count: half of it may be the one before. The
        last one of a program that has ended is whole.
        """
        while True:
            text = self.text
            found = re.search(seen, text) if isinstance(seen, str) else seen(text)
            try:
                if not self.read(QUIET_SECONDS if found else 0.5) and found:
                    return text
            except EOFError:
                if found:
                    return text
                raise AssertionError(
                    f"it ended; waited for {seen}; the picture is\n{text}"
                ) from None

    def ended(self) -> int:
        """Wait until the program has ended; return its exit code, or minus its signal."""
        with suppress(EOFError):
            while True:
                self.read()
        self.child.wait()
        if self.child.signalstatus is not None:
            return -int(self.child.signalstatus)
        return int(self.child.exitstatus or 0)

    @property
    def restored(self) -> bool:
        """Say whether the program left the other screen, and switched the mouse off again."""
        written = bytes(self.raw)
        return all(
            written.rfind(off) > written.rfind(on) >= 0
            for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?1000h", b"\x1b[?1000l"))
        )


@contextmanager
def kings(
    *arguments: str,
    state: Path,
    columns: int = 80,
    rows: int = 24,
    limit: float = 100,
    environment: Mapping[str, str] = MappingProxyType({}),
    within: tuple[str, ...] = (),
) -> Iterator[Terminal]:
    """Run the client's command in a terminal of its own, and end it whatever happens.

    Args:
        arguments: of the command.
        state: the folder that stands for the person's own.
        columns: of the window.
        rows: of the window.
        limit: seconds until waiting for anything fails.
        environment: further variables of the environment.
        within: a command that runs it somewhere, such as in a network namespace.
    """
    usual = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "KINGS_STATE_DIR": str(state)}
    words = [*within, sys.executable, "-m", "kings_client", *arguments]
    child = pexpect.spawn(
        words[0],
        words[1:],
        env={**os.environ, **usual, **environment},
        dimensions=(rows, columns),
    )
    try:
        yield Terminal(child, columns, rows, limit)
    finally:
        if child.isalive():
            child.kill(signal.SIGTERM)
            with suppress(pexpect.TIMEOUT):
                child.expect(pexpect.EOF, timeout=5)
        child.close(force=True)
