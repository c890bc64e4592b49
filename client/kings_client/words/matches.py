"""Finished matches in words: who played whom, how it ended, and whether the deals were fair."""

from typing import Final

from kings_client.finished import Finished, Player, Score
from kings_client.marks import Mark
from kings_client.words.people import plural

CHECKED: Final = {
    Mark.VERIFIED: "verified",
    Mark.BROKEN: "NOT FAIR",
    Mark.UNPROVED: "not provable",
    Mark.PENDING: "not checked",
}
"""What was found out about a match's deals."""


def played_on(match: Finished) -> str:
    """Return the day and the time, as in ``2026-11-30 20:15``."""
    return match.played.replace("T", " ")


def player(who: Player) -> str:
    """Return a name, with the level where the name does not say it."""
    if who.level is None or who.name.startswith(who.level):
        return who.name
    return f"{who.name} ({who.level})"


def people(match: Finished) -> str:
    """Return everybody who played, oneself as ``you`` and first."""
    others = [player(one) for seat, one in enumerate(match.players) if seat != match.seat]
    return ", ".join(others if match.seat is None else ["you", *others])


def outcome(match: Finished) -> str:
    """Return who won, and the points from the fewest up."""
    result = match.result
    if result.abandoned:
        return "given up"
    points = " : ".join(str(result.points[seat]) for seat in _own_first(match))
    if len(result.winners) in (0, len(result.points)):
        return f"a draw, {points}"
    if match.seat in result.winners:
        return f"{'you won' if len(result.winners) == 1 else 'you shared the win'}, {points}"
    names = [match.players[seat].name for seat in result.winners if seat < len(match.players)]
    return f"{' and '.join(names)} won, {points}"


def _own_first(match: Finished) -> list[int]:
    seats = range(len(match.result.points))
    return sorted(seats, key=lambda seat: (seat != match.seat, seat))


def opponent(score: Score) -> str:
    """Return whom a line of the results is about."""
    return f"{score.opponent.level} bots" if score.opponent.level else score.opponent.name


def unread(count: int) -> str:
    """Say that files could not be read; nothing if all could."""
    return f"{plural(count, 'file')} could not be read" if count else ""


SCORE: Final = "{:<20} {:>7} {:>5} {:>5} {:>7} {:>7}"
"""A line of results: opponent, played, won, lost, own points, theirs."""

SCORE_HEAD: Final = SCORE.format("against", "played", "won", "lost", "points", "theirs")


def score_line(score: Score) -> str:
    """Return a line of the results; points are penalty points, so that fewer are better."""
    return SCORE.format(
        opponent(score)[:20],
        score.played,
        score.won,
        score.lost,
        f"{score.points:g}",
        f"{score.theirs:.0f}",
    )
