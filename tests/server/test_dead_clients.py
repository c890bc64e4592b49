"""Clients that die by the hundred, and one that does not read, at a server process."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from kings_protocol import messages as m
from people import Person, connected, new_id
from serving import TRUSTING, Server, command, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other sockets")

CHILD = Path(__file__).parents[1] / "crowd_child.py"
CROWD = 200
ENTERED = 160
LIMIT = 60
"""Seconds for any of these tests."""

NOTICED_SECONDS = 5
"""How soon a server knows of clients whose system is alive to say that they are gone."""

OTHER_FILES = 8
"""Open files that are no connections: processes for bots, operators who look."""


@contextmanager
def crowd(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    """Run a crowd at a server; at the end it is killed."""
    process = subprocess.Popen(
        (sys.executable, str(CHILD), str(server.port)),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


class Watch:
    """How long somebody at a table where people play never saw anything new, at most."""

    def __init__(self, person: Person) -> None:
        self.longest = 0.0
        self._person = person

    async def run(self) -> None:
        """Look on."""
        person = self._person
        while not person.phase("over"):
            version, began = person.version, trio.current_time()
            await person.until(lambda version=version: person.version != version)  # type: ignore[misc]
            self.longest = max(self.longest, trio.current_time() - began)


@asynccontextmanager
async def playing(*people: Person) -> AsyncIterator[Watch]:
    """Let people play a long match meanwhile; nobody is ever refused."""
    seat = await people[0].make_table(len(people), knobs={"points": 500})
    for person in people[1:]:
        await person.join(seat.table)
    for person in people:
        await person.ready()
    for person in people:
        await person.until_deal(1)
    watch = Watch(people[0])
    async with trio.open_nursery() as nursery:
        for person in people:
            nursery.start_soon(person.play_match)
        nursery.start_soon(watch.run)
        yield watch
        nursery.cancel_scope.cancel()


def given(*limits: str) -> list[str]:
    """Return the options that set limits."""
    return [option for limit in limits for option in ("--limit", limit)]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so of another process, which does not tell."""
    while not condition():  # noqa: ASYNC110
        await trio.sleep(0.05)


async def shown(directory: Path, what: str) -> Any:
    asked = partial(command, "admin", "--data", str(directory), "--json", what)
    return json.loads((await trio.to_thread.run_sync(asked)).stdout)


async def test_hundreds_of_clients_are_killed_and_leave_nothing_behind(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    limits = given("connections_per_address=300", "requests_per_second=0")
    with trio.fail_after(LIMIT), serving(*data, *limits, encrypted=True) as server:
        process = psutil.Process(server.process.pid)
        async with server.guest("Eve", 1) as eve, server.guest("Fay", 2) as fay:
            async with playing(eve, fay) as watch:
                before = process.num_fds()
                with crowd(server) as child:
                    assert child.stdout is not None
                    line = await trio.to_thread.run_sync(child.stdout.readline)
                    await until(lambda: process.num_fds() >= before + CROWD)
                    assert len((await shown(tmp_path, "list"))["people"]) == ENTERED + 2
                with trio.fail_after(NOTICED_SECONDS):
                    await until(lambda: process.num_fds() <= before + OTHER_FILES)
                assert (await shown(tmp_path, "stats"))["connections"] == 2
                version = eve.version
                await eve.until(lambda: eve.version > version)
                assert watch.longest < NOTICED_SECONDS
            table, token = line.decode().split()
            async with server.guest("Ann") as ann:
                await ann.ask_for(m.Seated, m.Resume(id=new_id(), table=table, token=token))
                await ann.until_table(lambda table: table.seats[1].state == "dropped")


def narrow() -> trio.socket.SocketType:
    """Return a socket for which the system keeps next to nothing, at either end.

    What the other end keeps unsent goes by the size of the segments: on loopback that is megabytes.
    """
    made = trio.socket.socket()
    made.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 2048)
    made.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_MAXSEG, 536)
    return made


@pytest.mark.parametrize("encrypted", [True, False])
async def test_a_reader_that_stops_reading_is_cut_off_and_makes_nobody_wait(
    *, encrypted: bool
) -> None:
    write_seconds = 3.0
    limits = given(
        *("hello_seconds=2", "enter_seconds=2", "ping_seconds=0.5", "dead_seconds=3600"),
        *(f"write_seconds={write_seconds}", "requests_per_second=0"),
    )
    with trio.fail_after(LIMIT), serving(*limits, encrypted=encrypted) as server:
        async with (
            server.guest("Eve", 1) as eve,
            server.guest("Fay", 2) as fay,
            playing(eve, fay) as watch,
        ):
            socket = narrow()
            await socket.connect(("127.0.0.1", server.port))
            bare = trio.SocketStream(socket)
            stream = trio.SSLStream(bare, TRUSTING) if encrypted else bare
            async with connected(Person(stream, "Deaf")) as deaf:
                await deaf.enter()
                assert eve.table is not None
                watching = m.Watch(id=new_id(), table=eve.table.table)
                await deaf.ask_for(m.Watching, watching)
                await eve.until_table(lambda table: table.watchers == 1)
                deaf.pause()
                began = trio.current_time()
                await eve.until_table(lambda table: table.watchers == 0)
                assert trio.current_time() - began >= write_seconds
                assert watch.longest < write_seconds
