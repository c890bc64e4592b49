"""Every game is one: deals are played out, and no level falls below the one under it by a rule."""

import pytest

from kings_engine.presets import PRESETS, preset_rules
from kings_server.arena_figures import figures
from kings_server.arena_play import Fixture
from kings_server.arena_run import play_all

DEALS = 150


@pytest.mark.parametrize(
    ("preset", "knobs", "players"),
    [
        ("pagat", {"open_stock": True, "draw": "start"}, 3),
        ("pagat", {"draw": "start", "idle_round": "always"}, 3),
        ("pagat", {"corner_build": "suit"}, 3),
        ("pagat", {"corner_build": "suit"}, 4),
        ("pagat", {"layout": "corners"}, 4),
        ("pagat", {"draw": "after_hand_card", "idle_round": "always"}, 4),
        ("royal_corners", {}, 4),
    ],
)
def test_hard_does_not_fall_below_medium(
    preset: str, knobs: dict[str, object], players: int
) -> None:
    """Not by more than chance brings: parity lies within the interval, or below it."""
    rules = preset_rules(preset, {**knobs, "players": players, "match": "one_deal"})
    fixture = Fixture(rules, ("hard", *["medium"] * (players - 1)), 2)
    hard, _ = figures(fixture, play_all(fixture, DEALS, 1)[0]).levels
    assert hard.win_rate_ci is not None
    assert hard.win_rate_ci[1] > 1 / players


@pytest.mark.parametrize("preset", PRESETS)
def test_most_deals_do_not_end_for_want_of_plays(preset: str) -> None:
    rules = preset_rules(preset, {"match": "one_deal"})
    fixture = Fixture(rules, ("medium", "medium"), 2)
    found = figures(fixture, play_all(fixture, DEALS, 1)[0])
    assert found.blocked_rate <= 2 / 3
    assert found.deal_turns > 15


@pytest.mark.parametrize("seats", [("medium", "easy"), ("hard", "medium"), ("expert", "hard")])
def test_a_level_beats_the_one_below_on_four_corners(seats: tuple[str, str]) -> None:
    fixture = Fixture(preset_rules("royal_corners", {"match": "one_deal"}), seats, 2)
    better, worse = figures(fixture, play_all(fixture, 2 * DEALS, 1)[0]).levels
    assert better.win_rate > worse.win_rate
    assert better.penalty < worse.penalty
