"""Bots at a table: their pace, what it tells, and what they do while other things happen."""

import random
from pathlib import Path

import pytest
import trio
from attrs import fields
from trio.testing import MockClock

from bot_times import beyond, short, timed, until_turn
from hall import cut, hall
from journals import breakable
from kings_engine.actions import EndTurn, Play, SeatAction, Timeout
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from kings_server import offered, thinkers
from kings_server.bots import kernel_ready
from kings_server.bots.policy import LEVELS
from kings_server.bots.question import Question
from kings_server.pool import Thought
from kings_server.table import Table
from people import Person, new_id
from thinking import Study

PACE = {"pace": (600, 600)}


async def schedule(
    clock: MockClock, level: str, chance: random.Random
) -> tuple[object, list[float]]:
    """Return the hands of a new deal, and when bots whose pauses are always the same move in it."""
    study = Study()
    study.takes = lambda: chance.uniform(0, 0.6)
    async with hall(clock, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=(level,) * 3, pace=(600, 1500), thinking=100)
        await ann.until(lambda: ann.my_turn)
        assert table.match is not None
        assert table.match.deal is not None
        table.thinkers.tempo.seed(1)
        return table.match.deal.hands, await timed(ann)


@pytest.fixture
def master_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let master be offered; it plays expert's choice where its kernel is not compiled."""
    monkeypatch.setattr(offered, "why_not", lambda _: None)
    monkeypatch.setattr(kernel_ready, "why_not", lambda: kernel_ready.Why.NOT_COMPILED)


# ---- pace


async def test_bots_take_their_time(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 3)
        await h.match_of(ann, bots=("medium", "easy"), pace=(600, 1500))
        times = await timed(ann)
        steps = [later - sooner for sooner, later in zip([0.0, *times], times, strict=False)]
        assert len(times) >= 2
        assert all(0.6 <= step <= 1.501 for step in steps)


@pytest.mark.usefixtures("master_here")
@pytest.mark.parametrize("level", LEVELS)
async def test_when_bots_move_depends_on_no_card(autojump_clock: MockClock, level: str) -> None:
    chance = random.Random(5)  # noqa: S311
    hands, times = zip(
        *[await schedule(autojump_clock, level, chance) for _ in range(4)], strict=True
    )
    assert len(set(hands)) > 1
    shortest = min(map(len, times))
    assert shortest >= 3
    assert len({tuple(one[:shortest]) for one in times}) == 1


@pytest.mark.usefixtures("master_here")
@pytest.mark.parametrize(
    ("level", "settings", "shown"),
    [
        ("expert", {"pace": (600, 600)}, 0.6),
        ("expert", {"pace": (0, 0)}, 0.2),
        ("master", {"pace": (600, 600), "thinking": 1000}, 1.0),
        ("master", {"pace": (600, 600), "thinking": 100}, 0.6),
        ("master", {"pace": (0, 0), "thinking": 3000}, 3.0),
    ],
)
async def test_a_move_is_made_when_its_pause_is_over_however_long_the_thought_took(
    autojump_clock: MockClock, level: str, settings: dict[str, object], shown: float
) -> None:
    for takes in (0.0, shown - 0.01, shown + 0.001, shown + 0.15, 60.0):
        study = Study(takes)
        async with hall(autojump_clock, study=study) as h:
            ann = await h.guest("Ann")
            await h.match_of(ann, bots=(level,), **settings)
            await until_turn(ann)
            study.begun.clear()
            times = await timed(ann)
            while not study.begun:  # a turn in which everybody saw that it had to end
                times = await timed(ann)
            assert times[0] == shown
            assert short(ann) == (takes > shown)


@pytest.mark.usefixtures("master_here")
@pytest.mark.parametrize(
    ("settings", "given"),
    [
        ({"pace": (600, 600), "thinking": 1000}, 0.8),
        ({"pace": (1500, 1500), "thinking": 1000}, 1.0),
        ({"pace": (600, 600), "thinking": 100}, 0.1),
        ({"pace": (0, 0), "thinking": 100}, 0.1),
    ],
)
async def test_master_thinks_for_as_long_as_it_may_less_the_way_where_its_pause_ends_then(
    autojump_clock: MockClock, settings: dict[str, object], given: float
) -> None:
    study = Study()
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("master",), **settings)
        await timed(ann)
        assert {round(question.seconds, 3) for question in study.begun} == {given}
        assert not short(ann)


async def test_a_turn_is_planned_once(autojump_clock: MockClock) -> None:
    study = Study()
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("expert",), **PACE)
        for _ in range(10):
            await timed(ann)
            if not ann.phase("playing", "between"):
                break
        assert table.match is not None
        moves = [step for step in table.match.steps if step.actor == 1]
        turns = {(asked.view.public.deal, asked.view.public.turn_number) for asked in study.begun}
        assert len(study.begun) == len(turns) < len(moves)


# ---- mistakes


def crash(_: Question) -> tuple[SeatAction, ...]:
    raise RuntimeError("a bot's mistake")


def cheat(question: Question) -> tuple[SeatAction, ...]:
    assert question.view.own is not None
    stranger = next(card for card in range(52) if card not in question.view.own.hand)
    return (Play(stranger, 0),)


@pytest.mark.parametrize("bad", [crash, cheat])
async def test_a_bots_mistake_costs_its_move_and_nothing_else(
    bad: object, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 3)
        table = await h.match_of(ann, bots=("medium",))
        await ann.until(lambda: ann.my_turn)
        monkeypatch.setattr(thinkers, "answer", bad)
        version = ann.version + 1
        await ann.ask_for(m.Done, m.EndTurn(id=new_id(), version=ann.version))
        await ann.until(lambda: ann.my_turn and ann.version > version)
        assert table.match is not None
        assert isinstance(table.match.steps[-1].action, Timeout)
        assert m.Notice(code=NoticeCode.BOT_FAILED, seat=1, name="medium") in ann.others
        assert ann.state_of(1) == "bot"
        assert isinstance(await ann.play_once(), m.Done)


# ---- those who take the time that they are given


@pytest.mark.usefixtures("master_here")
async def test_many_masters_share_the_time_and_say_so(autojump_clock: MockClock) -> None:
    study = Study()
    study.takes = lambda: study.begun[-1].seconds
    async with hall(autojump_clock, study=study) as h, trio.open_nursery() as nursery:
        people = [await h.guest(f"P{number}") for number in range(20)]
        for person in people:
            await h.match_of(person, bots=("master",), **PACE)
            await until_turn(person)
        study.begun.clear()
        for person in people:
            nursery.start_soon(timed, person)
        await study.until_asked(20)
        await trio.sleep(60)
        assert study.ended >= 20, "everybody was given a worker"
        assert sum(question.seconds for question in study.begun[:20]) < 2.0
        assert all(short(person) for person in people)


# ---- what happens meanwhile


async def thinking(table: Table, person: Person, study: Study) -> Thought:
    """End a person's turn, and return what the next bot is thinking about then."""
    await person.until(lambda: person.my_turn)
    begun = len(study.begun)
    await person.act(EndTurn())
    await study.until_asked(begun + 1)
    assert table.thinkers._thought is not None
    return table.thinkers._thought


async def test_a_pause_ends_the_thinking_and_it_begins_anew_when_the_match_goes_on(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.5)
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("expert",), **PACE)
        thought = await thinking(table, ann, study)
        asked, ended, version = len(study.begun), study.ended, ann.version
        await ann.ask_for(m.Done, m.Pause(id=new_id(), on=True))
        await trio.sleep(60)
        assert (thought.ended.is_set(), thought.answer, study.ended) == (True, (), ended)
        assert (ann.version, len(study.begun)) == (version, asked)
        await ann.ask_for(m.Done, m.Pause(id=new_id(), on=False))
        await ann.until(lambda: ann.version > version)
        assert len(study.begun) == asked + 1
        assert not short(ann)


async def test_a_table_that_ends_thinks_no_more(autojump_clock: MockClock) -> None:
    study = Study(0.5)
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("expert",), absent="forfeit", **PACE)
        thought = await thinking(table, ann, study)
        ended = study.ended
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await trio.sleep(60)
        assert not h.lobby.tables
        assert (thought.ended.is_set(), study.ended) == (True, ended)


async def test_a_player_who_gives_up_meanwhile_has_the_bot_think_anew(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.3)
    async with hall(autojump_clock, study=study) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, ben, bots=("expert",), absent="forfeit", **PACE)
        await ann.until(lambda: ann.my_turn or ben.my_turn)
        if ann.my_turn:
            await ann.act(EndTurn())
        thought = await thinking(table, ben, study)
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        assert table.thinkers._thought is not thought
        await ben.until(lambda: ben.my_turn or not ben.phase("playing"))
        assert thought.ended.is_set()
        assert thought.answer == ()
        assert not short(ben, 2)


async def test_a_bot_thinks_on_when_another_seat_is_taken_over(autojump_clock: MockClock) -> None:
    study = Study(0.5)
    async with hall(autojump_clock, study=study) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, ben, bots=("expert",), **PACE)
        await ann.until(lambda: ann.my_turn or ben.my_turn)
        if ann.my_turn:
            await ann.act(EndTurn())
        thought = await thinking(table, ben, study)
        began = trio.current_time()
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        assert ben.state_of(0) == "bot"
        assert table.thinkers._thought is thought
        await beyond(ben, ben.version)
        assert trio.current_time() - began <= 0.6


async def test_a_disk_that_fails_ends_the_thinking_until_it_works_again(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, study = breakable(tmp_path), Study(0.5)
    async with hall(autojump_clock, file=file, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("expert",), **PACE)
        thought = await thinking(table, ann, study)
        version = ann.version
        file.break_by(before=True)
        await ann.ask_for(m.Refused, m.Say(id=new_id(), text="hm"))
        await trio.sleep(60)
        assert (thought.ended.is_set(), thought.answer) == (True, ())
        assert ann.version == version
        file.break_by()
        await beyond(ann, version)
        assert not short(ann)
    file.close()


async def test_a_bot_thinks_anew_when_the_server_was_killed_while_it_did(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    study = Study(0.5)
    async with hall(autojump_clock, file=file, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("hard",), **PACE)
        await thinking(table, ann, study)
        version = ann.version
    file.close()
    file, again = breakable(tmp_path), Study(0.5)
    async with hall(autojump_clock, file=file, study=again) as h:
        ann = await h.back(ann)
        await ann.until(lambda: ann.version > version)
        assert again.begun[0].view == study.begun[-1].view
    file.close()


async def test_a_bot_goes_on_when_its_only_person_comes_back(autojump_clock: MockClock) -> None:
    study = Study(0.5)
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        table = await h.match_of(ann, bots=("expert",), **PACE)
        thought = await thinking(table, ann, study)
        version = ann.version
        await cut(ann)
        await trio.sleep(60)
        assert thought.ended.is_set()
        assert table.match is not None
        assert table.match.version == version
        ann = await h.back(ann)
        await ann.until(lambda: ann.version > version)


async def test_a_bot_is_told_what_its_seat_knows_and_nothing_else(
    autojump_clock: MockClock,
) -> None:
    study = Study()
    async with hall(autojump_clock, study=study) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("expert",), **PACE)
        await ann.play_once(0.0)
        await ann.until(lambda: ann.my_turn or not ann.phase("playing"))
    for question in study.begun:
        assert question.view.own is not None
        assert question.view.own.seat == 1
    names = {field.name for field in fields(Question)}
    assert names == {"level", "view", "history", "rules", "seed", "seconds"}
