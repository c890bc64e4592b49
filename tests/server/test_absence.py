"""Somebody is gone: graces, bots, skips, forfeits and clocks, on a virtual clock."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import breakable
from kings_engine.actions import Timeout
from kings_engine.view import Standing
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_protocol.limits import AWAY_WARNING_SECONDS
from kings_protocol.messages import Absent
from kings_server.limits import BETWEEN_SECONDS, CLOCK_ALLOWANCE
from kings_server.reviving import revive
from kings_server.table import Table
from people import Person, new_id

GRACE = 60


async def two(h: Hall, **fields: object) -> tuple[Table, Person, Person]:
    """Return a match of two whose first turn is the first person's."""
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    table = await h.match_of(ann, ben, **fields)
    assert ann.my_turn
    return table, ann, ben


def notices(person: Person, code: NoticeCode) -> list[m.Notice]:
    return [one for one in person.others if isinstance(one, m.Notice) and one.code == code]


async def test_a_dropped_seat_is_held_by_a_bot_after_the_grace_and_handed_back(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h)
        await cut(ann)
        await ben.until(lambda: ben.state_of(0) == "dropped")
        assert ben.table is not None
        assert ben.table.seats[0].back_in == GRACE * 1000
        version = ben.version
        await trio.sleep(GRACE - 1)
        assert (ben.state_of(0), ben.version) == ("dropped", version)
        await ben.until(lambda: ben.my_turn)
        assert ben.state_of(0) == "held"
        assert [one.seat for one in notices(ben, NoticeCode.BOT_PLAYS)] == [0]
        again = await h.back(ann)
        await ben.until(lambda: ben.state_of(0) == "seated")
        assert table.roster.seats[0].level is None
        while ben.my_turn:
            await ben.play_once()
        await again.until(lambda: again.my_turn)
        version = again.version
        await trio.sleep(600)
        assert again.version == version
        assert isinstance(await again.play_once(), m.Done)


async def test_a_return_within_the_grace_finds_everything_as_it_was(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h)
        before = ann.view
        await cut(ann)
        await ben.until(lambda: ben.state_of(0) == "dropped")
        await trio.sleep(GRACE - 0.001)
        again = await h.back(ann)
        await again.until(lambda: again.view is not None)
        assert again.view == before
        await trio.sleep(10 * GRACE)
        assert table.roster.seats[0].state == "seated"
        assert again.version == ann.version
        assert notices(ben, NoticeCode.BACK)[0].seat == 0


async def test_skip_ends_each_turn_of_somebody_gone_and_keeps_the_seat(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h, absent="skip")
        await cut(ann)
        await ben.until(lambda: ben.my_turn)
        assert ben.state_of(0) == "dropped"
        assert table.match is not None
        assert isinstance(table.match.steps[-1].action, Timeout)
        await ben.play_once()
        again = await h.back(ann)
        await again.until(lambda: again.view is not None)


async def test_forfeit_takes_the_seat_out_of_the_match(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, absent="forfeit")
        await cut(ann)
        await ben.until(lambda: ben.phase("over"))
        assert ben.view is not None
        assert ben.view.public.winners == (1,)
        assert ben.view.public.seats[0].standing is Standing.FORFEITED
        assert ben.state_of(0) == "left"
        late = await h.guest("Ann")
        assert ann.seat is not None
        resume = m.Resume(id=new_id(), table=ann.seat.table, token=ann.seat.token)
        refused = await late.ask_for(m.Refused, resume)
        assert refused.code == RefusalCode.SEAT_GIVEN_UP


async def test_wait_waits(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, absent="wait")
        version = ben.version
        await cut(ann)
        await trio.sleep(24 * 3600)
        assert ben.version == version
        assert ben.state_of(0) == "dropped"
        again = await h.back(ann)
        await again.play_once()


async def test_a_match_that_is_over_waits_for_nobody_without_end(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        knobs = {"match": "deals", "deals": 1}
        table, ann, ben = await two(h, absent="skip", knobs=knobs)
        await cut(ben)
        await ann.until_state(1, "dropped")
        await trio.sleep(GRACE + 1)
        assert table.roster.seats[1].until is None
        await ann.play_match()
        assert ann.state_of(1) == "dropped"
        await ann.until_state(1, "left")
        await ann.ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        await ann.ready()
        await ann.until_phase("playing", 2)


async def test_who_leaves_is_replaced_for_good(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        seat = ann.seat
        assert seat is not None
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await ben.until(lambda: ben.my_turn)
        assert ben.state_of(0) == "bot"
        assert [one.seat for one in notices(ben, NoticeCode.LEFT)] == [0]
        assert not notices(ben, NoticeCode.DROPPED)
        refused = await ann.ask_for(
            m.Refused, m.Resume(id=new_id(), table=seat.table, token=seat.token)
        )
        assert refused.code == RefusalCode.SEAT_GIVEN_UP


@pytest.mark.parametrize("absent", ["skip", "forfeit"])
async def test_who_leaves_a_table_without_bots_forfeits(
    absent: Absent, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await h.guest("Ann"), await h.guest("Ben"), await h.guest("Cleo")
        await h.match_of(ann, ben, cleo, absent=absent)
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await cleo.until(lambda: cleo.state_of(0) == "left")
        assert cleo.view is not None
        assert cleo.view.public.seats[0].standing is Standing.FORFEITED
        await ben.until(lambda: ben.my_turn)
        assert ben.table is not None
        assert ben.table.host == 1


async def test_the_turn_clock_ends_a_turn_and_only_that(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h, knobs={"turn_seconds": 30})
        began = trio.current_time()
        assert ann.table is not None
        assert ann.table.turn_in == 30_000
        await ben.until(lambda: ben.my_turn)
        assert trio.current_time() - began == pytest.approx(30)
        assert notices(ben, NoticeCode.TURN_TIMED_OUT)[0].seat == 0
        assert table.match is not None
        assert isinstance(table.match.steps[-1].action, Timeout)
        assert table.roster.seats[0].state == "seated"
        assert table.roster.seats[1].state == "seated"


async def test_playing_does_not_wind_the_clock_up_again(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, knobs={"turn_seconds": 30})
        began = trio.current_time()
        await trio.sleep(20)
        await ann.play_once()
        await ben.until(lambda: ben.my_turn)
        assert trio.current_time() - began <= 30.001


async def test_the_clock_of_a_turn_stands_while_its_player_is_gone(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, knobs={"turn_seconds": 30})
        await trio.sleep(10)
        await cut(ann)
        await trio.sleep(50)
        assert not ben.my_turn
        again = await h.back(ann)
        await again.until(lambda: again.table is not None)
        assert again.table is not None
        assert again.table.turn_in == pytest.approx(20_000)
        back = trio.current_time()
        await ben.until(lambda: ben.my_turn)
        assert trio.current_time() - back == pytest.approx(20)


async def test_who_comes_back_late_in_a_turn_has_ten_seconds_but_once(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, knobs={"turn_seconds": 30})
        await trio.sleep(29)
        await cut(ann)
        ann = await h.back(ann)
        await ann.until_table(lambda table: table.turn_in is not None)
        assert ann.table is not None
        assert ann.table.turn_in == pytest.approx(CLOCK_ALLOWANCE * 1000, abs=2)
        await trio.sleep(CLOCK_ALLOWANCE - 1)
        await cut(ann)
        back = trio.current_time()
        await h.back(ann)
        await ben.until(lambda: ben.my_turn)
        assert trio.current_time() - back == pytest.approx(1)


@pytest.mark.parametrize("restart", [False, True])
async def test_who_comes_back_again_and_again_does_not_stop_the_turn_clock(
    autojump_clock: MockClock, tmp_path: Path, *, restart: bool
) -> None:
    turn, here, gone = 30, 9.0, 0.2
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        table, ann, ben = await two(h, knobs={"turn_seconds": turn})
        began = trio.current_time()
        while not ben.my_turn:
            assert trio.current_time() - began < 2 * (turn + CLOCK_ALLOWANCE)
            await trio.sleep(here)
            await cut(ann)
            await trio.sleep(gone)
            if restart:
                revive(table, file.load()[0], 0.0)
            ann = await h.back(ann)
        assert trio.current_time() - began <= turn + CLOCK_ALLOWANCE + here + 5 * gone
    file.close()


@pytest.mark.parametrize("away", [30, 180])
async def test_to_come_back_is_no_key(autojump_clock: MockClock, away: int) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, away_seconds=away)
        began = trio.current_time()
        while not notices(ben, NoticeCode.AWAY):
            assert trio.current_time() - began < 3 * away
            await trio.sleep(9)
            await cut(ann)
            ann = await h.back(ann)
        assert trio.current_time() - began <= away + min(away / 2, AWAY_WARNING_SECONDS) + 9


async def test_the_next_deal_waits_for_several_people_but_not_for_ever(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h, knobs={"points": 500})
        async with trio.open_nursery() as players:
            for person in (ann, ben):
                players.start_soon(play_deal, person)
        assert table.phase == "between"
        ended = trio.current_time()
        await ann.ready()
        await ben.until(lambda: ben.deal == 2)
        assert trio.current_time() - ended == pytest.approx(BETWEEN_SECONDS, abs=3)


async def test_somebody_alone_is_never_hurried_into_the_next_deal(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 1)
        await h.match_of(ann, bots=("easy", "medium"), knobs={"points": 500})
        await play_deal(ann)
        assert ann.table is not None
        assert ann.table.next_in is None
        await trio.sleep(3600)
        assert ann.phase("between")
        await ann.go_on()


async def play_deal(person: Person) -> None:
    while not person.phase("between", "over"):
        if person.my_turn:
            assert isinstance(await person.play_once(), m.Done)
        await person.until(lambda: person.my_turn or not person.phase("playing"))
