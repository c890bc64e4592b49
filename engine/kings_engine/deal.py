"""One deal: its state, how it begins, and its audit of itself.

``Deal`` is a value of small integers and tuples. It is a tuple itself, because every action makes
the next one from it, and no other value is so quickly made from another. ``turns`` makes the next;
``moves`` says what is legal in it.
"""

from itertools import pairwise
from typing import NamedTuple, TypeAlias

from kings_engine.cards import DECK_SIZE, KING, Card, Hand, cards_in, fits, hand_of
from kings_engine.events import DealBegan, DealEnding
from kings_engine.places import CORNERS, PLACE_COUNT, SIDES, Place, is_corner
from kings_engine.rules import CornerBuild, DealtKings, EmptyPlace, Layout, Opens, Rules
from kings_engine.sources import Position

Pile: TypeAlias = tuple[Card, ...]


class Deal(NamedTuple):
    """The whole state of one deal.

    Attributes:
        rules: the table's rules.
        number: the deal's number in the match, from 1.
        dealer: the seat that dealt.
        seats: the seats dealt to, in order.
        playing: those of them that still hold cards and have not forfeited.
        out: the seats that went out, first one first.
        hands: the cards of every seat of the table.
        known: those cards of each hand that everybody has seen (drawn from an open stock).
        piles: the eight places' piles, bottom card first.
        stock: the stock, the next card last.
        turn: the seat on turn.
        turn_number: how many turns went before this one.
        vacated: the empty places that take any card this turn, as bits; only kept under
            ``empty_place: vacated``.
        acted: whether the seat on turn has made any play or pile move.
        played: whether it has played a card of its hand.
        idle: the seats whose last turns were idle, in a row, as bits.
        ending: how the deal ended, once it has.
    """

    rules: Rules
    number: int
    dealer: int
    seats: tuple[int, ...]
    playing: tuple[int, ...]
    out: tuple[int, ...]
    hands: tuple[Hand, ...]
    known: tuple[Hand, ...]
    piles: tuple[Pile, ...]
    stock: tuple[Card, ...]
    turn: int
    turn_number: int = 0
    vacated: int = 0
    acted: bool = False
    played: bool = False
    idle: int = 0
    ending: DealEnding | None = None

    def __repr__(self) -> str:
        return f"Deal(number={self.number}, turn={self.turn}, turn_number={self.turn_number})"


def next_seat(seats: tuple[int, ...], after: int) -> int:
    """Return the first of ``seats`` (ascending, not empty) to the left of seat ``after``."""
    for seat in seats:
        if seat > after:
            return seat
    return seats[0]


def deal_out(
    rules: Rules, number: int, dealer: int, seats: tuple[int, ...], deck: tuple[Card, ...]
) -> tuple[Deal, DealBegan]:
    """Deal ``deck`` to ``seats``, one card at a time from the dealer's left, and turn up the piles.

    The first turn has not begun yet: no card has been drawn.
    """
    receivers = [seat for seat in seats if seat > dealer] + [s for s in seats if s <= dealer]
    dealt = len(seats) * rules.hand_size
    hands = [0] * rules.players
    for at, card in enumerate(deck[:dealt]):
        hands[receivers[at % len(seats)]] |= 1 << card
    piles, turned, opened = _turn_up(rules, deck[dealt:])
    stock = tuple(reversed(deck[dealt + len(turned) :]))
    opener = dealer if rules.opens == Opens.DEALER else next_seat(seats, dealer)
    deal = Deal(
        rules=rules,
        number=number,
        dealer=dealer,
        seats=seats,
        playing=seats,
        out=(),
        hands=tuple(hands),
        known=(0,) * rules.players,
        piles=piles,
        stock=stock,
        turn=opener,
        vacated=opened if rules.empty_place == EmptyPlace.VACATED else 0,
    )
    return deal, DealBegan(number, dealer, seats, turned, len(stock), tuple(map(cards_in, hands)))


def _turn_up(
    rules: Rules, cards: tuple[Card, ...]
) -> tuple[tuple[Pile, ...], tuple[tuple[Card, Place], ...], int]:
    """Return the first piles, the cards turned and where each went, and the sides left open."""
    piles: list[Pile] = [()] * PLACE_COUNT
    turned: list[tuple[Card, Place]] = []
    opened = 0
    free_corners = list(CORNERS)
    coming = iter(cards)
    for place in SIDES if rules.layout == Layout.CROSS else CORNERS:
        card = next(coming)
        while card >> 2 == KING and rules.dealt_kings != DealtKings.STAY:
            corner = free_corners.pop(0)
            piles[corner] = (card,)
            turned.append((card, corner))
            if rules.dealt_kings == DealtKings.TO_CORNER_OPEN:
                opened |= 1 << place
                break
            card = next(coming)
        else:
            piles[place] = (card,)
            turned.append((card, place))
    return tuple(piles), tuple(turned), opened


def set_up(
    rules: Rules, number: int, dealer: int, seats: tuple[int, ...], position: Position
) -> tuple[Deal, DealBegan]:
    """Return the deal that ``position`` describes; it may hold fewer than 52 cards."""
    deal = Deal(
        rules=rules,
        number=number,
        dealer=dealer,
        seats=seats,
        playing=tuple(seat for seat in seats if position.hands[seat]),
        out=tuple(seat for seat in seats if not position.hands[seat]),
        hands=tuple(map(hand_of, position.hands)),
        known=(0,) * rules.players,
        piles=position.piles,
        stock=tuple(reversed(position.stock)),
        turn=position.turn,
        turn_number=position.turn_number,
        idle=sum(1 << seat for seat in position.idle),
    )
    turned = tuple((card, place) for place, pile in enumerate(position.piles) for card in pile)
    shown = tuple(map(cards_in, deal.hands))
    return deal, DealBegan(number, dealer, seats, turned, len(deal.stock), shown)


def position_fits(rules: Rules, seats: tuple[int, ...], position: Position) -> bool:
    """Say whether ``position`` describes a deal that these seats could be playing."""
    cards = [
        *(card for hand in position.hands for card in hand),
        *(card for pile in position.piles for card in pile),
        *position.stock,
    ]
    return (
        len(position.hands) == rules.players
        and len(position.piles) == PLACE_COUNT
        and len(set(cards)) == len(cards)
        and all(0 <= card < DECK_SIZE for card in cards)
        and all(seat in seats for seat in (position.turn, *position.idle))
        and bool(position.hands[position.turn])
        and position.turn_number >= 0
    )


def audit(deal: Deal, card_count: int = DECK_SIZE) -> tuple[str, ...]:
    """Return every broken invariant of ``deal`` in words; none for a sound one.

    It does not promise that the deal can be reached by play.
    """
    faults = []
    cards = [card for hand in deal.hands for card in cards_in(hand)]
    cards += [card for pile in deal.piles for card in pile]
    cards += deal.stock
    if len(cards) != card_count or len(set(cards)) != card_count:
        faults.append(f"{len(set(cards))} different cards of {len(cards)}, not {card_count}")
    if any(known & ~hand for known, hand in zip(deal.known, deal.hands, strict=True)):
        faults.append("a known card is not in its hand")
    if deal.rules.layout == Layout.CORNERS and any(deal.piles[side] for side in SIDES):
        faults.append("a side holds a pile in the layout without sides")
    for place, pile in enumerate(deal.piles):
        suited = is_corner(place) and deal.rules.corner_build == CornerBuild.SUIT
        for top, card in pairwise(pile):
            if not (card == top - 4 if suited else fits(card, top)):
                faults.append(f"pile {place} is not built down")
    if any(not deal.hands[seat] for seat in deal.playing):
        faults.append("a seat without cards is still playing")
    if deal.ending is None and deal.turn not in deal.playing:
        faults.append("the seat on turn is not playing")
    return tuple(faults)
