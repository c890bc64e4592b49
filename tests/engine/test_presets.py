"""The presets: each is its written source, as a difference from ``pagat``."""

import pytest

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import BadRules, Fault, Knob, Rules, differences, rules_as_plain


def test_the_default_is_pagat() -> None:
    assert preset_rules("pagat") == Rules()
    assert rules_as_plain(Rules()) == {
        "players": 2,
        "layout": "cross",
        "hand_size": 7,
        "draw": "end",
        "draw_count": 1,
        "empty_place": "any",
        "dealt_kings": "stay",
        "king_pile_to_corner": "anytime",
        "must_play": "off",
        "forced_kings": False,
        "corner_build": "alternate",
        "open_stock": False,
        "going_out": "ends_deal",
        "stock_empty": "play_on",
        "idle_counts": "any",
        "idle_round": "when_stock_empty",
        "scoring": "kings_10",
        "match": "points",
        "points": 25,
        "deals": None,
        "tie": "play_on",
        "name_loser": False,
        "first_dealer": "last",
        "opens": "left_of_dealer",
        "open_hands": False,
        "turn_seconds": None,
        "hints": True,
    }


@pytest.mark.parametrize(
    ("name", "source", "different"),
    [
        ("pagat", "002", {}),
        ("classic", "004", {"draw": "start", "match": "one_deal"}),
        ("classic_match", "004", {"draw": "start", "match": "elimination"}),
        ("one_page", "001", {"draw": "start"}),
        (
            "strict",
            "000",
            {
                "draw": "start",
                "empty_place": "not_king",
                "stock_empty": "ends_deal",
                "idle_counts": "hand",
                "first_dealer": "cut_higher",
            },
        ),
        (
            "royal_corners",
            "003",
            {
                "layout": "corners",
                "empty_place": "vacated",
                "open_stock": True,
                "going_out": "plays_on",
                "points": 50,
                "name_loser": True,
                "tie": "shared",
                "first_dealer": "lot",
                "opens": "dealer",
            },
        ),
    ],
)
def test_a_preset_differs_from_pagat_in_what_its_source_says(
    name: str, source: str, different: dict[str, object]
) -> None:
    assert differences(preset_rules(name), Rules()) == different
    assert PRESETS[name].name == name
    assert PRESETS[name].source == source
    assert PRESETS[name].about


def test_there_are_six_presets() -> None:
    assert list(PRESETS) == [
        *("pagat", "classic", "classic_match", "one_page", "strict", "royal_corners")
    ]


def test_a_preset_can_be_changed_and_is_refused_with_its_faults() -> None:
    rules = preset_rules("strict", {"players": 4, "draw": "end"})
    assert (rules.players, rules.draw, rules.empty_place) == (4, "end", "not_king")
    with pytest.raises(BadRules) as caught:
        preset_rules("strict", {"layout": "corners"})
    assert [fault.knob for fault in caught.value.faults] == ["empty_place"]


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadRules) as caught:
        preset_rules("z" * 50)
    assert caught.value.faults == (Fault("rules", "z" * 40, Knob(choices=tuple(PRESETS))),)
