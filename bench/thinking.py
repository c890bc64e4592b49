"""What players notice of bots that think at other tables, on loopback only.

    python bench/thinking.py --rounds 3         about six minutes
    python bench/thinking.py --crowds master    nobody and fifty masters, less than one

Measures the paced load of ``load.py`` (a move a second a table, until all four clients have it)
against a server of its own: quiet, and beside tables at which a person passes at once and one bot
plays a move each fifth of a second: 20 that think of nothing, 20 experts, 50 masters. Their people
are one process that the scheduler lets run last. It is measured when all of them are seated and
every bot has had a turn: what fifty tables cost that are made in one moment is another question,
and on a busy machine that moment had slipped into what was measured. Says how many turns the bots
had, for how many there was too little time, and by how much the others' p99 grew.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import trio

from kings_server.bots import kernel_ready
from server import (  # type: ignore[attr-defined]  # the one beside this file
    listening,
    loaded,
    server_command,
)

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from people import Person, connected

HERE = Path(__file__)
PACE = (200, 200)
"""Milliseconds that a bot takes for a move; master takes its second all the same."""

CROWDS = {"medium": 20, "expert": 20, "master": 50}
"""How many bots of a level play beside the tables that are measured."""


class Crowd:
    """People who pass, each against one bot; counts the bots' turns."""

    def __init__(self, tables: int) -> None:
        self.turns = 0
        self.short = 0
        self.idle = tables
        self.all_play = trio.Event()

    async def play(self, port: int, number: int, level: str) -> None:
        """Play match after match until cancelled."""
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with connected(Person(stream, f"P{number}")) as person:
            await person.enter()
            knobs = {"match": "deals", "deals": 50}
            await person.make_table(2, bots=(level,), knobs=knobs, pace=PACE)
            await person.until(lambda: person.my_turn)
            await person.play_once(0.0)
            await person.until(lambda: person.my_turn or person.phase("between", "over"))
            self.idle -= 1
            if not self.idle:
                self.all_play.set()
            while True:
                await person.until(lambda: person.my_turn or person.phase("between", "over"))
                if person.my_turn:
                    await person.play_once(0.0)
                    self.turns += 1
                    assert person.table is not None
                    self.short += any(seat.short for seat in person.table.seats)
                elif person.phase("between"):
                    await person.go_on()
                else:
                    await person.ready()
                    await person.until(lambda: not person.phase("over"))


async def crowd(port: int, tables: int, level: str) -> None:
    """Play at so many tables until standard input ends; say when all play, and what was counted."""
    os.nice(10)
    counted = Crowd(tables)
    async with trio.open_nursery() as nursery:
        for number in range(tables):
            nursery.start_soon(counted.play, port, number, level)
        await counted.all_play.wait()
        print("all play", flush=True)
        await trio.to_thread.run_sync(sys.stdin.readline)
        nursery.cancel_scope.cancel()
    print(json.dumps({"turns": counted.turns, "short": counted.short}), flush=True)


@contextmanager
def crowded(port: int, tables: int, level: str, found: dict[str, Any]) -> Iterator[None]:
    """Let bots think at ``tables`` tables meanwhile; ``found`` gets what they did."""
    command = (sys.executable, str(HERE), "--crowd", str(port), str(tables), level)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as people:
        assert people.stdout is not None
        if people.stdout.readline().strip() != "all play":
            raise SystemExit("the bots' tables did not begin")
        yield
        said, _ = people.communicate("enough\n", timeout=30)
        found.update(json.loads(said))


def measure(tables: int, seconds: float, bots: int, level: str) -> dict[str, Any]:
    """Return the figures of the honest tables, beside ``bots`` of ``level``."""
    found: dict[str, Any] = {}
    scale = ("--tables", str(tables), "--seconds", str(seconds), "--warm-up", "4", "--paced")
    with listening(server_command([], tls=False)) as (process, port):
        if not bots:
            return dict(loaded(process, port, *scale))
        with crowded(port, bots, level, found):
            figures = loaded(process, port, *scale)
        return {**figures, **found}


def main() -> None:
    """Measure, and print a line for each crowd and, at the end, the p99s of all rounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--crowds", nargs="+", choices=CROWDS, default=list(CROWDS))
    parser.add_argument("--crowd", nargs=3, metavar=("PORT", "TABLES", "LEVEL"))
    options = parser.parse_args()
    if options.crowd:
        port, tables, level = options.crowd
        trio.run(partial(crowd, int(port), int(tables), level))
        return
    kernel_ready.make_ready()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    found: dict[str, list[float]] = {"": [], **{level: [] for level in options.crowds}}
    for _ in range(options.rounds):
        for level, all_p99 in found.items():
            bots = CROWDS[level] if level else 0
            row = measure(options.tables, options.seconds, bots, level)
            all_p99.append(row["p99_ms"])
            print(described(bots, level, row), flush=True)
    quiet = median(found.pop(""))
    for level, all_p99 in found.items():
        times = ", ".join(f"{p99:.1f}" for p99 in all_p99)
        print(
            f"beside {CROWDS[level]} x {level}: p99 {times} ms, median {median(all_p99):.1f}, "
            f"{median(all_p99) / quiet:.2f} times that beside nobody ({quiet:.1f})"
        )


def described(bots: int, level: str, row: dict[str, Any]) -> str:
    """Return the figures of one run as a line."""
    thought = f"{row['turns']} bots' turns, {row['short']} short of time" if bots else "quiet"
    return (
        f"{bots} x {level or 'none'}: p50 {row['p50_ms']:.1f} ms, p99 {row['p99_ms']:.1f}, "
        f"longest {row['longest_ms']:.1f} of {row['moves']} moves; {thought}"
    )


if __name__ == "__main__":
    main()
