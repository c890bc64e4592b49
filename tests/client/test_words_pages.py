"""The page of a table's rules says what its knobs say."""

import pytest

from kings_client.words.pages import page_lines, rules_page
from kings_client.words.rules import summary
from kings_client.words.settings import ABOUT
from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS, BadRules, Rules, make_rules, rules_as_plain

EXAMPLES = {
    "players": 3,
    "hand_size": 5,
    "draw_count": 2,
    "points": 40,
    "turn_seconds": 30,
    "scoring": (1,) * 12 + (20,),
}


def changed(name: str) -> list[Rules]:
    """Return rules that differ from a base in one knob alone, the base first."""
    needs: dict[str, dict[str, object]] = {
        "deals": {"match": "deals", "deals": 3},
        "first_dealer": {"players": 4},
    }
    base = make_rules(needs.get(name, {}))
    values: list[object] = [*KNOBS[name].choices]
    values += [EXAMPLES[name]] if name in EXAMPLES else []
    values += [7] if name == "deals" else []
    found = [base]
    for value in values:
        if value == rules_as_plain(base)[name]:
            continue
        try:
            found.append(make_rules({name: value}, base))
        except BadRules:
            found.append(make_rules({name: value, "idle_round": "always", "deals": 3}, base))
    return found


@pytest.mark.parametrize("name", sorted(KNOBS))
def test_every_knob_is_told_of(name: str) -> None:
    base, *others = changed(name)
    assert others
    for rules in others:
        assert page_lines(rules) != page_lines(base), rules


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_page_of_whole_sentences(preset: str) -> None:
    parts = rules_page(PRESETS[preset].rules())
    assert [part.heading for part in parts][-1] == "Advice"
    for part in parts:
        assert part.sentences
        assert all(
            (line[0].isupper() or line[0].isdigit()) and line.endswith(".")
            for line in part.sentences
        )


def test_the_corners_alone_have_no_words_of_sides() -> None:
    text = "\n".join(page_lines(PRESETS["royal_corners"].rules()))
    assert "empty side" not in text
    assert "top card of the stock may be played" in text


def test_corners_alone_that_take_any_card_have_no_words_of_sides() -> None:
    rules = make_rules({"layout": "corners", "king_pile_to_corner": "never"})
    text = "\n".join([*page_lines(rules), *summary(rules)])
    assert "empty side" not in text
    assert "An empty place takes any card" in text
    assert "Kings' piles" not in text


def test_one_deal_is_won_by_the_first_who_runs_out_of_cards() -> None:
    text = "\n".join(page_lines(PRESETS["classic"].rules()))
    assert "The first player to run out of cards wins; if nobody does, the fewest points" in text
    assert "If several have the fewest, they share the win." in text


def test_the_page_says_who_still_plays_when_the_stock_runs_out() -> None:
    drawn_last = "The player who draws the last card still plays that turn."
    assert drawn_last in "\n".join(page_lines(PRESETS["strict"].rules()))
    assert drawn_last not in "\n".join(page_lines(PRESETS["strict"].rules({"draw": "end"})))


@pytest.mark.parametrize(
    ("tie", "said"), [("play_on", "they alone play on."), ("shared", "they share the win.")]
)
def test_the_page_says_what_a_tie_of_an_elimination_does(tie: str, said: str) -> None:
    text = "\n".join(page_lines(PRESETS["classic_match"].rules({"tie": tie})))
    assert "If all who are left reach them in the same deal, the fewest points win." in text
    assert f"If several have the fewest, {said}" in text


def test_what_is_told_of_a_setting_fits_its_window() -> None:
    assert all(len(text) <= 62 for text in ABOUT.values())
