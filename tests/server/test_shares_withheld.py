"""Shares that are withheld, and people who are gone while a deck is being made."""

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from hall import Hall, cut, hall
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import REVEAL_SECONDS
from offers import (
    begin,
    commit,
    missing,
    named,
    offer_attempts,
    offer_of,
    promise_of,
    refusal,
    seated,
    secret_of,
    until_attempt,
    until_set,
)
from people import Person, new_id
from restarting import back


async def test_a_withheld_share_is_named_to_everybody_and_costs_the_seat_its_share_of_the_match(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h, 2, knobs={"match": "deals", "deals": 2, "hand_size": 5})
        ann, ben = people
        eve = await h.guest("Eve")
        await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        ben.reveals_shares = False
        await begin(people)
        seeds = [offer_of(ann).commitment]
        await until_attempt(eve, 1)
        for person in (ann, ben, eve):
            await until_attempt(person, 1)
            assert named(person) == [(1, "Ben")]
            assert person.table is not None
            assert person.table.withheld == (1,)
        seeds.append(offer_of(ann).commitment)
        assert seeds[0] != seeds[1]
        await until_set(ann)
        assert missing(ann) == [None, "withheld"]
        assert await refusal(ben, commit(attempt=1)) == RefusalCode.NO_OFFER
        await ann.until_deal(1)
        assert secret_of(table).shares == (promise_of(ann, attempt=1).share, None)
        ben.reveals_shares = True
        async with trio.open_nursery() as players:
            players.start_soon(ann.play_match)
            players.start_soon(ben.play_match)
        assert named(ann) == [(1, "Ben")]
        assert (1, 2, 0) not in ben.offers
        assert secret_of(table).shares == (promise_of(ann, 2).share, None)
        await begin(people)
        await ann.until_phase("playing", match=2)
        assert ann.table is not None
        assert ann.table.withheld == ()
        assert all(secret_of(table).shares)


async def test_a_deal_is_offered_anew_no_more_often_than_there_are_seats(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h, 4)
        for person in people:
            person.reveals_shares = False
        await begin(people)
        for left in range(3, 0, -1):
            # All but one reveal: each attempt costs one seat its share.
            await until_set(*people)
            attempt = offer_of(people[0]).attempt
            assert attempt == 3 - left
            for person in people[:left]:
                await person.ask_for(m.Done, person.reveal_of(promise_of(person, attempt=attempt)))
            await until_attempt(people[0], attempt + 1)
        await people[1].until_deal(1)
        assert named(people[0]) == [(3, "Dora"), (2, "Cleo"), (1, "Ben"), (0, "Ann")]
        assert secret_of(table).shares == (None,) * 4


async def test_who_leaves_between_commitment_and_share_withholds_it_at_once(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h, 3)
        ann, ben, cleo = people
        cleo.reveals_shares = ben.reveals_shares = False
        await begin(people)
        await until_set(*people)
        began = trio.current_time()
        ben.reveals_shares = True
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await ann.until_deal(1)
        assert trio.current_time() == began
        assert named(ann) == named(ben) == [(2, "Cleo")]
        assert secret_of(table).shares == (
            promise_of(ann, attempt=1).share,
            promise_of(ben, attempt=1).share,
            None,
        )


async def test_who_leaves_before_the_set_is_in_no_set_and_withholds_nothing(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h, 3, absent="forfeit")
        ann, ben, cleo = people
        ben.answers_offers = False
        await begin(people)
        await cleo.until(lambda: (1, 1, 0) in cleo.offers)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await until_set(ann)
        assert missing(ann) == [None, "late", "out"]
        await ann.until_deal(1)
        assert named(ann) == []
        assert offer_attempts(ann) == [0]


@pytest.mark.parametrize("before", [True, False], ids=["before the set", "after it"])
async def test_who_loses_the_connection_after_committing_may_come_back_and_reveal(
    autojump_clock: MockClock, before: bool
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h, 3)
        ann, ben, cleo = people
        ben.reveals_shares = False
        cleo.answers_offers = not before
        await begin(people)
        if before:
            await ben.until(lambda: (1, 1, 0) in ben.offers)
            await trio.testing.wait_all_tasks_blocked()
        else:
            await until_set(*people)
        await cut(ben)
        await until_set(ann)
        await trio.sleep(REVEAL_SECONDS - 0.1)
        again = await h.back(ben)
        await until_set(again)
        members = tuple(
            None if one.commitment is None else bytes.fromhex(one.commitment)
            for one in offer_of(again).members
        )
        promise = evolve(promise_of(ben), shares=members)
        await again.ask_for(m.Done, again.reveal_of(promise))
        await ann.until_deal(1)
        assert named(ann) == []
        assert secret_of(table).shares[:2] == (promise_of(ann).share, promise.share)


async def test_who_does_not_come_back_with_the_share_withholds_it(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h)
        ann, ben = people
        ben.reveals_shares = False
        await begin(people)
        await until_set(*people)
        began = trio.current_time()
        await cut(ben)
        await until_attempt(ann, 1)
        assert trio.current_time() - began == pytest.approx(REVEAL_SECONDS)
        assert named(ann) == [(1, "Ben")]


async def test_nobody_waits_for_the_commitment_of_who_is_gone(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h, 3)
        ann, ben, cleo = people
        ben.answers_offers = cleo.answers_offers = False
        await begin(people)
        began = trio.current_time()
        await cut(ben)
        await cut(cleo)
        await until_set(ann)
        assert missing(ann) == [None, "gone", "gone"]
        assert trio.current_time() == began


async def test_who_comes_back_before_the_set_is_asked_again(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h, 3)
        ann, ben, cleo = people
        ben.answers_offers = cleo.answers_offers = False
        await begin(people)
        await cut(ben)
        await ann.until_state(1, "dropped")
        ben.answers_offers = True
        again = await h.back(ben)
        await ann.until_deal(1)
        assert secret_of(table).shares == (promise_of(ann).share, promise_of(again).share, None)


async def an_hour_with_nobody(h: Hall, people: list[Person], *, answering: bool) -> list[Person]:
    """Let everybody be gone for an hour from an offer that stands still, and come back."""
    (table,) = h.lobby.tables.values()
    for person in people:
        await cut(person)
    await trio.testing.wait_all_tasks_blocked()
    before = table.dealing
    await trio.sleep(3600)
    assert table.dealing == before
    for person in people:
        person.answers_offers = answering
    return [await back(h, person) for person in people]


@pytest.mark.parametrize("answering", [True, False])
async def test_the_exchange_stands_still_while_all_are_gone_and_then_asks_for_commitments(
    autojump_clock: MockClock, answering: bool
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h)
        for person in people:
            person.answers_offers = False
        await begin(people)
        offered = offer_of(people[0])
        here = await an_hour_with_nobody(h, people, answering=answering)
        await here[0].until_deal(1)
        if answering:
            # Nobody waits for whoever is not here when the first one has committed.
            assert promise_of(here[0]).seed.hex() == offered.commitment
            assert secret_of(table).shares == (promise_of(here[0]).share, None)
        else:
            assert secret_of(table).shares == (None, None)
        assert named(here[0]) == []


@pytest.mark.parametrize("revealing", [True, False])
async def test_the_exchange_stands_still_while_all_are_gone_and_then_waits_for_shares(
    autojump_clock: MockClock, revealing: bool
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h)
        for person in people:
            person.reveals_shares = False
        await begin(people)
        await until_set(*people)
        offered = offer_of(people[0])
        here = await an_hour_with_nobody(h, people, answering=True)
        for person in here:
            assert offer_of(person).commitment == offered.commitment
            assert offer_of(person).members == offered.members
        for person in here if revealing else ():
            await person.ask_for(m.Done, person.reveal_of(promise_of(person)))
        await here[0].until_deal(1)
        assert named(here[0]) == ([] if revealing else [(0, "Ann"), (1, "Ben")])
        assert all(secret_of(table).shares) is revealing
