"""A server's lobby in this process, whose people come by streams in memory.

With trio's virtual clock, hours of graces and clocks pass in no time, and in the same order always.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
import trio.testing

from journals import inline, quick_passwords
from kings_server.bounds import Bounds
from kings_server.committer import Committer, RunBlocking
from kings_server.config import Config
from kings_server.journal import Forgetful, Journal
from kings_server.journal_file import JournalFile
from kings_server.listener import Listener
from kings_server.lobby import Lobby
from kings_server.log import logger
from kings_server.table import Table
from people import Person
from thinking import Study, pool

UNLIMITED = Config(bounds=Bounds(requests_per_second=0))
LIMIT = 30 * 3600
"""The longest a test may take by the virtual clock; an idle one gets there at once."""


class Hall:
    """The lobby, and a way in."""

    def __init__(self, nursery: trio.Nursery, lobby: Lobby) -> None:
        self.lobby = lobby
        self.listener = Listener(self.lobby, logger())
        self.nursery = nursery

    async def stranger(self, name: str = "Ann", seed: int = 0) -> Person:
        """Return somebody who is connected, and has not said a word yet."""
        near, far = trio.testing.memory_stream_pair()
        self.nursery.start_soon(self.handle, far)
        person = Person(near, name, seed)
        await self.nursery.start(person.run)
        return person

    async def guest(self, name: str = "Ann", seed: int = 0) -> Person:
        """Return somebody who has entered."""
        person = await self.stranger(name, seed)
        await person.enter()
        return person

    async def back(self, person: Person) -> Person:
        """Return the same person with a new connection, back at the seat."""
        again = await self.guest(person.name)
        again.client, again.offers = person.client, person.offers
        again.answers_offers = person.answers_offers
        again.reveals_shares = person.reveals_shares
        assert person.seat is not None
        await again.resume(person.seat)
        return again

    async def table_of(self, *people: Person, **fields: object) -> Table:
        """Seat people at a new table of as many seats and bots, the first its maker."""
        bots = fields.get("bots", ())
        assert isinstance(bots, tuple)
        seat = await people[0].make_table(len(people) + len(bots), **fields)
        for person in people[1:]:
            await person.join(seat.table)
        return self.lobby.tables[seat.table]

    async def match_of(self, *people: Person, **fields: object) -> Table:
        """Seat people at a new table, and begin the first deal."""
        table = await self.table_of(*people, **fields)
        if len(people) > 1:
            for person in people:
                await person.ready()
        for person in people:
            await person.until_deal(1)
        return table

    async def handle(self, stream: trio.abc.Stream) -> None:
        """Serve a connection as the real listeners do."""
        try:
            await self.listener.handle(stream)
        finally:
            await trio.aclose_forcefully(stream)


async def cut(person: Person) -> None:
    """Cut somebody's connection, without a word."""
    await trio.aclose_forcefully(person.stream)


@asynccontextmanager
async def hall(
    clock: trio.testing.MockClock,
    config: Config = UNLIMITED,
    journal: Journal | None = None,
    file: JournalFile | None = None,
    disk: RunBlocking = inline,
    study: Study | None = None,
) -> AsyncIterator[Hall]:
    """Run a lobby on the virtual ``clock``; at the end everybody is cut off.

    With a journal's ``file``, on a ``disk`` that may be slow, it goes on with the tables that are
    in it, and ends as if killed. Bots think in ``study``.
    """
    assert trio.lowlevel.current_clock() is clock
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            if file is not None:
                committer = Committer(file, logger(), disk)
                await nursery.start(committer.run)
                journal = committer
            server_id = None if file is None else file.server_id
            lobby = Lobby(
                config,
                journal or Forgetful(),
                pool(study),
                logger(),
                server_id,
                passwords=quick_passwords(),
            )
            made = Hall(nursery, lobby)
            await nursery.start(lobby.run)
            if file is not None:
                lobby.come_back(file.load())
            yield made
            nursery.cancel_scope.cancel()
