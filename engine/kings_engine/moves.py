"""What is legal in a deal, and why something is not.

One question decides everything: which cards does a place take now? ``accepts`` answers it as a set
of cards; plays, pile moves, hints of must-play and refusals all ask it.
"""

from collections.abc import Iterator
from typing import Final

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import ALL_KINGS, DECK_SIZE, FITTING, KING, Card, Hand, cards_in, hand_of
from kings_engine.deal import Deal
from kings_engine.errors import Code, Refusal
from kings_engine.places import CORNERS, PLACE_COUNT, Place, is_corner
from kings_engine.rules import CornerBuild, EmptyPlace, KingPileToCorner, Layout, MustPlay, Rules

ANY_CARD: Final[Hand] = (1 << DECK_SIZE) - 1


def places(rules: Rules) -> tuple[Place, ...]:
    """Return the places where the layout has piles: all eight, or the corners only (003)."""
    return tuple(range(PLACE_COUNT)) if rules.layout == Layout.CROSS else CORNERS


def accepts(deal: Deal, place: Place) -> Hand:
    """Return the cards that ``place`` takes from a hand or from the open stock now."""
    rules = deal.rules
    pile = deal.piles[place]
    if pile:
        top = pile[-1]
        if place >= 4 and rules.corner_build == CornerBuild.SUIT:  # 002
            return 1 << (top - 4) if top >= 4 else 0
        return FITTING[top]
    if place >= 4 and rules.layout == Layout.CROSS:
        return ALL_KINGS
    if rules.empty_place == EmptyPlace.VACATED and not deal.vacated >> place & 1:  # 003
        return ALL_KINGS
    if rules.empty_place == EmptyPlace.NOT_KING:  # 000
        return ANY_CARD & ~ALL_KINGS
    return ANY_CARD


def legal_plays(deal: Deal, cards: Hand) -> Iterator[tuple[Place, Hand]]:
    """Yield each place with those of ``cards`` that it takes, if any."""
    for place in places(deal.rules):
        if fitting := accepts(deal, place) & cards:
            yield place, fitting


def legal_moves(deal: Deal) -> tuple[tuple[Place, Place], ...]:
    """Return the piles that may be moved, as (source, place), in order of their places."""
    filled = [place for place in places(deal.rules) if deal.piles[place]]
    sources = {deal.piles[place][0]: place for place in filled}
    bottoms = hand_of(sources)
    found = [
        (sources[bottom], place)
        for place in filled
        for bottom in cards_in(accepts(deal, place) & bottoms)
        if not _too_long(deal, sources[bottom], place)
    ]
    for king in cards_in(bottoms & ALL_KINGS):
        if not is_corner(source := sources[king]):
            found += [
                (source, corner)
                for corner in CORNERS
                if not deal.piles[corner] and _refuse_king_pile(deal, source, corner) is None
            ]
    return tuple(sorted(found))


def refuse(deal: Deal, action: SeatAction) -> Refusal | None:
    """Say why the seat on turn may not do ``action``, or nothing if it may."""
    match action:
        case Play(card, place):
            if not 0 <= card < DECK_SIZE or not deal.hands[deal.turn] >> card & 1:
                return Refusal(Code.NOT_IN_HAND, card=card if 0 <= card < DECK_SIZE else None)
            return _refuse_card(deal, card, place)
        case PlayStock(place):
            if not deal.rules.open_stock:
                return Refusal(Code.STOCK_CLOSED)
            if not deal.stock:
                return Refusal(Code.STOCK_EMPTY)
            return _refuse_card(deal, deal.stock[-1], place)
        case Move(source, place):
            return _refuse_move(deal, source, place)
        case EndTurn():
            return refuse_end(deal)


def refuse_end(deal: Deal) -> Refusal | None:
    """Say what the seat on turn must still play, or nothing if it may end its turn."""
    rules = deal.rules
    hand = deal.hands[deal.turn]
    if rules.forced_kings and hand & ALL_KINGS:  # 002
        for place in CORNERS:
            if not deal.piles[place] and (kings := accepts(deal, place) & hand & ALL_KINGS):
                return Refusal(Code.KING_FIRST, card=_lowest(kings), place=place)
    if rules.must_play != MustPlay.OFF:  # 000, 001
        for place, cards in legal_plays(deal, hand):
            return Refusal(Code.MUST_PLAY, card=_lowest(cards), place=place)
    if rules.must_play == MustPlay.ANY:
        for source, place in legal_moves(deal):
            return Refusal(Code.MUST_PLAY, source=source, place=place)
        if rules.open_stock and deal.stock:
            top = deal.stock[-1]
            for place, _ in legal_plays(deal, 1 << top):
                return Refusal(Code.MUST_PLAY, card=top, place=place)
    return None


def _lowest(hand: Hand) -> Card:
    return (hand & -hand).bit_length() - 1


def _refuse_card(deal: Deal, card: Card, place: Place) -> Refusal | None:
    if place not in places(deal.rules):
        return Refusal(Code.NO_SUCH_PLACE, card=card, place=_named(place))
    if accepts(deal, place) >> card & 1:
        return None
    if deal.piles[place]:
        return _refuse_on_pile(deal, card, place)
    return Refusal(_why_not_empty(deal, place), card=card, place=place)


def _why_not_empty(deal: Deal, place: Place) -> Code:
    if deal.rules.layout == Layout.CROSS and is_corner(place):
        return Code.CORNER_NEEDS_KING
    if deal.rules.empty_place == EmptyPlace.NOT_KING:
        return Code.NO_KING_HERE
    return Code.PLACE_NEEDS_KING


def _refuse_on_pile(deal: Deal, card: Card, place: Place) -> Refusal:
    """Say why ``card``, in the hand or at a pile's bottom, does not go on the pile at ``place``."""
    pile = deal.piles[place]
    top = pile[-1]
    if top >> 2 == 0:
        code = Code.ON_ACE
    elif (top >> 2) - (card >> 2) != 1:
        code = Code.WRONG_RANK
    elif is_corner(place) and deal.rules.corner_build == CornerBuild.SUIT:
        return Refusal(Code.WRONG_SUIT, card=card, place=place, top=pile[0])
    else:
        code = Code.WRONG_COLOUR
    return Refusal(code, card=card, place=place, top=top)


def _refuse_move(deal: Deal, source: Place, place: Place) -> Refusal | None:
    known = places(deal.rules)
    for named in (source, place):
        if named not in known:
            return Refusal(Code.NO_SUCH_PLACE, place=_named(named))
    if not deal.piles[source]:
        return Refusal(Code.SOURCE_EMPTY, source=source)
    if source == place:
        return Refusal(Code.SAME_PILE, source=source, place=place)
    bottom = deal.piles[source][0]
    if not deal.piles[place]:
        return _refuse_king_pile(deal, source, place)
    if not accepts(deal, place) >> bottom & 1:
        refusal = _refuse_on_pile(deal, bottom, place)
        return Refusal(refusal.code, bottom, source, place, refusal.top)
    if _too_long(deal, source, place):
        return Refusal(Code.PILE_NOT_OF_SUIT, bottom, source, place, deal.piles[place][0])
    return None


def _refuse_king_pile(deal: Deal, source: Place, place: Place) -> Refusal | None:
    """Judge a move to an empty place: only a side's king pile to a corner is ever allowed."""
    bottom = deal.piles[source][0]
    knob = deal.rules.king_pile_to_corner
    if not is_corner(place):
        code = Code.PILE_TO_EMPTY_SIDE
    elif is_corner(source):
        code = Code.CORNER_TO_CORNER
    elif bottom >> 2 != KING:
        code = Code.CORNER_NEEDS_KING
    elif knob == KingPileToCorner.NEVER:
        code = Code.KING_PILE_STAYS
    elif knob == KingPileToCorner.OPENING and deal.turn_number > 0:
        code = Code.KING_PILE_LATE
    elif _too_long(deal, source, place):
        code = Code.PILE_NOT_OF_SUIT
    else:
        return None
    return Refusal(code, bottom, source, place)


def _too_long(deal: Deal, source: Place, place: Place) -> bool:
    """Say whether a corner built in suit cannot take the pile: sides alternate (002)."""
    return (
        deal.rules.corner_build == CornerBuild.SUIT
        and is_corner(place)
        and len(deal.piles[source]) > 1
    )


def _named(place: Place) -> Place | None:
    return place if 0 <= place < PLACE_COUNT else None
