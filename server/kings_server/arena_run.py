"""The arena's games on all cores, with progress, until they are played or the user interrupts."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Final, TypeAlias

from tqdm import tqdm

from kings_server.arena_play import Fixture, Tally, play_duplicate

Chunk: TypeAlias = list[tuple[int, Tally]]

MOST_IN_CHUNK: Final = 16
"""Sets of cards handed to a worker at once: enough that handing over costs nothing beside them."""

CHUNKS_AHEAD: Final = 3
"""Chunks a worker that are handed over before they are needed, so that none waits for the next."""

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
    starts = iter(range(0, deals, size))
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_prepare_worker)
    running: set[Future[Chunk]] = set()
    try:
        while True:
            for start in islice(starts, workers * CHUNKS_AHEAD - len(running)):
                numbers = range(start, min(start + size, deals))
                running.add(pool.submit(_play_chunk, fixture, numbers))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for chunk in done:
                yield from chunk.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            worker.terminate()
        raise
    pool.shutdown()


def _play_chunk(fixture: Fixture, numbers: range) -> Chunk:
    return [(number, play_duplicate(fixture, number)) for number in numbers]


def _prepare_worker() -> None:
    """Leave Ctrl-C, which reaches the whole group, to the parent; but do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
