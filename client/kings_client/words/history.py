"""What ``kings history`` prints."""

from kings_client.finished import Archive, scores
from kings_client.words.matches import (
    CHECKED,
    SCORE_HEAD,
    outcome,
    people,
    played_on,
    score_line,
    unread,
)


def listed(archive: Archive) -> list[str]:
    """Return a line for each match, newest first, and where their files are."""
    lines = [
        f"{played_on(match)}  {match.preset or '?':<14}  {people(match)}: {outcome(match)}; "
        f"{CHECKED[match.mark]} ({match.file.name})"
        for match in archive.matches
    ]
    if not lines:
        lines = ["no match has been played to its end yet"]
    else:
        lines.append(f"their files, for 'kings verify', are in {archive.matches[0].file.parent}")
    return [*lines, *filter(None, [unread(archive.unread)])]


def results(archive: Archive) -> list[str]:
    """Return a line for each opponent."""
    found = scores(archive.matches)
    return [SCORE_HEAD, *map(score_line, found)] if found else ["there are no results yet"]
