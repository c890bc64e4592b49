"""What happened and what was said, newest at the bottom."""

from collections.abc import Sequence
from typing import Final

from kings_client.model import Spoken
from kings_client.parts.canvas import Canvas, fit, pad, width_of, wrap
from kings_client.parts.panel import Row, frame, put_row
from kings_client.style import Look
from kings_client.words.events import Line
from kings_client.words.notices import announcement, notice
from kings_client.words.people import name_then
from kings_client.words.spoken import capital
from kings_client.words.tongue import tell
from kings_protocol.messages import Announcement, Notice, TableState

NAME: Final = 8
"""Most columns that a name takes before what was done."""


def told(
    lines: Sequence[Line],
    fresh: int,
    names: Sequence[str],
    width: int,
    height: int,
    look: Look,
) -> Canvas:
    """Draw what happened: a name once, what its bearer did below it, the newest brightest.

    Args:
        lines: oldest first.
        fresh: how many of them came last.
        names: of everybody at the table: the column of names is as wide as they need.
        width: columns, frame included.
        height: rows, frame included.
        look: symbols.
    """
    canvas = frame(width, height, tell("what happened"), look)
    inner = width - 2
    named = min(NAME, max(map(width_of, names), default=0))
    shown: list[Row] = []
    last = lines[max(len(lines) - (height - 2), 0) :]
    wrapped = [wrap(line.what, inner - named - 1 if line.who else inner) for line in last]
    while sum(map(len, wrapped)) > height - 2:
        wrapped.pop(0)
    first = len(lines) - len(wrapped)
    for at, parts in enumerate(wrapped, first):
        line = lines[at]
        style = "class:fresh" if at >= len(lines) - fresh else "class:dim"
        repeated = at > first and lines[at - 1].who == line.who
        for what in parts:
            who = "" if repeated else fit(line.who, named)
            repeated = True
            shown.append(((style, pad(who, named + 1) if line.who else ""), (style, what)))
    for y, row in enumerate(shown, 1):
        put_row(canvas, 1, y, row, inner)
    return canvas


def last_said(
    lines: Sequence[Spoken], table: TableState, me: int | None, width: int, height: int
) -> Canvas:
    """Draw the newest lines of chat and notices without a box, the newest of them at the bottom.

    Each is told whole or not at all, but for the newest one where it is too long for all the room.
    """
    canvas = Canvas(width, height)
    y = height
    for line in reversed(lines):
        style, text = _line(line, table, me)
        parts = wrap(text, width)
        if y == height and len(parts) > height:
            parts = [*parts[: height - 1], fit(" ".join(parts[height - 1 :]), width)]
        y -= len(parts)
        if y < 0:
            break
        for at, part in enumerate(parts, y):
            canvas.put(0, at, part, style or "class:dim")
    return canvas


def rows_said(lines: Sequence[Spoken], table: TableState, me: int | None, width: int) -> int:
    """Return the rows that the newest line needs."""
    return len(wrap(_line(lines[-1], table, me)[1], width)) if lines else 0


def _line(line: Spoken, table: TableState, me: int | None) -> tuple[str, str]:
    if isinstance(line, Notice):
        return "class:note", capital(notice(line, table, me))
    if isinstance(line, Announcement):
        return "class:note", capital(announcement(line.text))
    return "", f"{name_then(table, line.seat, line.name, me)}: {line.text}"


def talk(
    lines: Sequence[Spoken],
    table: TableState,
    me: int | None,
    width: int,
    height: int,
    look: Look,
) -> Canvas:
    """Draw the last lines of chat and the notices among them."""
    canvas = frame(width, height, tell("chat"), look)
    wrapped: list[tuple[str, str]] = []
    for line in reversed(lines):
        if len(wrapped) >= height - 2:
            break
        style, text = _line(line, table, me)
        wrapped = [(style, part) for part in wrap(text, width - 2)] + wrapped
    for y, (style, part) in enumerate(wrapped[-(height - 2) :], 1):
        canvas.put(1, y, part, style)
    return canvas
