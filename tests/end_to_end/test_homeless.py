"""Accounts without a home, or with one that cannot be used, and clocks that were set wrong."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KINGS = (sys.executable, "-m", "kings_client")
NOBODY = ("unshare", "--user", "--map-user=45678", "--map-group=45678")
LIMIT = 60
WHAT_HELPS = "set KINGS_STATE_DIR to a folder of your own, or type kings play --keep-nothing"
PLAY = ("play", "--plain", "--bots", "easy", "--pace", "0")


@pytest.fixture(scope="module", autouse=True)
def nobody() -> None:
    """Skip the tests where an account without an entry cannot be had."""
    made = (
        shutil.which("unshare") and subprocess.run((*NOBODY, "true"), check=False).returncode == 0
    )
    if not made:
        pytest.skip("this system makes no such accounts")


def run(*arguments: str, feed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command for an account that the system does not know, and without a home."""
    return subprocess.run(
        (*NOBODY, *KINGS, *arguments),
        env={
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "KINGS_DISCOVERY": "off",
            **environment,
        },
        input=feed,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("rules",), 0, ""),
        (("rules", "strict"), 0, ""),
        (("completion", "bash"), 0, ""),
        (("--help",), 0, ""),
        (("verify", "none.json"), 4, "none.json"),
        (PLAY, 1, WHAT_HELPS),
        (("host", "--plain"), 1, WHAT_HELPS),
        (("join", "127.0.0.1:1", "--plain"), 1, WHAT_HELPS),
        (("history",), 1, WHAT_HELPS),
        (("bot", "--module", "json"), 2, "json"),
        (("serve",), 2, "name a folder with --data"),
        (("serve", "--check"), 2, "name a folder with --data"),
        (("admin", "list"), 2, "name a folder with --data"),
        (("doctor",), None, ""),
        (("arena", "--seats", "easy,easy", "--deals", "2"), 0, ""),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else None,
)
def test_no_command_ends_with_an_error_of_the_program(
    arguments: tuple[str, ...], code: int | None, says: str
) -> None:
    ended = run(*arguments)
    assert "Traceback" not in ended.stdout + ended.stderr
    assert "RuntimeError" not in ended.stderr
    assert says in ended.stderr
    assert code in (None, ended.returncode), ended.stderr


def test_a_match_can_be_played_without_keeping_anything(tmp_path: Path) -> None:
    ended = run(*PLAY, "--keep-nothing", feed="wait\nend\nquit\n", TMPDIR=str(tmp_path))
    answers = [line for line in ended.stdout.splitlines() if line.startswith(("OK: ", "No: "))]
    assert answers[0] == "OK: it is your turn."
    assert answers[-1] == "OK: goodbye."
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_to_is_told_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run(*PLAY, HOME=str(tmp_path / "file"))
    assert ended.returncode == 1
    assert ended.stderr.startswith("kings: cannot use the folder ")
    assert WHAT_HELPS in ended.stderr


def test_a_zone_of_more_than_a_day_keeps_nobody_from_playing(tmp_path: Path) -> None:
    state = str(tmp_path)
    ended = run(*PLAY, feed="wait\nquit\n", TZ="XYZ-30", KINGS_STATE_DIR=state)
    assert "OK: it is your turn." in ended.stdout
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Traceback" not in run("history", TZ="XYZ-30", KINGS_STATE_DIR=state).stderr


def test_a_server_that_cannot_keep_anything_says_which_option_helps(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run("serve", "--port", "0", HOME=str(tmp_path / "file"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "name another folder with --data, or keep nothing with --no-data" in ended.stderr
