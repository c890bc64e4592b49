"""Master's race: ends of the turn are tried on more and more deals, and those behind are dropped.

Sequential halving: half of the ends are dropped after each of equal shares of the time. Those that
are behind by more than chance explains are dropped at once, which leaves the time to the others.
"""

from collections.abc import Callable, Sequence
from math import ceil, log2, sqrt
from random import Random
from typing import Final, TypeAlias

from attrs import frozen

from kings_engine.rules import Rules
from kings_server.bots.kernel_deal import SEATS, STOCK, TURN, Deal, new_deal, unseen_by
from kings_server.bots.kernel_match import Stakes
from kings_server.bots.kernel_play import Taste
from kings_server.bots.kernel_reading import knobs_of
from kings_server.bots.kernel_root import MOST_POSITIONS
from kings_server.bots.kernel_search import MOST_ENDS, new_trial, plan_on, try_ends
from kings_server.bots.kernel_table import cards
from kings_server.bots.kernel_worlds import Past, begin_worlds, new_worlds, shuffle_on

Clock: TypeAlias = Callable[[], float]

BEGIN: Final = 0.1
"""The share of the time in which hidden cards are exchanged before the first deal is one that the
others' turns make likely."""

EXCHANGES: Final = 50
"""Exchanges after which the clock is looked at meanwhile."""

BATCH: Final = 0.02
"""The share of the time after which the clock is looked at."""

BEHIND: Final = 3.5
"""Standard errors by which an end has to be behind the best one to be dropped before its time."""

TRUST: Final = 0.001
"""What a card that expert thinks an end worth more counts for, in shares of the match."""

SPREAD: Final = 0.04
"""By how much what an end wins usually differs from what expert's choice wins: a standard
deviation, in shares of the match."""

FEWEST: Final = 24
"""Deals before an end is dropped."""


@frozen
class End:
    """One way to end the turn, as the kernel sees it.

    Attributes:
        node: where it stands in the search that found it.
        value: what expert thinks that it is worth, in cards.
        table: the table that it leaves.
        hand: the hand that it leaves.
        acted: whether anything was played or moved in the turn.
        played: whether a card of the hand was.
    """

    node: int
    value: float
    table: int
    hand: int
    acted: bool
    played: bool


class Race:
    """The ends of one turn, and how they did on the deals so far."""

    def __init__(
        self,
        rules: Rules,
        taste: Taste,
        stakes: Stakes,
        root: Deal,
        past: Past,
        ends: Sequence[End],
        rng: Random,
    ) -> None:
        """Prepare to try ``ends``, at most ``MOST_ENDS``, from ``root``.

        Args:
            rules: the table's rules.
            taste: what expert weighs by.
            stakes: what is played for.
            root: the deal as the seat knows it.
            past: the others' turns.
            ends: the ends of the turn, the one that expert likes best first.
            rng: where chance comes from.
        """
        self._values = [end.value - ends[0].value for end in ends]
        self._knobs = knobs_of(rules)
        self._taste = taste
        self._stakes = stakes
        self._root = root
        self._past = past
        self._worlds = new_worlds()
        self._worlds.chance[0] = rng.randrange(1, 1 << 32)
        self._trial = new_trial()
        self._ends = len(ends)
        self.live = list(range(self._ends))
        self.deals = 0
        trial = self._trial
        for at, end in enumerate(ends):
            trial.table[at] = end.table
            trial.hand[at] = end.hand
            trial.acted[at] = int(end.acted)
            trial.played[at] = int(end.played)
            trial.live[at] = 1
        begin_worlds(self._knobs, taste, root, past, self._worlds)

    def run(self, seconds: float, spare: float, clock: Clock) -> None:
        """Try the ends for ``seconds`` from now, or until one is left.

        Nothing is begun that would take more than ``spare`` longer, by what the last took.
        """
        began = now = clock()
        limit = began + seconds + spare
        if self._nothing_hidden():
            self._plan_on(began, began + seconds, limit, clock)
            return
        while now < began + seconds * BEGIN:
            shuffle_on(self._knobs, self._taste, self._root, self._past, self._worlds, EXCHANGES)
            now = clock()
        each = 0.0
        rounds = max(1, ceil(log2(self._ends)))
        batch = 1
        for number in range(1, rounds + 1):
            until = began + seconds * number / rounds
            while now < until and now + each <= limit and len(self.live) > 1:
                self.try_on(batch)
                then, now = now, clock()
                each = max(now - then, 1e-6) / batch
                batch = max(1, int(min(seconds * BATCH, until - now) / each))
                self._drop_behind()
            self._keep_best(max(2, self._ends >> number))

    def _nothing_hidden(self) -> bool:
        """Say whether all hidden cards are in one hand."""
        root = self._root
        seat = root.facts[TURN]
        held = [root.held[n] for n in range(SEATS) if n != seat and not root.hand[n]]
        known = sum(root.held[n] for n in range(SEATS) if n != seat) - sum(held)
        hidden = cards(unseen_by(root, seat)) - known
        return bool(root.facts[STOCK] == 0 and max(held) == sum(held) == hidden)

    def _plan_on(self, then: float, until: float, limit: float, clock: Clock) -> None:
        """Try each end once, the seat's further turns planned as well."""
        self.deals = 1
        later, inner = new_trial(), new_deal()
        longest = 0.0
        for end in range(self._ends):
            now = clock()
            longest, then = max(longest, now - then), now
            if now < until and now + longest <= limit:
                self._trial.sums[end] = plan_on(
                    self._knobs,
                    self._taste,
                    self._stakes,
                    self._root,
                    self._worlds,
                    self._trial,
                    later,
                    inner,
                    end,
                    MOST_POSITIONS,
                )

    def try_on(self, deals: int) -> None:
        """Try the ends that are left on ``deals`` more deals."""
        try_ends(
            self._knobs,
            self._taste,
            self._stakes,
            self._root,
            self._past,
            self._worlds,
            self._trial,
            deals,
            MOST_POSITIONS,
        )
        self.deals += deals

    def mean(self, end: int) -> float:
        """Return the share of the match that an end won, over the deals that it was tried on."""
        return self._trial.sums[end] / self.deals if self.deals else 0.0

    def best(self) -> int:
        """Return the end to choose, by the deals and by what expert thinks of it."""
        return max(self.live, key=self._merit)

    def _merit(self, end: int) -> float:
        """Return what an end probably wins more than expert's choice, if that is left.

        The fewer deals there were, or the more they differ, the less they count: the best of many
        ends owes much to chance.
        """
        if 0 not in self.live:
            return self.mean(end)
        seen = SPREAD**2 / (SPREAD**2 + self._error(end, 0) ** 2)
        return seen * (self.mean(end) - self.mean(0)) + TRUST * self._values[end]

    def _keep_best(self, count: int) -> None:
        best = sorted(self.live, key=self.mean, reverse=True)[:count]
        self._leave([end for end in self.live if end in best or end == 0])

    def _drop_behind(self) -> None:
        if self.deals >= FEWEST:
            best = max(self.live, key=self.mean)
            lead = self.mean(best)
            self._leave(
                [
                    end
                    for end in self.live
                    if lead - self.mean(end) <= BEHIND * self._error(end, best)
                ]
            )

    def _error(self, end: int, other: int) -> float:
        """Return the standard error of the difference of two ends, both still tried."""
        if end == other or self.deals < 2:
            return 0.0
        products = self._trial.products
        low, high = sorted((end, other))
        squares = (
            products[end * MOST_ENDS + end]
            + products[other * MOST_ENDS + other]
            - 2 * products[high * MOST_ENDS + low]
        )
        gap = self.mean(end) - self.mean(other)
        return sqrt(max(squares / self.deals - gap * gap, 0.0) / self.deals) + 1.0 / self.deals

    def _leave(self, live: list[int]) -> None:
        self.live = sorted(live)
        for end in range(self._ends):
            self._trial.live[end] = int(end in live)
