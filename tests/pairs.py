"""Twins: two matches that one viewer cannot tell apart, although their hidden cards differ.

A twin is made from a match that was played from explicit decks. Up to a version, the viewer and the
table have learned some cards: what was turned up, played, drawn before their eyes, dealt to the
viewer, or shown at a deal's end. The others are permuted among the places of the decks that hold
them, hands and stock alike, and the same actions are applied again. If one of them is no longer
legal, or its public result is another (a king that had to be played is now held by somebody else),
that permutation is no twin and another one is tried.

Whatever the viewer is sent up to that version must be the same for both twins, byte for byte: its
views, its history, the answers to whatever it tries, and what is written to logs. ``twin`` gives
the second match; ``hidden_cards`` says whether the twins differ at all at a version.
"""

import random
from typing import Final, TypeAlias

from attrs import evolve

from kings_engine.actions import BeginDeal
from kings_engine.apply import apply
from kings_engine.cards import Card, cards_in
from kings_engine.errors import Refusal
from kings_engine.events import DealBegan, Drew, Event, Played
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.sources import Deck

Cards: TypeAlias = tuple[Card, ...]

TRIES: Final = 30
"""How many permutations are tried before the pair is given up."""


def states_of(match: Match) -> tuple[Match, ...]:
    """Return the match as it stood at each version, from 0, by applying its steps again."""
    again = new_match(match.rules, match.rotation)
    states = [again]
    for step in match.steps:
        changed = apply(again, step.actor, step.action)
        assert not isinstance(changed, Refusal), changed
        again, _ = changed
        states.append(again)
    return tuple(states)


def twin(
    match: Match, viewer: int | None, version: int, chance: random.Random
) -> tuple[Match, ...] | None:
    """Return the states of a twin of ``match``, one a version from 0 up to ``version``.

    Args:
        match: a match whose deals began from explicit decks.
        viewer: the seat that must not be able to tell the twins apart, or ``None``: a spectator.
        version: up to which version it must not.
        chance: chooses the permutation.

    Returns:
        The twin's states, or nothing if none was found that differs at ``version``.
    """
    states = states_of(match)[: version + 1]
    for _ in range(TRIES):
        others = _played_again(states, viewer, chance)
        if others is not None and hidden_cards(others[-1]) != hidden_cards(states[-1]):
            return others
    return None


def hidden_cards(match: Match) -> tuple[object, ...]:
    """Return who holds which card, and the order of the stock: what twins should differ in."""
    return () if match.deal is None else (match.deal.hands, match.deal.stock)


def seen(event: Event) -> Event:
    """Return an event without the cards that can be hidden in it."""
    match event:
        case DealBegan():
            return evolve(event, hands=())
        case Drew():
            return evolve(event, cards=None)
    return event


def _played_again(
    states: tuple[Match, ...], viewer: int | None, chance: random.Random
) -> tuple[Match, ...] | None:
    """Apply the steps of ``states`` again, each deck permuted where the viewer has not seen it."""
    again = states[0]
    others = [again]
    steps = states[-1].steps
    for index, step in enumerate(steps):
        action = step.action
        if isinstance(action, BeginDeal):
            assert isinstance(action.source, Deck), "twins are made of explicit decks"
            learned = _learned(states, index, viewer)
            action = BeginDeal(Deck(_permuted(action.source.cards, learned, chance)))
        changed = apply(again, step.actor, action)
        if isinstance(changed, Refusal):
            return None
        again, events = changed
        if tuple(map(seen, events)) != tuple(map(seen, step.events)):
            return None
        others.append(again)
    return tuple(others)


def _permuted(
    deck: tuple[Card, ...], learned: set[Card], chance: random.Random
) -> tuple[Card, ...]:
    hidden = [card for card in deck if card not in learned]
    moved = iter(chance.sample(hidden, len(hidden)))
    return tuple(card if card in learned else next(moved) for card in deck)


def _learned(states: tuple[Match, ...], begun: int, viewer: int | None) -> set[Card]:
    """Return what the viewer and the table have seen of the deal that step ``begun`` began."""
    rules = states[0].rules
    learned: set[Card] = set()
    steps = states[-1].steps
    for index in range(begun, len(steps)):
        if index > begun and isinstance(steps[index].action, BeginDeal):
            break
        for event in steps[index].events:
            learned |= _shown(event, viewer, everything=rules.open_hands)
            if isinstance(event, Drew) and rules.open_stock:
                learned |= set(event.cards or ())
        deal = states[index + 1].deal
        if deal is None:
            continue
        if rules.open_stock and deal.stock:
            learned.add(deal.stock[-1])
        if states[index + 1].phase != Phase.PLAY:  # over or abandoned: all hands are shown
            learned |= {card for hand in deal.hands for card in cards_in(hand)}
    return learned


def _shown(event: Event, viewer: int | None, *, everything: bool) -> set[Card]:
    """Return the cards that the event itself shows to the viewer."""
    match event:
        case DealBegan(turned=turned, hands=hands):
            shown = {card for card, _ in turned}
            for seat, hand in enumerate(hands):
                if hand is not None and (everything or seat == viewer):
                    shown |= set(hand)
            return shown
        case Drew(seat, _, cards):
            return set(cards or ()) if everything or seat == viewer else set()
        case Played(card=card):
            return {card}
    return set()
