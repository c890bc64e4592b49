"""The server under load, beside a bare relay in the same run.

    python bench/server.py                      all of it, about five minutes
    python bench/server.py --tables 1 25 --seconds 3
    python bench/server.py --tls                under TLS, server and relay alike
    python bench/server.py -- --data DIRECTORY  with a journal; without, nothing is kept

For each number of tables of four scripted clients: a closed loop (each client moves as soon as it
may: moves a second, and the server's CPU seconds a thousand moves) and a paced one (a move a second
a table: milliseconds from a move's sending to its receipt by all four). The relay is given the same
number of rooms, and frames of the size that the server's updates had.
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
from typing import Any

import psutil

HERE = Path(__file__).parent


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
        *("--limit", "handshakes_per_address=16", "--limit", "handshake_seconds=60"),
        *("--log-level", "error", "--no-plain-text" if tls else "--plain-text"),
        *(() if "--data" in extra else ("--no-data",)),
        *extra,
    ]


def measure(tables: int, seconds: float, extra: list[str], *, tls: bool) -> dict[str, Any]:
    """Measure server and relay with ``tables`` tables, in closed and in paced loops."""
    under = ("--tls",) if tls else ()
    scale = ("--tables", str(tables), "--seconds", str(seconds), *under)
    warm_up = ("--warm-up", str(3 + tables / 25))
    row: dict[str, Any] = {"tables": tables}
    for name, options in (("closed", ()), ("paced", ("--paced",))):
        with listening(server_command(extra, tls=tls)) as (server, port):
            row[name] = loaded(server, port, *scale, *warm_up, *options)
        size = round(row[name]["update_bytes"]) - 4
        relay_command = [sys.executable, str(HERE / "relay.py"), str(size), *under]
        with listening(relay_command) as (relay, port):
            row[f"relay_{name}"] = loaded(relay, port, *scale, *warm_up, *options, "--relay")
    return row


def table_of(rows: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    head = (
        *("tables", "moves/s", "CPU s/1000 moves", "relay", "ratio", "p50 ms", "p99 ms"),
        *("relay p99", "update bytes", "RSS MB"),
    )
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        closed, relay = row["closed"], row["relay_closed"]
        ratio = closed["cpu_s_per_1000"] / relay["cpu_s_per_1000"]
        paced = row["paced"]
        lines.append(
            f"| {row['tables']} | {closed['moves_s']:.0f} | {closed['cpu_s_per_1000']:.3f} "
            f"| {relay['cpu_s_per_1000']:.3f} | {ratio:.2f} | {paced['p50_ms']:.2f} "
            f"| {paced['p99_ms']:.2f} | {row['relay_paced']['p99_ms']:.2f} "
            f"| {closed['update_bytes']:.0f} | {closed['rss_mb']:.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 25, 100, 250])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--tls", action="store_true", help="under TLS")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("server", nargs="*", help="further options for the server, after --")
    options = parser.parse_args()
    measured = partial(measure, seconds=options.seconds, extra=options.server, tls=options.tls)
    rows = [measured(tables) for tables in options.tables]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.machine()}")
    print(table_of(rows))


if __name__ == "__main__":
    main()
