"""What happened, in a line each: who, and what, short enough for a narrow column."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from kings_client.style import Look
from kings_client.words.people import name_of, names_of, plural
from kings_engine import events
from kings_engine.events import DealEnding, Event, MatchEnding
from kings_engine.places import place_str
from kings_protocol.messages import TableState

ENDINGS: Final = {
    DealEnding.WENT_OUT: "the hand is out",
    DealEnding.BLOCKED: "nobody could play for a whole round",
    DealEnding.STOCK_GONE: "the stock is gone",
    DealEnding.LAST_HOLDER: "only one player still holds cards",
}
"""How a deal came to its end, as it follows a colon."""

MATCH_ENDINGS: Final = {
    MatchEnding.DECIDED: "the match is decided",
    MatchEnding.LAST_LEFT: "all the others gave up",
    MatchEnding.ABANDONED: "the match was given up without a result",
}
"""How a match came to its end."""


@frozen
class Line:
    """One line of what happened; ``who`` is empty where it is about nobody in particular."""

    who: str
    what: str


def lines_of(
    happened: Iterable[Event], table: TableState, me: int | None, look: Look
) -> tuple[Line, ...]:
    """Return the lines that tell what happened, oldest first.

    Beginnings of turns are left out, and ends as well, unless there is no other line of the turn:
    a name above the next lines says as much.
    """
    told: list[Line] = []
    quiet = True
    for event in happened:
        if isinstance(event, events.TurnBegan):
            quiet = True
        elif isinstance(event, events.Played | events.Moved | events.Drew):
            quiet = False
        if isinstance(event, events.TurnEnded) and quiet and not event.timeout:
            told.append(Line(name_of(table, event.seat, me), "passed"))
        else:
            told.extend(_lines(event, table, me, look))
    return tuple(told)


def _lines(event: Event, table: TableState, me: int | None, look: Look) -> Iterable[Line]:
    if isinstance(event, events.CardsCut):
        for seat, card in zip(event.seats, event.cards, strict=True):
            yield Line(name_of(table, seat, me), f"cut {look.card(card)}")
        return
    what = _what(event, look)
    if isinstance(event, events.DealerChosen):
        yield Line("", f"dealer: {name_of(table, event.seat, me)}")
    elif what:
        yield Line(name_of(table, event.seat, me) if hasattr(event, "seat") else "", what)
    elif isinstance(event, events.DealBegan):
        yield Line("", f"deal {event.number} begins")
        yield Line(name_of(table, event.dealer, me), "dealt")
    elif isinstance(event, events.DealEnded):
        yield Line("", f"deal {event.number} is over")
    elif isinstance(event, events.Eliminated):
        yield Line("", names_of(table, event.seats, me) + " out of the match")
    elif isinstance(event, events.MatchEnded):
        yield Line("", MATCH_ENDINGS[event.ending])


def _what(event: Event, look: Look) -> str:
    match event:
        case events.Drew(count=count, cards=None):
            return "drew" if count == 1 else f"drew {plural(count, 'card')}"
        case events.Drew(cards=cards) if cards is not None:
            return "drew " + " ".join(map(look.card, cards))
        case events.Played(card=card, place=place, from_stock=from_stock):
            # The stock's own picture says where the card came from in one column.
            origin = look.back if from_stock else ""
            return f"{origin}{look.card(card)} {look.arrow} {place_str(place)}"
        case events.Moved(source=source, place=place):
            return f"{place_str(source)} {look.arrow} {place_str(place)}"
        case events.TurnEnded(timeout=True):
            return "timed out"
        case events.WentOut():
            return "went out!"
        case events.Forfeited():
            return "gave up the seat"
    return ""
