"""How much one connection may ask: so much at once, and so much in the long run."""

from kings_protocol.codes import RefusalCode
from kings_protocol.limits import (
    FLOOD_FORGIVEN_PER_SECOND,
    HINTS_BURST,
    HINTS_PER_SECOND,
    SHARES_BURST,
    SHARES_PER_SECOND,
)
from kings_protocol.messages import Commit, GetHint, Message, Reveal, Say
from kings_server.bounds import Bounds
from kings_server.limits import SEATS_LINES, WATCHERS_LINES


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


class Talk:
    """How much may be said at one table: by all seats together, and by all who watch together."""

    __slots__ = ("_seats", "_watchers")

    def __init__(self, seconds: float, now: float) -> None:
        """Count lines over so many ``seconds``, from ``now`` on."""
        self._seats = Allowance(SEATS_LINES / seconds, SEATS_LINES, now)
        self._watchers = Allowance(WATCHERS_LINES / seconds, WATCHERS_LINES, now)

    def take(self, now: float, *, seated: bool) -> bool:
        """Use one line; say whether there was one."""
        return (self._seats if seated else self._watchers).take(now)


class Allowances:
    """All that one connection may ask."""

    __slots__ = ("_hints", "_lines", "_overdrawn", "_patience", "_requests", "_shares")

    def __init__(self, bounds: Bounds, now: float) -> None:
        """Allow what ``bounds`` say, from ``now`` on."""
        self._requests = Allowance(bounds.requests_per_second, bounds.requests_burst, now)
        self._lines = Allowance(bounds.chat_lines / bounds.chat_seconds, bounds.chat_lines, now)
        self._hints = Allowance(HINTS_PER_SECOND, HINTS_BURST, now)
        self._shares = Allowance(SHARES_PER_SECOND, SHARES_BURST, now)
        self._overdrawn = False
        self._patience = Allowance(FLOOD_FORGIVEN_PER_SECOND, bounds.flood_refusals, now)

    def take(self, message: Message, now: float) -> RefusalCode | None:
        """Use what ``message`` needs, or say why it is refused."""
        if isinstance(message, Commit | Reveal) and self._shares.take(now):
            return None  # a program asks this by itself: no haste of the person's may cost a share
        if not self._requests.take(now):
            self._overdrawn = True
            return RefusalCode.TOO_MANY_REQUESTS
        if isinstance(message, Say) and not self._lines.take(now):
            return RefusalCode.TOO_MUCH_CHAT
        if isinstance(message, GetHint) and not self._hints.take(now):
            return RefusalCode.TOO_MANY_REQUESTS
        return None

    def overdrew(self) -> bool:
        """Say whether a request of whatever kind was one too many since this was last asked."""
        overdrawn, self._overdrawn = self._overdrawn, False
        return overdrawn

    def forgives(self, now: float) -> bool:
        """Say whether one more refusal is forgiven, and count it."""
        return self._patience.take(now)
