"""Cards in running text."""

from typing import Final

from kings_engine.cards import Card, is_red

RANK_NAMES: Final = (
    "ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king",
)  # fmt: skip
SUIT_NAMES: Final = ("spades", "hearts", "clubs", "diamonds")


def the_card(card: Card) -> str:
    """Return a card by its full name: ``9 of hearts``."""
    return f"{RANK_NAMES[card >> 2]} of {SUIT_NAMES[card & 3]}"


def article(noun: str) -> str:
    """Return ``a`` or ``an`` before a rank or a colour and rank: ``an 8``, ``an ace``."""
    return f"an {noun}" if noun[0] == "a" or noun.startswith("8") else f"a {noun}"


def kind(card: Card) -> str:
    """Return a card's colour and rank: ``red 9``."""
    return f"{'red' if is_red(card) else 'black'} {RANK_NAMES[card >> 2]}"


def wanted(card: Card) -> str:
    """Return the kind of card that ``card`` goes on: ``black 10``. It must be no king."""
    return f"{'black' if is_red(card) else 'red'} {RANK_NAMES[(card >> 2) + 1]}"
