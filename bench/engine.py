"""How fast the rules are, on one core: ``python bench/engine.py``.

Times are of the processor, not of the clock, so that other programs disturb little. Positions are
those of deals that ``medium`` plays at four seats; the worst case is a long match with open hands
in which everybody has drawn to the end of the stock and played nothing.
"""

import argparse
import json
import platform
import random
from collections.abc import Callable, Sequence
from functools import partial
from os import cpu_count
from statistics import median, quantiles
from time import process_time_ns
from typing import Final

from attrs import frozen

from kings_engine.actions import TABLE, BeginDeal, EndTurn
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, Step, new_match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import DEALS
from kings_engine.sources import Secret
from kings_engine.view import View, deal_history, history, observe
from kings_protocol.codec import frame_update, pack_public
from kings_protocol.limits import UPDATE_EVENTS
from kings_server.arena_play import Fixture, play_match
from kings_server.bots.policy import POLICIES, plan

POSITIONS_OF_DEALS: Final = 30
REPEATS: Final = 5
"""Each time of a small thing is the best of so many: what is longer was somebody else's."""


@frozen
class Line:
    """One measured line: what, the figure and its unit."""

    name: str
    value: float
    unit: str


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(description="How fast the rules and the bots are on one core.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--deals", type=int, default=300, help="deals to play (default: 300)")
    options = parser.parse_args(argv)
    lines = [*play_lines(options.deals), *view_lines(), *thinking_lines()]
    if options.json:
        machine = {"python": platform.python_version(), "cores": cpu_count()}
        figures = {line.name: {"value": line.value, "unit": line.unit} for line in lines}
        print(json.dumps({"machine": machine, "figures": figures}))
        return 0
    for line in lines:
        print(f"{line.name:<58}{line.value:>12,.6g} {line.unit}")
    return 0


def play_lines(deals: int) -> list[Line]:
    """Measure whole deals by ``medium`` in every seat, and their actions without the bots."""
    lines = []
    for players in (2, 4):
        rules = preset_rules("pagat", {"players": players, "match": "one_deal"})
        fixture = Fixture(rules, ("medium",) * players, 1)
        began = process_time_ns()
        matches = [play_match(fixture, number, 0) for number in range(deals)]
        seconds = (process_time_ns() - began) / 1e9
        lines.append(Line(f"deals by medium, {players} players", deals / seconds, "deals/s"))
        began = process_time_ns()
        actions = sum(replayed(match).version for match in matches)
        seconds = (process_time_ns() - began) / 1e9
        lines.append(Line(f"actions applied, {players} players", actions / seconds, "actions/s"))
    return lines


def replayed(match: Match) -> Match:
    """Apply the match's actions again, and nothing else."""
    again = new_match(match.rules)
    for step in match.steps:
        again = applied(again, step)
    return again


def applied(match: Match, step: Step) -> Match:
    """Return the match after the step's action, which is legal."""
    changed = apply(match, step.actor, step.action)
    assert not isinstance(changed, Refusal)
    return changed[0]


def view_lines() -> list[Line]:
    """Measure what one seat is shown: making it, encoding it, and its size on the wire."""
    lines = []
    for name, positions in (("typical", typical_positions()), ("worst", [worst_position()])):
        views = [(match, observe(match, match.turn)) for match in positions]
        packed = [(pack_public(view.public), view.own) for _, view in views]
        events = [history(match, match.turn, 0)[-UPDATE_EVENTS:] for match, _ in views]
        lines += [
            Line(
                f"observe, {name}",
                median(microseconds(partial(observe, match, match.turn)) for match in positions),
                "µs",
            ),
            Line(
                f"encode a snapshot, {name}",
                median(microseconds(partial(snapshot, view)) for _, view in views),
                "µs",
            ),
            Line(
                f"encode for one more viewer, {name}",
                median(
                    microseconds(partial(frame_update, public, own, (), False))
                    for public, own in packed
                ),
                "µs",
            ),
            Line(
                f"size of a snapshot, {name}",
                median(len(frame_update(public, own, (), False)) for public, own in packed),
                "bytes",
            ),
            Line(
                f"size with {UPDATE_EVENTS} events, {name}",
                median(
                    len(frame_update(public, own, shown, True))
                    for (public, own), shown in zip(packed, events, strict=True)
                ),
                "bytes",
            ),
        ]
    return lines


def snapshot(view: View) -> bytes:
    """Return the frame of a snapshot, made from nothing."""
    return frame_update(pack_public(view.public), view.own, (), False)


def microseconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes."""
    times = 20
    best = None
    for _ in range(REPEATS):
        began = process_time_ns()
        for _ in range(times):
            work()
        spent = process_time_ns() - began
        best = spent if best is None else min(best, spent)
    return (best or 0) / times / 1000


def typical_positions() -> list[Match]:
    """Return the positions of deals by ``medium``, four players, where somebody is on turn."""
    rules = preset_rules("pagat", {"players": 4, "match": "one_deal"})
    fixture = Fixture(rules, ("medium",) * 4, 2)
    positions = []
    for number in range(POSITIONS_OF_DEALS):
        match = new_match(rules)
        for step in play_match(fixture, number, 0).steps:
            match = applied(match, step)
            if match.phase == Phase.PLAY and match.version % 8 == 0:
                positions.append(match)
    return positions


def worst_position() -> Match:
    """Return the last deal of a match over the most deals, all hands open, the stock just drawn."""
    deals = DEALS.stop - 1
    knobs = {"players": 4, "open_hands": True, "match": "deals", "deals": deals}
    rules = preset_rules("pagat", knobs)
    match = new_match(rules)
    for number in range(deals):
        secret = Secret(number.to_bytes(32, "big"), (None,) * 4)
        match = applied(match, Step(TABLE, BeginDeal(secret), ()))
        while match.deal is not None and match.turn is not None:
            if number == deals - 1 and not match.deal.stock:
                break
            match = applied(match, Step(match.turn, EndTurn(), ()))
    return match


def thinking_lines() -> list[Line]:
    """Measure what each level thinks a turn, over deals that it plays against ``medium``."""
    lines = []
    for level in POLICIES:
        spent = sorted(turn_times(level))
        lines.append(Line(f"{level}, a turn, median", median(spent) / 1e6, "ms"))
        lines.append(Line(f"{level}, a turn, p99", quantiles(spent, n=100)[98] / 1e6, "ms"))
        lines.append(Line(f"{level}, a turn, longest", spent[-1] / 1e6, "ms"))
    return lines


def turn_times(level: str) -> list[int]:
    """Return the nanoseconds that ``level`` spent on each of its turns."""
    chance = random.Random(3)  # noqa: S311  bots' whims
    spent: dict[tuple[int, int], int] = {}
    for players in (2, 4):
        rules = preset_rules("pagat", {"players": players, "match": "one_deal"})
        for number in range(40):
            match = new_match(rules)
            secret = Secret(number.to_bytes(32, "big"), (None,) * players)
            match = applied(match, Step(TABLE, BeginDeal(secret), ()))
            while match.deal is not None and (seat := match.turn) is not None:
                view, seen = observe(match, seat), deal_history(match, seat)
                began = process_time_ns()
                actions = plan("medium" if seat else level, view, seen, rules, chance)
                if not seat:
                    turn = (players * 1000 + number, match.deal.turn_number)
                    spent[turn] = spent.get(turn, 0) + process_time_ns() - began
                for action in actions:
                    match = applied(match, Step(seat, action, ()))
    return list(spent.values())


if __name__ == "__main__":
    raise SystemExit(main())
