"""The arena's games on all cores, with progress, until they are played or the user interrupts."""

import signal
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import active_children, get_context
from typing import Final

from tqdm import tqdm

from kings_server.arena_play import Fixture, Tally, play_duplicate

MOST_IN_CHUNK: Final = 16
"""Sets of cards handed to a worker at once: enough that handing over costs nothing beside them."""

CHUNKS_A_WORKER: Final = 8
"""At least so many chunks a worker, so that none waits long for the last of another's."""


def play_all(fixture: Fixture, deals: int, workers: int) -> tuple[Tally, ...]:
    """Play sets 0 to ``deals`` - 1 and return their tallies in order.

    The result does not depend on ``workers``. An interrupt (Ctrl-C) ends the play early: what is
    returned then is the longest unbroken row of finished sets from 0 on, because taking all that
    are finished would favour the short ones.
    """
    done: dict[int, Tally] = {}
    with (
        tqdm(total=deals, unit="deal", disable=None, leave=False) as progress,
        suppress(KeyboardInterrupt),
    ):
        for number, tally in _played(fixture, deals, workers):
            done[number] = tally
            progress.update()
    whole = next((number for number in range(deals) if number not in done), deals)
    return tuple(done[number] for number in range(whole))


def _played(fixture: Fixture, deals: int, workers: int) -> Iterator[tuple[int, Tally]]:
    if workers == 1:
        for number in range(deals):
            yield number, play_duplicate(fixture, number)
        return
    size = max(1, min(MOST_IN_CHUNK, deals // (workers * CHUNKS_A_WORKER)))
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts)
    try:
        chunks: dict[Future[list[Tally]], range] = {}
        for start in range(0, deals, size):
            numbers = range(start, min(start + size, deals))
            chunks[pool.submit(_play_chunk, fixture, numbers)] = numbers
        for chunk in as_completed(chunks):
            yield from zip(chunks.pop(chunk), chunk.result(), strict=True)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            worker.terminate()
        raise
    pool.shutdown()


def _play_chunk(fixture: Fixture, numbers: range) -> list[Tally]:
    return [play_duplicate(fixture, number) for number in numbers]


def _leave_interrupts() -> None:
    """Leave Ctrl-C, which reaches the whole group of processes, to the process that has workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
