"""Who is here and who is not: pauses, and somebody who presses no key."""

from kings_client.words.people import clock, names_of
from kings_client.words.tongue import tell, tell_some
from kings_protocol.messages import TableState


def paused(table: TableState, me: int | None) -> str:
    """Say that the match stands still, and who is missing."""
    missing = tuple(
        at
        for at, seat in enumerate(table.seats)
        if seat.state == "dropped" or (seat.state == "seated" and seat.pause and at != me)
    )
    if me is not None and table.seats[me].pause:
        return tell("The match is paused; press P twice when you are back")
    return tell_some(
        "The match is paused until {names} is back",
        "The match is paused until {names} are back",
        len(missing),
        names=names_of(table, missing),
    )


def pause_wanted(table: TableState, me: int | None) -> str:
    """Say who wants the match to stand still; nothing if nobody does."""
    wanting = tuple(at for at, seat in enumerate(table.seats) if seat.pause)
    if not wanting:
        return ""
    if me in wanting:
        return tell("You asked for a pause; the match pauses when all agree")
    return tell_some(
        "{names} asks for a pause; P twice agrees",
        "{names} ask for a pause; P twice agrees",
        len(wanting),
        names=names_of(table, wanting),
    )


def waited_for(table: TableState, seats: tuple[int, ...], left: float | None) -> str:
    """Say whose return the table waits for, and for how long at most, where that is known."""
    names = names_of(table, seats)
    if left is None:
        return tell("Waiting for {names} to come back", names=names)
    return tell("Waiting for {names} to come back: {left}", names=names, left=clock(left))


def cannot_save() -> str:
    """Say that the table waits for the server's storage."""
    return tell("The server cannot save; the game waits until it can")


def press_a_key(left: float) -> str:
    """Ask who is on turn to press a key, because they count as away soon."""
    return tell(
        "Are you there? Press any key within {left}, or you count as away",
        left=clock(left),
    )


def was_away() -> str:
    """Say to somebody who pressed no key for long how to be back."""
    return tell("You pressed no key for too long; press any key and you are back")


def no_key(left: float) -> str:
    """Say in the list of players that somebody presses no key."""
    return tell("no key: {left}", left=clock(left))


def bot_wanted(table: TableState, seat: int, me: int | None) -> str:
    """Say who wants a bot at a seat; nothing if nobody does."""
    votes = table.seats[seat].votes
    return tell("{names} for a bot here", names=names_of(table, votes, me)) if votes else ""
