"""The list of servers near by: who is in it, for how long, and what a flood can do to it.

Conduct: a virtual clock, and a network that is a table of who answers where, after how long.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from kings_client.config import Address
from kings_client.nearby import (
    ANSWER_SECONDS,
    ASK_SECONDS,
    AT_ONCE,
    GONE_SECONDS,
    KNOWN,
    LISTED,
    LONGEST_PAUSE,
    Answer,
    Heard,
    Nearby,
    Stranger,
)
from kings_client.search import Found, Search
from kings_protocol.discovery import Announcement

SAID = Announcement("0" * 16, 1, 1, "0.1.0", "Kitchen")
HERE, THERE = Address("192.0.2.1"), Address("192.0.2.2")


def heard(label: str, *addresses: Address, said: Announcement = SAID) -> Heard:
    return Heard(label, addresses or (HERE,), evolve(said, name=label))


class Network:
    """Who answers where; everywhere else nobody does, at once."""

    def __init__(self, clock: MockClock) -> None:
        self.clock = clock
        self.news = trio.Event()
        self.answers: dict[Address, tuple[float, Answer | Stranger | None]] = {}
        self.asked: list[tuple[float, Address]] = []
        self.now = self.most = 0
        self.lists: list[Search] = []

    def server(self, address: Address, name: str, seconds: float = 0.01) -> None:
        self.answers[address] = seconds, Answer(name, seconds)

    async def ask(self, address: Address) -> Answer | Stranger | None:
        self.asked.append((self.clock.current_time(), address))
        self.now += 1
        self.most = max(self.most, self.now)
        seconds, answer = self.answers.get(address, (0.0, None))
        try:
            await trio.sleep(seconds)
        finally:
            self.now -= 1
        return answer

    def show(self, search: Search) -> None:
        self.lists.append(search)
        self.news.set()
        self.news = trio.Event()

    @property
    def list(self) -> tuple[Found, ...]:
        return self.lists[-1].servers if self.lists else ()

    async def until(self, seen: Callable[[tuple[Found, ...]], bool]) -> float:
        """Wait until the list is as it should be, and return when that was."""
        with trio.fail_after(1000):
            while not seen(self.list):
                await self.news.wait()
        return self.clock.current_time()


@asynccontextmanager
async def nearby(network: Network) -> AsyncIterator[Nearby]:
    async with trio.open_nursery() as nursery:
        yield Nearby(network.ask, network.show, nursery)
        nursery.cancel_scope.cancel()


async def test_a_server_is_listed_when_it_is_heard_and_timed_when_it_answers(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a", 0.25)
    async with nearby(network) as near:
        near.heard(heard("Kitchen", said=evolve(SAID, people=3, tables=2, locked=True)))
        first = Found(1, "Kitchen", "192.0.2.1", 3, 2, locked=True, program="0.1.0")
        assert network.list == (first,)
        await network.until(lambda found: found[0].seconds is not None)
        assert network.list == (evolve(first, seconds=0.25, server="a"),)
        near.heard(heard("Kitchen", said=evolve(SAID, people=4)))
        assert network.list[0].people == 4


async def test_a_server_that_falls_silent_is_marked_and_then_left_out(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    async with nearby(network) as near:
        near.heard(heard("Kitchen"))
        await network.until(lambda found: found[0].seconds is not None)
        killed = trio.current_time()
        network.answers.clear()
        silent = await network.until(lambda found: found[0].silent)
        assert silent - killed <= ASK_SECONDS + ANSWER_SECONDS
        gone = await network.until(lambda found: not found)
        assert gone - killed <= GONE_SECONDS + 2 * (ASK_SECONDS + ANSWER_SECONDS)
        network.server(HERE, "a")
        back = trio.current_time()
        await network.until(bool)
        assert trio.current_time() - back <= LONGEST_PAUSE + 1
        assert not network.list[0].silent


async def test_a_server_that_says_goodbye_is_gone_at_once_if_it_is_true(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    network.server(THERE, "b")
    async with nearby(network) as near:
        near.heard(heard("Kitchen"))
        near.heard(heard("Attic", THERE))
        await network.until(lambda found: all(one.seconds is not None for one in found))
        said = trio.current_time()
        del network.answers[THERE]
        near.withdrawn("Attic")
        near.withdrawn("Kitchen")
        near.withdrawn("nobody")
        assert await network.until(lambda found: len(found) == 1) - said < 1
        await trio.sleep(2 * GONE_SECONDS)
        assert [one.name for one in network.list] == ["Kitchen"]


async def test_every_address_of_a_server_is_tried_and_the_first_to_answer_is_shown(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    dead, slow, quick = (Address(f"198.51.100.{number}") for number in (1, 2, 3))
    network.answers[dead] = 100.0, None
    network.server(slow, "a", 2.0)
    network.server(quick, "a", 0.02)
    async with nearby(network) as near:
        near.heard(heard("Kitchen", dead, slow, quick))
        assert await network.until(lambda found: found[0].seconds is not None) < 1
        assert network.list[0].address == str(quick)
        assert network.lists[-1].addresses("a") == (str(quick),)
        network.asked.clear()
        await trio.sleep(ASK_SECONDS + 1)
        assert network.asked[0][1] == quick


async def test_a_server_that_moved_is_asked_at_its_new_address_at_once(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    async with nearby(network) as near:
        near.heard(heard("Kitchen"))
        await network.until(lambda found: found[0].seconds is not None)
        network.answers.clear()
        network.server(THERE, "a")
        moved = trio.current_time()
        near.heard(heard("Kitchen", THERE))
        assert await network.until(lambda found: found[0].address == str(THERE)) - moved < 1
        assert await network.until(lambda found: found[0].seconds is not None) - moved < 1


async def test_a_server_under_two_labels_is_listed_once_as_it_is_now(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    network.server(THERE, "a")
    async with nearby(network) as near:
        near.heard(heard("before"))
        near.heard(heard("now", THERE))
        await network.until(lambda found: len(found) == 1)
        assert (network.list[0].name, network.list[0].number) == ("now", 1)
        del network.answers[THERE]
        await network.until(lambda found: found[0].name == "before")


async def test_a_server_that_claims_the_id_of_another_hides_it_not(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.answers[HERE] = 0.1, Answer("a", 0.1, "11" * 32)
    network.answers[THERE] = 0.1, Answer("a", 0.1, "22" * 32)
    async with nearby(network) as near:
        near.heard(heard("Kitchen"))
        near.heard(heard("impostor", THERE))
        await network.until(lambda found: all(one.seconds is not None for one in found))
        assert [one.name for one in network.list] == ["Kitchen", "impostor"]


async def test_where_something_else_listens_nobody_knocks_again_soon(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.answers[HERE] = 0.1, Stranger()
    async with nearby(network) as near:
        near.heard(heard("printer"))
        await trio.sleep(LONGEST_PAUSE - 1)
        assert len(network.asked) == 1
        assert network.list == ()
        await trio.sleep(3 * LONGEST_PAUSE)
        assert len(network.asked) <= 4


async def test_a_server_of_another_version_is_listed_as_such(autojump_clock: MockClock) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "")
    async with nearby(network) as near:
        near.heard(heard("Museum", said=evolve(SAID, oldest=7, newest=9, program="9.9")))
        await network.until(lambda found: found[0].seconds is not None)
        assert (network.list[0].speaks, network.list[0].program) == (False, "9.9")
        assert network.lists[-1].addresses("") == ()


@pytest.mark.parametrize("answers", [False, True])
async def test_a_flood_of_announcements_is_bounded_and_hides_no_server_that_was_there(
    autojump_clock: MockClock, answers: bool
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    async with nearby(network) as near:
        near.heard(heard("Kitchen"))
        await network.until(lambda found: found[0].seconds is not None)
        for number in range(5000):
            address = Address(f"192.0.2.{number % 250 + 3}", 1000 + number)
            network.answers[address] = 1.0, Answer(f"x{number}", 1.0) if answers else None
            near.heard(heard(f"label {number}", *(address,) * 3))
        await trio.sleep(60)
        assert max(len(one.servers) for one in network.lists) <= LISTED
        assert network.most <= AT_ONCE
        assert "Kitchen" in {one.name for one in network.list}
        assert len({at for _, at in network.asked}) <= KNOWN


async def test_a_server_gets_its_place_among_many_that_do_not_answer(
    autojump_clock: MockClock,
) -> None:
    network = Network(autojump_clock)
    network.server(HERE, "a")
    async with nearby(network) as near:
        for number in range(KNOWN):
            near.heard(heard(f"label {number}", Address("192.0.2.9", 1000 + number)))
        await trio.sleep(ASK_SECONDS)
        near.heard(heard("Kitchen"))
        await network.until(lambda found: "Kitchen" in {one.name for one in found})


async def test_a_deaf_machine_is_told_of(autojump_clock: MockClock) -> None:
    network = Network(autojump_clock)
    async with nearby(network) as near:
        near.deaf(True)
        assert network.lists == [Search(deaf=True)]
        near.deaf(False)
        assert network.lists[-1] == Search()
