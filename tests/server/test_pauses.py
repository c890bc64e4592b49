"""A match stands still while all its people want it to, and goes on once they are back."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import breakable
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.table import Table
from people import Person, new_id

EVENING = 5 * 3600


async def two(h: Hall, **fields: object) -> tuple[Table, Person, Person]:
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    table = await h.match_of(ann, ben, **fields)
    assert ann.my_turn
    return table, ann, ben


async def want(person: Person, *, on: bool = True) -> None:
    await person.ask_for(m.Done, m.Pause(id=new_id(), on=on))


async def until_paused(person: Person, *, on: bool = True) -> None:
    await person.until_table(lambda table: table.paused == on)


def notices(person: Person, code: NoticeCode) -> list[int | None]:
    return [one.seat for one in person.others if isinstance(one, m.Notice) and one.code == code]


async def paused(h: Hall, **fields: object) -> tuple[Table, Person, Person]:
    table, ann, ben = await two(h, **fields)
    for person in (ann, ben):
        await want(person)
    await until_paused(ann)
    await until_paused(ben)
    return table, ann, ben


async def test_it_takes_all_people_to_pause_and_all_to_go_on(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        await want(ann)
        await ben.until_table(lambda table: table.seats[0].pause)
        assert ben.table is not None
        assert not ben.table.paused
        assert notices(ben, NoticeCode.PAUSE_WANTED) == [0]
        await want(ben)
        await until_paused(ann)
        act = m.EndTurn(id=new_id(), version=ann.version)
        assert (await ann.ask_for(m.Refused, act)).code == RefusalCode.PAUSED
        await want(ann, on=False)
        await ben.until_table(lambda table: not table.seats[0].pause)
        assert ben.table.paused
        await want(ben, on=False)
        await until_paused(ann, on=False)
        assert notices(ann, NoticeCode.PAUSED) == notices(ann, NoticeCode.GOES_ON) == [None]
        assert isinstance(await ann.play_once(), m.Done)


async def test_a_wish_can_be_taken_back(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        await want(ann)
        await want(ann, on=False)
        await want(ben)
        await trio.sleep(1)
        assert ann.table is not None
        assert not ann.table.paused
        assert [seat.pause for seat in ann.table.seats] == [False, True]


async def test_no_clock_and_no_bot_runs_in_a_pause(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await paused(h, knobs={"turn_seconds": 30}, away_seconds=30)
        version = ann.version
        assert ann.table is not None
        assert (ann.table.turn_in, ann.table.away_in) == (None, None)
        await trio.sleep(EVENING)
        assert ann.version == version
        assert ann.state_of(0) == ann.state_of(1) == "seated"
        for person in (ann, ben):
            await want(person, on=False)
        await until_paused(ann, on=False)
        assert ann.table.turn_in is not None
        assert ann.table.turn_in > 29_000


async def test_people_go_and_come_back_another_evening(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await paused(h)
        await cut(ann)
        await ben.until_state(0, "dropped")
        assert ben.table is not None
        assert ben.table.seats[0].back_in is None
        await cut(ben)
        await trio.sleep(EVENING)
        assert h.lobby.tables == {table.settings.table: table}
        ben = await h.back(ben)
        await until_paused(ben)
        await trio.sleep(1)
        assert ben.table is not None
        assert ben.table.paused
        assert [seat.state for seat in ben.table.seats] == ["dropped", "seated"]
        ann = await h.back(ann)
        await until_paused(ben, on=False)
        assert isinstance(await ann.play_once(), m.Done)


async def test_a_pause_ends_a_grace_that_runs_and_waits_instead(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h)
        await cut(ann)
        await ben.until_state(0, "dropped")
        await trio.sleep(59)
        await want(ben)
        await until_paused(ben)
        await trio.sleep(EVENING)
        assert table.roster.seats[0].state == "dropped"
        await h.back(ann)
        await until_paused(ben, on=False)
        assert ben.table is not None
        assert not ben.table.seats[1].pause


@pytest.mark.parametrize("held", [True, False])
async def test_a_pause_that_somebody_was_not_asked_about_ends_with_the_return(
    held: bool, autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann, ben, cleo = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        await h.match_of(ann, ben, cleo, grace_seconds=60)
        await cut(ann)
        await ben.until_state(0, "dropped")
        if held:
            await trio.sleep(61)
            assert ben.state_of(0) == "held"
        for person in (ben, cleo):
            await want(person)
        await until_paused(ben)
        await cut(cleo)
        await ben.until_state(2, "dropped")
    file.close()
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ben = await h.back(ben)
        await want(ben)
        await until_paused(ben)
        await trio.sleep(EVENING)
        ann = await h.back(ann)
        await until_paused(ben, on=False)
        assert notices(ben, NoticeCode.GOES_ON) == [None]
        assert ben.table is not None
        # Cleo is still gone, and waited for as ever.
        assert 59_000 < (ben.table.seats[2].back_in or 0) <= 60_000
        await ben.until_state(2, "held")
    file.close()


async def test_who_wanted_a_pause_ends_it_not_alone_by_coming_back(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await paused(h)
        for _ in range(2):
            await cut(ann)
            await ben.until_state(0, "dropped")
            ann = await h.back(ann)
            await ben.until_state(0, "seated")
            await trio.sleep(1)
            assert ben.table is not None
            assert ben.table.paused


async def test_a_pause_ends_when_who_is_missing_leaves_or_is_given_up(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config(bounds=Bounds(pause_seconds=3600.0))) as h:
        _, ann, ben = await paused(h)
        await cut(ann)
        await want(ben, on=False)
        await trio.sleep(3599)
        assert ben.table is not None
        assert ben.table.paused
        await until_paused(ben, on=False)
        assert ben.state_of(0) == "held"
        _, cleo, dan = await paused(h)
        await want(dan, on=False)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await until_paused(dan, on=False)


@pytest.mark.parametrize("here", [True, False])
async def test_a_pause_survives_a_restart(
    here: bool, autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        _, ann, ben = await paused(h)
        await ann.ask_for(m.Done, m.Vote(id=new_id(), seat=1, on=False))
        if not here:
            await cut(ann)
            await cut(ben)
            await trio.sleep(1)
    file.close()
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        (table,) = h.lobby.tables.values()
        assert table.roster.paused
        await trio.sleep(EVENING)
        ann = await h.back(ann)
        await until_paused(ann)
        ben = await h.back(ben)
        await until_paused(ann, on=False)
        assert isinstance(await ann.play_once(), m.Done)
    file.close()


async def test_there_is_no_pause_without_a_match_or_while_a_commitment_is_out(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        ann.answers_offers = False
        await h.table_of(ann, ben)
        pause = m.Pause(id=new_id(), on=True)
        assert (await ann.ask_for(m.Refused, pause)).code == RefusalCode.NOT_NOW
        await ann.ready()
        await ben.ready()
        await ann.until(lambda: ann.phase("offering"))
        assert (await ann.ask_for(m.Refused, pause)).code == RefusalCode.NOT_NOW
        await ann.until_deal(1)
        await ann.ask_for(m.Done, pause)


async def test_between_deals_a_pause_keeps_the_next_one_waiting(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, knobs={"points": 500})
        while not ann.phase("between"):
            for person in (ann, ben):
                if person.my_turn:
                    await person.play_once()
            await trio.sleep(0.1)
        await ann.ready()
        for person in (ann, ben):
            await want(person)
        await until_paused(ann)
        await trio.sleep(EVENING)
        assert ann.phase("between")
        ready = m.Ready(id=new_id(), on=True)
        assert (await ben.ask_for(m.Refused, ready)).code == RefusalCode.PAUSED
        for person in (ann, ben):
            await want(person, on=False)
        await ann.until_deal(2)
