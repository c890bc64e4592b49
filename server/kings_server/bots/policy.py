"""The levels of play, and the one function that plays them.

A level is a pure function of what its seat may know (the view, the deal's history as the seat saw
it, the rules) and of a random source. It is handed no match, so it cannot look at a hidden card.
"""

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, View, legal_actions
from kings_server.bots import easy, expert, hard, medium


class Policy(Protocol):
    """How one level chooses where there is a choice."""

    def __call__(
        self,
        own: Own,
        public: Public,
        history: tuple[Event, ...],
        rules: Rules,
        rng: random.Random,
    ) -> SeatAction:
        """Return one of the seat's legal actions, of which there are at least two."""


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "easy": easy.choose,
        "medium": medium.choose,
        "hard": hard.choose,
        "expert": expert.choose,
    }
)

EVERY_LEVEL: Final = tuple(POLICIES)
"""The weakest first."""

LEVELS: Final = ("easy", "medium")
"""The levels that tables offer: those that answer at once (well under a millisecond a turn). The
others take up to some tenths of a second, and a table thinks in the process that serves them all.
"""


def choose(
    level: str, view: View, history: tuple[Event, ...], rules: Rules, rng: random.Random
) -> SeatAction:
    """Return what a bot of ``level`` does next.

    Args:
        level: one of ``EVERY_LEVEL``.
        view: the position as the bot's seat sees it; the seat must be on turn.
        history: the deal's events as the seat saw them (``view.deal_history``).
        rules: the table's rules.
        rng: where the bot's own chance comes from; never a source that a deal was made from.

    Returns:
        A legal action. Asked again and again with what follows, a bot ends its turn.

    Raises:
        KeyError: there is no such level.
        ValueError: the view is a spectator's, or its seat is not on turn.
    """
    policy = POLICIES[level]
    if view.own is None:
        raise ValueError("a spectator has nothing to choose")
    actions = legal_actions(view.own)
    if not actions:
        raise ValueError(f"seat {view.own.seat} is not on turn")
    if len(actions) == 1:
        return actions[0]
    return policy(view.own, view.public, history, rules, rng)
