"""Hard and expert in positions that have one right answer, each explained by its name."""

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import field, frozen

from bot_deals import applied, at, chance_of, play_turn
from casebook import cards
from kings_engine.actions import parse_action
from kings_engine.cards import DECK_SIZE, card_str, parse_card
from kings_engine.match import Match
from kings_engine.presets import preset_rules
from kings_engine.view import deal_history, observe
from kings_server.bots.beliefs import by_play, evenly

QUIET = {"N": "AS", "E": "AH", "S": "AC", "W": "AD"}


@frozen
class Turn:
    """A position, and the whole turn that is right in it."""

    hand: str
    piles: dict[str, str]
    plays: str
    others: tuple[int, ...] = (7,)
    knobs: Mapping[str, str | bool] = field(factory=dict)


TURNS = {
    "going out now, by the only order that does it": Turn(
        "QD JC 9D", {**QUIET, "N": "TS", "E": "KS"}, "play 9D N, play QD E, play JC E"
    ),
    "going out although it opens places": Turn("QD", {**QUIET, "E": "KS"}, "play QD E"),
    "a king is never kept": Turn("KH 5D 3D", QUIET, "play KH NE, end"),
    "nor are two": Turn("KH KS 5D", QUIET, "play KH NE, play KS SE, end"),
    "nor before three others": Turn("KH 5D 3D", QUIET, "play KH NE, end", others=(7, 7, 7)),
    "a space is not left to the next player": Turn("9H 5D", {**QUIET, "N": ""}, "play 5D N, end"),
    "an ace closes a pile": Turn("AD 9C", {**QUIET, "E": "2S", "W": "JH"}, "play AD E, end"),
    "nothing to play": Turn("QH 5D 9C", QUIET, "end"),
    "what must be played is played": Turn(
        "9H 5C", {**QUIET, "N": "TS"}, "play 9H N, end", knobs={"must_play": "hand"}
    ),
    "a king that is forced is played": Turn(
        "KH 5C", QUIET, "play KH NE, end", knobs={"forced_kings": True}
    ),
    "a card is not drawn for the sake of a low one": Turn(
        "5C 9D JD",
        {**QUIET, "N": "6D"},
        "end",
        knobs={"draw": "after_hand_card", "idle_round": "always"},
    ),
}


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


@pytest.mark.parametrize("level", ["hard", "expert"])
@pytest.mark.parametrize("turn", [pytest.param(turn, id=name) for name, turn in TURNS.items()])
def test_the_right_turn_is_found(turn: Turn, level: str) -> None:
    rules = preset_rules("pagat", {"players": 1 + len(turn.others), **turn.knobs})
    match = at(whole_deck(turn.hand, turn.piles, turn.others), rules)
    played, _ = play_turn(match, level, chance_of(0))
    right = turn.plays.split(", ")
    assert sorted(played) == sorted(right)
    assert played[-1:] == ["end"] or "end" not in right


@pytest.mark.parametrize("level", ["medium", "hard", "expert"])
def test_a_space_that_a_move_makes_is_the_way_out(level: str) -> None:
    match = at(whole_deck("8C QH", {**QUIET, "N": "TS", "E": "9H"}, (7,)))
    _, after = play_turn(match, level, chance_of(0))
    assert after.sheet[-1][0] == 0


def test_heads_up_a_card_that_opens_a_place_is_kept_back() -> None:
    match = at(whole_deck("9H 5D 4H", {**QUIET, "N": "TS"}, (7,)))
    assert play_turn(match, "expert", chance_of(0))[0] == ["end"]


def test_a_card_that_opens_nothing_is_not_kept_back() -> None:
    piles = {**QUIET, "N": "TS", "E": "9D 8S", "S": "8C"}
    match = at(whole_deck("9H 5D 4H", piles, (7,)))
    assert play_turn(match, "expert", chance_of(0))[0][0] == "play 9H N"


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
