"""One's own hand, from kings down to aces, however many cards it has."""

from attrs import frozen

from kings_client.parts.canvas import Canvas, OnCard, Spot
from kings_client.parts.cards import COMPACT, CardSize, Dress, dress, face
from kings_client.style import Look, ink
from kings_engine.cards import Card

_NARROWEST = 4
"""Columns of a card of which the next one covers the rest: its edge and its name."""

_LISTED = 6
"""Columns of a card without a box."""


@frozen
class HandMarks:
    """What is marked in the hand: the cursor, what is picked, and what can be played."""

    cursor: Spot | None = None
    picked: Spot | None = None
    playable: frozenset[Card] = frozenset()


def sorted_hand(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the hand from kings down to aces, suits of a rank always in the same order (002)."""
    return tuple(sorted(hand, key=lambda card: (-(card >> 2), card & 3)))


def hand_height(size: CardSize) -> int:
    """Return the rows that a hand takes: a card, and one more for a picked card to rise."""
    return size.height + 1


def hand(
    cards: tuple[Card, ...], marks: HandMarks, width: int, size: CardSize, look: Look
) -> Canvas:
    """Draw the hand over ``width`` columns.

    Cards lie side by side while there is room, then over one another, and without boxes when even
    that is too wide. A picked card stands a row higher.
    """
    ordered = sorted_hand(cards)
    canvas = Canvas(width, hand_height(size))
    if not ordered:
        canvas.put(2, 1, "no cards", "class:dim")
        return canvas
    room = width - size.width
    pitch = min(size.width, room // max(len(ordered) - 1, 1))
    if pitch < _NARROWEST and size != COMPACT:
        return _bottom(hand(cards, marks, width, COMPACT, look), canvas.height)
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
