"""Cards in running text."""

from typing import Final

from kings_client.words.tongue import CASES, Worded, later_as, later_noun, noun, tell, tell_as
from kings_engine.cards import Card, is_red

_RANKS: Final = (
    later_noun("rank", "ace"),
    later_noun("rank", "2"),
    later_noun("rank", "3"),
    later_noun("rank", "4"),
    later_noun("rank", "5"),
    later_noun("rank", "6"),
    later_noun("rank", "7"),
    later_noun("rank", "8"),
    later_noun("rank", "9"),
    later_noun("rank", "10"),
    later_noun("rank", "jack"),
    later_noun("rank", "queen"),
    later_noun("rank", "king"),
)
_SUITS: Final = (
    later_as("suit after a rank", "spades"),
    later_as("suit after a rank", "hearts"),
    later_as("suit after a rank", "clubs"),
    later_as("suit after a rank", "diamonds"),
)

RANK_NAMES: Final = tuple(name for _, name in _RANKS)
"""The ranks as they are typed in English."""

SUIT_NAMES: Final = tuple(name for _, name in _SUITS)
"""The suits as they are typed in English."""


def rank_words() -> dict[str, int]:
    """Return the words for ranks in the language in use, in every case, with their ranks."""
    named = {at: noun(rank) for at, rank in enumerate(_RANKS)}
    return {format(word, case): at for case in ("", *CASES) for at, word in named.items()}


def suit_words() -> dict[str, int]:
    """Return the words for suits in the language in use, with their suits."""
    return {tell_as(*suit): at for at, suit in enumerate(_SUITS)}


def the_card(card: Card) -> Worded:
    """Return a card by its full name: ``9 of hearts``."""
    rank, suit = noun(_RANKS[card >> 2]), tell_as(*_SUITS[card & 3])
    return Worded(lambda case: tell("{rank} of {suit}", rank=format(rank, case), suit=suit))


def definite(card: Card) -> Worded:
    """Return a card as one that is in sight: ``the 9 of hearts``."""
    named = the_card(card)
    return Worded(lambda case: tell("the {card}", card=format(named, case)))


def kind(card: Card) -> Worded:
    """Return a card's colour and rank: ``red 9``."""
    return _kind(card >> 2, red=is_red(card))


def wanted(card: Card) -> Worded:
    """Return the kind of card that ``card`` goes on: ``black 10``. It must be no king."""
    return _kind((card >> 2) + 1, red=not is_red(card))


def _kind(rank: int, *, red: bool) -> Worded:
    named = noun(_RANKS[rank])
    if red:
        return Worded(lambda case: tell("red {rank}", rank=format(named, case)))
    return Worded(lambda case: tell("black {rank}", rank=format(named, case)))
