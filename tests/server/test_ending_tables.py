"""A table that is told to end does so whatever the disk does, and what was told is kept."""

import json
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, hall
from journals import BreakableFile, Disk, breakable
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode, UnseatedCode
from kings_server import admin_wishes as w
from kings_server.admin_doing import do
from kings_server.admin_socket import attend
from kings_server.house import House
from kings_server.limits import END_SECONDS, JOURNAL_SECONDS
from kings_server.log import logger
from kings_server.table import Table
from people import Person, new_id
from thinking import pool

HANGING = 3600.0
ENDED = m.Unseated(code=UnseatedCode.TABLE_ENDED)


def house_of(h: Hall) -> House:
    return House(h.lobby, h.listener, None, pool(None), lambda _: None, trio.current_time())


async def two(h: Hall) -> tuple[Person, Person, Table]:
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    return ann, ben, await h.match_of(ann, ben)


async def until_all_are_told(*people: Person) -> None:
    began = trio.current_time()
    for person in people:
        await person.until_told(ENDED)
    assert trio.current_time() - began <= END_SECONDS + 1


def end(h: Hall, table: Table) -> None:
    assert "ended" in do(house_of(h), w.End(table.settings.table), logger())


async def until_forgotten(file: BreakableFile, table: Table) -> None:
    with trio.fail_after(2 * HANGING):
        while file.read(table.settings.table) is not None:  # noqa: ASYNC110  the file's own news
            await trio.sleep(1)


async def test_nobody_is_told_that_a_table_has_ended_before_the_journal_has_forgotten_it(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, ben, table = await two(h)
        version, disk.seconds = ann.version, 2.0
        act = m.EndTurn(id=new_id(), version=version)
        await ann.send(act)
        await trio.sleep(1)
        end(h, table)
        late = m.Say(id=new_id(), text="one moment")
        await ben.send(late)
        done = await ann._reply_to(act)
        assert isinstance(done, m.Done), "what was under way is kept and answered"
        await trio.sleep(1.9)
        assert ENDED not in ann.others + ben.others
        assert h.lobby.tables
        await until_all_are_told(ann, ben)
        assert file.read(table.settings.table) is None
        refused = await ben._reply_to(late)
        assert isinstance(refused, m.Refused)
        assert refused.code == RefusalCode.NO_SUCH_TABLE
        assert not h.lobby.tables
    file.close()


@pytest.mark.parametrize("seconds", [1.0, JOURNAL_SECONDS + 5, JOURNAL_SECONDS + 600])
async def test_a_table_ends_while_the_disk_hangs(
    autojump_clock: MockClock, tmp_path: Path, seconds: float
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, ben, table = await two(h)
        disk.seconds = HANGING
        act = m.EndTurn(id=new_id(), version=ann.version)
        await ann.send(act)
        await trio.sleep(seconds)
        disk.seconds = 0
        end(h, table)
        await until_all_are_told(ann, ben)
        refused = await ann._reply_to(act)
        assert isinstance(refused, m.Refused)
        assert refused.code == RefusalCode.NO_SUCH_TABLE
        assert not h.lobby.tables
        await until_forgotten(file, table)
        await ann.make_table()
    file.close()


async def test_a_table_ends_while_it_rereads_itself_from_a_disk_that_hangs(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, ben, table = await two(h)
        file.break_by(before=True)
        act = m.EndTurn(id=new_id(), version=ann.version)
        await ann.send(act)
        await trio.lowlevel.checkpoint()
        disk.seconds = HANGING
        await ann.until_told(m.Notice(code=NoticeCode.CANNOT_SAVE))
        end(h, table)
        await until_all_are_told(ann, ben)
        file.break_by()
        disk.seconds = 0
        await until_forgotten(file, table)
        assert ann.replied[act.id] == 1
    file.close()


@pytest.mark.parametrize("fault", ["read_only", "before", "gone"])
async def test_a_table_that_cannot_save_ends_and_is_forgotten_once_the_disk_is_back(
    autojump_clock: MockClock, tmp_path: Path, fault: str
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann, ben, table = await two(h)
        file.break_by(**{fault: True})
        await ann.send(m.Say(id=new_id(), text="hello"))
        await ann.until_told(m.Notice(code=NoticeCode.CANNOT_SAVE))
        await trio.sleep(20)
        end(h, table)
        await until_all_are_told(ann, ben)
        await trio.sleep(60)
        file.break_by()
        await until_forgotten(file, table)
    file.close()


async def test_an_id_is_not_given_again_while_the_journal_may_have_its_table(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, ben, table = await two(h)
        ids = iter([table.settings.table, table.settings.table, "0" * 8])
        monkeypatch.setattr("kings_server.lobby.new_table_id", lambda: next(ids))
        disk.seconds = HANGING
        end(h, table)
        await until_all_are_told(ann, ben)
        await ann.send(m.MakeTable(id=new_id(), name="Attic", preset="pagat"))
        await trio.sleep(1)
        assert [one.settings.table for one in h.lobby.every] == ["0" * 8]
    file.close()


async def test_a_table_that_was_told_to_end_twice_ends_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(1)) as h:
        ann, ben, table = await two(h)
        end(h, table)
        end(h, table)
        await until_all_are_told(ann, ben)
        await trio.sleep(20)
        assert [one for one in ann.others if isinstance(one, m.Unseated)] == [ENDED]
        assert not h.lobby.tables
    file.close()


@pytest.mark.parametrize("hangs", [False, True])
async def test_an_admin_is_told_whether_the_end_is_kept(
    autojump_clock: MockClock, tmp_path: Path, hangs: bool
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, _, table = await two(h)
        await h.nursery.start(attend, house_of(h), tmp_path, logger())
        disk.seconds = HANGING if hangs else 1.0
        stream = await trio.open_unix_socket(tmp_path / "admin" / "socket")
        async with stream:
            await stream.send_all(w.written(w.End(table.settings.table)))
            answer = json.loads(await stream.receive_some())
        await ann.until_told(ENDED)
        if hangs:
            assert answer["error"].startswith("ended, but not forgotten")
        else:
            assert answer["ended"] == "Kitchen"
            assert file.read(table.settings.table) is None
    file.close()
