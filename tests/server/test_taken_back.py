"""What the disk did not take is taken back, and nothing else with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from trio.testing import MockClock

from hall import Hall, hall
from journals import BreakableFile, breakable
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from people import Person, new_id


@asynccontextmanager
async def three(
    clock: MockClock, directory: Path
) -> AsyncIterator[tuple[Hall, BreakableFile, list[Person]]]:
    """Return a hall with three people, and its disk."""
    file = breakable(directory)
    async with hall(clock, file=file) as h:
        yield h, file, [await h.guest(name) for name in ("Ann", "Ben", "Eve")]
    file.close()


async def refused(person: Person, file: BreakableFile, wish: m.Request) -> None:
    """Ask for something on a disk that fails, and wait until it works again."""
    file.break_by(before=True)
    assert (await person.ask_for(m.Refused, wish)).code == RefusalCode.JOURNAL_UNAVAILABLE
    file.break_by()
    await person.until_table(lambda table: table.saving)


async def test_the_others_stay_ready(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with three(autojump_clock, tmp_path) as (h, file, people):
        await h.table_of(*people)
        for person in people[:2]:
            await person.ready()
        await refused(people[2], file, m.Ready(id=new_id(), on=True))
        assert people[0].phase("waiting")
        await people[2].ready()
        await people[0].until_deal(1)


async def test_the_others_still_want_a_pause(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with three(autojump_clock, tmp_path) as (h, file, people):
        await h.match_of(*people)
        for person in people[:2]:
            await person.ask_for(m.Done, m.Pause(id=new_id(), on=True))
        await refused(people[2], file, m.Pause(id=new_id(), on=True))
        assert people[0].table is not None
        assert not people[0].table.paused
        await people[2].ask_for(m.Done, m.Pause(id=new_id(), on=True))
        await people[0].until_table(lambda table: table.paused)
