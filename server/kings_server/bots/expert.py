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
from kings_server.bots.planner import MOST_POSITIONS, Planner

WEIGHTS: Final[Mapping[int, Weights]] = {
    2: Weights(
        points=0.2, king=6.0, opening=3.5, space=2.0, latent=1.0, fit=0.85, late=0.8, others=0.0
    ),
    3: Weights(
        points=0.2, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.7, late=1.0, others=0.7
    ),
    4: Weights(
        points=0.2, king=6.0, opening=1.0, space=1.0, latent=0.5, fit=0.7, late=1.0, others=0.3
    ),
}
"""By how many still play. Heads-up, what helps the other hurts oneself; among more it helps two or
three against one, and more cards are laid before one's next turn. The weights are those that did
best in wins and in points together: with three or four, keeping back more wins more deals and pays
for it in points."""


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,  # noqa: ARG001  it leaves nothing to chance
    most: int = MOST_POSITIONS,
) -> tuple[SeatAction, ...]:
    """Return how expert plays its turn, up to the next card of an open stock.

    Nothing, if there is no end of the turn among the ``most`` positions that are looked at.
    """
    found = Planner(own, public, history, rules).plans(most)
    if not found:
        return ()
    others = after(own, public)
    chances = [by_play(own, public, history, rules, seat) for seat in others]
    return best(found, own, public, rules, chances, WEIGHTS[1 + len(others)]).turn
