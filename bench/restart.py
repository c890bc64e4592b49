"""How long a server takes to go on with the tables it had, and a person to be back at one.

    python bench/restart.py
    python bench/restart.py --tables 100 --steps 50
    python bench/restart.py --returns 200

The journal is written as tables of four people write it, with matches played at random; then a
server is started on it, and timed until it says that it is ready.

With ``--returns``, a server with a journal has so many ``--busy`` tables of four at a move a second
each, and somebody at another table loses the connection again and again: the time is from the first
packet of the new one to the first whole ``update``, once in plain text and once under TLS.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil

from kings_engine.actions import TABLE, Action, BeginDeal, Cut
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase as MatchPhase
from kings_engine.presets import preset_rules
from kings_engine.record import state_hash
from kings_engine.rules import REVISION, Rules
from kings_engine.sources import Secret
from kings_engine.view import legal_actions, observe_own
from kings_server.journal_file import opened
from kings_server.journal_rows import Write, keep_match, keep_step, keep_table
from kings_server.kept import KeptSeat, KeptState, knobs_text, settings_text, text_of
from kings_server.picture import Maker, Phase, Settings
from kings_server.seats import State

MATCHES = 20
"""Different matches; the tables share them out among themselves."""

UNLIMITED = (
    *("--no-announce", "--limit", "requests_per_second=0"),
    *("--limit", "connections_per_address=100000", "--limit", "unentered_per_address=100000"),
    *("--limit", "handshakes_per_address=16", "--limit", "handshake_seconds=60"),
)
"""What lets a whole load come from one address."""


def played(rules: Rules, steps: int, dice: random.Random) -> Match:
    """Return a match after so many random steps, in the middle of a deal."""
    match = new_match(rules)
    while match.version < steps or match.phase is not MatchPhase.PLAY:
        if match.phase is MatchPhase.MATCH_OVER:
            match = new_match(rules)
        changed = apply(match, *_step(match, dice))
        assert not isinstance(changed, Refusal)
        match = changed[0]
    return match


def _step(match: Match, dice: random.Random) -> tuple[int, Action]:
    secret = Secret(dice.randbytes(32), (None,) * match.rules.players)
    if match.phase is MatchPhase.CUT:
        return TABLE, Cut(secret)
    if match.turn is None:
        return TABLE, BeginDeal(secret)
    return match.turn, dice.choice(legal_actions(observe_own(match, match.turn)))


def writes_of(table: str, settings: Settings, match: Match) -> list[Write]:
    """Return what the journal has of a table."""
    seats = tuple(
        KeptSeat(state=State.SEATED, name=f"Player {seat}", key=f"{seat}{table}".ljust(64, "0"))
        for seat in range(match.rules.players)
    )
    state = KeptState(phase=Phase.PLAYING, matches=1, host=0, seats=seats)
    hashed = state_hash(match)
    return [
        keep_table(table, settings_text(settings, Maker("", "")), text_of(state)),
        keep_match(table, 1, REVISION, knobs_text(settings), 0),
        *(
            keep_step(table, 1, version, step.actor, str(step.action), hashed)
            for version, step in enumerate(match.steps, start=1)
        ),
    ]


def write(directory: Path, tables: int, steps: int) -> None:
    """Write a journal of so many tables."""
    dice = random.Random(1)  # noqa: S311  a bench's matches guard no secret
    rules = preset_rules("pagat", {"players": 4, "points": 500})
    matches = [played(rules, steps, dice) for _ in range(MATCHES)]
    with opened(directory) as journal:
        for number in range(tables):
            settings = Settings(
                table=f"{number:08x}",
                name="Bench",
                preset="pagat",
                rules=rules,
                password=None,
                watchable=True,
                absent="bot",
                grace=60,
                away=180,
                pace=(600, 1500),
            )
            match = matches[number % MATCHES]
            journal.file.commit(writes_of(settings.table, settings, match))


@contextmanager
def serving(directory: Path, *options: str) -> Iterator[tuple[psutil.Process, int]]:
    """Run a server, and give its process and port once it is ready."""
    command = (sys.executable, "-m", "kings_server", "serve", "--host", "127.0.0.1", "--port", "0")
    with subprocess.Popen(
        (*command, "--log-level", "error", *options, "--data", str(directory)),
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            ready = server.stdout.readline()
            if not ready:
                raise SystemExit("the server did not start")
            yield psutil.Process(server.pid), int(ready.rsplit(":", 1)[1])
        finally:
            server.kill()


def start(directory: Path) -> tuple[float, float, float]:
    """Return seconds and CPU seconds until a server is ready, and the megabytes it takes then."""
    began = time.perf_counter()
    with serving(directory) as (process, _):
        seconds = time.perf_counter() - began
        times, memory = process.cpu_times(), process.memory_info().rss
        return seconds, times.user + times.system, memory / 1e6


def returns(tables: int, times: int, *, tls: bool) -> dict[str, float]:
    """Return how long so many returns take, beside so many busy tables."""
    under = ("--tls",) if tls else ()
    with (
        tempfile.TemporaryDirectory() as data,
        serving(Path(data), *UNLIMITED, *(() if tls else ("--plain-text",))) as (_, port),
        loading(port, "--paced", "--tables", str(tables), "--seconds", "3600", *under),
        loading(port, "--returns", str(times), *under) as lines,
    ):
        found: dict[str, float] = json.loads(lines.readline())
        return found


@contextmanager
def loading(port: int, *options: str) -> Iterator[IO[str]]:
    """Run scripted clients, and give what they print once they have started."""
    command = (sys.executable, str(Path(__file__).with_name("load.py")), str(port), *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        try:
            assert load.stdout is not None
            if not load.stdout.readline():
                raise SystemExit("the load did not start")
            yield load.stdout
        finally:
            load.kill()


def show_returns(tables: int, times: int) -> None:
    """Measure returns, and print their times."""
    print("| busy tables | returns | encrypted | median ms | p99 ms |\n|---|---|---|---|---|")
    for tls in (False, True):
        found = returns(tables, times, tls=tls)
        words = "yes" if tls else "no"
        print(f"| {tables} | {times} | {words} | {found['p50_ms']:.1f} | {found['p99_ms']:.1f} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--returns", type=int, help="measure so many returns, and nothing else")
    parser.add_argument("--busy", type=int, default=100, help="tables that play beside them")
    options = parser.parse_args()
    if options.returns:
        show_returns(options.busy, options.returns)
        return
    with tempfile.TemporaryDirectory() as place:
        empty, full = Path(place, "empty"), Path(place, "full")
        write(full, options.tables, options.steps)
        size = (full / "journal.sqlite").stat().st_size / 1e6
        alone = [start(empty) for _ in range(options.rounds)]
        loaded = [start(full) for _ in range(options.rounds)]
    seconds, cpu, memory = min(loaded)
    nothing, base_cpu, base = min(alone)
    head = ("tables", "steps each", "file MB", "start s", "CPU s", "empty: start s", "CPU s")
    print(f"| {' | '.join((*head, 'MB more', 'KB a table'))} |")
    print("|---|---|---|---|---|---|---|---|---|")
    print(
        f"| {options.tables} | {options.steps} | {size:.1f} | {seconds:.2f} | {cpu:.2f} "
        f"| {nothing:.2f} | {base_cpu:.2f} "
        f"| {memory - base:.0f} | {(memory - base) / options.tables * 1000:.0f} |"
    )


if __name__ == "__main__":
    main()
