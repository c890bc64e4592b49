"""Nobody takes all connections from one address, and nobody holds many without entering."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.limits import KEPT_PLACES
from kings_server.listener import Listener, address_of, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import logger
from people import Person, new_id
from thinking import pool

LIMIT = 20
HERE = "127.0.0.1"
THERE = "127.0.0.2"
ELSEWHERE = "127.0.0.3"


class Door:
    """A server that listens, and a way to come to it from any address of this machine."""

    def __init__(self, nursery: trio.Nursery, port: int) -> None:
        self.nursery = nursery
        self.port = port

    async def come(self, address: str = HERE, *, enters: bool = True) -> Person:
        stream = await trio.open_tcp_stream(HERE, self.port, local_address=address)
        person = Person(stream)
        await self.nursery.start(_stay, person)
        if enters:
            await person.enter()
        return person

    async def turned_away(self, address: str = HERE) -> bool:
        person = await self.come(address, enters=False)
        bye = await person.until_ended()
        return bye is not None and bye.code == CloseCode.TOO_MANY_CONNECTIONS


async def made_room(person: Person) -> None:
    bye = await person.until_ended()
    assert bye is not None
    assert bye.code == CloseCode.TOO_MANY_CONNECTIONS


async def _stay(
    person: Person, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    async with person.stream:
        await person.run(task_status)


@asynccontextmanager
async def door(**bounds: int) -> AsyncIterator[Door]:
    lobby = Lobby(Config(bounds=Bounds(**bounds)), Forgetful(), pool(), logger())
    listener = Listener(lobby, logger())
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            sockets = await open_listeners(HERE, 0)
            nursery.start_soon(trio.serve_listeners, listener.handle, list(sockets))
            yield Door(nursery, port_of(sockets[0]))
            nursery.cancel_scope.cancel()


async def test_one_address_takes_no_more_than_its_share() -> None:
    async with door(connections_per_address=2) as d:
        first = await d.come()
        await d.come()
        assert await d.turned_away()
        await d.come(THERE)
        await first.stream.aclose()
        await first.until_ended()
        while await d.turned_away():
            await trio.lowlevel.checkpoint()


async def test_few_of_an_address_may_be_there_without_entering() -> None:
    async with door(unentered_per_address=2) as d:
        first, second = [await d.come(enters=False) for _ in range(2)]
        # The oldest makes room for who comes next, be it somebody who means it.
        ann = await d.come()
        await made_room(first)
        await d.come(THERE)
        await second.enter()
        await ann.make_table(2)


async def test_the_oldest_stranger_of_the_fullest_address_makes_room_for_others() -> None:
    async with door(unentered=4) as d:
        crowd = [await d.come(enters=False) for _ in range(3)]
        other = await d.come(THERE, enters=False)
        assert await d.turned_away()
        await d.come(ELSEWHERE, enters=False)
        await made_room(crowd[0])
        # Two of each: nobody makes room for more of the same.
        await d.come(THERE, enters=False)
        await made_room(crowd[1])
        assert await d.turned_away(THERE)
        assert not other.ended


async def test_places_are_kept_where_somebody_has_entered_lately() -> None:
    async with door(unentered=2) as d:
        ann = await d.come()
        await ann.stream.aclose()
        await ann.until_ended()
        silent = [await d.come(address, enters=False) for address in (THERE, ELSEWHERE)]
        # Ann comes back, from where others come too, and whoever is new makes no room for himself.
        for _ in range(2):
            back = await d.come(enters=False)
        for one in silent:
            await made_room(one)
        await back.enter()
        await d.come(THERE)


async def test_who_only_looks_round_makes_room_where_all_connections_are_taken() -> None:
    async with door(connections=KEPT_PLACES + 3) as d:
        seated = await d.come()
        seat = await seated.make_table(2)
        watches = await d.come()
        await watches.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
        idle = [await d.come() for _ in range(KEPT_PLACES)]
        silent = await d.come(enters=False)
        assert await d.turned_away()
        for address, goes in ((THERE, silent), (ELSEWHERE, idle[0])):
            await d.come(address)
            await made_room(goes)
        # Nobody has more than the places that are kept for each address.
        assert await d.turned_away(THERE)
        assert not seated.ended
        assert not watches.ended


async def test_who_has_a_seat_makes_room_for_nobody() -> None:
    async with door(connections=2) as d:
        for _ in range(2):
            ann = await d.come()
            await ann.make_table(2)
        assert await d.turned_away(THERE)


async def test_an_address_that_is_full_makes_room_for_itself_of_strangers_alone() -> None:
    async with door(connections_per_address=2) as d:
        ann = await d.come()
        silent = await d.come(enters=False)
        ben = await d.come()
        await made_room(silent)
        assert await d.turned_away()
        await ann.make_table(2)
        await ben.make_table(2)


@pytest.mark.parametrize("host", [HERE, "::1"])
async def test_an_address_is_counted_by_what_one_site_has(host: str) -> None:
    with trio.fail_after(LIMIT):
        try:
            (listening,) = await open_listeners(host, 0)
        except OSError:
            pytest.skip("this machine has no IPv6")
        async with listening:
            stream = await trio.open_tcp_stream(host, port_of(listening))
            taken = await listening.accept()
            async with stream, taken:
                assert address_of(taken) == {HERE: HERE, "::1": "::/64"}[host]


async def test_what_is_no_socket_has_no_address() -> None:
    near, _ = trio.testing.memory_stream_pair()
    assert address_of(near) == ""
