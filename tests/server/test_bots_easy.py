"""Easy misses about one playable card in four, for a whole turn, and never the last way on."""

import pytest

from bot_deals import applied, at, chance_of, chosen, dealt, turn_of
from kings_engine.actions import EndTurn, Play
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import make_rules
from kings_engine.view import deal_history, observe
from kings_server.bots.easy import OVERSIGHT
from kings_server.bots.oversight import overlooked

QUIET = {"N": "TS", "E": "AH", "S": "AC", "W": "AD"}
NINES = {"hands": ["9H 5D 2C", "3S"], "piles": QUIET, "stock": "3H 6S", "turn": 0}


def test_easy_misses_about_one_playable_card_in_four() -> None:
    turns = [{**NINES, "turn_number": number} for number in range(0, 2000, 2)]
    missed = sum(chosen(at(turn), "easy", chance_of(0)) == EndTurn() for turn in turns)
    assert 200 <= missed <= 300


def test_a_missed_card_stays_missed_for_the_turn() -> None:
    rules = make_rules({"players": 3, "match": "one_deal"})
    turns = 0
    for seed in range(30):
        match, chance = dealt(rules, seed), chance_of(seed)
        began: tuple[int, int, int] | None = None
        missed = 0
        while match.phase == Phase.PLAY and match.turn is not None:
            view, history = observe(match, match.turn), deal_history(match, match.turn)
            assert view.own is not None
            now = overlooked(view.own, view.public, history, OVERSIGHT)
            if turn_of(match) != began:
                began, missed, turns = turn_of(match), now, turns + 1
            assert now == missed
            action = chosen(match, "easy", chance)
            assert not isinstance(action, Play) or not missed >> action.card & 1
            match = applied(match, match.turn, action)
    assert turns > 300


def test_another_turn_is_another_chance() -> None:
    later = [{**NINES, "turn_number": number} for number in range(0, 40, 2)]
    choices = {str(chosen(at(turn), "easy", chance_of(0))) for turn in later}
    assert choices == {"end", "play 9H N"}


@pytest.mark.parametrize(
    ("knobs", "hand", "only"),
    [({"must_play": "hand"}, "9H 5D 2C", "play 9H N"), ({"forced_kings": True}, "KH 5D", "KH")],
)
def test_what_has_to_be_played_is_played_at_last(
    knobs: dict[str, str | bool], hand: str, only: str
) -> None:
    rules = preset_rules("pagat", knobs)
    for number in range(0, 60, 2):
        where = {**NINES, "hands": [hand, "3S"], "turn_number": number}
        assert only in str(chosen(at(where, rules), "easy", chance_of(number)))


def test_easy_takes_any_of_what_it_notices() -> None:
    where = {**NINES, "hands": ["9H 9D 4S", "3S"], "piles": {**QUIET, "E": "TC", "S": "5H"}}
    found = {
        str(chosen(at({**where, "turn_number": number}), "easy", chance_of(number)))
        for number in range(0, 200, 2)
    }
    expected = {"play 9H N", "play 9H E", "play 9D N", "play 9D E", "play 4S S"}
    assert expected <= found <= expected | {"end"}
