"""What the arena's games say: rates with intervals, the set of cards being the unit.

Games on the same cards depend on each other, so each set of cards (a deal, or all the deals of a
match) counts as one observation: the mean over its rotations. An interval is the normal one, of the
mean of these means. Two levels at one table depend on each other too, so they are compared by their
difference on each set, not by two intervals.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

from attrs import frozen

from kings_server.arena_play import WHOLE, Fixture, Tally, Times

CONFIDENCE: Final = 0.95
_QUANTILE: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@frozen
class Thinking:
    """How long a level thought a turn, in milliseconds of the processor."""

    median: float
    p99: float
    longest: float


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
        thinking_ms: how long it thought a turn.
    """

    level: str
    games: int
    win_rate: float
    win_rate_ci: tuple[float, float] | None
    penalty: float
    penalty_ci: tuple[float, float] | None
    thinking_ms: Thinking


@frozen
class Difference:
    """A difference of means, its 95 % interval, and how likely a greater one is by chance alone."""

    mean: float
    ci: tuple[float, float] | None
    p: float | None


@frozen
class PairFigures:
    """How two levels of a table compare: what the first has more of than the second, a seat."""

    first: str
    second: str
    win_rate: Difference
    penalty: Difference


@frozen
class Figures:
    """How all levels did, and what the deals were like.

    Attributes:
        levels: each level's figures.
        pairs: each pair of them.
        blocked_rate: the share of the deals that ended because nobody played.
        deal_turns: the mean number of a deal's turns.
    """

    levels: tuple[LevelFigures, ...]
    pairs: tuple[PairFigures, ...]
    blocked_rate: float
    deal_turns: float


def figures(fixture: Fixture, tallies: Sequence[Tally]) -> Figures:
    """Return what ``tallies``, at least one, say about the levels of ``fixture``."""
    deals = sum(tally.deals for tally in tallies)
    levels = range(len(fixture.levels))
    return Figures(
        tuple(_level(fixture, at, tallies) for at in levels),
        tuple(_pair(fixture, first, second, tallies) for first, second in combinations(levels, 2)),
        sum(tally.blocked for tally in tallies) / deals,
        sum(tally.turns for tally in tallies) / deals,
    )


def win_share(fixture: Fixture, at: int, tally: Tally) -> float:
    """Return the share of the wins that a seat of level ``at`` took on one set of cards."""
    return tally.shares[at] / (WHOLE * _seats(fixture, at))


def interval(
    means: Sequence[float], least: float = 0.0, most: float = inf
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of ``means``, within ``least`` and ``most``.

    There is none for fewer than two.
    """
    if len(means) < 2:
        return None
    centre = fmean(means)
    reach = _QUANTILE * stdev(means) / sqrt(len(means))
    return max(least, centre - reach), min(most, centre + reach)


def _seats(fixture: Fixture, at: int) -> int:
    """Return how many seats level ``at`` plays on one set of cards, over its rotations."""
    return fixture.seats.count(fixture.levels[at]) * len(fixture.seats)


def _penalty(fixture: Fixture, at: int, tally: Tally) -> float:
    return tally.penalties[at] / _seats(fixture, at)


def _level(fixture: Fixture, at: int, tallies: Sequence[Tally]) -> LevelFigures:
    wins = [win_share(fixture, at, tally) for tally in tallies]
    points = [_penalty(fixture, at, tally) for tally in tallies]
    times: Times = Counter()
    for tally in tallies:
        times.update(tally.times[at])
    games = _seats(fixture, at) * len(tallies)
    return LevelFigures(
        level=fixture.levels[at],
        games=games,
        win_rate=sum(tally.shares[at] for tally in tallies) / (WHOLE * games),
        win_rate_ci=interval(wins, most=1.0),
        penalty=fmean(points),
        penalty_ci=interval(points),
        thinking_ms=_thinking(times),
    )


def _pair(fixture: Fixture, first: int, second: int, tallies: Sequence[Tally]) -> PairFigures:
    wins = [win_share(fixture, first, t) - win_share(fixture, second, t) for t in tallies]
    points = [_penalty(fixture, first, t) - _penalty(fixture, second, t) for t in tallies]
    names = fixture.levels
    return PairFigures(names[first], names[second], _difference(wins), _difference(points))


def _difference(values: Sequence[float]) -> Difference:
    ci = interval(values, least=-inf)
    mean = fmean(values)
    return Difference(mean, ci, None if ci is None else _chance(values, mean, ci[1] - ci[0]))


def _chance(values: Sequence[float], mean: float, width: float) -> float:
    """Return how likely chance alone brings a mean as far from 0, on either side.

    Where all values are the same they say nothing of their spread, and only their signs count.
    """
    if not width:
        return 2 * 0.5 ** len(values) if mean else 1.0
    return 2 * NormalDist().cdf(-abs(mean) * 2 * _QUANTILE / width)


def _thinking(times: Times) -> Thinking:
    turns = times.total()
    return Thinking(_at(times, turns * 0.5), _at(times, turns * 0.99), _at(times, turns))


def _at(times: Times, rank: float) -> float:
    """Return the time that ``rank`` of the turns did not exceed, in milliseconds."""
    passed = 0
    for microseconds, turns in sorted(times.items()):
        passed += turns
        if passed >= rank:
            return microseconds / 1000
    return 0.0
