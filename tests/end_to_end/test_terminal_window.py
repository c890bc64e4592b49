"""The terminal itself: sizes, signals, a lost server, and that it is always given back."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from terminal import Terminal, kings

GAME = ("play", "--bots", "easy", "--pace", "0", "--name", "Ann")


@contextmanager
def server(data: Path, port: int = 0) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Run a server on the loopback; give the process and its port."""
    where = ["--data", str(data), "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        [sys.executable, "-m", "kings_server", "serve", *where],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)", process.stdout.readline())
            assert found is not None
            yield process, int(found.group(1))
        finally:
            process.kill()


def third_is_chosen(text: str) -> bool:
    """Say whether the cursor is on the third card of the hand."""
    heads = [head for head in text.split("\n")[19] if head in "╭┏"]
    return heads == ["╭", "╭", "┏", "╭", "╭", "╭", "╭"]


def test_the_table_follows_the_window_and_keeps_the_cursor(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.press("home", "right", "right")
        terminal.until(third_is_chosen)
        for columns, rows, seen in (
            (120, 36, "│▒▒▒▒▒│"),
            (60, 20, "5 stock"),
            (39, 20, "1 more column"),
            (80, 24, "│▒▒▒│"),
        ):
            terminal.resize(columns, rows)
            terminal.until(re.escape(seen))
        terminal.until(third_is_chosen)


def test_a_storm_of_resizes_leaves_a_whole_picture(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        before = terminal.until("Your turn:")
        for size in range(30):
            terminal.resize(40 + size * 5, 12 + size * 2)
        terminal.resize(80, 24)
        after = terminal.until(lambda now: now == before)
        assert after == before


@pytest.mark.parametrize("keys", [("q", "enter"), ("c-c", "c-c"), ("/", "c-c", "enter")])
def test_quitting_gives_the_terminal_back(tmp_path: Path, keys: tuple[str, ...]) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.press(*keys)
        assert terminal.ended() == 0
        assert terminal.restored


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals_give_the_terminal_back(tmp_path: Path, name: str, code: int) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.child.kill(getattr(signal, name))
        assert terminal.ended() == code
        assert terminal.restored


def test_escape_puts_back_at_once(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.press("?")
        terminal.until("number pad")
        terminal.press("escape")
        terminal.until(lambda now: "number pad" not in now)


def test_a_lost_server_is_told_and_found_again(tmp_path: Path) -> None:
    data = tmp_path / "server"
    with (
        server(data) as (process, port),
        kings("join", f"127.0.0.1:{port}", state=tmp_path / "ann") as at,
    ):
        at.until("No table yet")
        process.kill()
        process.wait()
        at.until(r"reconnecting in \d+ s")
        assert "No connection" in at.text
        with server(data, port):
            at.press("r")
            at.until("● online")
            at.press("n")
            at.until("make a table")
            at.press("escape", "q", "enter")
            assert at.ended() == 0


def test_a_table_is_made_joined_talked_at_and_played(tmp_path: Path) -> None:
    with (
        server(tmp_path / "server") as (_, port),
        kings("join", f"127.0.0.1:{port}", "--name", "Ann", state=tmp_path / "ann") as ann,
        kings("join", f"127.0.0.1:{port}", "--name", "Zoë 王", state=tmp_path / "zoe") as zoe,
    ):
        ann.until("No table yet")
        ann.press("n")
        ann.until("make a table")
        ann.press("down", "left", "left", "enter")
        ann.until("open seat")
        zoe.until("Ann's table")
        zoe.press("enter")
        zoe.until("2 +You")
        zoe.press("/", *"hello", "enter")
        ann.until("Zoë 王: hello")
        ann.press("enter")
        zoe.until("1 +Ann.*ready")
        zoe.press("enter")
        both: list[Terminal] = [ann, zoe]
        for at in both:
            at.until("deal 1")
        ann.until("Your turn:")
        zoe.until("Ann is playing")
        ann.press("d")
        zoe.until("Your turn:")
        ann.until("Zoë 王 is playing")


def test_no_server_at_the_address_is_said_in_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with kings("join", f"127.0.0.1:{port}", state=tmp_path) as terminal:
        terminal.until("no server answers at that address")
        terminal.press("escape")
        terminal.until("Host a table")
        terminal.press("q")
        assert terminal.ended() == 0
