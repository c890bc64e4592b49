"""Bots that take time think in other processes, a few for the whole server, so nobody waits there.

First come, first served; a level that takes the time it is given is given less, the more wait
behind it. Who asks says until when an answer is of use. A thought that gets no worker by then ends
without an answer, and so does one whose worker dies or is too slow; what to do instead is up to who
asked. A thought that nobody wants any more leaves the queue at once; one that is under way has a
moment to finish, because to end a worker costs more than most thoughts.

How a function runs elsewhere is handed in: worker processes in service, this process in tests on a
virtual clock, which would jump ahead while another process works.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar, TypeVarTuple

import trio
from attrs import evolve

from kings_engine.actions import SeatAction
from kings_server.bots.question import Question, answer
from kings_server.counts import Times
from kings_server.log import Log, described

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MARGIN_SECONDS: Final = 0.2
"""What a thought needs beside its thinking: on the way, and for the end of what it is doing."""

FINISHING_SECONDS: Final = 0.25
"""What a thought that is of no use any more may still take before its worker is ended."""

WARM: Final = 4
"""Workers that are started before they are needed, at most; each takes 30 MB of memory."""

WARM_AFTER_SECONDS: Final = 1.0
"""Seconds from the first table to then: its maker waits for a screen. Thoughts wait for nothing."""

QUEUE: Final = 1000
"""Thoughts that may wait for a worker: one for each table, and as many hints."""


class RunApart(Protocol):
    """Runs a function where it delays nobody; ends it if it is cancelled."""

    def __call__(self, job: Callable[[*Ts], T], /, *args: *Ts) -> Awaitable[T]:
        """Run ``job`` with ``args``, and return what it returns or raises."""


class Thought:
    """A question that is being thought about.

    Attributes:
        until: when an answer is of no use any more.
        answer: the actions that were found; none if there was no answer in time.
        short: whether it had less than half of the time that it was to have, or none.
        ended: whether nothing more comes.
    """

    def __init__(self, until: float, then: Callable[[], None] | None) -> None:
        """Begin; ``then`` is called at the end, whatever came of it."""
        self.until = until
        self.answer: tuple[SeatAction, ...] = ()
        self.short = True
        self.ended = False
        self.scope = trio.CancelScope(deadline=until)
        self.under_way = False
        self._then = then

    def begin(self) -> None:
        """Note that a worker has taken it up."""
        self.under_way = True
        self.scope.deadline = self.until + FINISHING_SECONDS

    def drop(self) -> None:
        """Let it end: nobody wants the answer any more."""
        if not self.under_way:
            self.scope.cancel()
        last = trio.current_time() + FINISHING_SECONDS
        self.scope.deadline = min(self.scope.deadline, last)

    def end(self) -> None:
        """Note that nothing more comes."""
        self.ended = True
        if self._then is not None:
            self._then()


class Pool:
    """The workers of one server; ``run`` must be running."""

    def __init__(self, run_apart: RunApart, workers: int, log: Log) -> None:
        """Have up to ``workers`` thoughts at once run by ``run_apart``."""
        self.times = Times()
        self.run_apart = run_apart
        self._workers = workers
        self._limiter = trio.CapacityLimiter(workers)
        self._log = log
        self._wanted = trio.Event()
        self._nursery: trio.Nursery | None = None

    @property
    def thinking(self) -> int:
        """How many thoughts are under way now."""
        return self._limiter.borrowed_tokens

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Let thoughts be thought, for ever."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await self._wanted.wait()
            await trio.sleep(WARM_AFTER_SECONDS)
            for _ in range(min(self._workers, WARM)):
                self._nursery.start_soon(self._warm)
            await trio.sleep_forever()

    def warm(self) -> None:
        """Start workers, if none were yet: they will be needed soon."""
        self._wanted.set()

    def think(
        self, question: Question, until: float, then: Callable[[], None] | None = None
    ) -> Thought:
        """Begin to think, and return at once.

        Args:
            question: what to think about.
            until: when an answer is of no use any more.
            then: is called once at the end, whatever came of it; never from in here.

        Raises:
            LookupError: the pool does not run.
        """
        if self._nursery is None:
            raise LookupError("the pool does not run")
        thought = Thought(until, then)
        self._nursery.start_soon(self._think, question, thought)
        return thought

    async def _think(self, question: Question, thought: Thought) -> None:
        if self._limiter.statistics().tasks_waiting < QUEUE:
            with thought.scope:
                async with self._limiter:
                    thought.begin()
                    await self._ask(self._timed(question, thought), thought)
        thought.end()

    def _timed(self, question: Question, thought: Thought) -> Question:
        """Return the question with the time that is there for it, with all who wait behind it."""
        waiting = self._limiter.statistics().tasks_waiting
        left = thought.until - trio.current_time() - MARGIN_SECONDS
        share = left * self._workers / (self._workers + waiting)
        seconds = max(0.0, min(question.seconds, share))
        thought.short = seconds < question.seconds / 2
        return evolve(question, seconds=seconds)

    async def _ask(self, question: Question, thought: Thought) -> None:
        began = trio.current_time()
        try:
            thought.answer = await self.run_apart(answer, question)
            self.times.add(trio.current_time() - began)
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
        else:
            return
        thought.short = True
        self._log.error("bot failed", level=question.level, error=failure)

    async def _warm(self) -> None:
        async with self._limiter:
            try:
                await self.run_apart(bool)
            except Exception as error:  # noqa: BLE001  the fence round workers
                failure = described(error)
            else:
                return
        self._log.error("bots have no process", error=failure)
