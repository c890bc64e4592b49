"""Hard: the best order for its whole turn, and few easy places for the next player (002).

Now and then it overlooks a card.
"""

import random
from typing import Final

from kings_engine.actions import SeatAction
from kings_engine.deal import next_seat
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_server.bots.beliefs import evenly, in_play
from kings_server.bots.outlook import Outlook, Weights
from kings_server.bots.oversight import overlooked
from kings_server.bots.planner import Planner

OVERSIGHT: Final = 5
"""Hard overlooks one card in 2 ** 5: at one in twenty it fell below medium with four players."""

HEADS_UP: Final = Weights(
    points=0.1, king=6.0, opening=1.8, space=2.0, latent=1.0, fit=0.3, late=1.0
)
MORE: Final = Weights(points=0.1, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.7, late=1.0)


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,  # noqa: ARG001  its oversights are drawn otherwise
) -> tuple[SeatAction, ...]:
    """Return how hard plays its turn, up to the next card of an open stock."""
    missed = overlooked(own, public, history, OVERSIGHT)
    found = (
        Planner(own, public, history, rules, missed).plans()
        or Planner(own, public, history, rules).plans()
    )
    players = in_play(public)
    chances = evenly(own, public, next_seat(players, own.seat))
    outlook = Outlook(rules, public.stock, chances, HEADS_UP if len(players) == 2 else MORE)
    return max(found, key=outlook.value).turn
