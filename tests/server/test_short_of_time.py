"""What becomes of a bot that has no time: a plain move, and the table says so."""

import trio
from trio.testing import MockClock

from answers import answers
from bot_deals import chance_of, chosen
from bot_times import short, timed, until_turn
from hall import hall
from kings_engine.actions import EndTurn
from kings_protocol import messages as m
from kings_server.bots.policy import APART
from kings_server.log import logger
from kings_server.thinkers import LATE_SECONDS, Choice, Thinkers
from thinking import Study, pool

PACE = {"pace": (600, 600)}
KEPT_BACK = "a card that opens a place is kept back"


async def test_who_gets_no_worker_waits_a_second_more_plays_plainly_and_the_table_says_so(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.1)
    study.start = 1000.0
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("expert",), **PACE)
        times = await timed(ann)
        assert times[0] == 0.6 + LATE_SECONDS
        assert short(ann)
        assert study.begun == []
        await until_turn(ann)
        await trio.sleep(1000)
        await timed(ann)
        assert not short(ann)


async def test_who_is_given_a_worker_in_that_second_plays_when_it_is_over_all_the_same(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.1)
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("expert",), **PACE)
        await until_turn(ann)
        study.start = 1.0  # from the next thought that is ended from outside
        study._is_there = False
        times = await timed(ann)
        assert times[0] == 0.6 + LATE_SECONDS
        assert not short(ann)


async def test_what_is_played_plainly_is_found_as_expert_finds_it(
    autojump_clock: MockClock,  # noqa: ARG001
) -> None:
    answer = next(one for one in answers() if one.name == KEPT_BACK)
    match, study = answer.match(), Study(60.0)
    assert match.turn is not None
    for level in APART:
        async with trio.open_nursery() as nursery:
            made = pool(study)
            await nursery.start(made.run)
            bots = Thinkers((600, 600), 1000, made, logger())
            await trio.sleep(bots.begin(level, match, match.turn))
            assert bots.choose(level, match, match.turn) == Choice(EndTurn(), short=True)
            nursery.cancel_scope.cancel()
    assert chosen(match, "medium", chance_of(1)) != EndTurn()


async def test_a_worker_that_dies_costs_a_plain_move_and_nothing_else(
    autojump_clock: MockClock,
) -> None:
    study = Study()
    study.failure = RuntimeError("the worker died")
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("hard",), **PACE)
        times = await timed(ann)
        assert times[0] == 0.6
        assert short(ann)
        assert not any(isinstance(one, m.Notice) for one in ann.others)
        study.failure = None
        await timed(ann)
        assert not short(ann)
