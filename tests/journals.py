"""Journals for tests: real files of SQLite, whose failures are asked for.

On a virtual clock the same code runs inline: that clock would jump ahead while a thread works.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import trio

from kings_server.committer import Committer, RunBlocking
from kings_server.journal import Done, Forgetful
from kings_server.journal_file import JournalFile
from kings_server.journal_rows import Write, keep_line
from kings_server.log import logger
from kings_server.passwords import Passwords

T = TypeVar("T")


async def inline(job: Callable[[], T], /) -> T:
    """Run ``job`` here and now, as if the disk were as fast as memory."""
    await trio.lowlevel.checkpoint()
    return job()


def quick_passwords() -> Passwords:
    """Return what tries passwords at once, in hardly any time."""
    return Passwords(inline, cost=1)


class Disk:
    """A disk that takes ``seconds`` for everything, by the virtual clock."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def __call__(self, job: Callable[[], T], /) -> T:
        """Run ``job`` after that time."""
        await trio.sleep(self.seconds)
        return job()


class Slow(Forgetful):
    """A journal that takes five seconds, and forgets."""

    keeps = True

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:
        assert writes
        trio.lowlevel.spawn_system_task(self._keep, done)

    async def commit(self, writes: Sequence[Write]) -> None:
        assert writes
        await trio.sleep(5)

    async def _keep(self, done: Done) -> None:
        await trio.sleep(5)
        done(None)


class BreakableFile(JournalFile):
    """A journal's file that fails on request.

    ``pages`` bounds its size, as a full disk does; ``read_only`` opens it so; ``before`` and
    ``after`` break a transaction at its commit, before or after it reaches the disk; ``gone``
    breaks everything.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.pages: int | None = None
        self.read_only = False
        self.before = False
        self.after = False
        self.gone = False

    def break_by(self, **faults: bool | int | None) -> None:
        """Fail from now on, or (nothing) no longer."""
        self.pages = None
        self.read_only = self.before = self.after = self.gone = False
        for name, value in faults.items():
            setattr(self, name, value)
        self.close()

    def _connect(self) -> sqlite3.Connection:
        if self.gone:
            raise sqlite3.OperationalError("the disk is gone")
        connection = super()._connect()
        if self.pages is not None:
            connection.execute(f"PRAGMA max_page_count = {self.pages:d}")
        if self.read_only:
            connection.close()
            uri = f"{self.path.as_uri()}?mode=ro"
            return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        return connection

    def _finish(self, connection: sqlite3.Connection) -> None:
        if self.before:
            raise sqlite3.OperationalError("broken before the commit")
        super()._finish(connection)
        if self.after:
            raise sqlite3.OperationalError("broken after the commit")


def breakable(directory: Path) -> BreakableFile:
    """Return a new journal in ``directory``."""
    file = BreakableFile(directory / "journal.sqlite")
    file.begin()
    return file


def bulky(number: int) -> tuple[Write, ...]:
    """Return a write that needs a few pages of its own."""
    return (keep_line(f"table{number}", 0, "x" * 20_000),)


@asynccontextmanager
async def committing(
    file: JournalFile, run_blocking: RunBlocking = inline
) -> AsyncIterator[Committer]:
    """Run a committer."""
    async with trio.open_nursery() as nursery:
        committer = Committer(file, logger(), run_blocking)
        await nursery.start(committer.run)
        yield committer
        nursery.cancel_scope.cancel()
