"""How much one connection may ask: so much at once, and so much in the long run."""


class Allowance:
    """A number of requests that refills with time. Whole requests are counted, never bytes."""

    __slots__ = ("_at_once", "_filled", "_left", "_rate")

    def __init__(self, rate: float, at_once: int, now: float) -> None:
        """Allow ``at_once`` now and ``rate`` a second from then on; a rate of 0 allows any number.

        Args:
            rate: requests a second.
            at_once: requests that may come in one go after a pause.
            now: the time now, in seconds.
        """
        self._rate = rate
        self._at_once = at_once
        self._left = float(at_once)
        self._filled = now

    def take(self, now: float) -> bool:
        """Use one of the allowance; say whether there was one."""
        if not self._rate:
            return True
        self._left = min(self._left + (now - self._filled) * self._rate, self._at_once)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
