"""A disk that fails: tables say so, refuse what could not be kept, and go on from what was kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import BreakableFile, Disk, breakable
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_server.limits import GROUP_SECONDS, JOURNAL_SECONDS, WAITING_REQUESTS
from people import Person, new_id

FAULTS = ({"read_only": True}, {"before": True}, {"gone": True})
"""What loses a commit."""


@asynccontextmanager
async def server(clock: MockClock, directory: Path) -> AsyncIterator[tuple[Hall, BreakableFile]]:
    """Run a server whose disk may fail."""
    file = breakable(directory)
    try:
        async with hall(clock, file=file) as h:
            yield h, file
    finally:
        file.close()


def noticed(person: Person, code: NoticeCode) -> bool:
    return any(isinstance(one, m.Notice) and one.code == code for one in person.others)


async def until_saving(person: Person, *, on: bool) -> None:
    await person.until(lambda: person.table is not None and person.table.saving is on)


def say(text: str) -> m.Say:
    return m.Say(id=new_id(), text=text)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: next(iter(fault)))
async def test_a_table_that_cannot_save_says_so_refuses_and_goes_on_where_it_was(
    autojump_clock: MockClock, tmp_path: Path, fault: dict[str, bool | int]
) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.match_of(ann, ben)
        version, view, match = ann.version, ann.view, table.match
        file.break_by(**fault)
        pending: list[m.Reply] = []

        async def ask_and_wait() -> None:
            pending.append(await ann.ask(m.EndTurn(id=new_id(), version=version)))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_and_wait)
            for person in (ann, ben):
                await until_saving(person, on=False)
                assert noticed(person, NoticeCode.CANNOT_SAVE)
            refused = await ben.ask_for(m.Refused, say("what now?"))
            assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
            await trio.sleep(300)
            file.break_by()
        assert isinstance(pending[0], m.Refused)
        assert pending[0].code == RefusalCode.JOURNAL_UNAVAILABLE
        await until_saving(ann, on=True)
        await ann.until(lambda: noticed(ann, NoticeCode.SAVED_AGAIN))
        assert (ann.version, ann.view, ben.version) == (version, view, version)
        assert table.match == match
        assert isinstance(await ann.play_once(), m.Done)
        await ben.until(lambda: ben.version == version + 1)


async def test_what_reached_the_disk_though_it_failed_is_shown_and_answered(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben)
        version = ann.version
        file.break_by(after=True)
        done = await ann.ask_for(m.Done, m.EndTurn(id=new_id(), version=version))
        assert done.version == version + 1
        await ben.until(lambda: ben.version == version + 1)
        await until_saving(ben, on=False)
        refused = await ben.ask_for(m.Refused, m.EndTurn(id=new_id(), version=version + 1))
        assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
        file.break_by()
        await until_saving(ben, on=True)
        assert isinstance(await ben.play_once(), m.Done)


async def test_people_come_and_go_while_nothing_can_be_saved(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben)
        file.break_by(before=True)
        await ann.ask_for(m.Refused, say("hello"))
        await cut(ben)
        await ann.until_state(1, "dropped")
        cleo = await h.guest("Cleo")
        assert ann.seat is not None
        await cleo.ask_for(m.Watching, m.Watch(id=new_id(), table=ann.seat.table))
        await cleo.until(lambda: cleo.view is not None)
        ben = await h.back(ben)
        await until_saving(ben, on=False)
        await ben.until_view()
        await ann.until_state(1, "seated")
        join = m.MakeTable(id=new_id(), name="Den", preset="pagat")
        dora = await h.guest("Dora")
        refused = await dora.ask_for(m.Refused, join)
        assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
        assert len(h.lobby.tables) == 1
        file.break_by()
        await until_saving(ann, on=True)
        await dora.ask_for(m.Seated, join)


async def test_no_time_runs_out_while_nothing_can_be_saved(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, knobs={"turn_seconds": 30})
        version = ann.version
        await trio.sleep(20)
        file.break_by(before=True)
        await ann.ask_for(m.Refused, say("hello"))
        await trio.sleep(600)
        file.break_by()
        await until_saving(ann, on=True)
        assert ann.version == version
        assert ann.my_turn
        assert ann.table is not None
        assert ann.table.turn_in is not None
        assert ann.table.turn_in >= 10_000
        await ben.until(lambda: ben.my_turn)


async def test_a_bot_waits_for_the_disk_too(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann = await h.guest("Ann", 1)
        await h.match_of(ann, bots=("easy",), pace=(5000, 5000))
        await ann.until(lambda: ann.my_turn)
        while ann.my_turn:
            await ann.play_once()
        version = ann.version
        file.break_by(before=True)
        await until_saving(ann, on=False)
        await trio.sleep(600)
        assert ann.version == version
        file.break_by()
        await ann.until(lambda: ann.my_turn)


async def test_nobody_sees_or_is_told_what_the_disk_does_not_have_yet(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(5)) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.match_of(ann, ben)
        before = (ann.version, ben.version)
        shown = [encode(person.table) for person in (ann, ben) if person.table is not None]
        line, began = table.line, trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.ask, m.EndTurn(id=new_id(), version=ann.version))
            await trio.sleep(0.1)
            nursery.start_soon(ben.ask, m.Leave(id=new_id()))
            await trio.sleep(4.8)
            assert table.match is not None
            assert table.match.version == before[0] + 1
            assert (ann.version, ben.version) == before
            assert not any(isinstance(one, m.Notice) and one.code == "left" for one in ann.others)
            assert table.line == line
            again = [encode(person.table) for person in (ann, ben) if person.table is not None]
            assert again == shown
            await ann.until(lambda: ann.version > before[0])
            assert trio.current_time() - began >= 5
            assert ann.state_of(1) == "seated"
            await ann.until_state(1, "bot")
            assert trio.current_time() - began >= 10
    file.close()


async def test_a_disk_that_hangs_keeps_nobody_waiting_but_the_one_whose_action_it_has(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben)
        version = ann.version
        disk.seconds = JOURNAL_SECONDS + 50
        async with trio.open_nursery() as nursery:
            began = trio.current_time()
            nursery.start_soon(ann.ask_for, m.Done, m.EndTurn(id=new_id(), version=version))
            await until_saving(ben, on=False)
            refused = await ben.ask_for(m.Refused, say("hello?"))
            assert refused.code == RefusalCode.JOURNAL_UNAVAILABLE
            waited = trio.current_time() - began
            assert waited == pytest.approx(JOURNAL_SECONDS, abs=GROUP_SECONDS)
            assert ben.version == version
            disk.seconds = 0
        assert trio.current_time() - began >= JOURNAL_SECONDS + 50
        await ben.until(lambda: ben.version == version + 1)
        await until_saving(ben, on=True)
        assert isinstance(await ben.play_once(), m.Done)
    file.close()


async def test_only_so_many_requests_wait_for_a_table_whose_disk_hangs(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        ann = await h.guest("Ann")
        seat = await ann.make_table(2)
        crowd = [await h.guest(f"W{number}") for number in range(WAITING_REQUESTS + 2)]
        disk.seconds = JOURNAL_SECONDS / 2
        await ann.send(m.Ready(id=new_id(), on=True))
        await trio.testing.wait_all_tasks_blocked()
        for person in crowd[:WAITING_REQUESTS]:
            await person.send(m.Watch(id=new_id(), table=seat.table))
        await trio.testing.wait_all_tasks_blocked()
        assert not any(person.replies for person in crowd)
        for person in crowd[WAITING_REQUESTS:]:
            refused = await person.ask_for(m.Refused, m.Watch(id=new_id(), table=seat.table))
            assert (refused.code, refused.seconds) == (RefusalCode.TOO_MANY_REQUESTS, 1)
        disk.seconds = 0
        for person in crowd[:WAITING_REQUESTS]:
            await person.until(lambda person=person: person.replies)  # type: ignore[misc]
        await crowd[0].ask_for(m.Done, m.Leave(id=new_id()))
        await crowd[-1].ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
    file.close()


async def test_a_connection_that_ends_while_its_seat_is_being_saved_holds_no_seat(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file, disk=Disk(5)) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2)
        await ben.send(m.Join(id=new_id(), table=seat.table))
        await trio.sleep(1)
        await cut(ben)
        await ann.until_state(1, "dropped")
        await ann.until_state(1, "open")
    file.close()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: next(iter(fault)))
async def test_a_hint_asked_for_as_the_disk_fails_is_replied_to_once(
    autojump_clock: MockClock, tmp_path: Path, fault: dict[str, bool | int]
) -> None:
    async with server(autojump_clock, tmp_path) as (h, file):
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, away_seconds=30)
        await ben.until_state(0, "dropped")  # so that the request changes what is kept
        file.break_by(**fault)
        wish = m.GetHint(id=new_id(), version=ann.version)
        assert isinstance(await ann.ask(wish), m.Hint)
        await until_saving(ann, on=False)
        await trio.sleep(60)
        file.break_by()
        await until_saving(ann, on=True)
        assert ann.replied[wish.id] == 1
        assert not ann.ended
