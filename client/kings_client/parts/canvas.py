"""A rectangle of character cells, with the spots in it that a mouse can click.

Parts draw themselves on a canvas of their own and screens paste them together. Widths are measured
in cells, never in characters: a wide character takes two, a combining one none.
"""

from functools import lru_cache
from typing import TypeAlias

from attrs import frozen
from wcwidth import wcwidth

from kings_engine.cards import Card
from kings_engine.places import Place


@frozen
class OnCard:
    """A card of one's own hand."""

    card: Card


@frozen
class OnPlace:
    """One of the eight places."""

    place: Place


@frozen
class OnStock:
    """The stock in the middle."""


@frozen
class OnKey:
    """A button, which does what its key does."""

    key: str


@frozen
class OnRow:
    """A line of a list or form."""

    row: int


@frozen
class OnServer:
    """A server in the list of those on the network."""

    number: int


Spot: TypeAlias = OnCard | OnPlace | OnStock | OnKey | OnRow | OnServer


@frozen
class Region:
    """A rectangle of a canvas that stands for a spot."""

    x: int
    y: int
    width: int
    height: int
    spot: Spot


@lru_cache(maxsize=4096)
def cells(text: str) -> tuple[str, ...]:
    """Return what goes in each cell that ``text`` covers.

    The second cell of a wide character is empty. Control characters become ``?``: none may reach
    the terminal.
    """
    found: list[str] = []
    for character in text:
        width = wcwidth(character)
        if width == 0 and found:
            at = -1 if found[-1] else -2
            found[at] += character
        elif width < 0:
            found.append("?")
        elif width > 0:
            found.extend((character, "")[:width])
    return tuple(found)


def width_of(text: str) -> int:
    """Return how many cells ``text`` covers."""
    return len(text) if text.isascii() and text.isprintable() else len(cells(text))


def fit(text: str, width: int) -> str:
    """Return ``text`` cut to ``width`` cells, the last one an ellipsis where something is lost."""
    if width_of(text) <= width:
        return text
    if width <= 0:
        return ""
    kept = list(cells(text)[: width - 1])
    if kept and wcwidth(kept[-1][:1] or " ") == 2:
        kept.pop()
    return "".join(kept) + "…"


def pad(text: str, width: int) -> str:
    """Return ``text`` cut or filled with blanks to exactly ``width`` cells."""
    shown = fit(text, width)
    return shown + " " * (width - width_of(shown))


def wrap(text: str, width: int) -> list[str]:
    """Return ``text`` broken at blanks into lines of at most ``width`` cells."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width_of(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while width_of(word) > width > 1:
            head = "".join(cells(word)[:width])
            head = head if width_of(head) <= width else head[:-1]
            lines.append(head)
            word = word[len(head) :]  # noqa: PLW2901  what is left of a word longer than a line
        line = word
    return [*lines, line] if line else lines


class Canvas:
    """A rectangle of cells, each with a character and a style."""

    __slots__ = ("chars", "cursor", "height", "regions", "styles", "width")

    def __init__(self, width: int, height: int) -> None:
        self.width = max(width, 0)
        self.height = max(height, 0)
        self.chars = [[" "] * self.width for _ in range(self.height)]
        self.styles = [[""] * self.width for _ in range(self.height)]
        self.regions: list[Region] = []
        self.cursor: tuple[int, int] | None = None

    def put(self, x: int, y: int, text: str, style: str = "") -> int:
        """Write ``text`` from column ``x`` of row ``y``; return the column after it.

        What lies outside the canvas is left out.
        """
        shown = cells(text)
        end = x + len(shown)
        first, last = max(x, 0), min(end, self.width)
        if 0 <= y < self.height and first < last:
            self._write(first, y, list(shown[first - x : last - x]), [style] * (last - first))
        return end

    def paragraph(self, x: int, y: int, text: str, style: str = "") -> int:
        """Write ``text`` from row ``y`` on, broken into lines that end before the last column.

        Returns:
            The row after it.
        """
        lines = wrap(text, self.width - 1 - x)
        for at, line in enumerate(lines, y):
            self.put(x, at, line, style)
        return y + len(lines)

    def _write(self, x: int, y: int, chars: list[str], styles: list[str]) -> None:
        """Put cells into a row; a wide character of which half is lost becomes a blank."""
        row, end = self.chars[y], x + len(chars)
        if row[x] == "" and x > 0:
            row[x - 1] = " "
        row[x:end] = chars
        self.styles[y][x:end] = styles
        if row[x] == "":
            row[x] = " "
        if end < self.width and row[end] == "":
            row[end] = " "
        if end == self.width and wcwidth(row[end - 1][:1] or " ") == 2:
            row[end - 1] = " "

    def fill(self, x: int, y: int, width: int, height: int, style: str) -> None:
        """Blank a rectangle and give it a style."""
        for row in range(y, y + height):
            self.put(x, row, " " * width, style)

    def paste(self, x: int, y: int, other: "Canvas") -> None:
        """Copy another canvas to (``x``, ``y``), with its spots and its cursor.

        It must not reach over the left edge; what lies outside otherwise is left out.
        """
        width = max(min(other.width, self.width - x), 0)
        for row in range(max(min(other.height, self.height - y), 0) if width else 0):
            self._write(x, y + row, other.chars[row][:width], other.styles[row][:width])
        for region in other.regions:
            self.mark(region.x + x, region.y + y, region.width, region.height, region.spot)
        if other.cursor is not None:
            self.cursor = (other.cursor[0] + x, other.cursor[1] + y)

    def mark(self, x: int, y: int, width: int, height: int, spot: Spot) -> None:
        """Make a rectangle stand for ``spot``; later marks lie above earlier ones."""
        self.regions.append(Region(x, y, width, height, spot))

    def at(self, x: int, y: int) -> Spot | None:
        """Return the spot at a cell, if there is one."""
        for region in reversed(self.regions):
            if region.x <= x < region.x + region.width and region.y <= y < region.y + region.height:
                return region.spot
        return None

    def text(self) -> str:
        """Return the characters alone, line by line, blanks at the ends left out."""
        return "\n".join("".join(chars).rstrip() for chars in self.chars)

    def style_at(self, x: int, y: int) -> str:
        """Return the style of one cell."""
        return self.styles[y][x]
