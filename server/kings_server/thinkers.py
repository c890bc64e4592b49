"""Bots at a table: given a seat's view, they answer with an action, or with nothing.

A bot sees what a person in its seat would, and its randomness comes from a source of its own, never
from a deal's secret.
"""

import os
import random
from typing import Final

from kings_engine.actions import SeatAction
from kings_engine.match import Match
from kings_engine.view import deal_history, observe
from kings_protocol.messages import Level
from kings_server.bots.policy import LEVELS, choose
from kings_server.log import Log, described

HINTING: Final = LEVELS[-1]
"""The level that gives people hints: the strongest, as all of them answer within milliseconds."""


class Thinkers:
    """The bots of one table, and how long they take."""

    def __init__(self, pace: tuple[int, int], log: Log) -> None:
        """Let bots take from the first to the second of ``pace``, in milliseconds, for a move."""
        self._pace = pace
        self._log = log
        self._random = random.Random(os.urandom(32))  # noqa: S311  bots' choices guard no secret

    def pause(self) -> float:
        """Return how many seconds the next move takes; drawn before it is chosen."""
        shortest, longest = self._pace
        return self._random.uniform(shortest, longest) / 1000

    def choose(self, level: Level, match: Match, seat: int) -> SeatAction | None:
        """Return the bot's action, or nothing if it failed: that costs its move, not the table."""
        try:
            view, past = observe(match, seat), deal_history(match, seat)
            return choose(level, view, past, match.rules, self._random)
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
        self._log.error("bot failed", seat=seat, level=level, error=failure)
        return None
