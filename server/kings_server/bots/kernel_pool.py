"""Finished deals between equals, from which the rest of a match is drawn."""

from kings_server.bots.kernel import compiled
from kings_server.bots.kernel_deal import (
    FACTS,
    FIRST_OUT,
    PLAYING,
    SEATS,
    SHOWN,
    STOCK,
    TABLE,
    Deal,
    draw_card,
    draw_cards,
)
from kings_server.bots.kernel_match import POOL, Stakes, points_of, random_below
from kings_server.bots.kernel_play import Taste, play_out
from kings_server.bots.kernel_table import ALL_CODES, CODES, OPEN_BITS, sorted_table, with_card
from kings_server.bots.kernel_turn import DRAW_START, Knobs
from kings_server.bots.kernel_worlds import Worlds


@compiled
def fill_pool(
    knobs: Knobs, taste: Taste, stakes: Stakes, hand_size: int, worlds: Worlds, most: int
) -> None:
    """Play deals between equals, for each number of players, to draw the rest of a match from."""
    deal = worlds.then
    for players in range(2, SEATS + 1):
        for number in range(POOL):
            deal_out(knobs, hand_size, players, deal, worlds)
            play_out(knobs, taste, deal, worlds.mind, most)
            for seat in range(players):
                at = (players * POOL + number) * SEATS + seat
                stakes.pool[at] = points_of(stakes.penalty, deal.hand[seat])


@compiled
def deal_out(knobs: Knobs, hand_size: int, players: int, deal: Deal, worlds: Worlds) -> None:
    """Shuffle and deal; kings that are turned up stay on their sides."""
    for at in range(FACTS):
        deal.facts[at] = 0
    count = 0
    for code in range(CODES):
        if ALL_CODES >> code & 1:
            worlds.hidden[count] = worlds.hidden[count + 1] = code
            count += 2
    deal.facts[STOCK] = count
    for at in range(count):
        picked = random_below(count - at, worlds.chance)
        deal.stock[at] = worlds.hidden[picked]
        worlds.hidden[picked] = worlds.hidden[count - at - 1]
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
