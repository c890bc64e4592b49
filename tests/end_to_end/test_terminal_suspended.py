"""The game is suspended and continued by a shell, which has its terminal as it was meanwhile."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import psutil
import pytest

from terminal import Terminal

LIMIT = 20
COMMAND = (sys.executable, "-m", "kings_client", "play", "--bots", "easy", "--pace", "0")
MODES = (b"1049", b"1000", b"1003", b"1006", b"1015", b"2004")


@contextmanager
def shell(state: Path) -> Iterator[Terminal]:
    """Run a shell in a terminal."""
    if shutil.which("bash") is None:
        pytest.skip("it takes a shell with jobs")
    environment = {**os.environ, "TERM": "xterm-256color", "KINGS_STATE_DIR": str(state)}
    child = pexpect.spawn(
        "bash", ["--norc", "-i"], env={**environment, "PS1": "shell> "}, dimensions=(24, 80)
    )
    try:
        yield Terminal(child, 80, 24, LIMIT)
    finally:
        for process in psutil.Process(child.pid).children(recursive=True):
            process.kill()
        child.close(force=True)


def left_on(terminal: Terminal) -> list[bytes]:
    """Return the modes of the terminal that the game has switched on, of those that it knows."""
    written = bytes(terminal.raw).rpartition(b"Stopped")[0] or bytes(terminal.raw)
    return [
        mode
        for mode in MODES
        if written.rfind(b"\x1b[?" + mode + b"h") > written.rfind(b"\x1b[?" + mode + b"l")
    ]


@pytest.mark.parametrize("by", ["key", "signal"])
def test_the_game_stops_and_comes_back(tmp_path: Path, by: str) -> None:
    with shell(tmp_path) as terminal:
        terminal.until("shell> ")
        terminal.press(shlex.join(COMMAND), "enter")
        terminal.until("Your turn")
        (game,) = psutil.Process(terminal.child.pid).children()
        for _ in range(2):
            terminal.raw.clear()
            if by == "key":
                terminal.press("\x1a")
            else:
                game.send_signal(signal.SIGTSTP)
            terminal.until("Stopped")
            assert b"\x1b[?1049l" in terminal.raw
            assert left_on(terminal) == []
            terminal.press("fg", "enter")
            terminal.until("Your turn")
        terminal.press("q")
        terminal.until("Quit")
        terminal.press("enter")
        terminal.until(r"shell> *\Z")
        terminal.press("echo code $?", "enter")
        terminal.until("code 0")


def test_the_line_mode_stops_and_comes_back(tmp_path: Path) -> None:
    with shell(tmp_path) as terminal:
        terminal.until("shell> ")
        terminal.press(shlex.join((*COMMAND, "--plain")), "enter")
        terminal.until("Your turn")
        terminal.press("ha", "\x1a")
        terminal.until("Stopped")
        terminal.press("fg", "enter")
        terminal.until(r"> ha\s*\Z")
        terminal.press("nd", "enter")
        terminal.until("OK: 7 in your hand")
