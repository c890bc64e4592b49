"""Durable commits a second: tables that commit together beside tables that wait for their turn.

    python bench/journal.py
    python bench/journal.py --tables 100 --seconds 3 --directory /where/the/disk/is

A move is a step, an answer and a state, as a table writes them. Alone, each move is a transaction
of its own; together, a transaction takes in whatever has come meanwhile. The rounds alternate.
"""

import argparse
import platform
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import trio

from kings_server.committer import Committer
from kings_server.journal_file import opened
from kings_server.journal_rows import Write, keep_answer, keep_state, keep_step, keep_table
from kings_server.log import logger, set_up


def move(table: str, number: int) -> tuple[Write, ...]:
    """Return what one move writes, about as long as in play."""
    return (
        keep_step(table, 1, number, number % 4, "play 9H NE", "0" * 64),
        keep_answer(table, number % 4, number, "r" * 120, "a" * 80),
        keep_state(table, "s" * 900),
    )


async def measure(directory: Path, tables: int, seconds: float, *, alone: bool) -> tuple[int, int]:
    """Let ``tables`` tables commit moves; return how many moves and how many transactions."""
    moves = 0
    with opened(directory) as journal:
        async with trio.open_nursery() as nursery:
            committer = Committer(journal.file, logger())
            await nursery.start(committer.run)
            turn = trio.Lock()

            async def play(table: str) -> None:
                nonlocal moves
                await committer.commit([keep_table(table, "settings" * 50, "")])
                for number in range(1_000_000):
                    if alone:
                        async with turn:
                            await committer.commit(move(table, number))
                    else:
                        await committer.commit(move(table, number))
                    moves += 1

            with trio.move_on_after(seconds):
                async with trio.open_nursery() as players:
                    for number in range(tables):
                        players.start_soon(play, f"table{number}")
            nursery.cancel_scope.cancel()
        return moves, committer.commits


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--directory", type=Path, help="on which disk (default: the temporary one)")
    options = parser.parse_args()
    set_up("error")
    rates: dict[bool, list[float]] = {True: [], False: []}
    waited: list[float] = []
    for _ in range(options.rounds):
        for alone in (True, False):
            with tempfile.TemporaryDirectory(dir=options.directory) as directory:
                began = time.perf_counter()
                run = partial(measure, alone=alone)
                moves, commits = trio.run(run, Path(directory), options.tables, options.seconds)
                seconds = time.perf_counter() - began
            rates[alone].append(moves / seconds)
            if not alone:
                waited.append(seconds / commits * 1000)
    one, all_of_them = (statistics.median(rates[alone]) for alone in (True, False))
    print(f"Python {platform.python_version()}, {options.tables} tables")
    print("| moves/s, each alone | moves/s, together | ratio | ms a transaction together |")
    print("|---|---|---|---|")
    print(
        f"| {one:.0f} | {all_of_them:.0f} | {all_of_them / one:.1f} "
        f"| {statistics.median(waited):.1f} |"
    )


if __name__ == "__main__":
    main()
