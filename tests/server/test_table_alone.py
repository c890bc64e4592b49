"""No error or end of a connection reaches a table, and no table waits for ever.

A request is dealt with where it arrives, and an answer may bring the next one about. So a table, a
connection and a journal call each other, and each has to keep its own errors.
"""

from collections.abc import Sequence

import pytest
import trio
from trio.testing import MockClock

from hall import hall
from journals import Slow
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import UnseatedCode
from kings_protocol.frames import frame
from kings_protocol.limits import CLIENT_FRAME_BYTES
from kings_server import admin_wishes as w
from kings_server import table as table_module
from kings_server.admin_doing import do
from kings_server.house import House
from kings_server.journal import Done, Forgetful
from kings_server.journal_rows import Write
from kings_server.log import logger
from people import Person, new_id
from thinking import pool

WORD = "hush"
LEAVING = 6
"""Steps of the loop within which a connection has ended."""


class Held(Forgetful):
    """A journal that keeps things when it is told to."""

    keeps = True

    def __init__(self) -> None:
        self.held: list[Done] | None = None

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:
        assert writes
        if self.held is None:
            done(None)
        else:
            self.held.append(done)

    def hold(self) -> None:
        self.held = []

    def release(self) -> None:
        held, self.held = self.held, None
        for done in held or ():
            done(None)


async def send_at_once(person: Person, *requests: m.Request) -> None:
    """Send requests as a client might that does not wait for replies."""
    frames = [frame(encode(request), CLIENT_FRAME_BYTES) for request in requests]
    for request in requests:
        person.connection._note(request)
    await person.stream.send_all(b"".join(frames))


@pytest.mark.parametrize("steps", range(LEAVING))
async def test_a_connection_that_ends_as_its_request_is_kept_costs_the_table_nothing(
    autojump_clock: MockClock, steps: int
) -> None:
    journal = Held()
    async with hall(autojump_clock, journal=journal) as h:
        ann, ben, cleo = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        seat = await cleo.make_table(2, password=WORD)
        await h.table_of(ann, ben)
        journal.hold()
        join = m.Join(id=new_id(), table=seat.table, password=WORD)
        await send_at_once(ben, m.Leave(id=new_id()), join)
        await trio.testing.wait_all_tasks_blocked()
        assert isinstance(ben.stream, trio.StapledStream)
        ben.stream.send_stream.close()
        for _ in range(steps):
            await trio.lowlevel.checkpoint()
        journal.release()
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="still here?"))
        await ann.until_state(1, "open")


async def test_an_error_in_what_a_connection_asks_for_next_is_not_the_tables(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben)

        def broken(*_: object) -> None:
            raise ZeroDivisionError

        await send_at_once(ben, m.Leave(id=new_id()), m.Browse(id=new_id(), page=0))
        await trio.sleep(1)
        monkeypatch.setattr(h.lobby.listing, "look", broken)
        await ben.until_ended()
        monkeypatch.undo()
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="still here?"))
        await ann.until_state(1, "open")


async def test_a_table_that_is_to_end_ends_once_its_event_is_kept(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann = await h.guest("Ann")
        table = await h.table_of(ann, await h.guest("Ben"))
        line = m.Say(id=new_id(), text="one moment")
        await ann.send(line)
        await trio.sleep(1)
        h.lobby.end_soon(table, UnseatedCode.TABLE_ENDED)
        assert isinstance(await ann._reply_to(line), m.Done)
        with trio.fail_after(60):
            await ann.until_told(m.Unseated(code=UnseatedCode.TABLE_ENDED))


async def test_a_table_that_fails_does_not_answer_twice(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben)

        def broken(**_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(table_module, "Picture", broken)
        ready = m.Ready(id=new_id(), on=True)
        await ann.ask_for(m.Done, ready)
        for person in (ann, ben):
            await person.until_told(m.Unseated(code=UnseatedCode.TABLE_FAILED))
        await ann.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        assert ann.replied[ready.id] == 1


async def test_an_operator_sees_only_what_is_kept(autojump_clock: MockClock) -> None:
    journal = Held()
    async with hall(autojump_clock, journal=journal) as h:
        ann = await h.guest("Ann")
        await h.table_of(ann, await h.guest("Ben"))
        house = House(h.lobby, h.listener, None, pool(), lambda _: None, 0.0)
        before = do(house, w.ListAll(), logger())
        journal.hold()
        await ann.send(m.Leave(id=new_id()))
        await trio.testing.wait_all_tasks_blocked()
        assert do(house, w.ListAll(), logger()) == before
        journal.release()
        await trio.testing.wait_all_tasks_blocked()
        assert do(house, w.ListAll(), logger()) != before
