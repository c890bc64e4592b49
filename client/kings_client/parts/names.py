"""Names in the room that there is for them: cut where they must be, and never two alike."""

from msgspec.structs import replace

from kings_client.model import Spoken
from kings_client.parts.canvas import fit, width_of
from kings_client.words.people import name_of
from kings_protocol.messages import Announcement, TableState


def short_name(table: TableState, seat: int, me: int | None, room: int) -> str:
    """Return a seat's name in at most ``room`` cells; its number tells it from one cut alike."""
    names = [name_of(table, at, me) for at in range(len(table.seats))]
    if seat >= len(names):
        return fit(name_of(table, seat, me), room)
    shown = [fit(name, room) for name in names]
    if shown.count(shown[seat]) == 1:
        return shown[seat]
    number = f" {seat + 1}"
    return fit(names[seat], room - width_of(number)) + number


def with_short_names(table: TableState, room: int) -> TableState:
    """Return the table with everybody called by at most ``room`` cells."""
    if all(width_of(sitting.name) <= room for sitting in table.seats):
        return table
    seats = (
        replace(sitting, name=short_name(table, at, None, room)) if sitting.name else sitting
        for at, sitting in enumerate(table.seats)
    )
    return replace(table, seats=tuple(seats))


def with_short_name(line: Spoken, room: int) -> Spoken:
    """Return a line of chat or a notice with its name cut like the table's."""
    if isinstance(line, Announcement) or line.name is None or width_of(line.name) <= room:
        return line
    return replace(line, name=fit(line.name, room))
