"""``kings admin``: what it does to a running server, and what it shows.

Conduct: real servers and real commands on loopback; an absolute time limit on every wait.
"""

import json
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, UnseatedCode
from kings_protocol.errors import LocalError
from kings_server import admin_wishes as w
from kings_server.admin_doing import do
from kings_server.admin_shown import shown
from kings_server.admin_socket import ADMIN_SECONDS, ADMINS, attend
from kings_server.house import House
from kings_server.log import logger
from people import Person, connected, new_id
from serving import SECONDS_TO_START, TRUSTING, command, serving
from thinking import pool

LIMIT = 60


def admin(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``kings admin`` to its end."""
    return command("admin", "--data", str(data), *arguments)


async def asked(data: Path, *arguments: str) -> dict[str, Any]:
    """Return what ``kings admin --json`` answers."""
    ran = await trio.to_thread.run_sync(lambda: admin(data, "--json", *arguments))
    assert ran.stderr == ""
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


# ---- a real server


async def test_an_admin_sees_who_is_here_and_speaks_to_all(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        async with server.guest("Ann") as ann, server.guest("Ben") as ben:
            seat = await ann.make_table(2)
            found = await asked(tmp_path, "list")
            assert [one["name"] for one in found["people"]] == ["Ann", "Ben"]
            assert [one["table"] for one in found["people"]] == [seat.table, None]
            assert found["people"][0]["address"] == "127.0.0.1"
            (table,) = found["tables"]
            assert (table["table"], table["name"], table["phase"]) == (
                seat.table,
                "Kitchen",
                "waiting",
            )
            assert (await asked(tmp_path, "say", "Chess", "at", "nine"))["people"] == 2
            for person in (ann, ben):
                await person.until_told(m.Announcement(text="Chess at nine"))
            stats = await asked(tmp_path, "stats")
            assert (stats["connections"], stats["tables_ever"]) == (2, 1)
            assert stats["answers"]["count"] >= 1
            for line in ("list", "stats", "bans"):
                ran = await trio.to_thread.run_sync(admin, tmp_path, line)
                assert (ran.returncode, ran.stderr) == (0, "")
            assert "Ann" in (await trio.to_thread.run_sync(admin, tmp_path, "list")).stdout


async def test_who_is_kicked_may_come_back_and_who_is_banned_may_not(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        async with server.guest("Ann") as ann:
            assert (await asked(tmp_path, "kick", "--name", "ann"))["kicked"] == "Ann"
            assert await ann.until_ended() == m.Bye(code=CloseCode.KICKED)
        async with server.guest("Ann") as again:
            number = (await asked(tmp_path, "list"))["people"][0]["connection"]
            ban = await asked(tmp_path, "ban", str(number), "--for", "2h")
            assert ban["banned"]["name"] == "Ann"
            assert await again.until_ended() == m.Bye(code=CloseCode.BANNED)
            client = again.client
        assert await entered(server.port, client) == m.Bye(code=CloseCode.BANNED)
        assert await entered(server.port, new_id()) is None
        await asked(tmp_path, "unban", str(ban["banned"]["number"]))
        assert await entered(server.port, client) is None


async def test_a_ban_of_an_address_is_for_everybody_there_and_outlives_the_server(
    tmp_path: Path,
) -> None:
    with trio.fail_after(LIMIT):
        with serving("--data", str(tmp_path)) as server:
            async with server.guest("Ann") as ann, server.guest("Ben") as ben:
                assert (await asked(tmp_path, "ban", "--name", "Ann", "--household"))["people"] == 2
                for person in (ann, ben):
                    assert await person.until_ended() == m.Bye(code=CloseCode.BANNED)
        with serving("--data", str(tmp_path)) as server:
            assert await entered(server.port, new_id()) == m.Bye(code=CloseCode.BANNED)
            assert (await asked(tmp_path, "bans"))["bans"][0]["network"] == "127.0.0.1/32"


async def test_who_is_banned_by_address_is_told_before_a_handshake(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path), encrypted=True) as server:
        async with server.guest("Ann") as ann:
            await asked(tmp_path, "ban", "--address", "127.0.0.1")
            assert await ann.until_ended() == m.Bye(code=CloseCode.BANNED)
        bare = await trio.open_tcp_stream("127.0.0.1", server.port)
        async with bare:
            assert await bare.receive_some() == bytes((21, 3, 3, 0, 2, 2, 49))
        bare = await trio.open_tcp_stream("127.0.0.1", server.port)
        with pytest.raises(trio.BrokenResourceError) as caught:
            await trio.SSLStream(bare, TRUSTING).do_handshake()
        assert "ACCESS_DENIED" in str(caught.value.__cause__)
        await trio.aclose_forcefully(bare)
        assert (await asked(tmp_path, "stats"))["turned_away"] == 2
        await asked(tmp_path, "unban", "1")
        async with server.guest("Ben"):
            pass


async def entered(port: int, client: str) -> m.Bye | None:
    """Try to enter as ``client``; return the server's goodbye, or nothing if it went well."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with connected(Person(stream)) as person:
        # Nobody is greeted from an address that is banned, and the end may come before a word.
        with suppress(AssertionError, LocalError, trio.BrokenResourceError):
            await person.greet()
            await person.send(m.Enter(id=new_id(), client=client, name="Ann"))
        while not person.ended and not person.replies:
            await person._changed.wait()
        return person.bye


async def test_an_admin_lets_the_server_stop_as_a_signal_does(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        async with server.guest("Ann") as ann:
            assert (await asked(tmp_path, "drain", "600"))["stops_in"] == 600
            stops_in = (await asked(tmp_path, "drain", "6000"))["stops_in"]
            assert isinstance(stops_in, float)
            assert stops_in < 600
            await ann.until(lambda: any(isinstance(one, m.Notice) for one in ann.others))
        assert await trio.to_thread.run_sync(server.process.wait, SECONDS_TO_START) == 0
        assert not (tmp_path / "admin" / "socket").exists()


async def test_admins_that_say_nothing_or_read_nothing_keep_nobody_waiting(
    tmp_path: Path,
) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        path = str(tmp_path / "admin" / "socket")
        silent = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(ADMINS)]
        try:
            for one in silent:
                one.connect(path)
                one.sendall(b'{"do"')
            async with server.guest("Ann") as ann:
                await ann.make_table(2, bots=("easy",))
                ran = await trio.to_thread.run_sync(admin, tmp_path, "list")
                assert ran.returncode == 1
                assert "busy" in ran.stderr
        finally:
            for one in silent:
                one.close()
        assert (await asked(tmp_path, "list"))["people"] == []


@pytest.mark.parametrize(
    "line",
    [b"\n", b"{}\n", b'{"do":"hands"}\n', b'{"do":"kick"}\n', b'{"do":"list","x":1}\n', b"\xff\n"],
)
async def test_what_nobody_can_do_is_answered_so(tmp_path: Path, line: bytes) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)):
        stream = await trio.open_unix_socket(tmp_path / "admin" / "socket")
        async with stream:
            await stream.send_all(line)
            answer = b""
            while not answer.endswith(b"\n"):
                answer += await stream.receive_some()
        assert "no such command" in json.loads(answer)["error"]


def test_only_the_owner_may_reach_the_socket(tmp_path: Path) -> None:
    folder = tmp_path / "admin"
    folder.mkdir(mode=0o755)
    with serving("--data", str(tmp_path)):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    ran = admin(tmp_path, "list")
    assert (ran.returncode, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("kings admin: no server runs")


@pytest.mark.parametrize(
    "arguments",
    [
        ("ban", "--name", "Ann", "--for", "3y"),
        ("ban", "Ann"),
        ("ban", "192.0.2.7"),
        ("ban", "7", "--name", "Ann"),
        ("ban", "--address", "192.0.2.7", "--household"),
        ("ban",),
        ("kick", "Ann"),
        ("kick", "²"),
        ("drain", "soon"),
        ("dance",),
        ("unban", "x"),
    ],
)
def test_a_wrong_command_is_said_with_its_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = admin(tmp_path, *arguments)
    assert ran.returncode == 2
    assert ran.stderr.startswith("usage: kings admin")


# ---- a server in this process


def house_of(h: Hall) -> House:
    return House(h.lobby, h.listener, None, pool(None), lambda _: None, trio.current_time())


async def test_a_table_is_ended_in_the_middle_of_a_deal(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, ben)
        house = house_of(h)
        name = table.settings.table
        assert do(house, w.End(name), logger()) == {"ended": "Kitchen", "table": name}
        for person in (ann, ben):
            await person.until_told(m.Unseated(code=UnseatedCode.TABLE_ENDED))
        await trio.testing.wait_all_tasks_blocked()
        assert h.lobby.tables == {}
        assert "no table" in str(do(house, w.End(name), logger())["error"])


async def test_two_people_of_one_name_are_told_apart_by_number(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        await h.guest("Ann")
        second = await h.guest("ann")
        house = house_of(h)
        error = str(do(house, w.Kick("ANN"), logger())["error"])
        numbers = [session.number for session in h.listener.sessions]
        assert all(str(number) in error for number in numbers)
        do(house, w.Kick(numbers[1]), logger())
        assert await second.until_ended() == m.Bye(code=CloseCode.KICKED)
        assert len(h.listener.sessions) == 1


@pytest.mark.parametrize("name", ["192.0.2.0", "192.0.2.0/24", "2", "::1"])
async def test_whatever_somebody_is_called_is_a_name(autojump_clock: MockClock, name: str) -> None:
    async with hall(autojump_clock) as h:
        other = await h.guest("Ben")
        await h.guest("Cleo")
        person = await h.guest(name)
        house = house_of(h)
        kicked = do(house, w.Kick(name), logger())
        assert (kicked["kicked"], kicked["connection"]) == (name, 3)
        assert await person.until_ended() == m.Bye(code=CloseCode.KICKED)
        again = await h.guest(name)
        banned = do(house, w.Ban(name, None), logger())["banned"]
        assert isinstance(banned, dict)
        assert (banned["name"], banned["network"]) == (name, "")
        assert await again.until_ended() == m.Bye(code=CloseCode.BANNED)
        assert "nobody called" in str(do(house, w.Kick(name), logger())["error"])
        assert "no connection 99" in str(do(house, w.Kick(99), logger())["error"])
        assert not other.ended


@pytest.mark.parametrize("network", ["Ann", "", "192.0.2", "192.0.2.0/33"])
async def test_what_is_no_network_is_refused_and_bars_nobody(
    autojump_clock: MockClock, network: str
) -> None:
    async with hall(autojump_clock) as h:
        await h.guest("Ann")
        house = house_of(h)
        assert "is no address" in str(do(house, w.BanNetwork(network, None), logger())["error"])
        assert do(house, w.Bans(), logger()) == {"bans": []}


async def test_no_answer_tells_of_hands_stock_seeds_or_tokens(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        await ann.play_once() if ann.my_turn else await ben.play_once()
        house = house_of(h)
        told = do(house, w.ListAll(), logger())
        tables, people = told["tables"], told["people"]
        assert isinstance(tables, list)
        assert isinstance(people, list)
        assert set(tables[0]) == {
            *("table", "name", "rules", "phase", "match", "deal", "seats", "watchers"),
            *("locked", "saving"),
        }
        assert all(set(seat) == {"state", "name", "level"} for seat in tables[0]["seats"])
        assert set(people[0]) == {
            *("connection", "name", "address", "client", "table", "seconds"),
        }
        stats = do(house, w.Stats(), logger())
        assert stats["moves"] == 1
        assert not {"Ann", "Ben", "Kitchen"} & set(json.dumps(stats).replace('"', " ").split())
        assert len(people[0]["client"]) == 8
        assert shown("list", told)
        assert shown("stats", stats)


async def test_coming_back_to_a_seat_is_counted(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        assert do(house_of(h), w.Stats(), logger())["resumes"] == 0
        await cut(ann)
        await h.back(ann)
        assert do(house_of(h), w.Stats(), logger())["resumes"] == 1


async def test_an_admin_has_a_few_seconds_and_no_more(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        await h.nursery.start(attend, house_of(h), tmp_path, logger())
        began = trio.current_time()
        stream = await trio.open_unix_socket(tmp_path / "admin" / "socket")
        async with stream:
            await stream.send_all(b'{"do"')
            assert await stream.receive_some() == b""
        assert trio.current_time() - began >= ADMIN_SECONDS


async def test_a_ban_that_cannot_be_kept_says_so_and_holds(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        (tmp_path / "bans.json.new").mkdir()
        ran = await trio.to_thread.run_sync(admin, tmp_path, "ban", "--address", "127.0.0.1")
        assert ran.returncode == 1
        assert "done, but not kept" in ran.stderr
        assert await entered(server.port, new_id()) == m.Bye(code=CloseCode.BANNED)
