"""What holds in every match under every rule set, checked over plays made at random."""

import random
from itertools import pairwise

from hypothesis import given, note
from hypothesis import strategies as st

from kings_engine.actions import TABLE, BeginDeal, EndTurn, Forfeit
from kings_engine.apply import apply
from kings_engine.cards import DECK_SIZE, KING, cards_in
from kings_engine.deal import Deal, audit
from kings_engine.errors import Code, Refusal
from kings_engine.events import (
    DealBegan,
    DealEnded,
    DealEnding,
    Drew,
    MatchEnded,
    MatchEnding,
    TurnBegan,
)
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.places import SIDES
from kings_engine.record import record_from_text, record_of, record_to_text, replay, state_hash
from kings_engine.rules import MatchForm, Rules, Tie
from kings_engine.view import legal_actions, observe_own
from strategies import EVERY_ACTION, Temper, journey, journeys, rule_sets, seeds, tempers

SAMPLED_STATES = 4
"""In how many states of a play each of the 489 actions is tried."""


def most_actions(rules: Rules, turned: int) -> int:
    """Return a number of actions that no deal can exceed.

    Of the 52 cards those not turned up can be played once each, or drawn. A pile move onto a pile
    takes a pile away, and only a card played to an empty place brings one; a king's pile goes to a
    corner at most four times, since a corner never empties again. A turn without any of these is
    idle, unless it drew; after as many idle turns in a row as there are players the deal is over.
    At most all but one of the players forfeit.
    """
    cards = DECK_SIZE - turned
    plays, moves = cards, (turned + cards) + 4
    busy_turns = plays + moves + cards
    return plays + moves + rules.players * (busy_turns + 1) + rules.players


def measure(deal: Deal) -> tuple[int, int, int]:
    """Return what every play and every pile move lowers, weightiest first."""
    cards = sum(hand.bit_count() for hand in deal.hands) + len(deal.stock)
    kings = sum(1 for side in SIDES if deal.piles[side] and deal.piles[side][0] >> 2 == KING)
    return cards, sum(map(bool, deal.piles)), kings


@given(journeys())
def test_the_cards_are_conserved_and_every_state_is_sound(states: tuple[Match, ...]) -> None:
    for match in states:
        if match.deal is not None:
            assert audit(match.deal) == ()


@given(journeys())
def test_each_action_makes_the_version_one_higher_and_is_recorded(
    states: tuple[Match, ...],
) -> None:
    for before, after in pairwise(states):
        assert after.version == before.version + 1
        assert after.steps[:-1] == before.steps
        assert after.steps[-1].events


@given(rule_sets(), seeds, tempers, st.randoms(use_true_random=False))
def test_what_is_listed_as_legal_can_be_applied_and_nothing_else(
    rules: Rules, seed: int, temper: Temper, chance: random.Random
) -> None:
    running = [match for match in journey(rules, seed, temper) if match.turn is not None]
    for match in chance.sample(running, min(SAMPLED_STATES, len(running))):
        assert match.turn is not None
        before = state_hash(match)
        legal = legal_actions(observe_own(match, match.turn))
        assert len(set(legal)) == len(legal)
        assert legal, "the seat on turn can do nothing at all"
        for action in EVERY_ACTION:
            changed = apply(match, match.turn, action)
            assert isinstance(changed, Refusal) is (action not in legal), (action, changed)
        assert state_hash(match) == before


@given(rule_sets(), seeds, tempers)
def test_a_seat_that_is_not_on_turn_can_do_nothing(rules: Rules, seed: int, temper: Temper) -> None:
    for match in list(journey(rules, seed, temper))[::20]:
        for seat in range(rules.players):
            if seat != match.turn:
                assert legal_actions(observe_own(match, seat)) == ()
                refusal = apply(match, seat, EVERY_ACTION[0])
                assert isinstance(refusal, Refusal)
                assert refusal.code in (Code.NOT_YOUR_TURN, Code.NO_DEAL, Code.MATCH_OVER)


@given(rule_sets(), seeds, st.builds(Temper, st.sampled_from((0.0, 0.5, 1.0)), st.just(0.0)))
def test_every_deal_ends_within_a_bound(rules: Rules, seed: int, temper: Temper) -> None:
    *_, match = journey(rules, seed, temper, deals=1)
    began = (e for step in match.steps for e in step.events if isinstance(e, DealBegan))
    turned = next(began).turned
    note(f"{match.version} actions of at most {most_actions(rules, len(turned))}")
    assert match.version <= most_actions(rules, len(turned))


@given(journeys())
def test_every_play_and_every_pile_move_lowers_the_measure(states: tuple[Match, ...]) -> None:
    for before, after in pairwise(states):
        step = after.steps[-1]
        if step.actor == TABLE or before.deal is None or after.deal is None:
            continue
        drew = any(isinstance(event, Drew) for event in step.events)
        if isinstance(step.action, EndTurn):
            assert measure(after.deal) == measure(before.deal)
        elif not drew:
            assert measure(after.deal) < measure(before.deal)


@given(journeys())
def test_the_seat_on_turn_holds_cards_and_is_not_idle_yet(states: tuple[Match, ...]) -> None:
    for match in states:
        if match.turn is not None and match.deal is not None:
            assert match.deal.hands[match.turn]
            assert match.turn in match.deal.playing
            assert set(match.deal.playing) <= set(match.seats) | set(match.deal.seats)
            assert not match.deal.idle >> match.turn & 1
            assert set(cards_in(match.deal.idle)) <= set(match.deal.playing)


@given(journeys())
def test_a_record_is_replayed_to_the_identical_match(states: tuple[Match, ...]) -> None:
    match = states[-1]
    text = record_to_text(record_of(match))
    again = replay(record_from_text(text))
    assert again == match
    assert state_hash(again) == state_hash(match)
    assert record_to_text(record_of(again)) == text


@given(journeys())
def test_two_states_of_a_play_have_different_hashes(states: tuple[Match, ...]) -> None:
    hashes = [state_hash(match) for match in states if match.phase == Phase.PLAY]
    assert len(set(hashes)) == len(hashes)


@given(journeys(deals=4))
def test_the_scores_add_up(states: tuple[Match, ...]) -> None:
    match = states[-1]
    rules = match.rules
    ended = [e for step in match.steps for e in step.events if isinstance(e, DealEnded)]
    assert tuple(event.points for event in ended) == match.sheet
    for event in ended:
        for hand, points in zip(event.hands, event.points, strict=True):
            assert (points or 0) == sum(rules.penalties[card // 4] for card in hand)
    for state in states:
        for seat in range(rules.players):
            assert state.totals[seat] == sum(points[seat] or 0 for points in state.sheet)


@given(journeys(deals=4))
def test_a_match_ends_when_its_form_says_so_and_not_before(states: tuple[Match, ...]) -> None:
    for match in states:
        events = match.steps[-1].events if match.steps else ()
        if any(isinstance(event, DealEnded) for event in events):
            left = isinstance(events[-1], MatchEnded) and events[-1].ending == MatchEnding.LAST_LEFT
            assert (match.phase == Phase.MATCH_OVER) is (left or _is_decided(match))


def _is_decided(match: Match) -> bool:
    rules = match.rules
    totals = sorted(match.totals[seat] for seat in match.seats)
    all_dealt = rules.deals is not None and len(match.sheet) >= rules.deals
    alone = rules.tie == Tie.SHARED or len(totals) == 1 or totals[0] < totals[1]
    match rules.match:
        case MatchForm.ONE_DEAL:
            return True
        case MatchForm.POINTS:
            return totals[-1] >= rules.points and alone
        case MatchForm.DEALS:
            return all_dealt and alone
        case MatchForm.POINTS_OR_DEALS:
            return (totals[-1] >= rules.points or all_dealt) and alone
        case MatchForm.ELIMINATION:  # the seats that reached the points are out of it by now
            return len(totals) == 1 or (totals[0] >= rules.points and alone)


@given(journeys(deals=4))
def test_who_wins_is_in_and_has_the_fewest_points_or_went_out_first(
    states: tuple[Match, ...],
) -> None:
    match = states[-1]
    if match.phase != Phase.MATCH_OVER:
        assert match.winners == ()
        return
    assert match.winners
    assert set(match.winners) <= set(match.seats)
    assert not set(match.winners) & set(match.forfeited)
    ended = match.steps[-1].events[-1]
    assert isinstance(ended, MatchEnded)
    if ended.ending == MatchEnding.LAST_LEFT:
        assert match.winners == match.seats
        return
    assert match.deal is not None
    out = [seat for seat in match.deal.out if seat in match.seats]
    if match.rules.match == MatchForm.ONE_DEAL and out:
        assert match.winners == (out[0],)
    else:
        fewest = min(match.totals[seat] for seat in match.seats)
        assert all(match.totals[seat] == fewest for seat in match.winners)


@given(journeys(deals=3))
def test_the_deal_and_the_first_turn_pass_to_the_left(states: tuple[Match, ...]) -> None:
    begun = [match for match in states if match.steps and _began(match)]
    for before, after in pairwise(begun):
        gone = {step.action.seat for step in after.steps if isinstance(step.action, Forfeit)}
        assert before.deal is not None
        assert after.deal is not None
        assert after.deal.dealer in after.deal.seats
        players = after.rules.players
        left = [(before.deal.dealer + step) % players for step in range(1, players + 1)]
        assert after.deal.dealer == next(seat for seat in left if seat in after.deal.seats)
        assert not gone & set(after.deal.seats)
        opener = next(e for e in after.steps[-1].events if isinstance(e, TurnBegan)).seat
        if after.rules.opens == "dealer":
            assert opener == after.deal.dealer
        else:
            at = after.deal.seats.index(after.deal.dealer)
            assert opener == after.deal.seats[(at + 1) % len(after.deal.seats)]


def _began(match: Match) -> bool:
    return isinstance(match.steps[-1].action, BeginDeal)


@given(journeys(name_loser=True))
def test_a_winner_is_never_named_the_loser(states: tuple[Match, ...]) -> None:
    for match in states:
        assert not set(match.winners) & set(match.losers)
        assert not match.losers or match.phase == Phase.MATCH_OVER


@given(journeys())
def test_a_deal_ends_in_the_way_its_rules_have(states: tuple[Match, ...]) -> None:
    for match in states:
        deal, rules = match.deal, match.rules
        if deal is None or deal.ending is None:
            continue
        match deal.ending:
            case DealEnding.WENT_OUT:
                assert rules.going_out == "ends_deal"
                assert len(deal.out) == 1
            case DealEnding.LAST_HOLDER:
                assert len(deal.playing) == 1
                assert rules.going_out == "plays_on" or match.forfeited
            case DealEnding.STOCK_GONE:
                assert rules.stock_empty == "ends_deal"
                assert not deal.stock
            case DealEnding.BLOCKED:
                assert all(deal.idle >> seat & 1 for seat in deal.playing)
                assert rules.idle_round == "always" or not deal.stock
