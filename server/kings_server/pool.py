"""Bots that take time think in other processes, a few for the whole server, so nobody waits there.

First come, first served; a level that takes the time it is given is given less, the more wait
behind it. Who asks says until when an answer is of use. A thought that gets no worker by then ends
without an answer, and so does one whose worker dies or is too slow; what to do instead is up to who
asked. A thought that nobody wants any more leaves the line at once; one that is under way has a
moment to finish, because to end a worker costs more than most thoughts.

A worker is started before it takes a thought up, and no thought's end cuts its start short: where
that takes longer than thoughts may, all of them would be in vain, for ever.

Hints have a line and a worker of their own, so they tell nothing of how long bots think.

How a function runs elsewhere is handed in: worker processes in service, this process in tests on a
virtual clock, which would jump ahead while another process works.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar, TypeVarTuple

import trio
from attrs import evolve

from kings_engine.actions import SeatAction
from kings_server import kernel_fault
from kings_server.bots.question import Question, answer
from kings_server.counts import Times
from kings_server.log import Log, Spells, described

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MARGIN_SECONDS: Final = 0.2
"""What a thought needs beside its thinking: on the way, and for the end of what it is doing; of a
short time, a third at most."""

FINISHING_SECONDS: Final = 0.25
"""What a thought that is of no use any more may still take before its worker is ended."""

WARM: Final = 4
"""Workers that are started before they are needed, at most; each takes 30 MB of memory."""

WARM_AFTER_SECONDS: Final = 1.0
"""Seconds from the first table to then: its maker waits for a screen. Thoughts wait for nothing."""

RETRY_SECONDS: Final = 5.0
"""Seconds from a worker that could not be started to the next one."""

QUEUE: Final = 1000
"""Thoughts that may wait for a worker: one for each table. As many hints may."""


class RunApart(Protocol):
    """Runs a function where it delays nobody; ends it if it is cancelled."""

    def __call__(self, job: Callable[[*Ts], T], /, *args: *Ts) -> Awaitable[T]:
        """Run ``job`` with ``args``, and return what it returns or raises."""


class Thought:
    """A question that is being thought about.

    Attributes:
        question: what is asked.
        until: when an answer is of no use any more.
        answer: the actions that were found; none if there was no answer in time.
        short: whether it had less than half of the time that it was to have, or none.
        under_way: whether a worker has taken it up.
        ended: is set when nothing more comes.
        scope: what ends it: first its waiting, then its thinking.
    """

    def __init__(self, question: Question, until: float) -> None:
        """Begin to wait for a worker."""
        self.question = question
        self.until = until
        self.answer: tuple[SeatAction, ...] = ()
        self.short = True
        self.under_way = False
        self.ended = trio.Event()
        self.scope = trio.CancelScope(deadline=until)

    def begin(self) -> None:
        """Note that a worker has taken it up."""
        self.under_way = True
        self.scope = trio.CancelScope(deadline=self.until + FINISHING_SECONDS)

    def drop(self) -> None:
        """Let it end: nobody wants the answer any more."""
        if not self.under_way:
            self.scope.cancel()
        last = trio.current_time() + FINISHING_SECONDS
        self.scope.deadline = min(self.scope.deadline, last)

    def end(self) -> None:
        """Note that nothing more comes."""
        self.ended.set()
        self.short = self.short or not self.answer


class _Line:
    """Thoughts that wait for a worker; for each of them one is called.

    Attributes:
        workers: how many serve it.
        calls: for workers; what waits is taken up by whichever comes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.calls = trio.Semaphore(0)
        self._last, self._first = trio.open_memory_channel[Thought](0)

    @property
    def waiting(self) -> int:
        """How many thoughts wait."""
        return self._last.statistics().tasks_waiting_send

    async def wait(self, thought: Thought) -> None:
        """Wait with ``thought`` until a worker takes it up, or until its scope ends."""
        with thought.scope:
            self.calls.release()
            await self._last.send(thought)
        if not thought.under_way and self.calls.value:
            self.calls.acquire_nowait()

    def next(self) -> Thought | None:
        """Return who has waited longest, from now on under way."""
        try:
            thought = self._first.receive_nowait()
        except trio.WouldBlock:
            return None
        thought.begin()
        return thought


class Pool:
    """The workers of one server; ``run`` must be running.

    Attributes:
        times: how long bots thought.
        thinking: how many thoughts are under way now.
        run_apart: how anything runs elsewhere.
    """

    def __init__(self, run_apart: RunApart, workers: int, log: Log) -> None:
        """Have up to ``workers`` bots think at once by ``run_apart``, and one hint."""
        self.times = Times()
        self.thinking = 0
        self.run_apart = run_apart
        self._bots, self._hints = _Line(workers), _Line(1)
        self._log = log
        self._wanted = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._spells = Spells()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Let thoughts be thought, for ever."""
        async with trio.open_nursery() as self._nursery:
            for line in (self._bots, self._hints):
                for _ in range(line.workers):
                    self._nursery.start_soon(self._work, line)
            task_status.started()
            await self._wanted.wait()
            await trio.sleep(WARM_AFTER_SECONDS)
            for _ in range(min(self._bots.workers, WARM)):
                self._bots.calls.release()

    def warm(self) -> None:
        """Start workers, if none were yet: they will be needed soon."""
        self._wanted.set()

    def think(self, question: Question, until: float) -> Thought:
        """Begin to think, and return at once.

        Args:
            question: what to think about.
            until: when an answer is of no use any more.

        Raises:
            LookupError: the pool does not run.
        """
        return self._begin(self._bots, question, until)[1]

    def hint(self, question: Question, at: float, then: Callable[[Thought], None]) -> Thought:
        """Begin to think, and call ``then`` exactly ``at`` that time, whatever came of it.

        Raises:
            LookupError: the pool does not run.
        """
        nursery, thought = self._begin(self._hints, question, at)
        nursery.start_soon(self._tell, thought, then)
        return thought

    def _begin(self, line: _Line, question: Question, until: float) -> tuple[trio.Nursery, Thought]:
        if self._nursery is None:
            raise LookupError("the pool does not run")
        thought = Thought(question, until)
        self._nursery.start_soon(self._wait, line, thought)
        return self._nursery, thought

    async def _tell(self, thought: Thought, then: Callable[[Thought], None]) -> None:
        await trio.sleep_until(thought.until)
        then(thought)

    async def _wait(self, line: _Line, thought: Thought) -> None:
        if line.waiting < QUEUE:
            await line.wait(thought)
        if not thought.under_way:
            self._end(thought)

    def _end(self, thought: Thought) -> None:
        thought.end()
        now = trio.current_time()
        late = not thought.answer and now >= thought.until
        if late and (times := self._spells.due("time", now)):
            level = thought.question.level
            self._log.warning("bots have no time", level=level, times=times)

    async def _work(self, line: _Line) -> None:
        """Be one worker: there whenever it is called, and soon again where it was ended."""
        while True:
            await line.calls.acquire()
            await self._start()
            thought = line.next()
            if thought is not None:
                await self._ask(self._timed(line, thought), thought)
                if not thought.answer:
                    line.calls.release()

    async def _start(self) -> None:
        """Start a worker, if there is none; try again where that fails."""
        while True:
            try:
                fault = await self.run_apart(kernel_fault.fault)
            except Exception as error:  # noqa: BLE001  the fence round workers
                failure = described(error)
            else:
                self._note(fault)
                return
            if times := self._spells.due("process", trio.current_time()):
                self._log.error("bots have no process", error=failure, times=times)
            await trio.sleep(RETRY_SECONDS)

    def _note(self, fault: str | None) -> None:
        if fault is not None and kernel_fault.fault() is None:
            kernel_fault.note(fault)
            self._log.error("the kernel cannot be loaded", error=fault)

    def _timed(self, line: _Line, thought: Thought) -> Question:
        """Return the question with the time that is there for it, with all who wait behind it."""
        left = max(0.0, thought.until - trio.current_time())
        share = (left - min(MARGIN_SECONDS, left / 3)) * line.workers
        question = thought.question
        seconds = min(question.seconds, share / (line.workers + line.waiting))
        thought.short = seconds < question.seconds / 2
        return evolve(question, seconds=seconds)

    async def _ask(self, question: Question, thought: Thought) -> None:
        began, failure = trio.current_time(), ""
        self.thinking += 1
        try:
            with thought.scope:
                thought.answer = await self.run_apart(answer, question)
                self.times.add(trio.current_time() - began)
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
        finally:
            self.thinking -= 1
        if failure:
            self._log.error("bot failed", level=question.level, error=failure)
        self._end(thought)
