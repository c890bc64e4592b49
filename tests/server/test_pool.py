"""Where bots think: in turn, so many at a time, and no longer than anybody wants the answer."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from io import StringIO
from typing import TypeVar, TypeVarTuple

import pytest
import trio
from trio.testing import MockClock

from bot_deals import dealt
from kings_engine.presets import preset_rules
from kings_server import pool as pools
from kings_server.bots.question import Question, answer, ask
from kings_server.log import logger
from kings_server.pool import FINISHING_SECONDS, Pool, Thought
from thinking import Study, pool

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def question(seed: int = 0, seconds: float = 0.0) -> Question:
    match = dealt(preset_rules("pagat", {"players": 2}), 1)
    assert match.turn is not None
    return ask("expert", match, match.turn, seed, seconds)


async def until_ended(thought: Thought, within: float = 100.0) -> float:
    """Wait until a thought ends, and return after how many seconds."""
    began = trio.current_time()
    with trio.fail_after(within):
        await thought.ended.wait()
    return round(trio.current_time() - began, 2)


@asynccontextmanager
async def running(clock: MockClock, study: Study, workers: int = 1) -> AsyncIterator[Pool]:
    assert trio.lowlevel.current_clock() is clock
    made = pool(study, workers)
    async with trio.open_nursery() as nursery:
        await nursery.start(made.run)
        yield made
        nursery.cancel_scope.cancel()


async def test_a_thought_brings_the_answer(autojump_clock: MockClock) -> None:
    async with running(autojump_clock, Study(0.5)) as made:
        thought = made.think(question(), trio.current_time() + 1)
        assert not thought.ended.is_set()
        assert await until_ended(thought) == 0.5
    assert thought.answer == answer(question())
    assert not thought.short


async def test_who_came_first_is_served_first_and_so_many_at_a_time(
    autojump_clock: MockClock,
) -> None:
    study = Study(1.0)
    times: list[float] = []

    def takes() -> float:
        times.append(trio.current_time())
        return 1.0

    study.takes = takes
    async with running(autojump_clock, study, workers=2) as made:
        for number in range(6):
            made.think(question(number), trio.current_time() + 60)
            await trio.sleep(0.001)
        assert made.thinking == 2
        await trio.sleep(60)
        assert made.thinking == 0
    assert [asked.seed for asked in study.begun] == list(range(6))
    assert [int(when) for when in times] == [0, 0, 1, 1, 2, 2]


async def test_who_gets_no_worker_in_time_gets_no_answer_and_takes_nobodys_time(
    autojump_clock: MockClock,
) -> None:
    study = Study(3.0)
    async with running(autojump_clock, study) as made:
        first = made.think(question(1), trio.current_time() + 10)
        await trio.sleep(0.01)
        late = made.think(question(2), trio.current_time() + 1)
        await trio.sleep(1.1)
        assert (late.ended.is_set(), late.answer) == (True, ())
        third = made.think(question(3), trio.current_time() + 10)
        await trio.sleep(5)
        assert first.answer
        assert third.answer
    assert [asked.seed for asked in study.begun] == [1, 3]


async def test_who_thinks_for_too_long_is_ended(autojump_clock: MockClock) -> None:
    study = Study(60.0)
    async with running(autojump_clock, study) as made:
        thought = made.think(question(), 1.0)
        await trio.sleep(1 + FINISHING_SECONDS + 0.01)
        assert (thought.ended.is_set(), thought.answer, study.ended) == (True, (), 0)


@pytest.mark.parametrize(("left", "ended"), [(FINISHING_SECONDS / 2, 1), (5.0, 0)])
async def test_a_thought_that_nobody_wants_any_more_may_finish_only_if_that_is_soon(
    autojump_clock: MockClock, left: float, ended: int
) -> None:
    study = Study(1.0 + left)
    async with running(autojump_clock, study) as made:
        thought = made.think(question(), 60.0)
        await trio.sleep(1.0)
        thought.drop()
        await trio.sleep(FINISHING_SECONDS + 0.01)
        assert thought.ended.is_set()
        assert study.ended == ended


async def test_a_thought_that_waits_and_is_not_wanted_any_more_never_begins(
    autojump_clock: MockClock,
) -> None:
    study = Study(1.0)
    async with running(autojump_clock, study) as made:
        made.think(question(1), 60.0)
        await trio.sleep(0.01)
        unwanted = made.think(question(2), 60.0)
        await trio.sleep(0.5)
        unwanted.drop()
        await trio.sleep(5)
        assert unwanted.ended.is_set()
    assert [asked.seed for asked in study.begun] == [1]


async def test_a_failure_is_logged_without_a_card_and_hurts_no_other_thought(
    autojump_clock: MockClock, log: StringIO
) -> None:
    study = Study()
    study.failure = RuntimeError("KS")
    async with running(autojump_clock, study) as made:
        failed = made.think(question(), 60.0)
        await trio.sleep(1)
        assert (failed.ended.is_set(), failed.answer) == (True, ())
        study.failure = None
        thought = made.think(question(), 60.0)
        await trio.sleep(1)
        assert thought.answer
    assert "bot failed" in log.getvalue()
    assert "KS" not in log.getvalue()


async def test_the_queue_is_bounded(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "QUEUE", 2)
    async with running(autojump_clock, Study(1.0)) as made:
        thoughts: list[Thought] = []
        for number in range(5):
            thoughts.append(made.think(question(number), 60.0))
            await trio.sleep(0.001)
        assert [thought.ended.is_set() for thought in thoughts] == [False, False, False, True, True]
        await trio.sleep(10)
        assert [bool(thought.answer) for thought in thoughts] == [True, True, True, False, False]


# ---- workers that have to be started


async def test_a_worker_whose_start_takes_longer_than_any_thought_answers_once_it_is_there(
    autojump_clock: MockClock, log: StringIO
) -> None:
    study = Study(0.1)
    study.start = 5.0
    async with running(autojump_clock, study) as made:
        for _ in range(2):
            answered = []
            for _ in range(8):
                thought = made.think(question(), trio.current_time() + 1)
                assert await until_ended(thought) <= 1.0 + FINISHING_SECONDS
                answered.append(bool(thought.answer))
            assert answered[:4] == [False] * 4
            assert answered[6:] == [True] * 2
            study.takes = lambda: 60.0
            await until_ended(made.think(question(), trio.current_time() + 1))
            study.takes = lambda: 0.1
    assert log.getvalue().count("bots have no time") == 1


async def test_a_worker_that_was_ended_is_started_again_before_anybody_asks(
    autojump_clock: MockClock,
) -> None:
    study = Study(60.0)
    study.start = 5.0
    async with running(autojump_clock, study) as made:
        await until_ended(made.think(question(), trio.current_time() + 6))
        study.takes = lambda: 0.1
        await trio.sleep(5.0)
        thought = made.think(question(), trio.current_time() + 1)
        assert await until_ended(thought) == 0.1
        assert thought.answer


async def test_workers_are_started_before_they_are_needed_if_somebody_says_so(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.1)
    study.start = 3.0
    async with running(autojump_clock, study) as made:
        made.warm()
        await trio.sleep(pools.WARM_AFTER_SECONDS + study.start)
        thought = made.think(question(), trio.current_time() + 1)
        assert await until_ended(thought) == 0.1
        assert thought.answer


async def test_a_worker_that_cannot_be_started_is_tried_again(
    autojump_clock: MockClock, log: StringIO
) -> None:
    assert trio.lowlevel.current_clock() is autojump_clock
    fail = True

    async def run_apart(job: Callable[[*Ts], T], /, *args: *Ts) -> T:
        await trio.lowlevel.checkpoint()
        if fail:
            raise OSError("no more processes")
        return job(*args)

    async with trio.open_nursery() as nursery:
        made = Pool(run_apart, 1, logger())
        await nursery.start(made.run)
        late = made.think(question(), trio.current_time() + 1)
        assert await until_ended(late) == 1.0
        fail = False
        await trio.sleep(pools.RETRY_SECONDS)
        thought = made.think(question(), trio.current_time() + 1)
        assert await until_ended(thought) == 0.0
        assert thought.answer
        nursery.cancel_scope.cancel()
    assert "bots have no process" in log.getvalue()


async def test_who_waited_in_vain_leaves_no_call_for_a_worker_behind(
    autojump_clock: MockClock,
) -> None:
    study = Study(10.0)
    async with running(autojump_clock, study) as made:
        made.think(question(), trio.current_time() + 20)
        await trio.sleep(0.01)
        for _ in range(50):
            made.think(question(), trio.current_time() + 1)
        await trio.sleep(5)
        assert made._bots.calls.value == 0
        last = made.think(question(), trio.current_time() + 20)
        await until_ended(last)
        assert last.answer


# ---- those who take the time that they are given


@pytest.mark.parametrize("workers", [1, 4])
async def test_the_time_is_shared_by_all_who_wait_and_used_by_all_workers(
    autojump_clock: MockClock, workers: int
) -> None:
    study = Study()
    study.takes = lambda: study.begun[-1].seconds
    async with running(autojump_clock, study, workers) as made:
        until = trio.current_time() + 10
        thoughts = [made.think(question(seconds=10.0), until) for _ in range(5 * workers)]
        for thought in thoughts:
            await until_ended(thought)
        assert 6 < trio.current_time() < 10
        assert all(thought.answer and thought.short for thought in thoughts)


@pytest.mark.parametrize(
    ("seconds", "until", "given"), [(1.0, 1.0, 0.8), (1.0, 1.5, 1.0), (0.1, 0.2, 0.1)]
)
async def test_a_thought_that_takes_a_little_longer_than_it_was_given_is_in_time(
    autojump_clock: MockClock, seconds: float, until: float, given: float
) -> None:
    study = Study()
    study.takes = lambda: study.begun[-1].seconds + 0.75 * (until - given)
    async with running(autojump_clock, study) as made:
        thought = made.think(question(seconds=seconds), trio.current_time() + until)
        assert await until_ended(thought) < until
        assert thought.answer
        assert not thought.short
    assert study.begun[0].seconds == pytest.approx(given)


# ---- hints


async def test_a_hint_comes_at_its_time_whatever_bots_or_other_hints_think_about(
    autojump_clock: MockClock,
) -> None:
    study = Study()
    times: list[tuple[float, bool]] = []

    def note(thought: Thought) -> None:
        times.append((round(trio.current_time() - began, 3), bool(thought.answer)))

    async with running(autojump_clock, study) as made:
        for bot, other in ((0.0, 0.0), (0.05, 0.02), (30.0, 0.0), (30.0, 0.2), (0.0, 60.0)):
            began = trio.current_time()
            study.takes = partial(float, bot)
            made.think(question(), began + 10)
            await trio.sleep(0.001)
            study.takes = partial(float, other)
            made.hint(question(), began + 5, lambda _: None)
            await trio.sleep(0.001)
            study.takes = lambda: 0.1
            made.hint(question(), began + 0.5, note)
            await trio.sleep(60)
    assert times == [(0.5, True)] * 4 + [(0.5, False)]
