"""A framed box with a title and lines in it."""

from collections.abc import Sequence
from typing import TypeAlias

from kings_client.parts.canvas import Canvas, fit, width_of
from kings_client.style import Look

Row: TypeAlias = Sequence[tuple[str, str]]
"""One line: styles and texts from left to right."""


def put_row(canvas: Canvas, x: int, y: int, row: Row, width: int | None = None) -> int:
    """Write a line of fragments, cut to ``width`` cells; return the column after it."""
    end = canvas.width if width is None else x + width
    for style, text in row:
        x = canvas.put(x, y, fit(text, end - x), style)
    return x


def row_width(row: Row) -> int:
    """Return how many cells a line of fragments covers."""
    return sum(width_of(text) for _, text in row)


def frame(width: int, height: int, title: str, look: Look, right: str = "") -> Canvas:
    """Draw an empty box with a title in its upper edge, and a second one at the right.

    Each stands between blanks. Where both take the whole edge, no line is left before the first.
    """
    canvas = Canvas(width, height)
    top_left, top_right, low_left, low_right, flat, upright = tuple(look.frame)
    style = "class:panel"
    canvas.put(0, 0, top_left + flat * (width - 2) + top_right, style)
    for y in range(1, height - 1):
        canvas.put(0, y, upright, style)
        canvas.put(width - 1, y, upright, style)
    canvas.put(0, height - 1, low_left + flat * (width - 2) + low_right, style)
    start = width - 3 - width_of(right) if right else width
    if title:
        told = f" {fit(title, width - 6)} "
        canvas.put(2 if 2 + width_of(told) <= start + 1 else 1, 0, told, "class:title")
    if right:
        canvas.put(start, 0, f" {right} ", "class:label")
    return canvas


def panel(title: str, rows: Sequence[Row], width: int, height: int, look: Look) -> Canvas:
    """Draw a box with lines in it from the top; what does not fit is left out."""
    canvas = frame(width, height, title, look)
    for at, row in enumerate(rows[: height - 2]):
        put_row(canvas, 1, 1 + at, row, width - 2)
    return canvas


def button(key: str, label: str, *, on: bool = True) -> Row:
    """Return a button: its key and what it does."""
    style = "class:button" if on else "class:button.off"
    return ((style, f" {key}  {label} "),)
