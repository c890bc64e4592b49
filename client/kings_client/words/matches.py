"""Finished matches in words: who played whom, how it ended, and whether the deals were fair."""

from typing import Final

from kings_client.finished import Finished, Player, Score
from kings_client.words import counts
from kings_client.words.tongue import all_of, number, tell, tell_as


def played_on(match: Finished, *, year: bool = True) -> str:
    """Return the day and the time, as in ``2026-11-30 20:15``; without the year if so wished."""
    day, _, time = match.played.partition("T")
    date = dict(zip(("year", "month", "day"), day.split("-"), strict=False), time=time)
    if len(date) < 4:
        return match.played
    if year:
        return tell_as("date", "{year}-{month}-{day} {time}", **date)
    return tell_as("date", "{month}-{day} {time}", **date)


def player(who: Player) -> str:
    """Return a name, with the level where the name does not say it."""
    if who.level is None or who.name.startswith(who.level):
        return who.name
    return f"{who.name} ({who.level})"


def people(match: Finished) -> str:
    """Return everybody who played, oneself as ``you`` and first."""
    others = [player(one) for seat, one in enumerate(match.players) if seat != match.seat]
    return ", ".join(others if match.seat is None else [tell("you"), *others])


def outcome(match: Finished) -> str:
    """Return who won, and the points from the fewest up."""
    result = match.result
    if result.abandoned:
        return tell("given up")
    points = " : ".join(str(result.points[seat]) for seat in _own_first(match))
    if len(result.winners) in (0, len(result.points)):
        return tell("a draw, {points}", points=points)
    if match.seat in result.winners:
        if len(result.winners) == 1:
            return tell("you won, {points}", points=points)
        return tell("you shared the win, {points}", points=points)
    names = [match.players[seat].name for seat in result.winners if seat < len(match.players)]
    return tell("{names} won, {points}", names=all_of(names), points=points)


def _own_first(match: Finished) -> list[int]:
    seats = range(len(match.result.points))
    return sorted(seats, key=lambda seat: (seat != match.seat, seat))


def opponent(score: Score) -> str:
    """Return whom a line of the results is about."""
    level = score.opponent.level
    return _bots_of(level) if level else score.opponent.name


def _bots_of(level: str) -> str:
    known = {
        "easy": tell("easy bots"),
        "medium": tell("medium bots"),
        "hard": tell("hard bots"),
        "expert": tell("expert bots"),
        "master": tell("master bots"),
    }
    return known.get(level, level)


def unread(count: int) -> str:
    """Say that files could not be read; nothing if all could."""
    return tell("{files} could not be read", files=counts.files(count)) if count else ""


SCORE: Final = "{:<20} {:>7} {:>6} {:>6} {:>7} {:>7} {:>9}"
"""A line of results: opponent, played, won, lost, own points, theirs, shares withheld."""


def score_head() -> str:
    """Return the heads of the columns of results."""
    return SCORE.format(
        tell("against"),
        tell("played"),
        tell("won"),
        tell("lost"),
        tell("points"),
        tell("theirs"),
        tell("withheld"),
    )


def score_line(score: Score) -> str:
    """Return a line of the results; points are penalty points, so that fewer are better."""
    return SCORE.format(
        opponent(score)[:20],
        score.played,
        score.won,
        score.lost,
        number(score.points, 0 if score.points == int(score.points) else 1),
        number(score.theirs),
        score.withheld or "",
    )
