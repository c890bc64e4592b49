"""Starts a server as a child process: for one person alone, or for the network.

The server of ``kings play`` listens on loopback, where nobody reads along and nothing needs to be
encrypted. It opens only to a secret handed over through its standard input, and ends when that
input does, however its client ends. The server of ``kings host`` encrypts, and is on its own: it
outlives its client, and ends when it has been empty for a while.
"""

import re
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import trio
from attrs import frozen

from kings_client.config import Address, parse_address
from kings_client.words.tongue import tell

START_SECONDS: Final = 15.0
"""How long a server may take to listen; half a second is usual."""

STOP_SECONDS: Final = 1.0
"""How long a server may take to end by itself before it is ended."""

READY: Final = re.compile(r"kings: (?:code (?P<code>\S+), )?listening on (?P<address>\S+)")
"""The line with which a server says that it is ready."""

COMMAND: Final = (sys.executable, "-P", "-m", "kings_server", "serve")
"""Starts a server. The current folder is no place to look for modules."""


class ServerFailed(Exception):  # noqa: N818  the server failed, not the client
    """A server did not start; the text says why, as far as it is known."""


@frozen
class Ready:
    """Where a server listens, and the code of its certificate, if it has one."""

    address: Address
    code: str


@frozen
class Embedded:
    """A server of one's own: where it listens, what it wants to hear, and its process."""

    address: Address
    secret: str
    process: trio.Process


@asynccontextmanager
async def embedded_server(log: Path, data: Path) -> AsyncIterator[Embedded]:
    """Run a server for this client alone; it is gone when the context is left.

    Args:
        log: the file that the server writes its log to; an older one is replaced.
        data: the directory in which it keeps its tables for the next run.

    Raises:
        ServerFailed: it did not start.
    """
    secret = secrets.token_hex(32)
    options = ("--host", "127.0.0.1", "--port", "0", "--private", "--with-parent", "--plain-text")
    keeping = ("--data", str(data))
    process = await _launch((*COMMAND, *options, *keeping), log, stdin=subprocess.PIPE)
    try:
        if process.stdin is None:
            raise ServerFailed(tell("it cannot be spoken to"))
        with suppress(trio.BrokenResourceError):
            await process.stdin.send_all(f"{secret}\n".encode())
        ready = await listening(process, log)
        yield Embedded(ready.address, secret, process)
    finally:
        with trio.CancelScope(shield=True):
            await _finish(process)


async def detached_server(
    port: int, linger: float, log: Path, data: Path, name: str = "kings", *, announce: bool = True
) -> tuple[Ready, trio.Process]:
    """Start a server for the network that outlives this client, and return how to reach it.

    Args:
        port: the TCP port; 0 lets the system choose one.
        linger: the seconds without anybody after which it ends.
        log: the file that it writes its log to; an older one is replaced.
        data: the directory in which it keeps its tables.
        name: what it calls itself, and is found by on the network.
        announce: whether the network is told of it, if nothing in the environment says so.

    Raises:
        ServerFailed: it did not start.
    """
    options = ("--port", str(port), "--linger", str(linger), "--data", str(data), f"--name={name}")
    # What this program reads there, whatever the environment wants of servers: see ``_last_words``.
    command = [*COMMAND, *options, "--no-plain-text", "--log-format", "human"]
    if not announce:
        command.append("--no-announce")
    process = await _launch(tuple(command), log, stdin=subprocess.DEVNULL)
    ready = None
    try:
        ready = await listening(process, log)
    finally:
        if process.stdout is not None:
            await process.stdout.aclose()
        if ready is None:
            with trio.CancelScope(shield=True):
                await _finish(process)
    return ready, process


async def _launch(command: tuple[str, ...], log: Path, stdin: int) -> trio.Process:
    """Start a process that no key and no closed terminal of ours reaches."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    try:
        with log.open("wb") as stderr:
            return await trio.lowlevel.open_process(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, **apart
            )
    except OSError as error:
        raise ServerFailed(f"{error.strerror}: {error.filename}") from error


async def listening(process: trio.Process, log: Path) -> Ready:
    """Return how to reach the server, once it says so.

    Raises:
        ServerFailed: it ended, or said nothing in time.
    """
    said = b""
    with trio.move_on_after(START_SECONDS):
        while process.stdout is not None and b"\n" not in said:
            more = await process.stdout.receive_some(1024)
            if not more:
                break
            said += more
    line = said.decode(errors="replace").partition("\n")[0].strip()
    found = READY.fullmatch(line)
    if found is None:
        raise ServerFailed(_last_words(log))
    return Ready(parse_address(found["address"]), found["code"] or "")


def _last_words(log: Path) -> str:
    """Return what a server that did not start said about it."""
    with suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        for line in reversed(lines):
            if line.startswith("kings"):
                return line.partition(": ")[2].strip()
    return tell("it ended without a word; its log is {log}", log=log)


async def _finish(process: trio.Process) -> None:
    """Let the server end, and end it if it does not."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            await pipe.aclose()
    for insist in (None, process.terminate, process.kill):
        if insist is not None:
            insist()
        with trio.move_on_after(STOP_SECONDS):
            await process.wait()
            return
