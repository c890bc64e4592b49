"""The processes in which bots think: few, of low priority, and never longer there than the server.

A worker that is idle for ten minutes ends, and another one is started when it is needed.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar, TypeVarTuple

import trio
from trio_parallel import (  # type: ignore[import-untyped]  # it has no types
    BrokenWorkerError,
    open_worker_context,
)

from kings_server.log import Log
from kings_server.pool import RunApart
from kings_server.worker import begin

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

CLOSING_SECONDS: Final = 2.0
"""How long a worker may take to end by itself before it is ended."""


def worker_count() -> int:
    """Return how many bots may think at once: one core is the server's, if there are several."""
    return max(1, (os.cpu_count() or 1) - 1)


@asynccontextmanager
async def worker_processes(log: Log) -> AsyncIterator[RunApart]:
    """Give a way to run functions in worker processes; all of them end with the context."""
    clean = True
    try:
        async with open_worker_context(init=begin, grace_period=CLOSING_SECONDS) as context:

            async def run_apart(job: Callable[[*Ts], T], /, *args: *Ts) -> T:
                # The pool counts them.
                limiter = trio.CapacityLimiter(1)
                result: T = await context.run_sync(job, *args, kill_on_cancel=True, limiter=limiter)
                return result

            yield run_apart
    except BrokenWorkerError:
        clean = False
    if not clean:
        log.warning("a bots' process did not end in order")
