"""Duplicate games: each deal is played once with every rotation of the levels round the seats.

Who sits left of whom is drawn anew for each deal, because it matters whom one plays after. Cards,
cuts and the bots' own chance follow from the arena's seed, each by a label of its own, so that a
game comes out the same wherever and whenever it is played.
"""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from time import thread_time, thread_time_ns
from typing import Final, TypeAlias

from attrs import field, frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut, SeatAction
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import DealEnded, DealEnding, Event
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.sources import Secret
from kings_engine.view import View, history, observe
from kings_server.arena_trivial import TRIVIAL
from kings_server.bots.policy import EVERY_LEVEL, THINKING, plan

PLAYERS: Final = (*EVERY_LEVEL, *TRIVIAL)
"""Who can be seated in the arena."""

WHOLE: Final = 12
"""A won match in shares: the least number that two, three and four winners can divide."""

Watch: TypeAlias = Callable[[str, int], None]
"""Told after each turn who played it, and for how many nanoseconds of the processor it thought."""

Times: TypeAlias = "Counter[int]"
"""How many turns took how many microseconds, rounded up to two digits."""


@frozen
class Fixture:
    """What is played: the rules, the levels in the order of the seats, and the seed of it all.

    ``thinking`` is how many seconds of the processor a level thinks a turn that takes what it is
    given: on a busy machine it must not play worse.
    """

    rules: Rules
    seats: tuple[str, ...]
    seed: int
    thinking: float = THINKING

    @property
    def levels(self) -> tuple[str, ...]:
        """The different levels, in the order in which they first sit."""
        return tuple(dict.fromkeys(self.seats))

    def seating(self, number: int, rotation: int) -> tuple[str, ...]:
        """Return who sits where for set ``number`` after ``rotation`` steps to the left."""
        seats = list(self.seats)
        random.Random(f"kings-arena seats {self.seed} {number}").shuffle(seats)  # noqa: S311
        return (*seats[-rotation:], *seats[:-rotation])


@frozen
class Tally:
    """What came of one set of cards, over all rotations.

    Attributes:
        shares: what each of the fixture's levels won, in twelfths of a match.
        penalties: the penalty points of each of them.
        deals: how many deals were played.
        blocked: how many of them ended because a whole round went by in which nobody played.
        turns: how many turns they took.
        times: how long each level thought; it differs from run to run, so it is not compared.
    """

    shares: tuple[int, ...]
    penalties: tuple[int, ...]
    deals: int
    blocked: int
    turns: int
    times: tuple[Times, ...] = field(eq=False, repr=False)


def play_duplicate(fixture: Fixture, number: int) -> Tally:
    """Play the cards of set ``number`` once with every rotation of the levels round the seats."""
    shares = dict.fromkeys(fixture.levels, 0)
    penalties = dict.fromkeys(fixture.levels, 0)
    times: dict[str, Times] = {level: Counter() for level in fixture.levels}
    deals = blocked = 0
    for rotation in range(len(fixture.seats)):
        seats = fixture.seating(number, rotation)
        match = play_match(fixture, number, rotation, partial(_note, times))
        for seat in match.winners:
            shares[seats[seat]] += WHOLE // len(match.winners)
        for level, points in zip(seats, match.totals, strict=True):
            penalties[level] += points
        for step in match.steps:
            for event in step.events:
                if isinstance(event, DealEnded):
                    deals += 1
                    blocked += event.ending == DealEnding.BLOCKED
    return Tally(
        tuple(shares.values()),
        tuple(penalties.values()),
        deals,
        blocked,
        sum(spent.total() for spent in times.values()),
        tuple(times.values()),
    )


def _note(times: dict[str, Times], level: str, nanoseconds: int) -> None:
    """Count a turn, its time in microseconds rounded up to two digits: few different ones occur."""
    microseconds = -(-nanoseconds // 1000)
    unit = 1
    while microseconds > 99 * unit:
        unit *= 10
    times[level][-(-microseconds // unit) * unit] += 1


def play_match(fixture: Fixture, number: int, rotation: int, watch: Watch | None = None) -> Match:
    """Play one match; the rotation changes who sits where and the bots' chance, not the cards."""
    seats = fixture.seating(number, rotation)
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
            match = _applied(match, TABLE, BeginDeal(secret))
            match = _play_deal(fixture, match, seats, chances, watch)
    return match


def _play_deal(
    fixture: Fixture,
    match: Match,
    seats: tuple[str, ...],
    chances: list[random.Random],
    watch: Watch | None,
) -> Match:
    began = match.version - 1
    seen: list[tuple[Event, ...]] = [()] * len(seats)
    known_to = [began] * len(seats)
    spent = 0
    while (turn := _turn(match)) is not None:
        seat, _ = turn
        seen[seat] += history(match, seat, known_to[seat])
        known_to[seat] = match.version
        view = observe(match, seat)
        asked = thread_time_ns()
        actions = _planned(fixture, seats[seat], view, seen[seat], chances[seat])
        spent += thread_time_ns() - asked
        for action in actions:
            match = _applied(match, seat, action)
        if _turn(match) != turn:
            if watch is not None:
                watch(seats[seat], spent)
            spent = 0
    return match


def _turn(match: Match) -> tuple[int, int] | None:
    """Return the seat on turn and the turn's number."""
    if match.deal is None or match.turn is None:
        return None
    return match.turn, match.deal.turn_number


def _planned(
    fixture: Fixture, player: str, view: View, seen: tuple[Event, ...], chance: random.Random
) -> tuple[SeatAction, ...]:
    if player in TRIVIAL and view.own is not None:
        return (TRIVIAL[player](view.own, chance),)
    return plan(player, view, seen, fixture.rules, chance, fixture.thinking, thread_time)


def _applied(match: Match, actor: int, action: Action) -> Match:
    changed = apply(match, actor, action)
    if not isinstance(changed, Refusal):
        return changed[0]
    raise RuntimeError(f"{action} of seat {actor} was refused: {changed.code}")


def _secret(label: str, players: int) -> Secret:
    return Secret(sha256(f"kings-arena {label}".encode()).digest(), (None,) * players)
