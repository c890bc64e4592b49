"""The world of a simulated evening: the server, its network, and what is known of both."""

import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import trio
import trio.testing
from attrs import define, field, frozen

from kings_engine.rules import Rules
from kings_protocol.limits import DEAD_SECONDS, LOBBY_SECONDS, PING_SECONDS, WRITE_SECONDS
from kings_server.bounds import Bounds
from kings_server.limits import BETWEEN_SECONDS, JOURNAL_SECONDS
from kings_server.listener import Listener
from kings_server.lobby import Lobby
from kings_server.seats import State
from kings_server.table import Table
from simnet import Cable, Network, Weather
from simulation.disk import Disk, Wear
from simulation.lines import Lines
from simulation.wiretap import PAUSE, Ledger, Wiretap

SLOWEST: Final = 10.0
"""The longest that somebody who is there and wants to go on thinks before the next move."""

LONGEST_NAP: Final = 80.0
"""The longest that somebody sleeps over the game."""

ANSWERED: Final = WRITE_SECONDS + PING_SECONDS / 2 + 1.0
"""Seconds after which a reply is written, or the heartbeat has given its connection up."""

NOTICED: Final = DEAD_SECONDS + WRITE_SECONDS + 5.0
"""Seconds after which every end of a connection knows that it is cut."""

NEWS: Final = 2 * LOBBY_SECONDS
"""Seconds after which everybody knows of what happened, on a network without delays."""

RESTLESS: Final = 1200.0
"""The longest that something may go on happening though all people keep still."""

BOUNDS: Final = Bounds(pause_seconds=PAUSE)
"""A match that stands still waits for two weeks, but not here."""

SAVED: Final = 3 * JOURNAL_SECONDS
"""Seconds after which a table knows what became of its writes, on a disk that wears."""


@frozen
class Evening:
    """What a run is made of.

    Attributes:
        seed: where all of its chances come from.
        weather: what connections meet with.
        seconds: how long people play before they are asked to stop.
        wear: what befalls the journal's disk; nothing means that there is no journal.
        kills: the mean time between two ends of the server; nothing means that it goes on.
    """

    seed: int
    weather: Weather
    seconds: float = 600.0
    wear: Wear | None = None
    kills: float | None = None


@define(eq=False)
class World:
    """The server and the network, and what is known of both.

    Attributes:
        evening: what it is made of.
        folder: where clients keep what they keep.
        chance: chooses what happens to the server.
        lines: what the servers logged.
        network: the way to whichever server is running.
        ledger: what was sent, and what happened.
        disk: the journal's.
        lobby: of the running server, or the last one.
        listener: of the same.
        taps: every connection there ever was.
        paused: whether people are asked to keep still.
        closing: whether they are asked to go.
        changed: is set when they are asked for something else.
        restart: ends the server in one of many ways, and starts it again.
    """

    evening: Evening
    folder: Path
    chance: random.Random
    lines: Lines
    network: Network
    ledger: Ledger
    disk: Disk | None
    lobby: Lobby
    listener: Listener
    taps: list[Wiretap] = field(factory=list)
    paused: bool = False
    closing: bool = False
    changed: trio.Event = field(factory=trio.Event)
    restart: Callable[[], Awaitable[None]] | None = None
    _by_stream: dict[trio.abc.Stream, Wiretap] = field(factory=dict)
    _progress: dict[Table, tuple[object, float]] = field(factory=dict)

    def fault(self, words: str) -> None:
        """Note what must not be."""
        self.ledger.fault(words)

    def ask(self, *, paused: bool = False, closing: bool = False) -> None:
        """Ask everybody to keep still, or to leave."""
        self.paused, self.closing = paused, closing
        self.changed.set()
        self.changed = trio.Event()

    def look(self) -> None:
        """Take in what happened, where no journal tells, and what nobody may be told."""
        for table in self.lobby.tables.values():
            if table.dealing is not None:
                self.ledger.exchanges.hide(table.dealing.secret)
        if self.evening.wear is None:
            self.ledger.record.look(self.lobby.tables)

    def rules_of(self, table: str) -> Rules:
        """Return a running table's rules."""
        (rules,) = (one.settings.rules for one in self.lobby.every if one.settings.table == table)
        return rules

    # ---- connections

    def tap(self, cable: Cable) -> None:
        """Listen to a new connection."""
        tap = self._by_stream[cable.far] = Wiretap(self.ledger, len(self.taps) + 1)
        self.taps.append(tap)
        cable.far.heard, cable.far.said = tap.heard, tap.said

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Serve a connection as the real listeners do."""
        try:
            await self.listener.handle(stream)
        finally:
            self._by_stream[stream].over = True

    async def until_still(self) -> None:
        """Return once nothing has happened at any table for longer than news of it take."""
        before: object = None
        with trio.move_on_after(RESTLESS) as limit:
            while before != (now := self._standing()):
                before = now
                await trio.sleep(NEWS)
                await trio.testing.wait_all_tasks_blocked()
        if limit.cancelled_caught:
            self.fault(f"there is no end of news: {before}")

    def _standing(self) -> object:
        return [
            (name, table.matches, table.match and table.match.version, table.picture)
            for name, table in self.lobby.tables.items()
        ]

    # ---- whether everything that waits may wait

    async def watch(self, scope: trio.CancelScope) -> None:
        """Look again and again, until cancelled."""
        patience = ANSWERED + (0.0 if self.evening.wear is None else SAVED)
        with scope:
            while True:
                await trio.sleep(5.0)
                for tap in self.taps:
                    request = tap.overdue(patience)
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
        bound += min(table.settings.away, LONGEST_NAP)
        if self.evening.wear is not None:
            bound += SAVED
        if now - since > bound:
            self.fault(f"table {table.settings.table} has stood still in {key} since {since:.3f}")
            self._progress[table] = key, now


def _waits_by_choice(table: Table) -> bool:
    """Say whether people want the match to stand still, or this table waits for one who is gone."""
    if table.roster.paused or table.roster.deserted:
        return True
    return bool(table.roster.where(State.DROPPED)) and table.settings.absent == "wait"
