"""One simulated evening, from its seed to its last task."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import trio
import trio.testing

from kings_server.limits import BETWEEN_SECONDS
from simulation.chances import seeded
from simulation.service import Service
from simulation.world import BOUNDS, NOTICED, SAVED, Evening, World

LIMIT: Final = 24 * 3600.0
"""Seconds of the virtual clock after which a run has failed."""

People: TypeAlias = Callable[[World], Awaitable[None]]
"""Runs all people of an evening until they are gone."""

Check: TypeAlias = Callable[[World], None]
"""Is called when everybody keeps still, and nothing has gone wrong for long enough."""


def run(evening: Evening, folder: Path, people: People, check: Check) -> World:
    """Play an evening to its end, and return what is left.

    Args:
        evening: what it is made of.
        folder: where clients and servers keep what they keep.
        people: runs everybody until they are gone; ``World`` says when they are asked to go.
        check: looks at what everybody knows.
    """
    clock = trio.testing.MockClock(autojump_threshold=0)
    with seeded(evening.seed):
        return trio.run(_play, evening, folder, people, check, clock=clock)


async def _play(evening: Evening, folder: Path, people: People, check: Check) -> World:
    with trio.fail_after(LIMIT) as limit:
        async with trio.open_nursery() as nursery:
            service = Service(evening, folder, nursery)
            world = service.world
            await service.start()
            quiet = trio.lowlevel.current_statistics().tasks_living
            watching, killing = trio.CancelScope(), trio.CancelScope()
            nursery.start_soon(world.watch, watching)
            async with trio.open_nursery() as crowd:
                crowd.start_soon(people, world)
                crowd.start_soon(service.come_and_go, killing)
                await trio.sleep(evening.seconds)
                killing.cancel()
                world.network.calm()
                if world.disk is not None:
                    world.disk.calm()
                world.ask(paused=True)
                await trio.sleep(2 * NOTICED + (0 if evening.wear is None else SAVED))
                await world.until_still()
                check(world)
                world.ask(closing=True)
            watching.cancel()
            await _empty(world, quiet, limit)
            await service.stop()
            nursery.cancel_scope.cancel()
    for line in world.lines.lines:
        if line.startswith("level='error'") and "'cannot save'" not in line:
            world.fault(line)
    return world


async def _empty(world: World, quiet: int, limit: trio.CancelScope) -> None:
    """Check that soon after everybody is gone nothing is left of them."""
    graces = [table.settings.grace for table in world.lobby.tables.values()]
    await trio.sleep(NOTICED + 2 * BOUNDS.pause_seconds + max(graces, default=0) + BETWEEN_SECONDS)
    await trio.testing.wait_all_tasks_blocked()
    for table in world.lobby.tables.values():
        seats = [seat.state.value for seat in table.roster.seats]
        world.fault(f"table {table.settings.table} is left: {table.phase} {seats}")
    if world.listener.sessions:
        world.fault(f"{len(world.listener.sessions)} connections are left")
    statistics = trio.lowlevel.current_statistics()
    if statistics.tasks_living != quiet:
        world.fault(f"{statistics.tasks_living - quiet} tasks are left")
    if trio.current_time() + statistics.seconds_to_next_deadline < limit.deadline - 1e-3:
        world.fault(f"a timer is left: {statistics.seconds_to_next_deadline} s")
