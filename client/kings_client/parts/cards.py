"""Cards as boxes, in three sizes: faces, the back, and the outline of an empty place."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from attrs import frozen

from kings_client.parts.canvas import Canvas, pad, width_of
from kings_client.style import Look, face_ink
from kings_engine.cards import RANKS, Card


@frozen
class CardSize:
    """Columns and rows of a card, its frame included."""

    width: int
    height: int


COMPACT: Final = CardSize(5, 3)
LARGE: Final = CardSize(7, 5)
FULL: Final = CardSize(9, 7)

_JACK: Final = 10
"""The lowest rank with a picture."""

_SIDES: Final = ((-1, -2), (1, -2), (-1, 2), (1, 2))
_WAIST: Final = ((-1, 0), (1, 0))
_RIBS: Final = ((-1, -1), (1, -1), (-1, 1), (1, 1))
_PIPS: Final[Mapping[int, tuple[tuple[int, int], ...]]] = {
    2: ((0, -1), (0, 1)),
    3: ((0, -2), (0, 0), (0, 2)),
    4: _RIBS,
    5: (*_RIBS, (0, 0)),
    6: (*_RIBS, *_WAIST),
    7: (*_RIBS, *_WAIST, (0, -2)),
    8: (*_RIBS, *_WAIST, (0, -2), (0, 2)),
    9: (*_RIBS, *_SIDES, (0, 0)),
    10: (*_RIBS, *_SIDES, (0, -1), (0, 1)),
}
"""Where the suit is printed on a full face, by how often: columns and rows from its middle."""


@frozen
class Dress:
    """How a card's frame is drawn: with which symbols and style, and which mark at its foot."""

    frame: str
    style: str
    mark: str = ""


def dress(
    look: Look,
    *,
    chosen: bool = False,
    picked: bool = False,
    target: bool = False,
    playable: bool = False,
) -> Dress:
    """Return the frame that says what can be done with a card or a place, or was done."""
    frame = look.picked if picked else look.chosen if chosen else look.frame
    mark = look.target if target else look.playable if playable else ""
    kind = "target" if target else "playable" if playable else "edge"
    return Dress(frame, "class:chosen" if chosen or picked else f"class:{kind}", mark)


@lru_cache(maxsize=512)
def face(card: Card, size: CardSize, look: Look, how: Dress) -> Canvas:
    """Draw a card face up. What is returned is shared, and only to be pasted."""
    canvas = Canvas(size.width, size.height)
    style = face_ink(card)
    inner = size.width - 2
    canvas.fill(1, 1, inner, size.height - 2, style)
    # Among pips that repeat the suit, the rank alone is clearer.
    name = look.card(card)[:-1] if size == FULL and 0 < card >> 2 < _JACK else look.card(card)
    canvas.put(1, 1, name, style)
    if size.height > 3:
        canvas.put(size.width - 1 - len(name), size.height - 2, name, style)
        for x, y, text in _print(card, size, look):
            canvas.put(x, y, text, style)
    draw_frame(canvas, size.height, how)
    return canvas


def _print(card: Card, size: CardSize, look: Look) -> Iterator[tuple[int, int, str]]:
    """Give what is printed in the middle of a face: its suit, as often as there is room for it."""
    rank, suit = card >> 2, look.suits[card & 3]
    x, y = size.width // 2, size.height // 2
    if size != FULL or rank == 0:
        yield x, y, suit
    elif rank >= _JACK:
        yield x, y - 1, suit
        yield x, y, RANKS[rank]
        yield x, y + 1, suit
    else:
        for column, row in _PIPS[rank + 1]:
            yield x + column, y + row, suit


def peek(card: Card, rows: int, size: CardSize, look: Look, how: Dress) -> Canvas:
    """Draw what shows of a card that lies under another: ``rows`` of it, and always its name."""
    canvas = face(card, size, look, how)
    shown = Canvas(size.width, rows)
    shown.paste(0, 0, canvas)
    name = look.card(card)
    shown.put(1, min(rows - 1, 1), name if rows == 1 else pad(name, size.width - 2), face_ink(card))
    return shown


@lru_cache(maxsize=16)
def back(size: CardSize, look: Look, how: Dress) -> Canvas:
    """Draw a card face down. What is returned is shared, and only to be pasted."""
    canvas = Canvas(size.width, size.height)
    for row in range(1, size.height - 1):
        canvas.put(1, row, look.back * (size.width - 2), "class:back")
    draw_frame(canvas, size.height, how)
    return canvas


def hollow(text: str, size: CardSize, look: Look, how: Dress) -> Canvas:
    """Draw the outline of an empty place, with a word of what may be laid there."""
    canvas = Canvas(size.width, size.height)
    if how.frame == look.frame:
        how = Dress(look.hollow, "class:hollow" if not how.mark else how.style, how.mark)
    left = 1 + max(size.width - 2 - width_of(text), 0) // 2
    canvas.put(left, size.height // 2, text[: size.width - 2], "class:hollow")
    draw_frame(canvas, size.height, how)
    return canvas


def draw_frame(canvas: Canvas, height: int, how: Dress) -> None:
    """Draw a frame round the first ``height`` rows of a canvas, with the mark at its foot."""
    top_left, top_right, low_left, low_right, flat, upright = tuple(how.frame)
    last = canvas.width - 1
    canvas.put(0, 0, top_left + flat * (last - 1) + top_right, how.style)
    for row in range(1, height - 1):
        canvas.put(0, row, upright, how.style)
        canvas.put(last, row, upright, how.style)
    canvas.put(0, height - 1, low_left + flat * (last - 1) + low_right, how.style)
    if how.mark:
        canvas.put(canvas.width // 2, height - 1, how.mark, how.style)
