"""Nobody takes all connections from one address, and nobody holds many without entering."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from kings_protocol.codes import CloseCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.listener import Listener, address_of, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import logger
from people import Person
from thinking import pool

LIMIT = 20
HERE = "127.0.0.1"
THERE = "127.0.0.2"


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
    async with door(unentered_per_address=1) as d:
        await d.come()
        await d.come()
        silent = await d.come(enters=False)
        assert await d.turned_away()
        await d.come(THERE)
        await silent.enter()
        await d.come()


async def test_few_altogether_may_be_there_without_entering() -> None:
    async with door(unentered=1) as d:
        await d.come(enters=False)
        assert await d.turned_away(THERE)


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
