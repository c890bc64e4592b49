"""The server as a process with a data directory: killed under load, refused, drained, set aside."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode
from kings_server.journal_file import NAME, opened
from people import Person, act_of, connected, new_id
from serving import SECONDS_TO_START, Server, serving

KILLS = 5
TABLES = 4
SEATS = 3


class Player:
    """Somebody whose connection is lost again and again, and who plays on."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.seat: m.Seated | None = None
        self.dice = random.Random(seed)  # noqa: S311  choices of a script
        self.acknowledged: list[tuple[int, int, int, str]] = []

    async def come(self, server: Server, table: str | None) -> str:
        """Sit down at a table, at first at a new one, and return its id."""
        async with server.guest(self.name) as person:
            if table is None:
                # The match must outlast all the kills: three deals take a second.
                self.seat = await person.make_table(SEATS, knobs={"points": 500})
            else:
                self.seat = await person.join(table)
        return self.seat.table

    async def play(self, server: Server) -> None:
        """Come back, and play until the server is gone."""
        assert self.seat is not None
        stream = await trio.open_tcp_stream("127.0.0.1", server.port)
        person = Person(stream, self.name)
        person.random = self.dice
        try:
            async with connected(person):
                await person.enter()
                self.seat = await person.resume(self.seat)
                await person.until(lambda: person.table is not None)
                while True:
                    await self._do_something(person)
        except* (AssertionError, trio.BrokenResourceError, trio.ClosedResourceError):
            if not person.ended:
                raise

    async def _do_something(self, person: Person) -> None:
        assert self.seat is not None
        if person.my_turn:
            action = person.random.choice(person._choices())
            asked = act_of(action, person.version)
            done = await person.ask(asked)
            if isinstance(done, m.Done):
                assert person.table is not None
                assert done.version is not None
                place = (person.table.match, done.version, self.seat.seat, str(action))
                self.acknowledged.append(place)
                await person.until(lambda: person.version >= (done.version or 0))
            return
        if person.phase("waiting", "between", "over") and not self._ready(person):
            await person.ask(m.Ready(id=new_id(), on=True))
        await person.until(
            lambda: (
                person.my_turn
                or (person.phase("waiting", "between", "over") and not self._ready(person))
            )
        )

    def _ready(self, person: Person) -> bool:
        assert self.seat is not None
        return person.table is not None and person.table.seats[self.seat.seat].ready


async def test_nothing_acknowledged_is_lost_when_a_loaded_server_is_killed_again_and_again(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    soak = request.config.getoption("--soak")
    seed = int.from_bytes(os.urandom(4)) if soak else 1
    print(f"seed {seed}")
    dice = random.Random(seed)  # noqa: S311  moments of a test
    groups = [[Player(f"P{seat}", seed + seat) for seat in range(SEATS)] for _ in range(TABLES)]
    kills = KILLS * max(1, soak)
    with trio.fail_after(30 + 10 * kills):
        await begin(tmp_path, groups)
        for _ in range(kills):
            await play_and_kill(tmp_path, groups, dice)
            check(tmp_path, groups)
    moves = sum(len(player.acknowledged) for group in groups for player in group)
    print(f"{kills} kills, {moves} acknowledged moves")
    assert moves > 10 * kills


def options(directory: Path) -> tuple[str, ...]:
    limits = ("--limit", "requests_per_second=0", "--limit", "between_seconds=1")
    return ("--data", str(directory), "--log-level", "error", *limits)


async def begin(directory: Path, groups: list[list[Player]]) -> None:
    """Seat everybody, and kill the server."""
    with serving(*options(directory)) as server:
        for group in groups:
            table = None
            for player in group:
                table = await player.come(server, table)
        server.process.kill()


async def play_and_kill(directory: Path, groups: list[list[Player]], dice: random.Random) -> None:
    """Start a server, let everybody play, and kill it at some moment."""
    with serving(*options(directory)) as server:
        async with trio.open_nursery() as nursery:
            for group in groups:
                for player in group:
                    nursery.start_soon(player.play, server)
            await trio.sleep(dice.uniform(0.3, 1.2))
            server.process.kill()
        assert server.process.stderr is not None
        said = server.process.stderr.read()
        # A process for bots that is just being started may complain that its server is gone.
        assert b"[error]" not in said, said
        assert b"kings_server" not in said, said


def check(directory: Path, groups: list[list[Player]]) -> None:
    """Find every acknowledged action of the running matches in the journal, at its place."""
    with opened(directory) as journal:
        kept = {table.table: table for table in journal.file.load()}
    for group in groups:
        for player in group:
            assert player.seat is not None
            match = kept[player.seat.table].match
            for number, version, seat, action in player.acknowledged:
                assert match is not None
                if number == match.match:
                    assert match.steps[version - 1] == (seat, action)
                else:
                    assert number < match.match


async def test_a_second_server_of_a_directory_stops_with_one_clear_line(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)) as server:
        second = await trio.to_thread.run_sync(
            lambda: subprocess.run(
                (
                    *(sys.executable, "-m", "kings_server", "serve"),
                    *("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)),
                ),
                capture_output=True,
                text=True,
                timeout=SECONDS_TO_START,
                check=False,
            )
        )
        assert (second.returncode, second.stdout) == (1, "")
        (line,) = second.stderr.splitlines()
        assert line.startswith(f"kings: another server uses {tmp_path}")
        with trio.fail_after(SECONDS_TO_START):
            async with server.guest("Ann") as ann:
                await ann.make_table(2)


async def test_a_damaged_journal_does_not_keep_a_server_from_starting(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no journal" * 1000)
    with trio.fail_after(SECONDS_TO_START), serving("--data", str(tmp_path)) as server:
        async with server.guest("Ann") as ann:
            await ann.make_table(2)
        server.process.terminate()
        assert server.process.stderr is not None
        said = await trio.to_thread.run_sync(server.process.stderr.read)
        assert b"the journal was damaged; a new one is begun" in said
        assert f"aside={tmp_path}/journal-damaged-".encode() in said


async def test_sigterm_drains_and_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with (
        trio.fail_after(SECONDS_TO_START),
        serving("--data", str(tmp_path), "--drain", "3600") as server,
    ):
        async with server.guest("Ann", 1) as ann, server.guest("Ben") as ben:
            await ann.make_table(2, bots=("easy",))
            await ann.until_deal(1)
            server.process.send_signal(signal.SIGTERM)
            stopping = m.Notice(code=NoticeCode.STOPPING, number=3_600_000)
            for person in (ann, ben):
                await person.until(lambda person=person: stopping in person.others)  # type: ignore[misc]
            table = m.MakeTable(id=new_id(), name="Den", preset="pagat")
            assert (await ben.ask_for(m.Refused, table)).code == RefusalCode.SHUTTING_DOWN
            assert isinstance(await ann.play_once(), m.Done)
            server.process.send_signal(signal.SIGTERM)
            assert await trio.to_thread.run_sync(server.process.wait) == 0
            await ann.until_ended()


async def test_a_drained_server_stops_when_the_time_is_over_or_nobody_is_left(
    tmp_path: Path,
) -> None:
    for seconds, leaves in (("1", False), ("3600", True)):
        with (
            trio.fail_after(SECONDS_TO_START),
            serving("--data", str(tmp_path), "--drain", seconds) as server,
        ):
            async with server.guest("Ann") as ann:
                server.process.send_signal(signal.SIGTERM)
                if not leaves:
                    assert await ann.until_ended() == m.Bye(code=CloseCode.STOPPED)
            assert await trio.to_thread.run_sync(server.process.wait) == 0
