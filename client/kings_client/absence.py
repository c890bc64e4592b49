"""What a table does about somebody who is gone, as a person writes it."""

from collections.abc import Callable, Mapping
from typing import Final, get_args

from attrs import evolve

from kings_client.intents import MakeTable
from kings_client.words.knobs import not_possible
from kings_client.words.tongue import tell
from kings_protocol.messages import Absent

ABSENCE: Final[Mapping[str, str]] = {
    "absent": "bot",
    "grace_seconds": "60",
    "away_seconds": "180",
}
"""The options and their usual values; they are called as in the request for a table."""

ABSENT: Final[tuple[Absent, ...]] = get_args(Absent)
"""What may become of the seat of somebody who is gone."""

GRACE: Final = range(5, 3601)
"""Seconds that the seat of somebody who is gone may be kept, before that becomes of it."""

AWAY: Final = range(30, 3601)
"""Seconds without a key, on one's turn, after which one may count as gone."""


def with_absence(
    table: MakeTable,
    given: Mapping[str, str],
    faults: list[str],
    spelled: Callable[[str], str] = str,
) -> MakeTable:
    """Return the table with what was written for the options of ``ABSENCE``.

    Args:
        table: the table that is wanted.
        given: what was written, by option; the others stay as they are.
        faults: gets a line for each value that cannot be.
        spelled: returns how a person writes an option's name.
    """
    word = given.get("absent", table.absent).strip().lower()
    absent = next((choice for choice in ABSENT if choice == word), None)
    if absent is None:
        faults.append(not_possible(spelled("absent"), word[:40], ", ".join(ABSENT)))
    grace = _seconds("grace_seconds", GRACE, given, faults, spelled)
    away = _seconds("away_seconds", AWAY, given, faults, spelled)
    return evolve(table, absent=absent or table.absent, grace_seconds=grace, away_seconds=away)


def _seconds(
    name: str,
    allowed: range,
    given: Mapping[str, str],
    faults: list[str],
    spelled: Callable[[str], str],
) -> int:
    text = given.get(name, ABSENCE[name]).strip()
    if len(text) <= len(str(allowed[-1])) and text.isdecimal() and int(text) in allowed:
        return int(text)
    span = tell("{first} to {last}", first=allowed[0], last=allowed[-1])
    faults.append(not_possible(spelled(name), text[:40], span))
    return allowed[0]
