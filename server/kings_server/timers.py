"""When a table acts by itself: for the seat on turn, or to go on with the next deal."""

from collections.abc import Callable
from math import inf

from kings_engine.match import Match
from kings_server.clock import TurnClock
from kings_server.picture import Phase, Settings
from kings_server.roster import Roster
from kings_server.seats import State


class Timers:
    """The times of one table that do not belong to a seat or an offer.

    Attributes:
        act_at: when the table acts for the seat on turn: a bot's move, a turn that nobody plays,
            or the end of the turn clock.
        next_at: when the next deal begins, ready or not.
        clock: the turn clock.
    """

    def __init__(self, settings: Settings, between: float, pause: Callable[[], float]) -> None:
        """Set nothing yet.

        Args:
            settings: the table's.
            between: seconds that the next deal waits for people who are not ready.
            pause: says how many seconds a bot's next move takes.
        """
        self.act_at = inf
        self.next_at = inf
        self.clock = TurnClock(settings.rules.turn_seconds)
        self._absent = settings.absent
        self._between = between
        self._pause = pause
        self._armed: tuple[int, State] | None = None

    def halt(self, now: float) -> None:
        """Let nothing happen, and the clock stand, until the times are set anew."""
        self.act_at, self._armed = inf, None
        self.clock.halt(now)

    def arm(self, phase: Phase, match: Match | None, roster: Roster, now: float) -> bool:
        """Set the times anew; what goes on as before keeps its own.

        Called whenever the match, the phase or a seat has changed.

        Returns:
            Whether the turn clock has been set.
        """
        if phase is Phase.BETWEEN and len(roster.where(State.SEATED, State.DROPPED)) != 1:
            self.next_at = min(self.next_at, now + self._between)
        else:
            self.next_at = inf
        if match is None or match.deal is None or match.turn is None:
            self.act_at, self._armed = inf, None
            self.clock.stand(None, now)
            return False
        seat, turn = roster.seats[match.turn], (match.number, match.deal.turn_number)
        armed, before = (match.version, seat.state), self._armed
        self._armed = armed
        if seat.state is State.SEATED:
            wound = self.clock.run(turn, now)
            self.act_at = self.clock.until
            return wound
        self.clock.stand(turn, now)
        if not seat.played_by_bot:
            skipped = seat.until is None and self._absent == "skip"
            self.act_at = now if skipped else inf
        elif armed != before:
            self.act_at = now + self._pause()
        return False
