"""Rule sets: every knob's range, all faults at once, what excludes what, and the presets."""

from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError
from hypothesis import given
from hypothesis import strategies as st

from kings_engine.rules import (
    KNOBS,
    BadRules,
    Draw,
    Fault,
    Rules,
    differences,
    fixed_dealer,
    make_rules,
    rules_as_plain,
)
from strategies import rule_sets, values_of

NUMBERS = {
    "players": (2, 4),
    "hand_size": (5, 10),
    "draw_count": (1, 2),
    "points": (5, 500),
    "deals": (1, 50),
    "turn_seconds": (10, 600),
}
CHOICES = {
    "layout": {"cross", "corners"},
    "draw": {"start", "end", "after_hand_card", "if_idle"},
    "empty_place": {"any", "not_king", "vacated"},
    "dealt_kings": {"stay", "to_corner_refilled", "to_corner_open"},
    "king_pile_to_corner": {"never", "opening", "anytime"},
    "must_play": {"off", "hand", "any"},
    "corner_build": {"alternate", "suit"},
    "going_out": {"ends_deal", "plays_on"},
    "stock_empty": {"play_on", "ends_deal"},
    "idle_counts": {"any", "hand"},
    "idle_round": {"when_stock_empty", "always"},
    "scoring": {"kings_10", "kings_10_faces_2", "face_value"},
    "match": {"one_deal", "points", "deals", "points_or_deals", "elimination"},
    "tie": {"play_on", "shared"},
    "first_dealer": {
        *("last", "seat_1", "seat_2", "seat_3", "seat_4"),
        *("lot", "cut_higher", "cut_lower"),
    },
    "opens": {"left_of_dealer", "dealer"},
}
KINGS_ALONE = (0,) * 12 + (1,)
"""A scoring in which kings cost 1 and nothing else does."""

SWITCHES = {"forced_kings", "open_stock", "name_loser", "open_hands", "hints"}
SCALE = (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 50)
COMPANY: dict[tuple[str, object], dict[str, object]] = {
    ("draw", "after_hand_card"): {"idle_round": "always"},
    ("match", "deals"): {"deals": 3},
    ("match", "points_or_deals"): {"deals": 3},
}
"""What some values need beside them."""


def faults_of(knobs: dict[str, Any]) -> tuple[Fault, ...]:
    with pytest.raises(BadRules) as caught:
        make_rules(knobs)
    return caught.value.faults


def test_every_knob_is_of_one_kind() -> None:
    assert set(KNOBS) == {*NUMBERS, *CHOICES, *SWITCHES}
    assert set(KNOBS) == set(rules_as_plain(Rules()))


@pytest.mark.parametrize("knob", NUMBERS)
def test_a_number_within_its_range_is_taken_and_one_outside_refused(knob: str) -> None:
    low, high = NUMBERS[knob]
    for value in (low, high, (low + high) // 2):
        assert getattr(make_rules({knob: value}), knob) == value
    for value in (low - 1, high + 1, -low, 10**30):
        (fault,) = faults_of({knob: value})
        assert (fault.knob, fault.given) == (knob, str(value)[:60])
        assert f"{low} to {high}" in fault.allowed


@pytest.mark.parametrize("knob", NUMBERS)
@pytest.mark.parametrize("value", [True, 7.0, "7", [7], {}, b"7", ()])
def test_a_number_is_nothing_but_an_integer(knob: str, value: object) -> None:
    assert [fault.knob for fault in faults_of({knob: value})] == [knob]


@pytest.mark.parametrize("knob", KNOBS)
def test_only_two_knobs_can_be_none(knob: str) -> None:
    if knob in ("deals", "turn_seconds"):
        assert getattr(make_rules({knob: None}), knob) is None
        assert "none" in KNOBS[knob].allowed
    else:
        (fault,) = faults_of({knob: None})
        assert fault.given == "none"
        assert "none" not in fault.allowed


@pytest.mark.parametrize("knob", CHOICES)
def test_a_choice_takes_its_words_and_no_others(knob: str) -> None:
    for value in CHOICES[knob]:
        knobs = {"players": 4, knob: value, **COMPANY.get((knob, value), {})}
        rules = make_rules(knobs)
        assert rules_as_plain(rules)[knob] == value
        assert type(getattr(rules, knob)) is type(getattr(Rules(), knob))
    for wrong in ("", "END ", "true", "none", 1, True, False):
        (fault,) = faults_of({knob: wrong})
        assert fault.knob == knob
        assert set(fault.allowed.split(", ")) >= CHOICES[knob]


@pytest.mark.parametrize("knob", sorted(SWITCHES))
def test_a_switch_takes_true_and_false_and_nothing_else(knob: str) -> None:
    for value in (True, False):
        assert getattr(make_rules({knob: value}), knob) is value
    for wrong in (0, 1, "on", "true", ""):
        (fault,) = faults_of({knob: wrong})
        assert fault == Fault(knob, str(wrong), KNOBS[knob])


@pytest.mark.parametrize("as_list", [False, True])
def test_scoring_takes_thirteen_numbers(as_list: bool) -> None:
    rules = make_rules({"scoring": list(SCALE) if as_list else SCALE})
    assert rules.scoring == rules.penalties == rules_as_plain(rules)["scoring"] == SCALE


@pytest.mark.parametrize(
    "wrong",
    [
        (1,) * 12,
        (1,) * 14,
        (0,) * 13,
        (*SCALE[:12], 51),
        (-1, *SCALE[1:]),
        (True, *SCALE[1:]),
        (1.0, *SCALE[1:]),
        ("1", *SCALE[1:]),
        ([1], *SCALE[1:]),
        (),
    ],
)
def test_scoring_refuses_any_other_numbers(wrong: tuple[object, ...]) -> None:
    (fault,) = faults_of({"scoring": wrong})
    assert fault.knob == "scoring"
    assert "13 numbers from 0 to 50, ace to king, not all 0" in fault.allowed


def test_scoring_by_name() -> None:
    assert make_rules({"scoring": "kings_10"}).penalties == (1,) * 12 + (10,)
    assert make_rules({"scoring": "kings_10_faces_2"}).penalties == (1,) * 10 + (2, 2, 10)
    assert make_rules({"scoring": "face_value"}).penalties == tuple(range(1, 14))


def test_all_faults_are_named_at_once() -> None:
    faults = faults_of(
        {
            "players": 5,
            "draw": "sometimes",
            "no_such_knob": 1,
            "layout": "corners",
            "empty_place": "not_king",
            "corner_build": "suit",
            "scoring": [0] * 13,
            "hints": 1,
        }
    )
    named = {fault.knob for fault in faults}
    assert named == {
        *("players", "draw", "no_such_knob", "empty_place", "corner_build", "scoring", "hints")
    }
    assert len(faults) == len(named)


def test_a_fault_says_what_was_given_and_what_is_allowed() -> None:
    (fault,) = faults_of({"draw": "sometimes"})
    assert fault == Fault("draw", "sometimes", KNOBS["draw"])
    assert str(fault) == (
        "draw: sometimes is not possible; allowed: start, end, after_hand_card, if_idle"
    )
    assert str(BadRules((fault, fault))) == f"{fault}; {fault}"


def test_a_knob_that_does_not_exist_is_answered_with_those_that_do() -> None:
    (fault,) = faults_of({"x" * 100: "y" * 100})
    assert fault.knob == "x" * 40
    assert fault.given == "y" * 60
    assert all(knob in fault.allowed for knob in KNOBS)


@pytest.mark.parametrize(
    ("knobs", "named"),
    [
        ({"draw": "after_hand_card"}, {"idle_round"}),
        ({"layout": "corners", "empty_place": "not_king"}, {"empty_place"}),
        ({"layout": "corners", "dealt_kings": "to_corner_open"}, {"dealt_kings"}),
        ({"layout": "corners", "dealt_kings": "to_corner_refilled"}, {"dealt_kings"}),
        ({"layout": "corners", "corner_build": "suit"}, {"corner_build"}),
        ({"match": "deals"}, {"deals"}),
        ({"match": "points_or_deals"}, {"deals"}),
        ({"first_dealer": "seat_3"}, {"first_dealer"}),
        ({"first_dealer": "seat_4", "players": 3}, {"first_dealer"}),
        (
            {"stock_empty": "ends_deal", "players": 4, "hand_size": 10, "draw_count": 2},
            {"hand_size"},
        ),
        ({"scoring": KINGS_ALONE, "points": 500}, {"points"}),
        ({"scoring": KINGS_ALONE}, {"points"}),
        ({"scoring": KINGS_ALONE, "match": "elimination"}, {"points"}),
        (
            {
                "layout": "corners",
                "empty_place": "not_king",
                "dealt_kings": "to_corner_open",
                "corner_build": "suit",
                "draw": "after_hand_card",
                "match": "deals",
                "first_dealer": "seat_4",
            },
            {"empty_place", "dealt_kings", "corner_build", "idle_round", "deals", "first_dealer"},
        ),
    ],
)
def test_values_that_exclude_each_other_are_refused(
    knobs: dict[str, object], named: set[str]
) -> None:
    faults = faults_of(knobs)
    assert {fault.knob for fault in faults} == named
    assert len(faults) == len(named)
    for fault in faults:
        shown = rules_as_plain(Rules()).get(fault.knob) if fault.knob not in knobs else None
        assert fault.given == str(knobs.get(fault.knob, "none" if shown is None else shown))


@pytest.mark.parametrize(
    "knobs",
    [
        {"draw": "after_hand_card", "idle_round": "always"},
        {"layout": "corners", "empty_place": "vacated"},
        {"layout": "corners", "empty_place": "any"},
        {"layout": "corners", "king_pile_to_corner": "never"},
        {"match": "deals", "deals": 1},
        {"match": "points", "deals": None},
        {"first_dealer": "seat_2"},
        {"first_dealer": "seat_3", "players": 3},
        {"first_dealer": "seat_4", "players": 4},
        {"first_dealer": "cut_lower", "players": 2},
        {"stock_empty": "ends_deal", "players": 4, "hand_size": 8, "draw_count": 2},
        {"stock_empty": "ends_deal", "players": 4, "hand_size": 10},
        {"stock_empty": "play_on", "players": 4, "hand_size": 10, "draw_count": 2},
        {"scoring": KINGS_ALONE, "points": 24},
        {"scoring": KINGS_ALONE, "points": 500, "match": "deals", "deals": 3},
        {"scoring": "kings_10", "points": 500},
    ],
)
def test_their_neighbours_are_possible(knobs: dict[str, object]) -> None:
    assert rules_as_plain(make_rules(knobs)).items() >= knobs.items()


@pytest.mark.parametrize(
    ("knobs", "allowed"),
    [
        (
            {"draw": "after_hand_card"},
            "always (with after_hand_card the stock may never run out)",
        ),
        ({"layout": "corners", "empty_place": "not_king"}, "any, vacated (the layout is corners)"),
        ({"layout": "corners", "dealt_kings": "to_corner_open"}, "stay (the layout is corners)"),
        ({"layout": "corners", "corner_build": "suit"}, "alternate (the layout is corners)"),
        ({"match": "deals"}, "1 to 50 (the match is counted in deals)"),
        (
            {"first_dealer": "seat_3"},
            "last, seat_1, seat_2, lot, cut_higher, cut_lower (the table has fewer seats)",
        ),
        (
            {"stock_empty": "ends_deal", "players": 4, "hand_size": 10, "draw_count": 2},
            "5 to 8 (the deal ends with the stock, and each player needs two turns)",
        ),
        (
            {"scoring": KINGS_ALONE},
            "5 to 24 (cards left in hands cost too little for that many points)",
        ),
        ({"no_such_knob": 1}, ", ".join(KNOBS) + " (there is no such rule)"),
    ],
)
def test_a_fault_says_what_would_be_possible(knobs: dict[str, object], allowed: str) -> None:
    assert [fault.allowed for fault in faults_of(knobs)] == [allowed]


@given(st.fixed_dictionaries({}, optional={name: values_of(name) for name in KNOBS}))
def test_no_fault_allows_what_it_refuses_and_what_it_allows_is_possible(
    knobs: dict[str, Any],
) -> None:
    try:
        make_rules(knobs)
    except BadRules as bad:
        for fault in bad.faults:
            refused = knobs.get(fault.knob, rules_as_plain(Rules())[fault.knob])
            assert not fault.possible.allows(refused)
            values = (*fault.possible.choices, *(fault.possible.numbers or ()))
            assert all(KNOBS[fault.knob].allows(value) for value in values)


def test_a_bad_value_is_named_once_though_it_also_leaves_a_combination_open() -> None:
    assert [fault.given for fault in faults_of({"match": "deals", "deals": 51})] == ["51"]


def test_a_rule_set_made_directly_is_validated_as_well() -> None:
    with pytest.raises(BadRules) as caught:
        Rules(players=5, hand_size=4, draw=Draw.AFTER_HAND_CARD)
    faults = caught.value.faults
    assert faults[:2] == (
        Fault("players", "5", KNOBS["players"]),
        Fault("hand_size", "4", KNOBS["hand_size"]),
    )
    assert [fault.knob for fault in faults[2:]] == ["idle_round"]
    assert str(faults[0]) == "players: 5 is not possible; allowed: 2 to 4"


def test_rules_are_frozen_and_compared_by_value() -> None:
    with pytest.raises(FrozenInstanceError):
        Rules().players = 3  # type: ignore[misc]
    assert Rules() == make_rules({})
    assert hash(Rules()) == hash(make_rules({}))


@given(rule_sets())
def test_plain_data_and_rules_convert_into_each_other(rules: Rules) -> None:
    assert make_rules(rules_as_plain(rules)) == rules
    assert make_rules(differences(rules, Rules())) == rules
    assert make_rules({}, rules) == rules
    kinds = {type(value) for value in rules_as_plain(rules).values()}
    assert kinds <= {str, int, bool, tuple, type(None)}
    assert differences(rules, rules) == {}


@given(rule_sets())
def test_the_fixed_dealer_is_a_seat_or_is_still_to_be_found(rules: Rules) -> None:
    seats = {"last": rules.players - 1, "seat_1": 0, "seat_2": 1, "seat_3": 2, "seat_4": 3}
    assert fixed_dealer(rules) == seats.get(rules.first_dealer)


@given(
    st.dictionaries(
        st.sampled_from(sorted(KNOBS)) | st.text(max_size=5),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=5)
        | st.lists(st.integers(-1, 60), max_size=14)
        | st.sampled_from(sorted({word for words in CHOICES.values() for word in words})),
        max_size=6,
    )
)
def test_whatever_comes_in_makes_rules_or_names_each_faulty_knob_once(
    knobs: dict[str, Any],
) -> None:
    try:
        rules = make_rules(knobs)
    except BadRules as bad:
        named = [fault.knob for fault in bad.faults]
        assert named
        assert len(set(named)) == len(named)
    else:
        assert make_rules(rules_as_plain(rules)) == rules
