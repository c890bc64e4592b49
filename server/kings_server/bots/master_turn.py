"""Master's thinking: the best ends of its turn, tried on sampled deals.

Of the ways to end the turn, those that expert likes best are tried. The cards that the seat does
not see are dealt out at random, as likely as the others' plays make them, the deal is played to its
end by expert's choices of all seats, and what that end means for the match is counted: a win in a
single deal, else what the points do to the chance to win the match. Ends that fall behind are
dropped, so that the time goes to those that are close.
"""

import random
from time import monotonic
from typing import Final

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_server.bots.beliefs import in_play
from kings_server.bots.kernel_deal import TABLE, TURN, Deal
from kings_server.bots.kernel_past import Replay, others_turns
from kings_server.bots.kernel_path import actions_to
from kings_server.bots.kernel_play import Mind, Taste, new_mind, think_of
from kings_server.bots.kernel_reading import knobs_of
from kings_server.bots.kernel_root import root_of, stakes_of, taste_for
from kings_server.bots.kernel_search import best_ends, new_trial
from kings_server.bots.kernel_table import CLOSED
from kings_server.bots.kernel_turn import MOST_NODES, search_turn
from kings_server.bots.master_race import Clock, End, Race
from kings_server.bots.planner import done_in_turn

ENDS: Final = 24
"""Ends of the turn that are tried: those that expert likes best."""

IN_HAND: Final = 0.05
"""The share of the time that is left over, so that the time is never exceeded."""

LEAST_IN_HAND: Final = 0.003
"""Seconds that are left over at least: to put the end that was found into actions takes a few
milliseconds with thirty cards in hand."""


def plan_turn(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,
    seconds: float,
    clock: Clock = monotonic,
) -> tuple[SeatAction, ...]:
    """Return how master plays the rest of its turn, under rules that the kernel understands.

    Args:
        own: what the seat on turn holds.
        public: the table.
        history: the deal's events, as the seat saw them.
        rules: the table's rules.
        rng: where chance comes from.
        seconds: how long it may think.
        clock: what the time is taken from.
    """
    began = clock()
    replay = Replay(rules, [[] for _ in public.seats])
    replay.follow(history)
    root = root_of(own, public, replay, rules)
    taste = taste_for(rules, public)
    mind = new_mind()
    ends = _liked(root, mind, taste, public, history, rules)
    best = ends[0]
    spare = max(seconds * IN_HAND, LEAST_IN_HAND)
    until = began + seconds - spare
    if len(ends) > 1 and best.hand and clock() < until:
        stakes = stakes_of(rules, public)
        past = others_turns(replay, own, public)
        race = Race(rules, taste, stakes, root, past, ends, rng)
        race.run(until - clock(), spare / 2, clock)
        best = ends[race.best()]
    return actions_to(mind.tree, best.node, own, public, rules)


def _liked(
    root: Deal, mind: Mind, taste: Taste, public: Public, history: tuple[Event, ...], rules: Rules
) -> list[End]:
    """Return the ends of the turn that expert likes best, the best one first."""
    seat, tree = root.facts[TURN], mind.tree
    players = len(in_play(public))
    acted, played = done_in_turn(history)
    search_turn(
        knobs_of(rules, opening=public.turn_number == 0),
        tree,
        root.facts[TABLE],
        root.hand[seat],
        taste.worth,
        players,
        MOST_NODES,
        True,
    )
    knobs = knobs_of(rules)
    think_of(knobs, taste, root, seat, mind)
    best = new_trial()
    found = []
    for at in range(best_ends(knobs, taste, root, mind, best, ENDS)):
        node, hand = int(best.live[at]), int(best.hand[at])
        found.append(
            End(
                node=node,
                value=float(best.sums[at]),
                table=int(best.table[at]) & CLOSED,
                hand=hand,
                acted=acted or node > 0,
                played=played or hand != int(tree.hand[0]),
            )
        )
    return found
