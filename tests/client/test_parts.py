"""Parts: cells are measured, cards and piles say what they are, and every hand fits."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kings_client.parts.canvas import (
    Canvas,
    OnCard,
    OnKey,
    OnPlace,
    OnStock,
    fit,
    pad,
    width_of,
    wrap,
)
from kings_client.parts.cards import COMPACT, LARGE, CardSize
from kings_client.parts.hand import HandMarks, hand, sorted_hand
from kings_client.parts.log import talk, told
from kings_client.parts.piles import GRID, Marks, piles, places_of
from kings_client.parts.players import players
from kings_client.parts.scores import goal, score_sheet
from kings_client.style import ASCII, PLAIN, UNICODE, Look
from kings_client.words.events import Line, lines_of
from kings_engine.cards import DECK_SIZE, parse_card
from kings_engine.places import PLACES
from kings_engine.presets import preset_rules
from kings_engine.rules import make_rules
from kings_engine.view import observe, observe_public
from kings_protocol.messages import Notice, Said, SeatState
from tables import cards, played, position, table_of

TEXTS = st.text(st.sampled_from("ab 王é́👑\u0301\u200b\x1b\x07―ﾊ한"), max_size=30)
PILES = {"N": "TS", "E": "JC", "S": "4D", "W": "QD", "NE": "KS QH JS", "SW": "KH"}


@given(TEXTS, st.integers(1, 20))
def test_text_is_padded_to_cells_not_to_characters(text: str, width: int) -> None:
    assert width_of(pad(text, width)) == width
    assert width_of(fit(text, width)) <= width
    if width_of(text) <= width:
        assert fit(text, width) == text


@given(TEXTS, st.integers(-5, 12), st.integers(0, 12))
def test_a_canvas_keeps_its_columns_whatever_is_written(text: str, x: int, width: int) -> None:
    canvas = Canvas(width, 1)
    canvas.put(x, 0, text, "class:red")
    assert len(canvas.chars[0]) == len(canvas.styles[0]) == width
    shown = "".join(canvas.chars[0])
    assert width_of(shown) == width
    assert "\x1b" not in shown
    assert "\x07" not in shown


@given(TEXTS.filter(lambda text: text.isprintable()), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(text.split())


def test_half_a_wide_character_at_an_edge_is_a_blank() -> None:
    canvas = Canvas(3, 1)
    canvas.put(-1, 0, "王a王")
    assert canvas.text() == " a"


@given(TEXTS, TEXTS, st.integers(0, 8), st.integers(0, 8))
def test_whatever_is_laid_over_wide_characters_the_columns_stay(
    below: str, above: str, x: int, width: int
) -> None:
    canvas, over = Canvas(8, 1), Canvas(width, 1)
    canvas.put(0, 0, below)
    over.put(0, 0, above)
    canvas.paste(x, 0, over)
    canvas.put(3, 0, "|")
    assert len(canvas.chars[0]) == 8
    assert width_of("".join(canvas.chars[0])) == 8
    assert canvas.chars[0][3] == "|"


def test_what_is_pasted_brings_its_spots_and_its_cursor() -> None:
    small = Canvas(2, 1)
    small.put(0, 0, "ab", "class:key")
    small.mark(0, 0, 2, 1, OnKey("a"))
    small.cursor = (1, 0)
    canvas = Canvas(6, 3)
    canvas.paste(3, 1, small)
    assert canvas.text().split("\n") == ["", "   ab", ""]
    assert canvas.at(4, 1) == OnKey("a")
    assert canvas.at(2, 1) is None
    assert canvas.cursor == (4, 1)
    assert [canvas.style_at(x, 1) for x in (2, 3, 4, 5)] == ["", "class:key", "class:key", ""]


def test_a_hand_is_sorted_from_kings_to_aces() -> None:
    assert sorted_hand(cards("AS KH 9D TC KS")) == cards("KS KH TC 9D AS")


@given(st.sets(st.integers(0, DECK_SIZE - 1), min_size=1), st.sampled_from([80, 111, 200]))
def test_every_hand_fits_and_every_card_is_named_and_can_be_clicked(
    held: set[int], width: int
) -> None:
    marks = HandMarks(cursor=OnCard(min(held)), playable=frozenset(held))
    for size in (COMPACT, LARGE):
        drawn = hand(tuple(held), marks, width, size, UNICODE)
        text = drawn.text()
        assert all(UNICODE.card(card) in text for card in held)
        seen = {drawn.at(x, y) for y in range(drawn.height) for x in range(width)}
        assert {OnCard(card) for card in held} <= seen
        assert text.count("*") == len(held)


@pytest.mark.parametrize("look", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_cursor_picked_and_playable_are_told_apart_without_colour(look: Look) -> None:
    held = cards("9H 8S")
    plain, on, picked, playable = (
        hand(held, marks, 80, COMPACT, look).text()
        for marks in (
            HandMarks(),
            HandMarks(cursor=OnCard(held[0])),
            HandMarks(picked=OnCard(held[0])),
            HandMarks(playable=frozenset(held[:1])),
        )
    )
    assert len({plain, on, picked, playable}) == 4


@pytest.mark.parametrize("size", [COMPACT, LARGE])
def test_each_pile_shows_its_top_its_bottom_and_its_count_in_its_place(size: CardSize) -> None:
    public = observe_public(position("9H", PILES))
    drawn = piles(public, preset_rules("pagat"), Marks(), size, UNICODE)
    pitch = size.width + 7
    for place, pile in enumerate(public.piles):
        column, row = GRID[place]
        left, top = column * pitch, row * (size.height + 3)
        block = [
            "".join(drawn.chars[y][left : left + pitch]) for y in range(top, top + size.height + 2)
        ]
        assert PLACES[place] in block[3].split()
        if pile:
            assert UNICODE.card(pile[-1]) in block[3]
        if len(pile) > 1:
            assert UNICODE.card(pile[0]) in block[1]
            assert f"×{len(pile)}" in block[1]
        assert drawn.at(left + 2, top + 3) == OnPlace(place)
    assert f"×{public.stock}" in drawn.text()
    assert drawn.at(pitch + 2, size.height + 6) == OnStock()


def test_the_top_card_stays_where_it_is_when_its_pile_grows() -> None:
    rules = preset_rules("pagat")
    one = piles(observe_public(position("9H", {"N": "TS"})), rules, Marks(), COMPACT, UNICODE)
    more = piles(
        observe_public(position("9H", {"N": "QS JH TS"})), rules, Marks(), COMPACT, UNICODE
    )
    assert one.text().split("\n")[3] == more.text().split("\n")[3]


def test_targets_and_movable_piles_have_marks_of_their_own() -> None:
    public = observe_public(position("9H", PILES))
    rules = preset_rules("pagat")
    marks = Marks(targets=frozenset({0}), picked=OnPlace(1))
    assert piles(public, rules, marks, COMPACT, UNICODE).text().count("◦") == 1
    movable = Marks(movable=frozenset({0, 1}))
    assert piles(public, rules, movable, COMPACT, UNICODE).text().count("*") == 2


def test_an_empty_place_says_what_it_takes() -> None:
    def words(preset: str) -> str:
        rules = preset_rules(preset)
        public = observe_public(position("9H", {}, preset=preset))
        return piles(public, rules, Marks(), COMPACT, UNICODE).text()

    assert words("pagat").count("any") == 4
    assert words("pagat").count(" K ") == 4
    assert words("strict").count("A-Q") == 4
    assert words("royal_corners").count(" K ") == 4


def test_the_layout_of_corners_has_four_places_and_an_open_stock() -> None:
    match = position("9H", {"NE": "TS"}, preset="royal_corners", stock="5C 6D")
    public = observe_public(match)
    text = piles(public, match.rules, Marks(), COMPACT, UNICODE).text()
    assert len(places_of(match.rules)) == 4
    assert "6♦" in text or "5♣" in text
    assert not {" N ", " E ", " S ", " W "} & {word.center(3) for word in text.split()}


def test_the_players_box_shows_turn_cards_points_and_absence() -> None:
    match = position("9H 8S", PILES)
    seats = (
        SeatState(state="seated", name="Ann"),
        SeatState(state="dropped", name="王建國𝒳", back_in=42_000),
    )
    table = table_of(match, seats=seats)
    drawn = players(observe_public(match), table, 0, 1.5, 21, UNICODE)
    rows = drawn.text().split("\n")
    assert all(width_of(row) == 21 for row in rows)
    assert "▸ You" in rows[1]
    assert rows[1].split()[-3:] == ["2", "0", "│"]
    assert "◌ 王建國" in rows[2]
    assert "bot in 0:41" in rows[3]


@pytest.mark.parametrize(
    ("absent", "state", "words"),
    [
        ("skip", "dropped", "skipped in 0:09"),
        ("forfeit", "dropped", "gives up in 0:09"),
        ("wait", "dropped", "we wait"),
        ("bot", "held", "a bot plays"),
        ("bot", "left", "left; a bot plays"),
        ("wait", "left", "left"),
    ],
)
def test_whoever_is_gone_is_told_and_what_will_happen(absent: str, state: Any, words: str) -> None:
    match = position("9H 8S", PILES)
    gone = SeatState(state=state, name="Ben", back_in=9000)
    table = table_of(match, seats=(gone, gone), absent=absent)
    assert words in players(observe_public(match), table, None, 0, 24, UNICODE).text()


def test_the_turns_clock_counts_down() -> None:
    match = position("9H 8S", PILES)
    table = table_of(match, turn_in=20_000)
    drawn = players(observe_public(match), table, 0, 5, 21, UNICODE)
    assert "0:15 left" in drawn.text()


def test_every_event_of_a_match_is_told_in_a_line_that_fits() -> None:
    kinds = set()
    for preset in ("pagat", "strict", "royal_corners", "classic_match"):
        rules = preset_rules(preset, {"players": 3})
        *_, match = played(rules, 400, seed=5)
        table = table_of(match, preset)
        events = tuple(event for step in match.steps for event in step.events)
        kinds |= {type(event).__name__ for event in events}
        for line in lines_of(events, table, 1, UNICODE):
            assert line.what
            assert width_of(line.what) <= 40
        drawn = told(lines_of(events, table, 1, UNICODE), 3, ["Ann", "You"], 21, 17, UNICODE)
        assert all(width_of(row) == 21 for row in drawn.text().split("\n"))
    assert len(kinds) >= 10


def test_a_name_stands_once_above_what_its_bearer_did_and_news_is_brighter() -> None:
    lines = [Line("Ann", "drew"), Line("Ben", "9♥ → N"), Line("Ben", "drew")]
    drawn = told(lines, 1, ["Ann", "Ben"], 21, 6, UNICODE)
    rows = drawn.text().split("\n")
    assert rows[2].startswith("│Ben 9♥ → N")
    assert rows[3].startswith("│    drew")
    assert [drawn.style_at(5, y) for y in (2, 3)] == ["class:dim", "class:fresh"]


def test_chat_is_wrapped_and_its_end_is_shown() -> None:
    table = table_of(position("9H", {}))
    lines: list[Said | Notice] = [
        Said(seat=1, name="Ben", text="first"),
        Notice(code="dropped", seat=1),
        Said(seat=None, name="Zed", text="a rather long line that does not fit in one"),
    ]
    text = talk(lines, table, 0, 21, 7, UNICODE).text()
    assert "first" not in text
    assert "Zed: a rather" in text
    assert text.count("│") == 10


def test_the_score_sheet_adds_up_and_keeps_the_newest_deals() -> None:
    rules = make_rules({"players": 3, "match": "deals", "deals": 12})
    *_, match = played(rules, 4000, seed=2)
    public, table = observe_public(match), table_of(match)
    sheet = score_sheet(public, table, 0, 60, 30, UNICODE).text().split("\n")
    assert len(public.sheet) >= 12
    sums = [int(part) for part in next(row for row in sheet if "sum" in row).split()[1:]]
    assert sums == [seat.points for seat in public.seats]
    short = score_sheet(public, table, 0, 60, 8, UNICODE).text()
    assert f"\n {len(public.sheet)} " in short
    assert "\n  1 " not in short


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({}, "to 25"),
        ({"match": "one_deal"}, "one deal"),
        ({"match": "deals", "deals": 3}, "3 deals"),
        ({"match": "points_or_deals", "deals": 3}, "to 25 or 3 deals"),
        ({"match": "elimination", "points": 40}, "out at 40"),
    ],
)
def test_the_goal_is_told_in_few_words(knobs: dict[str, Any], words: str) -> None:
    assert goal(make_rules(knobs)) == words


def test_an_open_card_of_the_stock_is_shown_to_all() -> None:
    match = position("9H", {}, preset="royal_corners", stock="AH")
    for viewer in (0, 1, None):
        public = observe(match, viewer).public
        drawn = piles(public, match.rules, evolve(Marks(), stock_playable=True), COMPACT, UNICODE)
        assert "A♥" in drawn.text()
        assert "*" in drawn.text()


def test_ascii_needs_no_other_characters() -> None:
    public = observe_public(position("9H", PILES))
    drawn = piles(public, preset_rules("pagat"), Marks(), LARGE, ASCII).text().translate(PLAIN)
    assert drawn.isascii()
    assert "10s" in drawn
    assert ASCII.card(parse_card("QD")) == "Qd"
