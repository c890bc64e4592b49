"""What hard and expert think that another player holds."""

from typing import Any

import pytest
from attrs import evolve

from bot_deals import applied, at
from casebook import cards
from kings_engine.actions import parse_action
from kings_engine.cards import DECK_SIZE, card_str, parse_card
from kings_engine.match import Match
from kings_engine.view import deal_history, observe
from kings_server.bots.beliefs import by_play, evenly

QUIET = {"N": "AS", "E": "AH", "S": "AC", "W": "AD"}


def whole_deck(hand: str, piles: dict[str, str], others: tuple[int, ...], turn: int = 0) -> Any:
    """Return the position with all other cards dealt out in some order: nobody sees which."""
    shown = {*cards(hand), *(card for pile in piles.values() for card in cards(pile))}
    hidden = [card_str(card * 7 % DECK_SIZE) for card in range(DECK_SIZE)]
    hidden = [name for name in hidden if parse_card(name) not in shown]
    hands = [hand]
    for count in others:
        hands.append(" ".join(hidden[:count]))
        del hidden[:count]
    stock = " ".join(hidden)
    return {"hands": hands, "piles": piles, "stock": stock, "turn": turn, "turn_number": 4 + turn}


def chances(match: Match) -> tuple[list[float], list[float]]:
    """Return what seat 0 thinks of seat 1, by the counts alone and by what it did not play."""
    view, history = observe(match, 0), deal_history(match, 0)
    assert view.own is not None
    return (
        evenly(view.own, view.public, 1),
        by_play(view.own, view.public, history, match.rules, 1),
    )


def test_a_card_that_fitted_and_was_not_played_is_probably_not_held() -> None:
    match = at(whole_deck("5D 4H 3D", {**QUIET, "E": "9D"}, (7,), turn=1))
    even, before = chances(match)
    assert before == pytest.approx(even)
    _, after = chances(applied(match, 1, parse_action("end")))
    for name in ("8S", "8C"):
        assert after[parse_card(name)] < 0.5 * before[parse_card(name)]
    assert after[parse_card("8H")] >= before[parse_card("8H")]
    assert sum(after) == pytest.approx(8)


def test_what_was_drawn_since_can_be_anything() -> None:
    match = at(whole_deck("5D 4H 3D", {**QUIET, "E": "9D"}, (1,), turn=1))
    passed = applied(match, 1, parse_action("end"))
    even, by_the_draw = chances(passed)
    eight = parse_card("8S")
    assert even[eight] / 2 < by_the_draw[eight] < even[eight]


def test_one_own_hand_and_the_table_are_not_held_by_others() -> None:
    match = at(whole_deck("5D 4H 3D", {**QUIET, "E": "9D"}, (7,), turn=1))
    for thought in chances(match):
        assert not any(thought[card] for card in cards("5D 4H 3D 9D AS AC AD"))


def test_a_card_that_was_seen_is_certain_and_counts_among_its_holders() -> None:
    match = at(whole_deck("5D 4H 3D", {**QUIET, "E": "9D"}, (7,), turn=1))
    view, history = observe(match, 0), deal_history(match, 0)
    assert view.own is not None
    seen = parse_card("KD")
    seats = (view.public.seats[0], evolve(view.public.seats[1], known=(seen,)))
    public = evolve(view.public, seats=seats)
    for thought in (
        evenly(view.own, public, 1),
        by_play(view.own, public, history, match.rules, 1),
    ):
        assert thought[seen] == 1.0
        assert sum(thought) == pytest.approx(7)
