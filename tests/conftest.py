"""How much the property tests try: little by default, ``--soak N`` times as much on demand."""

import os
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

os.environ["KINGS_LANG"] = "en"
"""Tests read English, whatever the person who runs them speaks; their programs inherit it."""

os.environ["KINGS_SERVE_ANNOUNCE"] = "false"
os.environ["KINGS_DISCOVERY"] = "off"
"""Tests tell the network of nothing and ask it nothing, but in networks that they made."""

EXAMPLES: Final = 40
"""Examples of each property in an ordinary run, which has to stay short on one core."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--soak",
        type=int,
        default=0,
        metavar="N",
        help=f"try N times {EXAMPLES} examples of each property, and N seeds of each simulation, "
        "chosen anew in every run",
    )
    parser.addoption(
        "--seed", type=int, metavar="SEED", help="run the simulations of this seed alone"
    )


def pytest_configure(config: pytest.Config) -> None:
    factor = config.getoption("--soak")
    settings.register_profile(
        "ci",
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(
        "soak",
        settings.get_profile("ci"),
        max_examples=EXAMPLES * max(1, factor),
        derandomize=False,
        print_blob=True,
    )
    settings.load_profile("soak" if factor else "ci")
