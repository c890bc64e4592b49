"""When a table acts by itself: for the seat on turn, or to go on with the next deal."""

from math import inf

from kings_engine.match import Match
from kings_server.away import Attention
from kings_server.clock import TurnClock
from kings_server.limits import HOST_SECONDS
from kings_server.picture import Phase, Settings
from kings_server.roster import Roster
from kings_server.seats import State
from kings_server.thinkers import Thinkers


class Timers:
    """The times of one table that do not belong to a seat or an offer.

    Attributes:
        act_at: when the table acts for the seat on turn: a bot's move, a turn that nobody plays,
            or the end of the turn clock.
        next_at: when the next deal begins, ready or not.
        host_at: when another becomes the host, because the host is gone while nothing is played.
        clock: the turn clock.
        attention: how long the player on turn, or a host who is waited for, has done nothing.
        deserted_at: since when all people of a running match are gone; nothing if one is here.
        ends_at: when that match ends, with its table.
    """

    def __init__(self, settings: Settings, between: float, thinkers: Thinkers) -> None:
        """Set nothing yet.

        Args:
            settings: the table's.
            between: seconds that the next deal waits for people who are not ready.
            thinkers: the table's bots.
        """
        self.act_at = inf
        self.next_at = inf
        self.host_at = inf
        self.clock = TurnClock(settings.rules.turn_seconds)
        self.attention = Attention(settings.away, settings.rules.players)
        self.deserted_at: float | None = None
        self.ends_at = inf
        self._absent = settings.absent
        self._between = between
        self._thinkers = thinkers
        self._armed: tuple[int, State] | None = None

    @property
    def due(self) -> float:
        """When the next of all that is over, or is to be announced."""
        attention = self.attention
        return min(
            *(self.act_at, self.next_at, self.host_at),
            *(self.clock.warn_at, attention.warn_at, attention.until),
        )

    def halt(self, now: float) -> None:
        """Let nothing happen, and the clocks stand, until the times are set anew."""
        self._stand()
        self.host_at = inf
        self.clock.halt(now)
        self.attention.run(None, now)

    def desert(self, now: float, seconds: float) -> None:
        """Let all times stand, graces too, while all people are gone; for so many seconds."""
        if self.deserted_at is None:
            self.deserted_at = now
            self.ends_at = min(self.ends_at, now + seconds)
        self.halt(now)
        self.next_at = inf

    def people_are_back(self) -> None:
        """Note that somebody is here."""
        self.deserted_at, self.ends_at = None, inf

    def arm(self, phase: Phase, match: Match | None, roster: Roster, now: float) -> bool:
        """Set the times anew; what goes on as before keeps its own.

        Called whenever the match, the phase or a seat has changed.

        Returns:
            Whether people have to be told: the turn clock has been set, or nobody counts as gone
            soon who was said to.
        """
        void = self.attention.run(_watched(phase, match, roster), now)
        if phase is Phase.BETWEEN and len(roster.where(State.SEATED, State.DROPPED)) != 1:
            self.next_at = min(self.next_at, now + self._between)
        else:
            self.next_at = inf
        lost = phase.idle and _host_is_gone(roster)
        self.host_at = min(self.host_at, now + HOST_SECONDS) if lost else inf
        if match is None or match.deal is None or match.turn is None:
            self._stand()
            self.clock.stand(None, now)
            return void
        seat, turn = roster.seats[match.turn], (match.number, match.deal.turn_number)
        armed, before = (match.version, seat.state), self._armed
        self._armed = armed
        if seat.level is None:
            self._thinkers.rest()
        if seat.state is State.SEATED:
            wound = self.clock.run(turn, now)
            self.act_at = self.clock.until
            return wound or void
        self.clock.stand(turn, now)
        if seat.level is None:
            skipped = seat.until is None and self._absent == "skip"
            self.act_at = now if skipped else inf
        elif armed != before:
            self.act_at = now + self._thinkers.begin(seat.level, match, match.turn)
        return void

    def _stand(self) -> None:
        self.act_at, self._armed = inf, None
        self._thinkers.rest()


def _host_is_gone(roster: Roster) -> bool:
    """Say whether the host has lost the line, and there is somebody to take the role."""
    gone = roster.host is not None and roster.seats[roster.host].state is State.DROPPED
    return gone and bool(roster.where(State.SEATED))


def _watched(phase: Phase, match: Match | None, roster: Roster) -> int | None:
    """Return who keeps others waiting: the player on turn, or a host for whom one is ready."""
    number = roster.host if phase.idle else None if match is None else match.turn
    if number is None or roster.seats[number].state is not State.SEATED or roster.alone(number):
        return None
    if phase.idle and (roster.seats[number].ready or not any(seat.ready for seat in roster.seats)):
        return None
    return number
