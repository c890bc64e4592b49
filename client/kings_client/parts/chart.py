"""The points over the deals of a match, drawn small: a line for each seat, a column for a deal."""

from collections.abc import Sequence

from kings_client.parts.canvas import Canvas, fit
from kings_client.parts.panel import frame
from kings_client.style import Look
from kings_client.words.tongue import tell

_LABEL = 4
"""Columns of the numbers at the left."""


def least_height(seats: int) -> int:
    """Return the rows of the lowest chart that can be read."""
    return 6 + (seats + 1) // 2


def chart(
    sheet: Sequence[Sequence[int | None]],
    names: Sequence[str],
    width: int,
    height: int,
    look: Look,
) -> Canvas:
    """Draw how the seats' points grew; where lines meet, the seat with the lower number is seen.

    Args:
        sheet: the penalty points of each deal, by seat.
        names: of the seats; each line is drawn with its seat's number.
        width: columns, frame included.
        height: rows, frame and legend included.
        look: symbols.
    """
    canvas = frame(width, height, tell("points by deal"), look)
    sums = [[0] * len(names)]
    for row in sheet:
        sums.append([before + (cost or 0) for before, cost in zip(sums[-1], row, strict=True)])
    legend = (len(names) + 1) // 2
    rows, columns = height - 3 - legend, width - _LABEL - 3
    top = max(*sums[-1], 1)
    if height < least_height(len(names)) or columns < 4:
        return canvas
    for seat in reversed(range(len(names))):
        for x in range(columns):
            points = _between([row[seat] for row in sums], x / (columns - 1))
            y = 1 + round((1 - points / top) * (rows - 1))
            canvas.put(_LABEL + 1 + x, y, str(seat + 1), "class:name")
    canvas.put(1, 1, f"{top:>{_LABEL - 1}}", "class:label")
    canvas.put(1, rows, f"{0:>{_LABEL - 1}}", "class:label")
    canvas.put(_LABEL + 1, rows + 1, look.frame[4] * columns, "class:panel")
    half = (width - 2) // 2
    for seat, name in enumerate(names):
        x, y = 1 + (seat % 2) * half, rows + 2 + seat // 2
        canvas.put(canvas.put(x, y, str(seat + 1), "class:key") + 1, y, fit(name, half - 3))
    return canvas


def _between(values: Sequence[int], part: float) -> float:
    """Return the value at a part of the way along ``values``, straight between two of them."""
    at = part * (len(values) - 1)
    left = min(int(at), len(values) - 2) if len(values) > 1 else 0
    right = min(left + 1, len(values) - 1)
    return values[left] + (values[right] - values[left]) * (at - left)
