"""Bots that think for tests: in this process, for as long as a test says."""

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import trio

from kings_server.bots.question import Question
from kings_server.log import logger
from kings_server.pool import Pool

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Study:
    """Thinks here, in the time that ``takes`` gives for a thought, or fails with ``failure``.

    Like a process, it is there only once it was started, and no more after a thought that was
    ended from outside.

    Attributes:
        start: how many seconds its start takes.
        begun: what was asked.
        ended: how many thoughts came to their end, and were not ended from outside.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        self.takes: Callable[[], float] = lambda: seconds
        self.start = 0.0
        self.failure: Exception | None = None
        self.begun: list[Question] = []
        self.ended = 0
        self._asked = trio.Event()
        self._is_there = False

    async def until_asked(self, count: int) -> None:
        """Wait until ``count`` thoughts were begun."""
        while len(self.begun) < count:
            await self._asked.wait()

    async def run_apart(self, job: Callable[[*Ts], T], /, *args: *Ts) -> T:
        """Run ``job`` after its time."""
        if self.start and not self._is_there:
            await trio.sleep(self.start)
        self._is_there = True
        if args:
            assert isinstance(args[0], Question)
            self.begun.append(args[0])
            self._asked.set()
            self._asked = trio.Event()
            self._is_there = False
            await trio.sleep(self.takes())
            self._is_there = True
            if self.failure is not None:
                raise self.failure
            self.ended += 1
        return job(*args)


def pool(study: Study | None = None, workers: int = 1) -> Pool:
    """Return a pool of bots that think in this process."""
    return Pool((study or Study()).run_apart, workers, logger())
