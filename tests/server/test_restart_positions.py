"""A server that dies at any commit, just before it is on the disk or just after it."""

import os
import random
import sqlite3
from pathlib import Path

import pytest
from trio.testing import MockClock

from hall import Hall, hall
from kings_engine.actions import BeginDeal, Cut, EndTurn, parse_action
from kings_engine.commitments import Promise
from kings_engine.sources import Secret
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_server.journal_file import JournalFile
from people import Person, act_of, new_id

POSITIONS = 17
FIRST = 14
"""So many of the first commits are all tried: seats, readiness, the cut and the first deal."""

COMMITS = 50
"""About as many as an evening below has."""


class Killed(BaseException):
    """The end of the server."""


class DyingFile(JournalFile):
    """A journal whose server dies at one of its commits."""

    def __init__(self, directory: Path, at: int | None = None, *, after: bool = False) -> None:
        super().__init__(directory / "journal.sqlite")
        self.begin()
        self._left = at
        self._after = after

    def _finish(self, connection: sqlite3.Connection) -> None:
        if self._left is None:
            super()._finish(connection)
            return
        self._left -= 1
        if self._left or self._after:
            super()._finish(connection)
        if not self._left:
            raise Killed


class Guest:
    """Somebody who comes back, and what the server has told them was done."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.client = self.wish = new_id()
        self.dice = random.Random(seed)  # noqa: S311  choices of a script
        self.seat: m.Seated | None = None
        self.offers: dict[tuple[int, int, int], Promise] = {}
        self.told: list[tuple[int, int, str]] = []

    async def come(self, h: Hall) -> Person:
        person = await h.stranger(self.name)
        person.client, person.offers = self.client, self.offers
        await person.enter()
        if self.seat is not None:
            await person.resume(self.seat)
        return person

    async def sit(self, person: Person, request: m.MakeTable | m.Join) -> m.Seated:
        """Ask for a seat; after a lost connection, once more by the same request."""
        if self.seat is None:
            self.seat = await person.ask_for(m.Seated, request)
        return self.seat

    async def act(self, person: Person) -> None:
        plays = [action for action in person._choices() if not isinstance(action, EndTurn)]
        action = self.dice.choice(plays or person._choices())
        done = await person.ask(act_of(action, person.version))
        if isinstance(done, m.Done) and done.version is not None and self.seat is not None:
            self.told.append((done.version, self.seat.seat, str(action)))
            await person.until(lambda: person.version >= (done.version or 0))


async def evening(h: Hall, guests: list[Guest]) -> None:
    """Meet at a table, or come back to it, and play a deal."""
    people = [await guest.come(h) for guest in guests]
    knobs: m.Knobs = {"players": 2, "points": 500, "first_dealer": "cut_lower"}
    make = m.MakeTable(id=guests[0].wish, name="Den", preset="pagat", knobs=knobs)
    seat = await guests[0].sit(people[0], make)
    await guests[1].sit(people[1], m.Join(id=guests[1].wish, table=seat.table))
    while people[0].deal < 2:
        for guest, person in zip(guests, people, strict=True):
            await until_known(person)
            if person.my_turn:
                await guest.act(person)
            elif person.phase("waiting", "between"):
                await person.ready()
        await until_settled(people)


async def until_known(person: Person) -> None:
    await person.until(lambda: person.table is not None)


async def until_settled(people: list[Person]) -> None:
    """Wait until both know the same, and one of them may do something."""
    one, other = people
    await one.until(lambda: not one.phase("offering"))
    await other.until(lambda: other.version >= one.version and not other.phase("offering"))
    await one.until(lambda: one.version >= other.version)


@pytest.mark.parametrize("after", [False, True])
async def test_the_evening_goes_on_wherever_the_server_died(
    autojump_clock: MockClock, tmp_path: Path, request: pytest.FixtureRequest, *, after: bool
) -> None:
    soak = request.config.getoption("--soak")
    seed = int.from_bytes(os.urandom(4)) if soak else 5
    print(f"seed {seed}")
    dice = random.Random(seed)  # noqa: S311  positions of a test
    for number in range(POSITIONS * max(1, soak)):
        place = tmp_path / str(number)
        place.mkdir()
        at = number + 1 if number < FIRST else dice.randrange(FIRST, COMMITS)
        print(f"dies at commit {at}")
        guests = [Guest("Ann", seed + number), Guest("Ben", seed - number)]
        file = DyingFile(place, at, after=after)
        try:
            async with hall(autojump_clock, file=file) as h:
                await evening(h, guests)
        except* Killed:
            pass
        file.close()
        await go_on(autojump_clock, place, guests)


async def go_on(clock: MockClock, place: Path, guests: list[Guest]) -> None:
    """Find what was told in the journal, and the evening in order."""
    file = DyingFile(place)
    told = [step for guest in guests for step in guest.told]
    kept = None if guests[0].seat is None else file.read(guests[0].seat.table)
    steps = () if kept is None or kept.match is None else kept.match.steps
    for version, seat, action in told:
        assert steps[version - 1] == (seat, action)
    async with hall(clock, file=file) as h:
        await evening(h, guests)
        twice = []
        for guest in guests:
            seen = [await guest.come(h) for _ in range(2)]
            for person in seen:
                await person.until_view()
            twice.append([encode(person.updates[0]) for person in seen])
        assert all(one == other for one, other in twice)
    check_shares(file, guests)
    file.close()


def check_shares(file: JournalFile, guests: list[Guest]) -> None:
    """Find the shares of both in each deck, none of which was offered twice."""
    assert guests[0].seat is not None
    kept = file.read(guests[0].seat.table)
    assert kept is not None
    assert kept.match is not None
    actions = [parse_action(text) for _, text in kept.match.steps]
    cut = [action.secret for action in actions if isinstance(action, Cut)]
    deals = [action.source for action in actions if isinstance(action, BeginDeal)]
    for deal, secret in enumerate((*cut, *deals)):
        assert isinstance(secret, Secret)
        assert secret.shares == tuple(guest.offers[1, deal, 0].share for guest in guests)
    assert len(deals) == 2
