"""The arena's games on all cores, with progress, until they are played or the user interrupts."""

import os
import signal
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from enum import StrEnum
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from time import monotonic
from typing import Final, TypeAlias

from tqdm import tqdm

from kings_server.arena_play import Fixture, Tally, play_duplicate
from kings_server.bots.kernel_ready import make_ready
from kings_server.bots.policy import TIMED

Chunk: TypeAlias = tuple[list[tuple[int, Tally]], float]
"""Sets that were played, and how many seconds each of them took."""

CHUNK_SECONDS: Final = 0.2
"""How much a worker is given at once: handing it over costs nothing beside that, and nobody waits
long for the last one."""

MOST_IN_CHUNK: Final = 64

CHUNKS_AHEAD: Final = 2
"""Chunks a worker that are handed over before they are needed, so that none waits for the next."""


class Cut(StrEnum):
    """Why the play ended before it was over, for a sentence that begins with it."""

    INTERRUPTED = "interrupted"  #: by the user, with Ctrl-C
    DIED = "a process that played has died"  #: so that what it was playing is lost


def play_all(
    fixture: Fixture,
    sets: int,
    workers: int,
    enough: Callable[[Tally], bool] = lambda _: False,
) -> tuple[tuple[Tally, ...], Cut | None]:
    """Play the sets of cards 0 to ``sets`` - 1.

    Args:
        fixture: what is played.
        sets: how many sets at most.
        workers: how many processes play; the result does not depend on it.
        enough: shown each set in order; the play ends with the set of which it says so.

    Returns:
        The tallies in order, and why the play was cut short, if it was. Only an unbroken row of
        sets from 0 on counts, because taking all that are finished would favour short ones.
    """
    waiting: dict[int, Tally] = {}
    row: list[Tally] = []
    with (
        tqdm(
            total=sets, desc=",".join(fixture.seats), unit="set", disable=None, leave=False
        ) as progress,
        closing(_played(fixture, sets, workers)) as played,
    ):
        try:
            for number, tally in played:
                waiting[number] = tally
                progress.update()
                while len(row) in waiting:
                    row.append(waiting.pop(len(row)))
                    if enough(row[-1]):
                        return tuple(row), None
        except KeyboardInterrupt:
            return tuple(row), Cut.INTERRUPTED
        except BrokenProcessPool:
            return tuple(row), Cut.DIED
    return tuple(row), None


def _played(fixture: Fixture, sets: int, workers: int) -> Generator[tuple[int, Tally], None, None]:
    compiled = any(level in TIMED for level in fixture.seats)
    if compiled:
        make_ready()
    if workers == 1:
        for number in range(sets):
            yield number, play_duplicate(fixture, number)
        return
    pool = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_prepare_worker, initargs=(compiled,)
    )
    running: set[Future[Chunk]] = set()
    begun, size = 0, 1
    try:
        while True:
            while begun < sets and len(running) < workers * CHUNKS_AHEAD:
                numbers = range(begun, min(begun + size, sets))
                running.add(pool.submit(_play_chunk, fixture, numbers))
                begun = numbers.stop
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for chunk in done:
                played, seconds = chunk.result()
                size = min(MOST_IN_CHUNK, max(1, int(CHUNK_SECONDS / seconds)))
                yield from played
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            worker.terminate()
        raise
    pool.shutdown()


def _play_chunk(fixture: Fixture, numbers: range) -> Chunk:
    began = monotonic()
    played = [(number, play_duplicate(fixture, number)) for number in numbers]
    return played, (monotonic() - began) / len(numbers)


def _prepare_worker(compiled: bool) -> None:
    """Leave Ctrl-C, which reaches the whole group, to the parent; but do not outlive it.

    Load what is ``compiled`` before a turn is timed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    if compiled:
        make_ready()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
