"""Duplicate games: each deal is played once with every rotation of the levels round the seats.

Cards, cuts and the bots' own chance follow from the arena's seed, each by a label of its own, so
that a game comes out the same wherever and whenever it is played.
"""

import random
from hashlib import sha256
from typing import Final

from attrs import frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import DealEnded, DealEnding, Event
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.sources import Secret
from kings_engine.view import history, observe
from kings_server.bots.policy import choose

WHOLE: Final = 12
"""A won match in shares: the least number that two, three and four winners can divide."""


@frozen
class Fixture:
    """What is played: the rules, the levels in the order of the seats, and the seed of it all."""

    rules: Rules
    seats: tuple[str, ...]
    seed: int

    @property
    def levels(self) -> tuple[str, ...]:
        """The different levels, in the order in which they first sit."""
        return tuple(dict.fromkeys(self.seats))

    def rotated(self, rotation: int) -> tuple[str, ...]:
        """Return the levels in the order of the seats after ``rotation`` steps to the left."""
        return self.seats[-rotation:] + self.seats[:-rotation]


@frozen
class Tally:
    """What came of one set of cards, over all rotations.

    Attributes:
        shares: what each of the fixture's levels won, in twelfths of a match.
        penalties: the penalty points of each of them.
        deals: how many deals were played.
        blocked: how many of them ended because a whole round went by in which nobody played.
    """

    shares: tuple[int, ...]
    penalties: tuple[int, ...]
    deals: int
    blocked: int


def play_duplicate(fixture: Fixture, number: int) -> Tally:
    """Play the cards of set ``number`` once with every rotation of the levels round the seats."""
    shares = dict.fromkeys(fixture.levels, 0)
    penalties = dict.fromkeys(fixture.levels, 0)
    deals = blocked = 0
    for rotation in range(len(fixture.seats)):
        seats = fixture.rotated(rotation)
        match = play_match(fixture, number, rotation)
        for seat in match.winners:
            shares[seats[seat]] += WHOLE // len(match.winners)
        for level, points in zip(seats, match.totals, strict=True):
            penalties[level] += points
        for step in match.steps:
            for event in step.events:
                if isinstance(event, DealEnded):
                    deals += 1
                    blocked += event.ending == DealEnding.BLOCKED
    return Tally(tuple(shares.values()), tuple(penalties.values()), deals, blocked)


def play_match(fixture: Fixture, number: int, rotation: int) -> Match:
    """Play one match; the rotation changes who sits where and the bots' chance, not the cards."""
    seats = fixture.rotated(rotation)
    label = f"{fixture.seed} {number}"
    match = new_match(fixture.rules)
    chances = [
        random.Random(f"kings-arena bot {label} {rotation} {seat}")  # noqa: S311  bots' whims
        for seat in range(len(seats))
    ]
    while match.phase != Phase.MATCH_OVER:
        if match.phase == Phase.CUT:
            match = _applied(match, TABLE, Cut(_secret(f"cut {label}", len(seats))))
        else:
            secret = _secret(f"deal {label} {match.number + 1}", len(seats))
            match = _play_deal(_applied(match, TABLE, BeginDeal(secret)), seats, chances)
    return match


def _play_deal(match: Match, seats: tuple[str, ...], chances: list[random.Random]) -> Match:
    began = match.version - 1
    seen: list[tuple[Event, ...]] = [()] * len(seats)
    known_to = [began] * len(seats)
    while (seat := match.turn) is not None:
        seen[seat] += history(match, seat, known_to[seat])
        known_to[seat] = match.version
        action = choose(seats[seat], observe(match, seat), seen[seat], match.rules, chances[seat])
        match = _applied(match, seat, action)
    return match


def _applied(match: Match, actor: int, action: Action) -> Match:
    changed = apply(match, actor, action)
    if not isinstance(changed, Refusal):
        return changed[0]
    raise RuntimeError(f"{action} of seat {actor} was refused: {changed.code}")


def _secret(label: str, players: int) -> Secret:
    return Secret(sha256(f"kings-arena {label}".encode()).digest(), (None,) * players)
