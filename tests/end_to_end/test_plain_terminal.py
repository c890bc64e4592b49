"""The line mode at a real terminal: with a line editor, and on one that can only print."""

import os
import re
import signal
import socket
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

BOTS = ("play", "--plain", "--bots", "easy", "--pace", "0", "--name", "Ann")
ANSWER = r"(OK|No): ([^\r\n]*)\r\n"
EDITOR = re.escape("\x1b[?2004h")
"""The editor waits for a line: it asks for pasted text to be marked."""

LIMIT = 30
"""Seconds until waiting for anything fails."""

ECHO = 3
"""Where ``termios`` keeps the flags of the line discipline."""


@contextmanager
def terminal(
    *arguments: str, state: Path, kind: str = "xterm-256color"
) -> Iterator["pexpect.spawn[Any]"]:
    environment = {
        **os.environ,
        "TERM": kind,
        "LANG": "C.UTF-8",
        "KINGS_STATE_DIR": str(state),
    }
    child = pexpect.spawn(
        sys.executable,
        ["-m", "kings_client", *arguments],
        env=environment,
        dimensions=(24, 200),
        timeout=LIMIT,
    )
    child.delaybeforesend = None
    try:
        yield child
    finally:
        if child.isalive():
            child.kill(signal.SIGTERM)
            with suppress(pexpect.TIMEOUT):
                child.expect(pexpect.EOF, timeout=5)
        child.close(force=True)


def seen(child: "pexpect.spawn[Any]", pattern: str) -> str:
    """Wait for the pattern, and return what was written up to its end."""
    child.expect(pattern)
    before, after = child.before, child.after
    assert isinstance(before, bytes)
    assert isinstance(after, bytes)
    return (before + after).decode()


def answer(child: "pexpect.spawn[Any]", command: str) -> tuple[str, str]:
    """Give a command to a terminal without an editor; return its answer, and all until then."""
    child.send(f"{command}\n")
    written = seen(child, ANSWER)
    return re.findall(ANSWER, written)[-1][1], written


def ended(child: "pexpect.spawn[Any]") -> int:
    """Wait for the end, and return the exit code, or minus the signal."""
    child.expect(pexpect.EOF)
    child.wait()
    return -int(child.signalstatus) if child.signalstatus else int(child.exitstatus or 0)


def is_cooked(child: "pexpect.spawn[Any]") -> bool:
    """Say whether the terminal echoes and edits by itself, as a shell expects it."""
    flags = termios.tcgetattr(child.child_fd)[ECHO]
    return bool(flags & termios.ECHO and flags & termios.ICANON)


def test_a_match_on_a_terminal_that_can_only_print(tmp_path: Path) -> None:
    arguments = [one for one in BOTS if one != "--plain"]
    with terminal(*arguments, "--match", "one_deal", state=tmp_path, kind="dumb") as child:
        written = seen(child, "Your turn[^\r\n]*\r\n")
        due = ""
        while "rematch" not in due:
            due, told = answer(child, "wait")
            written += told
            if "your turn" in due:
                possible, told = answer(child, "can")
                written += told
                written += answer(child, possible.split("; ")[0])[1]
        assert "The match is over: " in written
        assert "\x1b" not in written
        assert is_cooked(child)
        child.send("quit\n")
        assert ended(child) == 0


def test_tab_completes_commands_cards_and_places(tmp_path: Path) -> None:
    with terminal(*BOTS, state=tmp_path) as child:
        seen(child, "Your turn")
        child.send("ha\t\r")
        hand = seen(child, r"OK: 7 in your hand: [^\r\n]*\.")
        assert "hand" in hand
        child.send("help mo\t\r")
        seen(child, "OK: move FROM TO: move a pile")
        child.send("play \t\t")
        seen(child, "[m ][a2-9tjqk][shcd]\\b")


def test_what_is_printed_meanwhile_does_not_tear_the_line_being_typed(tmp_path: Path) -> None:
    # Hands so large that no bot goes out in its first turn, which would be another story.
    pace = ("--pace", "0.3", "--players", "4", "--bots", "easy,easy,easy", "--hand-size", "10")
    with terminal(*BOTS, *pace, state=tmp_path) as child:
        seen(child, "Your turn")
        child.send("end\r")
        seen(child, "OK: your turn has ended")
        child.send("hel")
        written = seen(child, r"easy[^\r\n]* draws 1 card\.\r")
        written += seen(child, "Your turn.*> hel")
        picture = pyte.Screen(200, 60)
        pyte.Stream(picture).feed(written)
        rows = [row.rstrip() for row in picture.display]
        assert [row for row in rows if "hel" in row] == ["> hel"]
        told = [row for row in rows if row.startswith("easy")]
        assert len(told) >= 3
        assert all(row.endswith(".") for row in told)
        child.send("p end\r")
        seen(child, "OK: end: end your turn")


def test_lines_typed_before_come_back(tmp_path: Path) -> None:
    with terminal(*BOTS, state=tmp_path) as child:
        seen(child, "Your turn")
        child.send("scores\r")
        seen(child, "OK: in all: ")
        seen(child, EDITOR)
        child.send("\x1b[A\r")
        seen(child, "OK: in all: ")


def interrupt(child: "pexpect.spawn[Any]") -> None:
    child.send("\x03")


def end_input(child: "pexpect.spawn[Any]") -> None:
    child.send("\x04")


def terminate(child: "pexpect.spawn[Any]") -> None:
    child.kill(signal.SIGTERM)


def quit_by_word(child: "pexpect.spawn[Any]") -> None:
    child.send("quit\r")


@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
@pytest.mark.parametrize(
    ("end", "code"), [(interrupt, 130), (end_input, 0), (terminate, 143), (quit_by_word, 0)]
)
def test_every_end_gives_the_terminal_back(
    end: Callable[["pexpect.spawn[Any]"], None], code: int, kind: str, tmp_path: Path
) -> None:
    with terminal(*BOTS, state=tmp_path, kind=kind) as child:
        seen(child, "Your turn" if kind == "dumb" else "Your turn.*" + EDITOR)
        end(child)
        assert ended(child) == code
        assert is_cooked(child)


def test_an_interrupt_while_connecting_ends_the_program(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LIMIT)
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with terminal("join", address, "--plain", state=tmp_path) as child:
            silent, _ = listener.accept()
            with silent:
                interrupt(child)
                assert ended(child) == 130
                assert is_cooked(child)


def test_nothing_is_coloured(tmp_path: Path) -> None:
    with terminal(*BOTS, state=tmp_path) as child:
        written = seen(child, "Your turn")
        child.send("table\r")
        written += seen(child, "OK: the stock has")
        colours = re.findall("\x1b\\[([0-9;]*)m", written)
        assert set(colours) <= {"", "0"}
