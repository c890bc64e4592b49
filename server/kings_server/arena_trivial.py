"""Policies that anybody can think of: no level may lose to one. For measuring only, not for tables.

A level that loses to one of these has been outwitted by something that does not think at all.
"""

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from kings_engine.actions import EndTurn, Play, SeatAction
from kings_engine.view import Own, legal_actions

Trivial: TypeAlias = Callable[[Own, random.Random], SeatAction]


def never(own: Own, rng: random.Random) -> SeatAction:  # noqa: ARG001  it has no whims
    """End every turn at once; where the rules forbid that, do the first thing that is legal."""
    return EndTurn() if own.may_end else legal_actions(own)[0]


def greedy(own: Own, rng: random.Random) -> SeatAction:
    """Play the card of the highest rank that can be played, and move no pile."""
    if own.plays:
        card, places = own.plays[-1]
        return Play(card, places[0])
    return never(own, rng)


def at_random(own: Own, rng: random.Random) -> SeatAction:
    """Do anything that is legal, the end of the turn included."""
    return rng.choice(legal_actions(own))


TRIVIAL: Final[Mapping[str, Trivial]] = MappingProxyType(
    {"never": never, "greedy": greedy, "random": at_random}
)
"""Their names in the arena."""
