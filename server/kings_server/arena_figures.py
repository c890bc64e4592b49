"""What the arena's games say: rates with intervals, the set of cards being the unit.

Games on the same cards depend on each other, so each set of cards counts as one observation: the
mean over its rotations. An interval is the normal one, of the mean of these means.
"""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

from attrs import frozen

from kings_server.arena_play import WHOLE, Fixture, Tally

CONFIDENCE: Final = 0.95
_QUANTILE: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@frozen
class LevelFigures:
    """How one level did.

    Attributes:
        level: its name.
        games: how many seats it played, over all games.
        win_rate: the share of the wins that a seat of this level took.
        win_rate_ci: its 95 % interval; nothing for a single set of cards.
        penalty: the mean penalty points of a seat, a game.
        penalty_ci: its 95 % interval; nothing for a single set of cards.
    """

    level: str
    games: int
    win_rate: float
    win_rate_ci: tuple[float, float] | None
    penalty: float
    penalty_ci: tuple[float, float] | None


@frozen
class Figures:
    """How all levels did, and the share of the deals that ended blocked."""

    levels: tuple[LevelFigures, ...]
    blocked_rate: float


def figures(fixture: Fixture, tallies: Sequence[Tally]) -> Figures:
    """Return what ``tallies``, at least one, say about the levels of ``fixture``."""
    deals = sum(tally.deals for tally in tallies)
    return Figures(
        tuple(_level(fixture, at, tallies) for at in range(len(fixture.levels))),
        sum(tally.blocked for tally in tallies) / deals,
    )


def interval(means: Sequence[float], most: float = inf) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of ``means``, within 0 and ``most``.

    There is none for fewer than two.
    """
    if len(means) < 2:
        return None
    centre = fmean(means)
    reach = _QUANTILE * stdev(means) / sqrt(len(means))
    return max(0.0, centre - reach), min(most, centre + reach)


def _level(fixture: Fixture, at: int, tallies: Sequence[Tally]) -> LevelFigures:
    level = fixture.levels[at]
    per_set = fixture.seats.count(level) * len(fixture.seats)
    games = per_set * len(tallies)
    return LevelFigures(
        level=level,
        games=games,
        win_rate=sum(tally.shares[at] for tally in tallies) / (WHOLE * games),
        win_rate_ci=interval([tally.shares[at] / (WHOLE * per_set) for tally in tallies], 1.0),
        penalty=sum(tally.penalties[at] for tally in tallies) / games,
        penalty_ci=interval([tally.penalties[at] / per_set for tally in tallies]),
    )
