"""Standard output and error of a server: whoever writes there waits for nobody who reads there.

A pipe that nobody reads, a terminal that is held with Ctrl-S or a disk that hangs would stop the
event loop, and with it everybody's game. So what is written goes into a bounded queue, and a thread
hands it on. What there is no room for is lost, and counted.

Whatever else writes to standard error, a library in C or a process that was started from here, is
read line by line, so that the log is the one who writes there.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import RawIOBase, TextIOWrapper
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from time import monotonic
from typing import Any, Final, TextIO, TypeAlias

LINES: Final = 1024
"""Lines that wait to be handed on: a tenth of a megabyte."""

LAST_SECONDS: Final = 1.0
"""Seconds for which the end of the server waits for its last lines to be taken."""

_ERROR: Final = 2
"""The descriptor of standard error, the last of the standard streams."""

_LINE: Final = 4096
"""Characters after which a line that others write is cut."""

Lost: TypeAlias = Callable[[int], str]
"""Returns the line that tells how many lines were lost."""

Failed: TypeAlias = Callable[[str, OSError], None]
"""Is told what could not be written, and why; it is called in another thread."""


class Unwaited(RawIOBase):
    """Takes what is written at once; a thread of its own hands it on."""

    def __init__(self, target: RawIOBase, lost: Lost, failed: Failed | None = None) -> None:
        """Hand on to ``target``."""
        self._target = target
        self._say_lost = lost
        self._failed = failed
        self._queue: Queue[tuple[int, bytes]] = Queue(LINES)
        self._lost = 0
        Thread(target=self._hand_on, daemon=True).start()

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, data: Any, /) -> int:
        """Take ``data``, or lose it."""
        lost, self._lost = self._lost, 0
        try:
            self._queue.put_nowait((lost, bytes(data)))
        except Full:
            self._lost += lost + 1
        return len(data)

    def settle(self, until: float) -> None:
        """Return when all is handed on, or at the time ``until`` (of the monotonic clock)."""
        if self._lost:
            self.write(b"")
        done = self._queue.all_tasks_done
        with done:
            done.wait_for(lambda: not self._queue.unfinished_tasks, max(0.0, until - monotonic()))

    def _hand_on(self) -> None:
        while True:
            lost, data = self._queue.get()
            if lost:
                self._put(f"{self._say_lost(lost)}\n".encode())
            self._put(data)
            self._queue.task_done()

    def _put(self, data: bytes) -> None:
        # Past the stream's own buffer: a program cannot end in order while a thread has its lock.
        rest = memoryview(data)
        try:
            while rest:
                taken = self._target.write(rest)
                if taken is None:
                    raise BlockingIOError("there is no room")
                rest = rest[taken:]
        except OSError as error:
            if self._failed is not None:
                self._failed(data.decode("utf-8", "replace").strip(), error)


@contextmanager
def unwaited(lost: Lost, failed: Failed, by_others: Callable[[str], None]) -> Iterator[TextIO]:
    """Let nobody in this process wait for a reader of what it writes, as long as the context lasts.

    Args:
        lost: makes the line about lines of the log that were lost.
        failed: is told what standard output did not take.
        by_others: is told each line that anything writes to standard error, in another thread.

    Returns:
        Standard error, for the log alone.
    """
    output = Unwaited(_raw(sys.stdout), lost, failed)
    kept = os.fdopen(os.dup(_ERROR), "wb", buffering=0)
    error = Unwaited(kept, lost)
    reader = _divert_error(by_others)
    with redirect_stdout(_text(output, sys.stdout)):
        try:
            yield _text(error, sys.stderr)
        finally:
            os.dup2(kept.fileno(), _ERROR)
            # A process that was not ended has the pipe still; its last words are not waited for.
            reader.join(LAST_SECONDS)
            until = monotonic() + LAST_SECONDS
            output.settle(until)
            error.settle(until)


def _divert_error(tell: Callable[[str], None]) -> Thread:
    """Read what is written to standard error from now on, and return the thread that does.

    It is the descriptor, and not ``sys.stderr``: libraries in C write there, and processes that are
    started from here inherit it.
    """
    reading, writing = os.pipe()
    os.dup2(writing, _ERROR)
    os.close(writing)
    reader = Thread(target=_read_lines, args=(reading, tell), daemon=True)
    reader.start()
    return reader


def _read_lines(reading: int, tell: Callable[[str], None]) -> None:
    with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
        while line := lines.readline(_LINE):
            if line.strip():
                tell(line.rstrip())


def _raw(stream: TextIO | None) -> RawIOBase:
    """Return what a stream writes to; one that was closed before the start loses everything."""
    if stream is None:
        return Path(os.devnull).open("wb", buffering=0)
    buffer: Any = stream.buffer
    raw: RawIOBase = getattr(buffer, "raw", buffer)
    return raw


def _text(taking: Unwaited, like: TextIO | None) -> TextIO:
    encoding = "utf-8" if like is None else like.encoding
    return TextIOWrapper(taking, encoding, "backslashreplace", line_buffering=True)  # type: ignore[type-var]  # it can be written to, which is all that is asked


def fill_standard() -> None:
    """Have the null device where a standard stream is closed: the next file would take its place.

    What is meant for the stream would be written into that file.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= _ERROR:
        os.set_inheritable(descriptor, True)
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
