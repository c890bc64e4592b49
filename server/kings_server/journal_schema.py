"""The tables of the journal's file, and the steps from each version of them to the next."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final, TypeAlias

from kings_server.journal_passwords import hash_passwords

Migration: TypeAlias = str | Callable[[sqlite3.Connection], None]

MIGRATIONS: Final[Sequence[Migration]] = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE tables (
        table_id TEXT PRIMARY KEY, settings TEXT NOT NULL, state TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE matches (
        table_id TEXT, match INTEGER,
        revision INTEGER NOT NULL, rules TEXT NOT NULL, rotation INTEGER NOT NULL,
        PRIMARY KEY (table_id, match)
    ) WITHOUT ROWID;
    CREATE TABLE steps (
        table_id TEXT, match INTEGER, version INTEGER,
        actor INTEGER NOT NULL, action TEXT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (table_id, match, version)
    ) WITHOUT ROWID;
    CREATE TABLE answers (
        table_id TEXT, seat INTEGER, slot INTEGER,
        number INTEGER NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL,
        PRIMARY KEY (table_id, seat, slot)
    ) WITHOUT ROWID;
    CREATE TABLE lines (
        table_id TEXT, slot INTEGER, number INTEGER NOT NULL, line TEXT NOT NULL,
        PRIMARY KEY (table_id, slot)
    ) WITHOUT ROWID;
    """,
    hash_passwords,
)
"""What brings a file from the version of its index to the next: statements, or a function. 0 is an
empty file.

What has been released is never changed: a new version is one more entry.
"""


class TooNew(Exception):  # noqa: N818  the field's own word
    """The file was written by a newer program; its arguments are its version and ours."""


class Damaged(Exception):  # noqa: N818
    """The file is no journal, or not a whole one."""


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring a file up to the newest version, each step in a transaction of its own.

    Returns:
        The version it had.

    Raises:
        TooNew: it is of a version that ``migrations`` do not lead to.
        sqlite3.Error: the disk fails; the file is as it was before the step that failed.
    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > len(migrations):
        raise TooNew(found, len(migrations))
    for version in range(found, len(migrations)):
        connection.execute("BEGIN IMMEDIATE")
        migration = migrations[version]
        if isinstance(migration, str):
            for statement in migration.split(";"):
                connection.execute(statement)
        else:
            migration(connection)
        connection.execute(f"PRAGMA user_version = {version + 1:d}")
        connection.execute("COMMIT")
    return int(found)


def check_schema(connection: sqlite3.Connection) -> None:
    """Compare the columns of a file that is up to date with those that it is read by.

    Raises:
        Damaged: they are others.
        sqlite3.Error: the disk fails.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model)
        for (table,) in model.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            if _columns(connection, table) != _columns(model, table):
                raise Damaged(f"the columns of {table}")


def _columns(connection: sqlite3.Connection, table: str) -> list[object]:
    return connection.execute(f"PRAGMA table_info({table})").fetchall()
