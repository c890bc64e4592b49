"""What the end of a deal means for the match: the share of it that a seat may expect to win.

A match of one deal is won or not. In the longer forms the deals to come are drawn from a pool of
finished deals between equals, seat by seat, until the match is decided: what 20 points are worth
then depends on what everybody has and on what ends the match (``scoring.judge``).
"""

from typing import Final, NamedTuple

from kings_server.bots.kernel import Ints, compiled, ints
from kings_server.bots.kernel_deal import FIRST_OUT, SEATS, Deal
from kings_server.bots.kernel_table import CODES, bits, copies

ONE_DEAL: Final = 0
TO_POINTS: Final = 1
ELIMINATION: Final = 2

NO_END: Final = 1_000_000
"""Deals or points that no match reaches."""

POOL: Final = 64
"""Finished deals to draw from, for each number of players."""

FUTURES: Final = 8
"""How often the rest of the match is drawn for one end of a deal."""

_MOST_DEALS: Final = 60


class Stakes(NamedTuple):
    """What is played for.

    Attributes:
        form: one of the constants above.
        points: the points that end the match, or put a player out of it.
        deals: how many deals there are still to play, the running one included.
        shared: whether a tie for the fewest points shares the match.
        seats: the seats in the match, as bits.
        penalty: what a card of each code costs.
        total: each seat's points before this deal.
        pool: points of finished deals, 4 to a deal and ``POOL`` deals to a number of players; the
            order of the seats is their order of play.
        now, then: memory for the points at the end of the deal, and in one of the futures.
    """

    form: int
    points: int
    deals: int
    shared: int
    seats: int
    penalty: Ints
    total: Ints
    pool: Ints
    now: Ints
    then: Ints


def new_pool() -> Ints:
    """Return memory for the points of finished deals."""
    return ints((SEATS + 1) * POOL * SEATS)


@compiled
def random_below(bound: int, chance: Ints) -> int:
    """Return a number below ``bound``, at most 2 ** 16: Marsaglia's xorshift of 32 bits."""
    word = chance[0]
    word ^= word << 13 & 0xFFFFFFFF
    word ^= word >> 17
    word ^= word << 5 & 0xFFFFFFFF
    chance[0] = word
    return (word >> 8) * bound >> 24


@compiled
def points_of(penalty: Ints, hand: int) -> int:
    """Return what a hand costs, by what a card of each code does."""
    points = 0
    for code in range(CODES):
        points += copies(hand, code) * penalty[code]
    return points


@compiled
def _fewest(points: Ints, seats: int) -> int:
    """Return those of the seats with the fewest points, as bits."""
    best = 0
    for seat in range(SEATS):
        if seats >> seat & 1:
            if best == 0:
                best = 1 << seat
            else:
                least = 0
                while not best >> least & 1:
                    least += 1
                if points[seat] < points[least]:
                    best = 1 << seat
                elif points[seat] == points[least]:
                    best |= 1 << seat
    return best


@compiled
def _reached(stakes: Stakes, points: Ints, seats: int) -> int:
    reached = 0
    for seat in range(SEATS):
        if seats >> seat & 1 and points[seat] >= stakes.points:
            reached |= 1 << seat
    return reached


@compiled
def _share(best: int, seat: int) -> float:
    """Return the seat's share of a win of the seats ``best``."""
    return 1.0 / bits(best) if best >> seat & 1 else 0.0


@compiled
def share_of_deal(stakes: Stakes, deal: Deal, seat: int, chance: Ints) -> float:
    """Return the share of the match that ``seat`` may expect after the finished ``deal``."""
    now = stakes.now
    if stakes.form == ONE_DEAL and deal.facts[FIRST_OUT] >= 0:
        return 1.0 if deal.facts[FIRST_OUT] == seat else 0.0
    for other in range(SEATS):
        now[other] = stakes.total[other] + points_of(stakes.penalty, deal.hand[other])
    if stakes.form == ONE_DEAL:
        for other in range(SEATS):
            now[other] -= stakes.total[other]
        return _share(_fewest(now, stakes.seats), seat)
    total = 0.0
    for _ in range(FUTURES):
        for other in range(SEATS):
            stakes.then[other] = now[other]
        total += _future(stakes, seat, chance)
    return total / FUTURES


@compiled
def _future(stakes: Stakes, seat: int, chance: Ints) -> float:
    """Return the share of the match that ``seat`` wins if it goes on by chance."""
    points = stakes.then
    seats = stakes.seats
    for dealt in range(1, _MOST_DEALS):
        reached = _reached(stakes, points, seats)
        if stakes.form == ELIMINATION:
            left = seats & ~reached
            best = left if left > 0 else _fewest(points, reached)
            seats = best
            over = bits(left) < 2
            if not best >> seat & 1:
                return 0.0
        else:
            best = _fewest(points, seats)
            over = reached > 0 or dealt >= stakes.deals
        if over and (stakes.shared or bits(best) == 1):
            return _share(best, seat)
        _deal_by_chance(stakes, seats, chance)
    return _share(_fewest(points, seats), seat)


@compiled
def _deal_by_chance(stakes: Stakes, seats: int, chance: Ints) -> None:
    """Add the points of a finished deal of the pool to those of the seats, from a random one on."""
    count = bits(seats)
    at = (count * POOL + random_below(POOL, chance)) * SEATS
    turn = random_below(count, chance)
    for seat in range(SEATS):
        if seats >> seat & 1:
            stakes.then[seat] += stakes.pool[at + turn]
            turn = (turn + 1) % count
