"""Words: every code has a sentence of its own, and sentences say what the facts say."""

from itertools import product
from typing import Any

import pytest

from kings_client.model import Reason
from kings_client.words import counts
from kings_client.words.notices import SENTENCES as NOTICES
from kings_client.words.notices import notice
from kings_client.words.people import clock, name_of, names_of
from kings_client.words.reasons import REASONS, UNSEATED, reason, unseated
from kings_client.words.refusals import SENTENCES, refusal
from kings_client.words.rules import summary
from kings_client.words.turns import end_label
from kings_engine.actions import EndTurn, Move, Play
from kings_engine.cards import parse_card
from kings_engine.errors import Code
from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS, make_rules
from kings_engine.view import observe_public
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode, UnseatedCode
from kings_protocol.messages import Notice, Refused, SeatState
from tables import acted, model_of, position, table_of

RE = "0" * 32


def refused(code: str, **facts: Any) -> Refused:
    return Refused(re=RE, code=code, **facts)


def said(code: str, **facts: Any) -> str:
    return refusal(refused(code, **facts))


FACTS = {
    "card": parse_card("9H"),
    "source": 2,
    "place": 4,
    "top": parse_card("TH"),
    "seconds": 3,
    "limit": 5,
}


def test_every_refusal_has_a_sentence_of_its_own() -> None:
    codes = [*Code, *RefusalCode]
    assert set(SENTENCES) == set(codes)
    for facts in ({}, FACTS):
        sentences = [said(code, **facts) for code in codes]
        assert len(set(sentences)) == len(sentences)
        assert all(len(sentence) > 10 and "_" not in sentence for sentence in sentences)


def test_every_notice_close_and_unseating_has_a_sentence_of_its_own() -> None:
    assert set(NOTICES) == set(NoticeCode)
    # Who enters means the server's password, who sits down the table's.
    of_the_server = {RefusalCode.WRONG_PASSWORD, RefusalCode.NOT_ENCRYPTED}
    assert set(REASONS) == set(CloseCode) | set(Reason) | of_the_server
    assert set(UNSEATED) == set(UnseatedCode)
    for sentences in (NOTICES, REASONS, UNSEATED):
        assert len(set(sentences.values())) == len(sentences)


@pytest.mark.parametrize(
    ("code", "facts", "sentence"),
    [
        (
            Code.WRONG_COLOUR,
            {"card": "9H", "top": "TH"},
            "a red 9 goes on a black 10, not on the red 10 of hearts",
        ),
        (
            Code.WRONG_RANK,
            {"card": "8S", "top": "JD"},
            "a black 8 goes on a red 9, not on the jack of diamonds",
        ),
        (
            Code.WRONG_RANK,
            {"card": "AS", "top": "JD"},
            "a black ace goes on a red 2, not on the jack of diamonds",
        ),
        (
            Code.WRONG_RANK,
            {"card": "KS", "top": "JD"},
            "a king goes on no card, not on the jack of diamonds",
        ),
        (Code.ON_ACE, {"top": "AC"}, "nothing goes on the ace of clubs: an ace closes its pile"),
        (
            Code.MUST_PLAY,
            {"card": "4S"},
            "you can still play the 4 of spades, so your turn cannot end yet",
        ),
    ],
)
def test_a_refusal_names_the_cards_it_is_about(
    code: str, facts: dict[str, str], sentence: str
) -> None:
    assert said(code, **{name: parse_card(card) for name, card in facts.items()}) == sentence


def test_unknown_codes_are_named_and_break_nothing() -> None:
    table = table_of(position("9H", {}))
    assert "brand new" in said("brand_new")
    assert reason("brand_new") == "brand new"
    assert unseated("brand_new") == "brand new"
    assert notice(Notice(code="brand_new"), table, 0) == "brand new"


def test_a_refusal_on_entering_is_a_reason_too() -> None:
    assert reason(RefusalCode.BAD_SECRET) == said(RefusalCode.BAD_SECRET)


@pytest.mark.parametrize("code", NoticeCode)
def test_a_notice_speaks_to_the_player_it_is_about(code: NoticeCode) -> None:
    table = table_of(position("9H", {}))
    mine = notice(Notice(code=code, seat=0, number=3000), table, 0)
    theirs = notice(Notice(code=code, seat=1, number=3000), table, 0)
    assert "{" not in mine + theirs
    assert "You is" not in mine
    if "{who" in NOTICES[code]:
        assert "you" in mine.lower()
        assert "Ben" in theirs


def test_equal_names_are_told_apart_by_their_seats() -> None:
    twins = tuple(SeatState(state="bot", name="medium", level="medium") for _ in range(2))
    table = table_of(position("9H", {}), seats=twins)
    assert [name_of(table, seat) for seat in (0, 1)] == ["medium 1", "medium 2"]
    assert names_of(table, (0, 1), 0) == "You and medium 2"


def test_numbers_take_their_nouns_and_time_is_rounded_up() -> None:
    assert [counts.cards(count) for count in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert [clock(left) for left in (61.2, 60, 0.1, 0, -4)] == [
        "1:02",
        "1:00",
        "0:01",
        "0:00",
        "0:00",
    ]


PILES = {"N": "TS", "E": "JC", "S": "4D", "W": "QD"}
NINE_TO_NORTH = (0, Play(parse_card("9H"), 0))
JACK_TO_QUEEN = (0, Move(1, 3))


@pytest.mark.parametrize(
    ("knobs", "steps", "label"),
    [
        ({"draw": "end"}, [], "Draw and end turn"),
        ({"draw": "end", "draw_count": 2}, [], "Draw 2 and end turn"),
        ({"draw": "start"}, [], "Pass"),
        ({"draw": "start"}, [NINE_TO_NORTH], "End turn"),
        ({"draw": "if_idle"}, [], "Draw and end turn"),
        ({"draw": "if_idle"}, [JACK_TO_QUEEN], "End turn"),
        ({"draw": "after_hand_card", "idle_round": "always"}, [], "Pass"),
        ({"draw": "after_hand_card", "idle_round": "always"}, [JACK_TO_QUEEN], "End turn"),
        ({"draw": "after_hand_card", "idle_round": "always"}, [NINE_TO_NORTH], "Draw and end turn"),
    ],
)
def test_the_button_says_what_ending_the_turn_will_do(
    knobs: dict[str, Any], steps: list[tuple[int, Play | Move]], label: str
) -> None:
    match = acted(position("9H KS", PILES, **knobs), *steps)
    model = model_of(match)
    public = observe_public(match)
    assert end_label(match.rules, public, model.events) == label
    drawn = len(match.deal.hands) and public.seats[0].cards if match.deal else 0
    after = observe_public(acted(match, (0, EndTurn()))).seats[0].cards
    assert (after > drawn) == label.startswith("Draw")


def test_without_a_stock_the_button_says_end_turn() -> None:
    match = position("9H KS", PILES, stock="")
    assert end_label(match.rules, observe_public(match), ()) == "End turn"


def test_every_rule_set_is_told_in_short_lines() -> None:
    presets = [preset.rules() for preset in PRESETS.values()]
    changed = [
        make_rules({name: choice})
        for name, knob in KNOBS.items()
        for choice in knob.choices
        if name not in ("layout", "draw", "match", "first_dealer")
    ]
    for rules, line in product([*presets, *changed], range(20)):
        told = summary(rules)
        assert 4 <= len(told) <= 16
        assert line >= len(told) or 0 < len(told[line]) <= 64
