"""Which seeds the simulations run: the first few hundred, one by its number, or many new ones."""

import time
from typing import Final

import pytest

SEEDS: Final = 120
"""Evenings in an ordinary run; each takes about a tenth of a second."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" not in metafunc.fixturenames:
        return
    one = metafunc.config.getoption("--seed")
    soak = metafunc.config.getoption("--soak")
    first = int(time.time()) * 1000 if soak else 0
    seeds = [one] if one is not None else range(first, first + (soak or SEEDS))
    metafunc.parametrize("seed", seeds, ids=[f"seed-{seed}" for seed in seeds])
