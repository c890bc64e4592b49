"""A return meets whatever else happens, at every instant of it, and a tick to either side.

A table's own next event is always at a known time: the end of a grace, of a clock or of a turn, a
bot's move, the next deal, the start of a match. Each time somebody comes back around just that
instant, by one connection or by two at once, and the match must go on as if nothing had happened.
"""

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from hall import Hall, cut, hall
from kings_engine.view import observe
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from kings_protocol.messages import Absent
from kings_server.course import deadline
from kings_server.table import Table
from people import Person

TICK = 0.001
ROUNDS = 25
TABLES: dict[str, dict[str, object]] = {
    "bots that move": {"bots": ("easy", "medium"), "pace": (900, 900)},
    "a turn clock": {"knobs": {"turn_seconds": 20, "points": 60}, "grace_seconds": 7},
    "short graces": {"grace_seconds": 5, "away_seconds": 30, "knobs": {"points": 60}},
    "a cut before each match": {"preset": "strict", "grace_seconds": 5, "bots": ("easy",)},
}


async def come_back(h: Hall, person: Person, table: Table, *, twice: bool) -> Person:
    """Return somebody who has come back; ``twice``: by two connections at the same instant."""
    assert person.seat is not None
    newest = await h.stranger(person.name)
    rival = await h.stranger(person.name) if twice else None
    for one in (newest, rival):
        if one is not None:
            one.client, one.random = person.client, person.random
            await one.enter()
    if rival is None:
        await newest.resume(person.seat)
        return newest
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_resume_or_end, newest, person.seat)
        nursery.start_soon(_resume_or_end, rival, person.seat)
    await wait_all_tasks_blocked()
    holder = table.roster.peers[person.seat.seat]
    assert holder is not None
    byes = [one.bye for one in (newest, rival) if one.bye is not None]
    assert byes == [m.Bye(code=CloseCode.DISPLACED)]
    return rival if newest.bye is not None else newest


async def _resume_or_end(person: Person, seat: m.Seated) -> None:
    try:
        await person.resume(seat)
    except AssertionError:
        assert person.ended


async def play(people: list[Person]) -> None:
    """Do what is to be done at this moment."""
    for person in people:
        if person.phase("waiting", "between", "over"):
            await person.ready()
        elif person.my_turn:
            await person.play_once()


def agree(table: Table, people: list[Person]) -> None:
    """Check that each sees what the table has, and sits there."""
    for person in people:
        assert person.seat is not None
        number = person.seat.seat
        assert table.roster.seats[number].state == "seated"
        assert table.roster.peers[number] is not None
        assert table.match is not None
        assert person.view == observe(table.match, number)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("offset", [-TICK, 0.0, TICK])
@pytest.mark.parametrize("kind", sorted(TABLES))
async def test_a_return_at_the_instant_of_the_tables_next_event(
    kind: str, offset: float, twice: bool, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest("Ann", 1), await h.guest("Ben", 2)]
        table = await h.match_of(*people, **TABLES[kind])
        for at in range(ROUNDS):
            number = at % 2
            await cut(people[number])
            await people[1 - number].until_state(number, "dropped")
            due = min(deadline(table), trio.current_time() + 30)
            await trio.sleep_until(max(due + offset, trio.current_time()))
            people[number] = await come_back(h, people[number], table, twice=twice)
            await wait_all_tasks_blocked()
            agree(table, people)
            await play(people)
            await trio.sleep(2 * TICK)
        assert table.match is not None
        assert table.matches > 1 or table.match.version > ROUNDS // 2


@pytest.mark.parametrize("early", [TICK, 0.0, -TICK])
@pytest.mark.parametrize("absent", ["bot", "wait", "skip", "forfeit"])
async def test_a_return_at_the_end_of_the_grace(
    absent: Absent, early: float, autojump_clock: MockClock
) -> None:
    """One tick before the end nothing is lost; after it, what the table chose has happened."""
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.match_of(ann, ben, absent=absent, grace_seconds=5)
        assert table.match is not None
        before = len(table.match.steps)
        again = await h.guest("Ann")
        await cut(ann)
        await ben.until_state(0, "dropped")
        until = table.roster.seats[0].until
        assert until is not None
        await trio.sleep_until(until - early)
        assert ann.seat is not None
        if absent == "forfeit" and early <= 0:
            await ben.until(lambda: ben.phase("over"))
            return
        await again.resume(ann.seat)
        await again.until_view()
        await wait_all_tasks_blocked()
        agree(table, [again])
        if early > 0:
            assert len(table.match.steps) == before
        await trio.sleep(100)
        assert table.roster.seats[0].state == "seated"
