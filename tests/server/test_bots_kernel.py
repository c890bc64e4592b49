"""The kernel is the engine in small: the same ends of turns, deals, beliefs and values."""

import pytest
from attrs import evolve
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from answers import Answer, answers
from bot_deals import applied, chance_of, dealt, play_deal, rule_sets
from kings_engine.actions import EndTurn
from kings_engine.cards import cards_in
from kings_engine.deal import Deal
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import MatchForm, Rules
from kings_engine.scoring import penalty
from kings_engine.turns import act
from kings_engine.view import deal_history, legal_actions, observe
from kings_server.bots import kernel_deal, kernel_play, kernel_table, kernel_turn
from kings_server.bots.beliefs import after, by_play, passed_up
from kings_server.bots.expert import WEIGHTS
from kings_server.bots.kernel import Floats, floats
from kings_server.bots.kernel_past import Replay
from kings_server.bots.kernel_reading import (
    code_of,
    codes_of,
    knobs_of,
    passed_codes,
    table_of,
    taste_of,
    understands,
)
from kings_server.bots.kernel_root import taste_for
from kings_server.bots.outlook import FEW, Outlook, best
from kings_server.bots.planner import EMPTY, TOP, Plan, Planner

MOST = 400
"""Positions of the engine's that a test looks at; turns with more are left out."""

SEEDS = st.integers(0, 2**32)
KNOWN_RULES = rule_sets().filter(understands)


def ends_of(piles: tuple[tuple[int, ...], ...]) -> list[tuple[int, int] | None]:
    return [(pile[0], pile[-1]) if pile else None for pile in piles]


def where(deal: Deal, seat: int) -> tuple[int, int]:
    """Return the position as the kernel sees it."""
    vacated = deal.vacated.bit_count()
    return table_of(deal.rules, ends_of(deal.piles), vacated), codes_of(cards_in(deal.hands[seat]))


def engine_ends(match: Match) -> set[tuple[int, int]] | None:
    """Return where the engine lets the turn end, or go out."""
    seat = match.turn
    assert seat is not None
    ends = set()
    waiting, seen = [match], set()
    while waiting:
        here = waiting.pop()
        own = observe(here, seat).own
        assert own is not None
        assert here.deal is not None
        for action in legal_actions(own):
            if action == EndTurn():
                ends.add(where(here.deal, seat))
                continue
            after = act(here.deal, action)[0]
            exact = tuple(ends_of(after.piles)), after.hands[seat], after.vacated
            if not after.hands[seat]:
                ends.add(where(after, seat))
            elif exact not in seen:
                seen.add(exact)
                waiting.append(applied(here, seat, action))
                if len(seen) > MOST:
                    return None
    return ends


def search(match: Match, tree: kernel_turn.Tree, worth: Floats, players: int) -> None:
    """Let the kernel find all ends of the turn."""
    deal = match.deal
    assert deal is not None
    knobs = knobs_of(deal.rules, opening=deal.turn_number == 0)
    table, hand = where(deal, deal.turn)
    most = kernel_turn.MOST_NODES
    kernel_turn.search_turn(knobs, tree, table, hand, worth, players, most, True)


@given(KNOWN_RULES, SEEDS, st.integers(0, 60), st.booleans())
@settings(max_examples=150)
def test_a_turn_ends_where_the_engine_lets_it_end(
    rules: Rules, seed: int, actions: int, idle: bool
) -> None:
    levels = ["easy" if idle else "medium"] * 4
    match = play_deal(dealt(rules, seed), levels, chance_of(seed), actions)
    assume(match.phase == Phase.PLAY)
    ends = engine_ends(match)
    assume(ends is not None)
    tree = kernel_turn.new_tree()
    search(match, tree, floats(5 * kernel_table.CODES), rules.players)
    assert ends == {
        (tree.table[node], tree.hand[node])
        for node in range(tree.state[kernel_turn.COUNT])
        if tree.ends[node]
    }


def in_small(deal: Deal, match: Match) -> kernel_deal.Deal:
    """Return the engine's deal as the kernel's, hidden cards and all."""
    small = kernel_deal.new_deal()
    for seat in deal.seats:
        small.hand[seat] = codes_of(cards_in(deal.hands[seat]))
        small.held[seat] = deal.hands[seat].bit_count()
        slots = passed_up(deal_history(match, (seat + 1) % deal.rules.players), deal.rules, seat)
        for at, passed in enumerate(slots):
            small.slots[seat * kernel_deal.MOST_CARDS + at] = passed_codes(passed)
    for at, card in enumerate(deal.stock):
        small.stock[at] = code_of(card)
    facts = small.facts
    facts[kernel_deal.TABLE] = where(deal, deal.turn)[0]
    facts[kernel_deal.SHOWN] = codes_of(card for pile in deal.piles for card in pile)
    facts[kernel_deal.TURN] = deal.turn
    facts[kernel_deal.PLAYING] = sum(1 << seat for seat in deal.playing)
    facts[kernel_deal.IDLE] = deal.idle
    facts[kernel_deal.STOCK] = len(deal.stock)
    facts[kernel_deal.FIRST_OUT] = deal.out[0] if deal.out else -1
    return small


@given(KNOWN_RULES, SEEDS, st.integers(0, 60))
@settings(max_examples=40)
def test_a_deal_played_by_the_same_choices_comes_to_the_same_end(
    rules: Rules, seed: int, actions: int
) -> None:
    match = play_deal(dealt(rules, seed), ["easy"] * 4, chance_of(seed), actions)
    assume(match.phase == Phase.PLAY)
    deal = match.deal
    assert deal is not None
    assume(not deal.acted)
    knobs, taste = knobs_of(rules), taste_of(rules, WEIGHTS)
    small, mind = in_small(deal, match), kernel_play.new_mind()
    while match.phase == Phase.PLAY and match.number == 1:
        assert not small.facts[kernel_deal.ENDED]
        assert small.facts[kernel_deal.TURN] == match.turn
        end = kernel_play.choose_end(knobs, taste, small, mind, 200)
        match = played_to(match, mind.tree.table[end], mind.tree.hand[end])
        kernel_play.take_end(knobs, small, mind.tree, end)
        same(match, small)
    assert small.facts[kernel_deal.ENDED]


def played_to(match: Match, table: int, hand: int) -> Match:
    """Return the match after the turn that ends in a position of the kernel's."""
    seat = match.turn
    assert seat is not None
    plans = planner(match).plans(5000)
    (plan, *_) = [plan for plan in plans if plan_ends(match.rules, plan) == (table, hand)]
    for action in plan.turn:
        match = applied(match, seat, action)
    return match


def planner(match: Match) -> Planner:
    assert match.turn is not None
    view = observe(match, match.turn)
    assert view.own is not None
    return Planner(view.own, view.public, deal_history(match, match.turn), match.rules)


def plan_ends(rules: Rules, plan: Plan) -> tuple[int, int]:
    """Return the end of a plan as the kernel sees it, places that were vacated closed."""
    piles = [None if pile == EMPTY else (pile >> 6, pile & TOP) for pile in plan.piles]
    return table_of(rules, piles), codes_of(cards_in(plan.hand))


def same(match: Match, small: kernel_deal.Deal) -> None:
    """Hold the kernel's deal to the engine's."""
    deal = match.deal
    assert deal is not None
    assert small.facts[kernel_deal.TABLE] == table_of(match.rules, ends_of(deal.piles))
    shown = codes_of(card for pile in deal.piles for card in pile)
    assert small.facts[kernel_deal.SHOWN] == shown
    for seat in deal.seats:
        assert small.hand[seat] == codes_of(cards_in(deal.hands[seat]))
        assert small.held[seat] == deal.hands[seat].bit_count()
    stock = list(small.stock[: small.facts[kernel_deal.STOCK]])
    assert stock == [code_of(card) for card in deal.stock]
    assert small.facts[kernel_deal.PLAYING] == sum(1 << seat for seat in deal.playing)
    assert small.facts[kernel_deal.IDLE] == deal.idle
    assert small.facts[kernel_deal.FIRST_OUT] == (deal.out[0] if deal.out else -1)


@given(KNOWN_RULES, SEEDS, st.integers(0, 60), st.integers(-3, 3) | st.none())
@example(preset_rules("pagat", {"match": "elimination"}), 9, 30, 1)  # a draw would put it out
@settings(max_examples=100)
def test_every_end_is_worth_what_expert_thinks(
    rules: Rules, seed: int, actions: int, spare: int | None
) -> None:
    match = play_deal(dealt(rules, seed), ["expert"] * 4, chance_of(seed), actions)
    assume(match.phase == Phase.PLAY)
    deal, seat = match.deal, match.turn
    assert deal is not None
    assert seat is not None
    assume(not deal.acted)
    players = len(deal.playing)
    view, history = observe(match, seat), deal_history(match, seat)
    assert view.own is not None
    others = after(view.own, view.public)
    chances = [by_play(view.own, view.public, history, rules, other) for other in others]
    weights = {number: evolve(of, others=0.6) for number, of in WEIGHTS.items()}
    margin = None if spare is None else penalty(rules, deal.hands[seat]) + spare
    is_close = any(view.public.seats[other].cards <= FEW for other in others)
    feared = margin if is_close else None
    outlook = Outlook(rules, len(deal.stock), chances, weights[players], margin=feared)
    small, mind = in_small(deal, match), kernel_play.new_mind()
    knobs, taste = knobs_of(rules), taste_of(rules, weights)
    if margin is not None:
        taste.margin[seat] = margin
    search(match, mind.tree, taste.worth, players)
    kernel_play.think_of(knobs, taste, small, seat, mind)
    plans = {plan_ends(rules, plan): plan for plan in planner(match).plans(5000) if plan.hand}
    offsets = []
    for node in range(mind.tree.state[kernel_turn.COUNT]):
        end = mind.tree.table[node] & kernel_table.CLOSED, mind.tree.hand[node]
        if mind.tree.ends[node] and end in plans:
            worth = kernel_play.value_of(knobs, taste, small, mind, node, players)
            offsets.append(worth - outlook.value(plans[end]))
    assert offsets == pytest.approx([offsets[0]] * len(offsets)) if offsets else not plans


FEARED = [answer for answer in answers() if answer.rules.match == MatchForm.ELIMINATION]
AT_THE_BOUND = [
    Answer(f"a rival with {cards}", {**FEARED[0].body, "others": [cards]}) for cards in (4, 5)
]


@pytest.mark.parametrize("answer", [*FEARED, *AT_THE_BOUND], ids=lambda answer: answer.name)
def test_points_that_put_a_player_out_are_feared_as_by_expert(answer: Answer) -> None:
    match = answer.match()
    assert match.deal is not None
    view, rules = observe(match, match.deal.turn), match.rules
    own, public = view.own, view.public
    assert own is not None
    others = after(own, public)
    chances = [by_play(own, public, deal_history(match, own.seat), rules, o) for o in others]
    plans = planner(match).plans()
    choice = best(plans, own, public, rules, chances, WEIGHTS[1 + len(others)])
    knobs, taste = knobs_of(rules), taste_for(rules, public)
    mind = kernel_play.new_mind()
    end = kernel_play.choose_end(knobs, taste, in_small(match.deal, match), mind, 200)
    assert (mind.tree.table[end], mind.tree.hand[end]) == plan_ends(rules, choice)


@given(KNOWN_RULES, SEEDS, st.integers(0, 60))
@settings(max_examples=60)
def test_what_was_passed_up_is_what_expert_remembers(rules: Rules, seed: int, actions: int) -> None:
    match = play_deal(dealt(rules, seed), ["expert"] * 4, chance_of(seed), actions)
    replay = Replay(rules, [[] for _ in range(rules.players)])
    replay.follow(deal_history(match, None))
    for seat in range(rules.players):
        remembered = passed_up(deal_history(match, None), rules, seat)
        if not rules.open_hands:  # then expert knows the cards, and has nothing to remember
            assert [held.passed for held in replay.held[seat]] == list(
                map(passed_codes, remembered)
            )
