"""Hints: what a table's rules allow, to whom, and how often."""

import trio
from trio.testing import MockClock

from hall import hall
from kings_engine.actions import parse_action
from kings_engine.view import legal_actions
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import HINTS_BURST
from people import Person, new_id


def hint(version: int) -> m.GetHint:
    return m.GetHint(id=new_id(), version=version)


async def on_turn(*people: Person) -> tuple[Person, Person]:
    """Return who is on turn in the first deal of two, and the other."""
    for person in people:
        await person.until_deal(1)
    first, second = people
    assert first.view is not None
    mine = first.view.own is not None and first.view.public.turn == first.view.own.seat
    return (first, second) if mine else (second, first)


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


async def test_hints_are_given_only_so_often(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben")]
        await h.match_of(*people)
        asker, _ = await on_turn(*people)
        assert asker.view is not None
        version = asker.view.public.version
        for _ in range(HINTS_BURST):
            await asker.ask_for(m.Hint, hint(version))
        refused = await asker.ask_for(m.Refused, hint(version))
        assert refused.code == RefusalCode.TOO_MANY_REQUESTS
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
