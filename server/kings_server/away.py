"""Who is connected and does nothing: how long the player on turn has pressed no key."""

from math import inf

from kings_protocol.limits import AWAY_WARNING_SECONDS


class Attention:
    """How long each seat's person may still press no key. It runs for one seat at a time.

    What a seat has left lasts over its turns, so that a turn clock does not hide who is gone.
    ``until`` is when the seat for which it runs counts as gone; while it stands, that is never.
    """

    __slots__ = ("_left", "_returned", "_seat", "_seconds", "_warned", "until")

    def __init__(self, seconds: int, seats: int) -> None:
        """Let each of so many ``seats`` press no key for ``seconds``."""
        self._seconds = float(seconds)
        self._left = [self._seconds] * seats
        self._returned = [False] * seats
        self._seat: int | None = None
        self._warned = False
        self.until = inf

    @property
    def warn_at(self) -> float:
        """When it is to be announced that the seat will count as gone."""
        if self._warned:
            return inf
        return self.until - self._warning

    @property
    def _warning(self) -> float:
        return min(AWAY_WARNING_SECONDS, self._seconds / 2)

    @property
    def announced(self) -> float:
        """When the seat counts as gone, if that has been announced, or else never."""
        return self.until if self._warned else inf

    def run(self, seat: int | None, now: float) -> bool:
        """Run for ``seat`` or for nobody; say whether an announcement is void by that."""
        if seat == self._seat:
            return False
        void = self._warned
        if self._seat is not None:
            self._left[self._seat] = max(self.until - now, 0.0)
        self._seat, self._warned = seat, False
        self.until = inf if seat is None else now + self._left[seat]
        return void

    def pressed(self, seat: int, now: float) -> bool:
        """Note that a seat's person did something; say whether an announcement is void by that."""
        self._left[seat] = self._seconds
        self._returned[seat] = False
        if seat != self._seat:
            return False
        void, self._warned = self._warned, False
        self.until = now + self._seconds
        return void

    def returned(self, seat: int, now: float) -> bool:
        """Note that a seat's person is connected anew, which is no key: there is time for one.

        Only the first time since the last key, or who comes back often would never count as gone.
        Say whether an announcement is void by that.
        """
        again, self._returned[seat] = self._returned[seat], True
        left = self._left[seat] if seat != self._seat else self.until - now
        if again or left >= self._warning:
            return False
        self._left[seat] = self._warning
        if seat != self._seat:
            return False
        void, self._warned = self._warned, False
        self.until = now + self._warning
        return void

    def warned(self) -> None:
        """Note that it was announced."""
        self._warned = True
