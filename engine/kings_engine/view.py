"""What a seat, a spectator or a bot may know: the only way out of the full state.

Everything here is built from allowed facts; nothing is made by stripping. ``Public`` is the same
for every viewer of a match, so it can depend on no hand; ``Own`` is what one seat adds.
"""

from enum import StrEnum

from attrs import frozen

from kings_engine.cards import Card
from kings_engine.places import Place


class Phase(StrEnum):
    """Where a match stands."""

    CUT = "cut"  #: the first dealer is still to be cut for, or drawn by lot
    DEAL_DUE = "deal_due"  #: the next deal can begin
    PLAY = "play"  #: a deal is running
    MATCH_OVER = "match_over"


class Standing(StrEnum):
    """What a seat is in the match."""

    IN = "in"  #: dealt to, and still playing in the current deal
    OUT = "out"  #: went out in this deal; plays again in the next
    ELIMINATED = "eliminated"
    FORFEITED = "forfeited"


@frozen
class PublicSeat:
    """One seat as everybody may see it.

    Attributes:
        standing: what it is in the match.
        cards: how many cards it holds.
        points: the penalty points of its finished deals.
        known: those of its cards that everybody knows: drawn from an open stock; all of them under
            ``open_hands`` and when a deal is over.
    """

    standing: Standing
    cards: int
    points: int
    known: tuple[Card, ...]


@frozen
class Public:
    """The position as everybody at the table may see it.

    Attributes:
        version: how many actions the match's record holds.
        phase: where the match stands.
        deal: the number of the current or last deal, from 1; 0 before the first.
        dealer: the seat that deals the current or last deal, or is to deal the first one.
        turn: the seat on turn while a deal runs.
        turn_number: how many turns of the deal went before this one.
        piles: the eight places' piles, bottom card first.
        stock: how many cards are left to draw.
        stock_top: the next card, where the stock is open.
        vacated: empty places that take any card this turn, under ``empty_place: vacated``.
        idle: how many turns in a row counted as idle.
        seats: the seats, in order.
        sheet: the penalty points of each finished deal, by seat; none for one not dealt to.
        winners: who won, once the match is over.
        losers: who is named the loser, under ``name_loser``, as soon as it is fixed.
    """

    version: int
    phase: Phase
    deal: int
    dealer: int | None
    turn: int | None
    turn_number: int
    piles: tuple[tuple[Card, ...], ...]
    stock: int
    stock_top: Card | None
    vacated: tuple[Place, ...]
    idle: int
    seats: tuple[PublicSeat, ...]
    sheet: tuple[tuple[int | None, ...], ...]
    winners: tuple[int, ...]
    losers: tuple[int, ...]


@frozen
class Own:
    """What a seat knows beyond the public facts.

    Attributes:
        seat: its number, from 0.
        hand: its cards, lowest number first.
        plays: each card it may play now, with the places that take it.
        moves: each pile it may move now, as (source, place).
        stock_plays: the places that take the top of the open stock now.
        may_end: whether it may end its turn now.
    """

    seat: int
    hand: tuple[Card, ...]
    plays: tuple[tuple[Card, tuple[Place, ...]], ...]
    moves: tuple[tuple[Place, Place], ...]
    stock_plays: tuple[Place, ...]
    may_end: bool


@frozen
class View:
    """A position as one viewer may know it; ``own`` is nothing for a spectator."""

    public: Public
    own: Own | None
