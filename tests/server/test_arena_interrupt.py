"""The arena as a real process: Ctrl-C keeps what has been played, and no worker outlives it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

import psutil
import pytest

from kings_engine.presets import preset_rules
from kings_server.arena_figures import figures
from kings_server.arena_play import Fixture
from kings_server.arena_run import play_all

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="needs a pseudo-terminal, SIGINT and groups of processes"
)

ROOT = Path(__file__).parents[2]
DEALS = 900_000
LIMIT = 30
"""Seconds after which the whole group of a process that does not end is killed."""

MAIN = """
import sys
from kings_server.arena import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def playing(folder: Path, workers: int) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Start an arena that would play for long; give it and its terminal once it has played."""
    import termios

    program = folder / "arena.py"
    program.write_text(MAIN, encoding="utf-8")
    words = f"--deals {DEALS} --seats medium,easy --seed 3 --json --workers {workers}"
    rooms = [str(ROOT / room) for room in ("engine", "protocol", "server")]
    terminal, stderr = os.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    with subprocess.Popen(
        [sys.executable, str(program), *words.split()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(rooms)},
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    ) as process:
        os.close(stderr)
        watch = Timer(LIMIT, kill_group, (process,))
        watch.start()
        try:
            shown = b""
            while not re.search(rb" [1-9]\d{2,}/%d" % DEALS, shown):
                shown += os.read(terminal, 1000)
            yield process, terminal
        finally:
            watch.cancel()
            kill_group(process)
            os.close(terminal)


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def read_to_end(terminal: int) -> str:
    """Read what is left; on Linux, reading a terminal that everybody has left is an error."""
    shown = b""
    with suppress(OSError):
        while piece := os.read(terminal, 1000):
            shown += piece
    return shown.decode()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_keeps_what_has_been_played(workers: int, tmp_path: Path) -> None:
    with playing(tmp_path, workers) as (process, terminal):
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate()
        shown = read_to_end(terminal)
    assert process.returncode == 0, shown
    answer = json.loads(out)
    played = answer["deals"]
    assert 0 < played < DEALS
    assert f"kings arena: interrupted after {played} deals" in shown
    assert "Traceback" not in shown
    fixture = Fixture(preset_rules("pagat", {"match": "one_deal"}), ("medium", "easy"), 3)
    expected = figures(fixture, play_all(fixture, played, 1)[0])
    assert answer["blocked_rate"] == expected.blocked_rate
    assert [level["win_rate"] for level in answer["levels"]] == [
        level.win_rate for level in expected.levels
    ]


def test_the_death_of_a_worker_keeps_what_has_been_played(tmp_path: Path) -> None:
    with playing(tmp_path, 2) as (process, terminal):
        workers = psutil.Process(process.pid).children()
        next(child for child in workers if "spawn_main" in " ".join(child.cmdline())).kill()
        out, _ = process.communicate()
        shown = read_to_end(terminal)
    assert process.returncode == 1, shown
    played = json.loads(out)["deals"]
    assert 0 < played < DEALS
    assert f"kings arena: a process that played has died after {played} deals" in shown
    assert "Traceback" not in shown


def test_no_worker_outlives_a_killed_arena(tmp_path: Path) -> None:
    with playing(tmp_path, 2) as (process, _):
        process.kill()
        assert process.stdout is not None
        assert process.stdout.read() == b""  # the end comes when the last worker has gone
        assert process.wait() == -signal.SIGKILL
