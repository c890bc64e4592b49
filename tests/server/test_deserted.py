"""A match whose people are all gone: it stands still until one is back, but not for ever."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import breakable
from kings_protocol import messages as m
from kings_protocol.codes import UnseatedCode
from kings_protocol.messages import Absent
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.limits import RECONNECT_SECONDS
from kings_server.table import Table
from people import Person, new_id

GRACE = 60
PATIENCE = 6 * 3600.0
"""What two weeks are here."""

HALL = Config(bounds=Bounds(requests_per_second=0, pause_seconds=PATIENCE))
KNOBS: m.Knobs = {"match": "points", "points": 500}

choices = pytest.mark.parametrize("absent", ["bot", "wait", "skip", "forfeit"])


async def two(h: Hall, **fields: object) -> tuple[Table, Person, Person]:
    """Return a match of two people whose first turn is the first person's."""
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    table = await h.match_of(ann, ben, **{"knobs": KNOBS, **fields})
    return table, ann, ben


async def leave(person: Person) -> None:
    await person.ask_for(m.Done, m.Leave(id=new_id()))


async def back(h: Hall, person: Person) -> Person:
    again = await h.back(person)
    await again.until_view()
    await again.until(lambda: again.table is not None)
    return again


@pytest.mark.parametrize(
    ("absent", "state"),
    [(choice, "dropped") for choice in ("bot", "wait", "skip", "forfeit")]
    + [("bot", "held"), ("wait", "dropped, and not for a time"), ("skip", "and skipped")],
)
async def test_who_leaves_takes_nothing_from_somebody_who_is_waited_for(
    autojump_clock: MockClock, absent: Absent, state: str
) -> None:
    async with hall(autojump_clock, HALL) as h:
        table, ann, ben = await two(h, bots=("easy",), absent=absent)
        await cut(ann)
        await ben.until_state(0, "dropped")
        if state != "dropped":
            await trio.sleep(GRACE + 10)
        await leave(ben)
        left = table.match
        await trio.sleep(PATIENCE - 1)
        assert table.match is left
        again = await back(h, ann)
        assert again.state_of(0) == "seated"
        while not again.phase("between", "over"):
            await again.until(lambda: again.my_turn or not again.phase("playing"))
            if again.my_turn:
                await again.play_once()


@choices
@pytest.mark.parametrize("away", [120, PATIENCE - 1])
async def test_a_match_outlives_that_all_lose_their_connections(
    autojump_clock: MockClock, absent: Absent, away: float
) -> None:
    async with hall(autojump_clock, HALL) as h:
        table, ann, ben = await two(h, absent=absent)
        before = ann.view
        await cut(ann)
        await cut(ben)
        await trio.sleep(away)
        ann, ben = await back(h, ann), await back(h, ben)
        assert ann.view == before
        assert [seat.state for seat in table.roster.seats] == ["seated", "seated"]
        await trio.sleep(10 * GRACE)
        assert ann.view == before


async def test_graces_go_on_with_what_was_left_once_somebody_is_back(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, HALL) as h:
        _, ann, ben = await two(h)
        await cut(ann)
        await ben.until_state(0, "dropped")
        await trio.sleep(20)
        await cut(ben)
        await trio.sleep(3600)
        ben = await back(h, ben)
        assert ben.table is not None
        assert ben.table.seats[0].back_in == pytest.approx((GRACE - 20) * 1000)
        returned = trio.current_time()
        await ben.until_state(0, "held")
        assert trio.current_time() - returned == pytest.approx(GRACE - 20)


async def test_nothing_moves_while_nobody_is_there_and_who_looks_on_sees_no_countdown(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, HALL) as h:
        table, ann, ben = await two(h, bots=("easy",), knobs={**KNOBS, "turn_seconds": 30})
        eve = await h.guest("Eve")
        await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        await cut(ann)
        await eve.until_state(0, "dropped")
        await trio.sleep(GRACE + 1)
        assert eve.state_of(0) == "held"
        await cut(ben)
        await eve.until_state(1, "dropped")
        version = eve.version
        assert eve.table is not None
        assert [seat.back_in for seat in eve.table.seats] == [None] * 3
        assert eve.table.turn_in is None
        await trio.sleep(PATIENCE - 1)
        assert (eve.version, eve.state_of(1)) == (version, "dropped")
        await eve.until_told(m.Unseated(code=UnseatedCode.TABLE_CLOSED))


@pytest.mark.parametrize("first", ["lost", "held"])
async def test_it_ends_two_weeks_after_the_last_one_went(
    autojump_clock: MockClock, first: str
) -> None:
    async with hall(autojump_clock, HALL) as h:
        table, ann, ben = await two(h)
        await cut(ann)
        await ben.until_state(0, "dropped" if first == "lost" else "held")
        await cut(ben)
        await trio.sleep(PATIENCE - 1)
        ben = await back(h, ben)
        await leave(ben)
        await trio.sleep(PATIENCE - 1)
        assert not table.ended
        await trio.sleep(2)
        assert table.ended
        assert h.lobby.tables == {}


async def test_people_who_sit_there_and_do_nothing_are_no_company(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, HALL) as h:
        table, ann, ben = await two(h, away_seconds=30)
        await ben.until_state(0, "held")
        while ben.state_of(1) != "dropped":
            await ben.until(lambda: ben.phase("between") or ben.state_of(1) == "dropped")
            if ben.phase("between"):  # the bot has gone out in its first turn
                await ben.go_on()
        version = ben.version
        await trio.sleep(3600)
        assert (ben.version, ben.state_of(0), ben.state_of(1)) == (version, "held", "dropped")
        await ben.ask_for(m.Done, m.Here(id=new_id()))
        await ben.until_state(1, "seated")
        await ann.ask_for(m.Done, m.Here(id=new_id()))
        await ben.until_state(0, "seated")
        assert not table.ended


async def test_downtime_costs_a_deserted_match_nothing(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, HALL, file=file) as h:
        _, ann, ben = await two(h)
        await cut(ann)
        await ben.until_state(0, "dropped")
        await trio.sleep(20)
        await cut(ben)
        await trio.sleep(PATIENCE / 2)
    file.close()
    await trio.sleep(10 * PATIENCE)
    file = breakable(tmp_path)
    async with hall(autojump_clock, HALL, file=file) as h:
        await trio.sleep(PATIENCE / 2 - 1)
        ben = await back(h, ben)
        assert ben.table is not None
        left = (GRACE - 20 + RECONNECT_SECONDS) * 1000
        assert ben.table.seats[0].back_in == pytest.approx(left, abs=1000)
    file.close()
