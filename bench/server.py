"""The server under load, with a journal and without, beside a bare relay in the same run.

    python bench/server.py                      all of it, about ten minutes
    python bench/server.py --tables 25 100 --rounds 3 --loads closed equal
    python bench/server.py --tls                under TLS, server and relay alike

For each number of tables of four scripted clients, and for each load, the three programs take
turns, and medians are printed. ``closed``: each client moves as soon as it may, so each program
does what it can. ``equal``: all three are given the same moves a second, because a program that
does more at a time does each with less. ``paced``: a move a second a table, for the milliseconds
from a move's sending to its receipt by all four. The relay is given the same number of rooms, and
frames of the size that the server's updates had.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

HERE = Path(__file__).parent

LOADS = ("closed", "equal", "paced")

EQUAL = 200
"""Moves a second of all tables together that every program is given in the equal load."""

EQUAL_AT_MOST = 100
"""Moves a second of one table that all programs manage to make."""


@contextmanager
def listening(command: list[str]) -> Iterator[tuple[psutil.Process, int]]:
    """Run a program that says where it listens; give its process and port."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line:
            raise SystemExit(f"it did not start: {' '.join(command)}")
        yield psutil.Process(child.pid), int(line.rsplit(":", 1)[1])
    finally:
        child.terminate()
        child.wait(20)


def cpu(process: psutil.Process) -> float:
    """Return the CPU seconds that a process has used."""
    times = process.cpu_times()
    return float(times.user + times.system)


def loaded(process: psutil.Process, port: int, *options: str) -> dict[str, Any]:
    """Run the load against a process; return its figures with the CPU and memory it caused."""
    command = [sys.executable, str(HERE / "load.py"), str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        assert load.stdout is not None
        if load.stdout.readline().strip() != "started":
            raise SystemExit("the load did not start")
        before = cpu(process)
        line = load.stdout.readline()
        used = cpu(process) - before
        memory = process.memory_info().rss
    figures: dict[str, Any] = json.loads(line)
    figures["moves_s"] = figures["moves"] / figures["seconds"]
    figures["cpu_s_per_1000"] = used / max(1, figures["moves"]) * 1000
    figures["rss_mb"] = memory / 1e6
    return figures


def server_command(extra: list[str], *, tls: bool) -> list[str]:
    """Return the command of a server on loopback without its flood limits."""
    return [
        *(sys.executable, "-m", "kings_server", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--limit", "requests_per_second=0", "--limit", "connections_per_address=100000"),
        *("--limit", "unentered_per_address=100000", "--limit", "unentered=100000"),
        *("--limit", "tables_per_address=100000"),
        *("--limit", "handshakes_per_address=16", "--limit", "handshake_seconds=60"),
        *("--log-level", "error", "--no-plain-text" if tls else "--plain-text"),
        "--no-announce",
        *(() if "--data" in extra else ("--no-data",)),
        *extra,
    ]


def options_of(load: str, tables: int) -> tuple[str, ...]:
    """Return the options with which ``load.py`` makes a load."""
    match load:
        case "closed":
            return ()
        case "equal":
            return ("--paced", "--rate", str(min(EQUAL / tables, EQUAL_AT_MOST)))
        case _:
            return ("--paced",)


def programs(size: int, data: str, options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the commands of what is measured; the relay's frames have ``size`` bytes."""
    under = ("--tls",) if options.tls else ()
    kept = [*options.server, "--data", data]
    return {
        "relay": [sys.executable, str(HERE / "relay.py"), str(size - 4), *under],
        "server": server_command(options.server, tls=options.tls),
        "journal": server_command(kept, tls=options.tls),
    }


def measure(tables: int, load: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure the three programs in turns; return the medians of each one's figures."""
    scale = ("--tables", str(tables), "--seconds", str(options.seconds))
    scale += ("--warm-up", str(3 + tables / 25), *(("--tls",) if options.tls else ()))
    found: dict[str, list[dict[str, Any]]] = {"server": [], "journal": [], "relay": []}
    size = 500
    for _ in range(options.rounds):
        for name, figures in found.items():
            as_relay = ("--relay",) if name == "relay" else ()
            with tempfile.TemporaryDirectory() as data:
                command = programs(size, data, options)[name]
                with listening(command) as (process, port):
                    made = options_of(load, tables)
                    figures.append(loaded(process, port, *scale, *made, *as_relay))
            size = round(figures[-1]["update_bytes"])
    medians = {
        name: {key: median(one[key] for one in figures) for key in figures[0]}
        for name, figures in found.items()
    }
    return {"tables": tables, "load": load, **medians}


def table_of(rows: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    head = (
        *("tables", "load", "moves/s: relay, server, journal", "CPU ms a move", "ratios"),
        *("p50 ms", "p99 ms", "update bytes", "RSS MB"),
    )
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        three = [row[name] for name in ("relay", "server", "journal")]
        relay, server, journal = (one["cpu_s_per_1000"] for one in three)
        cells = (
            *(str(row["tables"]), row["load"]),
            ", ".join(f"{one['moves_s']:.0f}" for one in three),
            f"{relay:.3f}, {server:.3f}, {journal:.3f}",
            f"{server / relay:.2f}, {journal / relay:.2f}",
            ", ".join(f"{one['p50_ms']:.1f}" for one in three),
            ", ".join(f"{one['p99_ms']:.1f}" for one in three),
            *(f"{row['server']['update_bytes']:.0f}", f"{row['server']['rss_mb']:.0f}"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 25, 100, 250])
    parser.add_argument("--loads", nargs="+", choices=LOADS, default=LOADS)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--tls", action="store_true", help="under TLS")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("server", nargs="*", help="further options for the server, after --")
    options = parser.parse_args()
    rows = [measure(tables, load, options) for tables in options.tables for load in options.loads]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}")
    print(table_of(rows))


if __name__ == "__main__":
    main()
