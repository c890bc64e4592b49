"""How long the bots of a table think that take the time they are given, as a person writes it."""

from typing import Final

from attrs import evolve

from kings_client.intents import MakeTable
from kings_client.words.knobs import not_possible
from kings_client.words.tongue import tell

LONGEST: Final = 10.0
SHORTEST: Final = 0.1
"""Seconds that a bot may be given to think about a turn."""

USUAL: Final = "1"
"""What it is given unless somebody says otherwise."""


def with_thinking(table: MakeTable, text: str, faults: list[str], option: str) -> MakeTable:
    """Return the table with ``text`` as its bots' thinking time, in seconds.

    Args:
        table: the table that is wanted.
        text: what was written.
        faults: gets a line if that cannot be.
        option: how a person writes the option's name.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not SHORTEST <= seconds <= LONGEST:
        faults.append(
            not_possible(
                option,
                text[:40],
                tell("{first} to {last}", first=f"{SHORTEST:g}", last=f"{LONGEST:g}"),
            )
        )
        return table
    return evolve(table, thinking=round(seconds * 1000))
