"""What a bot does that got no answer in time: expert's choice, from the first ends of its turn.

It is found where nobody may be kept waiting. With so many positions looked at, that takes 0.2 ms as
a rule and 5 ms with a hoarded hand, and in 19 turns of 20 it begins as expert's turn does.
"""

from typing import Final

from attrs import evolve

from kings_engine.actions import SeatAction
from kings_engine.view import legal_actions
from kings_server.bots import expert
from kings_server.bots.beliefs import after, by_play
from kings_server.bots.outlook import best
from kings_server.bots.planner import Planner
from kings_server.bots.question import Question, answer

MOST_POSITIONS: Final = 50
"""Positions that are looked at; expert itself looks at thirty times as many."""


def instead(question: Question) -> tuple[SeatAction, ...]:
    """Return what to do next, and what after that, whatever level was asked.

    Raises:
        ValueError: the view is a spectator's.
    """
    own, public = question.view.own, question.view.public
    if own is None:
        raise ValueError("a spectator has nothing to choose")
    actions = legal_actions(own)
    if len(actions) == 1:
        return actions
    history, rules = question.history, question.rules
    plans = Planner(own, public, history, rules).plans(MOST_POSITIONS)
    if not plans:
        # The turn must not end before something is played, and no end was found so soon.
        return answer(evolve(question, level="medium"))
    others = after(own, public)
    chances = [by_play(own, public, history, rules, seat) for seat in others]
    return best(plans, own, public, rules, chances, expert.WEIGHTS[1 + len(others)]).turn
