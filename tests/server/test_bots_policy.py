"""What every level owes: legal actions, and an end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot_deals import (
    MOST_ACTIONS,
    THINKING,
    applied,
    at,
    chance_of,
    dealt,
    play_deal,
    rule_sets,
    ticking,
    turn_of,
)
from kings_engine.phase import Phase
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import Rules
from kings_engine.view import deal_history, legal_actions, observe
from kings_server.bots.policy import APART, EVERY_LEVEL, choose, plan

SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("level", EVERY_LEVEL)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_level_plays_every_preset_to_its_end(level: str, preset: str, players: int) -> None:
    rules = preset_rules(preset, {"players": players, "match": "one_deal"})
    for seed in range(2):
        match = play_deal(dealt(rules, seed), [level] * players, chance_of(seed))
        assert match.phase == Phase.MATCH_OVER


@given(rule_sets(), SEEDS, st.lists(st.sampled_from(EVERY_LEVEL), min_size=4, max_size=4))
@settings(max_examples=100, deadline=None)
def test_every_level_plays_any_rules_to_the_deals_end(
    rules: Rules, seed: int, levels: list[str]
) -> None:
    match = play_deal(dealt(rules, seed), levels, chance_of(seed), MOST_ACTIONS)
    assert len(match.sheet) == 1


@given(rule_sets(), SEEDS, st.integers(0, 60), st.sampled_from(EVERY_LEVEL))
@settings(max_examples=100, deadline=None)
def test_what_a_level_means_to_do_in_its_turn_is_legal(
    rules: Rules, seed: int, actions: int, level: str
) -> None:
    chance = chance_of(seed)
    match = play_deal(dealt(rules, seed), ["medium", "easy"] * 2, chance, actions)
    if match.turn is None:
        return
    seat, begun = match.turn, turn_of(match)
    view, past = observe(match, seat), deal_history(match, seat)
    for action in plan(level, view, past, rules, chance, THINKING, ticking()):
        assert turn_of(match) == begun
        match = applied(match, seat, action)


@pytest.mark.parametrize("level", APART)
def test_a_card_that_must_be_played_is_no_plan_of_its_own(level: str) -> None:
    """A table gives a new plan more time: that there was no choice would show in the tempo."""
    rules = preset_rules("pagat", {"players": 2, "must_play": "any"})
    piles = {"N": "TS", "E": "4D", "S": "JC", "W": "QC"}
    match = at({"hands": ["9H 8S 2C", "8H"], "piles": piles, "turn": 0}, rules)
    view, past = observe(match, 0), deal_history(match, 0)
    assert view.own is not None
    assert len(legal_actions(view.own)) == 1
    planned = plan(level, view, past, rules, chance_of(0), THINKING, ticking())
    assert [str(action) for action in planned] == ["play 9H N", "play 8S N", "end"]


def test_who_is_not_on_turn_cannot_be_asked() -> None:
    match = at({"hands": ["9H", "8H"], "piles": {"N": "AS"}, "turn": 0})
    with pytest.raises(ValueError, match="seat 1 is not on turn"):
        choose("medium", observe(match, 1), (), match.rules, chance_of(0))
    with pytest.raises(ValueError, match="spectator"):
        choose("medium", observe(match, None), (), match.rules, chance_of(0))


def test_an_unknown_level_is_named_by_the_error() -> None:
    match = at({"hands": ["9H", "8H"], "piles": {"N": "AS"}, "turn": 0})
    with pytest.raises(KeyError, match="grandmaster"):
        choose("grandmaster", observe(match, 0), (), match.rules, chance_of(0))
