"""A connection whose end could not be saved is gone all the same: it leaves no phantom behind."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import cut, hall
from journals import breakable
from kings_protocol import messages as m
from kings_server.bounds import Bounds
from kings_server.config import Config
from people import new_id

GRACE = 20
PATIENCE = 600.0
BOUNDS = Bounds(requests_per_second=0, pause_seconds=PATIENCE)


@pytest.mark.parametrize("fault", ["before", "gone", "after"])
@pytest.mark.parametrize("who", ["player", "watcher"])
async def test_a_departure_that_the_disk_did_not_take_is_noticed_once_it_does(
    autojump_clock: MockClock, tmp_path: Path, fault: str, who: str
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, Config(bounds=BOUNDS), file=file) as h:
        ann, ben, watcher = await h.guest("Ann"), await h.guest("Ben"), await h.guest("Will")
        table = await h.match_of(ann, ben, grace_seconds=GRACE)
        await watcher.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        file.break_by(**{fault: True})
        await cut(ben if who == "player" else watcher)
        await trio.sleep(60)
        file.break_by()
        if who == "player":
            await ann.until(lambda: ann.state_of(1) in ("dropped", "held"))
        else:
            await ann.until(lambda: ann.table is not None and ann.table.watchers == 0)
        for person in (ann, ben, watcher):
            await cut(person)
        await trio.sleep(PATIENCE + 10 * GRACE)
        assert not h.lobby.tables
    file.close()
