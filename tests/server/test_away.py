"""Somebody is connected and does nothing: announced, taken for gone, and back with any key."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import breakable
from kings_engine.actions import Timeout
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, UnseatedCode
from kings_protocol.limits import AWAY_WARNING_SECONDS
from kings_protocol.messages import Absent
from kings_server.limits import HOST_SECONDS
from kings_server.table import Table
from people import Person, new_id

AWAY = 180
GRACE = 60
TICK = 0.001


async def two(h: Hall, **fields: object) -> tuple[Table, Person, Person]:
    """Return a match of two whose first turn is the first person's."""
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    table = await h.match_of(ann, ben, **{"away_seconds": AWAY, **fields})
    assert ann.my_turn
    return table, ann, ben


def notices(person: Person, code: NoticeCode) -> list[m.Notice]:
    return [one for one in person.others if isinstance(one, m.Notice) and one.code == code]


async def here(person: Person) -> None:
    await person.ask_for(m.Done, m.Here(id=new_id()))


async def test_the_last_half_minute_is_announced_to_all(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        began = trio.current_time()
        assert ann.table is not None
        assert (ann.table.away_seconds, ann.table.away_in) == (AWAY, None)
        for person in (ann, ben):
            await person.until_table(lambda table: table.away_in is not None)
            assert person.table is not None
            assert person.table.away_in == pytest.approx(AWAY_WARNING_SECONDS * 1000, abs=2)
            (soon,) = notices(person, NoticeCode.AWAY_SOON)
            assert (soon.seat, soon.number) == (0, person.table.away_in)
        assert trio.current_time() - began == pytest.approx(AWAY - AWAY_WARNING_SECONDS, abs=0.1)


@pytest.mark.parametrize("away", [30, 45])
async def test_of_a_short_time_only_half_is_announced(away: int, autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, _, ben = await two(h, away_seconds=away)
        await trio.sleep(away / 2 - TICK)
        assert not notices(ben, NoticeCode.AWAY_SOON)
        await ben.until(lambda: notices(ben, NoticeCode.AWAY_SOON))
        assert notices(ben, NoticeCode.AWAY_SOON)[0].number == pytest.approx(away * 500, abs=2)


@pytest.mark.parametrize("early", [AWAY_WARNING_SECONDS / 2, TICK])
async def test_a_key_in_the_last_moment_voids_the_announcement(
    early: float, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h)
        await trio.sleep(AWAY - early)
        await here(ann)
        await ben.until_table(lambda table: table.away_in is None)
        await trio.sleep(AWAY - AWAY_WARNING_SECONDS - 1)
        assert table.roster.seats[0].state == "seated"
        assert not notices(ben, NoticeCode.AWAY)
        assert len(notices(ben, NoticeCode.AWAY_SOON)) == 1


@pytest.mark.parametrize(
    ("absent", "then"),
    [("bot", "held"), ("wait", "dropped"), ("skip", "dropped"), ("forfeit", "left")],
)
async def test_who_does_nothing_is_gone_as_the_table_chose(
    absent: Absent, then: str, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h, absent=absent)
        await ben.until_state(0, "dropped")
        assert ben.table is not None
        assert ben.table.seats[0].back_in == GRACE * 1000
        assert [one.number for one in notices(ben, NoticeCode.AWAY)] == [GRACE * 1000]
        await trio.sleep(GRACE + 1)
        assert table.roster.seats[0].state == then
        if absent == "forfeit":
            await ann.until_told(m.Unseated(code=UnseatedCode.SEAT_LOST))
            await ben.until(lambda: ben.phase("over"))
            await ann.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        else:
            assert not ann.ended
            await here(ann)
            await ben.until_state(0, "seated")
            assert notices(ben, NoticeCode.BACK)[0].seat == 0


async def test_an_act_of_somebody_away_counts_as_a_key(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        await ben.until_state(0, "dropped")
        assert isinstance(await ann.play_once(), m.Done)
        await ben.until_state(0, "seated")


async def test_what_a_program_says_by_itself_is_no_key(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h)
        await ben.until_state(0, "dropped")
        await ann.ask(m.GetProof(id=new_id(), deal=1))
        await ann.ask(m.Commit(id=new_id(), match=1, deal=1, attempt=0, commitment="00" * 32))
        zeros = "00" * 32
        await ann.ask(m.Reveal(id=new_id(), match=1, deal=1, attempt=0, members=zeros, share=zeros))
        assert ben.state_of(0) == "dropped"


async def test_a_bot_that_plays_for_somebody_away_hands_back_at_the_next_decision(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h, knobs={"hand_size": 10})
        await ben.until_state(0, "held")
        await ben.until(lambda: ben.my_turn)
        await here(ann)
        assert table.roster.seats[0].level is None
        await ben.play_once()
        while not ann.my_turn:
            await ben.play_once()
        version = ann.version
        await trio.sleep(AWAY - AWAY_WARNING_SECONDS)
        assert ann.version == version
        await ann.play_once()


async def test_somebody_away_who_is_cut_off_comes_back_by_token(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await two(h)
        await ben.until_state(0, "dropped")
        await trio.sleep(GRACE / 2)
        await cut(ann)
        await trio.sleep(GRACE / 2 - 1)
        assert table.roster.seats[0].state == "dropped"
        await trio.sleep(2)
        assert table.roster.seats[0].state == "held"
        await h.back(ann)
        await ben.until_state(0, "seated")


async def test_somebody_away_whose_bot_plays_may_be_cut_off_and_come_back(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        table, ann, ben = await two(h, knobs={"hand_size": 10})
        await ben.until_state(0, "held")
        await ben.until(lambda: ben.my_turn)
        file.before = True
        await ben.ask_for(m.Refused, m.EndTurn(id=new_id(), version=ben.version))
        await ben.until_table(lambda table: not table.saving)
        file.before = False
        await ben.until_table(lambda table: table.saving)
        await cut(ann)
        await trio.sleep(1)
        assert table.roster.seats[0].state == "held"
        await h.back(ann)
        await ben.until_state(0, "seated")
    file.close()


async def test_somebody_alone_may_sit_there_for_ever(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 1)
        table = await h.match_of(ann, bots=("easy", "medium"), away_seconds=AWAY)
        await ann.until(lambda: ann.my_turn)
        await trio.sleep(20 * AWAY)
        assert table.roster.seats[0].state == "seated"
        assert not notices(ann, NoticeCode.AWAY_SOON)


async def test_a_match_of_somebody_alone_stands_still_until_the_person_is_back(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 1)
        await h.match_of(ann, bots=("easy", "medium"), pace=(5000, 5000))
        eve = await h.guest("Eve")
        assert ann.seat is not None
        await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=ann.seat.table))
        await ann.until(lambda: ann.my_turn)
        while ann.my_turn:
            await ann.play_once()
        await cut(ann)
        await eve.until_state(0, "dropped")
        version = eve.version
        await trio.sleep(24 * 3600)
        assert eve.version == version
        assert eve.table is not None
        assert eve.table.seats[0].back_in is None
        again = await h.back(ann)
        await again.until(lambda: again.my_turn or again.phase("between"))


async def test_a_turn_clock_does_not_hide_who_is_away(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, _, ben = await two(h, knobs={"turn_seconds": 50, "must_play": "off"})
        while ben.state_of(0) == "seated":
            await ben.until(lambda: ben.my_turn or ben.state_of(0) != "seated")
            if ben.my_turn:
                await ben.ask_for(m.Done, m.EndTurn(id=new_id(), version=ben.version))
        assert table.match is not None
        steps = [step for step in table.match.steps if isinstance(step.action, Timeout)]
        assert len(steps) == AWAY // 50
        assert notices(ben, NoticeCode.AWAY_SOON)


@pytest.mark.parametrize("failed", [False, True])
async def test_a_match_that_ends_finds_somebody_away_seated(
    autojump_clock: MockClock, tmp_path: Path, *, failed: bool
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        _, ann, ben = await two(h, knobs={"match": "deals", "deals": 1})
        await ben.until_state(0, "held")
        if failed:
            file.break_by(before=True)
            await ben.ask_for(m.Refused, m.Say(id=new_id(), text="still there?"))
            file.break_by()
            await ben.until_table(lambda table: table.saving)
        while not ben.phase("over"):
            await ben.until(lambda: ben.my_turn or ben.phase("over", "between"))
            if ben.my_turn:
                await ben.play_once()
            elif ben.phase("between"):
                await ben.go_on()
        assert ben.state_of(0) == "seated"
        assert not ann.ended
    file.close()


async def test_the_role_of_a_host_who_does_nothing_goes_to_somebody_ready(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben, away_seconds=AWAY)
        await trio.sleep(2 * AWAY)
        assert ben.table is not None
        assert ben.table.host == 0
        await ben.ready()
        await trio.sleep(AWAY - 1)
        assert ben.table.host == 0
        await ben.until_table(lambda table: table.host == 1)
        assert notices(ben, NoticeCode.HOST_IS)[0].seat == 1


async def test_the_role_of_a_host_who_is_gone_is_handed_on_in_seconds_before_the_start(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben, grace_seconds=3600)
        await cut(ann)
        began = trio.current_time()
        await ben.until_table(lambda table: table.host == 1)
        assert trio.current_time() - began == pytest.approx(HOST_SECONDS, abs=0.1)
        assert notices(ben, NoticeCode.HOST_IS)[0].seat == 1
        assert ben.state_of(0) == "dropped"
        await ben.ask_for(m.Done, m.Kick(id=new_id(), seat=0))
        await ben.until_state(0, "open")


async def test_a_host_who_is_back_in_a_moment_stays_the_host(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben, grace_seconds=3600)
        await cut(ann)
        await ben.until_state(0, "dropped")
        await trio.sleep(HOST_SECONDS - 1)
        await h.back(ann)
        await trio.sleep(2 * HOST_SECONDS)
        assert ben.table is not None
        assert ben.table.host == 0


async def test_a_host_who_leaves_hands_the_role_to_somebody_ready(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        await h.table_of(*people, away_seconds=AWAY)
        await people[2].ready()
        await people[0].ask_for(m.Done, m.Leave(id=new_id()))
        await people[1].until_state(0, "open")
        assert people[1].table is not None
        assert people[1].table.host == 2


@pytest.mark.parametrize(("seconds", "left"), [(12, 6), (30, 10), (120, 30)])
async def test_the_player_on_turn_alone_is_warned_of_the_clock(
    seconds: int, left: int, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await two(h, knobs={"turn_seconds": seconds}, away_seconds=3600)
        began = trio.current_time()
        await ann.until(lambda: notices(ann, NoticeCode.TURN_ENDS))
        assert trio.current_time() - began == pytest.approx(seconds - left, abs=0.01)
        (warning,) = notices(ann, NoticeCode.TURN_ENDS)
        assert warning.seat == 0
        assert warning.number == pytest.approx(left * 1000, abs=10)
        await ben.until(lambda: ben.my_turn)
        assert not notices(ben, NoticeCode.TURN_ENDS)
        assert len(notices(ann, NoticeCode.TURN_ENDS)) == 1
