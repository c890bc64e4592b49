"""The terminal is closed under the game: the program ends quietly, and its server with it."""

import os
import sys
import time
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect", reason="there are no pseudo-terminals")

LIMIT = 30


def test_a_closed_terminal_is_no_error_of_the_program(tmp_path: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "kings_client", "play", "--pace", "0"],
        env={**os.environ, "TERM": "xterm-256color", "KINGS_STATE_DIR": str(tmp_path)},
        dimensions=(24, 80),
        timeout=LIMIT,
    )
    ended = (0, 0)
    try:
        child.expect("turn")
        os.close(child.child_fd)
        end = time.monotonic() + LIMIT
        while ended[0] == 0 and time.monotonic() < end:
            ended = os.waitpid(child.pid, os.WNOHANG)
        assert ended[0] == child.pid, "it did not end"
        assert os.waitstatus_to_exitcode(ended[1]) == 129
        assert not (tmp_path / "errors.log").exists()
    finally:
        if ended[0] == 0:
            os.kill(child.pid, 9)
            os.waitpid(child.pid, 0)
