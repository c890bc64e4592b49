"""What is bounded is bounded as whoever runs the server says."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import cut, hall
from journals import breakable, inline
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.limits import FLOOD_REFUSALS, REQUESTS_BURST, WATCHERS
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.hashes import hashed
from kings_server.passwords import Asker, Passwords, Try
from people import new_id


@pytest.mark.parametrize("watchers", [WATCHERS, 2])
async def test_so_many_look_on_and_no_more(autojump_clock: MockClock, watchers: int) -> None:
    bounds = Bounds(requests_per_second=0, watchers=watchers)
    async with hall(autojump_clock, Config(bounds=bounds)) as h:
        ann = await h.guest("Ann")
        watch = m.Watch(id=new_id(), table=(await ann.make_table(2)).table)
        crowd = [await h.guest(f"W{number}") for number in range(watchers + 1)]
        for person in crowd[:-1]:
            await person.ask_for(m.Watching, watch)
        refused = await crowd[-1].ask_for(m.Refused, watch)
        assert (refused.code, refused.limit) == (RefusalCode.TABLE_FULL, watchers)
        await crowd[0].ask_for(m.Done, m.Leave(id=new_id()))
        await crowd[-1].ask_for(m.Watching, watch)


async def test_pings_are_counted_as_requests_are(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, Config()) as h:
        ann = await h.guest("Ann")
        for number in range(FLOOD_REFUSALS + REQUESTS_BURST + 20):
            if ann.ended:
                break
            await ann.send(m.Ping(n=number))
        bye = await ann.until_ended()
        assert bye is not None
        assert bye.code == CloseCode.FLOOD


async def test_wrong_passwords_count_as_often_and_as_long_as_is_said(
    autojump_clock: MockClock,
) -> None:
    bounds = Bounds(password_tries=2, password_try_seconds=600.0)
    passwords, kept = Passwords(inline, 1, bounds), hashed("hush", 1)
    wrong = Try(kept, "wrong", Asker("192.0.2.1"))
    for began in (0, 600):
        await trio.sleep_until(autojump_clock.current_time() + began)
        assert [(await passwords.tried(wrong)).slows for _ in range(3)] == [False, True, False]


async def test_a_restart_gives_people_as_long_as_is_said(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    config = Config(bounds=Bounds(requests_per_second=0, reconnect_seconds=500.0))
    file = breakable(tmp_path)
    async with hall(autojump_clock, config, file=file) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, grace_seconds=60)
        await cut(ann)
        await ben.until_state(0, "dropped")
    file.close()
    file = breakable(tmp_path)
    async with hall(autojump_clock, config, file=file) as h:
        ben = await h.back(ben)
        await ben.until(lambda: ben.table is not None)
        assert ben.table is not None
        assert ben.table.seats[0].back_in == pytest.approx(560_000, abs=1000)
    file.close()
