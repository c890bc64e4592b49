"""A journal of which single bytes have changed: the server starts, and loses what was hit alone."""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, hall
from journals import breakable
from kings_protocol import messages as m
from kings_server.journal_file import NAME, CannotOpen, opened
from people import Person, new_id

CHANGES = 100
TABLES = ("tables", "matches", "steps", "answers", "lines")
TEXTS = (
    *(("tables", "table_id"), ("tables", "settings"), ("tables", "state")),
    *(("matches", "rules"), ("steps", "action"), ("steps", "hash")),
    *(("answers", "request"), ("answers", "reply"), ("lines", "line"), ("meta", "value")),
)
Change: TypeAlias = Callable[[Path, random.Random], None]
Rows: TypeAlias = dict[object, list[tuple[object, ...]]]


async def play_a_little(h: Hall) -> list[Person]:
    """Let three tables be, and return somebody of each."""
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    await h.match_of(ann, ben, absent="skip")
    for person in (ann, ben) * 3:
        if person.my_turn:
            await person.play_once()
    await ann.ask_for(m.Done, m.Say(id=new_id(), text="hello there"))
    cleo, dan = await h.guest("Cleo", 3), await h.guest("Dan", 4)
    await cleo.make_table(3, bots=("easy",))
    await dan.make_table(2)
    return [ann, cleo, dan]


def change_byte(path: Path, dice: random.Random) -> None:
    """Change one byte of the file that was not zero: a bit of it, or all."""
    octets = bytearray(path.read_bytes())
    while not octets[at := dice.randrange(len(octets))]:
        pass
    octets[at] = octets[at] ^ 1 << dice.randrange(8) if dice.random() < 0.5 else dice.randrange(256)
    path.write_bytes(octets)


def change_character(path: Path, dice: random.Random) -> None:
    """Change one character of a text that the journal holds; mostly a digit for a digit."""
    table, column = dice.choice(TEXTS)
    with closing(sqlite3.connect(path)) as journal, journal:
        texts = journal.execute(f"SELECT {column} FROM {table}").fetchall()  # noqa: S608
        text = dice.choice(texts)[0]
        digits = [at for at, one in enumerate(text) if one.isdigit()]
        at = dice.choice(digits if digits and dice.random() < 0.7 else range(len(text)))
        new = dice.choice("0123456789") if text[at].isdigit() else chr(dice.randrange(32, 127))
        journal.execute(
            f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608
            (text[:at] + new + text[at + 1 :], text),
        )


def rows_of(path: Path) -> Rows:
    """Return all rows of each table, as far as they can be read."""
    found: Rows = {}
    with closing(sqlite3.connect(path)) as journal:
        journal.text_factory = bytes
        for table in TABLES:
            for row in journal.execute(f"SELECT * FROM {table}"):  # noqa: S608
                found.setdefault(row[0], []).append((table, *row))
    return found


def whole(before: Rows, path: Path) -> Iterator[str]:
    """Return the ids of tables of which nothing has changed."""
    try:
        now = rows_of(path)
    except (sqlite3.Error, UnicodeDecodeError):
        return
    for table, rows in before.items():
        if now.get(table) == rows:
            assert isinstance(table, bytes)
            yield table.decode()


async def start(clock: MockClock, directory: Path, people: list[Person], before: Rows) -> None:
    """Start a server on a journal: it runs, with what is whole, or says what it cannot use."""
    left = set(whole(before, directory / NAME))
    with allowing_refusal_of(directory / NAME), opened(directory) as journal:
        if journal.set_aside is not None:
            left = set()
        async with hall(clock, file=journal.file) as h:
            guest = await h.guest("Eve")
            await guest.ask_for(m.Done, m.Browse(id=new_id(), page=0))
            await guest.until(lambda: guest.pages)
            assert left <= {line.table for line in guest.pages[0].tables}
            for person in people:
                if person.seat is not None and person.seat.table in left:
                    again = await h.back(person)
                    await again.until(lambda again=again: again.table is not None)  # type: ignore[misc]
            await trio.sleep(60)


@contextmanager
def allowing_refusal_of(path: Path) -> Iterator[None]:
    """Let a file be of no use, if that is said with its path."""
    try:
        yield
    except CannotOpen as error:
        if str(path) not in str(error):
            raise


@pytest.mark.parametrize("change", [change_byte, change_character])
async def test_a_changed_byte_costs_what_it_hit_and_keeps_no_server_from_starting(
    autojump_clock: MockClock, tmp_path: Path, request: pytest.FixtureRequest, change: Change
) -> None:
    soak = request.config.getoption("--soak")
    first = int.from_bytes(os.urandom(4)) if soak else 0
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        people = await play_a_little(h)
    file.close()
    octets, before = (tmp_path / NAME).read_bytes(), rows_of(tmp_path / NAME)
    for seed in range(first, first + CHANGES * max(1, soak)):
        directory = tmp_path / f"{seed}"
        directory.mkdir()
        (directory / NAME).write_bytes(octets)
        change(directory / NAME, random.Random(seed))  # noqa: S311  choices of a test
        print(f"seed {seed}", flush=True)
        await start(autojump_clock, directory, people, before)
