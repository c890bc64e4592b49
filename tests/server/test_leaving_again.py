"""Somebody who looked on, left, and lost the answer with the connection, can leave again."""

from trio.testing import MockClock

from hall import cut, hall
from kings_protocol import messages as m
from people import new_id


async def test_a_watcher_is_gone_however_often_the_same_leave_comes(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, ben)
        watcher = await h.guest("Will")
        leave = m.Leave(id=new_id())
        for _ in range(2):
            again = await h.stranger("Will")
            again.client = watcher.client
            await again.enter()
            await again.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
            await ann.until(lambda: ann.table is not None and ann.table.watchers == 1)
            await again.ask_for(m.Done, leave)
            await ann.until(lambda: ann.table is not None and ann.table.watchers == 0)
            await again.ask_for(m.Done, m.Browse(id=new_id(), page=0))
            await cut(again)
