"""A process that is killed at any moment loses nothing that it acknowledged."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kings_server.journal_file import opened

CHILD = Path(__file__).parents[1] / "journal_child.py"
KILLS = 8


def test_what_was_acknowledged_survives_kill_9(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    soak = request.config.getoption("--soak")
    seed = int.from_bytes(os.urandom(4)) if soak else 1
    print(f"seed {seed}")
    dice = random.Random(seed)  # noqa: S311  moments of a test
    acknowledged: set[int] = set()
    for _ in range(KILLS * max(1, soak)):
        first = max(acknowledged, default=-1) + 1000
        acknowledged |= killed(tmp_path, first, dice)
        with opened(tmp_path) as journal:
            assert journal.set_aside is None
            kept = {int(table.table) for table in journal.file.load()}
        assert acknowledged <= kept


def killed(directory: Path, first: int, dice: random.Random) -> set[int]:
    """Run a writer, kill it at some moment after its first entry, return what it acknowledged."""
    writer = subprocess.Popen(
        [sys.executable, CHILD, str(directory), str(first)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert writer.stdout is not None
    try:
        heard = writer.stdout.readline()
        assert heard.strip().isdigit()
        time.sleep(dice.uniform(0, 0.15))
    finally:
        writer.kill()
        # Not by ``communicate``: it passes over what ``readline`` has read ahead.
        rest = writer.stdout.read()
        writer.stdout.close()
        writer.wait(10)
    # The last line may have been cut in the middle.
    *whole, _ = (heard + rest).split(b"\n")
    return {int(line) for line in whole}
