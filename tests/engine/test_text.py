"""Cards, places and actions as text: what is written is read back, what is not one is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_engine.actions import (
    TABLE,
    Abandon,
    Action,
    BeginDeal,
    Cut,
    EndTurn,
    Forfeit,
    Move,
    Play,
    PlayStock,
    Timeout,
    parse_action,
)
from kings_engine.cards import (
    ALL_KINGS,
    DECK_SIZE,
    FITTING,
    RANKS,
    SUITS,
    card_str,
    cards_in,
    fits,
    hand_of,
    is_red,
    parse_card,
    rank,
    suit,
)
from kings_engine.places import CORNERS, PLACES, SIDES, is_corner, parse_place, place_str
from kings_engine.sources import Deck, Position, Secret

cards = st.integers(0, DECK_SIZE - 1)
places = st.integers(0, len(PLACES) - 1)
hashes = st.binary(min_size=32, max_size=32)
secrets = st.builds(Secret, hashes, st.lists(st.none() | hashes, max_size=4).map(tuple))
decks = st.permutations(range(DECK_SIZE)).map(lambda deck: Deck(tuple(deck)))


@st.composite
def positions(draw: st.DrawFn) -> Position:
    deck = draw(st.permutations(range(DECK_SIZE)))
    cuts = sorted(draw(st.lists(st.integers(0, DECK_SIZE), min_size=12, max_size=12)))
    parts = [tuple(deck[a:b]) for a, b in zip([0, *cuts], [*cuts, DECK_SIZE], strict=True)]
    players = draw(st.integers(2, 4))
    return Position(
        hands=tuple(parts[:players]),
        piles=tuple(parts[4:12]),
        stock=parts[12],
        turn=draw(st.integers(0, players - 1)),
        turn_number=draw(st.integers(0, 500)),
        drawn=draw(st.booleans()),
        idle=tuple(draw(st.lists(st.integers(0, players - 1), unique=True))),
    )


actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Play, cards, places),
    st.builds(Move, places, places),
    st.builds(PlayStock, places),
    st.builds(EndTurn),
    st.builds(Cut, secrets),
    st.builds(BeginDeal, st.one_of(secrets, decks, positions())),
    st.builds(Timeout),
    st.builds(Forfeit, st.integers(0, 3)),
    st.builds(Abandon),
)


def test_a_deck_has_every_rank_in_every_suit_once() -> None:
    names = [card_str(card) for card in range(DECK_SIZE)]
    assert set(names) == {r + s for r in "A23456789TJQK" for s in "SHCD"}
    assert len(names) == 52
    assert (names[0], names[51]) == ("AS", "KD")


@given(cards)
def test_a_card_is_read_back(card: int) -> None:
    name = card_str(card)
    assert parse_card(name) == card
    assert parse_card(f" {name.lower()} ") == card
    assert parse_card(name.replace("T", "10")) == card
    assert name == RANKS[rank(card)] + SUITS[suit(card)]
    assert is_red(card) is (name[1] in "HD")


@pytest.mark.parametrize("text", ["", "9", "H", "9X", "1H", "0S", "99H", "HH", "9 H", "KSS", "♠A"])
def test_what_is_no_card_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card: write a rank") as caught:
        parse_card(text)
    assert str(caught.value).startswith(repr(text))


@given(cards, cards)
def test_a_card_fits_on_one_a_rank_higher_and_of_the_other_colour(card: int, top: int) -> None:
    name, under = card_str(card), card_str(top)
    order = "KQJT98765432A"
    lower = order.index(name[0]) == order.index(under[0]) + 1
    assert fits(card, top) is (lower and (name[1] in "HD") != (under[1] in "HD"))
    assert bool(FITTING[top] >> card & 1) is fits(card, top)


@given(st.sets(cards))
def test_a_hand_is_a_set_of_cards(held: set[int]) -> None:
    hand = hand_of(held)
    assert cards_in(hand) == tuple(sorted(held))
    assert hand.bit_count() == len(held)
    assert hand_of(cards_in(hand)) == hand
    assert cards_in(hand & ALL_KINGS) == tuple(c for c in sorted(held) if card_str(c)[0] == "K")


def test_the_places_are_the_points_of_the_compass() -> None:
    assert [place_str(place) for place in range(8)] == ["N", "E", "S", "W", "NE", "SE", "SW", "NW"]
    assert [place_str(place) for place in SIDES] == list("NESW")
    assert [place_str(place) for place in CORNERS] == ["NE", "SE", "SW", "NW"]
    assert [is_corner(place) for place in range(8)] == [False] * 4 + [True] * 4


@given(places)
def test_a_place_is_read_back(place: int) -> None:
    assert parse_place(place_str(place)) == place
    assert parse_place(f" {place_str(place).lower()} ") == place


@pytest.mark.parametrize("text", ["", "X", "NN", "EN", "N E", "4", "north"])
def test_what_is_no_place_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(ValueError, match="is not a place: write one of N, E, S, W") as caught:
        parse_place(text)
    assert str(caught.value).startswith(repr(text))


@given(actions)
def test_an_action_is_read_back(action: Action) -> None:
    assert parse_action(str(action)) == action
    assert str(parse_action(str(action))) == str(action)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Play(parse_card("9H"), 0), "play 9H N"),
        (Move(0, 6), "move N SW"),
        (PlayStock(4), "stock NE"),
        (EndTurn(), "end"),
        (Timeout(), "timeout"),
        (Forfeit(2), "forfeit 2"),
        (Abandon(), "abandon"),
        (Cut(Secret(b"\x01\xff", (None, b"\x02"))), "cut 01ff - 02"),
        (BeginDeal(Secret(b"\x01\xff", (b"\x02", None))), "deal 01ff 02 -"),
        (BeginDeal(Deck((0, 51, 36))), "deal deck ASKDTS"),
        (
            BeginDeal(Position(((0,), (51, 1)), ((),) * 7 + ((50,),), (), 1, 3, False, (0, 1))),
            "deal position AS/KDAH ///////KC - 1 3 undrawn 01",
        ),
        (
            BeginDeal(Position(((), (51,)), ((40,),) + ((),) * 7, (4, 5), 1)),
            "deal position /KD JS/////// 2S2H 1 0 drawn -",
        ),
    ],
)
def test_the_text_of_each_action(action: Action, text: str) -> None:
    assert str(action) == text
    assert parse_action(text) == action


@pytest.mark.parametrize(
    "text",
    [
        *("", "pass", "play", "play 9H", "play 9H N E", "play N 9H", "move N", "move N 2 E"),
        *("stock", "stock N E", "end now", "timeout 1", "forfeit", "forfeit x", "abandon 1"),
        *("cut", "cut zz", "cut 0", "deal", "deal deck", "deal deck A", "deal deck ASX"),
        *("deal position", "deal position AS/KD - 1", "PLAY 9H N", "deal 00 x"),
        "deal position AS/KD ///////KC - one 3 undrawn 01",
    ],
)
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(?!$)"):
        parse_action(text)


@given(
    st.text()
    | st.lists(st.sampled_from(["play", "move", "stock", "deal", "cut", "9H", "N", "-", "00"])).map(
        " ".join
    )
)
def test_any_text_is_an_action_or_a_value_error(text: str) -> None:
    try:
        action = parse_action(text)
    except ValueError:
        return
    assert parse_action(str(action)) == action


@given(st.one_of(secrets, decks, positions()))
def test_a_source_shows_no_card_and_no_secret_in_its_repr(source: Secret | Deck | Position) -> None:
    shown = repr(BeginDeal(source))
    assert "deal" in str(BeginDeal(source))
    match source:
        case Secret():
            assert shown == "BeginDeal(source=Secret())"
        case Deck():
            assert shown == "BeginDeal(source=Deck())"
        case Position():
            assert "hands" not in shown
            assert "stock" not in shown


def test_the_table_is_no_seat() -> None:
    assert TABLE < 0
