"""Bots at a table: given a seat's view, they answer with actions, or with nothing.

A bot sees what a person in its seat would, and its randomness comes from a source of its own, never
from a deal's secret. Levels that answer at once do so in this process; the others think elsewhere
(``pool``), while the pause runs that a move takes for people to follow.

**Tempo tells nothing.** The pause is drawn from a source of its own before the bot looks at its
hand; it is no shorter than the time that a level is given to think, and the shortest there is where
everybody sees that nothing but the turn's end is left. The move is made when the pause is over; a
thought that takes longer is looked at again every ``LATE_STEP`` seconds, so nobody sees how long it
really took. A turn is planned once: what follows is played from the plan while nobody else does
anything.

**Short of time.** Who is not answered ``LATE_SECONDS`` after the pause has no more time: then the
move is ``INSTEAD``'s, which takes no millisecond, and the table says so.
"""

import os
import random
from collections.abc import Callable
from typing import Final

import trio
from attrs import frozen

from kings_engine.actions import SeatAction
from kings_engine.match import Match
from kings_protocol.messages import Level
from kings_server.bots.policy import APART, TIMED
from kings_server.bots.question import answer, ask
from kings_server.log import Log, described
from kings_server.pool import Pool, Thought
from kings_server.tempo import only_the_end

HINTING: Final[Level] = "hard"
"""The level that gives people hints."""

HINT_SECONDS: Final = 1.0
"""How long a hint may take; after that it is what ``INSTEAD`` would do."""

INSTEAD: Final[Level] = "medium"
"""The level that plays where there was no time to think: the strongest that needs none."""

LATE_SECONDS: Final = 1.0
"""How long a table waits for a bot after its pause."""

LATE_STEP: Final = 0.1
"""Seconds from one look at a late bot's thought to the next: the grain of what its tempo shows."""


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
        if level in APART:
            seconds = self._thinking if level in TIMED and not quick else 0.0
            pause = max(pause, seconds)
            until = trio.current_time() + pause + LATE_SECONDS
            question = ask(level, match, seat, self.chance.getrandbits(64), seconds)
            self._thought = self._pool.think(question, until)
        return pause

    def _pause(self) -> float:
        shortest, longest = self._pace
        return self.tempo.uniform(shortest, longest) / 1000

    def rest(self) -> None:
        """Think about no move any more: whatever was thought about is not to be done."""
        if self._thought is not None:
            self._thought.drop()
        self._place, self._thought, self._plan = None, None, ()

    def choose(self, level: Level, match: Match, seat: int) -> Choice | None:
        """Return what the bot at ``seat`` does, or nothing if it is still to be waited for."""
        place = _Place(level, seat, match.number, match.version)
        if place != self._place:
            self.begin(level, match, seat)
        thought = self._thought
        if thought is not None and not thought.ended and trio.current_time() < thought.until:
            return None
        if not self._plan:
            self._short = thought is not None and (thought.short or not thought.answer)
            if thought is not None and thought.answer:
                self._plan = thought.answer
            else:
                self._plan = self._at_once(INSTEAD if level in APART else level, match, seat)
        action, plan = next(iter(self._plan), None), self._plan[1:]
        self.rest()
        if plan:
            self._place, self._plan = place.after(), plan
        return Choice(action, self._short)

    def _at_once(self, level: Level, match: Match, seat: int) -> tuple[SeatAction, ...]:
        try:
            return answer(ask(level, match, seat, self.chance.getrandbits(64)))
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
        self._log.error("bot failed", seat=seat, level=level, error=failure)
        return ()

    # ---- hints

    def hint(self, match: Match, seat: int, give: Callable[[SeatAction | None], None]) -> bool:
        """Think about a hint for ``seat``, and ``give`` it later; nothing, if none can be found.

        Returns:
            Whether it is thought about: a seat is given one hint at a time.
        """
        if seat in self._hints:
            return False

        def done() -> None:
            found = self._hints.pop(seat).answer or self._at_once(INSTEAD, match, seat)
            give(next(iter(found), None))

        question = ask(HINTING, match, seat, self.chance.getrandbits(64))
        until = trio.current_time() + HINT_SECONDS
        self._hints[seat] = self._pool.think(question, until, done)
        return True

    def stop(self) -> None:
        """Think about nothing any more; hints that are under way come to their end."""
        self.rest()
        for thought in self._hints.values():
            thought.drop()
