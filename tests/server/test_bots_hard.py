"""Hard and expert: how seldom hard overlooks a card, and how long both may think."""

from time import thread_time

import pytest

from bot_deals import at, chance_of, chosen
from kings_engine.actions import EndTurn
from kings_engine.cards import DECK_SIZE, card_str
from kings_engine.match import Match
from kings_engine.presets import preset_rules
from kings_engine.view import deal_history, observe
from kings_server.bots.planner import MOST_POSITIONS, Planner
from kings_server.bots.policy import plan

NINES = {"piles": {"N": "TS", "E": "AH", "S": "AC", "W": "AD"}, "stock": "", "turn": 0}

MOST_SECONDS = 0.5
"""A turn never takes longer, in processor time; here it is a tenth of that."""


@pytest.mark.parametrize(
    ("knobs", "hands", "least", "most"),
    [
        pytest.param({}, ["9H 5D 2C", "3S"], 15, 50, id="one card in 32"),
        pytest.param(
            {"corner_build": "suit"}, ["9H 5D 2C", "3S", "4S"], 1, 20, id="in 128, in narrow rules"
        ),
    ],
)
def test_hard_seldom_overlooks_a_card_and_expert_never(
    knobs: dict[str, object], hands: list[str], least: int, most: int
) -> None:
    rules = preset_rules("pagat", {**knobs, "players": len(hands)})
    missed = {"hard": 0, "expert": 0}
    for number in range(1000):
        where = {**NINES, "hands": hands, "turn_number": number * len(hands)}
        for level in missed:
            missed[level] += chosen(at(where, rules), level, chance_of(0)) == EndTurn()
    assert least <= missed["hard"] <= most
    assert missed["expert"] == 0


def hoarding(count: int, seed: int) -> Match:
    """Return a position in which the seat on turn holds so many cards."""
    deck = [card_str(card) for card in range(DECK_SIZE)]
    chance_of(seed).shuffle(deck)
    hand, rival, stock = deck[:count], deck[count:-12], deck[-12:-4]
    where = {
        "hands": [" ".join(hand), " ".join(rival)],
        "piles": dict(zip("NESW", deck[-4:], strict=True)),
        "stock": " ".join(stock),
        "turn": 0,
    }
    return at(where)


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_no_hand_takes_a_level_long(level: str) -> None:
    bounded = 0
    for count in (10, 22, 34):
        for seed in range(4):
            match = hoarding(count, seed)
            view, history = observe(match, 0), deal_history(match, 0)
            assert view.own is not None
            planner = Planner(view.own, view.public, history, match.rules)
            bounded += len(planner.plans(MOST_POSITIONS + 100)) > len(planner.plans())
            began = thread_time()
            assert plan(level, view, history, match.rules, chance_of(0))
            assert thread_time() - began < MOST_SECONDS
    assert bounded > 3, "the bound on positions was hardly reached"
