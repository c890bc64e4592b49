"""A deal's audit of itself, and positions set up by hand."""

from typing import Any

import pytest
from attrs import evolve

from casebook import Case, cards, position, run
from kings_engine.actions import TABLE, BeginDeal, Move, Play
from kings_engine.apply import apply
from kings_engine.cards import hand_of
from kings_engine.deal import Deal, audit, next_seat
from kings_engine.errors import Code, Refusal
from kings_engine.events import DealBegan, TurnBegan
from kings_engine.match import Match, new_match
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_engine.sources import Deck, Position

AT: dict[str, Any] = {
    "hands": ["9H 2C", "3C"],
    "piles": {"N": "TS", "E": "6H 5S", "NE": "KS QD"},
    "stock": "8S 7S",
    "turn": 0,
}
COUNT = 10


def deal() -> Deal:
    match = run(Case("here", {"rules": "pagat", "at": AT}))
    assert match.deal is not None
    return match.deal


def piles(**written: str) -> tuple[tuple[int, ...], ...]:
    return position({"hands": [], "turn": 0, "piles": written}).piles


def test_a_sound_deal_has_no_faults() -> None:
    assert audit(deal(), COUNT) == ()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"hands": (hand_of(cards("9H")), 0)}, "8 different cards of 8, not 10"),
        ({"stock": cards("8S 8S")}, "9 different cards of 10, not 10"),
        ({"stock": cards("8S 7S 7S")}, "10 different cards of 11, not 10"),
        ({"known": (0, hand_of(cards("4C")))}, "a known card is not in its hand"),
        ({"piles": piles(N="TS", E="6H 5D", NE="KS QD")}, "pile 1 is not built down"),
        ({"piles": piles(N="TS", E="6H 4S", NE="KS QD")}, "pile 1 is not built down"),
        ({"piles": piles(N="TS", E="5S 6H", NE="KS QD")}, "pile 1 is not built down"),
        ({"piles": piles(N="TS", E="6H 5S", NE="KS QC")}, "pile 4 is not built down"),
        (
            {"playing": (0, 1), "hands": (hand_of(cards("9H 2C 3C")), 0)},
            "a seat without cards is still playing",
        ),
        ({"turn": 1, "playing": (0,)}, "the seat on turn is not playing"),
    ],
)
def test_each_broken_invariant_is_named(changes: dict[str, Any], fault: str) -> None:
    found = audit(deal()._replace(**changes), COUNT)
    assert fault in found


def test_every_broken_invariant_is_named_at_once() -> None:
    broken = deal()._replace(known=(0, hand_of(cards("4C"))), playing=(1,), stock=())
    assert audit(broken, COUNT) == (
        "8 different cards of 8, not 10",
        "a known card is not in its hand",
        "the seat on turn is not playing",
    )


def test_whose_turn_it_is_does_not_matter_when_a_deal_is_over() -> None:
    match = run(Case("here", {"rules": "pagat", "do": ["score 3 0"]}))
    assert match.deal is not None
    assert audit(match.deal, 8) == ()


def test_sides_are_empty_where_the_layout_has_none() -> None:
    at = {"hands": ["9H 2C", "3C"], "piles": {"NE": "TS"}, "turn": 0}
    match = run(Case("here", {"rules": "royal_corners", "at": at}))
    assert match.deal is not None
    moved = match.deal._replace(piles=piles(W="TS"))
    assert audit(moved, 4) == ("a side holds a pile in the layout without sides",)


@pytest.mark.parametrize(
    ("corner", "sound"),
    [("KS QS JS", True), ("KS QD", False), ("KS QC", False), ("KS JS", False)],
)
def test_a_corner_built_in_suit_holds_one_suit(corner: str, sound: bool) -> None:
    rules = preset_rules("pagat", {"corner_build": "suit"})
    built = deal()._replace(rules=rules, piles=piles(E="6H 5S", NE=corner))
    count = 5 + 2 + len(corner.split())
    assert audit(built, count) == (() if sound else ("pile 4 is not built down",))


def test_a_position_begins_a_deal_that_shows_where_its_cards_lie() -> None:
    match = new_match(Rules())
    changed = apply(match, TABLE, BeginDeal(position(AT)))
    assert not isinstance(changed, Refusal)
    after, events = changed
    turned = tuple(zip(cards("TS 6H 5S KS QD"), (0, 1, 1, 4, 4), strict=True))
    hands = (cards("2C 9H"), cards("3C"))
    assert events == (DealBegan(1, 1, (0, 1), turned, 2, hands), TurnBegan(0, 0))
    assert after.deal is not None
    assert (after.deal.number, after.deal.dealer, after.deal.seats) == (1, 1, (0, 1))


def begin(match: Match, source: Position | Deck) -> Code | None:
    changed = apply(match, TABLE, BeginDeal(source))
    return changed.code if isinstance(changed, Refusal) else None


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, None),
        ({"hands": ((51,), (0,))}, None),
        ({"hands": ((52,), (0,))}, Code.BAD_SOURCE),
        ({"hands": ((-1,), (0,))}, Code.BAD_SOURCE),
        ({"piles": ((),) * 7}, Code.BAD_SOURCE),
        ({"piles": ((),) * 9}, Code.BAD_SOURCE),
        ({"turn": -1}, Code.BAD_SOURCE),
        ({"stock": (4, 4)}, Code.BAD_SOURCE),
        ({"idle": (1,)}, None),
        ({"idle": (-1,)}, Code.BAD_SOURCE),
        ({"turn_number": 0}, None),
    ],
)
def test_a_position_that_no_seats_could_play_is_refused(
    changes: dict[str, Any], code: Code | None
) -> None:
    at = Position(((51,), (0,)), ((),) * 8, (4,), 0)
    assert begin(new_match(Rules()), evolve(at, **changes)) == code


@pytest.mark.parametrize(
    ("deck", "code"),
    [
        (tuple(range(52)), None),
        (tuple(range(51)), Code.BAD_SOURCE),
        ((*range(51), 50), Code.BAD_SOURCE),
        (tuple(range(1, 53)), Code.BAD_SOURCE),
    ],
)
def test_a_deck_holds_each_card_once(deck: tuple[int, ...], code: Code | None) -> None:
    assert begin(new_match(preset_rules("pagat")), Deck(deck)) == code


@pytest.mark.parametrize("place", [-1, 8, 99])
def test_a_place_without_a_number_is_refused_and_not_named(place: int) -> None:
    match = run(Case("here", {"rules": "pagat", "at": AT}))
    (card,) = cards("9H")
    assert apply(match, 0, Play(card, place)) == Refusal(Code.NO_SUCH_PLACE, card=card)
    assert apply(match, 0, Move(0, place)) == Refusal(Code.NO_SUCH_PLACE)
    assert apply(match, 0, Move(place, 0)) == Refusal(Code.NO_SUCH_PLACE)


@pytest.mark.parametrize("card", [-1, 52, 99])
def test_a_card_without_a_number_is_not_in_the_hand_and_not_named(card: int) -> None:
    match = run(Case("here", {"rules": "pagat", "at": AT}))
    assert apply(match, 0, Play(card, 0)) == Refusal(Code.NOT_IN_HAND)


def test_the_next_seat_to_the_left() -> None:
    assert [next_seat((0, 2, 3), after) for after in range(4)] == [2, 2, 3, 0]
    assert next_seat((1,), 1) == 1
