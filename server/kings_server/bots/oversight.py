"""Which cards a careless bot overlooks in a turn.

A card overlooked stays overlooked for the whole turn. Nothing remembers that from one action to
the next: the draw is made anew each time from what does not change within a turn and no other
player knows, the cards that the seat has had in its hand this turn.
"""

from hashlib import blake2b
from typing import Final

from kings_engine.cards import DECK_SIZE, Card, Hand, hand_of
from kings_engine.events import Event, Played, TurnBegan
from kings_engine.view import Own, Public

_DECK_MASK: Final = (1 << DECK_SIZE) - 1


def overlooked(own: Own, public: Public, history: tuple[Event, ...], halvings: int) -> Hand:
    """Return the cards that are overlooked this turn: each one in two to the power ``halvings``."""
    held = hand_of(own.hand) | hand_of(_played_this_turn(history))
    label = f"{public.deal} {public.turn_number} {own.seat} {held}"
    bits = int.from_bytes(blake2b(label.encode(), digest_size=64).digest())
    missed = _DECK_MASK
    for _ in range(halvings):
        missed &= bits
        bits >>= DECK_SIZE
    return missed


def _played_this_turn(history: tuple[Event, ...]) -> list[Card]:
    cards = []
    for event in reversed(history):
        if isinstance(event, TurnBegan):
            break
        if isinstance(event, Played) and not event.from_stock:
            cards.append(event.card)
    return cards
