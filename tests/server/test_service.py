"""The server as a process: its one line, its errors, and its ways to end."""

import gc
import re
import signal
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import cut, hall
from journals import breakable
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode
from kings_server.config import Config
from kings_server.listener import open_listeners, port_of
from kings_server.log import logger
from kings_server.service import drain, linger, serve
from people import Person, connected, new_id
from serving import SECONDS_TO_START, command, serving

SECRET = "5e" * 32

ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Signals that end a server in order; Windows has no SIGHUP."""


def test_it_says_where_it_listens_in_one_line() -> None:
    with serving() as server:
        assert re.fullmatch(r"kings: listening on 127\.0\.0\.1:\d+", server.ready)
        assert server.port < 65536


@pytest.mark.parametrize("number", ENDING)
async def test_a_signal_stops_it_in_order(number: signal.Signals) -> None:
    with trio.fail_after(SECONDS_TO_START), serving("--drain", "0") as server:
        async with server.guest("Ann") as ann:
            await ann.make_table(2)
            server.process.send_signal(number)
            bye = await ann.until_ended()
        assert bye == m.Bye(code=CloseCode.STOPPED)
        assert await trio.to_thread.run_sync(server.process.wait) == 0
        assert server.process.stderr is not None
        assert b"Traceback" not in server.process.stderr.read()


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = command("serve", "--no-data", "--host", "127.0.0.1", "--port", port)
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"kings: cannot listen on 127.0.0.1, port {port}")
    assert "in use" in line
    assert "--port" in line


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7", "a..b"])
def test_a_host_that_is_not_ours_is_one_clear_line(host: str) -> None:
    ended = command("serve", "--no-data", "--host", host, "--port", "0")
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"kings: cannot listen on {host}")


@pytest.mark.parametrize(
    "options",
    [
        ("--port", "65536"),
        ("--port", "x"),
        ("--linger", "0"),
        ("--name", "\u202e"),
        ("--log-level", "loud"),
        ("--private",),
        ("--limit", "patience=3"),
        ("--limit", "tables=many"),
        ("--limit", "tables=0"),
        ("--limit", "dead_seconds=nan"),
    ],
)
def test_wrong_options_are_refused(options: tuple[str, ...]) -> None:
    ended = command("serve", *options)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("kings")


def test_its_help_names_every_option() -> None:
    text = command("serve", "--help").stdout
    for option in (
        "--host",
        "--port",
        "--name",
        "--log-level",
        "--private",
        "--with-parent",
        "--linger",
        "--limit",
        "--data",
        "--no-data",
        "--drain",
    ):
        assert option in text
    assert "kings: code CODE, listening on HOST:PORT" in text


def test_it_warns_when_others_can_read_along() -> None:
    everywhere = "0.0.0.0"  # noqa: S104  that is the point
    with serving("--log-level", "error", host=everywhere) as server:
        server.process.terminate()
        assert server.process.stderr is not None
        assert b"not encrypted" in server.process.stderr.read()
    with serving() as server:
        server.process.terminate()
        assert server.process.stderr is not None
        assert b"not encrypted" not in server.process.stderr.read()


async def test_every_interface_is_listened_on_at_one_port() -> None:
    with trio.fail_after(SECONDS_TO_START):
        sockets = await open_listeners(None, 0)
        try:
            assert len({port_of(one) for one in sockets}) == 1
            assert sockets[0].socket.getsockname()[0] == "0.0.0.0"  # noqa: S104
            with pytest.raises(OSError, match="in use"):
                await open_listeners(None, port_of(sockets[0]))
        finally:
            for one in sockets:
                await one.aclose()


async def test_a_private_server_takes_only_who_brings_the_secret() -> None:
    with (
        trio.fail_after(SECONDS_TO_START),
        serving("--private", "--with-parent", feed=SECRET.encode() + b"\n") as server,
    ):
        stream = await trio.open_tcp_stream("127.0.0.1", server.port)
        async with connected(Person(stream)) as person:
            await person.greet()
            enter = m.Enter(id=new_id(), client=person.client, name="Ann")
            assert (await person.ask_for(m.Refused, enter)).code == RefusalCode.BAD_SECRET
            enter = m.Enter(id=new_id(), client=person.client, name="Ann", secret=SECRET)
            await person.ask_for(m.Entered, enter)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
async def test_it_takes_as_many_connections_as_it_says_where_files_are_scarce() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        with trio.fail_after(SECONDS_TO_START), serving() as server:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            async with AsyncExitStack() as stack:
                for number in range(100):
                    await stack.enter_async_context(server.guest(f"P{number}"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_the_garbage_collector_passes_over_what_is_there_when_it_begins_to_listen() -> None:
    frozen: list[int] = []
    config = Config(host="127.0.0.1", port=0, announce=False, plain_text=True)
    gc.unfreeze()
    try:
        with trio.fail_after(SECONDS_TO_START):
            async with trio.open_nursery() as nursery:
                ready = trio.Event()

                def begun(*_: object) -> None:
                    frozen.append(gc.get_freeze_count())
                    ready.set()

                nursery.start_soon(serve, config, logger(), begun)
                await ready.wait()
                nursery.cancel_scope.cancel()
    finally:
        gc.unfreeze()
    assert frozen[0] > 10_000


async def test_it_goes_on_when_its_log_cannot_be_written() -> None:
    with trio.fail_after(SECONDS_TO_START), serving("--log-level", "debug") as server:
        assert server.process.stderr is not None
        server.process.stderr.close()
        async with server.guest("Ann") as ann:
            await ann.make_table(2)
        async with server.guest("Ben") as ben:
            await ben.make_table(2)
        assert server.process.poll() is None


def test_it_ends_with_its_parent() -> None:
    with serving("--with-parent", feed=b"") as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(SECONDS_TO_START) == 0


def test_a_lonely_server_ends_by_itself() -> None:
    with serving("--linger", "1") as server:
        assert server.process.wait(SECONDS_TO_START) == 0


async def test_it_lingers_while_somebody_is_there_or_waited_for(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        lonely = trio.Event()
        h.nursery.start_soon(linger, 30.0, h.lobby, h.listener, lonely, logger())
        ann = await h.guest()
        await trio.sleep(3600)
        await ann.make_table(2, grace_seconds=120)
        await cut(ann)
        gone = trio.current_time()
        await lonely.wait()
        assert trio.current_time() - gone == pytest.approx(120 + 30, abs=2)


async def test_who_comes_while_it_is_about_to_stop_is_told_how_long_is_left(
    autojump_clock: MockClock,
) -> None:
    def left(person: Person) -> list[int | None]:
        return [
            one.number
            for one in person.others
            if isinstance(one, m.Notice) and one.code == NoticeCode.STOPPING
        ]

    async with hall(autojump_clock) as h:
        ann, early = await h.guest("Ann"), await h.stranger("Ben")
        await ann.make_table(2)
        stop = trio.Event()
        h.nursery.start_soon(drain, 60.0, h.lobby, h.listener, stop)
        await trio.sleep(2)
        await early.enter()
        late = await h.guest("Cleo")
        await trio.sleep(10)
        again = await h.back(ann)
        for person, seconds in ((ann, 60), (early, 58), (late, 58), (again, 48)):
            await person.until(lambda person=person: left(person))  # type: ignore[misc]
            assert left(person) == [seconds * 1000]
        await trio.sleep(47)
        assert not stop.is_set()
        await trio.sleep(2)
        assert stop.is_set()


async def test_who_is_told_of_a_stop_is_told_no_longer_time_than_there_is(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, stop = await h.guest("Ann"), trio.Event()
        h.nursery.start_soon(drain, 60.0, h.lobby, h.listener, stop)
        await trio.sleep(1)
        h.nursery.start_soon(drain, 600.0, h.lobby, h.listener, stop)
        await trio.sleep(1)
        await ann.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        assert [one.number for one in ann.others if isinstance(one, m.Notice)] == [60_000, 59_000]


async def test_it_does_not_linger_for_tables_that_are_kept(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        lonely = trio.Event()
        h.nursery.start_soon(linger, 30.0, h.lobby, h.listener, lonely, logger())
        ann = await h.guest()
        await h.match_of(ann, bots=("easy",))
        await cut(ann)
        gone = trio.current_time()
        await lonely.wait()
        assert trio.current_time() - gone == pytest.approx(30, abs=2)
        assert len(h.lobby.tables) == 1
    file.close()
