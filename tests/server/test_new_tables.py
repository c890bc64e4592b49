"""A table is there for others once its making is kept, and a request to make it makes one."""

from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import Disk, breakable
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_server.house import House
from people import Person, new_id
from thinking import pool


def making(**fields: object) -> m.MakeTable:
    return m.MakeTable(id=new_id(), name="Kitchen", preset="pagat", **fields)  # type: ignore[arg-type]


def house_of(h: Hall) -> House:
    return House(h.lobby, h.listener, None, pool(None), lambda _: None, trio.current_time())


async def browsing(h: Hall) -> Person:
    eve = await h.guest("Eve")
    await eve.ask_for(m.Done, m.Browse(id=new_id(), page=0))
    await eve.until(lambda: eve.pages)
    return eve


@pytest.mark.parametrize("password", [None, "hush"])
async def test_nobody_is_shown_a_table_that_the_disk_does_not_have_yet(
    autojump_clock: MockClock, tmp_path: Path, password: str | None
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(5)) as h:
        ann, eve, house = await h.guest("Ann"), await browsing(h), house_of(h)
        request = making(password=password)
        await ann.send(request)
        await trio.sleep(4)
        assert len(eve.pages) == 1
        await eve.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        await trio.sleep(0.5)
        assert [page.total for page in eve.pages] == [0, 0]
        assert house.tables() == []
        assert house.stats()["tables"] == house.stats()["tables_ever"] == 0
        assert not ann.replies
        seat = await ann._reply_to(request)
        assert isinstance(seat, m.Seated)
        await eve.until(lambda: eve.pages[-1].order == (seat.table,))
        assert [line.host for line in eve.pages[-1].tables] == ["Ann"]
        assert house.stats()["tables"] == house.stats()["tables_ever"] == 1
    file.close()


@pytest.mark.parametrize("fault", ["read_only", "before", "gone"])
async def test_nobody_is_ever_shown_a_table_that_the_disk_refused(
    autojump_clock: MockClock, tmp_path: Path, fault: str
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(1)) as h:
        ann, eve = await h.guest("Ann"), await browsing(h)
        file.break_by(**{fault: True})
        request = making()
        await ann.send(request)
        await trio.sleep(60)
        assert [page.total for page in eve.pages] == [0]
        assert house_of(h).stats()["tables_ever"] == 0
        file.break_by()
        refused = await ann._reply_to(request)
        assert isinstance(refused, m.Refused)
        assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
        await trio.sleep(60)
        assert [page.total for page in eve.pages] == [0]
        seat = await ann.ask_for(m.Seated, making())
        await eve.until(lambda: eve.pages[-1].order == (seat.table,))
    file.close()


async def test_nothing_is_left_of_tables_that_a_disk_refuses_while_it_still_does(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann = await h.guest("Ann")
        file.break_by(before=True)
        with capture_logs() as lines:
            for _ in range(5):
                refused = await ann.ask_for(m.Refused, making())
                assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
            await trio.sleep(60)
        said = [line["event"] for line in lines]
        assert "table ended" in said
        assert "the journal still has the table" not in said
    file.close()


async def test_a_table_that_is_being_made_counts_for_the_bounds(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(5)) as h:
        people = [await h.stranger("Ann") for _ in range(5)]
        for person in people:
            person.client = people[0].client
            await person.enter()
        *first, last = people
        for person in first:
            await person.send(making())
        refused = await last.ask_for(m.Refused, making())
        assert refused.code == RefusalCode.TOO_MANY_TABLES
        await trio.sleep(30)
        assert len(h.lobby.tables) == len(first)
    file.close()


@pytest.mark.parametrize("password", [None, "hush"])
async def test_a_request_that_is_sent_again_while_its_table_is_being_kept_makes_no_second_one(
    autojump_clock: MockClock, tmp_path: Path, password: str | None
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(5)) as h:
        ann, request = await h.guest("Ann"), making(password=password)
        await ann.send(request)
        await trio.sleep(1)
        await cut(ann)
        again = await h.stranger("Ann")
        again.client = ann.client
        await again.enter()
        seat = await again.ask_for(m.Seated, request)
        await again.until_state(0, "seated")
        assert list(h.lobby.tables) == [seat.table]
        await trio.sleep(600)
        assert list(h.lobby.tables) == [seat.table]
    file.close()


async def test_an_id_that_was_used_for_something_else_makes_no_table(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann, ben, request = await h.guest("Ann"), await h.guest("Ben"), making()
        seat = await ann.make_table()
        await ben.ask_for(m.Seated, m.Join(id=request.id, table=seat.table))
        await ben.ask_for(m.Done, m.Leave(id=new_id()))
        eve = await browsing(h)
        assert (await ben.ask_for(m.Refused, request)).code == RefusalCode.ID_REUSED
        await trio.sleep(60)
        assert [page.total for page in eve.pages] == [1]
    file.close()
