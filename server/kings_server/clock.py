"""The turn clock: it runs for the seat on turn, and stands while that seat's player is gone."""

from math import inf

from kings_server.limits import CLOCK_ALLOWANCE, CLOCK_WARNING


class TurnClock:
    """How long the turn that is being played may still take.

    A turn is named by the numbers of its deal and in its deal. ``until`` is when the clock ends the
    turn; while it stands, that is never. ``helped`` says whether the turn was given time already
    for its player to come back in: once a turn, or whoever came back often would never end it.
    """

    __slots__ = ("_left", "_seconds", "_turn", "_warned", "helped", "until")

    def __init__(self, seconds: int | None) -> None:
        """Give each turn ``seconds``, or any time."""
        self._seconds = inf if seconds is None else float(seconds)
        self._turn: tuple[int, int] | None = None
        self._left = inf
        self._warned = False
        self.helped = False
        self.until = inf

    @property
    def warn_at(self) -> float:
        """When the player is to be warned: a quarter of the time before the end, or 10 seconds."""
        if self._warned or self.until == inf:
            return inf
        return self.until - max(self._seconds / 4, min(CLOCK_WARNING, self._seconds / 2))

    def warned(self) -> None:
        """Note that the player was warned; once a turn is enough."""
        self._warned = True

    def run(self, turn: tuple[int, int], now: float) -> bool:
        """Let the clock run for ``turn``; say whether its end is another than before."""
        before = self.until
        if turn != self._turn:
            self._turn, self._left, self.until = turn, self._seconds, inf
            self._warned = self.helped = False
        if self.until == inf:
            self.until = now + self._left
        return self.until != before

    def left(self, now: float) -> tuple[int, int, float] | None:
        """Return the turn that the clock is for, and the seconds that remain, if they have an end.

        ``resume`` with them goes on from there, on another server's clock.
        """
        left = self._left if self.until == inf else max(0.0, self.until - now)
        return None if self._turn is None or left == inf else (*self._turn, left)

    def resume(self, turn: tuple[int, int], left: float, *, helped: bool) -> None:
        """Stand, with so many seconds left for ``turn``."""
        self._turn, self._left, self.until = turn, left, inf
        self.helped = helped

    def halt(self, now: float) -> None:
        """Let the clock stand, whatever turn it is."""
        self.stand(self._turn, now)

    def stand(self, turn: tuple[int, int] | None, now: float) -> None:
        """Let the clock stand; if ``turn`` goes on later, a little time is left in any case."""
        if self.until != inf:
            self._left = max(self.until - now, 0.0)
            if self._left < CLOCK_ALLOWANCE and not self.helped:
                self._left, self.helped = CLOCK_ALLOWANCE, True
            self.until = inf
        if turn != self._turn:
            self._turn = None
