"""A module that plays: how it is found, and what its mistakes cost."""

import random
from pathlib import Path

import pytest

from kings_client.outside.policy import BadModule, Policy, load_policy
from kings_engine.actions import EndTurn, SeatAction
from kings_engine.match import Match
from kings_engine.presets import PRESETS
from kings_engine.view import legal_actions, observe
from tables import played

POSITIONS = tuple(
    match for match in played(PRESETS["pagat"].rules(), 60, 3) if match.turn is not None
)


def answer(policy: Policy, match: Match, seed: int = 0) -> SeatAction:
    view = observe(match, match.turn)
    assert view.own is not None
    return policy.action(view, view.own, (), random.Random(seed))  # noqa: S311


def module(folder: Path, body: str, name: str = "mine.py") -> str:
    (folder / name).write_text(body)
    return str(folder / name)


def test_a_file_is_loaded_with_what_lies_beside_it(tmp_path: Path) -> None:
    module(tmp_path, "from kings_engine.view import legal_actions as legal\n", "beside_it.py")
    body = (
        "from beside_it import legal\n"
        "from dataclasses import dataclass\n"
        '@dataclass\nclass Memory:\n    seen: "int" = 0\n'
        "def choose(view, history, rng):\n    return rng.choice(legal(view.own))\n"
    )
    policy = load_policy(module(tmp_path, body), pytest.fail)
    for match in POSITIONS:
        view = observe(match, match.turn)
        assert view.own is not None
        expected = random.Random(5).choice(legal_actions(view.own))  # noqa: S311
        assert answer(policy, match, 5) == expected


def test_begin_is_told_the_rules_and_the_seat(tmp_path: Path) -> None:
    body = (
        "heard = []\n"
        "def begin(rules, seat):\n    heard.append((rules.players, seat))\n"
        "def choose(view, history, rng):\n    return heard\n"
    )
    policy = load_policy(module(tmp_path, body), pytest.fail)
    policy.hear_rules(PRESETS["pagat"].rules(), 1)
    view = observe(POSITIONS[0], POSITIONS[0].turn)
    assert policy.choose(view, (), random.Random(0)) == [(2, 1)]  # noqa: S311


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def choose(view, history, rng):\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def choose(view, history, rng):\n    return 'the king'\n", "'the king'"),
        ("def choose(view, history, rng):\n    return None\n", "None"),
        ("def choose():\n    return None\n", "TypeError"),
    ],
)
def test_a_mistake_is_told_and_costs_the_turn(body: str, said: str, tmp_path: Path) -> None:
    told: list[str] = []
    policy = load_policy(module(tmp_path, body), told.append)
    for match in POSITIONS:
        view = observe(match, match.turn)
        assert view.own is not None
        legal = legal_actions(view.own)
        assert answer(policy, match) == (EndTurn() if EndTurn() in legal else legal[0])
    assert said in told[0]
    assert len(told) == 2 * len(POSITIONS)


def test_a_failing_begin_is_told(tmp_path: Path) -> None:
    body = "def begin(rules, seat):\n    raise KeyError(seat)\ndef choose(v, h, r): ...\n"
    told: list[str] = []
    load_policy(module(tmp_path, body), told.append).hear_rules(PRESETS["pagat"].rules(), 1)
    assert "KeyError: 1" in told[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nowhere.py", "no file nowhere.py"),
        ("kings_nowhere", "cannot be imported"),
        ("json", "no function choose(view, history, rng)"),
    ],
)
def test_what_is_no_such_module_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(BadModule, match=said.replace("(", r"\(").replace(")", r"\)")):
        load_policy(text, pytest.fail)


@pytest.mark.parametrize("body", ["import", "1 / 0", "choose = 3"])
def test_a_module_that_fails_is_refused_in_words(body: str, tmp_path: Path) -> None:
    with pytest.raises(BadModule, match=r"cannot be imported|no function choose"):
        load_policy(module(tmp_path, body), pytest.fail)
