"""Medium, line by line: kings first, any card that fits, room by piles, the highest in a space."""

from collections.abc import Mapping

import pytest
from attrs import field, frozen

from bot_deals import at, chance_of, play_turn
from kings_engine.presets import preset_rules

QUIET = {"N": "AS", "E": "AH", "S": "AC", "W": "AD"}
CORNERS = {"NE": "TS", "SE": "AH", "SW": "AC", "NW": "AD"}
OTHER_HAND = "2S 2H"


@frozen
class Turn:
    """A position, and the whole turn that medium plays in it."""

    hand: str
    piles: dict[str, str]
    plays: str
    preset: str = "pagat"
    knobs: Mapping[str, str | bool] = field(factory=dict)
    stock: str = "3H 6S 7S"


TURNS = {
    "kings before cards that fit": Turn(
        "KH 9H 3C", {**QUIET, "N": "TS"}, "play KH NE, play 9H N, end"
    ),
    "a king to a corner, and the empty side to another card": Turn(
        "KH 5H 3C", {**QUIET, "N": ""}, "play KH NE, play 5H N, end"
    ),
    "every card that fits, the highest first": Turn(
        "9H 8C 4D 2C", {**QUIET, "N": "TS", "E": "5C"}, "play 9H N, play 8C N, play 4D E, end"
    ),
    "a card that fits is not laid in an empty space": Turn(
        "9H 5C 2C", {**QUIET, "N": "TS", "E": ""}, "play 9H N, play 5C E, end"
    ),
    "the highest card in an empty space, and the lower ones on it": Turn(
        "QH JC 4D 2C", {**QUIET, "N": ""}, "play QH N, play JC N, end"
    ),
    "piles move to make room": Turn(
        "QH 5D 2C", {**QUIET, "N": "TS", "E": "9H"}, "move E N, play QH E, end"
    ),
    "a king's pile moves to a corner to make room": Turn(
        "JH 5D 2C", {**QUIET, "N": "KS"}, "move N NE, play JH N, end"
    ),
    "nothing to play": Turn("QH 5D 2C", QUIET, "end"),
    "no king in an empty side where the rules forbid it": Turn(
        "KD 5D 2C",
        {**QUIET, "N": "", "NE": "KS", "SE": "KH", "SW": "KC"},
        "play KD NW, play 5D N, end",
        preset="strict",
    ),
    "the card of the king's suit on a corner built in suit": Turn(
        "QH QS 2C", {**QUIET, "NE": "KS"}, "play QS NE, end", knobs={"corner_build": "suit"}
    ),
    "the open stock's top where it fits, and then its own card on it": Turn(
        "8C 5D 2C",
        CORNERS,
        "stock NE, play 8C NE, end",
        preset="royal_corners",
        stock="9D 3H 6S",
    ),
    "its own card in a space rather than the open stock's top": Turn(
        "QH 5D 2C",
        {**CORNERS, "SE": "9H"},
        "move SE NE, play QH SE, end",
        preset="royal_corners",
    ),
    "the open stock's top where only a king is left to itself": Turn(
        "KD",
        {**QUIET, "N": "", "NE": "QS", "SE": "QC", "SW": "9S", "NW": "9C"},
        "stock N, end",
        knobs={"open_stock": True, "empty_place": "not_king"},
    ),
}


@pytest.mark.parametrize("turn", [pytest.param(turn, id=name) for name, turn in TURNS.items()])
def test_medium_plays(turn: Turn) -> None:
    where = {"hands": [turn.hand, OTHER_HAND], "piles": turn.piles, "stock": turn.stock, "turn": 0}
    match = at(where, preset_rules(turn.preset, turn.knobs))
    assert ", ".join(play_turn(match, "medium", chance_of(0))[0]) == turn.plays


def test_medium_goes_out_when_it_can() -> None:
    piles = {**QUIET, "N": "TS", "E": "9H"}
    match = at({"hands": ["8C QH 7D", OTHER_HAND], "piles": piles, "stock": "3H", "turn": 0})
    turn, match = play_turn(match, "medium", chance_of(0))
    assert turn == ["play 8C E", "play 7D E", "move E N", "play QH E"]
    assert match.sheet[-1] == (0, 2)
