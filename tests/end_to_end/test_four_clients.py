"""Four clients play a whole match over real sockets; one is cut in the middle of a turn."""

from contextlib import AbstractAsyncContextManager

import pytest
import trio

from kings_engine.events import DealBegan, Drew, MatchEnded
from kings_protocol import messages as m
from people import Person
from serving import serving

SECONDS = 60


@pytest.mark.parametrize("preset", ["pagat", "royal_corners"])
async def test_a_whole_match_of_four_one_of_whom_is_cut_mid_turn_and_resumes(preset: str) -> None:
    names = ("Ann", "Ben", "Cleo", "Dan")
    with (
        trio.fail_after(SECONDS),
        serving("--limit", "requests_per_second=0", encrypted=True) as server,
    ):
        async with trio.open_nursery() as nursery:
            people: list[Person] = []
            for seed, name in enumerate(names):
                person = await nursery.start(stay, server.guest(name, seed))
                people.append(person)
            ann, ben = people[:2]
            seat = await ann.make_table(4, preset=preset)
            for person in people[1:]:
                await person.join(seat.table)
            async with trio.open_nursery() as players:
                for person in (ann, *people[2:]):
                    players.start_soon(play, person)
                again = await play_until_cut_mid_turn(ben)
                people[1] = await nursery.start(stay, server.guest("Ben", 9))
                assert ben.seat is not None
                await people[1].resume(ben.seat)
                await people[1].until_view()
                assert again.view == people[1].view
                assert people[1].my_turn
                players.start_soon(play, people[1])
            views = [person.view for person in people]
            publics = [view.public for view in views if view is not None]
            assert len(publics) == 4
            assert all(public == publics[0] for public in publics)
            assert publics[0].winners
            for person in people:
                assert isinstance(person.events[-1], MatchEnded)
                assert person.offers
            sees_only_its_own(people)
            nursery.cancel_scope.cancel()


async def stay(
    guest: AbstractAsyncContextManager[Person],
    task_status: trio.TaskStatus[Person] = trio.TASK_STATUS_IGNORED,
) -> None:
    async with guest as person:
        task_status.started(person)
        await trio.sleep_forever()


async def play(person: Person) -> None:
    if person.phase("waiting"):
        await person.ready()
        await person.until_deal(1)
    await person.play_match()


async def play_until_cut_mid_turn(person: Person) -> Person:
    """Play until something was played and the turn goes on; then cut the connection."""
    await person.ready()
    await person.until_deal(1)
    while True:
        await person.until(lambda: person.my_turn or person.phase("between"))
        if person.phase("between"):
            await person.go_on()
            continue
        turn = person.turn
        reply = await person.play_once(keenness=1.0)
        assert isinstance(reply, m.Done)
        if person.my_turn and person.turn == turn:
            await trio.aclose_forcefully(person.stream)
            return person


def sees_only_its_own(people: list[Person]) -> None:
    assert people[0].table is not None
    open_stock = people[0].table.rules["open_stock"]
    for number, person in enumerate(people):
        for event in person.events:
            if isinstance(event, DealBegan):
                shown = [seat for seat, hand in enumerate(event.hands) if hand is not None]
                assert shown == [number]
            if isinstance(event, Drew) and event.cards is not None:
                assert event.seat == number or open_stock
