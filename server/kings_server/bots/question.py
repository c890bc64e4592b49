"""What a bot is asked: all that it is told, and all that crosses to the process it thinks in."""

import random

from attrs import frozen

from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.match import Match
from kings_engine.rules import Rules
from kings_engine.view import View, deal_history, observe
from kings_server.bots.policy import plan


@frozen
class Question:
    """What to do next, from one seat's point of view.

    Attributes:
        level: how to play.
        view: the position as the seat sees it.
        history: the deal's events as the seat saw them.
        rules: the table's rules.
        seed: where the bot's own chance comes from; no deal was made from it.
        seconds: how long a level may think that takes the time it is given; none for the others.
    """

    level: str
    view: View
    history: tuple[Event, ...]
    rules: Rules
    seed: int
    seconds: float = 0.0


def ask(level: str, match: Match, seat: int, seed: int, seconds: float = 0.0) -> Question:
    """Return the question what a bot of ``level`` would do at ``seat`` now."""
    view, past = observe(match, seat), deal_history(match, seat)
    return Question(level, view, past, match.rules, seed, seconds)


def answer(question: Question) -> tuple[SeatAction, ...]:
    """Return what to do next, and what after that; see ``policy.plan``."""
    rng = random.Random(question.seed)  # noqa: S311  bots' choices guard no secret
    told = question.view, question.history, question.rules
    return plan(question.level, *told, rng, question.seconds)
