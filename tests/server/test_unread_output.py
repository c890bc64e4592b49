"""What the server writes and nobody reads: nobody who plays waits for it, and neither does its end.

Conduct: real servers on loopback, with real pipes; an absolute time limit on every wait.
"""

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import trio

from kings_protocol import messages as m
from kings_server.streams import LINES
from people import Person, connected, new_id
from serving import SECONDS_TO_START, command, serving

LIMIT = 60
MANY = LINES // 3
"""Connections whose lines, four of each, are more than the server keeps, and a pipe of a page."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes of a page, and /dev/full")


def narrow(pipe: IO[bytes] | None) -> int:
    """Let a pipe hold one page, and return its descriptor."""
    import fcntl

    assert pipe is not None
    fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, 4096)
    return pipe.fileno()


def full_pipe() -> tuple[int, int]:
    """Return a pipe in which there is no room, its reading end first."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"." * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    return reading, writing


async def make_lines(port: int) -> None:
    """Make the server log four lines: a connection comes, says nonsense, is closed, and ends."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(bytes(4))
        assert await stream.receive_some()


@contextmanager
def starting(
    *options: str, stdout: int | IO[bytes], within: str = ""
) -> Iterator[tuple[int, bytearray]]:
    """Run a server that says nowhere where it listens; return its port, and stop it at the end."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    arguments = (sys.executable, "-m", "kings_server", "serve", "--plain-text")
    wrapped = ("/bin/sh", "-c", within, *arguments) if within else arguments
    with subprocess.Popen(
        (*wrapped, "--host", "127.0.0.1", "--port", str(port), *options),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
    ) as process:
        said = bytearray()
        try:
            yield port, said
        finally:
            process.terminate()
            try:
                assert process.wait(SECONDS_TO_START) == 0
            finally:
                process.kill()
                assert process.stderr is not None
                said += process.stderr.read()


async def comes(port: int) -> None:
    """Enter, as soon as somebody listens."""
    with trio.fail_after(SECONDS_TO_START):
        stream = None
        while stream is None:
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", port)
            except OSError:
                await trio.sleep(0.05)
        async with connected(Person(stream)) as person:
            await person.enter()


@pytest.mark.parametrize("form", ["human", "json"])
async def test_a_log_that_nobody_reads_stops_no_game_and_says_later_what_is_lost(form: str) -> None:
    options = ("--log-level", "debug", "--log-format", form, "--drain", "0")
    with trio.fail_after(LIMIT), serving(*options) as server:
        reading = narrow(server.process.stderr)
        async with server.guest("Ann") as ann:
            await ann.make_table(2, bots=("easy",))
            for _ in range(MANY):
                await make_lines(server.port)
            await ann.ask_for(m.Done, m.Say(id=new_id(), text="still here"))
            await ann.until_deal(1)
            await ann.play_once()
            text = b""
            while b"are lost" not in text:
                text += await trio.to_thread.run_sync(
                    os.read, reading, 65536, abandon_on_cancel=True
                )
                await make_lines(server.port)  # there is room for them now
            lines = text.decode().splitlines()
            (told,) = (line for line in lines if "are lost" in line)
            if form == "json":
                assert json.loads(told)["lines"] > 0
            else:
                assert re.search(r"lines=[1-9]", told)
            whole = lines[: lines.index(told)]
            about = ("connection", "table", "match", "serving")
            assert all(any(word in line for word in about) for line in whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_server_ends_though_nobody_reads_its_log(number: signal.Signals) -> None:
    with trio.fail_after(LIMIT), serving("--log-level", "debug", "--drain", "0") as server:
        narrow(server.process.stderr)
        for _ in range(50):
            await make_lines(server.port)
        async with server.guest("Ann") as ann:
            server.process.send_signal(number)
            await ann.until_ended()
        assert await trio.to_thread.run_sync(server.process.wait, 10) == 0


async def test_a_server_starts_though_nobody_takes_its_ready_line() -> None:
    reading, writing = full_pipe()
    try:
        with trio.fail_after(LIMIT), starting("--no-data", stdout=writing) as (port, _):
            await comes(port)
    finally:
        os.close(reading)
        os.close(writing)


async def test_a_ready_line_that_cannot_be_written_is_in_the_log() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    with trio.fail_after(LIMIT):
        with starting("--no-data", stdout=full) as (port, said):
            os.close(full)
            await comes(port)
        text = said.decode()
        assert os.strerror(errno.ENOSPC).lower() in text
        assert f"listening on 127.0.0.1:{port}" in text
        assert "Traceback" not in text


def content(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"])
async def test_a_server_whose_standard_streams_are_closed_serves(
    closed: str, tmp_path: Path
) -> None:
    options = ("--data", str(tmp_path), "--log-level", "debug")
    with trio.fail_after(LIMIT):
        with starting(*options, stdout=subprocess.DEVNULL, within=f'exec "$0" "$@" {closed}') as (
            port,
            said,
        ):
            await comes(port)
        assert b"Traceback" not in said
        assert b"connection" in said or "2>" in closed
        assert command("serve", "--data", str(tmp_path), "--check").returncode == 0
        kept = await trio.to_thread.run_sync(content, tmp_path)
        assert b"SQLite" in kept
        assert b"listening" not in kept
        assert b"connection made" not in kept


@pytest.mark.parametrize("arguments", [("serve", "--check"), ("doctor", "--no-discovery")])
def test_a_command_whose_output_cannot_be_written_says_so_in_a_line(
    arguments: tuple[str, ...],
) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            (sys.executable, "-m", "kings_server", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=LIMIT,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr.decode().splitlines()[-1:] == [
        "kings: cannot write to standard output: no space left on device"
    ]
    assert b"Traceback" not in ended.stderr


def test_a_command_without_a_standard_output_is_carried_out() -> None:
    ended = subprocess.run(
        ("/bin/sh", "-c", '"$0" -m kings_server serve --check >&-', sys.executable),
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
