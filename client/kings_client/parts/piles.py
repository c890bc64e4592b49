"""The table's middle: eight places round the stock, or four under the layout of corners."""

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kings_client.parts.canvas import Canvas, OnPlace, OnStock, Spot
from kings_client.parts.cards import CardSize, Dress, back, dress, face, hollow, peek
from kings_client.style import Look
from kings_client.words.tongue import tell
from kings_engine.places import CORNERS, PLACE_COUNT, Place, is_corner, place_str
from kings_engine.rules import EmptyPlace, Layout, Rules
from kings_engine.view import Public

GRID: Final[Mapping[Place, tuple[int, int]]] = {
    7: (0, 0),
    0: (1, 0),
    4: (2, 0),
    3: (0, 1),
    1: (2, 1),
    6: (0, 2),
    2: (1, 2),
    5: (2, 2),
}
"""Each place's column and row; the stock is in the middle of them."""

DIGITS: Final[Mapping[str, Place | None]] = {
    "7": 7,
    "8": 0,
    "9": 4,
    "4": 3,
    "5": None,
    "6": 1,
    "1": 6,
    "2": 2,
    "3": 5,
}
"""The keys of a number pad lie as the places do; ``5`` is the stock."""

_DIGIT_OF: Final = {place: digit for digit, place in DIGITS.items()}
_BESIDE: Final = 7
"""Columns beside a card for the place's name and the count."""


@frozen
class Marks:
    """What is marked on the table.

    Attributes:
        cursor: what the keyboard is on.
        picked: what was picked up.
        targets: the places that take it.
        movable: the piles that could be picked up with a use.
        stock_playable: whether the top of the open stock could be.
        touched: the places where others laid something since one's own last action.
    """

    cursor: Spot | None = None
    picked: Spot | None = None
    targets: frozenset[Place] = frozenset()
    movable: frozenset[Place] = frozenset()
    stock_playable: bool = False
    touched: frozenset[Place] = frozenset()


def places_of(rules: Rules) -> tuple[Place, ...]:
    """Return the places that the rules' layout has."""
    return CORNERS if rules.layout == Layout.CORNERS else tuple(range(PLACE_COUNT))


def welcome_at(place: Place, rules: Rules, public: Public) -> str:
    """Say in three letters what an empty place takes."""
    if is_corner(place) and rules.layout == Layout.CROSS:
        return "K"
    if rules.empty_place == EmptyPlace.NOT_KING:
        return "A-Q"
    if rules.empty_place == EmptyPlace.VACATED and place not in public.vacated:
        return "K"
    return tell("any")


@frozen
class Spread:
    """How piles are fanned.

    Attributes:
        above: rows above each top card, at least two; more than there are go to no pile.
        top: rows that show of the card below a top card.
        others: rows that show of each card below that; none to stack them.
    """

    above: int = 2
    top: int = 2
    others: int = 0


STACKED: Final = Spread()
"""The least room: the bottom card shows, and the others are counted."""


def piles_size(size: CardSize, above: int = 2) -> tuple[int, int]:
    """Return the columns and rows that ``piles`` takes with cards of ``size``."""
    return 3 * (size.width + _BESIDE), 3 * (size.height + above) + 2


def fanned(count: int, spread: Spread) -> list[int]:
    """Return how many rows show of each card of a pile below its top card, from the bottom.

    The bottom card always shows. Where there is no room for all, those next above it are covered,
    as the table needs them least.
    """
    if count < 2:
        return []
    rows = [spread.others] * (count - 1)
    rows[0] = 2
    rows[-1] = spread.top
    while sum(rows) > spread.above:
        wide = next((at for at in range(1, len(rows)) if rows[at] > 1), None)
        at = wide or next((at for at in range(1, len(rows)) if rows[at]), 0)
        rows[at] -= 1
    return rows


def piles(
    public: Public,
    rules: Rules,
    marks: Marks,
    size: CardSize,
    look: Look,
    spread: Spread = STACKED,
) -> Canvas:
    """Draw the places and the stock.

    A pile shows its top card with the others peeking out above it, the bottom card always among
    them, and its count beside it. The top card stays where it is whatever happens to the pile.
    """
    width, height = piles_size(size, spread.above)
    canvas = Canvas(width, height)
    pitch = size.height + spread.above + 1
    for place in places_of(rules):
        column, row = GRID[place]
        drawn = _pile(public, rules, place, marks, size, look, spread)
        canvas.paste(column * (size.width + _BESIDE), row * pitch, drawn)
    stock = _stock(public, marks, size, look)
    canvas.paste(size.width + _BESIDE, pitch + spread.above - 2, stock)
    return canvas


def _pile(
    public: Public,
    rules: Rules,
    place: Place,
    marks: Marks,
    size: CardSize,
    look: Look,
    spread: Spread,
) -> Canvas:
    pile, above = public.piles[place], spread.above
    here = OnPlace(place)
    canvas = Canvas(size.width + _BESIDE, size.height + above)
    how = dress(
        look,
        chosen=here == marks.cursor,
        picked=here == marks.picked,
        target=place in marks.targets,
        playable=place in marks.movable and marks.picked is None,
    )
    rows = fanned(len(pile), spread)
    first = y = above - sum(rows)
    hides = False
    if not pile:
        canvas.paste(0, above, hollow(welcome_at(place, rules, public), size, look, how))
    else:
        for card, shown in zip(pile, rows, strict=False):
            if shown:
                canvas.paste(0, y, peek(card, shown, size, look, how))
                _join(canvas, y, how, size.width, first)
                _show_covered(canvas, y, how, look, hides=hides)
            hides = not shown
            y += shown
        canvas.paste(0, above, face(pile[-1], size, look, how))
        _join(canvas, above, how, size.width, first)
        _show_covered(canvas, above, how, look, hides=hides)
    if len(pile) > 1:
        canvas.put(size.width + 1, above - 1, f"×{len(pile)}", "class:label")
    style = "class:fresh" if place in marks.touched else "class:label"
    style = how.style if how.mark else style
    canvas.put(size.width + 1, above + 1, place_str(place), style)
    canvas.put(size.width + 4, above + 1, _DIGIT_OF[place], "class:dim")
    canvas.mark(0, first, size.width + 3, size.height + above - first, here)
    return canvas


def _join(canvas: Canvas, y: int, how: Dress, width: int, first: int) -> None:
    """Join the head of a card's frame to the card below it, of which it covers the rest."""
    if y > first:
        ends = {"╭": "├┤", "┏": "┣┫", "╔": "╠╣"}.get(how.frame[0], how.frame[:2])
        canvas.put(0, y, ends[0], how.style)
        canvas.put(width - 1, y, ends[1], how.style)


def _show_covered(canvas: Canvas, y: int, how: Dress, look: Look, *, hides: bool) -> None:
    """Break the upper edge of a card below which others of its pile do not show."""
    if hides:
        row = canvas.chars[y]
        for x in (at for at, char in enumerate(row) if char == how.frame[4]):
            canvas.put(x, y, look.covered, how.style)


def _stock(public: Public, marks: Marks, size: CardSize, look: Look) -> Canvas:
    canvas = Canvas(size.width + _BESIDE, size.height + 2)
    how = dress(
        look,
        chosen=marks.cursor == OnStock(),
        picked=marks.picked == OnStock(),
        playable=marks.stock_playable and marks.picked is None,
    )
    if public.stock == 0:
        canvas.paste(0, 2, hollow("", size, look, how))
        canvas.put(size.width + 1, 3, tell("empty"), "class:label")
    else:
        top = public.stock_top
        drawn = back(size, look, how) if top is None else face(top, size, look, how)
        canvas.paste(0, 2, drawn)
        canvas.put(size.width + 1, 3, f"×{public.stock}", "class:label")
    canvas.put(size.width + 1, 2, tell("stock"), "class:label")
    canvas.mark(0, 2, size.width + 4, size.height, OnStock())
    return canvas
