"""A disk for the journal, the real SQLite on it, whose delays and failures come from a seed."""

import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import trio
from attrs import frozen

from kings_server.journal import JournalUnavailable
from kings_server.journal_file import JournalFile
from kings_server.journal_rows import SavedTable, Write

T = TypeVar("T")


@frozen
class Wear:
    """What befalls a disk; times are in seconds.

    Attributes:
        delay: the longest time that it takes over a transaction.
        failing: how likely a transaction fails, on the disk already or not.
        outage: how likely it is the first of many that fail.
        stuck: how likely it takes longer than a table waits.
    """

    delay: float = 0.0
    failing: float = 0.0
    outage: float = 0.0
    stuck: float = 0.0


SOUND = Wear()


class Doom:
    """Stops everything at a disk's transaction of a given number, just before it or just after.

    Attributes:
        come: whether it was reached.
    """

    def __init__(self, number: int, *, after: bool) -> None:
        self.come = trio.Event()
        self._left = number
        self._after = after

    async def run(self, job: Callable[[], T], /) -> T:
        """Run ``job``; the one of the number never returns."""
        await trio.lowlevel.checkpoint()
        self._left -= 1
        if self._left == 0:
            if self._after:
                job()
            self.come.set()
            await trio.sleep_forever()
        return job()


class Disk:
    """The disk, which outlives the servers that use it."""

    def __init__(self, wear: Wear, chance: random.Random) -> None:
        self.wear = wear
        self.doom: Doom | None = None
        self._chance = chance
        self._broken_until = 0.0

    def calm(self) -> None:
        """Let nothing more go wrong."""
        self.wear = SOUND
        self.doom = None
        self._broken_until = 0.0

    async def run(self, job: Callable[[], T], /) -> T:
        """Run ``job`` inline, after the time that the disk takes."""
        chance, wear = self._chance, self.wear
        if self.doom is not None:
            return await self.doom.run(job)
        await trio.lowlevel.checkpoint()
        if chance.random() < wear.stuck:
            await trio.sleep(chance.uniform(20, 60))
        elif wear.delay:
            await trio.sleep(chance.uniform(0, wear.delay))
        return job()

    def fails(self) -> bool:
        """Say whether what is tried now fails."""
        now = trio.current_time()
        if self._chance.random() < self.wear.outage:
            self._broken_until = now + self._chance.uniform(0, 20)
        return now < self._broken_until or self._chance.random() < self.wear.failing / 2

    def answer_is_lost(self) -> bool:
        """Say whether what was done on the disk is reported as a failure."""
        return self._chance.random() < self.wear.failing / 2


class FileOnDisk(JournalFile):
    """A journal on such a disk; ``kept`` is told what is really on it."""

    def __init__(self, path: Path, disk: Disk, kept: Callable[[Sequence[Write]], None]) -> None:
        super().__init__(path)
        self._disk = disk
        self._kept = kept
        self._writes: Sequence[Write] = ()

    def commit(self, writes: Iterable[Write]) -> None:
        """Keep ``writes``, unless the disk will have it otherwise."""
        self._writes = tuple(writes)
        super().commit(self._writes)

    def read(self, table: str) -> SavedTable | None:
        """Return a table, unless the disk will have it otherwise."""
        if self._disk.fails():
            raise JournalUnavailable("the disk fails")
        return super().read(table)

    def _finish(self, connection: sqlite3.Connection) -> None:
        if self._disk.fails():
            raise sqlite3.OperationalError("the disk fails")
        super()._finish(connection)
        self._kept(self._writes)
        if self._disk.answer_is_lost():
            raise sqlite3.OperationalError("the disk's answer is lost")
