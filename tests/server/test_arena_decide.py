"""The sequential test: seldom wrong wherever it stops, and it stops when there is something."""

import random

import pytest

from kings_server.arena_decide import Decision, lasting_interval

ERROR = 0.1
RUNS = 300
LENGTH = 300


def deals(win_rate: float, seed: int) -> list[float]:
    """Return win rates of two games on the same cards, as of a level that wins so often."""
    chance = random.Random(seed)  # noqa: S311  chance that can be repeated
    return [
        ((chance.random() < win_rate) + (chance.random() < win_rate)) / 2 for _ in range(LENGTH)
    ]


def found(win_rate: float, seed: int) -> tuple[str | None, int]:
    """Return what the test says of such a level beside parity, and after how many deals."""
    decision = Decision(0.5, ERROR)
    for number, value in enumerate(deals(win_rate, seed), 1):
        if decision.see(value):
            return decision.found, number
    return None, LENGTH


def test_it_seldom_finds_a_difference_where_there_is_none() -> None:
    wrong = sum(found(0.5, seed)[0] is not None for seed in range(RUNS))
    assert 0 < wrong <= ERROR * RUNS


@pytest.mark.parametrize(("win_rate", "expected"), [(0.6, "above"), (0.4, "below")])
def test_it_finds_which_side_a_difference_is_on(win_rate: float, expected: str) -> None:
    answers = [found(win_rate, seed)[0] for seed in range(RUNS)]
    assert answers.count(expected) > 0.9 * RUNS
    assert answers.count(None) + answers.count(expected) >= (1 - ERROR / 2) * RUNS


def test_a_greater_difference_is_found_sooner() -> None:
    mean = [sum(found(rate, seed)[1] for seed in range(50)) / 50 for rate in (0.6, 0.7, 0.9)]
    assert mean[0] > 1.5 * mean[1] > 3 * mean[2]


def test_what_was_decided_stays() -> None:
    decision = Decision(0.5, ERROR)
    while not decision.see(1.0):
        pass
    assert all(decision.see(0.0) for _ in range(100))
    assert decision.found == "above"


def test_the_lasting_interval_agrees_with_the_decision() -> None:
    for seed in range(40):
        answer, number = found(0.6, seed)
        low, high = lasting_interval(deals(0.6, seed)[:number], ERROR)
        assert (low >= 0.5) == (answer == "above")
        assert (high <= 0.5) == (answer == "below")
        assert low < sum(deals(0.6, seed)[:number]) / number < high


def test_the_lasting_interval_holds_at_every_stop() -> None:
    missed = 0
    for seed in range(40):
        values = deals(0.5, seed)
        intervals = [lasting_interval(values[:stop], ERROR) for stop in range(20, LENGTH, 100)]
        missed += not all(low <= 0.5 <= high for low, high in intervals)
    assert missed <= ERROR * 40


@pytest.mark.parametrize("values", [[0.0] * 5, [1.0] * 5, []])
def test_few_deals_say_little(values: list[float]) -> None:
    low, high = lasting_interval(values, 0.05)
    assert low < 0.5 < high
