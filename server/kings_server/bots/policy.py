"""The levels of play, and the functions that play them.

A level is a pure function of what its seat may know (the view, the deal's history as the seat saw
it, the rules) and of a random source. It is handed no match, so it cannot look at a hidden card.
"""

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from attrs import frozen

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, View, legal_actions
from kings_server.bots import easy, expert, hard, medium


class Policy(Protocol):
    """How one level plays where there is a choice."""

    def __call__(
        self,
        own: Own,
        public: Public,
        history: tuple[Event, ...],
        rules: Rules,
        rng: random.Random,
    ) -> tuple[SeatAction, ...]:
        """Return what to do next, of at least two legal actions, and what after that.

        The further actions are legal if nobody else does anything meanwhile; there may be none.
        """


@frozen
class Skill:
    """One level.

    Attributes:
        policy: how it plays.
        apart: whether a table has it think in a process of its own, because it takes longer than
            the event loop can wait.
    """

    policy: Policy
    apart: bool = False


SKILLS: Final[Mapping[str, Skill]] = MappingProxyType(
    {
        "easy": Skill(easy.plan),
        "medium": Skill(medium.plan),
        "hard": Skill(hard.plan, apart=True),
        "expert": Skill(expert.plan, apart=True),
    }
)

EVERY_LEVEL: Final = tuple(SKILLS)
"""The weakest first."""

LEVELS: Final = EVERY_LEVEL
"""The levels that tables offer."""


def plan(
    level: str, view: View, history: tuple[Event, ...], rules: Rules, rng: random.Random
) -> tuple[SeatAction, ...]:
    """Return what a bot of ``level`` does next, and what it means to do after that.

    Args:
        level: one of ``EVERY_LEVEL``.
        view: the position as the bot's seat sees it; the seat must be on turn.
        history: the deal's events as the seat saw them (``view.deal_history``).
        rules: the table's rules.
        rng: where the bot's own chance comes from; never a source that a deal was made from.

    Returns:
        Actions of one turn, at least one, legal one after another as long as nobody else does
        anything. Asked again and again with what follows, a bot ends its turn.

    Raises:
        KeyError: there is no such level.
        ValueError: the view is a spectator's, or its seat is not on turn.
    """
    policy = SKILLS[level].policy
    if view.own is None:
        raise ValueError("a spectator has nothing to choose")
    actions = legal_actions(view.own)
    if not actions:
        raise ValueError(f"seat {view.own.seat} is not on turn")
    if len(actions) == 1:
        return actions
    return policy(view.own, view.public, history, rules, rng)


def choose(
    level: str, view: View, history: tuple[Event, ...], rules: Rules, rng: random.Random
) -> SeatAction:
    """Return the first action of ``plan``."""
    return plan(level, view, history, rules, rng)[0]
