"""From the engine's values to the kernel's: rules, cards, tables, and what a seat knows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from kings_engine.cards import DECK_SIZE, Card, Hand, cards_in
from kings_engine.rules import (
    CornerBuild,
    Draw,
    EmptyPlace,
    GoingOut,
    IdleCounts,
    IdleRound,
    KingPileToCorner,
    Layout,
    MustPlay,
    Rules,
    StockEmpty,
)
from kings_server.bots.kernel import Ints, floats, ints
from kings_server.bots.kernel_deal import SEATS
from kings_server.bots.kernel_match import NO_END
from kings_server.bots.kernel_play import Taste
from kings_server.bots.kernel_table import (
    CODES,
    CORNER_BITS,
    CORNERS_AT,
    OPEN_BITS,
    VACATED_AT,
    sorted_table,
    with_card,
)
from kings_server.bots.kernel_turn import (
    DRAW_AFTER_HAND_CARD,
    DRAW_END,
    DRAW_IF_IDLE,
    DRAW_START,
    FILL_ANY,
    FILL_NOT_KING,
    FILL_VACATED,
    MUST_ANY,
    MUST_HAND,
    Knobs,
)
from kings_server.bots.outlook import Weights

_DRAWS: Final = {
    Draw.START: DRAW_START,
    Draw.END: DRAW_END,
    Draw.AFTER_HAND_CARD: DRAW_AFTER_HAND_CARD,
    Draw.IF_IDLE: DRAW_IF_IDLE,
}
_FILLS: Final = {
    EmptyPlace.ANY: FILL_ANY,
    EmptyPlace.NOT_KING: FILL_NOT_KING,
    EmptyPlace.VACATED: FILL_VACATED,
}
_MUSTS: Final = {MustPlay.OFF: 0, MustPlay.HAND: MUST_HAND, MustPlay.ANY: MUST_ANY}


Ends: TypeAlias = tuple[Card, Card]
"""The bottom and the top card of a pile."""


def understands(rules: Rules) -> bool:
    """Say whether the kernel plays these rules.

    Not those in which suits matter, nor an open stock, whose cards come to light within a turn.
    """
    return rules.corner_build == CornerBuild.ALTERNATE and not rules.open_stock


def knobs_of(rules: Rules, *, opening: bool = False) -> Knobs:
    """Return the rules for the kernel, of the deal's first turn or of the others."""
    kings = rules.king_pile_to_corner
    moves = kings == KingPileToCorner.ANYTIME or (opening and kings == KingPileToCorner.OPENING)
    cross = rules.layout == Layout.CROSS
    return Knobs(
        cross=int(cross),
        draw=_DRAWS[rules.draw],
        draw_count=rules.draw_count,
        fill=_FILLS[rules.empty_place],
        kings_move=int(moves and cross),
        must_play=_MUSTS[rules.must_play],
        forced_kings=int(rules.forced_kings),
        plays_on=int(rules.going_out == GoingOut.PLAYS_ON),
        stock_ends=int(rules.stock_empty == StockEmpty.ENDS_DEAL),
        idle_hand=int(rules.idle_counts == IdleCounts.HAND),
        idle_always=int(rules.idle_round == IdleRound.ALWAYS),
        open_hands=int(rules.open_hands),
    )


def code_of(card: Card) -> int:
    """Return the code of a card."""
    rank = card >> 2
    return ((card ^ rank) & 1) * 16 + rank + 1


def codes_of(cards: Iterable[Card]) -> int:
    """Return ``cards`` as a hand of the kernel's."""
    hand = 0
    for card in cards:
        hand = with_card(hand, code_of(card))
    return int(hand)


def passed_codes(passed: Hand) -> int:
    """Return the codes of the cards that were passed up, as bits."""
    codes = 0
    for card in cards_in(passed):
        codes |= 1 << code_of(card)
    return codes


def ends_of(piles: Iterable[tuple[Card, ...]]) -> tuple[Ends | None, ...]:
    """Return the bottom and the top card of each pile."""
    return tuple((pile[0], pile[-1]) if pile else None for pile in piles)


def table_of(rules: Rules, piles: Sequence[Ends | None], vacated: int = 0) -> int:
    """Return the table: of each of the eight places the bottom and the top card, if any.

    Args:
        rules: the table's rules.
        piles: the places, sides first.
        vacated: how many empty places take any card this turn.
    """
    cross = rules.layout == Layout.CROSS
    table = 0
    for at, pile in enumerate(piles[:4] if cross else piles[4:]):
        if pile is not None:
            table |= (code_of(pile[0]) << 5 | code_of(pile[1])) << at * OPEN_BITS
    for at, pile in enumerate(piles[4:] if cross else ()):
        if pile is not None:
            table |= code_of(pile[1]) << CORNERS_AT + at * CORNER_BITS
    return int(sorted_table(table)) | vacated << VACATED_AT


def penalties_of(rules: Rules) -> Ints:
    """Return what a card of each code costs."""
    penalty = ints(CODES)
    for card in range(DECK_SIZE):
        penalty[code_of(card)] = rules.penalties[card >> 2]
    return penalty


def taste_of(rules: Rules, weights: Mapping[int, Weights]) -> Taste:
    """Return expert's taste for the kernel, where no points put anybody out of the match.

    Args:
        rules: the table's rules.
        weights: what expert weighs by, for each number of players.
    """
    taste = Taste(
        worth=floats((SEATS + 1) * CODES),
        opening=floats(SEATS + 1),
        others=floats(SEATS + 1),
        space=floats(SEATS + 1),
        latent=floats(SEATS + 1),
        fit=floats(SEATS + 1),
        late=floats(SEATS + 1),
        draw=floats(SEATS + 1),
        penalty=penalties_of(rules),
        margin=ints(SEATS),
    )
    for seat in range(SEATS):
        taste.margin[seat] = NO_END
    mean = sum(rules.penalties) / len(rules.penalties)
    for players, of in weights.items():
        for card in range(DECK_SIZE):
            worth = 1.0 + of.points * rules.penalties[card >> 2]
            if card >> 2 == 12:
                worth += of.king
            taste.worth[players * CODES + code_of(card)] = worth
        taste.opening[players] = of.opening
        taste.others[players] = of.others
        taste.space[players] = of.space
        taste.latent[players] = of.latent
        taste.fit[players] = of.fit
        taste.late[players] = of.late
        taste.draw[players] = 1.0 + of.points * mean
    return taste
