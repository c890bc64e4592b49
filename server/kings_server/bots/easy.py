"""Easy: overlooks about one playable card in four, and takes what comes to mind (002).

A card overlooked stays overlooked for the whole turn. Nothing remembers that from one action to
the next: the draw is made anew each time from what does not change within a turn and no other
player knows, the cards that the seat has had in its hand this turn.
"""

import random
from hashlib import blake2b
from typing import Final

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import DECK_SIZE, Card, Hand, hand_of
from kings_engine.events import Event, Played, TurnBegan
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, legal_actions

_DECK_MASK: Final = (1 << DECK_SIZE) - 1


def choose(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,  # noqa: ARG001  what is legal says all that it needs
    rng: random.Random,
) -> SeatAction:
    """Return easy's next action."""
    missed = overlooked(own, public, history)
    noticed = [
        action
        for action in legal_actions(own)
        if not isinstance(action, EndTurn) and not missed >> _card(action, public) & 1
    ]
    if noticed:
        return rng.choice(noticed)
    if own.may_end:
        return EndTurn()
    return rng.choice(legal_actions(own))


def overlooked(own: Own, public: Public, history: tuple[Event, ...]) -> Hand:
    """Return the cards that easy does not see to be playable in this turn: each one in four."""
    held = hand_of(own.hand) | hand_of(_played_this_turn(history))
    drawn = blake2b(
        f"{public.deal} {public.turn_number} {own.seat} {held}".encode(), digest_size=16
    ).digest()
    bits = int.from_bytes(drawn)
    return bits & bits >> DECK_SIZE & _DECK_MASK


def _played_this_turn(history: tuple[Event, ...]) -> list[Card]:
    cards = []
    for event in reversed(history):
        if isinstance(event, TurnBegan):
            break
        if isinstance(event, Played) and not event.from_stock:
            cards.append(event.card)
    return cards


def _card(action: Play | Move | PlayStock, public: Public) -> Card:
    """Return the card that has to be noticed: of a pile, its bottom card."""
    match action:
        case Play(card, _):
            return card
        case Move(source, _):
            return public.piles[source][0]
        case PlayStock():
            if public.stock_top is None:
                raise ValueError("the stock is not open")
            return public.stock_top
