"""What a client without a seat was answered is remembered: what counts twice, and not for ever."""

import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import CLIENT_MEMORY_SECONDS
from kings_server.answers import ClientMemory
from kings_server.limits import CLIENT_ANSWERS, REMEMBERED_CLIENTS
from people import Person, new_id


def making() -> m.MakeTable:
    return m.MakeTable(id=new_id(), name="Kitchen", preset="pagat", knobs={"players": 2})


async def again(h: Hall, person: Person) -> Person:
    """Return the same client by a new connection."""
    await cut(person)
    other = await h.stranger(person.name)
    other.client = person.client
    await other.enter()
    return other


async def leave(person: Person) -> None:
    await person.ask_for(m.Done, m.Leave(id=new_id()))


async def test_what_was_asked_is_known_again_for_ten_minutes(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, request = await h.guest("Ann"), making()
        await ann.ask_for(m.Seated, request)
        await leave(ann)
        await trio.sleep(CLIENT_MEMORY_SECONDS - 1)
        ann = await again(h, ann)
        refused = await ann.ask_for(m.Refused, request)
        assert refused.code == RefusalCode.NO_SUCH_TABLE
        await trio.sleep(CLIENT_MEMORY_SECONDS + 1)
        await again(h, await h.guest("Ben"))
        assert len(h.lobby.memory) == 0
        ann = await again(h, ann)
        await ann.ask_for(m.Seated, request)


async def test_the_time_counts_from_the_answer_on_however_long_somebody_has_been_here(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, request = await h.guest("Ann"), making()
        await trio.sleep(2 * CLIENT_MEMORY_SECONDS)
        await h.guest("Ben")
        await ann.ask_for(m.Seated, request)
        await (await again(h, ann)).ask_for(m.Seated, request)
        assert len(h.lobby.tables) == 1


async def test_nothing_is_remembered_of_who_looks_round(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table = (await (await h.guest("Ann")).make_table(2)).table
        before = len(h.lobby.memory)
        eve = await h.guest("Eve")
        for _ in range(3):
            await eve.ask_for(m.Done, m.Browse(id=new_id(), page=0))
            await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table))
            await leave(eve)
        assert len(h.lobby.memory) == before


async def test_a_line_that_somebody_who_looks_on_says_again_is_said_once(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, eve = await h.guest("Ann"), await h.guest("Eve")
        table = (await ann.make_table(2)).table
        line = m.Say(id=new_id(), text="hello")
        for _ in range(2):
            await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table))
            await eve.ask_for(m.Done, line)
            eve = await again(h, eve)
        assert len(h.lobby.tables[table].chat) == 1


async def test_made_up_clients_do_not_fill_the_memory() -> None:
    memory, early, late = ClientMemory(), making(), making()
    done = m.Done(re="")
    memory.keep("early", early, done)
    memory.keep("late", late, done)
    for number in range(REMEMBERED_CLIENTS):
        assert memory.find("late", late) is not None
        memory.keep(f"made up {number}", making(), done)
    assert len(memory) == REMEMBERED_CLIENTS
    assert memory.find("early", early) is None
    for _ in range(CLIENT_ANSWERS):
        assert memory.find("late", late) is not None
        memory.keep("late", making(), done)
    assert memory.find("late", late) is None
