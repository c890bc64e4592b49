"""The kernel's search: ends of one's turn, tried on sampled deals that are played out.

All ends are tried on the same deals, so that what differs is not the cards.
"""

from typing import Final, NamedTuple

from kings_server.bots.kernel import Floats, Ints, compiled, floats, ints
from kings_server.bots.kernel_match import POOL, Stakes, points_of, random_below, share_of_deal
from kings_server.bots.kernel_play import (
    FACTS,
    FIRST_OUT,
    MOST_CARDS,
    PLAYING,
    SEATS,
    SHOWN,
    STOCK,
    TABLE,
    TURN,
    Deal,
    Mind,
    Taste,
    copy_deal,
    draw_card,
    draw_cards,
    end_turn,
    lay,
    new_deal,
    new_mind,
    play_out,
    unseen_by,
)
from kings_server.bots.kernel_table import (
    ALL_CODES,
    CODES,
    OPEN_BITS,
    copies,
    sorted_table,
    with_card,
)
from kings_server.bots.kernel_turn import DRAW_START, Knobs

MOST_ENDS: Final = 16
"""Room for the ends that are tried."""

KEPT: Final = 1 << 14
"""How likely, in parts of 2 ** 16, a card that could have been played is thought to be held,
beside one that could not."""

_PATIENCE: Final = 12
"""How often a card that was probably not kept is laid aside for another."""


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


class Room(NamedTuple):
    """Memory for a search: a sampled deal, the same as it is played out, hidden cards, chance."""

    world: Deal
    deal: Deal
    mind: Mind
    hidden: Ints
    chance: Ints


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


def new_room() -> Room:
    """Return memory for a search."""
    return Room(new_deal(), new_deal(), new_mind(), ints(MOST_CARDS + 1), ints(1))


@compiled
def sample(root: Deal, seat: int, world: Deal, hidden: Ints, chance: Ints) -> None:
    """Deal the cards that ``seat`` cannot see out to the others and the stock, into ``world``.

    A seat of which everything is known keeps its hand; the others have none in ``root``.
    """
    copy_deal(root, world)
    unseen = unseen_by(root, seat)
    for other in range(SEATS):
        if other != seat:
            unseen = _without_all(unseen, root.hand[other])
    count = 0
    for code in range(CODES):
        for _ in range(copies(unseen, code)):
            hidden[count] = code
            count += 1
    start = random_below(SEATS, chance)
    for step in range(SEATS):
        other = (start + step) % SEATS
        if other != seat and root.hand[other] == 0:
            for at in range(other * MOST_CARDS, other * MOST_CARDS + root.held[other]):
                picked = _pick(root.slots[at], hidden, count, chance)
                world.hand[other] = with_card(world.hand[other], hidden[picked])
                count -= 1
                hidden[picked] = hidden[count]
    for at in range(root.facts[STOCK]):
        picked = random_below(count, chance)
        world.stock[at] = hidden[picked]
        count -= 1
        hidden[picked] = hidden[count]


@compiled
def _without_all(hand: int, gone: int) -> int:
    """Return ``hand`` without the cards of ``gone``, all of which it holds."""
    left = 0
    for code in range(CODES):
        for _ in range(copies(hand, code) - copies(gone, code)):
            left = with_card(left, code)
    return left


@compiled
def _pick(passed: int, hidden: Ints, count: int, chance: Ints) -> int:
    """Return which of the hidden cards a seat holds that has not played it as ``passed``."""
    picked = random_below(count, chance)
    for _ in range(_PATIENCE):
        if passed >> hidden[picked] & 1 == 0 or random_below(1 << 16, chance) < KEPT:
            return picked
        picked = random_below(count, chance)
    return picked


@compiled
def try_ends(
    knobs: Knobs,
    taste: Taste,
    stakes: Stakes,
    root: Deal,
    room: Room,
    trial: Trial,
    ends: int,
    deals: int,
    most: int,
) -> None:
    """Try the live ones of the first ``ends`` ends on so many sampled deals, and add up."""
    seat = root.facts[TURN]
    deal = room.deal
    for _ in range(deals):
        sample(root, seat, room.world, room.hidden, room.chance)
        luck = room.chance[0]
        for end in range(ends):
            if trial.live[end]:
                copy_deal(room.world, deal)
                lay(deal, seat, trial.table[end], trial.hand[end])
                end_turn(knobs, deal, trial.acted[end] > 0, trial.played[end] > 0)
                play_out(knobs, taste, deal, room.mind, most)
                room.chance[0] = luck
                share = share_of_deal(stakes, deal, seat, room.chance)
                trial.share[end] = share
                trial.sums[end] += share
                for other in range(end + 1):
                    if trial.live[other]:
                        trial.products[end * MOST_ENDS + other] += share * trial.share[other]


@compiled
def fill_pool(
    knobs: Knobs, taste: Taste, stakes: Stakes, hand_size: int, room: Room, most: int
) -> None:
    """Play deals between equals, for each number of players, to draw the rest of a match from."""
    deal = room.deal
    for players in range(2, SEATS + 1):
        for number in range(POOL):
            deal_out(knobs, hand_size, players, deal, room)
            play_out(knobs, taste, deal, room.mind, most)
            for seat in range(players):
                at = (players * POOL + number) * SEATS + seat
                stakes.pool[at] = points_of(stakes, deal.hand[seat])


@compiled
def deal_out(knobs: Knobs, hand_size: int, players: int, deal: Deal, room: Room) -> None:
    """Shuffle and deal; kings that are turned up stay on their sides."""
    for at in range(FACTS):
        deal.facts[at] = 0
    count = 0
    for code in range(CODES):
        if ALL_CODES >> code & 1:
            room.hidden[count] = room.hidden[count + 1] = code
            count += 2
    deal.facts[STOCK] = count
    for at in range(count):
        picked = random_below(count - at, room.chance)
        deal.stock[at] = room.hidden[picked]
        room.hidden[picked] = room.hidden[count - at - 1]
    table = 0
    for at in range(4):
        deal.facts[STOCK] -= 1
        code = deal.stock[deal.facts[STOCK]]
        table |= (code << 5 | code) << at * OPEN_BITS
        deal.facts[SHOWN] = with_card(deal.facts[SHOWN], code)
    deal.facts[TABLE] = sorted_table(table)
    deal.facts[FIRST_OUT] = -1
    for seat in range(SEATS):
        deal.hand[seat] = 0
        deal.held[seat] = 0
    for seat in range(players):
        deal.facts[PLAYING] |= 1 << seat
        for _ in range(hand_size):
            draw_card(deal, seat)
    if knobs.draw == DRAW_START:
        draw_cards(knobs, deal, 0)
