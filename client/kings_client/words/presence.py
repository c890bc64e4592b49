"""Who is here and who is not: pauses, and somebody who presses no key."""

from kings_client.words.people import clock, names_of
from kings_protocol.messages import TableState


def paused(table: TableState, me: int | None) -> str:
    """Say that the match stands still, and who is missing."""
    missing = tuple(
        at
        for at, seat in enumerate(table.seats)
        if seat.state == "dropped" or (seat.state == "seated" and seat.pause and at != me)
    )
    if me is not None and table.seats[me].pause:
        return "The match is paused; press P twice when you are back"
    be = "is" if len(missing) == 1 else "are"
    return f"The match is paused until {names_of(table, missing)} {be} back"


def pause_wanted(table: TableState) -> str:
    """Say who wants the match to stand still; nothing if nobody does."""
    wanting = tuple(at for at, seat in enumerate(table.seats) if seat.pause)
    if not wanting:
        return ""
    verb = "asks" if len(wanting) == 1 else "ask"
    return f"{names_of(table, wanting)} {verb} for a pause; P twice agrees"


def press_a_key(left: float) -> str:
    """Ask who is on turn to press a key, because the seat counts as left alone soon."""
    return f"Are you there? Press any key within {clock(left)}, or your seat counts as left alone"


def was_away() -> str:
    """Say to somebody who pressed no key for long how to be back."""
    return "You pressed no key for too long; press any key and you are back"


def no_key(left: float) -> str:
    """Say in the list of players that somebody presses no key."""
    return f"no key: {clock(left)}"


def bot_wanted(table: TableState, seat: int, me: int | None) -> str:
    """Say who wants a bot at a seat; nothing if nobody does."""
    votes = table.seats[seat].votes
    return f"{names_of(table, votes, me)} for a bot here" if votes else ""
