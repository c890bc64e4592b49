"""Handshakes over real sockets: in turns, bounded, and none of them anybody else's business.

Conduct: loopback, port 0; addresses of one machine, 127.0.0.1 to 127.0.0.9, stand for several.
"""

import os
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from certificates import Authority
from journals import quick_passwords
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.identity_code import fingerprint_of
from kings_protocol.states import Role
from kings_protocol.version import make_hello
from kings_server.bounds import Bounds
from kings_server.certificate import Identity, given_identity, own_identity
from kings_server.config import Config
from kings_server.handshakes import Handshakes
from kings_server.journal import Forgetful
from kings_server.limits import HANDSHAKE_PATIENCE, RENEWAL_SECONDS
from kings_server.listener import Listener, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import logger
from kings_server.wire import Wire
from people import Person, connected, new_id
from serving import SECONDS_TO_START, TRUSTING, serving
from thinking import pool

LIMIT = 60

HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(20)
"""The beginning of a client's opening, of which the rest does not come."""


def opening() -> bytes:
    """Return a client's whole opening."""
    out = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        TRUSTING.wrap_bio(ssl.MemoryBIO(), out).do_handshake()
    return out.read()


OPENING = opening()
"""A client's whole opening, to which it does not hear the answer."""


class Den:
    """An encrypting server in this process, and the ways to it; all are cut in the end."""

    def __init__(self, listener: Listener, port: int) -> None:
        self.listener = listener
        self.port = port
        self.streams: list[trio.SocketStream] = []

    async def bare(self, home: str = "127.0.0.1") -> trio.SocketStream:
        """Return a connection from one of this machine's addresses."""
        stream = await trio.open_tcp_stream("127.0.0.1", self.port, local_address=home)
        self.streams.append(stream)
        return stream

    async def secured(self, home: str = "127.0.0.1") -> trio.SSLStream[trio.SocketStream]:
        """Return one under TLS."""
        stream = trio.SSLStream(await self.bare(home), TRUSTING)
        await stream.do_handshake()
        return stream

    @asynccontextmanager
    async def guest(self, home: str = "127.0.0.1") -> AsyncIterator[Person]:
        """Return somebody who has entered."""
        async with connected(Person(await self.secured(home))) as person:
            await person.enter()
            yield person


@asynccontextmanager
async def listening(identity: Identity | None = None, /, **bounds: float) -> AsyncIterator[Den]:
    """Run an encrypting server in this process."""
    config = Config(bounds=Bounds(**bounds))  # type: ignore[arg-type]  # each has its kind
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            lobby = Lobby(config, Forgetful(), pool(), logger(), passwords=quick_passwords())
            await nursery.start(lobby.run)
            listener = Listener(lobby, logger(), identity or own_identity(None))
            sockets = await open_listeners("127.0.0.1", 0)
            nursery.start_soon(trio.serve_listeners, listener.handle, list(sockets))
            den = Den(listener, port_of(sockets[0]))
            try:
                yield den
            finally:
                for stream in den.streams:
                    await trio.aclose_forcefully(stream)
                nursery.cancel_scope.cancel()


async def all_of(stream: trio.abc.ReceiveStream) -> bytes:
    """Return what comes until the end, however it comes."""
    data = b""
    try:
        while more := await stream.receive_some():
            data += more
    except trio.BrokenResourceError:
        pass
    return data


async def test_a_client_under_tls_is_served() -> None:
    async with listening() as den, den.guest() as ann:
        await ann.make_table(2)


async def test_a_plain_client_is_told_in_words_before_anything_else() -> None:
    async with listening() as den:
        stream = await den.bare()
        connection = Connection(Role.CLIENT)
        await stream.send_all(connection.send(make_hello()))
        connection.receive(await all_of(stream))
        unwelcome = connection.next_message()
        assert isinstance(unwelcome, m.Unwelcome)
        assert unwelcome.words.startswith(
            "This server encrypts all connections, and yours was not."
        )
        assert not den.listener.sessions


@pytest.mark.parametrize(
    "sent", [b"", b"\x16", b"\x16" + b"\xff" * 400, HELLO, b"GET / HTTP/1.1\r\n\r\n", b"\x00\x00"]
)
async def test_what_is_no_handshake_ends_that_connection_alone(sent: bytes, log: StringIO) -> None:
    async with listening() as den, den.guest() as ann:
        stream = await den.bare()
        if sent:
            await stream.send_all(sent)
        await stream.send_eof()
        await all_of(stream)
        await ann.make_table(2)
        assert len(den.listener.sessions) == 1
    lines = [line for line in log.getvalue().splitlines() if "connection=2" in line]
    assert len(lines) == 1
    level = "info" if sent else "debug"  # who only looks whether the port is open fills no log
    why = rf'\[{level}\] no handshake connection=2 address=127\.0\.0\.1 why="?[a-z0-9 ]+"?$'
    assert re.search(why, lines[0])


async def test_who_says_nothing_takes_no_turn_from_others() -> None:
    async with listening(handshakes=1, handshake_seconds=50.0) as den:
        for _ in range(20):
            await den.bare()
        async with den.guest():
            pass


async def test_a_part_of_an_opening_takes_no_turn_from_others() -> None:
    async with listening(handshakes=1, handshake_seconds=50.0) as den:
        for size in range(1, len(OPENING), 100):
            stream = await den.bare()
            await stream.send_all(OPENING[:size])
        with trio.fail_after(HANDSHAKE_PATIENCE):
            async with den.guest():
                pass


async def stall(den: Den, times: int, home: str) -> None:
    """Take turns, or wait for them, and say nothing more."""
    for _ in range(times):
        stream = await den.bare(home)
        await stream.send_all(OPENING)


async def test_one_address_does_not_take_all_the_turns() -> None:
    bounds = {"handshakes": 3, "handshakes_per_address": 2, "handshake_seconds": 50.0}
    async with listening(**bounds) as den:
        await stall(den, 10, "127.0.0.2")
        with trio.fail_after(HANDSHAKE_PATIENCE):
            async with den.guest():
                pass


async def test_who_stalls_keeps_a_turn_no_longer_than_others_have_patience() -> None:
    async with listening(handshakes=2, handshake_seconds=50.0) as den:
        await stall(den, 1, "127.0.0.2")
        await stall(den, 1, "127.0.0.3")
        began = trio.current_time()
        with trio.fail_after(3 * HANDSHAKE_PATIENCE):
            async with den.guest():
                pass
        assert trio.current_time() - began > HANDSHAKE_PATIENCE / 2


async def test_a_turn_goes_to_the_address_that_has_the_fewest() -> None:
    bounds = {"handshakes": 4, "handshakes_per_address": 4, "handshake_seconds": 50.0}
    async with listening(**bounds) as den:
        for _ in range(10):
            for at in (2, 3, 4):
                await stall(den, 1, f"127.0.0.{at}")
        # Thirty are there before it; in turn, the last would wait for seven times as long.
        with trio.fail_after(3 * HANDSHAKE_PATIENCE):
            async with den.guest():
                pass


async def test_a_handshake_may_stall_while_nobody_waits() -> None:
    async with listening(handshake_seconds=50.0) as den:
        await stall(den, 1, "127.0.0.2")
        with trio.move_on_after(2 * HANDSHAKE_PATIENCE) as lives:
            assert await all_of(den.streams[0]) == b""
        assert lives.cancelled_caught


async def test_a_slow_handshake_is_ended_in_time() -> None:
    async with listening(handshake_seconds=0.3) as den:
        for sent in (b"", HELLO, b"\x00\x00\x00\x43\x86"):
            stream = await den.bare()
            if sent:
                await stream.send_all(sent)
            await all_of(stream)


async def test_who_does_not_begin_to_shake_hands_is_not_waited_for_that_long() -> None:
    async with listening(handshake_seconds=50.0, hello_seconds=0.3) as den:
        for sent in (b"", HELLO, b"\x00\x00\x00\x43\x86"):
            stream = await den.bare()
            if sent:
                await stream.send_all(sent)
            await all_of(stream)
        while den.listener._places._all:
            await trio.lowlevel.checkpoint()


async def test_whoever_is_still_shaking_hands_counts_among_the_strangers() -> None:
    async with listening(unentered_per_address=2) as den:
        first, second = [await den.bare() for _ in range(2)]
        async with den.guest():
            # The oldest of them made room.
            assert await all_of(first) == b""
            with trio.move_on_after(0.2) as lives:
                await second.receive_some()
            assert lives.cancelled_caught


async def test_old_versions_of_tls_are_refused() -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    async with listening() as den:
        stream = trio.SSLStream(await den.bare(), old)
        with pytest.raises(trio.BrokenResourceError):
            await stream.do_handshake()


async def test_the_end_is_told_in_tls_too_and_needs_no_answer(
    log: StringIO,
) -> None:
    async with listening() as den:
        stream = await den.secured()
        await stream.send_all(Connection(Role.CLIENT).send(make_hello()))
        assert await stream.receive_some()
        (session,) = den.listener.sessions
        session.close(CloseCode.STOPPED)
        # An end that is not told would raise.
        while await stream.receive_some():
            pass
        async with den.guest() as ben:
            await trio.aclose_forcefully(ben.stream)
        await den.listener.wait_empty()
    assert "error" not in log.getvalue()


async def test_a_renewed_certificate_is_shown_soon(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    used, renewed = authority.issue("den.example"), authority.issue("den.example")
    async with listening(given_identity(used.certificate, used.key)) as den:
        used.certificate.write_bytes(renewed.certificate.read_bytes())
        used.key.write_bytes(renewed.key.read_bytes())
        shown = ""
        while shown != renewed.fingerprint:
            found = (await den.secured()).getpeercert(binary_form=True)
            shown = fingerprint_of(found)
            await trio.aclose_forcefully(den.streams.pop())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name stands for the disk")
async def test_a_disk_that_hangs_under_the_certificate_stops_nobody(tmp_path: Path) -> None:
    issued = Authority(tmp_path).issue("den.example")
    async with listening(given_identity(issued.certificate, issued.key)) as den:
        async with den.guest() as ann:
            issued.certificate.unlink()
            os.mkfifo(issued.certificate)  # who reads it waits for a writer
            began = trio.current_time()
            for _ in range(3):
                async with den.guest():
                    await ann.make_table(2)
                    await ann.ask_for(m.Done, m.Leave(id=new_id()))
                await trio.sleep_until(began + RENEWAL_SECONDS)
            assert trio.current_time() - began < LIMIT / 2
        os.close(os.open(issued.certificate, os.O_WRONLY))


async def cursed(_handshakes: Handshakes, _wire: Wire) -> NoReturn:
    raise RuntimeError("nobody thought of this")


async def test_an_error_in_a_handshake_ends_that_connection_alone(
    log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening() as den, den.guest() as ann:
        monkeypatch.setattr(Handshakes, "_shaken", cursed)
        async with await den.bare() as stream:
            await stream.send_all(OPENING)
            with suppress(trio.BrokenResourceError):
                assert not await stream.receive_some()
        await ann.make_table(2)
        while len(den.listener._places._all) > 1:
            await trio.lowlevel.checkpoint()
    failed = [line for line in log.getvalue().splitlines() if "[error]" in line]
    assert len(failed) == 1
    assert "connection failed" in failed[0]
    assert "RuntimeError at test_handshakes.py" in failed[0]


KINDS = ("silent", "garbage", "slow", "cut", "stall")


async def misbehave(port: int, number: int) -> None:
    """Take one of a hostile client's thousand handshakes."""
    home, kind = f"127.0.0.{2 + number % 8}", KINDS[number % len(KINDS)]
    with trio.move_on_after(20):
        try:
            stream = await trio.open_tcp_stream("127.0.0.1", port, local_address=home)
        except OSError:
            return
        async with stream:
            try:
                await _misbehave(stream, kind, number)
            except trio.BrokenResourceError:
                return


async def _misbehave(stream: trio.SocketStream, kind: str, number: int) -> None:
    match kind:
        case "garbage":
            await stream.send_all(b"\x16\x03\x01" + bytes([number % 256]) * 200)
        case "slow":
            for byte in HELLO:
                await stream.send_all(bytes([byte]))
                await trio.sleep(0.02)
        case "cut":
            await stream.send_all(OPENING)
            return
        case "stall":
            await stream.send_all(OPENING)
    await all_of(stream)


TABLE = Path("/proc/net/tcp")
OPEN = ("01", "08")
"""Connections that this end has not closed: established, or closed by the other end alone."""


def connections(port: int) -> int:
    """Return how many connections the server at ``port`` holds, as the system counts them."""
    rows = [line.split() for line in TABLE.read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] in OPEN for row in rows)


@pytest.mark.skipif(not TABLE.exists(), reason="counts connections as Linux tells them")
async def test_a_thousand_hostile_handshakes_while_others_play() -> None:
    limits = ("--limit", "handshake_seconds=3", "--limit", "requests_per_second=0")
    with (
        trio.fail_after(SECONDS_TO_START + LIMIT),
        serving(*limits, "--log-level", "error", encrypted=True) as server,
    ):
        async with server.guest("Ann", 1) as ann, server.guest("Ben", 2) as ben:
            seat = await ann.make_table(2, preset="pagat", knobs={"match": "one_deal"})
            await ben.join(seat.table)
            await ann.ready()
            await ben.ready()
            longest = 0.0
            async with trio.open_nursery() as nursery:
                crowd = trio.CapacityLimiter(200)

                async def one(number: int) -> None:
                    async with crowd:
                        await misbehave(server.port, number)

                for number in range(1000):
                    nursery.start_soon(one, number)
                for person in (ann, ben):
                    nursery.start_soon(person.play_match)
                # Meanwhile new people come, and are let in.
                for _ in range(5):
                    began = trio.current_time()
                    async with server.guest("Cleo") as cleo:
                        await cleo.make_table(2)
                    longest = max(longest, trio.current_time() - began)
            assert ann.phase("over")
            assert longest < 5
            while connections(server.port) > 2:  # noqa: ASYNC110  nobody tells
                await trio.sleep(0.05)
        assert server.process.poll() is None
