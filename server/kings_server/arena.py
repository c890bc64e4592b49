"""``kings arena``: bots against bots, without a screen."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final, NoReturn

from attrs import asdict

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, PLAYERS, BadRules, MatchForm, Rules, Value, differences
from kings_server.arena_figures import Figures, figures
from kings_server.arena_play import Fixture
from kings_server.arena_run import play_all
from kings_server.bots.policy import EVERY_LEVEL

MOST_DEALS: Final = 1_000_000
MOST_WORKERS: Final = 256

_KNOB_OPTIONS: Final = {"deals": "--match-deals"}
"""Options of knobs whose own name is taken by the arena."""

_ABOUT: Final = """\
Play bots against bots. Each deal is played once with every rotation of the levels round the seats,
so that no level has the better cards, and the intervals are over deals. One deal is a game, won by
who goes out, unless --match says otherwise; a shared win counts its share. Ctrl-C ends early with
what has been played.
"""


class _BadUsageError(ValueError):
    """The command line asks for something that is not possible."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _BadUsageError(message)


def main(argv: Sequence[str]) -> int:
    """Run ``kings arena`` with ``argv``, the words after ``arena``; return the exit code."""
    try:
        options = _parser().parse_args(argv)
        rules = _rules(options)
    except (_BadUsageError, BadRules) as bad:
        print(f"kings arena: {bad}", file=sys.stderr)
        return 2
    fixture = Fixture(rules, options.seats, options.seed)
    started = monotonic()
    tallies = play_all(fixture, options.deals, min(options.workers, options.deals))
    seconds = monotonic() - started
    if not tallies:
        print("kings arena: interrupted before the first deal was played", file=sys.stderr)
        return 130
    if len(tallies) < options.deals:
        print(f"kings arena: interrupted after {len(tallies)} deals", file=sys.stderr)
    found = figures(fixture, tallies)
    if options.json:
        print(json.dumps(_as_json(options.rules, fixture, found, len(tallies), seconds)))
    else:
        _print_table(options.rules, fixture, found, len(tallies), seconds)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="kings arena",
        description=_ABOUT,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seats",
        type=_seats,
        default=("medium", "easy"),
        metavar="LEVEL,LEVEL[,LEVEL[,LEVEL]]",
        help=f"the level of each seat, of {', '.join(EVERY_LEVEL)} (default: medium,easy)",
    )
    parser.add_argument(
        "--deals",
        type=_number(1, MOST_DEALS),
        default=400,
        metavar="N",
        help="how many deals, each played with every rotation (default: 400)",
    )
    parser.add_argument(
        "--seed",
        type=_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="a number from which all cards and chances follow (default: 0)",
    )
    parser.add_argument(
        "--rules",
        default="pagat",
        metavar="PRESET",
        help=f"the rules to start from, of {', '.join(PRESETS)} (default: pagat)",
    )
    cores = os.cpu_count() or 1
    parser.add_argument(
        "--workers",
        type=_number(1, MOST_WORKERS),
        default=cores,
        metavar="N",
        help=f"how many processes play; changes only the time (default: all cores, {cores} here)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a table"
    )
    knobs = parser.add_argument_group("single rules", "change one rule of the preset each")
    for name, knob in KNOBS.items():
        if name != "players":
            option = _KNOB_OPTIONS.get(name, f"--{name.replace('_', '-')}")
            default = " (default: one_deal)" if name == "match" else ""
            knobs.add_argument(
                option, dest=f"knob_{name}", metavar="VALUE", help=knob.allowed + default
            )
    return parser


def _seats(text: str) -> tuple[str, ...]:
    seats = tuple(text.split(","))
    unknown = [seat for seat in seats if seat not in EVERY_LEVEL]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no level {unknown[0]!r}; there are {', '.join(EVERY_LEVEL)}"
        )
    if len(seats) not in PLAYERS:
        raise argparse.ArgumentTypeError(
            f"{len(seats)} seats; there have to be {KNOBS['players'].allowed}"
        )
    return seats


def _number(least: int, most: int) -> Any:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return int(text)

    return number


def _rules(options: argparse.Namespace) -> Rules:
    knobs: dict[str, Value] = {"match": MatchForm.ONE_DEAL.value}
    for name in KNOBS:
        text = getattr(options, f"knob_{name}", None)
        if text is not None:
            knobs[name] = _knob_value(name, text)
    return preset_rules(options.rules, {**knobs, "players": len(options.seats)})


def _knob_value(name: str, text: str) -> Value:
    """Return what ``text`` means for the knob; a text that means nothing is left to be refused."""
    knob = KNOBS[name]
    word = text.strip().lower()
    if knob.optional and word == "none":
        return None
    if True in knob.choices and word in ("true", "false", "on", "off"):
        return word in ("true", "on")
    if knob.numbers is not None and word.isascii() and word.isdigit():
        return int(word)
    costs = word.split(",")
    if knob.per_rank and len(costs) > 1 and all(c.isascii() and c.isdigit() for c in costs):
        return tuple(map(int, costs))
    return word


def _as_json(
    preset: str, fixture: Fixture, found: Figures, deals: int, seconds: float
) -> dict[str, Any]:
    return {
        "rules": {"preset": preset, **differences(fixture.rules, preset_rules(preset))},
        "deals": deals,
        "seed": fixture.seed,
        "levels": [asdict(level) for level in found.levels],
        "blocked_rate": found.blocked_rate,
        "seconds": round(seconds, 3),
    }


def _print_table(preset: str, fixture: Fixture, found: Figures, deals: int, seconds: float) -> None:
    changed = {
        name: value
        for name, value in differences(fixture.rules, preset_rules(preset)).items()
        if name != "players"
    }
    knobs = "".join(f", {name}: {value}" for name, value in changed.items())
    print(f"{preset}{knobs}; {len(fixture.seats)} players; {deals} deals; seed {fixture.seed}")
    print(f"{'level':<10}{'games':>8}   {'win rate':<26}{'penalty points':<24}")
    for level in found.levels:
        wins = f"{level.win_rate:7.1%}{_span(level.win_rate_ci, '.1%')}"
        points = f"{level.penalty:7.2f}{_span(level.penalty_ci, '.2f')}"
        print(f"{level.level:<10}{level.games:>8}   {wins:<26}{points:<24}".rstrip())
    print(f"blocked deals {found.blocked_rate:.1%}; {seconds:.1f} s")


def _span(ci: tuple[float, float] | None, style: str) -> str:
    return "" if ci is None else f"  [{ci[0]:{style}}, {ci[1]:{style}}]"
