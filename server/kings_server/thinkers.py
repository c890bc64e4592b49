"""Bots at a table: given a seat's view, they answer with actions, or with nothing.

A bot sees what a person in its seat would, and its randomness comes from a source of its own, never
from a deal's secret. Levels that answer at once do so in this process; the others think elsewhere
(``pool``), while the pause runs that a move takes for people to follow.

**Tempo tells nothing.** The pause is drawn from a source of its own before the bot looks at its
hand; it is no shorter than the time that a level is given to think, and the shortest there is where
everybody sees that nothing but the turn's end is left. The move is made when the pause is over,
however long the thought took: one that is still under way then comes too late. A turn is planned
once: what follows is played from the plan while nobody else does anything. A hint comes exactly
``HINT_SECONDS`` after it was asked for.

**Short of time.** Who has not even been given a worker when the pause is over waits for one
``LATE_SECONDS`` more, and never longer. Who has no answer then plays what is found at once
(``instead``), and the table says so.
"""

import os
import random
from collections.abc import Callable
from typing import Final, TypeAlias

import trio
from attrs import frozen

from kings_engine.actions import SeatAction
from kings_engine.match import Match
from kings_protocol.messages import Level
from kings_server.bots.policy import APART, TIMED
from kings_server.bots.question import Question, answer, ask
from kings_server.instead import instead
from kings_server.log import Log, described
from kings_server.pool import Pool, Thought
from kings_server.tempo import only_the_end

HINTING: Final[Level] = "expert"
"""The level that gives people hints: of those that overlook no card on purpose, the strongest that
has an answer within ``HINT_SECONDS`` whatever else the machine does."""

HINT_SECONDS: Final = 0.5
"""How long a hint takes."""

LEAST_SECONDS: Final = 0.2
"""The least that a bot takes which thinks elsewhere: several times what expert needs."""

LATE_SECONDS: Final = 1.0
"""How long a table waits after its bot's pause for a worker to take the thought up."""


_Find: TypeAlias = Callable[[Question], tuple[SeatAction, ...]]


@frozen
class Choice:
    """What a bot does.

    Attributes:
        action: its action, or nothing if it failed: that costs its move, not the table.
        short: whether it had no time to think.
    """

    action: SeatAction | None
    short: bool = False


@frozen
class _Place:
    """Whose move it is, and in which position."""

    level: Level
    seat: int
    deal: int
    version: int

    def after(self) -> "_Place":
        """Return the same turn after one more action."""
        return _Place(self.level, self.seat, self.deal, self.version + 1)


class Thinkers:
    """The bots of one table, and how long they take."""

    def __init__(self, pace: tuple[int, int], thinking: int, pool: Pool, log: Log) -> None:
        """Seat no bot yet.

        Args:
            pace: how long bots take for a move, from the first to the second, in milliseconds.
            thinking: how long those think that take what they are given, in milliseconds.
            pool: where they think.
            log: where to log.
        """
        self.tempo = random.Random(os.urandom(32))  # noqa: S311  guards no secret
        self.chance = random.Random(os.urandom(32))  # noqa: S311
        self._pace = pace
        self._thinking = thinking / 1000
        self._pool = pool
        self._log = log
        self._place: _Place | None = None
        self._thought: Thought | None = None
        self._plan: tuple[SeatAction, ...] = ()
        self._late = False
        self._short = False
        self._hints: dict[int, Thought] = {}

    def begin(self, level: Level, match: Match, seat: int) -> float:
        """Let the bot at ``seat`` begin its move; return in how many seconds it is to be made."""
        pause, quick = self._pause(), match.deal is not None and only_the_end(match.deal)
        if quick:
            pause = self._pace[0] / 1000
        place = _Place(level, seat, match.number, match.version)
        if place == self._place:
            return pause
        self.rest()
        self._place = place
        if level in APART and not quick:
            seconds = self._thinking if level in TIMED else 0.0
            pause = max(pause, seconds, LEAST_SECONDS)
            question = self._question(level, match, seat, seconds)
            self._thought = self._pool.think(question, trio.current_time() + pause)
        return pause

    def _pause(self) -> float:
        shortest, longest = self._pace
        return self.tempo.uniform(shortest, longest) / 1000

    def rest(self) -> None:
        """Think about no move any more: whatever was thought about is not to be done."""
        if self._thought is not None:
            self._thought.drop()
        self._place, self._thought, self._plan, self._late = None, None, (), False

    def choose(self, level: Level, match: Match, seat: int) -> Choice | None:
        """Return what the bot at ``seat`` does, or nothing if it does it ``LATE_SECONDS`` later."""
        place = _Place(level, seat, match.number, match.version)
        if place != self._place:
            self.begin(level, match, seat)
        thought = self._thought
        if thought is not None and not thought.under_way and not self._late:
            thought.drop()
            self._late = True
            self._thought = self._pool.think(thought.question, trio.current_time() + LATE_SECONDS)
            return None
        if not self._plan:
            self._short = thought is not None and (thought.short or not thought.answer)
            if thought is not None and thought.answer:
                self._plan = thought.answer
            else:
                find = instead if level in APART else answer
                self._plan = self._at_once(find, self._question(level, match, seat))
        action, plan = next(iter(self._plan), None), self._plan[1:]
        self.rest()
        if plan:
            self._place, self._plan = place.after(), plan
        return Choice(action, self._short)

    def _question(self, level: str, match: Match, seat: int, seconds: float = 0.0) -> Question:
        return ask(level, match, seat, self.chance.getrandbits(64), seconds)

    def _at_once(self, find: _Find, question: Question) -> tuple[SeatAction, ...]:
        try:
            return find(question)
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
        self._log.error("bot failed", level=question.level, error=failure)
        return ()

    # ---- hints

    def hint(self, match: Match, seat: int, give: Callable[[SeatAction | None], None]) -> bool:
        """Think about a hint for ``seat``, and ``give`` it ``HINT_SECONDS`` from now.

        Nothing is given if none can be found.

        Returns:
            Whether it is thought about: a seat is given one hint at a time.
        """
        if seat in self._hints:
            return False

        def done(thought: Thought) -> None:
            del self._hints[seat]
            thought.drop()
            found = thought.answer or self._at_once(instead, thought.question)
            give(next(iter(found), None))

        at = trio.current_time() + HINT_SECONDS
        self._hints[seat] = self._pool.hint(self._question(HINTING, match, seat), at, done)
        return True

    def stop(self) -> None:
        """Think about nothing any more; hints that are under way come to their end."""
        self.rest()
        for thought in self._hints.values():
            thought.drop()
