"""The planner finds what the engine allows: all ends of a turn, each once, under every rule."""

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot_deals import applied, at, chance_of, dealt, play_deal, rule_sets
from kings_engine.actions import EndTurn, PlayStock
from kings_engine.cards import Hand, cards_in
from kings_engine.deal import Deal
from kings_engine.match import Match
from kings_engine.moves import refuse_end
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import CornerBuild, Rules, make_rules
from kings_engine.turns import act
from kings_engine.view import deal_history, legal_actions, observe
from kings_server.bots.planner import Bare, Plan, Planner, bare

MOST = 600
"""Positions of the engine's that a test looks at; turns with more are left out."""


def planner(match: Match, missed: Hand = 0) -> Planner:
    assert match.turn is not None
    view = observe(match, match.turn)
    assert view.own is not None
    history = deal_history(match, match.turn)
    return Planner(view.own, view.public, history, match.rules, missed)


def kind(rules: Rules, piles: Bare, hand: Hand) -> tuple[Any, ...]:
    """Return what tells positions of one turn apart: all but suits and the order of the places."""
    suits = 0 if rules.corner_build == CornerBuild.SUIT else 2
    masked = [pile if pile < 0 else pile & ~(suits << 6 | suits) for pile in piles]
    held = sorted(card & ~suits for card in cards_in(hand))
    return tuple(sorted(masked[:4])), tuple(sorted(masked[4:])), tuple(held)


def engine_ends(match: Match) -> set[tuple[Any, ...]] | None:
    """Return where the engine lets the turn end or go out, with one card of the open stock at most.

    What comes to light under that card is taken for nothing that has to be played.
    """
    assert match.turn is not None
    seat, rules = match.turn, match.rules
    ends = set()
    waiting = [(match, False)]
    seen: set[tuple[Any, ...]] = set()
    while waiting:
        here, taken = waiting.pop()
        own = observe(here, seat).own
        assert own is not None
        assert here.deal is not None
        uncovered = here.deal._replace(stock=()) if taken else here.deal
        if refuse_end(uncovered) is None:
            ends.add((*kind(rules, *position(here.deal, seat)), taken))
        for action in legal_actions(own):
            if action == EndTurn() or (taken and isinstance(action, PlayStock)):
                continue
            after = applied(here, seat, action)
            assert after.deal is not None
            # A deal that is left by going out goes on without the seat, so it is read from act.
            then = position(act(here.deal, action)[0], seat)
            found = (*kind(rules, *then), taken or isinstance(action, PlayStock))
            if not then[1]:
                ends.add(found)
                continue
            where = (*found, after.deal.vacated.bit_count())
            if where not in seen:
                seen.add(where)
                waiting.append((after, found[-1]))
                if len(seen) > MOST:
                    return None
    return ends


def position(deal: Deal, seat: int) -> tuple[Bare, Hand]:
    return bare(deal.piles), deal.hands[seat]


@given(rule_sets(), st.integers(0, 2**32), st.integers(0, 60), st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_planner_finds_every_end_that_the_engine_allows(
    rules: Rules, seed: int, actions: int, idle: bool
) -> None:
    levels = ["easy" if idle else "medium"] * 4
    match = play_deal(dealt(rules, seed), levels, chance_of(seed), actions)
    assume(match.phase == Phase.PLAY)
    ends = engine_ends(match)
    assume(ends is not None)
    plans = planner(match).plans()
    assert {(*kind(rules, plan.piles, plan.hand), plan.goes_on) for plan in plans} == ends


@given(rule_sets(), st.integers(0, 2**32), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_a_plan_leads_where_it_says(rules: Rules, seed: int, actions: int) -> None:
    match = play_deal(dealt(rules, seed), ["easy"] * 4, chance_of(seed), actions)
    assume(match.phase == Phase.PLAY)
    for plan in planner(match).plans(300):
        check_plan(match, plan)


def check_plan(match: Match, plan: Plan) -> None:
    deal, seat = match.deal, match.turn
    assert deal is not None
    assert seat is not None
    for action in plan.actions:
        deal = act(deal, action)[0]
        match = applied(match, seat, action)
    assert position(deal, seat) == (plan.piles, plan.hand)
    if plan.hand:
        assert (deal.acted, deal.played) == (plan.acted, plan.played)
        assert match.turn == seat


def test_a_plan_is_followed_until_more_is_known() -> None:
    piles = {"NE": "TS", "SE": "AH", "SW": "AC", "NW": "AD"}
    where = {"hands": ["8C 2D", "3S"], "piles": piles, "stock": "9D 4S 5S", "turn": 0}
    plans = planner(at(where, preset_rules("royal_corners"))).plans()
    turns = {tuple(map(str, plan.turn)) for plan in plans}
    assert turns == {("end",), ("stock NE",)}
    assert max(len(plan.actions) for plan in plans) == 2


QUIET = {"N": "AS", "E": "AH", "S": "AC", "W": "AD"}


def test_positions_that_differ_in_suits_or_places_alone_are_one() -> None:
    piles = {**QUIET, "N": "TS", "E": "TC"}
    match = at({"hands": ["9H 9D 2C", "3S"], "piles": piles, "stock": "4S", "turn": 0})
    left = [len(plan.actions) for plan in planner(match).plans()]
    assert sorted(left) == [0, 1, 2]


def test_a_bound_that_is_reached_leaves_plans_that_play_most() -> None:
    piles = {"N": "TS", "E": "9C", "S": "", "W": ""}
    hand = "9H 8S 7H 8D 7C 6D 5S KH QS JD"
    match = at({"hands": [hand, "3S"], "piles": piles, "stock": "4S", "turn": 0})
    every, some = planner(match).plans(), planner(match).plans(60)
    assert len(some) <= 60 < len(every)
    assert min(plan.hand.bit_count() for plan in some) <= 5


def test_an_overlooked_card_is_in_no_plan() -> None:
    piles = {**QUIET, "N": "TS"}
    match = at({"hands": ["9H 8S 2C", "3S"], "piles": piles, "stock": "4S", "turn": 0})
    (nine,) = (card for card in range(52) if card == 8 * 4 + 1)
    assert [plan.actions for plan in planner(match, 1 << nine).plans()] == [()]


def test_no_plan_ends_a_turn_that_may_not_end() -> None:
    piles = {**QUIET, "N": "TS"}
    where = {"hands": ["9H 8S 2C", "3S"], "piles": piles, "stock": "4S", "turn": 0}
    match = at(where, make_rules({"must_play": "hand"}))
    (plan,) = planner(match).plans()
    assert [str(action) for action in plan.actions] == ["play 9H N", "play 8S N"]
    assert planner(match, plan.hand ^ (1 << 52) - 1).plans() == []
