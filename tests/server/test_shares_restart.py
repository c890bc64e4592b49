"""A server that is killed while a deck is being made: it repeats the same offer, and goes on."""

import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from kings_protocol import messages as m
from kings_protocol.limits import COMMIT_SECONDS, REVEAL_SECONDS
from kings_server.dealing import Dealing
from kings_server.journal_file import NAME
from kings_server.limits import RECONNECT_SECONDS
from offers import (
    begin,
    named,
    offer_of,
    promise_of,
    seated,
    secret_of,
    until_attempt,
    until_set,
)
from people import Person, new_id
from restarting import back, edit, server, table_of

Scene: TypeAlias = Callable[[list[Person]], Awaitable[None]]
"""Brings three people to an instant of the exchange of their first deal's shares."""


async def offered(people: list[Person]) -> None:
    for person in people:
        person.answers_offers = False
    await begin(people)


async def one_has_committed(people: list[Person]) -> None:
    for person in people[1:]:
        person.answers_offers = False
    await begin(people)
    await people[0].until(lambda: (1, 1, 0) in people[0].offers)


async def all_have_committed(people: list[Person]) -> None:
    for person in people:
        person.reveals_shares = False
    await begin(people)
    await until_set(*people)


async def one_has_not_committed(people: list[Person]) -> None:
    people[2].answers_offers = False
    await all_have_committed(people)


async def one_has_revealed(people: list[Person]) -> None:
    await all_have_committed(people)
    await people[0].ask_for(m.Done, people[0].reveal_of(promise_of(people[0])))


async def one_has_withheld(people: list[Person]) -> None:
    people[2].reveals_shares = False
    for person in people[:2]:
        person.reveals_shares = True
    await begin(people)
    await until_set(*people)
    for person in people:
        person.answers_offers = False
    await until_attempt(people[0], 1)


async def one_has_withheld_and_all_have_committed(people: list[Person]) -> None:
    people[2].reveals_shares = False
    await begin(people)
    await until_set(*people)
    for person in people:
        person.reveals_shares = False
    await until_attempt(people[0], 1)
    await until_set(*people)


SCENES: Final = (
    offered,
    one_has_committed,
    one_has_not_committed,
    all_have_committed,
    one_has_revealed,
    one_has_withheld,
    one_has_withheld_and_all_have_committed,
)


def fixed(dealing: Dealing | None) -> Dealing:
    """Return what never changes of an offer, whenever it goes on."""
    assert dealing is not None
    return evolve(dealing, until=0.0)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
async def test_an_offer_is_repeated_after_a_restart_and_everybody_has_the_share_in_it(
    autojump_clock: MockClock, tmp_path: Path, scene: Scene
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        table, people = await seated(h, 3)
        await scene(people)
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(0.1)
        before, shown, told = fixed(table.dealing), offer_of(people[0]), named(people[0])
        withheld = table.withheld
    await trio.sleep(3600)
    for person in people:
        person.answers_offers = person.reveals_shares = False
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        assert fixed(table.dealing) == before
        people = [await back(h, person) for person in people]
        for person in people:
            offer = offer_of(person)
            assert (offer.commitment, offer.attempt) == (shown.commitment, shown.attempt)
            assert offer.members == shown.members
            assert table_of(person).withheld == withheld
    for person in people:
        person.answers_offers = person.reveals_shares = True
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        people = [await back(h, person) for person in people]
        await people[0].until_deal(1)
        assert named(people[0]) == []
        expected = tuple(
            None
            if number in withheld or (shown.members and not shown.members[number].commitment)
            else promise_of(person, attempt=shown.attempt).share
            for number, person in enumerate(people)
        )
        assert told == [(number, people[number].name) for number in withheld]
        assert secret_of(table).shares == expected
        assert secret_of(table).seed == before.seed


@pytest.mark.parametrize("after_the_set", [False, True])
async def test_people_have_time_to_come_back_after_a_restart_before_their_shares_are_missed(
    autojump_clock: MockClock, tmp_path: Path, after_the_set: bool
) -> None:
    scene = all_have_committed if after_the_set else offered
    async with server(autojump_clock, tmp_path) as h:
        _, people = await seated(h, 3)
        await scene(people)
    for person in people:
        person.answers_offers = person.reveals_shares = True
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        people[0] = await back(h, people[0])
        await trio.sleep(RECONNECT_SECONDS - 1)
        people[1:] = [await back(h, person) for person in people[1:]]
        await people[0].until_deal(1)
        assert secret_of(table).shares == tuple(promise_of(person).share for person in people)


async def test_who_does_not_come_back_after_a_restart_withholds_the_share(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        _, people = await seated(h, 3)
        await all_have_committed(people)
    for person in people:
        person.reveals_shares = True
    async with server(autojump_clock, tmp_path) as h:
        began = trio.current_time()
        ann, _ = [await back(h, person) for person in people[:2]]
        await until_attempt(ann, 1)
        waited = trio.current_time() - began
        assert waited == pytest.approx(RECONNECT_SECONDS + REVEAL_SECONDS, abs=1)
        assert named(ann) == [(2, "Cleo")]


# ---- journals of the program before


def as_before(directory: Path) -> None:
    """Make of a journal what the program kept that took nonces at once."""
    with closing(sqlite3.connect(directory / NAME)) as connection:
        ((state,),) = connection.execute("SELECT state FROM tables").fetchall()
    kept: dict[str, Any] = json.loads(state)
    kept["offer"] = {
        "deal": kept["offer"]["deal"],
        "seed": kept["offer"]["seed"],
        "nonces": ["ab" * 32, None, None],
        "left": 1.5,
    }
    edit(directory, "UPDATE tables SET state = ?", json.dumps(kept))


async def test_an_offer_of_the_program_before_is_made_anew(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        _, people = await seated(h, 3)
        await offered(people)
        seed = offer_of(people[0]).commitment
    as_before(tmp_path)
    for person in people:
        person.answers_offers = person.reveals_shares = True
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        people = [await back(h, person) for person in people]
        await people[0].until_deal(1)
        assert offer_seed(people[0]) != seed
        assert secret_of(table).shares == tuple(promise_of(person).share for person in people)


def offer_seed(person: Person) -> str:
    return promise_of(person).seed.hex()


async def test_an_offer_of_the_program_before_waits_for_people_to_come_back(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        _, people = await seated(h, 3)
        await offered(people)
    as_before(tmp_path)
    for person in people[:2]:
        person.answers_offers = person.reveals_shares = True
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        began = trio.current_time()
        ann = await back(h, people[0])
        await trio.sleep(RECONNECT_SECONDS - 1)
        ben = await back(h, people[1])
        await ann.until_deal(1)
        waited = trio.current_time() - began
        assert waited == pytest.approx(RECONNECT_SECONDS + COMMIT_SECONDS, abs=1)
        shares = promise_of(ann).share, promise_of(ben).share, None
        assert secret_of(table).shares == shares


async def test_a_request_that_is_known_no_longer_costs_no_table(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben)
        end = m.EndTurn(id=new_id(), version=ann.version)
        done = await ann.ask_for(m.Done, end)
    old = json.dumps({"t": "nonce", "id": new_id(), "deal": 1, "nonce": "ab" * 32})
    edit(tmp_path, "UPDATE answers SET request = ? WHERE request LIKE '%commit%'", old)
    async with server(autojump_clock, tmp_path) as h:
        again = await back(h, ann)
        assert await again.ask(end) == done
