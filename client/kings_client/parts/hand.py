"""A hand in its order, however many cards it has."""

from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

from kings_client.parts.canvas import Canvas, OnCard, Spot
from kings_client.parts.cards import COMPACT, CardSize, Dress, dress, face
from kings_client.style import Look, ink
from kings_client.words.tongue import tell
from kings_engine.cards import Card, is_red

_NARROWEST = 4
"""Columns of a card of which the next one covers the rest: its edge and its name."""

_LISTED = 6
"""Columns of a card without a box."""

_KEYS: Final[Mapping[str, Callable[[Card], tuple[int, ...]]]] = {
    "rank": lambda card: (-(card >> 2), card & 3),
    "colour": lambda card: (is_red(card), -(card >> 2), card & 3),
    "suit": lambda card: (card & 3, -(card >> 2)),
}
"""What sorts a hand from left to right; sorted by rank, kings come first (002)."""


@frozen
class HandMarks:
    """What is marked in the hand: the cursor, what is picked, and what can be played."""

    cursor: Spot | None = None
    picked: Spot | None = None
    playable: frozenset[Card] = frozenset()


@frozen
class HandOrder:
    """How a player wants the hand: sorted, or as it was laid by hand.

    Attributes:
        sorting: ``rank``, ``colour`` or ``suit``.
        by_hand: the cards from left to right once they were moved by hand; none before.
    """

    sorting: str = "rank"
    by_hand: tuple[Card, ...] = ()


def arranged(hand: tuple[Card, ...], order: HandOrder) -> tuple[Card, ...]:
    """Return the hand from left to right; cards drawn since it was laid by hand come last."""
    laid = tuple(card for card in order.by_hand if card in hand)
    rest = (card for card in hand if card not in laid)
    return laid + tuple(sorted(rest, key=_KEYS[order.sorting]))


def sorted_hand(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the hand from kings down to aces, suits of a rank always in the same order (002)."""
    return arranged(hand, HandOrder())


def hand_height(size: CardSize) -> int:
    """Return the rows that a hand takes: a card, and one more for a picked card to rise."""
    return size.height + 1


def hand(
    ordered: tuple[Card, ...], marks: HandMarks, width: int, size: CardSize, look: Look
) -> Canvas:
    """Draw the hand over ``width`` columns, as it is ordered.

    Cards lie side by side while there is room, then over one another, and without boxes when even
    that is too wide. A picked card stands a row higher.
    """
    canvas = Canvas(width, hand_height(size))
    if not ordered:
        canvas.put(2, 1, tell("no cards"), "class:dim")
        return canvas
    room = width - size.width
    pitch = min(size.width, room // max(len(ordered) - 1, 1))
    if pitch < _NARROWEST and size != COMPACT:
        return _bottom(hand(ordered, marks, width, COMPACT, look), canvas.height)
    if pitch < _NARROWEST:
        return _listed(ordered, marks, canvas, look)
    order = sorted(range(len(ordered)), key=lambda at: OnCard(ordered[at]) == marks.cursor)
    for at in order:
        card = ordered[at]
        drawn = face(card, size, look, _dress(card, marks, look))
        canvas.paste(at * pitch, 0 if OnCard(card) == marks.picked else 1, drawn)
    for at, card in enumerate(ordered):
        canvas.mark(at * pitch, 0, size.width, canvas.height, OnCard(card))
    return canvas


def _dress(card: Card, marks: HandMarks, look: Look) -> Dress:
    return dress(
        look,
        chosen=OnCard(card) == marks.cursor,
        picked=OnCard(card) == marks.picked,
        playable=card in marks.playable,
    )


def _bottom(drawn: Canvas, height: int) -> Canvas:
    canvas = Canvas(drawn.width, height)
    canvas.paste(0, height - drawn.height, drawn)
    return canvas


def _listed(ordered: tuple[Card, ...], marks: HandMarks, canvas: Canvas, look: Look) -> Canvas:
    across = canvas.width // _LISTED
    for at, card in enumerate(ordered):
        row, column = divmod(at, across)
        how = _dress(card, marks, look)
        x, text = column * _LISTED, look.card(card) + how.mark
        canvas.put(x + 1, row, look.card(card), ink(card))
        canvas.put(x + 1 + len(look.card(card)), row, how.mark, how.style)
        if OnCard(card) in (marks.cursor, marks.picked):
            left, right = "<>" if OnCard(card) == marks.picked else "[]"
            canvas.put(x, row, left, how.style)
            canvas.put(x + 1 + len(text), row, right, how.style)
        canvas.mark(x, row, _LISTED, 1, OnCard(card))
    return canvas
