"""The kernel's deals: played on by expert's choices to their end.

What a seat thinks of the next one's cards is ``beliefs.by_play``, and what it makes of a position
``outlook``, on codes. Three things are simpler than expert: a king goes to its corner first, at
most ``most`` positions of a turn are looked at, and cards played in one turn are taken from the
slots in the order of their codes.
"""

from typing import Final, NamedTuple

from kings_server.bots.beliefs import KEPT_BACK
from kings_server.bots.kernel import Floats, Ints, compiled, floats, inlined, ints
from kings_server.bots.kernel_table import (
    ALL_CODES,
    BOTH_KINGS,
    CLOSED,
    CODES,
    FIRSTS,
    OPEN,
    OPEN_BITS,
    OTHER_CHAIN,
    bits,
    code_taken,
    copies,
    with_card,
)
from kings_server.bots.kernel_turn import (
    COUNT,
    DRAW_AFTER_HAND_CARD,
    DRAW_END,
    DRAW_IF_IDLE,
    DRAW_START,
    FILL_VACATED,
    Knobs,
    Tree,
    empty_corner,
    new_tree,
    search_turn,
)
from kings_server.bots.outlook import LATE, REPEATED

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


class Taste(NamedTuple):
    """Expert's ``outlook.Weights``, an entry for each number of players from 0 to 4.

    Attributes:
        worth: what it is worth to play a card of each code: itself, its points, a king.
        opening, others, space, latent, fit, late: as there.
        draw: what drawing a card costs.
    """

    worth: Floats
    opening: Floats
    others: Floats
    space: Floats
    latent: Floats
    fit: Floats
    late: Floats
    draw: Floats


class Mind(NamedTuple):
    """Memory for thinking: the turn's search, chances by code, and chains by the code on top."""

    tree: Tree
    chance: Floats
    chain: Floats


def new_deal() -> Deal:
    """Return memory for a deal."""
    return Deal(ints(SEATS), ints(SEATS), ints(SEATS * MOST_CARDS), ints(MOST_CARDS), ints(FACTS))


def new_mind() -> Mind:
    """Return memory for thinking."""
    return Mind(new_tree(), floats(CODES), floats(CODES))


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
    first = other * MOST_CARDS
    for at in range(first, first + deal.held[other]):
        passed = deal.slots[at]
        kept = bits(firsts & passed) + bits(seconds & passed)
        weight = count - (1.0 - KEPT_BACK) * kept
        if weight > 0.0:
            every += 1.0 / weight
            code = 0
            while passed > 0:
                if passed & 1:
                    chance[code] -= (1.0 - KEPT_BACK) / weight
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
    holding = 0.0
    if knobs.idle_always == 0:
        holding = min(1.0, taste.late[players] + stock / LATE)
    value = tree.shed[node] + _left(
        knobs,
        mind,
        node,
        taste.opening[players] * holding,
        taste.space[players],
        taste.latent[players],
        taste.fit[players] * holding,
    )
    if _draws(knobs, node > 0, tree.hand[node] != tree.hand[0]):
        value -= taste.draw[players] * min(knobs.draw_count, stock)
    return value


@inlined
def _draws(knobs: Knobs, acted: bool, played: bool) -> bool:
    """Say whether the end of this turn draws, where not every one does."""
    if knobs.draw == DRAW_AFTER_HAND_CARD:
        return played
    return knobs.draw == DRAW_IF_IDLE and not acted


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
    if knobs.draw == DRAW_END or _draws(knobs, acted, played):
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
