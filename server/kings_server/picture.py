"""How a table looks to those who are at it, and to those in the lobby; never its cards."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import Final, Literal

from attrs import field, frozen

from kings_engine.presets import PRESETS
from kings_engine.rules import Rules, differences, rules_as_plain
from kings_protocol.messages import Absent, Knobs, SeatState, TableLine, TableState
from kings_server.dealing import Dealing
from kings_server.seats import Seat, State


class Phase(StrEnum):
    """What a table is doing; the values are the protocol's."""

    WAITING = "waiting"  #: for people, before the first match
    OFFERING = "offering"  #: a deck is being made
    PLAYING = "playing"
    BETWEEN = "between"  #: a deal is over and the next is due
    OVER = "over"  #: a match is over; the next one begins when all are ready

    @property
    def idle(self) -> bool:
        """Whether no match is running, so that seats may change hands."""
        return self in (Phase.WAITING, Phase.OVER)


_IN_LOBBY: Final[Mapping[Phase, Literal["waiting", "playing", "over"]]] = {
    Phase.WAITING: "waiting",
    Phase.OFFERING: "playing",
    Phase.PLAYING: "playing",
    Phase.BETWEEN: "playing",
    Phase.OVER: "over",
}


@frozen
class Settings:
    """What a table was made with; it never changes.

    Attributes:
        table: its id.
        name: its name, cleaned.
        preset: the name of the rules it began from.
        rules: the rules.
        password: the hash of what joining or watching takes.
        watchable: whether people may look on.
        absent: what becomes of the seat of somebody who is gone.
        grace: seconds for which the table waits for somebody who is gone.
        away: seconds without a key, on turn, after which somebody counts as gone.
        pace: how long bots take a move, shortest and longest, in milliseconds.
        thinking: how long bots think that take the time they are given, in milliseconds.
    """

    table: str
    name: str
    preset: str
    rules: Rules
    password: str | None = field(repr=False)
    watchable: bool
    absent: Absent
    grace: int
    away: int
    pace: tuple[int, int]
    thinking: int = 1000

    @cached_property
    def knobs(self) -> Knobs:
        """All the knobs, as plain data."""
        return rules_as_plain(self.rules)

    @cached_property
    def changed(self) -> Knobs:
        """The knobs that differ from the preset, but for the number of players."""
        changed = differences(self.rules, PRESETS[self.preset].rules())
        changed.pop("players", None)
        return changed


@frozen
class Maker:
    """Who made a table: what the client called itself, and the address that it came from."""

    client: str
    address: str


@frozen
class Picture:
    """How a table stands at one moment, for all who are shown it until there is a newer one.

    Attributes:
        phase: what it is doing.
        match: how many matches have begun.
        host: the host's seat.
        seats: its seats.
        watchers: how many people look on.
        dealing: the deck that is being made.
        withheld: the seats that withheld a share in this match.
        next_at: when the next deal begins by itself.
        turn_until: when the clock ends the turn.
        away_at: when the player on turn counts as gone, if that was announced.
        paused: whether the match stands still.
        saving: whether the server can save.
        silent: whether who watches may say nothing.
    """

    phase: Phase = Phase.WAITING
    match: int = 0
    host: int | None = None
    seats: tuple[Seat, ...] = ()
    watchers: int = 0
    dealing: Dealing | None = None
    withheld: tuple[int, ...] = ()
    next_at: float = inf
    turn_until: float = inf
    away_at: float = inf
    paused: bool = False
    saving: bool = True
    silent: bool = False

    def state(self, settings: Settings, now: float) -> TableState:
        """Return the table's state at the time ``now``; spans are in milliseconds from then."""
        return TableState(
            table=settings.table,
            name=settings.name,
            preset=settings.preset,
            rules=settings.knobs,
            locked=settings.password is not None,
            watchable=settings.watchable,
            absent=settings.absent,
            grace_seconds=settings.grace,
            away_seconds=settings.away,
            thinking=settings.thinking,
            host=self.host,
            phase=self.phase.value,
            match=self.match,
            seats=tuple(_seat_state(seat, now, self._waits) for seat in self.seats),
            watchers=self.watchers,
            offer=None if self.dealing is None else self.dealing.offer(now),
            next_in=milliseconds(self.next_at, now),
            turn_in=milliseconds(self.turn_until, now),
            away_in=milliseconds(self.away_at, now),
            paused=self.paused,
            saving=self.saving,
            withheld=self.withheld,
            silent=self.silent,
        )

    @property
    def _waits(self) -> bool:
        """Whether the table waits for people for so long that no countdown helps."""
        here = any(seat.state is State.SEATED for seat in self.seats)
        return self.paused or not (here or self.phase.idle)

    def line(self, settings: Settings) -> TableLine:
        """Return the table's line in the lobby."""
        states = [seat.state for seat in self.seats]
        return TableLine(
            table=settings.table,
            name=settings.name,
            preset=settings.preset,
            changed=settings.changed,
            host="" if self.host is None else self.seats[self.host].name,
            seats=len(states),
            people=sum(seat.has_person for seat in self.seats),
            bots=states.count(State.BOT),
            watchers=self.watchers,
            locked=settings.password is not None,
            watchable=settings.watchable,
            phase=_IN_LOBBY[self.phase],
        )


def milliseconds(until: float | None, now: float) -> int | None:
    """Return how long it is until then, from ``now``; a time without end is none."""
    if until is None or until == inf:
        return None
    return max(0, round((until - now) * 1000))


def _seat_state(seat: Seat, now: float, waits: bool) -> SeatState:
    return SeatState(
        state=seat.state.value,
        name=seat.name,
        level=seat.level,
        ready=seat.ready,
        back_in=None if waits else milliseconds(seat.until, now),
        pause=seat.pause,
        votes=tuple(sorted(seat.votes)),
        short=seat.short,
        silent=seat.silent,
    )
