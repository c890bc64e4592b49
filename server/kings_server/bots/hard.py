"""Hard: the best order for its whole turn, and few easy places for the next player (002).

Now and then it overlooks a card.
"""

import random
from collections.abc import Mapping
from typing import Final

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_server.bots.beliefs import after, evenly
from kings_server.bots.outlook import Weights, best, is_narrow
from kings_server.bots.oversight import overlooked
from kings_server.bots.planner import Planner

OVERSIGHT: Final = 5
"""Hard overlooks one card in 2 ** 5: at one in twenty it fell below medium with four players."""

SELDOM: Final = 7
"""Hard overlooks one card in 2 ** 7 among more than two where few cards fit anywhere: each one that
fits is worth more there, and it fell below medium."""

WEIGHTS: Final[Mapping[int, Weights]] = {
    2: Weights(
        points=0.1, king=6.0, opening=1.8, space=2.0, latent=1.0, fit=0.5, late=1.0, others=0.0
    ),
    3: Weights(
        points=0.1, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.7, late=1.0, others=0.7
    ),
    4: Weights(
        points=0.1, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.7, late=1.0, others=0.5
    ),
}
"""By how many still play; ``expert`` says why."""


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,  # noqa: ARG001  its oversights are drawn otherwise
) -> tuple[SeatAction, ...]:
    """Return how hard plays its turn, up to the next card of an open stock."""
    others = after(own, public)
    careful = len(others) > 1 and is_narrow(rules)
    missed = overlooked(own, public, history, SELDOM if careful else OVERSIGHT)
    found = (
        Planner(own, public, history, rules, missed).plans()
        or Planner(own, public, history, rules).plans()
    )
    chances = [evenly(own, public, seat) for seat in others]
    return best(found, own, public, rules, chances, WEIGHTS[1 + len(others)]).turn
