"""Times over restarts: downtime costs nobody anything, but the time that a server runs counts."""

from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

import restarting
from hall import cut
from kings_protocol import messages as m
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.limits import BETWEEN_SECONDS, RECONNECT_SECONDS, TIMES_SECONDS
from people import new_id
from restarting import back

DAYS = 14
"""So many hours, here: the evening of a hall has 30."""

CONFIG = Config(bounds=Bounds(requests_per_second=0, pause_seconds=DAYS * 3600.0))
SOON, _ = TIMES_SECONDS

server = partial(restarting.server, config=CONFIG)


@pytest.mark.parametrize("life", [70.0, 600.0])
async def test_a_grace_runs_down_however_often_the_server_is_killed(
    autojump_clock: MockClock, tmp_path: Path, life: float
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, grace_seconds=1200)
        await cut(ben)
        await ann.until_state(1, "dropped")
    left = 1200.0
    while left > life:
        await trio.sleep(3600)
        async with server(autojump_clock, tmp_path) as h:
            ann = await back(h, ann)
            await ann.until_state(0, "seated")
            assert ann.table is not None
            back_in = ann.table.seats[1].back_in
            assert back_in is not None
            assert left <= back_in / 1000 + 1 <= left + RECONNECT_SECONDS + SOON + 2
            left = back_in / 1000 - life
            await trio.sleep(life)
    async with server(autojump_clock, tmp_path) as h:
        ann = await back(h, ann)
        await trio.sleep(life + RECONNECT_SECONDS + SOON)
        assert ann.state_of(1) == "held"


@pytest.mark.parametrize("gone_before", [True, False])
@pytest.mark.parametrize("paused", [False, True])
async def test_a_match_that_nobody_comes_back_to_ends_however_often_the_server_is_killed(
    autojump_clock: MockClock, tmp_path: Path, paused: bool, gone_before: bool
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann = await h.guest("Ann", 1)
        await h.match_of(ann, bots=("easy",))
        if paused:
            await ann.ask_for(m.Done, m.Pause(id=new_id(), on=True))
        if gone_before:
            await cut(ann)
            await trio.sleep(1)
    days = 0
    while days <= DAYS + 3:
        async with server(autojump_clock, tmp_path) as h:
            if not h.lobby.tables:
                break
            await trio.sleep(3600)
        days += 1
    assert DAYS - 1 <= days <= DAYS + 3


async def test_an_offer_waits_longer_for_commitments_after_a_restart(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        ben.answers_offers = False
        table = await h.table_of(ann, ben)
        await ann.ready()
        await ben.ready()
        await ann.until_phase("offering")
        assert table.dealing is not None
        left = table.dealing.until - trio.current_time()
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        assert table.dealing is not None
        waits = table.dealing.until - trio.current_time()
        assert waits == pytest.approx(left + RECONNECT_SECONDS, abs=1)


async def test_between_deals_people_have_time_to_come_back(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, knobs={"match": "points", "points": 500})
        while not ann.phase("between"):
            for person in (ann, ben):
                if person.my_turn:
                    await person.play_once()
            await trio.sleep(0.1)
        await trio.sleep(BETWEEN_SECONDS - 5)
        assert ann.phase("between")
    async with server(autojump_clock, tmp_path) as h:
        ann = await back(h, ann)
        ben = await back(h, ben)
        assert ann.table is not None
        assert ann.table.next_in is not None
        assert ann.table.next_in / 1000 == pytest.approx(BETWEEN_SECONDS, abs=2)


async def test_a_table_that_all_have_left_is_there_no_more_after_a_restart(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.match_of(ann, ben)
        monkeypatch.setattr(h.lobby, "_forget", _never)  # it is killed before that
        for person in (ann, ben):
            await person.ask_for(m.Done, m.Leave(id=new_id()))
        assert table.ended
    async with server(autojump_clock, tmp_path) as h:
        await trio.sleep(1)
        assert not h.lobby.tables


async def _never(_: object) -> None:
    await trio.sleep_forever()
