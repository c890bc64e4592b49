"""Expert: plans like hard, overlooks nothing, and watches what the others did not play (002).

With two players it keeps back cards that would give the other somewhere to play.
"""

import random
from collections.abc import Mapping
from typing import Final

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_server.bots.beliefs import after, by_play
from kings_server.bots.outlook import Weights, best
from kings_server.bots.planner import Planner

HEADS_UP: Final = Weights(
    points=0.1, king=6.0, opening=3.5, space=2.0, latent=1.0, fit=0.85, late=0.4
)
MORE: Final = Weights(points=0.2, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.9, late=1.0)

WEIGHTS: Final[Mapping[int, Weights]] = {2: HEADS_UP, 3: MORE, 4: MORE}
"""By how many still play: with more of them, more cards are laid before one's next turn."""


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,  # noqa: ARG001  it leaves nothing to chance
) -> tuple[SeatAction, ...]:
    """Return how expert plays its turn, up to the next card of an open stock."""
    found = Planner(own, public, history, rules).plans()
    others = after(own, public)
    chances = [by_play(own, public, history, rules, seat) for seat in others]
    return best(found, own, public, rules, chances, WEIGHTS[1 + len(others)]).turn
