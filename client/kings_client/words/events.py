"""What happened, in a line each: who, and what, short enough for a narrow column."""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from kings_client.style import Look
from kings_client.words.people import name_of, names_of
from kings_client.words.tongue import later, tell, tell_some
from kings_engine import events
from kings_engine.events import DealEnding, Event, MatchEnding
from kings_engine.places import place_str
from kings_protocol.messages import TableState

ENDINGS: Final = {
    DealEnding.WENT_OUT: later("a player ran out of cards"),
    DealEnding.BLOCKED: later("nobody played for a whole round"),
    DealEnding.STOCK_GONE: later("the stock is gone"),
    DealEnding.LAST_HOLDER: later("only one player still holds cards"),
}
"""How a deal came to its end, as it follows a colon."""

MATCH_ENDINGS: Final = {
    MatchEnding.DECIDED: later("the match is decided"),
    MatchEnding.LAST_LEFT: later("all the others gave up"),
    MatchEnding.ABANDONED: later("the match was given up without a result"),
}
"""How a match came to its end."""


@frozen
class Line:
    """One line of what happened; ``who`` is empty where it is about nobody in particular."""

    who: str
    what: str


def lines_of(
    happened: Iterable[Event],
    table: TableState,
    me: int | None,
    look: Look,
    former: Sequence[tuple[int, TableState]] = (),
) -> tuple[Line, ...]:
    """Return the lines that tell what happened, oldest first.

    Args:
        happened: the events.
        table: names those who sit there now.
        me: one's own seat.
        look: how cards are shown.
        former: how many of the first events came before somebody's seat changed hands, and the
            table that it was then, oldest first.

    Beginnings of turns are left out, and ends as well, unless there is no other line of the turn:
    a name above the next lines says as much.
    """
    told: list[Line] = []
    quiet = True
    for at, event in enumerate(happened):
        then = next((old for until, old in former if at < until), table)
        if isinstance(event, events.TurnBegan):
            quiet = True
        elif isinstance(event, events.Played | events.Moved | events.Drew):
            quiet = False
        if isinstance(event, events.TurnEnded) and quiet and not event.timeout:
            told.append(Line(name_of(then, event.seat, me), tell("passed")))
        else:
            told.extend(_lines(event, then, me, look))
    return tuple(told)


def _lines(event: Event, table: TableState, me: int | None, look: Look) -> Iterable[Line]:
    if isinstance(event, events.CardsCut):
        for seat, card in zip(event.seats, event.cards, strict=True):
            yield Line(name_of(table, seat, me), tell("cut {card}", card=look.card(card)))
        return
    what = _what(event, look)
    if isinstance(event, events.DealerChosen):
        yield Line("", tell("dealer: {who}", who=name_of(table, event.seat, me)))
    elif what:
        yield Line(name_of(table, event.seat, me) if hasattr(event, "seat") else "", what)
    elif isinstance(event, events.DealBegan):
        yield Line("", tell("deal {number} begins", number=event.number))
        yield Line(name_of(table, event.dealer, me), tell("dealt"))
    elif isinstance(event, events.DealEnded):
        yield Line("", tell("deal {number} is over", number=event.number))
    elif isinstance(event, events.Eliminated):
        yield Line("", tell("{names} out of the match", names=names_of(table, event.seats, me)))
    elif isinstance(event, events.MatchEnded):
        yield Line("", tell(MATCH_ENDINGS[event.ending]))


def _what(event: Event, look: Look) -> str:
    match event:
        case events.Drew(count=count, cards=None):
            return tell_some("drew", "drew {count} cards", count)
        case events.Drew(cards=cards) if cards is not None:
            return tell("drew {cards}", cards=" ".join(map(look.card, cards)))
        case events.Played(card=card, place=place, from_stock=from_stock):
            # The stock's own picture says where the card came from in one column.
            origin = look.back if from_stock else ""
            return f"{origin}{look.card(card)} {look.arrow} {place_str(place)}"
        case events.Moved(source=source, place=place):
            return f"{place_str(source)} {look.arrow} {place_str(place)}"
        case events.TurnEnded(timeout=True):
            return tell("timed out")
        case events.WentOut():
            return tell("went out!")
        case events.Forfeited():
            return tell("gave up the seat")
    return ""
