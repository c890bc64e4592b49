"""What ``kings history`` prints."""

from kings_client.finished import Archive, scores
from kings_client.words.fairness import mark
from kings_client.words.matches import (
    outcome,
    people,
    played_on,
    score_head,
    score_line,
    unread,
)
from kings_client.words.tongue import tell


def listed(archive: Archive) -> list[str]:
    """Return a line for each match, newest first, and where their files are."""
    lines = [
        f"{played_on(match)}  {match.preset or '?':<14}  {people(match)}: {outcome(match)}; "
        f"{mark(match.mark)} ({match.file.name})"
        for match in archive.matches
    ]
    if not lines:
        lines = [tell("no match has been played to its end yet")]
    else:
        lines.append(
            tell(
                "their files, for 'kings verify', are in {parent}",
                parent=archive.matches[0].file.parent,
            )
        )
    return [*lines, *filter(None, [unread(archive.unread)])]


def results(archive: Archive) -> list[str]:
    """Return a line for each opponent."""
    found = scores(archive.matches)
    return [score_head(), *map(score_line, found)] if found else [tell("there are no results yet")]
