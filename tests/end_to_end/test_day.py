"""A day in the life of a server: started as the unit starts it, upgraded, backed up, moved away.

Two people play one match through all of it. Conduct: loopback only; an absolute time limit.
"""

import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from kings_protocol.version import PROGRAM
from people import Person, connected
from serving import SECONDS_TO_START, Server, command
from unit import started

LIMIT = 150
NEXT = "99.0.0"
HAND = 10
"""More cards than the moves of this day, so the deal does not end in it."""
ROOT = Path(__file__).parents[2]
ROOMS = ("engine", "protocol", "server", "client")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="units are not for Windows")


def next_version(folder: Path) -> dict[str, str]:
    """Install the next version of the program beside this one; return what starts it."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room)
    file = folder / "protocol" / "kings_protocol" / "version.py"
    file.write_text(file.read_text().replace(f'"{PROGRAM}"', f'"{NEXT}"'))
    return {"PYTHONPATH": os.pathsep.join(str(folder / room) for room in ROOMS)}


async def admin(folder: Path, *arguments: str) -> str:
    """Run ``kings admin`` for the server of the unit, and return what it says."""
    words = ("admin", "--data", str(folder / "state" / "kings"), *arguments)
    ran = await trio.to_thread.run_sync(lambda: command(*words))
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


class Pair:
    """Two people and their match, wherever it is."""

    def __init__(self, ann: Person, ben: Person) -> None:
        self.ann = ann
        self.ben = ben

    @property
    def version(self) -> int:
        """The newest version of the position that either knows."""
        return max(self.ann.version, self.ben.version)

    async def play(self, moves: int) -> None:
        """Make so many moves, whoever is on turn."""
        for _ in range(moves):
            both = (self.ann, self.ben)
            for person in both:
                await seen(person, self.version)
            (on_turn,) = [person for person in both if person.my_turn]
            assert isinstance(await on_turn.play_once(0.5), m.Done)
            if on_turn.phase("between"):
                return


async def seen(person: Person, version: int) -> None:
    """Wait until somebody sees the position of this version."""
    await person.until(lambda: person.version >= version)


@asynccontextmanager
async def back(pair: Pair, server: Server) -> AsyncIterator[Pair]:
    """Bring both back to their seats by new connections, with the tokens that they had."""
    async with AsyncExitStack() as stack:
        found = []
        for person in (pair.ann, pair.ben):
            stream = await server.stream()
            again = await stack.enter_async_context(connected(Person(stream, person.name)))
            again.client = person.client
            await again.enter()
            assert person.seat is not None
            await again.resume(person.seat)
            await again.until_view()
            found.append(again)
        yield Pair(*found)


async def gone(server: Server, *people: Person) -> None:
    """Wait until people were told that the server stops, and until it has."""
    for person in people:
        assert await person.until_ended() == m.Bye(code=CloseCode.STOPPED)
    assert await trio.to_thread.run_sync(server.process.wait, SECONDS_TO_START) == 0


def program_of(person: Person) -> str:
    """Return the version that the server told."""
    (welcome,) = (one for one in person.others if isinstance(one, m.Welcome))
    return welcome.program


async def test_a_match_outlives_an_upgrade_and_goes_on_elsewhere_from_a_backup(
    tmp_path: Path,
) -> None:
    here, there, copy = tmp_path / "here", tmp_path / "there", tmp_path / "copy.tar"
    here.mkdir()
    there.mkdir()
    newer = next_version(tmp_path / "newer")
    with trio.fail_after(LIMIT):
        with started(here) as server:
            async with server.guest("Ann", 1) as ann, server.guest("Ben", 2) as ben:
                seat = await ann.make_table(2, grace_seconds=3600, knobs={"hand_size": HAND})
                await ben.join(seat.table)
                for person in (ann, ben):
                    await person.ready()
                for person in (ann, ben):
                    await person.until_deal(1)
                pair, code = Pair(ann, ben), server.code
                await pair.play(3)
                assert code
                assert program_of(ann) == PROGRAM

                # An upgrade in the middle of the match: the old program stops.
                before = pair.version
                await admin(here, "drain", "0")
                await gone(server, ann, ben)

        with started(here, newer) as server:
            assert server.code == code
            async with back(pair, server) as pair:
                assert program_of(pair.ann) == NEXT
                assert pair.version == before
                await pair.play(3)

                # A backup while they play.
                kept = pair.version
                made = json.loads(await admin(here, "--json", "backup", str(copy)))
                assert made["tables"] == 1
                await pair.play(3)
                assert pair.version > kept
                assert "Ann" in await admin(here, "list")

                # The machine is lost, without a word.
                server.process.kill()
                for person in (pair.ann, pair.ben):
                    await person.until_ended()

        data = str(there / "state" / "kings")
        words = ("restore", "--data", data, str(copy))
        ran = await trio.to_thread.run_sync(lambda: command(*words))
        assert (ran.returncode, ran.stderr) == (0, "")

        with started(there) as server:
            assert server.code == code
            async with back(pair, server) as pair:
                assert pair.version == kept
                await pair.play(3)
                assert pair.version > kept
                await admin(there, "drain", "0")
                await gone(server, pair.ann, pair.ben)
