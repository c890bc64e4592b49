"""Piles that are fanned, faces with pips, and the chart of a match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_client.parts.cards import COMPACT, FULL, LARGE, CardSize, dress, face
from kings_client.parts.chart import chart
from kings_client.parts.piles import STACKED, Marks, Spread, fanned, piles
from kings_client.style import ASCII, UNICODE, Look
from kings_engine.cards import RANKS, parse_card
from kings_engine.presets import preset_rules
from kings_engine.view import observe_public
from tables import model_of as known
from tables import picture, position

DEEP = {"N": "KD QS JD TS 9H 8S 7D", "E": "TC", "NW": "KC QH"}
SPREADS = st.builds(Spread, st.integers(2, 12), st.integers(1, 3), st.integers(0, 2))


@given(st.integers(0, 13), SPREADS)
def test_a_fan_never_needs_more_than_its_room_and_shows_the_bottom_card(
    count: int, spread: Spread
) -> None:
    rows = fanned(count, spread)
    assert len(rows) == max(count - 1, 0)
    assert sum(rows) <= spread.above
    assert not rows or rows[0] >= 1


@pytest.mark.parametrize(
    ("spread", "rows"),
    [
        (STACKED, [2, 0, 0, 0]),
        (Spread(12, 2, 1), [2, 1, 1, 2]),
        (Spread(12, 3, 2), [2, 2, 2, 3]),
        (Spread(12, 1, 0), [2, 0, 0, 1]),
        (Spread(4, 2, 1), [2, 0, 1, 1]),
    ],
)
def test_piles_are_spread_as_set_where_there_is_room(spread: Spread, rows: list[int]) -> None:
    assert fanned(5, spread) == rows


@pytest.mark.parametrize(
    ("spread", "rows"),
    [(STACKED, [2]), (Spread(12, 1, 1), [1]), (Spread(12, 3, 0), [3]), (Spread(2, 3, 2), [2])],
)
def test_of_a_pile_of_two_as_much_shows_below_the_top_as_is_set(
    spread: Spread, rows: list[int]
) -> None:
    assert fanned(2, spread) == rows


@pytest.mark.parametrize("look", [UNICODE, ASCII])
@pytest.mark.parametrize("size", [COMPACT, LARGE, FULL])
@pytest.mark.parametrize(
    ("pile", "spread", "hides"),
    [
        ("KD QS JD", STACKED, True),
        ("KD QS JD", Spread(12, 1, 0), False),
        ("KD QS JD TS", Spread(12, 2, 0), True),
        ("KD QS JD TS 9H 8S 7D", Spread(6, 2, 1), True),
        ("KD QS JD TS 9H 8S 7D", Spread(12, 2, 1), False),
        ("KD QS", STACKED, False),
    ],
)
def test_a_pile_that_hides_cards_says_so(
    pile: str, spread: Spread, hides: bool, size: CardSize, look: Look
) -> None:
    public = observe_public(position("AS", {"N": pile}))
    drawn = piles(public, preset_rules("strict"), Marks(), size, look, spread)
    columns = range(size.width + 7, 2 * size.width + 7)
    north = [row[at] for row in drawn.chars[: size.height + spread.above] for at in columns]
    assert (look.covered in north) is hides


@pytest.mark.parametrize("size", [COMPACT, LARGE, FULL])
def test_a_fanned_pile_names_its_cards_from_the_bottom_to_the_top(size: CardSize) -> None:
    public = observe_public(position("AS", DEEP))
    drawn = piles(public, preset_rules("pagat"), Marks(), size, UNICODE, Spread(8, 1, 1))
    text = drawn.text()
    places = [text.index(name) for name in ("K♦", "Q♠", "J♦", "10♠", "9♥", "8♠")]
    assert places == sorted(places)
    assert "×7" in text


def test_a_full_face_has_as_many_pips_as_its_rank_says() -> None:
    for count in range(2, 11):
        card = parse_card(f"{RANKS[count - 1]}H")
        text = face(card, FULL, UNICODE, dress(UNICODE)).text()
        assert text.count("♥") == count
        assert text.count(str(count)) == 2


@pytest.mark.parametrize("name", ["AS", "JH", "QC", "KD"])
def test_aces_and_pictures_name_their_suit_in_both_corners(name: str) -> None:
    card = parse_card(name)
    text = face(card, FULL, UNICODE, dress(UNICODE)).text()
    assert text.count(UNICODE.card(card)) == 2


@pytest.mark.parametrize(("width", "height"), [(80, 50), (110, 34), (130, 60), (200, 60)])
def test_the_cards_grow_with_the_window_and_stay_within_it(width: int, height: int) -> None:
    text = picture(known(position("KH 9D", DEEP)), width, height)
    rows = text.split("\n")
    assert len(rows) == height
    assert all(len(row) <= width for row in rows)
    for name in ("K♦", "7♦", "10♣", "K♣", "Q♥"):
        assert name in text or name[:-1] in text


def test_what_everybody_knows_of_a_hand_stands_below_the_name() -> None:
    open_hands = known(position("KH 9D", DEEP, other="2S 3C TD", open_hands=True))
    assert "10♦ 3♣ 2♠" in picture(open_hands)
    closed = known(position("KH 9D", DEEP, other="2S 3C 8D"))
    assert "3♣" not in picture(closed)


def test_a_chart_rises_with_the_points_and_names_the_seats() -> None:
    drawn = chart(((0, 4), (10, 0), (0, 6)), ("You", "Ben"), 30, 11, UNICODE)
    rows = drawn.text().split("\n")
    assert "10" in rows[1]
    assert rows[1].rstrip("│ ").endswith("1")
    assert "1 You" in drawn.text()
    assert "2 Ben" in drawn.text()


def test_a_chart_too_small_to_read_is_an_empty_frame() -> None:
    drawn = chart(((1, 2),), ("You", "Ben"), 12, 5, UNICODE)
    assert "1" not in drawn.text()
