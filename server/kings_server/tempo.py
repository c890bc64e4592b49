"""When a bot may be quick without telling anything: where everybody sees that it has no choice."""

from kings_engine.cards import Hand, hand_of
from kings_engine.deal import Deal
from kings_engine.moves import ANY_CARD, legal_moves, legal_plays


def only_the_end(deal: Deal) -> bool:
    """Say whether everybody can see that the seat on turn can do nothing but end its turn.

    It looks at the table, the open stock's top and the hands that everybody knows; at a hidden
    hand only for how many cards it has.
    """
    top = 1 << deal.stock[-1] if deal.rules.open_stock and deal.stock else 0
    playable = _possible(deal, top) | top
    return not legal_moves(deal) and not any(legal_plays(deal, playable))


def _possible(deal: Deal, top: Hand) -> Hand:
    """Return the cards that the seat on turn may have, as far as everybody knows."""
    known = deal.hands if deal.rules.open_hands else deal.known
    own, cards = known[deal.turn], deal.hands[deal.turn].bit_count()
    if own.bit_count() == cards:
        return own
    elsewhere = top | hand_of(card for pile in deal.piles for card in pile)
    for seat, hand in enumerate(known):
        if seat != deal.turn:
            elsewhere |= hand
    return ANY_CARD & ~elsewhere
