"""Room for one more table: so many of one address, and at its limit one that nobody plays at goes.

Conduct: loopback, port 0; addresses of one machine, 127.0.0.1 to 127.0.0.9, stand for several.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from journals import breakable, inline
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode, UnseatedCode
from kings_server.bounds import Bounds
from kings_server.committer import Committer
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.journal_file import JournalFile
from kings_server.listener import Listener, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import logger
from people import Person, connected, new_id
from thinking import pool

LIMIT = 30


def home(number: int) -> str:
    return f"127.0.0.{number}"


class Door:
    """A server that listens, and the ways to it."""

    def __init__(self, lobby: Lobby, port: int) -> None:
        self.lobby = lobby
        self.port = port

    @asynccontextmanager
    async def guest(self, number: int) -> AsyncIterator[Person]:
        """Return somebody who has entered, from one of this machine's addresses."""
        stream = await trio.open_tcp_stream(home(1), self.port, local_address=home(number))
        async with connected(Person(stream)) as person:
            await person.enter()
            yield person

    async def left(self, number: int) -> m.Seated:
        """Return the seat of somebody from such an address who is gone from a match with a bot."""
        async with self.guest(number) as person:
            seat = await person.make_table(2, bots=("easy",), pace=(3000, 3000))
            await person.until_deal(1)
        table = self.lobby.tables[seat.table]
        await until(lambda: table.timers.deserted_at is not None)
        return seat

    async def refusal(self, number: int) -> int | None:
        """Make a table from such an address; return the limit that it is refused by, if it is."""
        async with self.guest(number) as person:
            reply = await person.ask(making())
            if not isinstance(reply, m.Refused):
                return None
            assert reply.code == RefusalCode.TOO_MANY_TABLES
            return reply.limit


def making() -> m.MakeTable:
    return m.MakeTable(id=new_id(), name="Den", preset="pagat")


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so of the server, which does not tell."""
    while not condition():  # noqa: ASYNC110
        await trio.sleep(0.01)


@asynccontextmanager
async def door(file: JournalFile | None = None, **bounds: int) -> AsyncIterator[Door]:
    config = Config(bounds=Bounds(requests_per_second=0, **bounds))
    committer = None if file is None else Committer(file, logger(), inline)
    lobby = Lobby(config, committer or Forgetful(), pool(), logger())
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            if committer is not None:
                await nursery.start(committer.run)
            await nursery.start(lobby.run)
            if file is not None:
                lobby.come_back(file.load())
            sockets = await open_listeners(home(1), 0)
            listener = Listener(lobby, logger())
            nursery.start_soon(trio.serve_listeners, listener.handle, list(sockets))
            yield Door(lobby, port_of(sockets[0]))
            nursery.cancel_scope.cancel()


async def test_the_tables_of_one_address_are_bounded_whatever_its_clients_are_called() -> None:
    async with door(tables_per_address=2) as d, d.guest(1) as ann, d.guest(1) as ben:
        await ann.make_table(2)
        await ben.make_table(2)
        assert await d.refusal(1) == 2
        assert await d.refusal(2) is None


async def test_an_address_at_its_limit_gives_up_what_it_deserted_longest_ago() -> None:
    async with door(tables_per_address=2) as d, d.guest(1) as ann:
        other, first = await d.left(2), await d.left(1)
        await ann.make_table(2)
        async with d.guest(1) as ben:
            await ben.make_table(2)
            await until(lambda: first.table not in d.lobby.tables)
            assert other.table in d.lobby.tables
            assert await d.refusal(1) == 2


async def test_a_server_that_one_address_has_filled_with_matches_takes_others() -> None:
    async with door(tables=5) as d:
        honest = await d.left(2)
        filled = [await d.left(1) for _ in range(4)]
        async with d.guest(3) as eve, d.guest(3) as ann:
            watch = m.Watch(id=new_id(), table=filled[0].table)
            await eve.ask_for(m.Watching, watch)
            await ann.make_table(2)
            await eve.until_told(m.Unseated(code=UnseatedCode.TABLE_CLOSED))
            assert filled[0].table not in d.lobby.tables
            async with d.guest(2) as ben:
                # Its own was there before all of them, and has been deserted for longer.
                await ben.resume(honest)
                await ben.until_deal(1)


async def test_the_longest_deserted_goes_and_where_somebody_plays_nothing_does() -> None:
    async with door(tables=3) as d, d.guest(1) as ann:
        ours = await ann.make_table(2, bots=("easy",), pace=(3000, 3000))
        first, second = await d.left(2), await d.left(2)
        async with d.guest(2) as back:
            await back.resume(first)
            await back.until_deal(1)
        await until(lambda: d.lobby.tables[first.table].timers.deserted_at is not None)
        async with d.guest(3) as ben, d.guest(5) as cleo:
            await ben.make_table(2)
            await until(lambda: second.table not in d.lobby.tables)
            await cleo.make_table(2)
            await until(lambda: first.table not in d.lobby.tables)
            assert await d.refusal(4) == 3
            assert ours.table in d.lobby.tables


async def test_whoever_fills_a_server_and_stays_takes_no_match_from_who_has_fewer() -> None:
    async with door(tables=3) as d, d.guest(1) as ann, d.guest(1) as ben, d.guest(3) as cleo:
        honest = await d.left(2)
        for person in (ann, ben):
            await person.make_table(2)
        assert await d.refusal(1) == 3
        assert honest.table in d.lobby.tables
        await cleo.make_table(2)
        await until(lambda: honest.table not in d.lobby.tables)


async def test_what_is_refused_for_something_else_costs_no_table() -> None:
    async with door(tables=1) as d:
        seat = await d.left(1)
        async with d.guest(2) as ann:
            for wrong in (
                m.MakeTable(id=new_id(), name=" ", preset="pagat"),
                m.MakeTable(id=new_id(), name="Den", preset="none"),
                m.MakeTable(id=new_id(), name="Den", preset="pagat", knobs={"players": 99}),
            ):
                await ann.ask_for(m.Refused, wrong)
        assert list(d.lobby.tables) == [seat.table]


async def test_no_match_goes_for_a_table_that_the_disk_does_not_keep(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    async with door(file, tables=1) as d, d.guest(2) as ann:
        deserted = await d.left(1)
        file.break_by(before=True)
        for _ in range(3):
            refused = await ann.ask_for(m.Refused, making())
            assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
        file.break_by()
        async with d.guest(1) as back:
            await back.resume(deserted)
            await back.until_deal(1)
    file.close()


async def test_an_address_is_counted_after_a_restart_too(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    async with door(file, tables=3) as d:
        honest, *others = [(await d.left(number)).table for number in (2, 1, 1)]
    file.close()
    file = breakable(tmp_path)
    async with door(file, tables=3) as d, d.guest(3) as ann:
        await ann.make_table(2)
        await until(lambda: not set(others) <= set(d.lobby.tables))
        assert honest in d.lobby.tables
    file.close()
