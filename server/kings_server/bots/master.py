"""Master: expert that looks ahead, on sampled hands of the others, as far as the deal's end.

How it thinks is ``master_turn``'s. It needs the kernel, which is compiled (``kernel_ready``). Where
it is not, and under rules that the kernel does not understand (corners built in suit, an open
stock), master plays expert's choice, so that it is never worse than the level below it.
"""

import random
from collections.abc import Callable
from time import monotonic

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_server.bots import expert, kernel_ready


def plan_turn(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,
    rng: random.Random,
    seconds: float,
    clock: Callable[[], float] = monotonic,
) -> tuple[SeatAction, ...]:
    """Return how master plays the rest of its turn.

    Args:
        own: what the seat on turn holds.
        public: the table.
        history: the deal's events, as the seat saw them.
        rules: the table's rules.
        rng: where chance comes from.
        seconds: how long it may think, from now on; with none it plays expert's choice.
        clock: what the time is taken from.
    """
    if seconds > 0 and kernel_ready.why_not() is None:
        # Not before it is needed: the compiler takes half a second and some 100 MB.
        from kings_server.bots import kernel_reading, master_turn

        if kernel_reading.understands(rules):
            return master_turn.plan_turn(own, public, history, rules, rng, seconds, clock)
    return expert.plan(own, public, history, rules, rng)
