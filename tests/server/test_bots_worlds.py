"""Sampled deals: they hold what is hidden, and explain what the others did."""

from collections.abc import Iterator

from attrs import frozen
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot_deals import chance_of, dealt, play_deal, rule_sets
from kings_engine.cards import cards_in
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_engine.view import deal_history, observe
from kings_server.bots.kernel_deal import SEATS, STOCK, Deal
from kings_server.bots.kernel_past import Replay, others_turns
from kings_server.bots.kernel_play import Taste
from kings_server.bots.kernel_reading import codes_of, knobs_of, understands
from kings_server.bots.kernel_root import root_of, taste_for
from kings_server.bots.kernel_table import CODES, code_taken, copies, with_card
from kings_server.bots.kernel_turn import Knobs
from kings_server.bots.kernel_worlds import (
    UNLIKE,
    Past,
    Worlds,
    begin_worlds,
    explain,
    new_worlds,
    shuffle_on,
)

SEEDS = st.integers(0, 2**32)
KNOWN_RULES = rule_sets().filter(understands)
ACTIONS = st.integers(0, 60)


@frozen
class Guess:
    """What the seat on turn guesses of the hidden cards of a match, and what it goes by."""

    knobs: Knobs
    taste: Taste
    root: Deal
    past: Past
    worlds: Worlds

    def exchange(self, steps: int) -> None:
        shuffle_on(self.knobs, self.taste, self.root, self.past, self.worlds, steps)


def guessed(match: Match, seed: int) -> Guess:
    """Return a first guess of the seat on turn."""
    assert match.turn is not None
    view, rules = observe(match, match.turn), match.rules
    assert view.own is not None
    replay = Replay(rules, [[] for _ in view.public.seats])
    replay.follow(deal_history(match, match.turn))
    guess = Guess(
        knobs_of(rules),
        taste_for(rules, view.public),
        root_of(view.own, view.public, replay, rules),
        others_turns(replay, view.own, view.public),
        new_worlds(),
    )
    guess.worlds.chance[0] = 1 + seed % 1000
    begin_worlds(guess.knobs, guess.taste, guess.root, guess.past, guess.worlds)
    return guess


def played(rules: Rules, seed: int, actions: int) -> Match:
    """Return a match in which experts have done so much of the first deal."""
    return play_deal(dealt(rules, seed), ["expert"] * 4, chance_of(seed), actions)


def late_guesses() -> Iterator[Guess]:
    """Guess in some deals of which much has been played."""
    for seed in range(12):
        match = played(preset_rules("pagat"), seed, 40)
        if match.phase == Phase.PLAY:
            yield guessed(match, seed)


@given(KNOWN_RULES, SEEDS, ACTIONS)
@settings(max_examples=40)
def test_they_hold_the_cards_that_are_not_seen(rules: Rules, seed: int, actions: int) -> None:
    match = played(rules, seed, actions)
    assume(match.phase == Phase.PLAY)
    guess, deal = guessed(match, seed), match.deal
    assert deal is not None
    for steps in (0, 1, 30):
        guess.exchange(steps)
        sampled = [0] * CODES
        hands = [guess.worlds.deal.hand[other] for other in range(rules.players)]
        for code in range(CODES):
            sampled[code] += sum(copies(hand, code) for hand in hands)
        for place in range(guess.root.facts[STOCK]):
            sampled[guess.worlds.deal.stock[place]] += 1
        hidden = [*deal.stock, *(card for hand in deal.hands for card in cards_in(hand))]
        doubled = [sum(1 for card in hidden if codes_of([card]) == 1 << c) for c in range(CODES)]
        assert sampled == doubled
        for other, hand in enumerate(hands):
            held = sum(copies(hand, code) for code in range(CODES))
            assert held == deal.hands[other].bit_count()


@given(KNOWN_RULES, SEEDS, ACTIONS)
@settings(max_examples=40)
def test_what_was_played_was_held_by_then(rules: Rules, seed: int, actions: int) -> None:
    match = played(rules, seed, actions)
    assume(match.phase == Phase.PLAY)
    guess = guessed(match, seed)
    past = guess.past
    for steps in (0, 30, 300):
        guess.exchange(steps)
        for turn in range(past.number[0]):
            hand, taken = guess.worlds.hand[turn], past.taken[turn]
            held = sum(copies(hand, code) for code in range(CODES))
            assert held == past.held[turn * SEATS + past.seat[turn]]
            assert all(copies(hand, code) >= copies(taken, code) for code in range(CODES))


def test_they_come_to_explain_what_experts_did() -> None:
    turns = unlike = 0
    for guess in late_guesses():
        guess.exchange(2000)
        turns += guess.past.number[0]
        unlike += sum(gap == UNLIKE for gap in guess.worlds.gap[: guess.past.number[0]])
    assert turns > 40
    assert unlike < 0.05 * turns


def test_who_could_have_gone_out_did_not_hold_that_hand() -> None:
    tried = 0
    for guess in late_guesses():
        past, worlds = guess.past, guess.worlds
        for turn in range(past.number[0]):
            fits = code_taken(past.before[turn], 0)
            if past.before[turn] == past.after[turn] and fits & 15:
                worlds.hand_then[turn] = with_card(0, fits)
                explain(guess.knobs, guess.taste, past, turn, worlds)
                assert worlds.gap_then[turn] == UNLIKE
                tried += 1
    assert tried > 3
