"""Where the hidden cards may be: deals sampled as likely as the others' turns make them.

A sampled deal says of every card that another seat has held when it came to it, and of those that
it still holds which they are. A first one is made at random, card by card, by what was not played.
Then two cards change places, again and again, and each exchange is kept or undone by Metropolis'
rule, according to how well the hands then explain what their holders did. So what is sampled are
deals in which the others have played sensibly.

A seat is taken to play as expert, nearly always, or else to play whatever it can: which of the two
explains all of its turns better counts more.
"""

from math import exp, log
from typing import Final, NamedTuple

from kings_server.bots.kernel import Floats, Ints, compiled, floats, inlined, ints
from kings_server.bots.kernel_deal import (
    MOST_CARDS,
    PLAYING,
    SEATS,
    SHOWN,
    STOCK,
    TABLE,
    TURN,
    Deal,
    copy_deal,
    new_deal,
    unseen_by,
)
from kings_server.bots.kernel_match import random_below
from kings_server.bots.kernel_play import Mind, Taste, choose_end, new_mind, value_of
from kings_server.bots.kernel_table import (
    ALL_CODES,
    BOTH_KINGS,
    CLOSED,
    CODES,
    FIRSTS,
    bits,
    code_taken,
    copies,
    with_card,
    without_card,
)
from kings_server.bots.kernel_turn import COUNT, Knobs, empty_corner
from kings_server.bots.planner import MOST_POSITIONS

KEPT: Final = 1 << 14
"""How likely, in parts of 2 ** 16, a card that could have been played is thought to be held, beside
one that could not, in the first deal."""

_PATIENCE: Final = 12
"""How often a card that was probably not kept is laid aside for another."""

MOST_PAST: Final = 48
"""Turns of the others that are remembered, the newest."""

TEMPER: Final = 1.0
"""Cards by which an end has to be worth less to be e times less likely chosen by expert."""

UNLIKE: Final = 6.0
"""The most that one turn says against a hand, in powers of e."""

LEFT: Final = 2.0
"""What a card that could have been played and was not says against somebody who plays all."""

CARELESS: Final = 2.0
"""How much less likely a seat is taken to play all it can than to play as expert."""


NEVER: Final = 1 << 30
"""The number of a turn that does not come: that of a card's play which is still held."""


class Past(NamedTuple):
    """What the others did so far: their turns, the oldest first, and the cards that they held.

    Attributes:
        number: how many turns there are, as its only entry.
        seat: whose turn it was.
        when: its number in the deal.
        before, after: the table at its beginning and its end.
        shown, playing, stock: the cards in piles, who played and the stock, at its beginning.
        taken: the cards that it played.
        slots, held: what is known of all hands, as in ``Deal``; 208 and 4 to a turn.
        many: how many unknown cards each seat has held, those that it holds included.
        arrived: from which turn on it held them; 52 to a seat, in the order in which they came.
        left: in which turn each was played, probably, or ``NEVER``.
        code: the code of those that were.
    """

    number: Ints
    seat: Ints
    when: Ints
    before: Ints
    after: Ints
    shown: Ints
    playing: Ints
    stock: Ints
    taken: Ints
    slots: Ints
    held: Ints
    many: Ints
    arrived: Ints
    left: Ints
    code: Ints


def new_past() -> Past:
    """Return memory for what the others did."""
    return Past(
        ints(1),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST),
        ints(MOST_PAST * SEATS * MOST_CARDS),
        ints(MOST_PAST * SEATS),
        ints(SEATS),
        ints(SEATS * MOST_CARDS),
        ints(SEATS * MOST_CARDS),
        ints(SEATS * MOST_CARDS),
    )


class Worlds(NamedTuple):
    """Memory for sampled deals.

    Attributes:
        deal: the sampled deal.
        code: the code of each card that the others have held, as ``Past.code``.
        left: in which turn it was played, as ``Past.left``.
        hidden: the cards still to be dealt out; then where the others' cards are in ``code``.
        hand: the hand of each past turn's seat at its beginning.
        gap: how much less the end of each past turn was worth than the best one with that hand.
        over: how many cards were left that could have been played.
        hand_then, gap_then, over_then: the same with two cards exchanged.
        then: a past turn, set up again.
        mind: for thinking about it.
        chance: where chance comes from.
    """

    deal: Deal
    code: Ints
    left: Ints
    hidden: Ints
    hand: Ints
    gap: Floats
    over: Floats
    hand_then: Ints
    gap_then: Floats
    over_then: Floats
    then: Deal
    mind: Mind
    chance: Ints


def new_worlds() -> Worlds:
    """Return memory for sampled deals."""
    return Worlds(
        new_deal(),
        ints(SEATS * MOST_CARDS),
        ints(SEATS * MOST_CARDS),
        ints(MOST_CARDS + 1),
        ints(MOST_PAST),
        floats(MOST_PAST),
        floats(MOST_PAST),
        ints(MOST_PAST),
        floats(MOST_PAST),
        floats(MOST_PAST),
        new_deal(),
        new_mind(),
        ints(1),
    )


@compiled
def begin_worlds(knobs: Knobs, taste: Taste, root: Deal, past: Past, worlds: Worlds) -> None:
    """Deal the cards that the seat on turn cannot see out to the others and the stock.

    A seat of which everything is known keeps its hand; the others have none in ``root``.
    """
    seat = root.facts[TURN]
    deal, hidden, chance = worlds.deal, worlds.hidden, worlds.chance
    copy_deal(root, deal)
    count = _list_hidden(root, seat, hidden)
    start = random_below(SEATS, chance)
    for step in range(SEATS):
        other = (start + step) % SEATS
        passed = other * MOST_CARDS
        for at in range(other * MOST_CARDS, other * MOST_CARDS + past.many[other]):
            worlds.code[at] = past.code[at]
            worlds.left[at] = past.left[at]
            if past.left[at] == NEVER:
                picked = _pick(root.slots[passed], hidden, count, chance)
                passed += 1
                worlds.code[at] = hidden[picked]
                deal.hand[other] = with_card(deal.hand[other], hidden[picked])
                count -= 1
                hidden[picked] = hidden[count]
    for at in range(root.facts[STOCK]):
        picked = random_below(count, chance)
        deal.stock[at] = hidden[picked]
        count -= 1
        hidden[picked] = hidden[count]
    for turn in range(past.number[0]):
        worlds.hand_then[turn] = _hand_at(past, worlds, turn)
        explain(knobs, taste, past, turn, worlds)
        _settle(worlds, turn)
    _list_places(past, hidden)


@inlined
def _list_hidden(root: Deal, seat: int, hidden: Ints) -> int:
    """List the codes of the cards that the seat cannot see; return how many there are."""
    unseen = unseen_by(root, seat)
    count = 0
    for code in range(CODES):
        known = 0
        for other in range(SEATS):
            if other != seat:
                known += copies(root.hand[other], code)
        for _ in range(copies(unseen, code) - known):
            hidden[count] = code
            count += 1
    return count


@inlined
def _list_places(past: Past, places: Ints) -> None:
    """List where the others' unknown cards are in ``code``; their number comes last of all."""
    count = 0
    for other in range(SEATS):
        for at in range(other * MOST_CARDS, other * MOST_CARDS + past.many[other]):
            places[count] = at
            count += 1
    places[MOST_CARDS] = count


@inlined
def _pick(passed: int, hidden: Ints, count: int, chance: Ints) -> int:
    """Return which of the hidden cards a seat holds that has not played it as ``passed``."""
    picked = random_below(count, chance)
    for _ in range(_PATIENCE):
        if passed >> hidden[picked] & 1 == 0 or random_below(1 << 16, chance) < KEPT:
            return picked
        picked = random_below(count, chance)
    return picked


@inlined
def _hand_at(past: Past, worlds: Worlds, turn: int) -> int:
    """Return the sampled hand of a past turn's seat at its beginning."""
    first = past.seat[turn] * MOST_CARDS
    when = past.when[turn]
    hand = 0
    for at in range(first, first + past.many[past.seat[turn]]):
        if past.arrived[at] <= when <= worlds.left[at]:
            hand = with_card(hand, worlds.code[at])
    return hand


@inlined
def _settle(worlds: Worlds, turn: int) -> None:
    """Keep what a past turn is with the cards exchanged."""
    worlds.hand[turn] = worlds.hand_then[turn]
    worlds.gap[turn] = worlds.gap_then[turn]
    worlds.over[turn] = worlds.over_then[turn]


@compiled
def explain(knobs: Knobs, taste: Taste, past: Past, turn: int, worlds: Worlds) -> None:
    """Work out how well ``hand_then`` explains a past turn of its holder."""
    seat = past.seat[turn]
    hand = worlds.hand_then[turn]
    worlds.over_then[turn] = _left_over(knobs, past.after[turn], hand, past.taken[turn])
    then, tree = worlds.then, worlds.mind.tree
    then.hand[seat] = hand
    then.facts[TABLE] = past.before[turn]
    then.facts[SHOWN] = past.shown[turn]
    then.facts[TURN] = seat
    then.facts[PLAYING] = past.playing[turn]
    then.facts[STOCK] = past.stock[turn]
    for other in range(SEATS):
        then.held[other] = past.held[turn * SEATS + other]
        first = other * MOST_CARDS
        for at in range(first, first + then.held[other]):
            then.slots[at] = past.slots[turn * SEATS * MOST_CARDS + at]
    best = choose_end(knobs, taste, then, worlds.mind, MOST_POSITIONS)
    worlds.gap_then[turn] = UNLIKE
    for node in range(tree.state[COUNT]):
        if tree.ends[node] and tree.table[node] & CLOSED == past.after[turn]:
            if node == best:
                worlds.gap_then[turn] = 0.0
            elif tree.hand[best] != 0:
                players = bits(past.playing[turn])
                gap = value_of(knobs, taste, then, worlds.mind, best, players) - value_of(
                    knobs, taste, then, worlds.mind, node, players
                )
                worlds.gap_then[turn] = min(UNLIKE, gap / TEMPER)


@inlined
def _left_over(knobs: Knobs, table: int, hand: int, taken: int) -> int:
    """Count the cards that could still have been played at the end of a turn."""
    offered = 0
    if empty_corner(knobs, table) >= 0:
        offered |= BOTH_KINGS
    for at in range(8):
        code = code_taken(table, at)
        if code >= 0:
            offered |= 1 << code
        elif at < 4:
            offered |= FIRSTS
    count = 0
    offered &= ALL_CODES
    for code in range(CODES):
        if offered >> code & 1:
            count += copies(hand, code) - copies(taken, code)
    return count


@inlined
def _credit(past: Past, gap: Floats, over: Floats, seat: int) -> float:
    """Return how well all turns of a seat are explained, in powers of e."""
    sensible = 0.0
    careless = -CARELESS
    for turn in range(past.number[0]):
        if past.seat[turn] == seat:
            sensible -= gap[turn]
            careless -= LEFT * over[turn]
    higher = max(sensible, careless)
    return higher + log(1.0 + exp(min(sensible, careless) - higher))


@compiled
def shuffle_on(
    knobs: Knobs, taste: Taste, root: Deal, past: Past, worlds: Worlds, steps: int
) -> None:
    """Go on to another deal, by as many exchanges as ``steps`` says."""
    deal, code, chance = worlds.deal, worlds.code, worlds.chance
    unknown = worlds.hidden[MOST_CARDS]
    stock = root.facts[STOCK]
    for _ in range(steps if unknown > 0 else 0):
        at = worlds.hidden[random_below(unknown, chance)]
        partner = random_below(unknown + stock, chance)
        if partner < unknown:
            _exchange(knobs, taste, past, worlds, at, worlds.hidden[partner])
        elif worlds.left[at] == NEVER:
            place = partner - unknown
            found = code[at]
            if found != deal.stock[place]:
                code[at] = deal.stock[place]
                if _is_kept(knobs, taste, past, worlds, at, at):
                    deal.stock[place] = found
                    _hold(deal, at // MOST_CARDS, found, code[at])
                else:
                    code[at] = found
    for left in range(stock, 1, -1):
        place = random_below(left, chance)
        deal.stock[left - 1], deal.stock[place] = deal.stock[place], deal.stock[left - 1]


@inlined
def _exchange(knobs: Knobs, taste: Taste, past: Past, worlds: Worlds, at: int, other: int) -> None:
    """Exchange two cards that were in hands, if that explains the turns as well.

    Within a seat they came at each other's times; what was played in a turn stays what it was.
    """
    code, left = worlds.code, worlds.left
    mine, theirs = code[at], code[other]
    first, second = at // MOST_CARDS, other // MOST_CARDS
    if first == second:
        possible = past.arrived[at] <= left[other] and past.arrived[other] <= left[at]
    else:
        possible = left[at] == NEVER and left[other] == NEVER
    if (mine == theirs and left[at] == left[other]) or not possible:
        return
    code[at], code[other] = theirs, mine
    left[at], left[other] = left[other], left[at]
    if not _is_kept(knobs, taste, past, worlds, at, other):
        code[at], code[other] = mine, theirs
        left[at], left[other] = left[other], left[at]
    elif first != second:
        _hold(worlds.deal, first, mine, theirs)
        _hold(worlds.deal, second, theirs, mine)


@inlined
def _hold(deal: Deal, seat: int, less: int, more: int) -> None:
    """Let a seat hold a card of code ``more`` instead of one of ``less``."""
    deal.hand[seat] = with_card(without_card(deal.hand[seat], less), more)


@compiled
def _is_kept(knobs: Knobs, taste: Taste, past: Past, worlds: Worlds, at: int, other: int) -> bool:
    """Say by Metropolis' rule whether the changed deal takes the place of the one before it."""
    first, second = at // MOST_CARDS, other // MOST_CARDS
    least = _credit(past, worlds.gap, worlds.over, first)
    if second != first:
        least += _credit(past, worlds.gap, worlds.over, second)
    least += log((random_below(1 << 16, worlds.chance) + 1) / 65536)
    for turn in range(past.number[0]):
        worlds.hand_then[turn] = worlds.hand[turn]
        worlds.gap_then[turn] = worlds.gap[turn]
        worlds.over_then[turn] = worlds.over[turn]
        if past.seat[turn] in (first, second):
            worlds.hand_then[turn] = _hand_at(past, worlds, turn)
            if worlds.hand_then[turn] != worlds.hand[turn]:
                # As if it were explained well: then it is known early that the rest is in vain.
                worlds.gap_then[turn] = 0.0
                worlds.over_then[turn] = 0.0
    for turn in range(past.number[0] - 1, -1, -1):
        if worlds.hand_then[turn] != worlds.hand[turn]:
            explain(knobs, taste, past, turn, worlds)
            credit = _credit(past, worlds.gap_then, worlds.over_then, first)
            if second != first:
                credit += _credit(past, worlds.gap_then, worlds.over_then, second)
            if credit < least:
                return False
    for turn in range(past.number[0]):
        _settle(worlds, turn)
    return True
