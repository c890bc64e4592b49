"""Medium: plays every card it can (002).

Kings first, then any card that fits a pile; then it moves piles to make room, and lays its highest
card in an empty space. It ends its turn when nothing else is left.
"""

import random

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import KING, Card
from kings_engine.events import Event
from kings_engine.places import Place, is_corner
from kings_engine.rules import Rules
from kings_engine.view import Own, Public


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],  # noqa: ARG001  medium remembers nothing
    rules: Rules,  # noqa: ARG001  what is legal says all that it needs
    rng: random.Random,  # noqa: ARG001  and leaves nothing to chance
) -> tuple[SeatAction]:
    """Return medium's next action."""
    highest_first = own.plays[::-1]
    action: SeatAction = (
        _king(highest_first)
        or _fitting(highest_first, public)
        or _stock_on_pile(own, public)
        or _pile(own)
        or _filling(highest_first)
        or _stock_in_space(own)
        or EndTurn()
    )
    return (action,)


def _king(plays: tuple[tuple[Card, tuple[Place, ...]], ...]) -> Play | None:
    """Return a king's play, to an empty corner rather than to a side."""
    for card, places in plays:
        if card >> 2 == KING:
            corners = [place for place in places if is_corner(place)]
            return Play(card, (corners or places)[0])
    return None


def _fitting(plays: tuple[tuple[Card, tuple[Place, ...]], ...], public: Public) -> Play | None:
    for card, places in plays:
        for place in places:
            if public.piles[place]:
                return Play(card, place)
    return None


def _stock_on_pile(own: Own, public: Public) -> PlayStock | None:
    """Return the play of the open stock's top on a pile; empty places are for its own cards."""
    for place in own.stock_plays:
        if public.piles[place]:
            return PlayStock(place)
    return None


def _stock_in_space(own: Own) -> PlayStock | None:
    return PlayStock(own.stock_plays[0]) if own.stock_plays else None


def _pile(own: Own) -> Move | None:
    return Move(*own.moves[0]) if own.moves else None


def _filling(plays: tuple[tuple[Card, tuple[Place, ...]], ...]) -> Play | None:
    return Play(plays[0][0], plays[0][1][0]) if plays else None
