"""When a question is decided: a sequential test that may be looked at after every deal.

The test is one by betting (Waudby-Smith and Ramdas, "Estimating means of bounded random variables
by betting", 2024). Whoever doubts that a mean is at most ``m`` bets on each observation, which lies
between 0 and 1: a stake of the fraction ``f`` of the capital becomes ``f * x / m``. If the mean is
``m`` or less, no bet gains on average, so by Ville's inequality the capital ever reaches ``1 / p``
with a probability of at most ``p``, whenever one looks and whenever one stops. No distribution is
assumed. The capital is a mixture over several stakes: small ones find small differences, large ones
find large differences soon. Both sides are tested, each with half of the error.

An ordinary interval is too narrow after a stop that the results themselves brought about. The means
that nobody has won enough against form the interval that holds at every stop.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

STAKES: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
"""The fractions of the capital that are staked on each observation."""

_HALVINGS: Final = 20
"""Steps to a bound of the interval: to a millionth."""


class Bets:
    """What has been won by betting that a mean is above ``m``."""

    def __init__(self, m: float) -> None:
        """Begin with a capital of 1; ``m`` lies between 0 and 1."""
        self._m = m
        self._capitals = [1.0] * len(STAKES)

    def see(self, value: float) -> float:
        """Bet on ``value``, between 0 and 1, and return the capital after it."""
        gain = value / self._m - 1.0
        self._capitals = [
            capital * (1.0 + stake * gain)
            for capital, stake in zip(self._capitals, STAKES, strict=True)
        ]
        return sum(self._capitals) / len(STAKES)


class Decision:
    """Whether a mean is above or below ``m``, asked after every observation."""

    def __init__(self, m: float, error: float) -> None:
        """Ask about ``m``; a wrong answer is ever given with a probability of at most ``error``."""
        self._enough = 2.0 / error
        self._above = Bets(m)
        self._below = Bets(1.0 - m)
        self.found: Literal["above", "below"] | None = None

    def see(self, value: float) -> bool:
        """Take the next observation and say whether the question is decided; it stays so."""
        if self.found is None and self._above.see(value) >= self._enough:
            self.found = "above"
        if self.found is None and self._below.see(1.0 - value) >= self._enough:
            self.found = "below"
        return self.found is not None


def lasting_interval(values: Sequence[float], error: float) -> tuple[float, float]:
    """Return the interval that holds the mean at all times with probability 1 - ``error``."""
    high = 1.0 - _lowest([1.0 - value for value in values], 2.0 / error)
    return _lowest(values, 2.0 / error), high


def _lowest(values: Sequence[float], enough: float) -> float:
    """Return the lowest mean that cannot be ruled out; the higher it is, the less is won."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _rules_out(middle, values, enough):
            low = middle
        else:
            high = middle
    return low


def _rules_out(m: float, values: Iterable[float], enough: float) -> bool:
    bets = Bets(m)
    return any(bets.see(value) >= enough for value in values)
