"""The kernel's cards and tables: what of them matters for play, in one integer each.

Suits do not matter for play, only rank and colour. A card's *chain* is its colour, turned over with
every other rank: so a card fits a top exactly if it is of the same chain and one rank lower. A
*code* is ``chain * 16 + rank + 1``: then it fits if its code is one lower, and no card has the code
below an ace's. There are two cards of each of the 26 codes.

A *hand* has bit ``code`` set for a first card of the code and bit ``code + 32`` for a second. Of a
pile that may be moved, the bottom and the top matter, of a corner's only the top. A *table* holds
the four open piles as ``bottom << 5 | top``, 10 bits each, the four corners' tops, 5 bits each, and
how many empty places take any card, 3 bits. Piles are sorted: where they lie does not matter.

In the layout without sides (003) the corners are the open piles, and there are no other places.
"""

from typing import Final

from kings_server.bots.kernel import inlined

CODES: Final = 32
KING_CODE: Final = 13
OTHER_CHAIN: Final = 16
BOTH_KINGS: Final = 1 << 13 | 1 << 29
ALL_CODES: Final = 0x1FFF << 1 | 0x1FFF << 17
FIRSTS: Final = (1 << 32) - 1

OPEN_BITS: Final = 10
CORNER_BITS: Final = 5
CORNERS_AT: Final = 40
VACATED_AT: Final = 60
CLOSED: Final = (1 << VACATED_AT) - 1
"""The part of a table that outlasts a turn."""

OPEN: Final = 1023
TOP: Final = 31


@inlined
def with_card(hand: int, code: int) -> int:
    """Return the hand with one more card of ``code``, of which it held at most one."""
    if hand >> code & 1:
        return hand | 1 << (code + 32)
    return hand | 1 << code


@inlined
def without_card(hand: int, code: int) -> int:
    """Return the hand with one card of ``code`` less."""
    if hand >> (code + 32) & 1:
        return hand ^ 1 << (code + 32)
    return hand ^ 1 << code


@inlined
def copies(hand: int, code: int) -> int:
    """Return how many cards of ``code`` the hand holds."""
    return (hand >> code & 1) + (hand >> (code + 32) & 1)


@inlined
def bits(word: int) -> int:
    """Count the bits of a word of 32."""
    word = word - (word >> 1 & 0x55555555)
    word = (word & 0x33333333) + (word >> 2 & 0x33333333)
    word = word + (word >> 4) & 0x0F0F0F0F
    return (word * 0x01010101 & FIRSTS) >> 24


@inlined
def cards(hand: int) -> int:
    """Count the cards of a hand."""
    return bits(hand & FIRSTS) + bits(hand >> 32)


@inlined
def _in_order(a: int, b: int, c: int, d: int, width: int) -> int:
    """Return four numbers of ``width`` bits in order, the least one lowest."""
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    return a | b << width | c << 2 * width | d << 3 * width


@inlined
def sorted_table(table: int) -> int:
    """Return the table with its piles in order."""
    piles = _in_order(
        table & OPEN, table >> 10 & OPEN, table >> 20 & OPEN, table >> 30 & OPEN, OPEN_BITS
    )
    corners = _in_order(
        table >> 40 & TOP, table >> 45 & TOP, table >> 50 & TOP, table >> 55 & TOP, CORNER_BITS
    )
    return table >> VACATED_AT << VACATED_AT | corners << CORNERS_AT | piles


@inlined
def code_taken(table: int, at: int) -> int:
    """Return the code that the pile ``at`` takes (0 to 3 the open piles, 4 to 7 the corners).

    It is -1 for an empty place, and no card's for an ace.
    """
    if at < 4:
        return (table >> at * OPEN_BITS & TOP) - 1
    return (table >> CORNERS_AT + (at - 4) * CORNER_BITS & TOP) - 1


@inlined
def laid_on(table: int, at: int) -> int:
    """Return the table after the fitting card was laid on the pile ``at``."""
    width = OPEN_BITS if at < 4 else CORNER_BITS
    shift = at * OPEN_BITS if at < 4 else CORNERS_AT + (at - 4) * CORNER_BITS
    table -= 1 << shift
    # A pile whose top goes down seldom passes the one before it, and sorting takes time.
    if (
        at % 4 == 0
        or table >> shift - width & (1 << width) - 1 <= table >> shift & (1 << width) - 1
    ):
        return table
    return sorted_table(table)


@inlined
def laid_down(table: int, at: int, code: int) -> int:
    """Return the table after a card was laid on the empty place ``at``."""
    if at < 4:
        return sorted_table(table | (code << 5 | code) << at * OPEN_BITS)
    return sorted_table(table | code << CORNERS_AT + (at - 4) * CORNER_BITS)


@inlined
def moved(table: int, source: int, at: int) -> int:
    """Return the table after the open pile ``source`` went to the place ``at``."""
    pile = table >> source * OPEN_BITS & OPEN
    table ^= pile << source * OPEN_BITS
    shift = at * OPEN_BITS if at < 4 else CORNERS_AT + (at - 4) * CORNER_BITS
    table ^= (table >> shift & TOP ^ pile & TOP) << shift
    return sorted_table(table)
