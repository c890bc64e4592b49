"""How a table looks to those who are at it, and to those in the lobby; never its cards."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Final, Literal

from attrs import field, frozen

from kings_engine.presets import PRESETS
from kings_engine.rules import Rules, differences, rules_as_plain
from kings_protocol.messages import Absent, Knobs, Offer, SeatState, TableLine, TableState
from kings_server.roster import Roster
from kings_server.seats import Seat, State


class Phase(StrEnum):
    """What a table is doing; the values are the protocol's."""

    WAITING = "waiting"  #: for people, before the first match
    OFFERING = "offering"  #: a commitment is out, and nonces are awaited
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
        password: what joining or watching takes.
        watchable: whether people may look on.
        absent: what becomes of the seat of somebody who is gone.
        grace: seconds for which the table waits for somebody who is gone.
        pace: how long bots take a move, shortest and longest, in milliseconds.
    """

    table: str
    name: str
    preset: str
    rules: Rules
    password: str | None = field(repr=False)
    watchable: bool
    absent: Absent
    grace: int
    pace: tuple[int, int]

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


def table_state(
    settings: Settings,
    roster: Roster,
    *,
    phase: Phase,
    match: int,
    offer: Offer | None,
    next_in: int | None,
    turn_in: int | None,
    now: float,
) -> TableState:
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
        host=roster.host,
        phase=phase.value,
        match=match,
        seats=tuple(_seat_state(seat, now) for seat in roster.seats),
        watchers=roster.watchers,
        offer=offer,
        next_in=next_in,
        turn_in=turn_in,
    )


def table_line(settings: Settings, roster: Roster, phase: Phase) -> TableLine:
    """Return the table's line in the lobby."""
    return TableLine(
        table=settings.table,
        name=settings.name,
        preset=settings.preset,
        changed=settings.changed,
        host="" if roster.host is None else roster.seats[roster.host].name,
        seats=len(roster.seats),
        people=len(roster.where(State.SEATED, State.DROPPED, State.HELD)),
        bots=len(roster.where(State.BOT)),
        watchers=roster.watchers,
        locked=settings.password is not None,
        watchable=settings.watchable,
        phase=_IN_LOBBY[phase],
    )


def milliseconds(until: float | None, now: float) -> int | None:
    """Return how long it is until then, from ``now``; a time without end is none."""
    if until is None or until == float("inf"):
        return None
    return max(0, round((until - now) * 1000))


def _seat_state(seat: Seat, now: float) -> SeatState:
    return SeatState(
        state=seat.state.value,
        name=seat.name,
        level=seat.level,
        ready=seat.ready,
        back_in=milliseconds(seat.until, now),
    )
