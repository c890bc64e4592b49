"""Passwords: kept as hashes, tried seldom and by few at once, and never where others can read."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from hall import UNLIMITED, hall
from journals import breakable, quick_passwords
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_server.hashes import fits, hashed, ticket_of
from kings_server.journal_file import NAME, opened
from kings_server.journal_schema import MIGRATIONS, migrate
from kings_server.kept import request_from, settings_from, state_from
from kings_server.limits import PASSWORD_PAUSE
from kings_server.log import logger
from kings_server.passwords import Passwords, Tried
from kings_server.session import Session
from people import Person, connected, new_id
from serving import SECONDS_TO_START, serving

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
    kept = hashed(WORD, 1)
    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(passwords.tried, kept, WORD, f"192.0.2.{number}")
            nursery.start_soon(passwords.keep, WORD)
    assert (desk.most, desk.jobs, autojump_clock.current_time()) == (2, 16, 8)
    desk.most = 0
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(passwords.tried, kept, WORD, "192.0.2.1")
    assert desk.most == 1


async def test_five_wrong_ones_a_minute_of_one_address_and_right_ones_are_free(
    autojump_clock: MockClock,
) -> None:
    desk = Desk()
    passwords = Passwords(desk, cost=1)
    kept = hashed(WORD, 1)
    for _ in range(20):
        assert await passwords.tried(kept, WORD, "192.0.2.1") == Tried(fits=True)
    for _ in range(5):
        assert await passwords.tried(kept, "wrong", "192.0.2.1") == Tried(fits=False)
    assert autojump_clock.current_time() == pytest.approx(25 + 24 * PASSWORD_PAUSE)
    done = desk.jobs
    # Not even the right one is looked at now, and nothing is worked out for it.
    assert await passwords.tried(kept, WORD, "192.0.2.1") == Tried(fits=False, wait=56)
    assert desk.jobs == done
    assert await passwords.tried(kept, WORD, "192.0.2.2") == Tried(fits=True)
    await trio.sleep(55)
    assert await passwords.tried(kept, "wrong", "192.0.2.1") == Tried(fits=False)
    await trio.sleep(60)
    assert await passwords.tried(kept, WORD, "192.0.2.1") == Tried(fits=True)


async def test_many_wrong_ones_at_the_same_time_are_five_too(
    autojump_clock: MockClock,
) -> None:
    passwords = Passwords(Desk(), cost=1)
    kept, found = hashed(WORD, 1), list[Tried]()

    async def one() -> None:
        found.append(await passwords.tried(kept, "wrong", "192.0.2.1"))

    async with trio.open_nursery() as nursery:
        for _ in range(30):
            nursery.start_soon(one)
    assert sum(tried.wait == 0 for tried in found) == 5
    assert autojump_clock.current_time() == pytest.approx(5 + 4 * PASSWORD_PAUSE)


async def test_one_address_does_not_keep_the_machine_busy(autojump_clock: MockClock) -> None:
    passwords = quick_passwords()
    async with trio.open_nursery() as nursery:
        for number in range(11):
            nursery.start_soon(passwords.keep, WORD, "192.0.2.1")
            nursery.start_soon(passwords.keep, WORD, f"192.0.2.{100 + number}")
        with trio.fail_after(0.1):
            await passwords.keep(WORD, "192.0.2.2")
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


async def test_a_sixth_try_at_a_server_waits_and_a_new_connection_does_not_help(
    tmp_path: Path,
) -> None:
    (tmp_path / "word").write_text(f"{WORD}\n")
    options = ("--password-file", str(tmp_path / "word"))
    with trio.fail_after(SECONDS_TO_START + 30), serving(*options, encrypted=True) as server:
        codes = []
        for _ in range(3):
            async with connected(Person(await server.stream())) as ann:
                await ann.greet()
                for _ in range(2):
                    enter = m.Enter(id=new_id(), client=ann.client, name="Ann", password="x")  # noqa: S106
                    refused = await ann.ask_for(m.Refused, enter)
                    codes.append(refused.code)
        assert codes == [RefusalCode.WRONG_PASSWORD] * 5 + [RefusalCode.TOO_MANY_TRIES]
        assert 50 < (refused.seconds or 0) <= 60


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
