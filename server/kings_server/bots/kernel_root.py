"""What a seat knows of its deal and match, as the kernel's search begins from it."""

from functools import lru_cache
from typing import Final

from kings_engine.rules import MatchForm, Rules, Tie
from kings_engine.view import Own, Public, Standing
from kings_server.bots.beliefs import in_play
from kings_server.bots.expert import WEIGHTS
from kings_server.bots.kernel import Ints, ints
from kings_server.bots.kernel_deal import (
    FIRST_OUT,
    IDLE,
    MOST_CARDS,
    PLAYING,
    SEATS,
    SHOWN,
    STOCK,
    TABLE,
    TURN,
    Deal,
    new_deal,
)
from kings_server.bots.kernel_match import (
    ELIMINATION,
    NO_END,
    ONE_DEAL,
    TO_POINTS,
    Stakes,
    new_pool,
)
from kings_server.bots.kernel_past import Replay
from kings_server.bots.kernel_play import Taste
from kings_server.bots.kernel_pool import fill_pool
from kings_server.bots.kernel_reading import (
    codes_of,
    ends_of,
    knobs_of,
    penalties_of,
    table_of,
    taste_of,
)
from kings_server.bots.kernel_worlds import new_worlds

MOST_POSITIONS: Final = 100
"""Positions of one turn that expert looks at where a deal is played out: a tenth of its own."""

_POOL_CHANCE: Final = 2463534242
"""Where the chance of the pool's deals begins: the pool is the same everywhere."""

_FORMS: Final = {
    MatchForm.ONE_DEAL: ONE_DEAL,
    MatchForm.ELIMINATION: ELIMINATION,
    MatchForm.POINTS: TO_POINTS,
    MatchForm.DEALS: TO_POINTS,
    MatchForm.POINTS_OR_DEALS: TO_POINTS,
}


def root_of(own: Own, public: Public, replay: Replay, rules: Rules) -> Deal:
    """Return the deal as the seat on turn knows it.

    Of the others' hands it holds only those that are known whole, and of the stock only its size.
    """
    root = new_deal()
    players = in_play(public)
    for number, seat in enumerate(public.seats):
        root.held[number] = seat.cards
        root.hand[number] = codes_of(own.hand if number == own.seat else seat.known)
        known = replay.held[number][-seat.cards :]
        first = number * MOST_CARDS + seat.cards - len(known)
        for at, card in enumerate(known, first):
            root.slots[at] = card.passed
    facts = root.facts
    facts[TABLE] = table_of(rules, ends_of(public.piles), len(public.vacated))
    facts[SHOWN] = codes_of(card for pile in public.piles for card in pile)
    facts[TURN] = own.seat
    facts[PLAYING] = sum(1 << seat for seat in players)
    facts[IDLE] = _idle(players, own.seat, public.idle)
    facts[STOCK] = public.stock
    facts[FIRST_OUT] = _first_out(public)
    return root


def _idle(players: tuple[int, ...], seat: int, count: int) -> int:
    """Return the seats whose last turns were idle: the last ``count`` before ``seat``."""
    at = players.index(seat)
    return sum(1 << players[at - back] for back in range(1, min(count, len(players)) + 1))


def _first_out(public: Public) -> int:
    """Return a seat that is out of the deal already, or -1: for others, all of them are alike."""
    out = (number for number, seat in enumerate(public.seats) if seat.standing == Standing.OUT)
    return next(out, -1)


def taste_for(rules: Rules, public: Public) -> Taste:
    """Return expert's taste, for each number of players, and what each seat has to fear."""
    if rules.match != MatchForm.ELIMINATION:
        return _taste(rules)
    margin = ints(SEATS)
    for number, seat in enumerate(public.seats):
        margin[number] = rules.points - seat.points
    return _taste(rules)._replace(margin=margin)


@lru_cache(maxsize=16)
def _taste(rules: Rules) -> Taste:
    return taste_of(rules, WEIGHTS)


def stakes_of(rules: Rules, public: Public) -> Stakes:
    """Return what the running deal is played for."""
    total = ints(SEATS)
    for number, seat in enumerate(public.seats):
        total[number] = seat.points
    form = _FORMS[rules.match]
    still = (Standing.IN, Standing.OUT)
    seats = sum(1 << n for n, seat in enumerate(public.seats) if seat.standing in still)
    to_points = rules.match not in (MatchForm.DEALS, MatchForm.ONE_DEAL)
    by_deals = rules.match in (MatchForm.DEALS, MatchForm.POINTS_OR_DEALS)
    return Stakes(
        form=form,
        points=rules.points if to_points else NO_END,
        deals=rules.deals - len(public.sheet) if by_deals and rules.deals is not None else NO_END,
        shared=int(rules.tie == Tie.SHARED),
        seats=seats,
        penalty=penalties_of(rules),
        total=total,
        pool=new_pool() if form == ONE_DEAL else _pool(rules),
        now=ints(SEATS),
        then=ints(SEATS),
    )


@lru_cache(maxsize=16)
def _pool(rules: Rules) -> Ints:
    """Return the points of deals between experts under ``rules``."""
    penalty, total, now, then = penalties_of(rules), ints(SEATS), ints(0), ints(0)
    stakes = Stakes(ONE_DEAL, NO_END, NO_END, 0, 0, penalty, total, new_pool(), now, then)
    worlds = new_worlds()
    worlds.chance[0] = _POOL_CHANCE
    fill_pool(knobs_of(rules), _taste(rules), stakes, rules.hand_size, worlds, MOST_POSITIONS)
    return stakes.pool
