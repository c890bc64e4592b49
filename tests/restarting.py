"""Servers that are killed and started again on the journal they left, in this process."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from trio.testing import MockClock

from hall import UNLIMITED, Hall, hall
from journals import breakable
from kings_protocol import messages as m
from kings_server.config import Config
from kings_server.journal_file import NAME
from people import Person


@asynccontextmanager
async def server(
    clock: MockClock, directory: Path, config: Config = UNLIMITED
) -> AsyncIterator[Hall]:
    """Run a server on the journal in ``directory``; at the end it is killed."""
    file = breakable(directory)
    try:
        async with hall(clock, config, file=file) as h:
            yield h
    finally:
        file.close()


async def back(h: Hall, person: Person) -> Person:
    """Return somebody who has come back with the token, and sees the game."""
    again = await h.back(person)
    again.random = person.random
    await again.until(lambda: again.table is not None)
    return again


def table_of(person: Person) -> m.TableState:
    """Return the table as somebody sees it."""
    assert person.table is not None
    return person.table


def edit(directory: Path, statement: str, *values: object) -> None:
    """Change the journal behind the server's back."""
    connection = sqlite3.connect(directory / NAME)
    with connection:
        connection.execute(statement, values)
    connection.close()
