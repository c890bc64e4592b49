"""One simulated evening: a server, its network, and all who come; from a seed, to the last task."""

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import structlog
import trio
import trio.testing
from attrs import define, field, frozen

from kings_protocol.limits import DEAD_SECONDS, PING_SECONDS, WRITE_SECONDS
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.limits import BETWEEN_SECONDS
from kings_server.listener import Listener
from kings_server.lobby import Lobby
from kings_server.log import Log
from kings_server.seats import State
from kings_server.table import Table
from simnet import Cable, Network, Weather
from simulation.chances import seeded
from simulation.record import Record
from simulation.wiretap import Ledger, Wiretap

LIMIT: Final = 24 * 3600.0
"""Seconds of the virtual clock after which a run has failed."""

SLOWEST: Final = 10.0
"""The longest that somebody who is there and wants to go on thinks before the next move."""

ANSWERED: Final = WRITE_SECONDS + PING_SECONDS / 2 + 1.0
"""Seconds after which a reply is written or its connection is given up: the heart beats so often."""

NOTICED: Final = DEAD_SECONDS + WRITE_SECONDS + 5.0
"""Seconds after which every end of a connection knows that it is cut."""


@frozen
class Evening:
    """What a run is made of.

    Attributes:
        seed: where all of its chances come from.
        weather: what connections meet with.
        seconds: how long people play before they are asked to stop.
    """

    seed: int
    weather: Weather
    seconds: float = 600.0


class Lines:
    """Keeps log lines as they would be written."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def msg(self, message: str) -> None:
        """Take a line."""
        self.lines.append(message)

    debug = info = warning = error = msg


def log_to(lines: Lines) -> Log:
    """Return a logger of all levels that writes to ``lines``, without times."""
    log: Log = structlog.wrap_logger(
        lines,
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(0),
        cache_logger_on_first_use=False,
    )
    return log


@define(eq=False)
class World:
    """The server and the network, and what is known of both."""

    evening: Evening
    folder: Path
    chance: random.Random
    lines: Lines
    lobby: Lobby
    listener: Listener
    network: Network
    ledger: Ledger
    taps: list[Wiretap] = field(factory=list)
    paused: bool = False
    closing: bool = False
    changed: trio.Event = field(factory=trio.Event)
    _progress: dict[Table, tuple[object, float]] = field(factory=dict)

    def fault(self, words: str) -> None:
        """Note what must not be."""
        self.ledger.faults.append(f"{trio.current_time():.3f} {words}")

    def turn(self, *, paused: bool = False, closing: bool = False) -> None:
        """Let everybody pause, go on, or leave."""
        self.paused, self.closing = paused, closing
        self.changed.set()
        self.changed = trio.Event()

    def tap(self, cable: Cable) -> None:
        """Listen to a new connection."""
        tap = Wiretap(self.ledger, len(self.taps) + 1)
        self.taps.append(tap)
        cable.far.heard, cable.far.said = tap.heard, tap.said

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Serve a connection as the real listeners do."""
        tap = self.taps[-1]
        try:
            await self.listener.handle(stream)
        finally:
            tap.over = True

    async def watch(self) -> None:
        """Look again and again whether everything that waits may wait."""
        while True:
            await trio.sleep(5.0)
            for tap in self.taps:
                request = tap.overdue(ANSWERED)
                if request is not None:
                    self.fault(f"connection {tap.number}: no reply to {request}")
            for table in self.lobby.tables.values():
                self._watch_table(table)

    def _watch_table(self, table: Table) -> None:
        now = trio.current_time()
        match = table.match
        key = (table.matches, table.phase, None if match is None else match.version)
        before, since = self._progress.get(table, (None, now))
        if key != before or self.paused or table.phase.idle or _waits_by_choice(table):
            self._progress[table] = key, now
            return
        clock = table.settings.rules.turn_seconds or 0
        bound = NOTICED + table.settings.grace + BETWEEN_SECONDS + 4 * SLOWEST + clock
        if now - since > bound:
            self.fault(f"table {table.settings.table} has stood still in {key} since {since:.3f}")
            self._progress[table] = key, now


def _waits_by_choice(table: Table) -> bool:
    """Say whether somebody is gone for whom this table waits for ever."""
    gone = bool(table.roster.where(State.DROPPED))
    return gone and table.settings.absent == "wait"


People: TypeAlias = Callable[[World], Awaitable[None]]
"""Runs all people of an evening until they are gone."""


def run(evening: Evening, folder: Path, people: People, check: Callable[[World], None]) -> World:
    """Play an evening to its end, and return what is left.

    Args:
        evening: what it is made of.
        folder: where clients keep what they keep.
        people: runs everybody until they are gone; told when by ``World.closing``.
        check: is called when everybody has paused, and the weather has long been calm.
    """
    with seeded(evening.seed):
        return trio.run(
            _play,
            evening,
            folder,
            people,
            check,
            clock=trio.testing.MockClock(autojump_threshold=0),
        )


async def _play(
    evening: Evening, folder: Path, people: People, check: Callable[[World], None]
) -> World:
    lines = Lines()
    log = log_to(lines)
    lobby = Lobby(Config(), Forgetful(), log)
    record = Record()
    with trio.fail_after(LIMIT) as limit:
        async with trio.open_nursery() as nursery:
            world = World(
                evening=evening,
                folder=folder,
                chance=random.Random(evening.seed),  # noqa: S311
                lines=lines,
                lobby=lobby,
                listener=Listener(lobby, log),
                network=Network(evening.seed, evening.weather, nursery),
                ledger=Ledger(record, lambda: record.look(lobby.tables)),
            )
            world.network.tap = world.tap
            world.network.serve = world.serve
            await nursery.start(lobby.run)
            quiet = trio.lowlevel.current_statistics().tasks_living
            watching = trio.CancelScope()
            nursery.start_soon(_watch, world, watching)
            async with trio.open_nursery() as crowd:
                crowd.start_soon(people, world)
                await trio.sleep(evening.seconds)
                world.network.calm()
                world.turn(paused=True)
                await trio.sleep(2 * NOTICED)
                await trio.testing.wait_all_tasks_blocked()
                check(world)
                world.turn(closing=True)
            watching.cancel()
            await _empty(world, quiet, limit)
            nursery.cancel_scope.cancel()
    for line in lines.lines:
        if line.startswith("level='error'"):
            world.fault(line)
    return world


async def _watch(world: World, scope: trio.CancelScope) -> None:
    with scope:
        await world.watch()


async def _empty(world: World, quiet: int, limit: trio.CancelScope) -> None:
    """Check that soon after everybody is gone nothing is left of them."""
    graces = [table.settings.grace for table in world.lobby.tables.values()]
    await trio.sleep(NOTICED + max(graces, default=0) + BETWEEN_SECONDS)
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
