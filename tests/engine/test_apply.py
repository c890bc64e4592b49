"""What each action makes happen, event by event."""

from typing import Any

import pytest

from casebook import Case, cards, run
from kings_engine.actions import TABLE, Abandon, parse_action
from kings_engine.cards import parse_card
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealEnding,
    DealerChosen,
    Drew,
    Eliminated,
    Event,
    Forfeited,
    MatchEnded,
    MatchEnding,
    Moved,
    Played,
    TurnBegan,
    TurnEnded,
    WentOut,
)
from kings_engine.match import Match, Step, coming_dealer, finish_deal, new_match
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules

N, E, S, W, NE = range(5)
AT: dict[str, Any] = {"hands": ["9H 2C", "3C"], "piles": {"N": "TS", "E": "JH"}, "turn": 0}


def play(rules: str, *do: str, **body: Any) -> Match:
    return run(Case("here", {"rules": rules, "do": list(do), **body}))


def last(match: Match) -> tuple[Event, ...]:
    return match.steps[-1].events


def test_a_play() -> None:
    nine = parse_card("9H")
    assert last(play("pagat", "play 9H N", at=AT)) == (Played(0, nine, N, from_stock=False),)


def test_a_play_from_the_open_stock() -> None:
    match = play("pagat", "stock N", at={**AT, "stock": "9D"}, knobs={"open_stock": True})
    assert last(match) == (Played(0, parse_card("9D"), N, from_stock=True),)


def test_a_pile_move() -> None:
    assert last(play("pagat", "move N E", at=AT)) == (Moved(0, N, E, 1),)
    longer = play("pagat", "play 9H N", "move N E", at=AT)
    assert last(longer) == (Moved(0, N, E, 2),)


def test_an_end_with_a_draw() -> None:
    match = play("pagat", "end", at={**AT, "stock": "9D 8D", "turn_number": 6})
    assert last(match) == (Drew(0, 1, cards("9D")), TurnEnded(0, False), TurnBegan(1, 7))


def test_two_cards_are_drawn_in_their_order() -> None:
    match = play("pagat", "end", at={**AT, "stock": "9D 8D"}, knobs={"draw_count": 2})
    assert last(match)[0] == Drew(0, 2, cards("9D 8D"))


def test_an_end_with_a_draw_of_the_next_seat() -> None:
    match = play("one_page", "end", at={**AT, "stock": "9D 8D"})
    assert last(match) == (TurnEnded(0, False), TurnBegan(1, 1), Drew(1, 1, cards("9D")))


def test_a_time_out() -> None:
    match = play("pagat", "timeout", at=AT)
    assert last(match) == (TurnEnded(0, timeout=True), TurnBegan(1, 1))


def test_going_out_ends_a_deal() -> None:
    match = play("pagat", "play 9H N", at={**AT, "hands": ["9H", "3C KC"]})
    assert last(match) == (
        Played(0, parse_card("9H"), N, from_stock=False),
        WentOut(0),
        DealEnded(1, DealEnding.WENT_OUT, ((), cards("3C KC")), (0, 11)),
    )


def test_going_out_where_the_others_play_on() -> None:
    at = {"hands": ["6S", "8D 3H", "JD 4H"], "piles": {"NE": "7H"}, "stock": "9C", "turn": 0}
    assert last(play("royal_corners", "play 6S NE", at=at)) == (
        Played(0, parse_card("6S"), NE, from_stock=False),
        WentOut(0),
        TurnBegan(1, 1),
    )


def test_a_match_that_ends_with_its_deal() -> None:
    at = {**AT, "hands": ["9H", "3C"]}
    ended = last(play("classic", "play 9H N", at=at))[-1]
    assert ended == MatchEnded(MatchEnding.DECIDED, (0,), ())


def test_a_named_loser_is_in_the_match_s_end() -> None:
    match = play("pagat", "score 26 0", knobs={"name_loser": True})
    assert last(match)[-1] == MatchEnded(MatchEnding.DECIDED, (1,), (0,))


def test_an_elimination() -> None:
    at = {
        "hands": ["9H", "3C KC KD KH", "4C"],
        "piles": {"N": "TS"},
        "turn": 0,
    }
    assert last(play("classic_match", "play 9H N", at=at))[-2:] == (
        DealEnded(1, DealEnding.WENT_OUT, ((), cards("3C KH KC KD"), cards("4C")), (0, 31, 1)),
        Eliminated((1,)),
    )


def test_a_forfeit_on_turn() -> None:
    at = {**AT, "hands": ["9H 2C", "3C", "4C"]}
    assert last(play("pagat", "forfeit 0", at=at)) == (Forfeited(0), TurnBegan(1, 1))


def test_a_forfeit_off_turn() -> None:
    at = {**AT, "hands": ["9H 2C", "3C", "4C"]}
    match = play("pagat", "forfeit 2", at=at)
    assert last(match) == (Forfeited(2),)
    assert match.forfeited == (2,)
    assert match.turn == 0


def test_a_forfeit_that_leaves_one_seat() -> None:
    assert last(play("pagat", "forfeit 1", at=AT)) == (
        Forfeited(1),
        DealEnded(1, DealEnding.LAST_HOLDER, (cards("2C 9H"), cards("3C")), (2, 1)),
        MatchEnded(MatchEnding.LAST_LEFT, (0,), ()),
    )


def test_forfeits_between_deals() -> None:
    match = play("pagat", "score 3 0 1", "forfeit 1", knobs={"players": 3})
    assert last(match) == (Forfeited(1),)
    match = play("pagat", "score 3 0 1", "forfeit 1", "forfeit 2", knobs={"players": 3})
    assert last(match) == (Forfeited(2), MatchEnded(MatchEnding.LAST_LEFT, (0,), ()))
    assert match.forfeited == (1, 2)


def test_a_forfeit_of_a_seat_that_is_out() -> None:
    at = {"hands": ["6S", "8D 3H", "JD 4H"], "piles": {"NE": "7H"}, "stock": "9C", "turn": 0}
    assert last(play("royal_corners", "play 6S NE", "forfeit 0", at=at)) == (Forfeited(0),)


def test_an_abandoned_match() -> None:
    match = play("pagat", "abandon", at=AT)
    assert last(match) == (MatchEnded(MatchEnding.ABANDONED, (), ()),)
    assert match.winners == ()


def test_a_cut_with_a_tie() -> None:
    match = play("strict", "cut 2", knobs={"players": 4})
    assert last(match) == (
        CardsCut((0, 1, 2, 3), cards("JD 6C JH 5S")),
        CardsCut((0, 2), cards("TH AH")),
        DealerChosen(0, lot=False),
    )


def test_a_lot() -> None:
    match = play("royal_corners", "cut 3", knobs={"players": 4})
    assert last(match) == (DealerChosen(3, lot=True),)


def test_a_deal() -> None:
    match = play("pagat", deal={"turned": "KS 6H 4D QC", "stock": "9H 8H"})
    began, turn = last(match)
    assert isinstance(began, DealBegan)
    assert (began.number, began.dealer, began.seats, began.stock) == (1, 1, (0, 1), 34)
    assert began.turned == tuple(zip(cards("KS 6H 4D QC"), (N, E, S, W), strict=True))
    assert all(hand is not None and len(hand) == 7 for hand in began.hands)
    assert turn == TurnBegan(0, 0)
    assert match.deal is not None
    assert match.deal.number == match.number == 1


def test_a_deal_in_which_a_king_goes_to_a_corner() -> None:
    knobs = {"dealt_kings": "to_corner_refilled"}
    match = play("pagat", deal={"turned": "KS 9H 6H 4D QC"}, knobs=knobs)
    began = last(match)[0]
    assert isinstance(began, DealBegan)
    assert began.turned == tuple(zip(cards("KS 9H 6H 4D QC"), (NE, N, E, S, W), strict=True))
    assert began.stock == 33


def test_each_step_is_recorded_with_its_actor() -> None:
    match = play("pagat", "play 9H N", "end", "timeout", "abandon", at=AT)
    assert [step.actor for step in match.steps] == [TABLE, 0, 0, TABLE, TABLE]
    assert [step.action for step in match.steps[1:3]] == [
        parse_action("play 9H N"),
        parse_action("end"),
    ]
    ended = MatchEnded(MatchEnding.ABANDONED, (), ())
    assert match.steps[-1] == Step(TABLE, Abandon(), (ended,))


def test_a_dealer_is_needed_before_one_can_be_named() -> None:
    with pytest.raises(
        ValueError, match=r"^the first dealer has still to be cut for, or drawn by lot$"
    ):
        coming_dealer(new_match(preset_rules("strict")))
    assert coming_dealer(new_match(Rules(players=3))) == 2


def test_a_running_deal_cannot_be_finished() -> None:
    match = play("pagat", at=AT)
    assert match.deal is not None
    with pytest.raises(ValueError, match=r"^the deal has not ended$"):
        finish_deal(match, match.deal)
