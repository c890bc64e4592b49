"""What the server has done, counted: plain numbers that only grow.

The event loop counts; whoever shows the numbers, in whatever thread, only reads them.
"""

from bisect import bisect_left
from typing import Final

LATENCIES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper ends of the steps in which times are counted, in seconds; beyond the last is one more."""


class Times:
    """How often something took how long."""

    __slots__ = ("count", "seconds", "steps")

    def __init__(self) -> None:
        self.steps = [0] * (len(LATENCIES) + 1)
        self.count = 0
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Count one that took so long."""
        self.steps[bisect_left(LATENCIES, seconds)] += 1
        self.count += 1
        self.seconds += seconds

    def below(self, share: float) -> float | None:
        """Return the end of the step up to which ``share`` of all lie; nothing if there are none.

        It is infinite if they lie beyond the last.
        """
        wanted, found = share * self.count, 0
        if not self.count:
            return None
        for step, end in zip(self.steps, (*LATENCIES, float("inf")), strict=True):
            found += step
            if found >= wanted:
                return end
        return float("inf")


class Counts:
    """What one server has done.

    Attributes:
        connections: connections that were taken.
        refused: connections that were turned away at once: there was no room, or they are banned.
        tables: tables that were made.
        moves: actions of seats that changed a match, of people and of bots.
        resumes: seats that were come back to.
        answers: how long requests to tables took, from their arrival to their answer.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.refused = 0
        self.tables = 0
        self.moves = 0
        self.resumes = 0
        self.answers = Times()

    def resume(self) -> None:
        """Count a seat that was come back to."""
        self.resumes += 1
