"""What is played where there was no time: expert's turn as a rule, found at once, always legal."""

from time import thread_time

from hypothesis import given, settings
from hypothesis import strategies as st

from answers import answers
from bot_deals import applied, at, chance_of, dealt, play_deal, rule_sets
from kings_engine.actions import EndTurn
from kings_engine.match import Match
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_server.bots.question import answer, ask
from kings_server.instead import instead

HOARD = {
    "hands": ["2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD", "AC"],
    "piles": {"N": "9H", "E": "7S", "S": "QH", "W": "", "NE": "KS"},
    "turn": 0,
}


def turn_of(match: Match, level: str | None = None) -> list[str]:
    """Return the turn of the seat that plays now, as planned at first."""
    assert match.turn is not None
    question = ask(level or "master", match, match.turn, 1)
    found = instead(question) if level is None else answer(question)
    return [str(action) for action in found]


@given(rule_sets(), st.integers(0, 2**32), st.integers(0, 80))
@settings(max_examples=150, deadline=None)
def test_it_is_legal_under_any_rules(rules: Rules, seed: int, actions: int) -> None:
    match = play_deal(dealt(rules, seed), ["medium"] * 4, chance_of(seed), actions)
    if match.turn is None or match.deal is None:
        return
    found = instead(ask("expert", match, match.turn, seed))
    assert found
    seat = match.turn
    for action in found:
        match = applied(match, seat, action)


def test_it_is_what_expert_does_in_most_positions() -> None:
    seen = [one.match() for one in answers()]
    same = [turn_of(match) == turn_of(match, "expert") for match in seen]
    assert sum(same) > 0.9 * len(seen)


def test_a_card_that_must_be_played_is_no_plan_of_its_own() -> None:
    """A table gives a new plan more time: that there was no choice would show in the tempo."""
    rules = preset_rules("pagat", {"players": 2, "must_play": "any"})
    piles = {"N": "TS", "E": "4D", "S": "JC", "W": "QC"}
    match = at({"hands": ["9H 8S 2C", "8H"], "piles": piles, "turn": 0}, rules)
    assert turn_of(match) == ["play 9H N", "play 8S N", "end"]


def test_a_hoarded_hand_takes_no_longer_than_nobody_notices() -> None:
    match = at(HOARD)
    assert len(turn_of(match, "expert")) > 2
    took = []
    for _ in range(3):
        began = thread_time()
        assert turn_of(match)[-1] == str(EndTurn())
        took.append(thread_time() - began)
    assert min(took) < 0.02
