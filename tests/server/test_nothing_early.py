"""Whatever somebody does at a table, nobody is shown anything of it before it is kept.

A disk that takes five seconds is between the deed and what others see. For that long they receive
not a byte, and whoever runs the server sees nothing new either.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeAlias

import pytest
import trio
from attrs import frozen
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import Disk, breakable
from kings_protocol import messages as m
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.house import House
from people import Person, new_id
from thinking import pool

SECONDS: Final = 5.0

QUIET: Final = Config(bounds=Bounds(requests_per_second=0, ping_seconds=1e5, dead_seconds=1e6))
"""Nobody is asked for a sign of life, so all that comes is of the deed."""


@frozen
class Company:
    """Two at a table of three or four seats, who looks on, and who looks at the list."""

    hall: Hall
    disk: Disk
    ann: Person
    ben: Person
    wanda: Person
    eve: Person
    house: House

    @property
    def everybody(self) -> tuple[Person, ...]:
        return self.ann, self.ben, self.wanda, self.eve

    def seen(self, *but: Person) -> object:
        """Return what all have received, ``but`` perhaps who did it, and what the house shows."""
        received = [person.received for person in self.everybody if person not in but]
        figures = {
            name: figure
            for name, figure in self.house.stats().items()
            if name in ("tables", "tables_ever", "moves", "resumes")
        }
        ended = [person.ended for person in self.everybody if person not in but]
        return received, ended, figures, self.house.tables()


@asynccontextmanager
async def company(
    clock: MockClock, folder: Path, *, playing: bool, **fields: object
) -> AsyncIterator[Company]:
    file, disk = breakable(folder), Disk(0)
    async with hall(clock, QUIET, file=file, disk=disk) as h:
        ann, ben, wanda, eve = [await h.guest(name) for name in ("Ann", "Ben", "Wanda", "Eve")]
        if playing:
            table = await h.match_of(ann, ben, **fields)
        else:
            seat = await ann.make_table(4, bots=("easy",), **fields)
            table = h.lobby.tables[seat.table]
            await ben.join(seat.table)
        await wanda.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        await eve.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        await trio.sleep(2)
        house = House(h.lobby, h.listener, None, pool(None), lambda _: None, trio.current_time())
        yield Company(h, disk, ann, ben, wanda, eve, house)
    file.close()


async def only_when_kept(c: Company, deed: Callable[[], Awaitable[object]], *but: Person) -> None:
    """Do something, and hold that nobody sees it for as long as the disk takes, and then do."""
    before = c.seen(*but)
    c.disk.seconds = SECONDS
    await deed()
    await trio.sleep(SECONDS - 0.1)
    assert c.seen(*but) == before, "seen before it was kept"
    c.disk.seconds = 0
    await trio.sleep(2)
    assert c.seen(*but) != before


Deed: TypeAlias = Callable[[Company], Awaitable[object]]


def asks(request: m.Request) -> Deed:
    """Return how Ann, the host, asks for something."""
    return lambda c: c.ann.send(request)


async def join(c: Company) -> None:
    cleo = await c.hall.guest("Cleo")
    assert c.ann.seat is not None
    await cleo.send(m.Join(id=new_id(), table=c.ann.seat.table))


async def come_back(c: Company) -> None:
    again = await c.hall.guest("Ben")
    assert c.ben.seat is not None
    await again.send(m.Resume(id=new_id(), table=c.ben.seat.table, token=c.ben.seat.token))


IDLE: Final[Mapping[str, Deed]] = {
    "join": join,
    "leave, and hand the host on": asks(m.Leave(id=new_id())),
    "say": asks(m.Say(id=new_id(), text="hello")),
    "ready": asks(m.Ready(id=new_id(), on=True)),
    "add a bot": asks(m.AddBot(id=new_id(), level="easy")),
    "remove a bot": asks(m.RemoveBot(id=new_id(), seat=3)),
    "kick": asks(m.Kick(id=new_id(), seat=1)),
    "lose the connection": lambda c: cut(c.ann),
}

PLAYING: Final[Mapping[str, Deed]] = {
    "play": lambda c: c.ann.send(m.EndTurn(id=new_id(), version=c.ann.version)),
    "leave": asks(m.Leave(id=new_id())),
    "say": asks(m.Say(id=new_id(), text="hello")),
    "pause": asks(m.Pause(id=new_id(), on=True)),
    "vote": asks(m.Vote(id=new_id(), seat=1, on=True)),
    "lose the connection": lambda c: cut(c.ann),
}


@pytest.mark.parametrize("deed", IDLE)
async def test_nothing_is_shown_early_before_a_match(
    autojump_clock: MockClock, tmp_path: Path, deed: str
) -> None:
    async with company(autojump_clock, tmp_path, playing=False) as c:
        but = (c.ann,) if deed == "lose the connection" else ()
        await only_when_kept(c, lambda: IDLE[deed](c), *but)


@pytest.mark.parametrize("deed", PLAYING)
async def test_nothing_is_shown_early_in_a_match(
    autojump_clock: MockClock, tmp_path: Path, deed: str
) -> None:
    async with company(autojump_clock, tmp_path, playing=True) as c:
        but = (c.ann,) if deed == "lose the connection" else ()
        await only_when_kept(c, lambda: PLAYING[deed](c), *but)


async def test_nothing_is_shown_early_of_somebody_who_comes_back(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with company(autojump_clock, tmp_path, playing=True) as c:
        await cut(c.ben)
        await c.ann.until_state(1, "dropped")
        await trio.sleep(2)
        await only_when_kept(c, lambda: come_back(c), c.ben)


async def test_nothing_is_shown_early_of_a_start_and_of_a_rematch(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with company(autojump_clock, tmp_path, playing=True, knobs={"points": 5}) as c:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(c.ann.play_match)
            nursery.start_soon(c.ben.play_match)
        await trio.sleep(2)
        await c.ben.ready()
        await trio.sleep(2)
        await only_when_kept(c, lambda: c.ann.send(m.Ready(id=new_id(), on=True)))
        await c.eve.until(lambda: c.eve.pages[-1].tables[0].phase == "playing")


async def clock_runs_out() -> None:
    await trio.sleep(1.05)


async def test_nothing_is_shown_early_of_a_clock_that_runs_out(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with company(autojump_clock, tmp_path, playing=True, knobs={"turn_seconds": 60}) as c:
        table = next(iter(c.hall.lobby.tables.values()))
        await trio.sleep_until(table.timers.clock.until - 1)
        await only_when_kept(c, clock_runs_out)
