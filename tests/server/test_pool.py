"""Where bots think: in turn, so many at a time, and no longer than anybody wants the answer."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import StringIO

import pytest
import trio
from trio.testing import MockClock

from bot_deals import dealt
from kings_engine.presets import preset_rules
from kings_server import pool as pools
from kings_server.bots.question import Question, answer, ask
from kings_server.pool import FINISHING_SECONDS, Pool, Thought
from thinking import Study, pool


def question(seed: int = 0) -> Question:
    match = dealt(preset_rules("pagat", {"players": 2}), 1)
    assert match.turn is not None
    return ask("expert", match, match.turn, seed)


@asynccontextmanager
async def running(clock: MockClock, study: Study, workers: int = 1) -> AsyncIterator[Pool]:
    assert trio.lowlevel.current_clock() is clock
    made = pool(study, workers)
    async with trio.open_nursery() as nursery:
        await nursery.start(made.run)
        yield made
        nursery.cancel_scope.cancel()


async def test_a_thought_brings_the_answer_and_says_when_it_ends(autojump_clock: MockClock) -> None:
    ended = trio.Event()
    async with running(autojump_clock, Study(0.5)) as made:
        thought = made.think(question(), trio.current_time() + 1, ended.set)
        assert not thought.ended
        await ended.wait()
    assert thought.ended
    assert thought.answer == answer(question())
    assert trio.current_time() == 0.5


async def test_who_came_first_is_served_first_and_so_many_at_a_time(
    autojump_clock: MockClock,
) -> None:
    order: list[tuple[int, float]] = []

    def noted(number: int) -> Callable[[], None]:
        return lambda: order.append((number, trio.current_time()))

    study = Study(1.0)
    async with running(autojump_clock, study, workers=2) as made:
        for number in range(6):
            made.think(question(number), trio.current_time() + 60, noted(number))
            await trio.sleep(0.001)
        await trio.sleep(60)
    assert [asked.seed for asked in study.begun] == list(range(6))
    assert [int(when) for _, when in order] == [1, 1, 2, 2, 3, 3]


async def test_who_gets_no_worker_in_time_gets_no_answer_and_takes_nobodys_time(
    autojump_clock: MockClock,
) -> None:
    study = Study(3.0)
    async with running(autojump_clock, study) as made:
        first = made.think(question(1), trio.current_time() + 10)
        await trio.sleep(0.01)
        late = made.think(question(2), trio.current_time() + 1)
        await trio.sleep(1.1)
        assert (late.ended, late.answer) == (True, ())
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
        assert (thought.ended, thought.answer, study.ended) == (True, (), 0)


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
        assert thought.ended
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
        assert unwanted.ended
    assert [asked.seed for asked in study.begun] == [1]


async def test_a_failure_is_logged_without_a_card_and_hurts_no_other_thought(
    autojump_clock: MockClock, log: StringIO
) -> None:
    study = Study()
    study.failure = RuntimeError("KS")
    async with running(autojump_clock, study) as made:
        failed = made.think(question(), 60.0)
        await trio.sleep(1)
        assert (failed.ended, failed.answer) == (True, ())
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
        assert [thought.ended for thought in thoughts] == [False, False, False, True, True]
        await trio.sleep(10)
        assert [bool(thought.answer) for thought in thoughts] == [True, True, True, False, False]
