"""Finished matches, from a real terminal: listed, looked at again, copied, and verified."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from kings_client.marks import Mark
from kings_client.saved import Result, SavedMatch, write_match
from proofs import finished
from terminal import kings


def keep(state: Path) -> SavedMatch:
    """Put a finished match where the client keeps them."""
    plain = finished()
    match = msgspec.structs.replace(
        plain,
        preset="pagat",
        levels=(None, "medium"),
        played="2026-11-30T20:15",
        result=Result(winners=(0,), losers=(), points=(2, 13)),
        deals=tuple(msgspec.structs.replace(deal, mark=Mark.FAIR) for deal in plain.deals),
    )
    (state / "matches").mkdir(parents=True)
    (state / "matches" / "m.json").write_bytes(write_match(match))
    return match


def command(state: Path, *arguments: str) -> tuple[int, str]:
    """Run a command that needs no terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "kings_client", *arguments],
        env={"KINGS_STATE_DIR": str(state), "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_match_is_looked_at_again_copied_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, here = tmp_path / "state", tmp_path / "here"
    keep(state)
    here.mkdir()
    monkeypatch.chdir(here)
    with kings(state=state) as terminal:
        terminal.until("Matches played")
        terminal.press("m")
        terminal.until("you won, 2 : 13 +fair, with your share")
        terminal.press("t")
        terminal.until("medium bots +1 +1 +0")
        terminal.press("t")
        terminal.until("newest first")
        terminal.press("enter")
        terminal.until("replay · deal 1, turn 1")
        terminal.press("down")
        terminal.until("replay · deal 1, turn 2")
        terminal.press("a")
        terminal.until("as you saw it")
        terminal.press("w")
        terminal.until("saved; check it with: kings verify kings-m.json")
        terminal.press("escape")
        terminal.until("newest first")
        terminal.press("escape")
        terminal.until("Join a server")
        terminal.press("q")
        assert terminal.ended() == 0
    code, told = command(state, "verify", "kings-m.json")
    assert code == 0
    assert "Deal 1: fair, with your share" in told


def test_the_command_lists_matches_and_results(tmp_path: Path) -> None:
    assert command(tmp_path, "history") == (0, "no match has been played to its end yet\n")
    assert command(tmp_path, "history", "--results") == (0, "there are no results yet\n")
    keep(tmp_path)
    code, told = command(tmp_path, "history")
    assert code == 0
    assert "2026-11-30 20:15" in told
    assert "you, medium: you won, 2 : 13; fair, with your share (m.json)" in told
    code, told = command(tmp_path, "history", "--results")
    assert code == 0
    assert "medium bots" in told
