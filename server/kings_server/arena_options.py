"""The command line of ``kings arena``."""

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from attrs import frozen

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, PLAYERS, MatchForm, Rules, Value
from kings_server.arena_play import PLAYERS as WHO
from kings_server.arena_play import Fixture
from kings_server.arena_trivial import TRIVIAL
from kings_server.bots.kernel_ready import Why
from kings_server.bots.policy import EVERY_LEVEL, THINKING, TIMED, why_not

MOST_SETS: Final = 1_000_000
MOST_WORKERS: Final = 256
MOST_THINKING: Final = 60
"""Seconds a turn."""

_KNOB_OPTIONS: Final = {"deals": "--match-deals"}
"""Options of knobs whose own name is taken by the arena."""

_ABOUT: Final = """\
Play bots against bots. Each deal (with --matches, each match) is played once with every rotation of
the levels round the seats, so that no level has the better cards, and the intervals are over deals.
A shared win counts its share. Ctrl-C ends early with what has been played.
"""

_EXAMPLES: Final = """\
The win rate is that of a seat: level with the others at parity, which is 50 % for two players, 33.3
for three and 25 for four. Intervals are of 95 %; p is how likely chance alone brings a difference
as large. Thinking is counted in time of the processor, so that a busy machine changes nothing.

  kings arena --seats expert,hard --deals 1000
  kings arena --seats hard,medium,medium --rules pagat classic
  kings arena --seats master,expert --thinking 0.1 --decide 0.01
  kings arena --seats expert,hard --matches 100 --rules classic_match
"""


class BadUsageError(ValueError):
    """The command line asks for something that is not possible."""


@frozen
class Field:
    """One set of rules and who plays by them: what one table of figures is about."""

    preset: str
    fixture: Fixture


@frozen
class Options:
    """What is asked for.

    Attributes:
        fields: what is played, one after another.
        sets: how many deals or matches of each, at most.
        matches: whether a set is a whole match.
        decide: the error at which a field ends early, if at all.
        workers: how many processes play.
        json: whether figures are printed for programs.
    """

    fields: tuple[Field, ...]
    sets: int
    matches: bool
    decide: float | None
    workers: int
    json: bool


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadUsageError(message)


def parse(argv: Sequence[str]) -> Options:
    """Return what ``argv``, the words after ``arena``, ask for.

    Raises:
        BadUsageError: they cannot be understood.
        BadRules: they ask for rules that cannot be played.
    """
    given = make_parser().parse_args(argv)
    fields = tuple(
        Field(preset, Fixture(_rules(given, preset, seats), seats, given.seed, given.thinking))
        for preset in given.rules
        for seats in given.seats
    )
    if given.decide is not None and any(len(field.fixture.levels) < 2 for field in fields):
        raise BadUsageError("--decide compares the first level with others: name two levels")
    for level in {level for field in fields for level in field.fixture.levels}:
        if level not in TRIVIAL and why_not(level) == Why.NO_NUMBA:
            raise BadUsageError(f"{level} needs numba here: pip install '.[master]'")
    return Options(
        fields=fields,
        sets=given.matches or given.deals,
        matches=given.matches is not None,
        decide=given.decide,
        workers=given.workers,
        json=given.json,
    )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the words after ``arena``."""
    parser = _Parser(
        prog="kings arena",
        description=_ABOUT,
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seats",
        type=_seats,
        nargs="+",
        default=[("medium", "easy")],
        metavar="LEVEL,LEVEL[,LEVEL[,LEVEL]]",
        help=f"the level of each seat, of {', '.join(EVERY_LEVEL)}; beside them, to measure only: "
        f"{', '.join(TRIVIAL)}. Several such lists are played one after another "
        "(default: medium,easy)",
    )
    parser.add_argument(
        "--rules",
        nargs="+",
        default=["pagat"],
        metavar="PRESET",
        help=f"the rules to start from, of {', '.join(PRESETS)} (default: pagat)",
    )
    sets = parser.add_mutually_exclusive_group()
    sets.add_argument(
        "--deals",
        type=_number(1, MOST_SETS),
        default=400,
        metavar="N",
        help="how many deals, each a game of its own, won by who goes out (default: 400)",
    )
    sets.add_argument(
        "--matches",
        type=_number(1, MOST_SETS),
        metavar="N",
        help="how many whole matches instead, as the rules end them",
    )
    parser.add_argument(
        "--decide",
        type=_error,
        metavar="ERROR",
        help="stop as soon as the first level's win rate is shown to be above or below parity, "
        "wrong with a probability of at most ERROR, say 0.01 (a sequential test by betting)",
    )
    parser.add_argument(
        "--seed",
        type=_number(0, 2**64 - 1),
        default=0,
        metavar="S",
        help="a number from which all cards and chances follow (default: 0)",
    )
    parser.add_argument(
        "--thinking",
        type=_seconds,
        default=THINKING,
        metavar="SECONDS",
        help=f"how long {', '.join(TIMED)} thinks a turn, in seconds of the processor "
        f"(default: {THINKING:g})",
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
        "--json", action="store_true", help="print a JSON object a line instead of tables"
    )
    knobs = parser.add_argument_group("single rules", "change one rule of the presets each")
    for name, knob in KNOBS.items():
        if name != "players":
            option = _KNOB_OPTIONS.get(name, f"--{name.replace('_', '-')}")
            only = " (with --matches)" if name == "match" else ""
            knobs.add_argument(
                option, dest=f"knob_{name}", metavar="VALUE", help=knob.allowed + only
            )
    return parser


def _seats(text: str) -> tuple[str, ...]:
    seats = tuple(text.split(","))
    unknown = [seat for seat in seats if seat not in WHO]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no level {unknown[0]!r}; there are {', '.join(WHO)}"
        )
    if len(seats) not in PLAYERS:
        raise argparse.ArgumentTypeError(
            f"{len(seats)} seats; there have to be {KNOBS['players'].allowed}"
        )
    return seats


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return int(text)

    return number


def _error(text: str) -> float:
    try:
        error = float(text)
    except ValueError:
        error = 0.0
    if not 0.0 < error < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return error


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= MOST_THINKING:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MOST_THINKING}")
    return seconds


def _rules(given: argparse.Namespace, preset: str, seats: tuple[str, ...]) -> Rules:
    knobs: dict[str, Value] = {}
    for name in KNOBS:
        text = getattr(given, f"knob_{name}", None)
        if text is not None:
            knobs[name] = _knob_value(name, text)
    if given.matches is None:
        if "match" in knobs:
            raise BadUsageError("--match: a deal is a game of its own without --matches")
        knobs["match"] = MatchForm.ONE_DEAL.value
    return preset_rules(preset, {**knobs, "players": len(seats)})


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
