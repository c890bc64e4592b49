"""How good it is to end a turn in a position: what is left in the hand, what is left to others.

Two things are weighed. One's own hand: its cards, its kings, what of it could be played next time.
And what the next player is given: tops that its cards go on, in chains, as likely as it holds them;
empty spaces, which take any card; and piles that it could move together to make a space.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from attrs import frozen

from kings_engine.cards import ALL_KINGS, DECK_SIZE, FITTING, Hand, cards_in
from kings_engine.places import Place, is_corner
from kings_engine.rules import (
    CornerBuild,
    Draw,
    EmptyPlace,
    IdleRound,
    KingPileToCorner,
    Layout,
    Rules,
)
from kings_server.bots.planner import EMPTY, IN_SUIT, TOP, Bare, Plan


@frozen
class Weights:
    """What things are worth, in cards of one's own hand.

    Attributes:
        points: a penalty point in hand.
        king: a king in hand, beyond its points.
        opening: a card that the next player is expected to be able to lay in a chain.
        space: an empty space left to the next player.
        latent: a pile that the next player could move to make a space.
        fit: a card of one's own that could be laid next time.
        late: how much of ``opening`` and ``fit`` counts when the stock is gone: below 1, fewer
            deals end with nobody playing.
    """

    points: float
    king: float
    opening: float
    space: float
    latent: float
    fit: float
    late: float


class Outlook:
    """The values of end positions of one turn, by what the next player probably holds."""

    def __init__(
        self, rules: Rules, stock: int, chances: Sequence[float], weights: Weights
    ) -> None:
        """Prepare for one turn.

        Args:
            rules: the table's rules.
            stock: how many cards are left to draw.
            chances: for each card, how likely the next player holds it.
            weights: what things are worth.
        """
        self._rules = rules
        self._stock = stock
        self._weights = weights
        holding = _holding(rules, stock, weights)
        self._opening = weights.opening * holding
        self._fit = weights.fit * holding
        self._penalties = rules.penalties
        self._unknown_card = 1.0 + weights.points * fmean(rules.penalties)
        self._suited = rules.corner_build == CornerBuild.SUIT
        self._chain = _chains(chances, suited=False)
        self._corner_chain = _chains(chances, suited=True) if self._suited else self._chain
        self._kings_move = (
            rules.layout == Layout.CROSS and rules.king_pile_to_corner == KingPileToCorner.ANYTIME
        )
        self._filled_any = rules.empty_place != EmptyPlace.VACATED

    def value(self, plan: Plan) -> float:
        """Return what it is worth to end the turn as ``plan`` does; more is better."""
        hand, weights = plan.hand, self._weights
        if not hand:
            return GOES_OUT
        held = cards_in(hand)
        spaces, openings, takes = self._left_open(plan.piles)
        return -(
            len(held)
            + _coming_draw(self._rules, plan, self._stock) * self._unknown_card
            + weights.points * sum([self._penalties[card >> 2] for card in held])
            + weights.king * (hand & ALL_KINGS).bit_count()
            + self._opening * openings
            + weights.space * spaces
            + weights.latent * self._latent(plan.piles, takes)
            - self._fit * (takes & hand).bit_count()
        )

    def _left_open(self, piles: Bare) -> tuple[int, float, Hand]:
        """Return the spaces that take any card, the cards others may lay, and all that tops take.

        The cards that others may lay are an expected number, in chains.
        """
        spaces = 0
        openings = 0.0
        takes = 0
        for place, pile in enumerate(piles):
            suited = self._suited and place >= 4
            if pile != EMPTY:
                top = pile & TOP
                fitting = IN_SUIT[top] if suited else FITTING[top]
                chain = (self._corner_chain if suited else self._chain)[top]
                openings += chain * REPEATED if fitting & takes else chain
                takes |= fitting
            elif self._filled_any and self._is_space(place):
                spaces += 1
        return spaces, openings, takes

    def _is_space(self, place: Place) -> bool:
        return is_corner(place) == (self._rules.layout == Layout.CORNERS)

    def _latent(self, piles: Bare, takes: Hand) -> int:
        """Count the piles that the next player could move away."""
        if self._kings_move and EMPTY in piles[4:]:
            takes |= ALL_KINGS
        return sum(
            1
            for place, pile in enumerate(piles)
            if pile != EMPTY and takes >> (pile >> 6) & 1 and self._is_space(place)
        )


LATE: Final = 30
"""Cards in the stock from which on holding back counts less, down to ``Weights.late`` at none."""

REPEATED: Final = 0.3
"""What a second top of the same rank and colour adds to the first: there are two cards for both."""


GOES_OUT: Final = 1000.0
"""Worth more than anything else."""


def _holding(rules: Rules, stock: int, weights: Weights) -> float:
    """Return how much keeping cards back counts: nothing where any idle round ends the deal."""
    if rules.idle_round == IdleRound.ALWAYS:
        return 0.0
    return min(1.0, weights.late + stock / LATE)


def _coming_draw(rules: Rules, plan: Plan, stock: int) -> int:
    """Return how many cards ending the turn here would draw, where not every end draws."""
    draws = (rules.draw == Draw.AFTER_HAND_CARD and plan.played) or (
        rules.draw == Draw.IF_IDLE and not plan.acted
    )
    return min(rules.draw_count, stock) if draws else 0


def _chains(chances: Sequence[float], *, suited: bool) -> list[float]:
    """Return for each card on top how many cards are expected to be laid on it, one on another."""
    chains = [0.0] * DECK_SIZE
    for top in range(4, DECK_SIZE):
        fitting = (top - 4,) if suited else cards_in(FITTING[top])
        none = 1.0
        for card in fitting:
            none *= 1.0 - chances[card]
        further = max(chains[card] for card in fitting)
        chains[top] = (1.0 - none) * (1.0 + further)
    return chains
