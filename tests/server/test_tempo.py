"""A bot is quick where everybody sees that it has no choice, and nowhere else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from bot_deals import at, chance_of, dealt, hidden_twin, play_deal, rule_sets
from kings_engine.actions import EndTurn
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_engine.view import legal_actions, observe_own
from kings_server.log import logger
from kings_server.tempo import only_the_end
from kings_server.thinkers import Thinkers
from thinking import pool

ACES = {"N": "AS", "E": "AH", "S": "AD", "W": "AC"}
FULL = {**ACES, "NE": "KS QH JS TH 9S 8H 7S 6H 5S 4H 3S 2H", "SE": "KH QS JH TS 9H 8S 7H 6S"}


def ends(position: dict[str, object], **knobs: object) -> bool:
    rules = preset_rules("pagat", {"players": 2, **knobs})
    match = at({"turn": 0, **position}, rules)
    assert match.deal is not None
    return only_the_end(match.deal)


@pytest.mark.parametrize(
    ("piles", "hands", "knobs", "quick"),
    [
        (FULL, ["QC", "5D"], {}, False),  # a king may be held for an empty corner
        ({**FULL, "NW": "KD", "SW": "KC"}, ["2C", "5D"], {}, False),  # a queen may be held
        ({**ACES, "NE": "KS"}, ["9C", "5D"], {"open_hands": True}, True),
        ({**ACES, "NE": "KS"}, ["QH", "5D"], {"open_hands": True}, False),
    ],
)
def test_a_hidden_hand_is_no_reason_to_be_quick(
    piles: dict[str, str], hands: list[str], knobs: dict[str, object], quick: bool
) -> None:
    assert ends({"hands": hands, "piles": piles}, **knobs) is quick


@given(rule_sets(), st.integers(0, 2**32), st.integers(0, 80))
@settings(max_examples=200, deadline=None)
def test_quickness_follows_from_what_everybody_sees(rules: Rules, seed: int, actions: int) -> None:
    chance = chance_of(seed)
    match = play_deal(dealt(rules, seed), ["medium"] * 4, chance, actions)
    if match.turn is None or match.deal is None:
        return
    quick = only_the_end(match.deal)
    if quick:
        assert legal_actions(observe_own(match, match.turn)) == (EndTurn(),)
    for seat in range(rules.players):
        twin = hidden_twin(match, seat, chance)
        if twin is not None and twin.deal is not None and twin.turn == match.turn:
            assert only_the_end(twin.deal) == quick


async def test_a_quick_move_takes_the_shortest_pause(autojump_clock: MockClock) -> None:  # noqa: ARG001
    thinkers = Thinkers((600, 1500), 1000, pool(), logger())
    rules = preset_rules("pagat", {"players": 2, "open_hands": True})
    for hand, quick in (("9C", True), ("QH", False)):
        piles = {**ACES, "NE": "KS"}
        match = at({"hands": [hand, "5D"], "piles": piles, "turn": 0}, rules)
        pauses = {thinkers.begin("medium", match, 0) for _ in range(8)}
        assert (pauses == {0.6}) is quick
        assert all(0.6 <= pause <= 1.5 for pause in pauses)
