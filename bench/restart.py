"""How long a server takes to go on with the tables it had, and what they take in memory.

    python bench/restart.py
    python bench/restart.py --tables 100 --steps 50

The journal is written as tables of four people write it, with matches played at random; then a
server is started on it, and timed until it says that it is ready.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
from kings_server.picture import Phase, Settings
from kings_server.seats import State

MATCHES = 20
"""Different matches; the tables share them out among themselves."""


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
        keep_table(table, settings_text(settings, ""), text_of(state)),
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


def start(directory: Path, *options: str) -> tuple[float, float, float]:
    """Return seconds and CPU seconds until a server is ready, and the megabytes it takes then."""
    command = (sys.executable, "-m", "kings_server", "serve", "--host", "127.0.0.1", "--port", "0")
    began = time.perf_counter()
    with subprocess.Popen(
        (*command, "--log-level", "error", *options, "--data", str(directory)),
        stdout=subprocess.PIPE,
    ) as server:
        try:
            assert server.stdout is not None
            if not server.stdout.readline():
                raise SystemExit("the server did not start")
            seconds = time.perf_counter() - began
            process = psutil.Process(server.pid)
            times, memory = process.cpu_times(), process.memory_info().rss
            return seconds, times.user + times.system, memory / 1e6
        finally:
            server.kill()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
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
