"""Easy: overlooks about one playable card in four, and takes what comes to mind (002)."""

import random
from typing import Final

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import Card
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, legal_actions
from kings_server.bots.oversight import overlooked

OVERSIGHT: Final = 2
"""Easy overlooks one card in 2 ** 2."""


def plan(
    own: Own,
    public: Public,
    history: tuple[Event, ...],
    rules: Rules,  # noqa: ARG001  what is legal says all that it needs
    rng: random.Random,
) -> tuple[SeatAction]:
    """Return easy's next action."""
    missed = overlooked(own, public, history, OVERSIGHT)
    noticed = [
        action
        for action in legal_actions(own)
        if not isinstance(action, EndTurn) and not missed >> _card(action, public) & 1
    ]
    if noticed:
        return (rng.choice(noticed),)
    if own.may_end:
        return (EndTurn(),)
    return (rng.choice(legal_actions(own)),)


def _card(action: Play | Move | PlayStock, public: Public) -> Card:
    """Return the card that has to be noticed: of a pile, its bottom card."""
    match action:
        case Play(card, _):
            return card
        case Move(source, _):
            return public.piles[source][0]
        case PlayStock():
            if public.stock_top is None:
                raise ValueError("the stock is not open")
            return public.stock_top
