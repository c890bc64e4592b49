"""The kernel's search of one turn: every distinct position in which it can end.

It finds what ``planner`` finds, on codes. What a position is worth is ``outlook``'s formula, as far
as it differs between the ends of one turn.
"""

from typing import Final, NamedTuple

from kings_server.bots.kernel import Floats, Ints, compiled, floats, inlined, ints
from kings_server.bots.kernel_table import (
    BOTH_KINGS,
    CODES,
    CORNER_BITS,
    CORNERS_AT,
    FIRSTS,
    KING_CODE,
    OPEN,
    OPEN_BITS,
    OTHER_CHAIN,
    TOP,
    VACATED_AT,
    code_taken,
    laid_down,
    laid_on,
    moved,
    without_card,
)

DRAW_START: Final = 0
DRAW_END: Final = 1
DRAW_AFTER_HAND_CARD: Final = 2
DRAW_IF_IDLE: Final = 3

FILL_ANY: Final = 0
FILL_NOT_KING: Final = 1
FILL_VACATED: Final = 2

MUST_HAND: Final = 1
MUST_ANY: Final = 2

MOST_NODES: Final = 2048
"""Room for the positions of one turn."""

_LAST_SLOT: Final = 8191
"""Of the slots for tables seen; their number is a power of two, four times ``MOST_NODES``."""

COUNT: Final = 0
_SEARCH: Final = 1
_MOST: Final = 2
_STACK: Final = 3
_OUT: Final = 4
_CAN: Final = 5
_MOVABLE: Final = 6
_WORTH: Final = 7
_STATE: Final = 8


class Knobs(NamedTuple):
    """The rules as far as the kernel needs them; flags are 0 or 1."""

    cross: int
    draw: int
    draw_count: int
    fill: int
    kings_move: int
    must_play: int
    forced_kings: int
    plays_on: int
    stock_ends: int
    idle_hand: int
    idle_always: int
    open_hands: int


class Tree(NamedTuple):
    """The memory of a turn's search.

    Attributes:
        table: the table of each position found.
        hand: the hand of each.
        shed: what playing its cards was worth.
        ends: whether the turn may end there.
        parent: the position that it was reached from, -1 for the first.
        stack: the positions still to be looked at.
        seen: the tables seen, each near the slot that its hash names.
        seen_in: the search that put each there.
        state: how far the search is, by the constants above.
    """

    table: Ints
    hand: Ints
    shed: Floats
    ends: Ints
    parent: Ints
    stack: Ints
    seen: Ints
    seen_in: Ints
    state: Ints


def new_tree() -> Tree:
    """Return memory for the search of turns."""
    return Tree(
        ints(MOST_NODES),
        ints(MOST_NODES),
        floats(MOST_NODES),
        ints(MOST_NODES),
        ints(MOST_NODES),
        ints(MOST_NODES),
        ints(_LAST_SLOT + 1),
        ints(_LAST_SLOT + 1),
        ints(_STATE),
    )


@inlined
def _is_new(tree: Tree, table: int) -> bool:
    """Say whether the table is new to this search, and remember it."""
    search = tree.state[_SEARCH]
    low = table & 0xFFFFFFF
    middle = table >> 28 & 0xFFFFFFF
    at = (low * 0x9E3779B1 + middle * 0x5EBCA6B1 + (table >> 56) * 0x2545F491) >> 20 & _LAST_SLOT
    while tree.seen_in[at] == search:
        if tree.seen[at] == table:
            return False
        at = at + 1 & _LAST_SLOT
    tree.seen_in[at] = search
    tree.seen[at] = table
    return True


@inlined
def _keep(tree: Tree, parent: int, table: int, hand: int, shed: float) -> None:
    """Keep a position, if it is new and there is room for it, to be looked at."""
    count = tree.state[COUNT]
    if count >= tree.state[_MOST] or not _is_new(tree, table):
        return
    tree.table[count] = table
    tree.hand[count] = hand
    tree.shed[count] = shed
    tree.parent[count] = parent
    tree.state[COUNT] = count + 1
    tree.ends[count] = 0
    if hand == 0:
        tree.ends[count] = 1
        tree.state[_OUT] = count
    else:
        tree.stack[tree.state[_STACK]] = count
        tree.state[_STACK] += 1


@inlined
def _play(tree: Tree, node: int, table: int, code: int, worth: Floats) -> None:
    """Keep the position after a card of the hand was played."""
    tree.state[_CAN] = 1
    hand = without_card(tree.hand[node], code)
    _keep(tree, node, table, hand, tree.shed[node] + worth[tree.state[_WORTH] + code])


@inlined
def _move(knobs: Knobs, tree: Tree, node: int, source: int, at: int) -> None:
    """Keep the position after a pile was moved."""
    tree.state[_MOVABLE] = 1
    table = moved(tree.table[node], source, at)
    if knobs.fill == FILL_VACATED:
        table += 1 << VACATED_AT
    _keep(tree, node, table, tree.hand[node], tree.shed[node])


@inlined
def empty_corner(knobs: Knobs, table: int) -> int:
    """Return an empty corner that takes kings, or -1."""
    if knobs.cross:
        for at in range(4, 8):
            if table >> CORNERS_AT + (at - 4) * CORNER_BITS & TOP == 0:
                return at
    return -1


@inlined
def _play_kings(tree: Tree, node: int, at: int, worth: Floats) -> None:
    table = tree.table[node]
    for code in (KING_CODE, KING_CODE + OTHER_CHAIN):
        if tree.hand[node] >> code & 1:
            _play(tree, node, laid_down(table, at, code), code, worth)


@inlined
def _move_piles(knobs: Knobs, tree: Tree, node: int, corner: int) -> None:
    table = tree.table[node]
    for source in range(4):
        bottom = table >> source * OPEN_BITS + 5 & TOP
        if bottom > 0:
            if corner >= 0 and knobs.kings_move and bottom & 15 == KING_CODE:
                _move(knobs, tree, node, source, corner)
            for at in range(8):
                if code_taken(table, at) == bottom:
                    _move(knobs, tree, node, source, at)


@inlined
def _fill(knobs: Knobs, tree: Tree, node: int, worth: Floats) -> None:
    """Play to an empty place; of several that take the same, one stands for all."""
    table = tree.table[node]
    vacated = table >> VACATED_AT
    empty = -1
    empties = 0
    for at in range(4):
        if table >> at * OPEN_BITS & OPEN == 0:
            empty = at
            empties += 1
    if empty < 0:
        return
    takes = FIRSTS
    less = 0
    if knobs.fill == FILL_NOT_KING:
        takes ^= BOTH_KINGS
    if knobs.fill == FILL_VACATED:
        if vacated == 0:
            takes = 0
        less = 1 << VACATED_AT
        if empties > vacated:
            _play_kings(tree, node, empty, worth)
    takes &= tree.hand[node]
    code = 0
    while takes > 0:
        if takes & 1:
            _play(tree, node, laid_down(table, empty, code) - less, code, worth)
        takes >>= 1
        code += 1


@inlined
def _play_fitting(tree: Tree, node: int, worth: Floats) -> None:
    table = tree.table[node]
    for at in range(8):
        code = code_taken(table, at)
        if code > 0 and tree.hand[node] >> code & 1:
            _play(tree, node, laid_on(table, at), code, worth)


@inlined
def _may_end(knobs: Knobs, tree: Tree) -> bool:
    """Say whether nothing is left that must be played, at the position just looked at."""
    if knobs.must_play == 0:
        return True
    if tree.state[_CAN]:
        return False
    return knobs.must_play == MUST_HAND or tree.state[_MOVABLE] == 0


@compiled
def search_turn(
    knobs: Knobs,
    tree: Tree,
    table: int,
    hand: int,
    worth: Floats,
    players: int,
    most: int,
    everything: bool,
) -> int:
    """Find the positions in which a turn can end.

    Args:
        knobs: the rules.
        tree: where the positions are left; ``ends`` says in which of them the turn may end.
        table: the table, its piles in order.
        hand: the hand.
        worth: for each number of players and each code, what playing a card of it is worth.
        players: how many play the deal.
        most: how many positions are looked at, up to ``MOST_NODES``.
        everything: whether to look at all of them; if not, a king for which there is a corner is
            played before all else, and the first way to go out ends the search: what a player
            does who wants to win the deal.

    Returns:
        A position in which the last card is played, if one was found, else -1.
    """
    state = tree.state
    state[_SEARCH] += 1
    state[_MOST] = most
    state[COUNT] = 0
    state[_STACK] = 0
    state[_OUT] = -1
    state[_WORTH] = players * CODES
    _keep(tree, -1, table, hand, 0.0)
    while state[_STACK] > 0 and (everything or state[_OUT] < 0):
        state[_STACK] -= 1
        node = tree.stack[state[_STACK]]
        state[_CAN] = 0
        state[_MOVABLE] = 0
        corner = empty_corner(knobs, tree.table[node])
        if corner >= 0:
            _play_kings(tree, node, corner, worth)
        first = state[_CAN]
        if first and not everything:
            continue
        _move_piles(knobs, tree, node, corner)
        _fill(knobs, tree, node, worth)
        _play_fitting(tree, node, worth)
        if first and knobs.forced_kings:
            continue
        if _may_end(knobs, tree):
            tree.ends[node] = 1
    return state[_OUT]
