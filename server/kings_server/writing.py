"""Writing to connections: at once where the system takes it, and by a task where it has to wait.

A move is shown to a whole table, so what costs is waking: one task for all connections sends
whatever has become due, in one go and without waiting. A connection's own task is woken for what
the system does not take at once, and for streams that can only be awaited (TLS).
"""

from math import inf
from typing import Protocol, runtime_checkable

import trio

from kings_server.outbox import Encode, Outbox


@runtime_checkable
class Prompt(Protocol):
    """A stream that can also send without waiting."""

    def send_now(self, data: bytes) -> bytes:
        """Send what the system takes at once of ``data``, and return the rest.

        Raises:
            trio.BrokenResourceError: the other end is gone.
            trio.ClosedResourceError: this end was closed.
        """


class Bell:
    """Wakes the one task that waits for it; a ring that nobody waits for is kept."""

    __slots__ = ("_rung", "_task")

    def __init__(self) -> None:
        self._rung = False
        self._task: trio.lowlevel.Task | None = None

    def ring(self) -> None:
        """Wake who waits, or who waits next."""
        self._rung = True
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None

    async def wait(self) -> None:
        """Return once it was rung; a checkpoint only if it was not."""
        if not self._rung:
            self._task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._cancelled)
        self._rung = False

    def _cancelled(self, _: object) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED


class Sender:
    """Sends for all connections at once; ``run`` must be running."""

    def __init__(self) -> None:
        self._due: list[Writer] = []
        self._bell = Bell()

    def add(self, writer: "Writer") -> None:
        """Have ``writer`` send soon."""
        self._due.append(writer)
        self._bell.ring()

    async def run(self) -> None:
        """Send, for ever."""
        while True:
            await self._bell.wait()
            due, self._due = self._due, []
            for writer in due:
                writer.send_now()


class Writer:
    """Writes what one connection's outbox holds; nobody else sends on its stream.

    ``since`` is when the write began that waits for the system, or never.
    """

    def __init__(self, stream: trio.abc.Stream, encode: Encode, sender: Sender) -> None:
        """Write to ``stream``, what is due at once by ``sender``; ``run`` must be running."""
        self.outbox = Outbox(self._fill)
        self.since = inf
        self._stream = stream
        self._prompt = stream if isinstance(stream, Prompt) else None
        self._encode = encode
        self._sender = sender
        self._bell = Bell()
        self._rest = b""
        self._failure: Exception | None = None

    def _fill(self) -> None:
        if self._prompt is None or self._rest:
            self._bell.ring()
        else:
            self._sender.add(self)

    def send_now(self) -> None:
        """Send what is due without waiting; an error in that is raised by ``run``."""
        try:
            data = self.outbox.take(self._encode)
            if data:
                self._rest = data if self._prompt is None else self._prompt.send_now(data)
        except Exception as error:  # noqa: BLE001  raised again by the connection's task
            self._failure = error
        if self._rest or self._failure is not None or self.outbox.finished:
            self._bell.ring()

    async def run(self) -> None:
        """Write until the outbox is finished.

        Raises:
            trio.BrokenResourceError: the other end is gone.
            trio.ClosedResourceError: this end was closed.
        """
        while self._rest or not self.outbox.finished:
            await self._bell.wait()
            if self._failure is not None:
                raise self._failure
            while data := self._rest or self.outbox.take(self._encode):
                # As long as there is a rest, nobody else sends.
                self._rest, self.since = data, trio.current_time()
                await self._stream.send_all(data)
                self._rest, self.since = b"", inf
