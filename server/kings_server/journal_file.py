"""The journal's file: SQLite in the server's data directory. Every call here may wait for the disk.

A transaction is on the disk when ``commit`` returns: the write-ahead log is synchronised with each.
The file holds hands, seeds and keys, so nobody but its owner may read it.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from attrs import frozen
from filelock import FileLock, Timeout

from kings_server.identity import new_server_id
from kings_server.journal import JournalUnavailable
from kings_server.journal_rows import SavedAnswer, SavedMatch, SavedTable, Write
from kings_server.journal_schema import Damaged, TooNew, check_schema, migrate

NAME: Final = "journal.sqlite"
LOCK: Final = "server.lock"

LOCK_SECONDS: Final = 2.0
"""How long to wait for a server that is just ending."""
_BESIDE: Final = ("-wal", "-shm")
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""What SQLite says of a file that was read; all else is the disk's. SQLITE_ERROR is said where the
schema is not what a statement takes it for.
"""

FAILURES: Final = (sqlite3.Error, UnicodeDecodeError)
"""What a statement may raise: SQLite quotes a damaged schema, which may be no text."""


class CannotOpen(Exception):  # noqa: N818  said to the person who starts a server
    """There is no server without its journal; the message says why, and what to do, in one line."""


@frozen
class Opened:
    """A journal that is ready, and where a damaged one was put out of its way."""

    file: "JournalFile"
    set_aside: Path | None


class JournalFile:
    """One file, used by one thread at a time. After a failure it is opened anew."""

    def __init__(self, path: Path) -> None:
        """Use the file at ``path``; ``begin`` comes first."""
        self.path = path
        self.server_id = ""
        self._connection: sqlite3.Connection | None = None

    def begin(self) -> None:
        """Open or make the file, check it, and bring it up to date.

        Raises:
            Damaged: it cannot be used.
            TooNew: a newer program wrote it.
            sqlite3.Error: the disk fails.
            OSError: the file cannot be made.
        """
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        self.path.chmod(0o600)
        try:
            connection = self._connected()
            _check(connection)
            migrate(connection)
            check_schema(connection)
            self.server_id = _server_id(connection)
        except sqlite3.DatabaseError as error:
            self.close()
            if error.sqlite_errorcode & 0xFF in _DAMAGE:
                raise Damaged(str(error)) from error
            raise
        except UnicodeDecodeError as error:
            self.close()
            raise Damaged("a schema of no text") from error
        except (Damaged, TooNew):
            self.close()
            raise

    def commit(self, writes: Iterable[Write]) -> None:
        """Keep all of ``writes`` or none, and return when they are on the disk.

        Raises:
            JournalUnavailable: that failed, and it is unknown which of the two became true.
        """
        with self._failing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for write in writes:
                connection.execute(write.sql, write.values)
            self._finish(connection)

    def read(self, table: str) -> SavedTable | None:
        """Return a table as it was last committed, if it is there.

        Raises:
            JournalUnavailable: it could not be read.
        """
        with self._failing() as connection:
            return _table(connection, table)

    def load(self) -> tuple[SavedTable, ...]:
        """Return all tables as they were last committed.

        Raises:
            CannotOpen: they could not be read.
        """
        try:
            with self._failing() as connection:
                rows = connection.execute("SELECT table_id FROM tables ORDER BY table_id")
                found = [_table(connection, table) for (table,) in rows.fetchall()]
        except JournalUnavailable as error:
            raise CannotOpen(f"cannot read {self.path}: {error}") from error
        return tuple(table for table in found if table is not None)

    def close(self) -> None:
        """Close the file; a transaction that is not finished is undone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*FAILURES):
                connection.close()

    def _finish(self, connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        # A text that is damaged costs its table, and not that of everybody.
        connection.text_factory = lambda octets: octets.decode("utf-8", "replace")
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except FAILURES:
            connection.close()
            raise
        return connection

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    @contextmanager
    def _failing(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connected()
        except FAILURES as error:
            self.close()
            raise JournalUnavailable(str(error)) from error


def for_reading(path: Path) -> sqlite3.Connection:
    """Open a journal that a server may be writing, to read it and nothing else.

    Raises:
        sqlite3.Error: it is not there. Statements raise what is in ``FAILURES``.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


@contextmanager
def opened(directory: Path) -> Iterator[Opened]:
    """Open the journal in a data directory, which is made if need be, for this process alone.

    Raises:
        CannotOpen: another server uses the directory, a newer program wrote the journal, or the
            disk fails.
    """
    lock = FileLock(directory / LOCK, timeout=LOCK_SECONDS, mode=0o600)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise CannotOpen(
            f"another server uses {directory}; choose another directory with --data"
        ) from None
    except OSError as error:
        why = (error.strerror or "").lower()
        raise CannotOpen(
            f"cannot use {directory}: {why}; name another folder with --data, or keep nothing with "
            "--no-data"
        ) from None
    try:
        journal = _open(directory)
        try:
            yield journal
        finally:
            journal.file.close()
    finally:
        lock.release()


def _open(directory: Path) -> Opened:
    path, aside = directory / NAME, None
    file = JournalFile(path)
    try:
        try:
            file.begin()
        except Damaged:
            aside = _set_aside(path)
            file.begin()
    except TooNew as error:
        raise CannotOpen(
            f"{path} is of a newer program (version {error.args[0]}; this one knows up to "
            f"{error.args[1]}); use that program, or another directory with --data"
        ) from None
    except (*FAILURES, OSError, Damaged) as error:
        raise CannotOpen(f"cannot open {path}: {error}") from None
    return Opened(file, aside)


def _set_aside(path: Path) -> Path:
    """Rename a damaged file and what belongs to it; nothing is thrown away."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    aside = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    for beside in _BESIDE:
        part = path.with_name(path.name + beside)
        if part.exists():
            part.rename(aside.with_name(aside.name + beside))
    path.rename(aside)
    return aside


def _check(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise Damaged(found)


def _server_id(connection: sqlite3.Connection) -> str:
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('server', ?)", (new_server_id(),))
    ((found,),) = connection.execute("SELECT value FROM meta WHERE key = 'server'")
    if not re.fullmatch("[0-9a-f]{32}", str(found)):
        raise Damaged("the server's id")
    return str(found)


def _table(connection: sqlite3.Connection, table: str) -> SavedTable | None:
    key = (table,)
    row = connection.execute(
        "SELECT settings, state FROM tables WHERE table_id = ?", key
    ).fetchone()
    if row is None:
        return None
    answers = connection.execute(
        "SELECT seat, number, request, reply FROM answers WHERE table_id = ? ORDER BY number", key
    )
    lines = connection.execute(
        "SELECT number, line FROM lines WHERE table_id = ? ORDER BY number", key
    )
    return SavedTable(
        table=table,
        settings=row[0],
        state=row[1],
        match=_match(connection, table),
        answers=tuple(SavedAnswer(*answer) for answer in answers),
        lines=tuple(lines),
    )


def _match(connection: sqlite3.Connection, table: str) -> SavedMatch | None:
    row = connection.execute(
        "SELECT match, revision, rules, rotation FROM matches WHERE table_id = ? "
        "ORDER BY match DESC LIMIT 1",
        (table,),
    ).fetchone()
    if row is None:
        return None
    steps = connection.execute(
        "SELECT actor, action, hash FROM steps WHERE table_id = ? AND match = ? ORDER BY version",
        (table, row[0]),
    ).fetchall()
    match, revision, rules, rotation = row
    return SavedMatch(
        match=match,
        revision=revision,
        rules=rules,
        rotation=rotation,
        steps=tuple(step[:2] for step in steps),
        hash=steps[-1][2] if steps else "",
    )
