"""The kernel's search: ends of one's turn, tried on sampled deals that are played out.

All ends are tried on the same deals, so that what differs is not the cards.
"""

from typing import Final, NamedTuple

from kings_server.bots.kernel import Floats, Ints, compiled, floats, inlined, ints
from kings_server.bots.kernel_deal import (
    ENDED,
    PLAYING,
    TURN,
    Deal,
    copy_deal,
    end_turn,
    lay,
)
from kings_server.bots.kernel_match import Stakes, share_of_deal
from kings_server.bots.kernel_play import Mind, Taste, choose_end, play_out, take_end, value_of
from kings_server.bots.kernel_table import (
    bits,
)
from kings_server.bots.kernel_turn import COUNT, Knobs
from kings_server.bots.kernel_worlds import Past, Worlds, shuffle_on
from kings_server.bots.outlook import GOES_OUT

MOST_ENDS: Final = 64
"""Room for the ends that are tried."""

MOST_LATER: Final = 6
"""Ends of a later turn of one's own that are tried, where nothing is hidden any more."""

STEPS: Final = 10
"""Exchanges of hidden cards from one sampled deal to the next."""


class Trial(NamedTuple):
    """The ends that are tried, and how they did.

    Attributes:
        table, hand: what each end leaves.
        acted, played: whether the turn did anything, and played a card, before it.
        live: whether it is still tried.
        sums: for each end, the shares of the match that it won, summed.
        products: for each two, the products of their shares, summed.
        share: what each won in the newest deal.
    """

    table: Ints
    hand: Ints
    acted: Ints
    played: Ints
    live: Ints
    sums: Floats
    products: Floats
    share: Floats


def new_trial() -> Trial:
    """Return memory for ends that are tried."""
    return Trial(
        ints(MOST_ENDS),
        ints(MOST_ENDS),
        ints(MOST_ENDS),
        ints(MOST_ENDS),
        ints(MOST_ENDS),
        floats(MOST_ENDS),
        floats(MOST_ENDS * MOST_ENDS),
        floats(MOST_ENDS),
    )


@compiled
def try_ends(
    knobs: Knobs,
    taste: Taste,
    stakes: Stakes,
    root: Deal,
    past: Past,
    worlds: Worlds,
    trial: Trial,
    deals: int,
    most: int,
) -> None:
    """Try the live ends on so many more sampled deals, and add up."""
    seat = root.facts[TURN]
    deal, mind, chance = worlds.then, worlds.mind, worlds.chance
    for _ in range(deals):
        shuffle_on(knobs, taste, root, past, worlds, STEPS)
        luck = chance[0]
        for end in range(MOST_ENDS):
            if trial.live[end]:
                copy_deal(worlds.deal, deal)
                _go_to(knobs, deal, seat, trial, end)
                play_out(knobs, taste, deal, mind, most)
                chance[0] = luck
                trial.share[end] = share_of_deal(stakes, deal, seat, chance)
                _add_up(trial, end)


@compiled
def plan_on(
    knobs: Knobs,
    taste: Taste,
    stakes: Stakes,
    root: Deal,
    worlds: Worlds,
    trial: Trial,
    later: Trial,
    inner: Deal,
    end: int,
    most: int,
) -> float:
    """Return what an end wins on the sampled deal if the seat plans all its further turns.

    That is of use where nothing is hidden any more: at each of its turns the seat tries the ends
    that expert likes best, each played out by expert's choices, and takes the best one.
    """
    seat = root.facts[TURN]
    deal, mind, chance = worlds.then, worlds.mind, worlds.chance
    copy_deal(worlds.deal, deal)
    _go_to(knobs, deal, seat, trial, end)
    while deal.facts[ENDED] == 0:
        chosen = choose_end(knobs, taste, deal, mind, most)
        if deal.facts[TURN] != seat or mind.tree.hand[chosen] == 0:
            take_end(knobs, deal, mind.tree, chosen)
            continue
        count = best_ends(knobs, taste, deal, mind, later, MOST_LATER)
        best = -1.0
        chosen = 0
        for at in range(count):
            copy_deal(deal, inner)
            _go_to(knobs, inner, seat, later, at)
            play_out(knobs, taste, inner, mind, most)
            share = share_of_deal(stakes, inner, seat, chance)
            if share > best:
                best = share
                chosen = at
        _go_to(knobs, deal, seat, later, chosen)
    return share_of_deal(stakes, deal, seat, chance)


@inlined
def _go_to(knobs: Knobs, deal: Deal, seat: int, trial: Trial, end: int) -> None:
    lay(deal, seat, trial.table[end], trial.hand[end])
    end_turn(knobs, deal, trial.acted[end] > 0, trial.played[end] > 0)


@compiled
def best_ends(knobs: Knobs, taste: Taste, deal: Deal, mind: Mind, ends: Trial, most: int) -> int:
    """List the ends of the turn just searched that expert likes best, the best one first.

    Args:
        knobs: the rules.
        taste: what expert weighs by.
        deal: the deal at the beginning of the turn.
        mind: the search, and the chains.
        ends: where they are left: in ``live`` the position found, in ``sums`` what it is worth.
        most: how many are listed.

    Returns:
        How many there are.
    """
    tree = mind.tree
    players = bits(deal.facts[PLAYING])
    count = 0
    for node in range(tree.state[COUNT]):
        if tree.ends[node]:
            value = GOES_OUT
            if tree.hand[node] != 0:
                value = value_of(knobs, taste, deal, mind, node, players)
            at = count
            if count < most:
                count += 1
            else:
                at = most - 1
                if ends.sums[at] >= value:
                    continue
            while at > 0 and ends.sums[at - 1] < value:
                ends.sums[at] = ends.sums[at - 1]
                ends.live[at] = ends.live[at - 1]
                at -= 1
            ends.sums[at] = value
            ends.live[at] = node
    for at in range(count):
        node = ends.live[at]
        ends.table[at] = tree.table[node]
        ends.hand[at] = tree.hand[node]
        ends.acted[at] = 1 if node > 0 else 0
        ends.played[at] = 1 if tree.hand[node] != tree.hand[0] else 0
    return count


@inlined
def _add_up(trial: Trial, end: int) -> None:
    share = trial.share[end]
    trial.sums[end] += share
    for other in range(end + 1):
        if trial.live[other]:
            trial.products[end * MOST_ENDS + other] += share * trial.share[other]
