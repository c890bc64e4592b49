"""The processes in which bots think: what they answer, what they yield, and when they end."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path

import psutil
import pytest
import trio
from attrs import evolve

from bot_deals import dealt
from kings_engine.presets import preset_rules
from kings_protocol.codes import RefusalCode
from kings_server import kernel_fault, processes, service
from kings_server.bots.question import Question, answer, ask
from kings_server.config import Config
from kings_server.log import Log, logger
from kings_server.offered import refusal_of
from kings_server.pool import Pool, RunApart
from kings_server.processes import worker_count, worker_processes
from kings_server.worker import NICENESS

LIMIT = 30

SLOW = """
import sys, time
if any("spawn_main" in word for word in sys.orig_argv):
    time.sleep(2.5)
"""


def question() -> Question:
    match = dealt(preset_rules("pagat", {"players": 2}), 1)
    assert match.turn is not None
    return ask("expert", match, match.turn, 7)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine's workers may take their time to end: these tests are not about that."""
    monkeypatch.setattr(processes, "CLOSING_SECONDS", LIMIT / 2)


@asynccontextmanager
async def running() -> AsyncIterator[tuple[Pool, RunApart]]:
    with trio.fail_after(LIMIT):
        async with worker_processes(logger()) as run_apart, trio.open_nursery() as nursery:
            made = Pool(run_apart, 1, logger())
            await nursery.start(made.run)
            yield made, run_apart
            nursery.cancel_scope.cancel()


async def thought_of(pool: Pool, seconds: float = LIMIT) -> object:
    thought = pool.think(question(), trio.current_time() + seconds)
    await thought.ended.wait()
    return thought.answer


async def test_a_bot_answers_the_same_in_a_process_of_its_own(log: StringIO) -> None:
    async with running() as (pool, run_apart):
        assert await thought_of(pool) == answer(question())
        process = await run_apart(os.getpid)
        assert process != os.getpid()
    assert not psutil.pid_exists(process)
    assert log.getvalue() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no niceness")
async def test_workers_yield_to_the_server() -> None:
    async with running() as (_, run_apart):
        niceness = await run_apart(os.nice, 0)
    assert niceness == min(os.nice(0) + NICENESS, 19)


async def test_a_worker_that_is_killed_costs_one_answer(log: StringIO) -> None:
    async with running() as (pool, run_apart):
        with pytest.raises(Exception, match="died"):
            await run_apart(os.kill, await run_apart(os.getpid), signal.SIGTERM)
        assert await thought_of(pool) == answer(question())
        os.kill(await run_apart(os.getpid), signal.SIGTERM)
        assert await thought_of(pool) in ((), answer(question()))
        assert await thought_of(pool) == answer(question())
    assert "did not end in order" not in log.getvalue()


async def test_workers_that_start_slowly_answer_once_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with running() as (pool, run_apart):
        for _ in range(2):
            answered = [bool(await thought_of(pool, 1.0)) for _ in range(10)]
            assert not answered[0]
            assert answered[-1]
            os.kill(await run_apart(os.getpid), signal.SIGKILL)


@pytest.mark.usefixtures("compiled")
async def test_a_worker_has_loaded_the_kernel_before_anybody_asks() -> None:
    async with running() as (_, run_apart):
        assert await run_apart(eval, "'numba' in __import__('sys').modules")


@pytest.mark.usefixtures("compiled")
async def test_a_worker_that_finds_too_little_of_something_breaks_no_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: StringIO
) -> None:
    monkeypatch.setattr(kernel_fault, "_faults", [])
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise OSError(24, 'too many open files')")
    monkeypatch.syspath_prepend(tmp_path)
    async with running() as (pool, _):
        assert await thought_of(pool) == answer(question())
    assert refusal_of("master") is None
    assert log.getvalue() == ""


@pytest.mark.usefixtures("compiled")
async def test_a_kernel_that_cannot_be_loaded_takes_no_other_level_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: StringIO
) -> None:
    monkeypatch.setattr(kernel_fault, "_faults", [])
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ImportError('needs an older NumPy')")
    monkeypatch.syspath_prepend(tmp_path)
    assert refusal_of("master") is None
    async with running() as (pool, _):
        assert await thought_of(pool) == answer(question())
        asked = evolve(question(), level="master", seconds=0.1)
        thought = pool.think(asked, trio.current_time() + LIMIT)
        await thought.ended.wait()
        assert thought.answer == answer(question()), "which is expert's"
    assert refusal_of("master") == RefusalCode.LEVEL_BROKEN
    assert refusal_of("expert") is None
    assert log.getvalue().count("needs an older NumPy") == 1
    assert "bot failed" not in log.getvalue()


async def test_a_thought_that_is_cut_short_ends_its_process() -> None:
    async with running() as (_, run_apart):
        process = await run_apart(os.getpid)
        with trio.move_on_after(0.2):
            await run_apart(signal.pause)
        assert not psutil.pid_exists(process)


@pytest.mark.parametrize(("asked", "workers"), [(None, 7), (3, 3)])
async def test_a_server_has_a_worker_for_each_core_but_one_or_as_many_as_it_was_told(
    monkeypatch: pytest.MonkeyPatch, asked: int | None, workers: int
) -> None:
    class Counting(Pool):
        def __init__(self, run_apart: RunApart, workers: int, log: Log) -> None:
            super().__init__(run_apart, workers, log)
            raise InterruptedError(workers)

    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(service, "Pool", Counting)
    with trio.fail_after(LIMIT), pytest.raises(InterruptedError, match=str(workers)):
        await service.serve(Config(bots_thinking=asked), logger(), lambda *_: None)


def test_there_is_a_worker_even_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, workers in ((None, 1), (1, 1), (2, 1), (8, 7)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert worker_count() == workers
