"""The kernel's deals: their state, and what ends of turns do to it.

Cards that are played in one turn are taken from the slots in the order of their codes: which came
first is not known.
"""

from typing import Final, NamedTuple

from kings_server.bots.kernel import Ints, compiled, inlined, ints
from kings_server.bots.kernel_table import ALL_CODES, CLOSED, FIRSTS, code_taken, copies, with_card
from kings_server.bots.kernel_turn import (
    DRAW_AFTER_HAND_CARD,
    DRAW_END,
    DRAW_IF_IDLE,
    DRAW_START,
    Knobs,
)

SEATS: Final = 4
MOST_CARDS: Final = 52
MOST_TURNS: Final = 400
"""More than a deal takes; what goes on so long ends as if it were blocked."""
TABLE: Final = 0
SHOWN: Final = 1
TURN: Final = 2
PLAYING: Final = 3
IDLE: Final = 4
STOCK: Final = 5
FIRST_OUT: Final = 6
ENDED: Final = 7
TURNS: Final = 8
FACTS: Final = 9


class Deal(NamedTuple):
    """One deal.

    Attributes:
        hand: each seat's hand.
        held: how many cards each holds.
        slots: for each seat, 52 to a seat, what each of its cards was not played as: codes, as
            bits; the oldest card first (``beliefs.passed_up``).
        stock: the codes of the stock, the next card last.
        facts: the table; the cards in piles; the seat on turn; who plays and who was idle, as
            bits; how many cards are in the stock; who went out first, or -1; whether the deal
            has ended; how many turns were played.
    """

    hand: Ints
    held: Ints
    slots: Ints
    stock: Ints
    facts: Ints


def new_deal() -> Deal:
    """Return memory for a deal."""
    return Deal(ints(SEATS), ints(SEATS), ints(SEATS * MOST_CARDS), ints(MOST_CARDS), ints(FACTS))


@compiled
def copy_deal(source: Deal, target: Deal) -> None:
    """Make ``target`` equal to ``source``."""
    for seat in range(SEATS):
        target.hand[seat] = source.hand[seat]
        target.held[seat] = source.held[seat]
        first = seat * MOST_CARDS
        for at in range(first, first + source.held[seat]):
            target.slots[at] = source.slots[at]
    for at in range(source.facts[STOCK]):
        target.stock[at] = source.stock[at]
    for at in range(FACTS):
        target.facts[at] = source.facts[at]


@inlined
def next_player(playing: int, seat: int) -> int:
    """Return the seat of ``playing`` to the left of ``seat``."""
    for step in range(1, SEATS + 1):
        other = (seat + step) % SEATS
        if playing >> other & 1:
            return other
    return seat


@inlined
def unseen_by(deal: Deal, seat: int) -> int:
    """Return, as a hand, the cards that are neither in the seat's hand nor in a pile."""
    own, shown = deal.hand[seat], deal.facts[SHOWN]
    gone_twice = own >> 32 | shown >> 32 | own & shown
    gone_once = own | shown
    return ALL_CODES & ~gone_twice | (ALL_CODES & ~gone_once) << 32


@inlined
def draws_now(knobs: Knobs, acted: bool, played: bool) -> bool:
    """Say whether the end of this turn draws, where not every one does."""
    if knobs.draw == DRAW_AFTER_HAND_CARD:
        return played
    return knobs.draw == DRAW_IF_IDLE and not acted


@inlined
def draw_card(deal: Deal, seat: int) -> None:
    """Give the seat the next card of the stock, which has one."""
    deal.facts[STOCK] -= 1
    deal.hand[seat] = with_card(deal.hand[seat], deal.stock[deal.facts[STOCK]])
    deal.slots[seat * MOST_CARDS + deal.held[seat]] = 0
    deal.held[seat] += 1


@inlined
def draw_cards(knobs: Knobs, deal: Deal, seat: int) -> int:
    """Give the seat its cards from the stock; return how many there were."""
    count = min(knobs.draw_count, deal.facts[STOCK])
    for _ in range(count):
        draw_card(deal, seat)
    return count


@inlined
def _take_slot(deal: Deal, seat: int, code: int) -> None:
    """Take the slot away that a card of ``code`` was probably played from."""
    first = seat * MOST_CARDS
    last = first + deal.held[seat] - 1
    at = first
    while at < last and deal.slots[at] >> code & 1:
        at += 1
    for later in range(at, last):
        deal.slots[later] = deal.slots[later + 1]
    deal.held[seat] -= 1


@compiled
def lay(deal: Deal, seat: int, table: int, hand: int) -> None:
    """Bring the deal to the end of a turn: the table, and what is left of the seat's hand.

    That a place takes any card because a pile left it outlasts no turn.
    """
    gone = deal.hand[seat] & FIRSTS | deal.hand[seat] >> 32
    code = 0
    while gone > 0:
        if gone & 1:
            for _ in range(copies(deal.hand[seat], code) - copies(hand, code)):
                deal.facts[SHOWN] = with_card(deal.facts[SHOWN], code)
                _take_slot(deal, seat, code)
        gone >>= 1
        code += 1
    deal.hand[seat] = hand
    deal.facts[TABLE] = table & CLOSED


@compiled
def end_turn(knobs: Knobs, deal: Deal, acted: bool, played: bool) -> None:
    """End the turn of the seat on turn: its draw, the tests for the deal's end, the next seat."""
    facts = deal.facts
    seat = facts[TURN]
    facts[TURNS] += 1
    if facts[TURNS] >= MOST_TURNS:
        facts[ENDED] = 1
    if deal.held[seat] == 0:
        _go_out(knobs, deal, seat)
        return
    _pass_up(deal, seat)
    drew = 0
    if knobs.draw == DRAW_END or draws_now(knobs, acted, played):
        drew = draw_cards(knobs, deal, seat)
    counted = played if knobs.idle_hand else acted
    watched = knobs.idle_always or facts[STOCK] == 0
    if watched and drew == 0 and not counted:
        facts[IDLE] |= 1 << seat
    else:
        facts[IDLE] = 0
    _pass_on(knobs, deal, seat)


@compiled
def _pass_up(deal: Deal, seat: int) -> None:
    """Note for each card of the seat what it was not played as."""
    offered = 0
    for at in range(8):
        code = code_taken(deal.facts[TABLE], at)
        if code >= 0:
            offered |= 1 << code
    first = seat * MOST_CARDS
    for at in range(first, first + deal.held[seat]):
        deal.slots[at] |= offered & ALL_CODES


@compiled
def _go_out(knobs: Knobs, deal: Deal, seat: int) -> None:
    facts = deal.facts
    if facts[FIRST_OUT] < 0:
        facts[FIRST_OUT] = seat
    facts[PLAYING] &= ~(1 << seat)
    facts[IDLE] = 0
    if not knobs.plays_on or facts[PLAYING] & facts[PLAYING] - 1 == 0:
        facts[ENDED] = 1
    else:
        _pass_on(knobs, deal, seat)


@compiled
def _pass_on(knobs: Knobs, deal: Deal, seat: int) -> None:
    facts = deal.facts
    if facts[IDLE] & facts[PLAYING] == facts[PLAYING]:
        facts[ENDED] = 1
    if knobs.stock_ends and facts[STOCK] == 0:
        facts[ENDED] = 1
    if facts[ENDED] == 0:
        facts[TURN] = next_player(facts[PLAYING], seat)
        if knobs.draw == DRAW_START:
            draw_cards(knobs, deal, facts[TURN])
