"""Which seeds the simulations run (a few hundred, one by number, many new ones), and where."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

SEEDS: Final = 120
"""Evenings in an ordinary run; each takes about a tenth of a second."""

MEMORY: Final = Path("/dev/shm")  # noqa: S108  what is made there has a name of its own
"""Where Linux keeps files in memory."""


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """Give a directory in memory, where there is one: how long a disk takes is simulated, too."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(prefix="kings-", dir=MEMORY) as directory:
        yield Path(directory)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" not in metafunc.fixturenames:
        return
    one = metafunc.config.getoption("--seed")
    soak = metafunc.config.getoption("--soak")
    first = int(time.time()) * 1000 if soak else 0
    seeds = [one] if one is not None else range(first, first + (soak or SEEDS))
    metafunc.parametrize("seed", seeds, ids=[f"seed-{seed}" for seed in seeds])
