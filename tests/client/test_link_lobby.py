"""A link whose connection breaks in the lobby with a request on its way: it sees the list again."""

from pathlib import Path

import pytest
from trio.testing import MockClock

from kings_client.intents import Ask, Join, MakeTable, Watch
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from scripted import SERVER, TABLE, ServerEnd, online, visiting


async def show_list(server: ServerEnd, *tables: m.TableLine) -> None:
    browse = await server.hear(m.Browse)
    await server.say(m.Done(re=browse.id))
    order = tuple(line.table for line in tables)
    total = len(tables)
    await server.say(
        m.LobbyPage(page=0, pages=1, total=total, whole=True, order=order, tables=tables)
    )


@pytest.mark.parametrize(
    "wish",
    [Join(TABLE), MakeTable("Kitchen", "pagat"), Watch(TABLE)],
    ids=lambda w: type(w).__name__,
)
async def test_the_list_is_kept_up_to_date_after_a_cut_whatever_was_asked(
    tmp_path: Path, autojump_clock: MockClock, wish: Ask
) -> None:
    line = m.TableLine(
        table=TABLE,
        name="Kitchen",
        preset="pagat",
        changed={},
        host="Ben",
        seats=2,
        people=2,
        bots=0,
        watchers=0,
        locked=False,
        watchable=True,
        phase="waiting",
    )
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        await server.enter(SERVER)
        await show_list(server, line)
        await visit.until(lambda model: model.lobby is not None and not model.pending)
        visit.link.want(wish)
        asked = await server.hear(m.Request)
        await server.cut()
        again = await visit.host.accept()
        await again.enter(SERVER)
        if not isinstance(wish, Watch):
            assert await again.hear(m.Request) == asked
            await again.say(m.Refused(re=asked.id, code=RefusalCode.TABLE_FULL))
        await show_list(again)
        await visit.until(lambda model: model.lobby is not None and not model.lobby.tables)
        assert online(visit.model)
        assert not visit.model.pending
