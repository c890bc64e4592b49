"""The server of an evening: started, killed at any instant, stopped in order, and started again."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from journals import quick_passwords
from kings_server.committer import Committer
from kings_server.config import Config
from kings_server.journal import Forgetful, Journal
from kings_server.journal_file import NAME
from kings_server.journal_rows import Write
from kings_server.limits import STOP_SECONDS
from kings_server.listener import Listener
from kings_server.lobby import Lobby
from kings_server.service import drain
from simnet import Network
from simulation.disk import Disk, FileOnDisk
from simulation.lines import Lines
from simulation.record import Record
from simulation.wiretap import Ledger
from simulation.world import BOUNDS, Evening, World
from thinking import pool

LONGEST_DRAIN: Final = 20.0
"""The longest, in seconds, for which a server that is to end lets people play on."""

PAUSES: Final = (0.0, 1.0, 5.0, 60.0)
"""The longest times, in seconds, for which no server runs."""


class Service:
    """Runs one server at a time, each with the journal of the one before."""

    def __init__(self, evening: Evening, folder: Path, nursery: trio.Nursery) -> None:
        """Prepare an evening's world; ``start`` brings its server to life."""
        self._nursery = nursery
        self._path = folder / NAME
        self._file: FileOnDisk | None = None
        self._server: trio.CancelScope | None = None
        self._ended = trio.Event()
        chance = random.Random(f"service {evening.seed}")  # noqa: S311
        disk = None if evening.wear is None else Disk(evening.wear, chance)
        ledger = Ledger(self._look)
        lines = Lines()
        lobby = Lobby(
            Config(bounds=BOUNDS), Forgetful(), pool(), lines.log(), passwords=quick_passwords()
        )
        network = Network(evening.seed, evening.weather, nursery)
        listener = Listener(lobby, lines.log())
        self.world = World(evening, folder, chance, lines, network, ledger, disk, lobby, listener)
        network.tap = self.world.tap
        self.world.restart = self.restart

    def _look(self) -> None:
        self.world.look()

    @property
    def _record(self) -> Record:
        return self.world.ledger.record

    async def start(self) -> None:
        """Start a server."""
        self._ended = trio.Event()
        await self._nursery.start(self._run)

    async def stop(self) -> None:
        """Stop the server in order."""
        await self.world.listener.farewell(STOP_SECONDS)
        await self.kill()

    async def kill(self) -> None:
        """End the server at once."""
        self.world.network.serve = None
        if self._server is not None:
            self._server.cancel()
            await self._ended.wait()

    async def come_and_go(self, scope: trio.CancelScope) -> None:
        """Kill the server again and again, until cancelled; it is started again each time."""
        mean, chance = self.world.evening.kills, self.world.chance
        if mean is None:
            return
        with scope:
            while True:
                await trio.sleep(chance.expovariate(1 / mean))
                with trio.CancelScope(shield=True):
                    await self.restart()

    async def restart(self) -> None:
        """End the server, by itself or with its machine, and start it again after a while."""
        world, chance = self.world, self.world.chance
        how = chance.choice(("killed", "stopped", "drained", "machine off"))
        if how == "drained":
            await drain(chance.uniform(0, LONGEST_DRAIN), world.lobby, world.listener, trio.Event())
        world.network.serve = None
        if how in ("stopped", "drained"):
            await world.listener.farewell(STOP_SECONDS)
        elif how == "machine off":
            for cable in sorted(world.network.cables, key=lambda cable: cable.number):
                cable.cut()
        await self.kill()
        await trio.sleep(chance.uniform(0, chance.choice(PAUSES)))
        await self.start()

    async def _run(self, task_status: trio.TaskStatus[None]) -> None:
        world, journal = self.world, self._journal()
        log = world.lines.log()
        with trio.CancelScope() as self._server:
            async with trio.open_nursery() as nursery:
                server_id = None if self._file is None else self._file.server_id
                config = Config(bounds=BOUNDS)
                lobby = Lobby(config, journal, pool(), log, server_id, passwords=quick_passwords())
                world.lobby, world.listener = lobby, Listener(lobby, log)
                await nursery.start(lobby.run)
                if self._file is not None and isinstance(journal, Committer):
                    await nursery.start(journal.run)
                    lobby.come_back(self._file.load())
                    self._check_restart()
                world.network.servers, world.network.serve = nursery, world.serve
                task_status.started()
                await trio.sleep_forever()
        if self._file is not None:
            self._file.close()
        self._ended.set()

    def _journal(self) -> Journal:
        world = self.world
        if world.disk is None:
            return Forgetful()
        self._file = FileOnDisk(self._path, world.disk, self._kept)
        self._file.begin()
        return Committer(self._file, world.lines.log(), world.disk.run)

    def _kept(self, writes: Sequence[Write]) -> None:
        self._record.keep(writes, self.world.rules_of)

    def _check_restart(self) -> None:
        """Check that every table that is on the disk is there, with its match as it was."""
        lobby, record = self.world.lobby, self._record
        expected = {table for table, _ in record.states} - record.forgotten
        for missing in sorted(expected - set(lobby.tables)):
            self.world.fault(f"table {missing} did not come back")
        for name, table in lobby.tables.items():
            if name in record.forgotten:
                self.world.fault(f"table {name} came back, and had ended")
            newest = record.newest(name)
            if newest != (None if table.match is None else (table.matches, table.match)):
                self.world.fault(f"the match of table {name} is not what it was")
