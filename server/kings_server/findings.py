"""What ``kings doctor`` finds: one line each, with what to do where something is to be done."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from attrs import asdict, frozen


class State(StrEnum):
    """How something stands."""

    WELL = "well"
    NOTE = "note"  #: worth knowing; it keeps nobody from playing
    WRONG = "wrong"


@frozen
class Finding:
    """One thing that was looked at.

    Attributes:
        about: what.
        state: how it stands.
        words: what was found.
        advice: what to do.
    """

    about: str
    state: State
    words: str
    advice: str = ""


def well(about: str, words: str) -> Finding:
    """Return that something is as it should be."""
    return Finding(about, State.WELL, words)


def note(about: str, words: str, advice: str) -> Finding:
    """Return something that is worth knowing."""
    return Finding(about, State.NOTE, words, advice)


def wrong(about: str, words: str, advice: str) -> Finding:
    """Return something that has to be mended."""
    return Finding(about, State.WRONG, words, advice)


def listed(findings: Iterable[Finding]) -> Sequence[str]:
    """Return the lines for people."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:<5}  {finding.about:<11}  {finding.words}")
        if finding.advice:
            lines.append(f"{'':<20}-> {finding.advice}")
    return lines


def plain(findings: Iterable[Finding]) -> list[dict[str, str]]:
    """Return the findings as plain data."""
    return [{name: str(value) for name, value in asdict(one).items()} for one in findings]
