"""What honest players notice while 200 connections misbehave, on loopback only.

    python bench/hostile.py                     five interleaved rounds, about nine minutes
    python bench/hostile.py --costs             the server's CPU for each kind of act, a minute

Each round measures the paced load of ``load.py`` (a move a second a table, until all four clients
have it) three times, each against a new server: quiet, with the hostile connections at another
server on the same machine, and with them at the same server; each round begins with another of the
three. The second is the control: the machine is as busy, and the honest ones' server has nothing to
do with it. Servers have their usual limits but those of one address, because everybody here comes
from the same. The hostile ones are one process that lives for a bounded time, and that the
scheduler lets run last: what it costs to misbehave is not what is measured.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

import psutil
import trio

from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.frames import frame
from kings_protocol.limits import CLIENT_FRAME_BYTES
from kings_protocol.version import make_hello

HOSTILE: Final = 200
FLOODS_A_SECOND: Final = 40
"""Requests a second of one that floods: twice what a server allows."""

RECONNECT_SECONDS: Final = 2.0
TRICKLE_SECONDS: Final = 0.5
STAY_SECONDS: Final = 5.0
RECEIVE_BYTES: Final = 65536
LIFE_SECONDS: Final = 120.0
"""The longest that hostile connections live, should nobody end them before."""

SOME: Final = 40
"""Hostile connections of one kind: a fifth of all."""

COST_SECONDS: Final = 6.0
"""How long the cost of each kind is measured."""

ACTS: Final[Counter[str]] = Counter()
"""How often each kind did what it does: a request, a connection or a byte."""

GARBAGE: Final = (b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\0\0", b"GET / HTTP/1.1\r\n\r\n")
HELLO: Final = frame(encode(make_hello()), CLIENT_FRAME_BYTES)


def framed(request: m.Request) -> bytes:
    """Return the bytes of a request."""
    return frame(encode(request), CLIENT_FRAME_BYTES)


def browse() -> bytes:
    """Return a request for the lobby, which has the longest answer that costs nothing to ask."""
    return framed(m.Browse(id=os.urandom(16).hex(), page=0))


async def enter(stream: trio.SocketStream) -> None:
    """Enter as an honest client does: whoever does not wait to be welcome is thrown out."""
    name = os.urandom(16).hex()
    await stream.send_all(HELLO)
    await stream.receive_some(RECEIVE_BYTES)
    await stream.send_all(framed(m.Enter(id=name, client=name, name="rascal")))
    await stream.receive_some(RECEIVE_BYTES)


async def flood(stream: trio.SocketStream) -> None:
    """Ask for the lobby far more often than is allowed, until thrown out."""
    await enter(stream)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_on, stream)
        while True:
            await stream.send_all(browse())
            ACTS["flood"] += 1
            await trio.sleep(1 / FLOODS_A_SECOND)


async def read_on(stream: trio.SocketStream) -> None:
    """Read and forget, to the end."""
    while await stream.receive_some(RECEIVE_BYTES):
        pass


async def malformed(stream: trio.SocketStream) -> None:
    """Say hello, and then what is no message."""
    await stream.send_all(HELLO)
    await stream.send_all(GARBAGE[os.urandom(1)[0] % len(GARBAGE)])
    ACTS["malformed"] += 1
    await read_on(stream)


async def deaf(stream: trio.SocketStream) -> None:
    """Enter, ask for what is long, and never read again."""
    await enter(stream)
    while True:
        await stream.send_all(browse())
        ACTS["deaf"] += 1
        await trio.sleep(0.1)


async def half_open(stream: trio.SocketStream) -> None:
    """Send half a hello, and wait."""
    await stream.send_all(HELLO[: len(HELLO) // 2])
    ACTS["half_open"] += 1
    await read_on(stream)


async def trickle(stream: trio.SocketStream) -> None:
    """Enter, and then send a request a byte at a time."""
    await enter(stream)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_on, stream)
        while True:
            for byte in browse():
                await stream.send_all(bytes((byte,)))
                ACTS["trickle"] += 1
                await trio.sleep(TRICKLE_SECONDS)


KINDS: Final = (flood, malformed, deaf, half_open, trickle)
PHASES: Final = ("quiet", "elsewhere", "hostile")


async def again_and_again(
    kind: Callable[[trio.SocketStream], Awaitable[None]], port: int, made: list[int]
) -> None:
    """Misbehave in one way, and come back whenever the server has had enough."""
    while True:
        try:
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                made[0] += 1
                await kind(stream)
        except* (OSError, trio.BrokenResourceError):
            pass
        await trio.sleep(RECONNECT_SECONDS)


async def sit(port: int, task_status: trio.TaskStatus[None]) -> None:
    """Make a table, and stay at it."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream, trio.open_nursery() as here:
        await enter(stream)
        table = m.MakeTable(id=os.urandom(16).hex(), name="bench", preset="pagat")
        await stream.send_all(framed(table))
        here.start_soon(read_on, stream)
        task_status.started()
        while True:
            await trio.sleep(STAY_SECONDS)
            await stream.send_all(framed(m.Here(id=os.urandom(16).hex())))


async def weigh(process: psutil.Process, port: int, tables: int) -> None:
    """Print what each kind of hostile connections costs the server."""
    print("| kind | acts a second | % of a core | µs an act |", "|---|---|---|---|", sep="\n")
    async with trio.open_nursery() as nursery:
        for _ in range(tables):
            await nursery.start(sit, port)
        for kind in KINDS:
            async with trio.open_nursery() as hostile:
                for _ in range(SOME):
                    hostile.start_soon(again_and_again, kind, port, [0])
                await trio.sleep(RECONNECT_SECONDS)
                before, acts, began = process.cpu_times(), ACTS[kind.__name__], trio.current_time()
                await trio.sleep(COST_SECONDS)
                used = sum(process.cpu_times()[:2]) - sum(before[:2])
                acts, seconds = ACTS[kind.__name__] - acts, trio.current_time() - began
                hostile.cancel_scope.cancel()
            each = f"{used / acts * 1e6:.0f}" if acts else ""
            share = used / seconds * 100
            print(f"| {kind.__name__} | {acts / seconds:.0f} | {share:.1f} | {each} |", flush=True)
        nursery.cancel_scope.cancel()


async def misbehave(port: int) -> None:
    """Be all the hostile connections, for a bounded time or until standard input ends."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    made = [0]
    with trio.move_on_after(LIFE_SECONDS):
        async with trio.open_nursery() as nursery:
            for number in range(HOSTILE):
                nursery.start_soon(again_and_again, KINDS[number % len(KINDS)], port, made)
                await trio.sleep(0.005)
            print("started", flush=True)
            await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()
    print(made[0], flush=True)


@contextmanager
def hostile_beside(port: int) -> Iterator[list[int]]:
    """Run the hostile connections in a process of their own; tell how many they made in the end."""
    command = [sys.executable, __file__, "--misbehave", str(port)]
    made: list[int] = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            if process.stdout.readline().strip() != "started":
                raise SystemExit("the hostile connections did not start")
            yield made
        finally:
            process.stdin.close()
            made.append(int(process.stdout.readline() or 0))


@contextmanager
def server() -> Iterator[tuple[psutil.Process, int]]:
    """Run a server with its usual limits but those of one address; give its process and port."""
    command = [
        *(sys.executable, "-m", "kings_server", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--limit", "connections_per_address=2000", "--limit", "unentered_per_address=500"),
        *("--plain-text", "--no-announce", "--log-level", "error", "--no-data"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield psutil.Process(process.pid), int(process.stdout.readline().rsplit(":", 1)[1])
        finally:
            process.terminate()


def honest(port: int, tables: int, seconds: float) -> dict[str, float]:
    """Return the figures of the paced load."""
    scale = ("--tables", str(tables), "--seconds", str(seconds), "--warm-up", "4", "--paced")
    command = [sys.executable, str(Path(__file__).parent / "load.py"), str(port), *scale]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(tables: int, seconds: float, phase: str) -> float:
    """Return the honest p99 in milliseconds, against a new server.

    What is printed beside it is the server's share of a core, and how busy the cores were with
    everything: more than that and the others' few percent is a program that has no business here.
    """
    made = [0]
    with ExitStack() as stack:
        process, port = stack.enter_context(server())
        if phase == "elsewhere":
            _, other = stack.enter_context(server())
            made = stack.enter_context(hostile_beside(other))
        elif phase == "hostile":
            made = stack.enter_context(hostile_beside(port))
        psutil.cpu_percent()
        before, began = sum(process.cpu_times()[:2]), monotonic()
        figures = honest(port, tables, seconds)
        share = (sum(process.cpu_times()[:2]) - before) / (monotonic() - began) * 100
        busy = psutil.cpu_percent()
    p50, p99 = figures["p50_ms"], figures["p99_ms"]
    print(
        f"{phase}: {figures['moves']} moves, p50 {p50:.1f}, p99 {p99:.1f} ms; "
        f"server {share:.1f} % of a core, cores {busy:.0f} % busy, {made[0]} hostile connections",
        flush=True,
    )
    return p99


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    parser.add_argument("--costs", action="store_true", help="measure what each act costs")
    parser.add_argument("--misbehave", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.misbehave is not None:
        trio.run(partial(misbehave, options.misbehave))
        return
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    if options.costs:
        with server() as (process, port):
            trio.run(weigh, process, port, options.tables)
        return
    figures: dict[str, list[float]] = {phase: [] for phase in PHASES}
    for number in range(options.first, options.first + options.rounds):
        for at in range(len(PHASES)):
            phase = PHASES[(number + at) % len(PHASES)]
            figures[phase].append(measure(options.tables, options.seconds, phase))
    medians = {phase: statistics.median(figures[phase]) for phase in PHASES}
    print("medians:", ", ".join(f"{phase} {medians[phase]:.2f} ms" for phase in PHASES))
    for phase in ("quiet", "elsewhere"):
        print(f"hostile beside {phase}: {medians['hostile'] / medians[phase]:.2f}")


if __name__ == "__main__":
    main()
