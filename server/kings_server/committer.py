"""The journal in service: one task writes for all tables, and no event loop waits for the disk.

Whatever the tables hand in while a transaction is under way, or has hardly ended, goes into the
next one together, so a busy server waits for one synchronisation of the disk and not for hundreds.
A table is released once its writes are on the disk.

The file is used through ``run_blocking``: a worker thread in service. A test on a virtual clock
runs the same code inline, because that clock would jump ahead while a thread works.
"""

from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import NamedTuple, Protocol, TypeVar

import trio

from kings_server.counts import Times
from kings_server.journal import Done, JournalUnavailable
from kings_server.journal_file import JournalFile
from kings_server.journal_rows import SavedTable, Write, occupy_space
from kings_server.limits import GROUP_SECONDS, JOURNAL_RETRY, JOURNAL_SECONDS
from kings_server.log import Log

T = TypeVar("T")


class RunBlocking(Protocol):
    """Runs a function that waits for the disk, and returns what it returns or raises."""

    def __call__(self, job: Callable[[], T], /) -> Awaitable[T]:
        """Run ``job``."""


async def in_thread(job: Callable[[], T], /) -> T:
    """Run ``job`` in a worker thread; a cancellation waits for its end."""
    return await trio.to_thread.run_sync(job)


class _Batch(NamedTuple):
    """What one table handed in, and whom to tell what became of it."""

    writes: Sequence[Write]
    done: Done


class Committer:
    """Keeps what tables hand in; ``run`` must be running."""

    keeps = True

    def __init__(
        self,
        file: JournalFile,
        log: Log,
        run_blocking: RunBlocking = in_thread,
        patience: float = JOURNAL_SECONDS,
    ) -> None:
        """Write to ``file``, by ``run_blocking``; give up on it after ``patience`` seconds."""
        self.commits = 0
        self.times = Times()
        self._file = file
        self._log = log
        self._run_blocking = run_blocking
        self._patience = patience
        self._turn = trio.Lock()
        self._waiting: list[_Batch] = []
        self._under_way: list[_Batch] = []
        self._wake = trio.Event()
        self._hung = trio.CancelScope()
        self._failing = False

    @property
    def failing(self) -> bool:
        """Whether the disk failed when it was last tried."""
        return self._failing

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:
        """Have ``writes`` kept with the next group, and call ``done`` when they are on the disk.

        With an error they may be kept or not, now or later: ``reread`` before going on. ``done``
        neither awaits nor fails.
        """
        if self._failing:
            done(JournalUnavailable("the disk still fails"))
        else:
            self._waiting.append(_Batch(writes, done))
            self._wake.set()

    async def commit(self, writes: Sequence[Write]) -> None:
        """Return once ``writes`` are on the disk, all of them.

        Raises:
            JournalUnavailable: they may be kept or not, now or later; ``reread`` before going on.
                The disk failed, or took too long.
        """
        errors: list[JournalUnavailable] = []
        known = trio.Event()

        def done(error: JournalUnavailable | None) -> None:
            if error is not None:
                errors.append(error)
            known.set()

        self.hand_in(writes, done)
        await known.wait()
        if errors:
            raise errors[0]

    async def reread(self, table: str) -> SavedTable | None:
        """Return a table as it was last committed, once no earlier commit is under way.

        Raises:
            JournalUnavailable: it cannot be read.
        """
        async with self._turn:
            return await self._run_blocking(lambda: self._file.read(table))

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Commit what is handed in, for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            task_status.started()
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                group, self._waiting = self._waiting, []
                if not group:
                    continue
                self._under_way, began = group, trio.current_time()
                self._hung.deadline = began + self._patience
                error = await self._attempt([write for batch in group for write in batch.writes])
                self._hung.deadline = inf
                self._settle(error)
                if error is not None:
                    await self._recover(error)
                await trio.sleep_until(began + GROUP_SECONDS)

    def _settle(self, error: JournalUnavailable | None) -> None:
        """Release whoever waits for the group; after a failure, whoever waits at all."""
        self._failing = error is not None
        group, self._under_way = self._under_way, []
        if error is not None:
            group, self._waiting = group + self._waiting, []
        for batch in group:
            batch.done(error)

    async def _watch(self) -> None:
        """Give up on the disk whenever a transaction takes too long; it may still end."""
        while True:
            with self._hung:
                await trio.sleep_forever()
            deadline, self._hung = self._hung.deadline, trio.CancelScope()
            if deadline <= trio.current_time():
                self._settle(JournalUnavailable("the disk does not answer"))
            else:  # it answered in that very moment, and may be at work on the next group
                self._hung.deadline = deadline

    async def _attempt(self, writes: Sequence[Write]) -> JournalUnavailable | None:
        async with self._turn:
            began = trio.current_time()
            try:
                await self._run_blocking(lambda: self._file.commit(writes))
            except JournalUnavailable as error:
                return error
            self.times.add(trio.current_time() - began)
        self.commits += 1
        return None

    async def _recover(self, error: JournalUnavailable) -> None:
        """Try, less and less often, whether the disk takes anything again."""
        self._log.error("cannot save", error=str(error))
        shortest, longest = JOURNAL_RETRY
        pause, still = shortest, True
        while still:
            await trio.sleep(pause)
            pause = min(2 * pause, longest)
            still = await self._attempt(occupy_space()) is not None
        self._failing = False
        self._log.info("can save again")
