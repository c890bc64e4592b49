"""The score sheet: each deal's penalty points by player, and their sums."""

from typing import Final

from kings_client.parts.canvas import Canvas, width_of
from kings_client.parts.names import short_name
from kings_client.style import Look
from kings_client.words import counts
from kings_client.words.tongue import tell
from kings_engine.rules import MatchForm, Rules
from kings_engine.view import Public
from kings_protocol.messages import TableState

_NUMBER = 5
"""Columns for the deal's number."""

SHEET_FRAME: Final = 4
"""Rows of a sheet beside those of the deals: the names, two rules, the sums."""


def score_sheet(
    public: Public, table: TableState, me: int | None, width: int, height: int, look: Look
) -> Canvas:
    """Draw the sheet; where not all deals fit, the newest are kept."""
    canvas = Canvas(width, height)
    seats = range(len(public.seats))
    column = min(max((width - _NUMBER) // max(len(public.seats), 1), 6), 14)
    canvas.put(0, 0, tell("deal"), "class:label")
    for seat in seats:
        name = short_name(table, seat, me, column - 1)
        style = "class:heading" if seat in public.winners else "class:title"
        canvas.put(_NUMBER + (seat + 1) * column - width_of(name), 0, name, style)
    rule = look.frame[4] * (_NUMBER + column * len(public.seats))
    canvas.put(0, 1, rule, "class:panel")
    room = max(height - SHEET_FRAME, 0)
    first = max(len(public.sheet) - room, 0)
    for y, row in enumerate(public.sheet[first:], 2):
        canvas.put(0, y, f"{first + y - 1:>3}", "class:label")
        for seat, points in enumerate(row):
            text = "-" if points is None else str(points)
            canvas.put(_NUMBER + (seat + 1) * column - len(text), y, text)
    last = 2 + min(len(public.sheet), room)
    canvas.put(0, last, rule, "class:panel")
    canvas.put(0, last + 1, tell("sum"), "class:label")
    for seat in seats:
        text = str(public.seats[seat].points)
        canvas.put(_NUMBER + (seat + 1) * column - len(text), last + 1, text, "class:title")
    return canvas


def goal(rules: Rules) -> str:
    """Say in a few words what ends the match."""
    match rules.match:
        case MatchForm.ONE_DEAL:
            return tell("one deal")
        case MatchForm.POINTS:
            return tell("to {points}", points=rules.points)
        case MatchForm.DEALS:
            return counts.deals(rules.deals or 0)
        case MatchForm.POINTS_OR_DEALS:
            return tell(
                "to {points} or {deals}", points=rules.points, deals=counts.deals(rules.deals or 0)
            )
        case MatchForm.ELIMINATION:
            return tell("out at {points}", points=rules.points)
