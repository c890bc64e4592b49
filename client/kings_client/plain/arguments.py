"""Reads the cards and places that a person types, in any order and many spellings."""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from kings_client.words.cards import RANK_NAMES, SUIT_NAMES, definite, rank_words, suit_words
from kings_client.words.spoken import PLACE_NAMES, place_words
from kings_client.words.tongue import any_of, later_as, tell_as
from kings_engine.cards import RANKS, SUITS, Card, parse_card
from kings_engine.places import PLACES, Place

FILLERS: Final = later_as("words that say nothing", "the of on onto to from at card pile")
"""Words that may be written and say nothing."""

_SYMBOLS: Final = str.maketrans("♠♥♣♦♤♡♧♢", "SHCDSHCD")
_NAMED_RANKS: Final = {name: at for at, name in enumerate(RANK_NAMES)} | {"ten": 9, "one": 0}
_RANKS: Final = {letter.lower(): at for at, letter in enumerate(RANKS)} | _NAMED_RANKS
_SUITS: Final = (
    {letter.lower(): at for at, letter in enumerate(SUITS)}
    | {name: at for at, name in enumerate(SUIT_NAMES)}
    | {name.removesuffix("s"): at for at, name in enumerate(SUIT_NAMES)}
)
_PLACES: Final = (
    {name.lower(): at for at, name in enumerate(PLACES)}
    | {name: at for at, name in enumerate(PLACE_NAMES)}
    | {name.replace("-", ""): at for at, name in enumerate(PLACE_NAMES)}
)


@frozen
class Given:
    """What was found in the words of a command.

    Attributes:
        cards: the cards named whole.
        ranks: ranks named without a suit.
        places: the places, in order.
        strange: what was not understood.
    """

    cards: tuple[Card, ...] = ()
    ranks: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()
    strange: tuple[str, ...] = ()


def read(words: Sequence[str]) -> Given:
    """Return the cards and places that ``words`` name.

    A card is written in one word, rank and suit in either order (``9h``, ``h9``, ``10h``, ``♥9``),
    or in two (``9 h``, ``queen of hearts``). The letter ``s`` after a lone rank is spades where
    another word names a place, and otherwise the place.
    """
    fillers = {*FILLERS[1].split(), *tell_as(*FILLERS).split()}
    given = [word for word in (raw.lower().strip(",.;") for raw in words) if word not in fillers]
    english = _in_english()
    left = [english.get(word, word) for word in given]
    cards: list[Card] = []
    ranks: list[int] = []
    places: list[Place] = []
    strange: list[str] = []
    at = 0
    while at < len(left):
        word, after = left[at], left[at + 1] if at + 1 < len(left) else ""
        rest = left[at + 2 :] + [_PLACES_BEFORE] * bool(places)
        at += 1
        if (card := _card(word)) is not None:
            cards.append(card)
        elif word in _RANKS and _is_suit(after, rest):
            cards.append(_RANKS[word] * 4 + _SUITS[after])
            at += 1
        elif word in _PLACES:
            places.append(_PLACES[word])
        elif word in _RANKS:
            ranks.append(_RANKS[word])
        else:
            strange.append(word)
    return Given(tuple(cards), tuple(ranks), tuple(places), tuple(strange))


def _in_english() -> dict[str, str]:
    """Return the English words by those of the language in use."""
    return {
        **{word: RANK_NAMES[rank] for word, rank in rank_words().items()},
        **{word: SUIT_NAMES[suit] for word, suit in suit_words().items()},
        **{word: PLACE_NAMES[place] for word, place in place_words().items()},
    }


_PLACES_BEFORE: Final = "n"
"""Stands for a place that was named before: any place's name would do."""


def _is_suit(word: str, rest: Iterable[str]) -> bool:
    if word not in _SUITS:
        return False
    return word not in _PLACES or any(other in _PLACES for other in rest)


def _card(word: str) -> Card | None:
    plain = word.translate(_SYMBOLS)
    for spelled in (plain, plain[1:] + plain[:1]):
        try:
            return parse_card(spelled)
        except ValueError:
            continue
    return None


def named_in(given: Given, hand: Sequence[Card]) -> tuple[Card, ...]:
    """Return the cards that are meant: those named, and those of the hand with a named rank."""
    return given.cards + tuple(card for card in hand if card >> 2 in given.ranks)


def or_cards(cards: Sequence[Card]) -> str:
    """Return cards as a choice."""
    return any_of(map(definite, cards))
