"""How the people at a table are called."""

from collections.abc import Mapping, Sequence
from typing import Final

from kings_client.words.tongue import all_of, later, tell
from kings_protocol.messages import TableState


def name_of(table: TableState, seat: int, me: int | None = None) -> str:
    """Return a seat's name, or ``You``; its number tells it from another of the same name."""
    if seat == me:
        return tell("You")
    names = [sitting.name or sitting.level or "" for sitting in table.seats]
    if seat >= len(names) or not names[seat]:
        return tell("seat {seat}", seat=seat + 1)
    return names[seat] if names.count(names[seat]) == 1 else f"{names[seat]} {seat + 1}"


def name_then(table: TableState, seat: int | None, name: str | None, me: int | None = None) -> str:
    """Return who had a seat when a message called them ``name``, though another has it by now."""
    if seat is not None and _still_has(table, seat, name):
        return name_of(table, seat, me)
    return name or tell("somebody")


def is_mine(table: TableState, seat: int | None, name: str | None, me: int | None) -> bool:
    """Say whether a message about a seat and a name is about oneself: ``name_then`` is ``You``."""
    return seat is not None and seat == me and _still_has(table, seat, name)


def _still_has(table: TableState, seat: int, name: str | None) -> bool:
    return not name or (seat < len(table.seats) and table.seats[seat].name == name)


def names_of(table: TableState, seats: tuple[int, ...], me: int | None = None) -> str:
    """Return several seats' names joined as in a sentence."""
    return all_of(name_of(table, seat, me) for seat in seats)


def table_of(name: str) -> str:
    """Return what a table is called that somebody makes, unless they name it."""
    return tell("{who}'s table", who=name)


def clock(seconds: float) -> str:
    """Return a time left as minutes and seconds, rounded up: ``0:42``."""
    whole = max(-int(-seconds // 1), 0)
    return f"{whole // 60}:{whole % 60:02}"


def bot_of(level: str) -> str:
    """Return what a bot of a level is called."""
    known = {
        "easy": tell("easy bot"),
        "medium": tell("medium bot"),
        "hard": tell("hard bot"),
        "expert": tell("expert bot"),
        "master": tell("master bot"),
    }
    return known.get(level, level)


_LEVELS: Final[Mapping[str, str]] = {
    "easy": later("It overlooks cards, and takes what comes to mind."),
    "medium": later("It plays every card that it can."),
    "hard": later("It plans its whole turn, and leaves you few easy places."),
    "expert": later("It notices what you did not play, and holds back what would help you."),
    "master": later("It tries out how the hidden cards may lie, for as long as it may think."),
}


def about_level(level: str) -> str:
    """Return how bots of a level play."""
    return tell(_LEVELS[level]) if level in _LEVELS else ""


def bots(keys: Sequence[str]) -> str:
    """Say which keys seat a bot."""
    return tell("Bots: {keys}.", keys=", ".join(keys))
