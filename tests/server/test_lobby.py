"""The lobby's list: pages, changes without asking, merged and at most four a second."""

from itertools import pairwise

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from hall import cut, hall
from kings_protocol import limits
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import RefusalCode
from kings_protocol.frames import frame
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.outbox import Outbox
from people import Person, new_id

WORD = "hush"


class Seen:
    """The list as a client has it that puts the changes together."""

    def __init__(self) -> None:
        self.lines: dict[str, m.TableLine] = {}
        self.order: tuple[str, ...] = ()

    def take(self, pages: list[m.LobbyPage]) -> None:
        for page in pages:
            if page.whole:
                self.lines = {}
            self.lines |= {line.table: line for line in page.tables}
            self.order = page.order

    @property
    def tables(self) -> list[m.TableLine]:
        return [self.lines[table] for table in self.order]


async def browse(person: Person, page: int | None = 0) -> None:
    await person.ask_for(m.Done, m.Browse(id=new_id(), page=page))


async def test_a_page_is_whole_first_and_then_brings_only_what_changed(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, eve = [await h.guest(name) for name in ("Ann", "Ben", "Eve")]
        first = await ann.make_table(3, knobs={"points": 50})
        await browse(eve)
        await eve.until(lambda: eve.pages)
        (page,) = eve.pages
        assert (page.whole, page.total, page.pages, page.order) == (True, 1, 1, (first.table,))
        (line,) = page.tables
        assert (line.name, line.host, line.seats, line.people) == ("Kitchen", "Ann", 3, 1)
        assert line.changed == {"points": 50}
        second = await ben.make_table(2, name="Attic", password=WORD)
        await trio.sleep(1)
        changed = eve.pages[1:]
        assert {line.table for page in changed for line in page.tables} == {second.table}
        assert not any(page.whole for page in changed)
        assert eve.pages[-1].order == (first.table, second.table)
        assert eve.pages[-1].tables[-1].locked


async def test_who_asks_again_and_again_is_shown_a_page_at_most_four_times_a_second(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        await (await h.guest("Ann")).make_table(4)
        eve = await h.guest("Eve")
        began = trio.current_time()
        for number in range(100):
            await browse(eve, number % 2)
            await trio.sleep(0.01)
        await trio.sleep(1)
        seconds = trio.current_time() - began
        assert 2 <= len(eve.pages) <= 1 + seconds / limits.LOBBY_SECONDS
        assert all(page.whole for page in eve.pages)
        assert eve.pages[-1].total == 1


async def test_changes_are_merged_and_come_at_most_four_times_a_second(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, eve = await h.guest("Ann"), await h.guest("Eve")
        seat = await ann.make_table(4)
        await browse(eve)
        await eve.until(lambda: eve.pages)
        times: list[float] = []

        async def note_times() -> None:
            while True:
                await eve.until(lambda: len(eve.pages) > 1 + len(times))
                times.append(trio.current_time())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(note_times)
            for number in range(200):
                add = m.AddBot(id=new_id(), seat=3, level="easy")
                await ann.ask_for(m.Done, m.RemoveBot(id=new_id(), seat=3) if number % 2 else add)
                await trio.sleep(0.01)
            await trio.sleep(1)
            nursery.cancel_scope.cancel()
        assert 2 < len(times) <= 2 / limits.LOBBY_SECONDS + 2
        assert all(b - a >= limits.LOBBY_SECONDS - 1e-6 for a, b in pairwise(times))
        seen = Seen()
        seen.take(eve.pages)
        assert seen.tables == [h.lobby.tables[seat.table].line]


async def test_nobody_is_sent_what_does_not_concern_the_page_looked_at(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        makers = [await h.guest(f"M{number}") for number in range(60)]
        for number, maker in enumerate(makers):
            await maker.make_table(4, name=f"T{number}")
        first, second, beyond = [await h.guest(name) for name in ("Eve", "Fay", "Gus")]
        await browse(first, 0)
        await browse(second, 1)
        await browse(beyond, 99)
        await trio.sleep(1)
        assert [len(page.order) for page in first.pages] == [limits.PAGE_TABLES]
        assert [(page.page, page.pages, page.total) for page in second.pages] == [(1, 2, 60)]
        assert beyond.pages == second.pages
        await makers[55].ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        await trio.sleep(1)
        assert len(first.pages) == 1
        assert [line.name for line in second.pages[-1].tables] == ["T55"]
        await browse(second, None)
        await makers[55].ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        await trio.sleep(1)
        assert len(second.pages) == 2


async def test_who_sits_down_looks_no_longer(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await browse(ann)
        await ann.make_table(2)
        count = len(ann.pages)
        await ben.make_table(2)
        await trio.sleep(2)
        assert len(ann.pages) == count


async def test_the_list_is_right_whatever_has_happened(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        eve, seen = await h.guest("Eve"), Seen()
        await browse(eve)
        people = [await h.guest(f"P{number}") for number in range(6)]
        for number, person in enumerate(people):
            await person.make_table(2, name=f"T{number}")
        await people[0].ask_for(m.Done, m.Leave(id=new_id()))
        await people[0].join(h_table(people[1]))
        await people[0].ready()
        await people[1].ready()
        await cut(people[2])
        await trio.sleep(1)
        seen.take(eve.pages)
        assert seen.tables == [table.line for table in h.lobby.tables.values()]
        assert [line.phase for line in seen.tables][:1] == ["playing"]
        await trio.sleep(120)
        seen.take(eve.pages)
        assert seen.tables == [table.line for table in h.lobby.tables.values()]
        assert len(seen.tables) == 4


async def test_tables_are_bounded_for_the_server_and_for_each_client(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config(bounds=Bounds(requests_per_second=0, tables=6))) as h:
        client = new_id()
        for number in range(limits.TABLES_PER_CLIENT + 1):
            person = await h.stranger(f"P{number}")
            person.client = client
            await person.enter()
            if number < limits.TABLES_PER_CLIENT:
                await person.make_table(2)
        make = m.MakeTable(id=new_id(), name="T", preset="pagat")
        refused = await person.ask_for(m.Refused, make)
        assert (refused.code, refused.limit) == (
            RefusalCode.TOO_MANY_TABLES,
            limits.TABLES_PER_CLIENT,
        )
        for _ in range(2):
            await (await h.guest()).make_table(2)
        refused = await (await h.guest()).ask_for(m.Refused, make)
        assert (refused.code, refused.limit) == (RefusalCode.TOO_MANY_TABLES, 6)


async def test_a_hundred_clients_are_killed_and_nothing_is_left(
    autojump_clock: MockClock,
) -> None:
    bounds = Bounds(requests_per_second=0, pause_seconds=3600.0)
    async with hall(autojump_clock, Config(bounds=bounds)) as h:
        await wait_all_tasks_blocked()
        before = trio.lowlevel.current_statistics().tasks_living
        people = [await h.guest(f"P{number}") for number in range(100)]
        for at in range(0, 80, 4):
            options: dict[str, object] = {"absent": ("bot", "wait", "skip", "forfeit")[at // 4 % 4]}
            if at % 8:
                options["knobs"] = {"turn_seconds": 30}
            await h.table_of(*people[at : at + 4], **options)
            if at % 12:
                for person in people[at : at + 4]:
                    await person.ready()
        for person in people[80:90]:
            await person.ask_for(m.Watching, m.Watch(id=new_id(), table=h_table(people[0])))
        for person in people[90:]:
            await browse(person)
        assert len(h.lobby.tables) == 20
        for person in people:
            await cut(person)
        await trio.sleep(24 * 3600)
        assert not h.lobby.tables
        assert not h.listener.sessions
        statistics = trio.lowlevel.current_statistics()
        assert statistics.tasks_living == before
        assert statistics.seconds_to_next_deadline > 3600


def h_table(person: Person) -> str:
    assert person.seat is not None
    return person.seat.table


def framed(message: m.Message) -> bytes:
    return frame(encode(message), limits.SERVER_FRAME_BYTES)


class Looker:
    """Who looks at the list, and is never written to."""

    def __init__(self, told: list["Looker"]) -> None:
        self.outbox = Outbox(lambda: told.append(self))


async def test_what_changes_is_sent_a_few_at_a_time_and_others_get_a_turn_in_between(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann")
        await ann.make_table(4)
        told: list[Looker] = []
        lookers = [Looker(told) for _ in range(100)]
        for looker in lookers:
            h.lobby.listing.look(looker, 0)
            looker.outbox.take(framed)
        await trio.sleep(1)
        told.clear()
        at_once: list[int] = []
        await ann.ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        while len(told) < len(lookers):
            before = len(told)
            await trio.lowlevel.checkpoint()
            at_once.append(len(told) - before)
        # Sixteen at a time; who waits beside them may come before them once, and after them next.
        assert max(at_once) <= 2 * 16
        assert set(told) == set(lookers)


async def test_who_asks_again_and_again_has_nobody_else_told(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        await (await h.guest("Ann")).make_table(4)
        told: list[Looker] = []
        calm = Looker(told)
        h.lobby.listing.look(calm, 0)
        calm.outbox.take(framed)
        await trio.sleep(1)
        told.clear()
        eve = await h.guest("Eve")
        for _ in range(100):
            await browse(eve)
            await trio.sleep(0.05)
        assert not told


async def test_what_has_changed_is_encoded_once_for_all_who_have_seen_the_same(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann")
        await ann.make_table(4)
        encoded: list[m.Message] = []
        written: list[bytes] = []

        def noted(message: m.Message) -> bytes:
            encoded.append(message)
            return framed(message)

        lookers = [Looker([]) for _ in range(10)]
        for change in range(3):
            for looker in lookers:
                if not change:
                    h.lobby.listing.look(looker, 0)
                written.append(looker.outbox.take(noted))
            kind = m.RemoveBot(id=new_id(), seat=3) if change % 2 else None
            await ann.ask_for(m.Done, kind or m.AddBot(id=new_id(), seat=3, level="easy"))
            await trio.sleep(1)
        pages = [message for message in encoded if isinstance(message, m.LobbyPage)]
        assert pages == encoded
        assert [(page.whole, page.tables[0].bots) for page in pages] == [
            (True, 0),
            (False, 1),
            (False, 0),
        ]
        assert written == [framed(page) for page in pages for _ in lookers]
