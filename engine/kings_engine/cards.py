"""Cards and hands.

A card is a number from 0 to 51: ``rank * 4 + suit``, with ranks 0 (ace) to 12 (king) and the suits
in the order ♠ ♥ ♣ ♦, so that the lowest bit is the colour. A hand is a set of cards, kept as an
integer with bit ``n`` set for card ``n``: adding, removing and asking are single operations, and
two hands with the same cards are equal.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

Card: TypeAlias = int
Hand: TypeAlias = int

DECK_SIZE: Final = 52
ACE: Final = 0
KING: Final = 12

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHCD"
ALL_KINGS: Final[Hand] = 0b1111 << (KING * 4)


def rank(card: Card) -> int:
    """Return the card's rank, 0 (ace, low) to 12 (king)."""
    return card >> 2


def suit(card: Card) -> int:
    """Return the card's suit: 0 ♠, 1 ♥, 2 ♣, 3 ♦."""
    return card & 3


def is_red(card: Card) -> bool:
    """Say whether the card is a heart or a diamond."""
    return bool(card & 1)


def card_str(card: Card) -> str:
    """Return the card's canonical name, rank then suit: ``TH``, ``KS``."""
    return RANKS[card >> 2] + SUITS[card & 3]


def parse_card(text: str) -> Card:
    """Return the card that ``text`` names; ``10`` is taken for ``T``, and case does not matter.

    Raises:
        ValueError: ``text`` names no card.
    """
    name = text.strip().upper().replace("10", "T")
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ValueError(f"{text!r} is not a card: write a rank ({RANKS}) and a suit ({SUITS})")
    return RANKS.index(name[0]) * 4 + SUITS.index(name[1])


def fits(card: Card, top: Card) -> bool:
    """Say whether ``card`` goes on ``top``: one rank lower, of the other colour (all sources)."""
    return (top >> 2) - (card >> 2) == 1 and (card ^ top) & 1 == 1


def hand_of(cards: Iterable[Card]) -> Hand:
    """Return the hand that holds ``cards``."""
    hand = 0
    for card in cards:
        hand |= 1 << card
    return hand


@lru_cache(maxsize=4096)
def cards_in(hand: Hand) -> tuple[Card, ...]:
    """Return the hand's cards, lowest number (aces) first."""
    cards = []
    while hand:
        low = hand & -hand
        cards.append(low.bit_length() - 1)
        hand ^= low
    return tuple(cards)


FITTING: Final[tuple[Hand, ...]] = tuple(
    hand_of(card for card in range(DECK_SIZE) if fits(card, top)) for top in range(DECK_SIZE)
)
"""For each card lying on top of a pile, the two cards that go on it (none on an ace)."""
