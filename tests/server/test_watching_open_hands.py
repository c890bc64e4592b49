"""Open hands are there to be looked at, while no deal runs as well; only not by who had a seat."""

from trio.testing import MockClock

from hall import hall
from kings_protocol import messages as m
from people import new_id


async def test_a_table_of_open_hands_may_be_watched_while_no_deal_runs(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, watcher = await h.guest("Ann"), await h.guest("Will")
        seat = await ann.make_table(2, knobs={"open_hands": True})
        await watcher.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
