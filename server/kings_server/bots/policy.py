"""The levels of play, and the functions that play them.

A level is a pure function of what its seat may know (the view, the deal's history as the seat saw
it, the rules) and of a random source. It is handed no match, so it cannot look at a hidden card.
"""

import random
from collections.abc import Callable, Mapping
from time import monotonic
from types import MappingProxyType
from typing import Final, Protocol

from kings_engine.actions import EndTurn, SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, View, legal_actions
from kings_protocol.messages import Level
from kings_server.bots import easy, expert, hard, kernel_ready, master, medium

THINKING: Final = 1.0
"""Seconds that a level which takes what it is given thinks about a turn, unless it is told."""


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
        """Return what to do next, where more than the turn's end is legal, and what after that.

        The further actions are legal if nobody else does anything meanwhile; there may be none.
        """


class TimedPolicy(Protocol):
    """How a level plays that is the better the longer it thinks."""

    def __call__(
        self,
        own: Own,
        public: Public,
        history: tuple[Event, ...],
        rules: Rules,
        rng: random.Random,
        seconds: float,
        clock: Callable[[], float],
    ) -> tuple[SeatAction, ...]:
        """Return as ``Policy`` does, in ``seconds`` by ``clock``."""


POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {
        "easy": easy.plan,
        "medium": medium.plan,
        "hard": hard.plan,
        "expert": expert.plan,
    }
)

TIMED: Final[Mapping[str, TimedPolicy]] = MappingProxyType({"master": master.plan_turn})

EVERY_LEVEL: Final = (*POLICIES, *TIMED)
"""The weakest first."""

APART: Final = ("hard", "expert", "master")
"""The levels that a table has think in processes of their own: the event loop cannot wait."""

LEVELS: Final[tuple[Level, ...]] = ("easy", "medium", "hard", "expert", "master")
"""The levels that tables offer, if nothing keeps them from it."""


def why_not(level: str) -> kernel_ready.Why | None:
    """Return why ``level`` is not offered here, if it is not."""
    return kernel_ready.why_not() if level == "master" else None


def plan(
    level: str,
    view: View,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,
    seconds: float = THINKING,
    clock: Callable[[], float] = monotonic,
) -> tuple[SeatAction, ...]:
    """Return what a bot of ``level`` does next, and what it means to do after that.

    Args:
        level: one of ``EVERY_LEVEL``.
        view: the position as the bot's seat sees it; the seat must be on turn.
        history: the deal's events as the seat saw them (``view.deal_history``).
        rules: the table's rules.
        rng: where the bot's own chance comes from; never a source that a deal was made from.
        seconds: how long a level thinks that takes the time it is given.
        clock: by which time.

    Returns:
        Actions of one turn, at least one, legal one after another as long as nobody else does
        anything. Asked again and again with what follows, a bot ends its turn.

    Raises:
        KeyError: there is no such level.
        ValueError: the view is a spectator's, or its seat is not on turn.
    """
    if level not in EVERY_LEVEL:
        raise KeyError(level)
    if view.own is None:
        raise ValueError("a spectator has nothing to choose")
    actions = legal_actions(view.own)
    if not actions:
        raise ValueError(f"seat {view.own.seat} is not on turn")
    if actions == (EndTurn(),):
        return actions
    known = view.own, view.public, history, rules, rng
    if level in TIMED:
        return TIMED[level](*known, seconds, clock)
    return POLICIES[level](*known)


def choose(
    level: str,
    view: View,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,
    seconds: float = THINKING,
    clock: Callable[[], float] = monotonic,
) -> SeatAction:
    """Return the first action of ``plan``."""
    return plan(level, view, history, rules, rng, seconds, clock)[0]
