"""The options of a table on the command line: one for each knob, made from the engine's list.

Everything is read as text and judged at once, so that a person sees every fault in one go.
"""

import argparse
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kings_client.absence import ABSENCE, ABSENT, AWAY, GRACE, with_absence
from kings_client.intents import MakeTable
from kings_client.thinking import LONGEST, SHORTEST, USUAL, with_thinking
from kings_client.words.knobs import not_possible
from kings_client.words.people import table_of
from kings_client.words.tongue import later, tell
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, PENALTY, PLAYERS, BadRules, Fault, Knob, Rules, rules_as_plain
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import KnobValue, Level
from kings_protocol.names import clean_name

LEVELS: Final[tuple[Level, ...]] = ("easy", "medium", "hard", "expert", "master")
"""The levels that a server of this program has; a test holds them to it."""

LONGEST_PACE: Final = 10.0
"""Seconds that a bot may take for a move, at most."""

_WORDS: Final[Mapping[str, bool]] = {
    "on": True, "yes": True, "true": True, "off": False, "no": False, "false": False,
}  # fmt: skip


class BadChoices(ValueError):  # noqa: N818  the person chose, the program is fine
    """Options that cannot be; ``faults`` has a line for each reason."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@frozen
class Choices:
    """A table as it was asked for on the command line."""

    rules: Rules
    table: MakeTable


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a table."""
    table = parser.add_argument_group("the table")
    table.add_argument("--rules", metavar="PRESET", default="pagat", help=_presets())
    table.add_argument(
        "--bots",
        metavar="LEVEL,...",
        help="levels of the bots, one for each seat that a bot takes, or one for all of them: "
        + ", ".join(LEVELS),
    )
    table.add_argument(
        "--pace",
        metavar="SECONDS",
        default="0.6-1.5",
        help="how long a bot takes for a move: from-to, or one number; 0: no time (default: "
        "%(default)s)",
    )
    table.add_argument(
        "--thinking",
        metavar="SECONDS",
        default=USUAL,
        help=f"how long a bot thinks about a turn that takes the time it is given (master), "
        f"{SHORTEST:g} to {LONGEST:g} (default: %(default)s)",
    )
    table.add_argument("--table", metavar="NAME", help="what the table is called")
    table.add_argument(
        "--absent",
        metavar="WHAT",
        help=f"what becomes of the seat of somebody who is gone: {', '.join(ABSENT)} (default: "
        f"{ABSENCE['absent']})",
    )
    table.add_argument(
        "--grace-seconds",
        metavar="SECONDS",
        help=f"how long the seat is kept before that, {GRACE[0]} to {GRACE[-1]} (default: "
        f"{ABSENCE['grace_seconds']})",
    )
    table.add_argument(
        "--away-seconds",
        metavar="SECONDS",
        help="who presses no key for so long on their turn counts as gone, "
        f"{AWAY[0]} to {AWAY[-1]} (default: {ABSENCE['away_seconds']})",
    )
    add_knob_options(parser)


def add_knob_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each knob."""
    knobs = parser.add_argument_group(
        "the rules", "Each one changes the preset in one point; 'kings rules' describes them."
    )
    for name, knob in KNOBS.items():
        knobs.add_argument(option(name), dest=f"knob_{name}", metavar="VALUE", help=allowed(knob))


def option(knob: str) -> str:
    """Return the option that sets the knob."""
    return "--" + knob.replace("_", "-")


def allowed(knob: Knob) -> str:
    """Return what may be written for a knob."""
    parts = [shown_value(choice) for choice in knob.choices]
    if knob.numbers is not None:
        numbers = knob.numbers
        parts.append(tell("{first} to {last}", first=numbers.start, last=numbers.stop - 1))
    if knob.per_rank:
        most = PENALTY.stop - 1
        parts.append(tell("13 numbers from 0 to {most}, ace to king, not all 0", most=most))
    if knob.optional:
        parts.append(shown_value(None))
    return ", ".join(parts)


def fault_line(fault: Fault, called: str, written: str | None = None) -> str:
    """Say what is wrong with a set of rules, why, and what may be written instead.

    Args:
        fault: what the engine found.
        called: the rule's name where it was set: an option, or the label of a field.
        written: what the person wrote, where it is known.
    """
    given = fault.given if written is None else written
    return not_possible(called, given, allowed(fault.possible), fault.why)


def knob_texts(options: argparse.Namespace) -> dict[str, str]:
    """Return what was written for each knob that was set by its option."""
    texts = {knob: getattr(options, f"knob_{knob}") for knob in KNOBS}
    return {knob: text for knob, text in texts.items() if text is not None}


def read_rules(preset: str, knobs: Mapping[str, KnobValue], texts: Mapping[str, str]) -> Rules:
    """Return the rules of a preset with knobs changed.

    Args:
        preset: its name.
        knobs: the values.
        texts: what was written for those that were set by their options.

    Raises:
        BadChoices: they cannot be; every fault is named.
    """
    try:
        return preset_rules(preset, knobs)
    except BadRules as bad:
        faults = (fault_line(one, option(one.knob), texts.get(one.knob)) for one in bad.faults)
        raise BadChoices(tuple(faults)) from None


def read_knobs(texts: Mapping[str, str]) -> dict[str, KnobValue]:
    """Return the values that were written for knobs."""
    return {knob: read_value(KNOBS[knob], text) for knob, text in texts.items()}


def read_choices(options: argparse.Namespace, name: str, *, solo: bool, people: int = 1) -> Choices:
    """Return the table that the options describe.

    Args:
        options: the parsed command line.
        name: the person's name.
        solo: whether bots take every other seat; otherwise only the seats named.
        people: how many people sit at this keyboard.

    Raises:
        BadChoices: something cannot be; every fault is named.
    """
    faults: list[str] = []
    texts = knob_texts(options)
    knobs = read_knobs(texts)
    bots = _levels(options.bots, faults)
    # A hosted table has a seat for somebody who joins.
    seats = len(bots) + people if solo else min(len(bots) + people + 1, PLAYERS[-1])
    if "players" not in knobs and seats > PLAYERS[0]:
        knobs["players"] = seats
    rules = None
    try:
        rules = read_rules(options.rules, knobs, texts)
    except BadChoices as bad:
        faults += bad.faults
    if rules is not None:
        if rules.players < people:
            faults.append(
                tell(
                    "--people: {people} people; the table has {seats} seats",
                    people=people,
                    seats=rules.players,
                )
            )
        bots = _seated(bots, max(rules.players - people, 0), faults, solo=solo)
    pace = _pace(options.pace, faults)
    called = clean_name(table_of(name) if options.table is None else options.table, NAME_LENGTH)
    if not called:
        faults.append(tell("--table: a name needs a letter or two"))
    table = MakeTable(name=called, preset=options.rules, knobs=knobs, bots=bots, pace=pace)
    written = {name: text for name in ABSENCE if (text := getattr(options, name)) is not None}
    table = with_absence(table, written, faults, option)
    table = with_thinking(table, options.thinking, faults, option("thinking"))
    if rules is None or faults:
        raise BadChoices(tuple(faults))
    return Choices(rules, table)


def read_value(knob: Knob, text: str) -> KnobValue:
    """Return the value that ``text`` writes for a knob; what is not understood stays text."""
    word = text.strip().lower()
    if knob.optional and word == "none":
        return None
    if True in knob.choices and word in _WORDS:
        return _WORDS[word]
    if knob.numbers is not None and word.removeprefix("-").isdecimal():
        return int(word)
    if knob.per_rank and "," in word:
        costs = word.split(",")
        if all(cost.strip().isdecimal() for cost in costs):
            return tuple(map(int, costs))
    return word


def shown_value(value: object) -> str:
    """Return a knob's value as a person writes it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "on", False: "off"}[value]
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def describe_rules(rules: Rules) -> str:
    """Return a line for each knob: its option, its value and what is allowed."""
    lines = []
    for name, value in rules_as_plain(rules).items():
        lines.append(f"  {option(name):<24} {shown_value(value):<18} {allowed(KNOBS[name])}")
    return "\n".join(lines)


def _levels(text: str | None, faults: list[str]) -> tuple[Level, ...]:
    named = [] if text is None else [word.strip().lower() for word in text.split(",")]
    levels = tuple(level for word in named for level in LEVELS if level == word)
    unknown = [word for word in named if word not in LEVELS]
    faults += [
        tell(
            "--bots: {word!r} is no level; there are: {levels}", word=word, levels=", ".join(LEVELS)
        )
        for word in unknown
    ]
    return levels


def _seated(
    bots: tuple[Level, ...], seats: int, faults: list[str], *, solo: bool
) -> tuple[Level, ...]:
    """Return a level for each seat that a bot takes, of ``seats`` beside the person's own."""
    if solo and len(bots) < 2:
        return (bots or ("medium",)) * seats
    if len(bots) > seats or (solo and len(bots) != seats):
        exactly = later("--bots: {levels} levels; exactly {seats} beside the people here")
        at_most = later("--bots: {levels} levels; at most {seats} beside the people here")
        faults.append(tell(exactly if solo else at_most, levels=len(bots), seats=seats))
    return bots


def _pace(text: str, faults: list[str]) -> tuple[int, int]:
    low, _, high = text.partition("-")
    try:
        shortest, longest = float(low), float(high or low)
    except ValueError:
        shortest, longest = -1.0, -1.0
    if not 0 <= shortest <= longest <= LONGEST_PACE:
        faults.append(
            tell(
                "--pace: {text} is no pace; write seconds, as in 1 or 0.6-1.5, up to {most}",
                text=text,
                most=f"{LONGEST_PACE:g}",
            )
        )
        return 0, 0
    return round(shortest * 1000), round(longest * 1000)


def _presets() -> str:
    return f"a set of rules: {', '.join(PRESETS)} (default: %(default)s)"
