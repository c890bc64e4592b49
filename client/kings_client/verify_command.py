"""``kings verify``: checks the decks of a match again, from its file."""

from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

from kings_client.marks import Mark
from kings_client.saved import BadFile, read_match, verify_match
from kings_client.words import fairness
from kings_client.words.tongue import tell
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.text import clean


class Verified(IntEnum):
    """The exit status of ``kings verify``; 2 is for options that are wrong."""

    FAIR = 0  #: every deck is fair, with one's own share
    BROKEN = 1  #: something does not match
    UNCHECKED = 3  #: nothing of it could be checked
    UNREADABLE = 4  #: the file cannot be read
    LIMITED = 5  #: nothing is broken, but not every deck is fair with one's own share


def status(marks: Iterable[Mark]) -> Verified:
    """Return the exit status for the marks of a file's decks."""
    found = set(marks)
    if Mark.BROKEN in found:
        return Verified.BROKEN
    if not found - {Mark.UNCHECKED, Mark.PENDING}:
        return Verified.UNCHECKED
    return Verified.FAIR if found == {Mark.FAIR} else Verified.LIMITED


def verify(file: Path) -> tuple[tuple[str, ...], Verified]:
    """Check the file's decks, and return what to print and the exit status.

    Raises:
        BadFile: the file cannot be read.
    """
    match = read_match(file)
    checks = verify_match(match)
    if not checks:
        raise BadFile(tell("it holds no finished deal"))
    people = ", ".join(clean(name, NAME_LENGTH) for name in match.names)
    title = f"{clean(match.table, NAME_LENGTH)}: {people}"
    lines = (f"  {line.text}" if line.heads else line.text for line in fairness.page(checks))
    return (title, *lines), status(check.mark for _, check in checks)
