"""A system that gives few open files: the server takes no more people than it can serve.

Conduct: real servers on loopback, started with a hard limit; an absolute time limit on every wait.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest
import trio

from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.log import logger
from kings_server.open_files import OTHER_WORKERS, PER_WORKER, SPARE, within_files
from people import Person, connected
from serving import Server, command, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="many addresses of one machine")

LIMIT = 90
FILES = 256
NEEDED = SPARE + PER_WORKER * (2 + OTHER_WORKERS)
ROOM = FILES - NEEDED
PER_ADDRESS = 5


@contextmanager
def limited(files: int, *options: str) -> Iterator[Server]:
    """Run a server that may open so many files."""
    within = ("/bin/sh", "-c", f'ulimit -n {files} && exec "$0" "$@"')
    with serving(*options, within=within) as server:
        yield server


async def come(crowd: AsyncExitStack, server: Server, number: int) -> Person:
    """Return somebody who has entered, from an address that few others come from."""
    address = f"127.0.1.{1 + number // PER_ADDRESS}"
    stream = await trio.open_tcp_stream("127.0.0.1", server.port, local_address=address)
    person = await crowd.enter_async_context(connected(Person(stream, f"Guest {number}")))
    await person.enter()
    return person


async def test_a_server_with_few_files_takes_fewer_people_and_their_bots_think(
    tmp_path: Path,
) -> None:
    options = ("--bots-thinking", "2", "--log-format", "json", "--data", str(tmp_path))
    with trio.fail_after(LIMIT), limited(FILES, *options) as server:
        async with AsyncExitStack() as crowd:
            people = [await come(crowd, server, number) for number in range(ROOM)]
            async with connected(Person(await server.stream(), "Late")) as late:
                assert await late.until_ended() == m.Bye(code=CloseCode.TOO_MANY_CONNECTIONS)
            first = people[0]
            await first.make_table(3, bots=("expert", "hard"))
            await first.until_deal(1)
            await first.play_once()
            await first.until(lambda: first.my_turn)
        asked = ("doctor", "--data", str(tmp_path), "--no-discovery", "--json")
        ran = await trio.to_thread.run_sync(lambda: command(*asked))
        (files,) = (one for one in json.loads(ran.stdout) if one["about"] == "files")
        assert f"open files for {ROOM} connections" in files["words"]
        server.process.terminate()
        assert server.process.stderr is not None
        text = await trio.to_thread.run_sync(server.process.stderr.read)
    told = [json.loads(line) for line in text.decode().splitlines()]
    (fewer,) = (line for line in told if line["event"] == "fewer connections")
    assert (fewer["limit"], fewer["files"]) == (ROOM, FILES)
    assert not any(line["level"] == "error" for line in told), "bots have a process to think in"


def test_a_server_without_files_for_one_person_does_not_start() -> None:
    script = (
        f"ulimit -n {NEEDED}; exec {sys.executable} -m kings_server serve --no-data --port 0"
        " --bots-thinking 2"
    )
    ran = subprocess.run(
        ("/bin/sh", "-c", script), capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"kings: the system gives {NEEDED} open files")
    assert "ulimit -n" in line


def test_enough_files_change_nothing() -> None:
    config = Config(bounds=Bounds(connections=10))
    assert within_files(config, logger()) is config
