"""The players: whose turn it is, how many cards and points each has, and who is away."""

from typing import Final

from kings_client.parts.canvas import Canvas, pad, wrap
from kings_client.parts.hand import sorted_hand
from kings_client.parts.names import short_name
from kings_client.parts.panel import frame
from kings_client.style import Look
from kings_client.words import counts
from kings_client.words.people import bot_of, clock
from kings_client.words.presence import no_key
from kings_client.words.tongue import later, tell
from kings_engine.view import Public, PublicSeat, Standing
from kings_protocol.messages import SeatState, TableState

_NUMBERS = 10
"""Columns for the cards and the points."""

AWAY: Final = ("dropped", "held", "left")
"""States of seats whose people are not there."""

_STANDINGS = {
    Standing.OUT: later("out: no cards left"),
    Standing.ELIMINATED: later("out of the match"),
    Standing.FORFEITED: later("gave up"),
}

_AFTER = {
    "bot": later("bot in {left}"),
    "skip": later("skipped in {left}"),
    "forfeit": later("gives up in {left}"),
}


def players(
    public: Public,
    table: TableState,
    me: int | None,
    since: float,
    width: int,
    look: Look,
    costs: int = 0,
    *,
    counted: bool = True,
) -> Canvas:
    """Draw the players' box, as high as it needs to be.

    Args:
        public: the position.
        table: the table, for names and connections.
        me: one's own seat, if one sits.
        since: seconds since ``table`` came, for its countdowns.
        width: columns.
        look: symbols.
        costs: what one's own hand would cost now.
        counted: whether it shows how many cards the others hold.
    """
    lines: list[tuple[str, str, str, str, str]] = []
    names = width - 3 - _NUMBERS
    for at, seat in enumerate(public.seats):
        sitting = table.seats[at] if at < len(table.seats) else None
        away = sitting is not None and sitting.state in AWAY
        mark = look.turn if public.turn == at else look.offline if away else ""
        style = "class:turn" if public.turn == at else "class:away" if away else "class:name"
        name = short_name(table, at, me, names)
        cards = card_count(seat, counted=counted or at == me)
        lines.append((style, mark, name, cards, f"{seat.points:>3}"))
        state = state_of(seat, sitting, table, since)
        if at == me and costs and not state:
            state = tell("{points} in hand", points=counts.points(costs))
        if public.turn == at:
            state = with_clock(state, table, since)
        if at != me and seat.known:
            # Cards drawn from an open stock, or all of them where hands are open.
            known = " ".join(map(look.card, sorted_hand(seat.known)))
            lines += [("class:name", "", part, "", "") for part in wrap(known, width - 5)]
        if state:
            style = "class:away" if away else "class:dim"
            lines += [(style, "", part, "", "") for part in wrap(state, width - 4)]
    canvas = frame(width, len(lines) + 2, tell("players"), look, tell("cards pts"))
    for y, (style, mark, name, cards, points) in enumerate(lines, 1):
        canvas.put(1, y, mark, style)
        room = names if cards else width - 4
        canvas.put(3, y, pad(name, room), style)
        if cards:
            canvas.put(width - _NUMBERS + 1, y, cards, style)
            canvas.put(width - 5, y, points, style)
    return canvas


def card_count(seat: PublicSeat, *, counted: bool) -> str:
    """Return how many cards a seat holds, in two columns; a dash where that is not shown."""
    return f"{seat.cards:>2}" if counted else " -"


def with_clock(state: str, table: TableState, since: float) -> str:
    """Return the state of who is on turn with the clocks that run."""
    if table.away_in is not None:
        return no_key(table.away_in / 1000 - since)
    if table.turn_in is not None:
        left = clock(table.turn_in / 1000 - since)
        return ", ".join(filter(None, (state, tell("{left} left", left=left))))
    return state


def state_of(
    seat: PublicSeat | None, sitting: SeatState | None, table: TableState, since: float
) -> str:
    """Return what is to be known about a seat beside its numbers; often nothing."""
    if seat is not None and seat.standing in _STANDINGS:
        return tell(_STANDINGS[seat.standing])
    if sitting is None:
        return ""
    if table.paused and sitting.state == "seated" and sitting.pause:
        return tell("pausing")
    match sitting.state:
        case "dropped" if sitting.back_in is not None and table.absent in _AFTER:
            left = clock(sitting.back_in / 1000 - since)
            return tell(_AFTER[table.absent], left=left)
        case "dropped":
            return tell("away; we wait")
        case "held":
            return tell("away; a bot plays")
        case "left":
            return tell("left; a bot plays") if table.absent == "bot" else tell("left")
        case "bot":
            return _bot(sitting)
        case "open":
            return tell("open seat")
    return ""


def _bot(sitting: SeatState) -> str:
    if sitting.short:
        return tell("short of time")
    named = sitting.level is None or sitting.name.startswith(sitting.level)
    return tell("bot") if named else bot_of(sitting.level or "")
