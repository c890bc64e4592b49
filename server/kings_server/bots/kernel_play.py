"""The kernel's players: they choose as expert does, and play deals to their end.

What a seat thinks of the others' cards is ``beliefs.by_play``, and what it makes of a position
``outlook``, on codes. Two things are simpler than expert: a king goes to its corner first, and at
most ``most`` positions of a turn are looked at.
"""

from typing import NamedTuple

from kings_server.bots.beliefs import KEPT_BACK
from kings_server.bots.kernel import Floats, Ints, compiled, floats, inlined
from kings_server.bots.kernel_deal import (
    ENDED,
    MOST_CARDS,
    PLAYING,
    SEATS,
    STOCK,
    TABLE,
    TURN,
    Deal,
    draws_now,
    end_turn,
    lay,
    next_player,
    unseen_by,
)
from kings_server.bots.kernel_match import NO_END, points_of
from kings_server.bots.kernel_table import (
    BOTH_KINGS,
    CODES,
    FIRSTS,
    OPEN,
    OPEN_BITS,
    OTHER_CHAIN,
    bits,
    code_taken,
    copies,
)
from kings_server.bots.kernel_turn import (
    COUNT,
    DRAW_AFTER_HAND_CARD,
    DRAW_END,
    DRAW_START,
    FILL_VACATED,
    Knobs,
    Tree,
    empty_corner,
    new_tree,
    search_turn,
)
from kings_server.bots.outlook import (
    DRAWN_FIRST,
    FEW,
    IDLE,
    IDLE_AMONG_MORE,
    LATE,
    NARROW,
    REPEATED,
    RUIN,
)


class Taste(NamedTuple):
    """Expert's ``outlook.Weights``, an entry for each number of players from 0 to 4, and its fear.

    Attributes:
        worth: what it is worth to play a card of each code: itself, its points, a king.
        opening, others, space, latent, fit, late: as there.
        draw: what drawing a card costs.
        penalty: the penalty points of a card of each code.
        margin: for each seat, the points in this deal that would put it out of the match, or
            ``NO_END``.
    """

    worth: Floats
    opening: Floats
    others: Floats
    space: Floats
    latent: Floats
    fit: Floats
    late: Floats
    draw: Floats
    penalty: Ints
    margin: Ints


class Mind(NamedTuple):
    """Memory for thinking: the turn's search, chances by code, and chains by the code on top."""

    tree: Tree
    chance: Floats
    chain: Floats


def new_mind() -> Mind:
    """Return memory for thinking."""
    return Mind(new_tree(), floats(CODES), floats(CODES))


@compiled
def think_of(knobs: Knobs, taste: Taste, deal: Deal, seat: int, mind: Mind) -> None:
    """Fill in what the others may be expected to lay on each top: the chains, weighed by turn."""
    for code in range(CODES):
        mind.chain[code] = 0.0
    unseen = unseen_by(deal, seat)
    playing = deal.facts[PLAYING]
    weight = 1.0
    other = next_player(playing, seat)
    while other != seat and weight > 0.0:
        hidden = unseen
        if knobs.open_hands:
            hidden = deal.hand[other]
            for code in range(CODES):
                mind.chance[code] = 1.0
        else:
            _guess(deal, other, hidden, mind.chance)
        for first in (2, OTHER_CHAIN + 2):
            chain = 0.0
            for top in range(first, first + 12):
                unlikely = 1.0 - min(1.0, mind.chance[top - 1])
                none = 1.0
                for _ in range(copies(hidden, top - 1)):
                    none *= unlikely
                chain = (1.0 - none) * (1.0 + chain)
                mind.chain[top] += weight * chain
        weight *= taste.others[bits(playing)]
        other = next_player(playing, other)


@inlined
def _guess(deal: Deal, other: int, hidden: int, chance: Floats) -> None:
    """Fill in how likely ``other`` holds each of the ``hidden`` cards, by what it did not play."""
    firsts, seconds = hidden & FIRSTS, hidden >> 32
    count = bits(firsts) + bits(seconds)
    for code in range(CODES):
        chance[code] = 0.0
    every = 0.0
    at = other * MOST_CARDS
    end = at + deal.held[other]
    while at < end:
        passed = deal.slots[at]
        alike = 1
        while at + alike < end and deal.slots[at + alike] == passed:
            alike += 1
        at += alike
        kept = bits(firsts & passed) + bits(seconds & passed)
        weight = count - (1.0 - KEPT_BACK) * kept
        if weight > 0.0:
            every += alike / weight
            code = 0
            while passed > 0:
                if passed & 1:
                    chance[code] -= (1.0 - KEPT_BACK) * alike / weight
                passed >>= 1
                code += 1
    for code in range(CODES):
        chance[code] += every


@compiled
def best_end(knobs: Knobs, taste: Taste, deal: Deal, players: int, mind: Mind) -> int:
    """Return the end of the turn just searched that expert likes best."""
    best = 0
    most = -1e9
    for node in range(mind.tree.state[COUNT]):
        if mind.tree.ends[node]:
            value = value_of(knobs, taste, deal, mind, node, players)
            if value > most:
                most = value
                best = node
    return best


@inlined
def value_of(knobs: Knobs, taste: Taste, deal: Deal, mind: Mind, node: int, players: int) -> float:
    """Return what an end is worth beside keeping the whole hand: ``Outlook.value``."""
    tree = mind.tree
    stock = deal.facts[STOCK]
    holding = min(1.0, taste.late[players] + stock / LATE)
    if knobs.idle_always and knobs.draw in (DRAW_START, DRAW_AFTER_HAND_CARD):
        holding = 0.0 if players == 2 else IDLE_AMONG_MORE
    elif not knobs.cross:
        holding *= NARROW
    fit = taste.fit[players] * holding
    if players == 2 and knobs.draw == DRAW_START:
        fit *= DRAWN_FIRST
    value = tree.shed[node] + _left(
        knobs,
        mind,
        node,
        taste.opening[players] * holding,
        taste.space[players],
        taste.latent[players],
        fit,
    )
    drawn = 0
    if draws_now(knobs, node > 0, tree.hand[node] != tree.hand[0]):
        drawn = min(knobs.draw_count, stock)
        value -= taste.draw[players] * drawn
    if stock == 0 and node == 0:
        value -= IDLE
    if _is_ruin(knobs, taste, deal, tree.hand[node], drawn):
        value -= RUIN
    return value


@inlined
def _is_ruin(knobs: Knobs, taste: Taste, deal: Deal, hand: int, drawn: int) -> bool:
    """Say whether the seat on turn is out of the match if the next player ends the deal."""
    seat, playing = deal.facts[TURN], deal.facts[PLAYING]
    margin = taste.margin[seat]
    if margin == NO_END or hand == 0:
        return False
    close = False
    for other in range(SEATS):
        if other != seat and playing >> other & 1 and deal.held[other] <= FEW:
            close = True
    coming = drawn
    if knobs.draw == DRAW_END:
        coming = min(knobs.draw_count, deal.facts[STOCK])
    return close and points_of(taste.penalty, hand) + coming >= margin


@inlined
def _left(
    knobs: Knobs, mind: Mind, node: int, opening: float, space: float, latent: float, fit: float
) -> float:
    """Return what it is worth to leave a table to the next player, by the given weights."""
    table = mind.tree.table[node]
    takes = 0
    value = 0.0
    for at in range(8):
        code = code_taken(table, at)
        if code >= 0 and code & 15:
            chain = mind.chain[code + 1]
            if takes >> code & 1:
                chain *= REPEATED
            else:
                takes |= 1 << code
                value += fit * copies(mind.tree.hand[node], code)
            value -= opening * chain
    if knobs.kings_move and empty_corner(knobs, table) >= 0:
        takes |= BOTH_KINGS
    for at in range(4):
        pile = table >> at * OPEN_BITS & OPEN
        if pile == 0 and knobs.fill != FILL_VACATED:
            value -= space
        elif takes >> (pile >> 5) & 1:
            value -= latent
    return value


@compiled
def choose_end(knobs: Knobs, taste: Taste, deal: Deal, mind: Mind, most: int) -> int:
    """Search the turn of the seat on turn; return the end that expert would choose."""
    seat = deal.facts[TURN]
    players = bits(deal.facts[PLAYING])
    tree = mind.tree
    table, hand = deal.facts[TABLE], deal.hand[seat]
    out = search_turn(knobs, tree, table, hand, taste.worth, players, most, False)
    if out >= 0:
        return out
    if tree.state[COUNT] == 1:
        return 0
    think_of(knobs, taste, deal, seat, mind)
    return best_end(knobs, taste, deal, players, mind)


@compiled
def take_end(knobs: Knobs, deal: Deal, tree: Tree, end: int) -> None:
    """Play the turn of the seat on turn to one of the ends that were found."""
    seat = deal.facts[TURN]
    played = tree.hand[end] != deal.hand[seat]
    lay(deal, seat, tree.table[end], tree.hand[end])
    end_turn(knobs, deal, end > 0, played)


@compiled
def play_out(knobs: Knobs, taste: Taste, deal: Deal, mind: Mind, most: int) -> None:
    """Play the deal to its end."""
    while deal.facts[ENDED] == 0:
        end = choose_end(knobs, taste, deal, mind, most)
        take_end(knobs, deal, mind.tree, end)
