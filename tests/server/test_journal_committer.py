"""The committer: whole groups with one synchronisation, nothing released early, and failures."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from journals import BreakableFile, Disk, breakable, bulky, committing, inline
from kings_server.committer import Committer, in_thread
from kings_server.journal import JournalUnavailable
from kings_server.journal_file import JournalFile
from kings_server.journal_rows import keep_state, keep_table
from kings_server.limits import GROUP_SECONDS, JOURNAL_RETRY, JOURNAL_SECONDS

LIMIT = 600


async def refused(committer: Committer, *numbers: int) -> None:
    """Hand in writes that the journal does not keep."""
    async with trio.open_nursery() as nursery:
        for number in numbers:
            nursery.start_soon(_refused, committer, number)


async def _refused(committer: Committer, number: int) -> None:
    with pytest.raises(JournalUnavailable):
        await committer.commit(bulky(number))


async def test_hundreds_wait_for_a_few_transactions(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file, Disk(0.01)) as committer:

            async def table(number: int) -> None:
                for move in range(5):
                    await committer.commit([keep_table(f"t{number}", "", str(move))])
                    saved = await committer.reread(f"t{number}")
                    assert saved is not None
                    assert saved.state == str(move)

            async with trio.open_nursery() as tables:
                for number in range(300):
                    tables.start_soon(table, number)
            assert committer.commits <= 12
    assert len(file.load()) == 300
    file.close()


async def test_nobody_is_released_before_the_disk_has_it(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file, Disk(3)) as committer, trio.open_nursery() as nursery:
            began = trio.current_time()
            nursery.start_soon(committer.commit, [keep_table("t", "", "")])
            await trio.sleep(1)
            await committer.commit([keep_table("u", "", "")])
            assert trio.current_time() - began == 6
            assert len(file.load()) == 2
    file.close()


async def test_moves_that_come_one_by_one_share_transactions_and_one_alone_waits_for_nothing(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    file, moves = breakable(tmp_path), 100
    with trio.fail_after(LIMIT):
        async with committing(file, Disk(0.001)) as committer:
            took: list[float] = []

            async def move(number: int) -> None:
                began = trio.current_time()
                await committer.commit([keep_table(f"t{number}", "", "")])
                took.append(trio.current_time() - began)

            async with trio.open_nursery() as nursery:
                for number in range(moves):
                    nursery.start_soon(move, number)
                    await trio.sleep(GROUP_SECONDS / 4)
            assert moves / 5 <= committer.commits <= moves / 3
            assert max(took) < GROUP_SECONDS + 0.002
            await trio.sleep(GROUP_SECONDS)
            await move(moves)
            assert took[-1] == pytest.approx(0.001)
    file.close()


class HeldFile(JournalFile):
    """A file whose commits wait until they are let go."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun = threading.Event()
        self.let_go = threading.Event()

    def _finish(self, connection: object) -> None:
        self.begun.set()
        assert self.let_go.wait(10)
        super()._finish(connection)  # type: ignore[arg-type]  # only passed on


async def test_the_event_loop_never_waits_for_the_disk(tmp_path: Path) -> None:
    file = HeldFile(tmp_path / "journal.sqlite")
    file.begin()
    with trio.fail_after(10):
        async with committing(file, in_thread) as committer, trio.open_nursery() as nursery:
            nursery.start_soon(committer.commit, [keep_table("t", "", "")])
            while not file.begun.is_set():
                await trio.lowlevel.checkpoint()
            file.let_go.set()
        assert [table.table for table in file.load()] == ["t"]
    file.close()


async def test_a_waiter_that_is_cancelled_costs_the_others_nothing(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file, Disk(3)) as committer:
            with trio.move_on_after(1) as scope:
                await committer.commit([keep_table("t", "", "")])
            assert scope.cancelled_caught
            await committer.commit([keep_table("u", "", "")])
    file.close()


FAULTS = ({"pages": 20}, {"read_only": True}, {"before": True}, {"after": True})


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: next(iter(fault)))
async def test_a_group_that_fails_is_told_so_and_the_next_is_kept_once_the_disk_is_well(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, fault: dict[str, bool | int]
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file) as committer:
            await committer.commit([keep_table("t", "", "first")])
            file.break_by(**fault)
            await refused(committer, *range(20))
            await _refused(committer, 21)
            await trio.sleep(60)
            await _refused(committer, 22)
            file.break_by()
            await trio.sleep(JOURNAL_RETRY[1])
            await committer.commit([keep_state("t", "second"), *bulky(23)])
            saved = await committer.reread("t")
            assert saved is not None
            assert saved.state == "second"
    file.close()


@pytest.mark.parametrize("fault", ["before", "after"])
async def test_rereading_tells_what_a_failure_left_unknown(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, fault: str
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file) as committer:
            await committer.commit([keep_table("t", "", "first")])
            file.break_by(**{fault: True})
            with pytest.raises(JournalUnavailable):
                await committer.commit([keep_state("t", "second")])
            saved = await committer.reread("t")
            assert saved is not None
            assert saved.state == ("second" if fault == "after" else "first")
            assert await committer.reread("u") is None
    file.close()


async def test_a_disk_that_hangs_is_given_up_and_reread_when_it_answers(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    file = breakable(tmp_path)
    hang = JOURNAL_SECONDS + 20
    with trio.fail_after(LIMIT):
        async with committing(file, Disk(hang)) as committer, trio.open_nursery() as nursery:

            async def late() -> None:
                await trio.sleep(1)
                with pytest.raises(JournalUnavailable):
                    await committer.commit([keep_table("late", "", "")])

            nursery.start_soon(late)
            with pytest.raises(JournalUnavailable, match="does not answer"):
                await committer.commit([keep_table("t", "", "")])
            assert trio.current_time() < hang
            assert await committer.reread("t") is not None
            assert await committer.reread("late") is None
    file.close()


async def test_a_disk_that_answers_in_the_very_moment_it_is_given_up_is_used_again(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    assert autojump_clock is not None
    disk = Disk(JOURNAL_SECONDS)
    file = breakable(tmp_path)
    with trio.fail_after(LIMIT):
        async with committing(file, disk) as committer:
            for number in range(12):  # which of both comes first is chance
                disk.seconds = JOURNAL_SECONDS
                with suppress(JournalUnavailable):
                    await committer.commit([keep_table(f"t{number}", "", "")])
                disk.seconds = 0
                await trio.sleep(10)
                await committer.commit([keep_table(f"u{number}", "", "")])
    file.close()


async def test_recovery_reads_from_a_file_opened_anew(tmp_path: Path) -> None:
    file: BreakableFile = breakable(tmp_path)
    with trio.fail_after(10):
        async with committing(file, inline) as committer:
            await committer.commit([keep_table("t", "", "first")])
            file.close()
            saved = await committer.reread("t")
            assert saved is not None
    file.close()
