"""What ``hard`` and ``expert`` make of a table that they leave: each weight for what it says."""

import pytest
from attrs import evolve

from kings_engine.cards import DECK_SIZE, parse_card
from kings_engine.presets import preset_rules
from kings_server.bots.outlook import Outlook, Weights
from kings_server.bots.planner import EMPTY, Plan

NOTHING = Weights(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def left(*piles: str) -> Plan:
    """Return a turn after which a deuce is in hand, and of each pile bottom and top are these."""
    found = [EMPTY] * 8
    for at, pile in enumerate(piles):
        bottom, top = map(parse_card, pile.split())
        found[at] = bottom << 6 | top
    return Plan(tuple(found), 1 << parse_card("2C"), True, True, None)


def sure_of(*names: str) -> list[float]:
    """Return what a player is thought to hold: these cards for sure, and no others."""
    held = {parse_card(name) for name in names}
    return [float(card in held) for card in range(DECK_SIZE)]


FULL = ("TS TS", "TC TC", "AS AS", "AC AC")


@pytest.mark.parametrize(
    ("holders", "cost"),
    [
        ([[], [], []], 0.0),
        ([["9H"], [], []], 1.3),
        ([[], ["9H"], []], 0.65),
        ([[], [], ["9H"]], 0.325),
        ([["9H", "8S"], [], []], 2.6),
        ([["9H"], ["9D"], []], 1.95),
    ],
)
def test_what_later_players_could_lay_counts_less_with_each_turn(
    holders: list[list[str]], cost: float
) -> None:
    """A card on two tops alike counts 1.3 times, and a chain by its length."""
    weights = evolve(NOTHING, opening=1.0, others=0.5)
    rules = preset_rules("pagat", {"players": 4})
    outlook = Outlook(rules, 30, [sure_of(*names) for names in holders], weights)
    nobody = Outlook(rules, 30, [sure_of()] * 3, weights)
    assert nobody.value(left(*FULL)) - outlook.value(left(*FULL)) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("piles", "latent"),
    [
        (FULL, 0),
        (("TS TS", "9H 8S", "AS AS", "AC AC"), 1),
        (("TS TS", "9H 8S", "9D 8C", "AC AC"), 2),
        (("TS TS", "9S 9S", "AS AS", "AC AC"), 0),
        (("TS TS", "8H 8H", "AS AS", "AC AC"), 0),
        (("KS TS", "AD AD", "AS AS", "AC AC"), 1),
    ],
    ids=["none", "one", "two", "a wrong colour", "a rank too low", "a king's pile to a corner"],
)
def test_a_pile_that_the_next_player_could_move_costs_its_weight(
    piles: tuple[str, ...], latent: int
) -> None:
    weights = evolve(NOTHING, latent=0.7)
    rules = preset_rules("pagat")
    with_it, without = (Outlook(rules, 30, [sure_of()], of) for of in (weights, NOTHING))
    plan = left(*piles)
    assert without.value(plan) - with_it.value(plan) == pytest.approx(0.7 * latent)
