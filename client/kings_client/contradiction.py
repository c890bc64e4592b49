"""What a server says that cannot be true of what it said before: it is not believed."""

from kings_client.model import Model
from kings_protocol import messages
from kings_protocol.messages import Message, TableState


def contradicts(model: Model, message: Message) -> bool:
    """Say whether ``message``, sound by itself, cannot be true of the table that is shown."""
    match message:
        case messages.Seated(re=re, table=table) | messages.Watching(re=re, table=table):
            # A seat is kept in a file of its table's: only of one that was asked for.
            asked = next((one.request for one in model.pending if one.request.id == re), None)
            coming = messages.Join | messages.Resume | messages.Watch
            return isinstance(asked, coming) and asked.table != table
        case TableState(table=table, name=name, match=match, seats=seats):
            before = model.table
            if before is None or before.table != table:
                return False
            # A name is never changed, and what changes with each message would be kept each time.
            same = len(seats) == len(before.seats) and name == before.name
            return not same or match < before.match
        case messages.Update(view=view):
            own = None if view.own is None else view.own.seat
            seats = () if model.table is None else model.table.seats
            return own != model.seat or len(view.public.seats) != len(seats)
    return False
