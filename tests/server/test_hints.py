"""Hints: what a table's rules allow, to whom, how often, and what goes on meanwhile."""

import pytest
import trio
from trio.testing import MockClock

from hall import cut, hall
from kings_engine.actions import EndTurn, parse_action
from kings_engine.view import legal_actions
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import HINTS_BURST, HINTS_PER_SECOND
from kings_server.thinkers import HINT_SECONDS, HINTING
from people import Person, act_of, new_id
from thinking import Study


def hint(version: int) -> m.GetHint:
    return m.GetHint(id=new_id(), version=version)


async def on_turn(*people: Person) -> tuple[Person, Person]:
    """Return who is on turn in the first deal of two, and the other."""
    for person in people:
        await person.until_deal(1)
    first, second = people
    return (first, second) if first.my_turn else (second, first)


async def test_a_hint_is_something_that_the_asker_can_do(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, other = await on_turn(*people)
        assert asker.view is not None
        assert asker.view.own is not None
        version = asker.view.public.version
        reply = await asker.ask_for(m.Hint, hint(version))
        assert reply.version == version
        assert parse_action(reply.action) in legal_actions(asker.view.own)
        refused = await other.ask_for(m.Refused, hint(version))
        assert refused.code == RefusalCode.NOT_NOW
        stale = await asker.ask_for(m.Refused, hint(version - 1))
        assert stale.code == RefusalCode.STALE_VERSION


async def test_a_hint_is_thought_about_with_what_the_asker_knows(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.3)
    async with hall(autojump_clock, study=study) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, _ = await on_turn(*people)
        began = trio.current_time()
        await asker.ask_for(m.Hint, hint(asker.version))
        assert trio.current_time() - began == HINT_SECONDS
        (asked,) = study.begun
        assert asked.level == "expert", "hard overlooks cards on purpose"
        assert asked.view == asker.view
        assert asked.history == tuple(asker.events)


async def test_a_hint_is_plainer_when_there_is_no_time_to_think(autojump_clock: MockClock) -> None:
    study = Study(600.0)
    async with hall(autojump_clock, study=study) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, _ = await on_turn(*people)
        assert asker.view is not None
        assert asker.view.own is not None
        began = trio.current_time()
        reply = await asker.ask_for(m.Hint, hint(asker.version))
        assert trio.current_time() - began == HINT_SECONDS
        assert parse_action(reply.action) in legal_actions(asker.view.own)


@pytest.mark.parametrize("bot", [0.0, 0.01, 0.05, 30.0])
async def test_a_hint_does_not_tell_how_long_a_bot_at_another_table_thinks(
    autojump_clock: MockClock, bot: float
) -> None:
    study = Study()
    async with hall(autojump_clock, study=study) as h:
        ann, spy = await h.guest("Ann"), await h.guest("Spy")
        await h.match_of(ann, bots=("hard",), pace=(600, 600))
        await h.match_of(spy, bots=("medium",))
        await ann.until(lambda: ann.my_turn)
        await spy.until(lambda: spy.my_turn)
        study.takes = lambda: bot if study.begun[-1].level == "hard" else 0.001
        begun = len(study.begun)
        await ann.act(EndTurn())
        await study.until_asked(begun + 1)
        began = trio.current_time()
        await spy.ask_for(m.Hint, hint(spy.version))
        assert trio.current_time() - began == HINT_SECONDS
        assert study.begun[-1].level == HINTING, "and another bot's thought kept nobody from it"


async def test_while_a_hint_is_thought_about_its_asker_is_served_but_given_no_second_one(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, study=Study(0.5)) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, other = await on_turn(*people)
        version = asker.version
        first = hint(version)
        await asker.send(first)
        second = await asker.ask_for(m.Refused, hint(version))
        assert second.code == RefusalCode.TOO_MANY_REQUESTS
        await asker.ask_for(m.Done, m.Say(id=new_id(), text="hm"))
        await asker.ask_for(m.Done, act_of(EndTurn(), version))
        assert first.id not in asker.replies
        await other.until(lambda: other.my_turn)
        reply = await asker._reply_to(first)
        assert isinstance(reply, m.Refused), "a hint for a position that has gone by"
        assert reply.code == RefusalCode.NOT_NOW


async def test_a_seat_is_given_one_hint_at_a_time_on_whatever_connection(
    autojump_clock: MockClock,
) -> None:
    study = Study(0.5)
    async with hall(autojump_clock, study=study) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, _ = await on_turn(*people)
        await asker.send(hint(asker.version))
        await study.until_asked(1)
        await cut(asker)
        again = await h.back(asker)
        await again.until_view()
        refused = await again.ask_for(m.Refused, hint(again.version))
        assert refused.code == RefusalCode.TOO_MANY_REQUESTS
        await trio.sleep(1)
        await again.ask_for(m.Hint, hint(again.version))


async def test_who_leaves_gets_no_hint_but_an_answer(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, study=Study(0.5)) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        await h.match_of(*people)
        asker = next(person for person in people if person.my_turn)
        asked = hint(asker.version)
        await asker.send(asked)
        await asker.ask_for(m.Done, m.Leave(id=new_id()))
        reply = await asker._reply_to(asked)
        assert isinstance(reply, m.Refused)
        assert reply.code == RefusalCode.NOT_AT_TABLE


async def test_who_leaves_as_the_last_one_gets_an_answer_as_well(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, study=Study(0.5)) as h:
        ann = await h.guest("Ann")
        await h.match_of(ann, bots=("medium",))
        await ann.until(lambda: ann.my_turn)
        asked = hint(ann.version)
        await ann.send(asked)
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        reply = await ann._reply_to(asked)
        assert isinstance(reply, m.Refused)
        assert reply.code == RefusalCode.NO_SUCH_TABLE
        await ann.make_table(2)


async def test_hints_are_given_only_so_often(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, _ = await on_turn(*people)
        assert asker.view is not None
        version = asker.view.public.version
        began, given = trio.current_time(), 0
        while True:
            asked = hint(version)
            await asker.send(asked)
            reply = await asker._reply_to(asked)
            if not isinstance(reply, m.Hint):
                break
            given += 1
        assert isinstance(reply, m.Refused)
        assert reply.code == RefusalCode.TOO_MANY_REQUESTS
        earned = HINTS_PER_SECOND * (trio.current_time() - began)
        assert HINTS_BURST <= given <= HINTS_BURST + earned
        await trio.sleep(2)
        await asker.ask_for(m.Hint, hint(version))


async def test_a_table_without_hints_gives_none(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people, knobs={"hints": False})
        asker, _ = await on_turn(*people)
        assert asker.view is not None
        refused = await asker.ask_for(m.Refused, hint(asker.view.public.version))
        assert refused.code == RefusalCode.HINTS_OFF
