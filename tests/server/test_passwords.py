"""Passwords: kept as hashes, tried seldom and by few at once, and never where others can read."""

import sqlite3
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from hall import UNLIMITED, hall
from journals import breakable, quick_passwords
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import ENTER_SECONDS
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.hashes import fits, hashed, ticket_of
from kings_server.journal_file import NAME, opened
from kings_server.journal_schema import MIGRATIONS, migrate
from kings_server.kept import request_from, settings_from, state_from
from kings_server.limits import PASSWORD_PAUSE, PASSWORD_SLOW_PAUSE, PASSWORD_TRIES
from kings_server.log import logger
from kings_server.passwords import Asker, Passwords, Tried, Try
from kings_server.session import Session
from people import Person, connected, new_id

T = TypeVar("T")
WORD = "open sesame"


def test_a_password_is_known_again_by_its_hash_alone() -> None:
    kept = hashed(WORD, 4)
    assert WORD not in kept
    assert fits(kept, WORD)
    assert not fits(kept, "Open sesame")
    assert hashed(WORD, 4) != kept


def test_a_hash_takes_as_long_as_it_should() -> None:
    # 2 to the power of 14, and 16 MB: the cost is a part of what is kept.
    assert hashed(WORD).split(":")[:2] == ["scrypt", "14"]


class Desk:
    """Works things out in a second each, and counts how many are under way at once."""

    def __init__(self) -> None:
        self.now = self.most = self.jobs = 0

    async def __call__(self, job: Callable[[], T], /) -> T:
        self.now += 1
        self.jobs += 1
        self.most = max(self.most, self.now)
        await trio.sleep(1)
        self.now -= 1
        return job()


async def test_two_are_worked_out_at_once_and_one_of_one_address(
    autojump_clock: MockClock,
) -> None:
    desk = Desk()
    passwords = Passwords(desk, cost=1)
    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(passwords.keep, WORD, Asker(f"192.0.2.{number}"))
            nursery.start_soon(passwords.keep, WORD, Asker(""))
    assert (desk.most, desk.jobs, autojump_clock.current_time()) == (2, 16, 8)
    desk.most = 0
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(passwords.keep, WORD, Asker("192.0.2.1"))
    assert desk.most == 1


class Door:
    """What a password opens, and who tries it from which address."""

    def __init__(self, passwords: Passwords) -> None:
        self.passwords = passwords
        self.kept = hashed(WORD, 1)

    async def tried(
        self, word: str, *, of: str = "192.0.2.1", target: str = "t1", client: str = ""
    ) -> Tried:
        """Try a word by a new connection."""
        return await self.passwords.tried(Try(self.kept, word, Asker(of), target, client))

    async def spend(self, **where: str) -> None:
        """Try so many wrong words that further ones are slow."""
        slows = [(await self.tried("wrong", **where)).slows for _ in range(PASSWORD_TRIES)]
        assert slows == [False] * (PASSWORD_TRIES - 1) + [True]


async def test_right_ones_are_free_and_after_five_wrong_ones_of_a_minute_tries_are_slow(
    autojump_clock: MockClock,
) -> None:
    door = Door(Passwords(Desk(), cost=1))
    for _ in range(20):
        assert (await door.tried(WORD)).fits
    await door.spend()
    assert autojump_clock.current_time() == pytest.approx(25 + 24 * PASSWORD_PAUSE)
    began = trio.current_time()
    for _ in range(4):
        assert await door.tried("wrong") == Tried(fits=False)
    assert trio.current_time() - began >= 3 * PASSWORD_SLOW_PAUSE
    # The right one is looked at all the same, in its turn.
    assert (await door.tried(WORD)).fits
    await trio.sleep(60)
    await door.spend()


async def test_wrong_tries_count_for_what_they_would_open_alone(autojump_clock: MockClock) -> None:
    door = Door(quick_passwords())
    await door.spend(target="t1")
    await door.tried("wrong", target="t1")
    began = autojump_clock.current_time()
    for other in ({"target": "t2"}, {"target": ""}, {"of": "192.0.2.2"}):
        assert (await door.tried(WORD, **other)).fits
    assert autojump_clock.current_time() - began < PASSWORD_SLOW_PAUSE


async def test_a_client_that_knows_the_password_waits_for_nobodys_wrong_ones(
    autojump_clock: MockClock,
) -> None:
    door = Door(quick_passwords())
    assert (await door.tried(WORD, client="ann")).fits
    await door.spend()
    async with trio.open_nursery() as nursery:
        for _ in range(30):
            nursery.start_soon(door.tried, "wrong")
        await trio.sleep(10)
        began = autojump_clock.current_time()
        assert (await door.tried(WORD, client="ann")).fits
        assert autojump_clock.current_time() - began <= 3 * PASSWORD_PAUSE
        nursery.cancel_scope.cancel()


async def test_who_never_tried_is_next_among_many_slow_ones(autojump_clock: MockClock) -> None:
    passwords = quick_passwords()
    door = Door(passwords)
    await door.spend()

    async def guesser() -> None:
        asker = Asker("192.0.2.1")
        while True:
            assert not (await passwords.tried(Try(door.kept, "wrong", asker, "t1"))).fits

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(guesser)
        await trio.sleep(100)
        began = autojump_clock.current_time()
        assert (await door.tried(WORD)).fits
        assert autojump_clock.current_time() - began <= 2 * PASSWORD_SLOW_PAUSE + PASSWORD_PAUSE
        nursery.cancel_scope.cancel()


async def test_many_wrong_ones_at_the_same_time_are_five_quick_ones_too(
    autojump_clock: MockClock,
) -> None:
    door = Door(quick_passwords())
    async with trio.open_nursery() as nursery:
        for _ in range(30):
            nursery.start_soon(door.tried, "wrong")
    slow = 30 - PASSWORD_TRIES
    assert autojump_clock.current_time() >= (slow - 1) * PASSWORD_SLOW_PAUSE


async def test_connections_of_one_address_take_turns(autojump_clock: MockClock) -> None:
    passwords = quick_passwords()

    async def maker() -> None:
        asker = Asker("192.0.2.1")
        while True:
            await passwords.keep(WORD, asker)

    async with trio.open_nursery() as nursery:
        for _ in range(60):
            nursery.start_soon(maker)
        await trio.sleep(60 * PASSWORD_PAUSE + 1)
        began = autojump_clock.current_time()
        await passwords.keep(WORD, Asker("192.0.2.1"))
        assert autojump_clock.current_time() - began <= 2 * PASSWORD_PAUSE + 0.1
        nursery.cancel_scope.cancel()


async def test_nothing_is_worked_out_for_a_table_that_is_not_made(
    autojump_clock: MockClock,
) -> None:
    bounds = Bounds(requests_per_second=0, tables_per_client=1)
    async with hall(autojump_clock, Config(bounds=bounds)) as h:
        desk = Desk()
        h.lobby.passwords = Passwords(desk, cost=1)
        ann, other = await h.guest("Ann"), await h.guest("Ann")
        await ann.make_table(2, password=WORD)
        other.client = ann.client
        refused: tuple[tuple[dict[str, Any], RefusalCode], ...] = (
            ({"name": "\u200b"}, RefusalCode.BAD_NAME),
            ({"preset": "whist"}, RefusalCode.NO_SUCH_PRESET),
            ({"knobs": {"hand_size": 99}}, RefusalCode.BAD_RULES),
        )
        for fields, code in refused:
            make = m.MakeTable(id=new_id(), name="Den", preset="pagat", password=WORD)
            make = msgspec.structs.replace(make, **fields)
            assert (await other.ask_for(m.Refused, make)).code == code
        assert desk.jobs == 1


async def test_one_address_does_not_keep_the_machine_busy(autojump_clock: MockClock) -> None:
    passwords = quick_passwords()
    async with trio.open_nursery() as nursery:
        for number in range(11):
            nursery.start_soon(passwords.keep, WORD, Asker("192.0.2.1"))
            nursery.start_soon(passwords.keep, WORD, Asker(f"192.0.2.{100 + number}"))
        with trio.fail_after(0.1):
            await passwords.keep(WORD, Asker("192.0.2.2"))
    assert autojump_clock.current_time() == pytest.approx(10 * PASSWORD_PAUSE)


async def test_who_tries_a_password_keeps_nobody_waiting(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        h.lobby.passwords = Passwords(Desk(), cost=1)
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2, password=WORD)
        await ben.send(m.Join(id=new_id(), table=seat.table, password="wrong"))  # noqa: S106
        began = trio.current_time()
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="still here"))
        assert trio.current_time() == began


async def test_who_leaves_while_a_password_is_tried_gets_no_seat(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        h.lobby.passwords = Passwords(Desk(), cost=1)
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2, password=WORD)
        await ben.send(m.Join(id=new_id(), table=seat.table, password=WORD))
        await ben.send(m.Bye(code="going"))
        await trio.sleep(10)
        assert ann.state_of(1) == "open"


async def test_the_same_wish_sent_again_is_the_same_with_the_right_password_only(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.stranger("Ann")
        await ann.enter()
        make = m.MakeTable(id=new_id(), name="Den", preset="pagat", password=WORD)
        first = await ann.ask_for(m.Seated, make)
        twin = await h.stranger("Ann")
        twin.client = ann.client
        await twin.enter()
        wrong = msgspec.structs.replace(make, password="wrong")  # noqa: S106
        assert (await twin.ask_for(m.Refused, wrong)).code == RefusalCode.WRONG_PASSWORD
        assert (await twin.ask_for(m.Seated, make)).token == first.token
        assert len(h.lobby.tables) == 1


async def test_no_password_is_taken_where_others_can_read_it(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        near, far = memory_stream_pair()
        session = Session(far, h.lobby, logger(), overheard=True)
        h.nursery.start_soon(session.run)
        async with connected(Person(near)) as ann:
            await ann.enter()
            for request in (
                m.MakeTable(id=new_id(), name="Den", preset="pagat", password=WORD),
                m.Join(id=new_id(), table="t1", password=WORD),
                m.Watch(id=new_id(), table="t1", password=WORD),
            ):
                assert (await ann.ask_for(m.Refused, request)).code == RefusalCode.NOT_ENCRYPTED
            assert not h.lobby.tables
            await ann.make_table(2)


async def test_a_servers_password_is_asked_of_everybody_who_enters(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        h.lobby.password = hashed(WORD, 1)
        ann = await h.stranger("Ann")
        await ann.greet()
        for password in (None, "", "wrong"):
            enter = m.Enter(id=new_id(), client=ann.client, name="Ann", password=password)
            assert (await ann.ask_for(m.Refused, enter)).code == RefusalCode.WRONG_PASSWORD
        await ann.ask_for(m.Entered, msgspec.structs.replace(enter, id=new_id(), password=WORD))
        await ann.make_table(2)


async def test_slow_tries_at_a_server_are_no_reason_to_be_too_late(
    autojump_clock: MockClock, log: StringIO
) -> None:
    async with hall(autojump_clock, Config()) as h:
        h.lobby.password = hashed(WORD, 1)
        h.lobby.passwords = Passwords(Desk(), cost=1)

        async def try_it(word: str) -> m.Reply:
            near, far = memory_stream_pair()
            session = Session(far, h.lobby, logger(), "192.0.2.1")
            h.nursery.start_soon(session.run)
            async with connected(Person(near)) as one:
                await one.greet()
                enter = m.Enter(id=new_id(), client=one.client, name="Ann", password=word)
                return await one.ask(enter)

        replies: list[m.Reply] = []

        async def guess() -> None:
            replies.append(await try_it("wrong"))

        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(guess)
            await trio.sleep(ENTER_SECONDS)
            assert isinstance(await try_it(WORD), m.Entered)
        assert len(replies) == 20
        assert all(
            isinstance(reply, m.Refused) and reply.code == RefusalCode.WRONG_PASSWORD
            for reply in replies
        )
    assert log.getvalue().count("too many wrong passwords") == 1


# ---- what is kept


def written(folder: Path) -> bytes:
    """Return all that is in the files of a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_no_password_is_in_the_journal(autojump_clock: MockClock, tmp_path: Path) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, UNLIMITED, file=file) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2, password=WORD)
        await ben.join(seat.table, password=WORD)
        await ann.ready()
    file.close()
    assert WORD.encode() not in written(tmp_path)
    assert seat.table.encode() in written(tmp_path)


def test_a_journal_with_readable_passwords_is_brought_to_hashes(tmp_path: Path) -> None:
    path = tmp_path / NAME
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, MIGRATIONS[:1])
    settings = (
        '{"name":"Den","preset":"pagat","rules":{"players":2},"password":%s,"watchable":true,'
        '"absent":"bot","grace":60,"away":180,"pace":[0,0],"maker":""}'
    )
    join = f'{{"t":"join","id":"{"1" * 32}","table":"t1","password":"{WORD}","seat":null}}'
    seats = [{"state": "seated", "name": "Ann", "client": "c", "request": join}, {}]
    state = {"phase": "waiting", "matches": 0, "host": 0, "seats": seats}
    kept = msgspec.json.encode(state).decode()
    connection.execute("INSERT INTO tables VALUES ('t1', ?, ?)", (settings % f'"{WORD}"', kept))
    connection.execute("INSERT INTO tables VALUES ('t2', ?, ?)", (settings % "null", kept))
    connection.execute("INSERT INTO tables VALUES ('t3', 'unreadable', '')")
    connection.execute("INSERT INTO answers VALUES ('t1', 0, 0, 0, ?, '')", (join,))
    connection.close()
    with opened(tmp_path) as journal:
        tables = {table.table: table for table in journal.file.load()}
    found, _ = settings_from(tables["t1"])
    assert found.password is not None
    assert fits(found.password, WORD)
    ticket = ticket_of(found.password)
    for text in (tables["t1"].answers[0].request, state_from(tables["t1"].state).seats[0].request):
        request = request_from(text)
        assert isinstance(request, m.Join)
        assert (request.password, request.table) == (ticket, "t1")
    assert settings_from(tables["t2"])[0].password is None
    assert tables["t3"].settings == "unreadable"
    assert WORD.encode() not in written(tmp_path)
