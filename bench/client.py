"""The client as a player feels it, in a real pseudo-terminal.

    python bench/client.py

Start: from the command ``kings play`` to its first drawn screen, and to the first turn; beside it,
in the same run, the bare start of the interpreter. Keys: from a press to the redraw it causes, at
80×24 and at 200×60.
"""

import argparse
import json
import os
import select
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pexpect

RIGHT, LEFT = b"\x1b[C", b"\x1b[D"
SIZES = ((24, 80), (60, 200))


def spawn(rows: int, columns: int, state: str) -> "pexpect.spawn[Any]":
    """Start ``kings play`` against one bot that never waits."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "kings_client", "play", "--bots", "medium", "--pace", "0"],
        env={**os.environ, "TERM": "xterm-256color", "KINGS_STATE_DIR": state},
        dimensions=(rows, columns),
        timeout=30,
    )
    child.delaybeforesend = None
    return child


def interpreter_start() -> float:
    """Return the seconds that an interpreter needs to start and end."""
    began = time.perf_counter()
    pexpect.run(f"{sys.executable} -c pass")
    return time.perf_counter() - began


def start(rows: int, columns: int) -> tuple[float, float]:
    """Return the seconds to the first drawn screen and to the first turn."""
    with tempfile.TemporaryDirectory() as state:
        began = time.perf_counter()
        child = spawn(rows, columns, state)
        child.expect("\x1b\\[\\?1049h")
        child.expect("players|Kings")
        drawn = time.perf_counter() - began
        child.expect("Your turn")
        turn = time.perf_counter() - began
        child.terminate(force=True)
        return drawn, turn


def redraws(rows: int, columns: int, presses: int) -> list[float]:
    """Return the milliseconds from each key press to the output that it causes."""
    with tempfile.TemporaryDirectory() as state:
        child = spawn(rows, columns, state)
        child.expect("Your turn")
        settle(child.child_fd)
        times = []
        for press in range(presses):
            began = time.perf_counter()
            child.send(RIGHT if press % 2 else LEFT)
            ready, _, _ = select.select([child.child_fd], [], [], 2)
            if ready:
                times.append((time.perf_counter() - began) * 1000)
            settle(child.child_fd)
        child.terminate(force=True)
        return times


def settle(descriptor: int) -> None:
    """Read until nothing has been drawn for a moment."""
    while select.select([descriptor], [], [], 0.06)[0]:
        os.read(descriptor, 65536)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--presses", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.chdir(Path(__file__).parent.parent)
    starts = [start(24, 80) for _ in range(options.runs)]
    figures: dict[str, float] = {
        "interpreter_s": statistics.median(interpreter_start() for _ in range(options.runs)),
        "first_screen_s": statistics.median(drawn for drawn, _ in starts),
        "first_turn_s": statistics.median(turn for _, turn in starts),
    }
    for rows, columns in SIZES:
        times = sorted(redraws(rows, columns, options.presses))
        figures[f"redraw_{columns}x{rows}_p50_ms"] = statistics.median(times)
        figures[f"redraw_{columns}x{rows}_p99_ms"] = times[int(len(times) * 0.99) - 1]
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:24} {value:8.3f}")


if __name__ == "__main__":
    main()
