"""How good it is to end a turn in a position: what is left in the hand, what is left to others.

Two things are weighed. One's own hand: its cards, its kings, what of it could be played next time.
And what the next player is given: tops that its cards go on, in chains, as likely as it holds them;
empty spaces, which take any card; and piles that it could move together to make a space.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from attrs import frozen

from kings_engine.cards import ALL_KINGS, DECK_SIZE, FITTING, KING, Card, Hand, cards_in
from kings_engine.places import CORNERS, SIDES
from kings_engine.rules import (
    CornerBuild,
    Draw,
    EmptyPlace,
    IdleRound,
    KingPileToCorner,
    Layout,
    MatchForm,
    Rules,
)
from kings_engine.view import Own, Public
from kings_server.bots.beliefs import after
from kings_server.bots.planner import EMPTY, IN_SUIT, TOP, Plan


@frozen
class Weights:
    """What things are worth, in cards of one's own hand.

    Attributes:
        points: a penalty point in hand.
        king: a king in hand, beyond its points.
        opening: a card that the next player is expected to be able to lay in a chain.
        space: an empty space left to the next player.
        others: how much of ``opening`` counts for the player after the next one, and of that again
            for the one after.
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
    others: float


class Outlook:
    """The values of end positions of one turn, by what the others probably hold."""

    def __init__(
        self,
        rules: Rules,
        stock: int,
        chances: Sequence[Sequence[float]],
        weights: Weights,
        stock_top: Card | None = None,
        margin: int | None = None,
    ) -> None:
        """Prepare for one turn.

        Args:
            rules: the table's rules.
            stock: how many cards are left to draw.
            chances: of each other player, in the order in which they play, and for each card, how
                likely it is held.
            weights: what things are worth.
            stock_top: the next card to draw, where the stock is open.
            margin: the points in this deal that would put the seat out of the match, if any would.
        """
        self._rules = rules
        self._stock = stock
        self._weights = weights
        holding = _holding(rules, stock, weights, 1 + len(chances))
        drawn_first = len(chances) == 1 and rules.draw == Draw.START
        self._fit = weights.fit * holding * (DRAWN_FIRST if drawn_first else 1.0)
        self._cost = [1.0 + weights.points * points for points in rules.penalties]
        self._cost[KING] += weights.king
        self._unknown_card = 1.0 + weights.points * fmean(rules.penalties)
        known = None if stock_top is None else self._cost[stock_top >> 2]
        self._next_card = self._unknown_card if known is None else known
        self._margin = margin
        self._curious = NEXT_CARD if rules.draw in (Draw.START, Draw.IF_IDLE) else 0.0
        suited = rules.corner_build == CornerBuild.SUIT
        opening = weights.opening * holding
        side = _openings(chances, opening, weights.others, suited=False)
        corner = _openings(chances, opening, weights.others, suited=True) if suited else side
        is_corner_layout = rules.layout == Layout.CORNERS
        self._places = (
            *((side, FITTING, not is_corner_layout),) * len(SIDES),
            *((corner, IN_SUIT if suited else FITTING, is_corner_layout),) * len(CORNERS),
        )
        self._kings_move = (
            rules.layout == Layout.CROSS and rules.king_pile_to_corner == KingPileToCorner.ANYTIME
        )
        self._space = 0.0 if rules.empty_place == EmptyPlace.VACATED else weights.space

    def value(self, plan: Plan) -> float:
        """Return what it is worth to end the turn as ``plan`` does; more is better."""
        hand, piles = plan.hand, plan.piles
        if not hand:
            return GOES_OUT
        worth = 0.0
        takes = bottoms = 0
        for (opening, fitting, is_space), pile in zip(self._places, piles, strict=True):
            if pile != EMPTY:
                top = pile & TOP
                fits = fitting[top]
                worth -= opening[top] * REPEATED if fits & takes else opening[top]
                takes |= fits
                if is_space:
                    bottoms |= 1 << (pile >> 6)
            elif is_space:
                worth -= self._space
        worth += self._fit * (takes & hand).bit_count()
        if self._kings_move and EMPTY in piles[4:]:
            takes |= ALL_KINGS
        worth -= self._weights.latent * (takes & bottoms).bit_count()
        worth -= sum([self._cost[card >> 2] for card in cards_in(hand)])
        if plan.goes_on:
            worth += self._curious
        if not self._stock and not plan.acted:
            worth -= IDLE
        drawn = _coming_draw(self._rules, plan, self._stock)
        if drawn:
            worth -= self._unknown_card if plan.goes_on else self._next_card
            worth -= (drawn - 1) * self._unknown_card
        return worth - RUIN if self._is_ruin(hand, drawn) else worth

    def _is_ruin(self, hand: Hand, drawn: int) -> bool:
        """Say whether the seat is out of the match if the next player ends the deal."""
        if self._margin is None:
            return False
        coming = min(self._rules.draw_count, self._stock) if self._rules.draw == Draw.END else drawn
        left = sum([self._rules.penalties[card >> 2] for card in cards_in(hand)])
        return left + coming >= self._margin


def best(
    plans: Sequence[Plan],
    own: Own,
    public: Public,
    rules: Rules,
    chances: Sequence[Sequence[float]],
    weights: Weights,
) -> Plan:
    """Return the best of ``plans``, at least one, for the seat on turn."""
    margin = None
    if rules.match == MatchForm.ELIMINATION and _is_close(own, public):
        margin = rules.points - public.seats[own.seat].points
    outlook = Outlook(rules, public.stock, chances, weights, public.stock_top, margin)
    return max(plans, key=outlook.value)


def _is_close(own: Own, public: Public) -> bool:
    """Say whether another player may go out in its next turn."""
    return any(public.seats[seat].cards <= FEW for seat in after(own, public))


FEW: Final = 4
"""Cards that go in one turn often enough to be afraid of."""

DRAWN_FIRST: Final = 1.25
"""How much more a card of one's own that fits is worth heads-up where a turn begins with the draw;
measured, not argued."""

LATE: Final = 30
"""Cards in the stock from which on holding back counts less, down to ``Weights.late`` at none."""

IDLE: Final = 3.0
"""What it costs to end a turn in which nothing was done once the stock is gone. Nothing new
comes then: who waits only holds more in the end, and the deal is dull."""

IDLE_AMONG_MORE: Final = 0.3
"""How much keeping back counts where any idle round ends the deal, with more than two: it seldom
does."""

NARROW: Final = 0.5
"""How much of keeping back counts where few cards fit anywhere: who holds least wins there."""

REPEATED: Final = 0.3
"""What a second top of the same rank and colour adds to the first: there are two cards for both."""


RUIN: Final = 2.0
"""What it costs to hold so many points that the seat is out of the match if the deal ends now."""

NEXT_CARD: Final = 0.8
"""What it is worth to see the open stock's next card in one's own turn, where that may be played
without drawing another."""

GOES_OUT: Final = 1000.0
"""Worth more than anything else."""


def _holding(rules: Rules, stock: int, weights: Weights, players: int) -> float:
    """Return how much keeping cards back counts: little where a round of it ends the deal.

    A turn at whose end a card is drawn is not idle.
    """
    if rules.idle_round == IdleRound.ALWAYS and rules.draw in (Draw.START, Draw.AFTER_HAND_CARD):
        return 0.0 if players == 2 else IDLE_AMONG_MORE
    held = min(1.0, weights.late + stock / LATE)
    return held * NARROW if is_narrow(rules) else held


def is_narrow(rules: Rules) -> bool:
    """Say whether so few cards fit anywhere that most deals end with nobody playing."""
    return rules.corner_build == CornerBuild.SUIT or rules.layout == Layout.CORNERS


def _coming_draw(rules: Rules, plan: Plan, stock: int) -> int:
    """Return how many cards ending the turn here would draw, where that depends on the plan.

    Every end may draw, but from an open stock not every one draws the same card.
    """
    draws = (
        (rules.draw == Draw.AFTER_HAND_CARD and plan.played)
        or (rules.draw == Draw.IF_IDLE and not plan.acted)
        or (rules.draw == Draw.END and rules.open_stock)
    )
    return min(rules.draw_count, stock) if draws else 0


def _openings(
    chances: Sequence[Sequence[float]], opening: float, others: float, *, suited: bool
) -> list[float]:
    """Return for each card on top what it costs to leave it to the other players."""
    costs = [0.0] * DECK_SIZE
    for held in chances:
        chains = _suited_chains(held) if suited else _chains(held)
        costs = [cost + opening * chain for cost, chain in zip(costs, chains, strict=True)]
        opening *= others
    return costs


def _chains(chances: Sequence[float]) -> list[float]:
    """Return for each card on top how many cards are expected to be laid on it, one on another."""
    on_black = on_red = 0.0
    chains: list[float] = []
    for spade in range(0, DECK_SIZE, 4):
        chains += (on_black, on_red, on_black, on_red)
        black = 1.0 - (1.0 - chances[spade]) * (1.0 - chances[spade + 2])
        red = 1.0 - (1.0 - chances[spade + 1]) * (1.0 - chances[spade + 3])
        on_black, on_red = red * (1.0 + on_red), black * (1.0 + on_black)
    return chains


def _suited_chains(chances: Sequence[float]) -> list[float]:
    """Return the same of corners that are built in suit."""
    chains = [0.0] * 4
    for card in range(DECK_SIZE - 4):
        chains.append(chances[card] * (1.0 + chains[card]))
    return chains
