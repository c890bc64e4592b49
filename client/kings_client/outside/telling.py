"""What is said of a program's seat, beside what happens in the deal."""

from collections.abc import Iterable

from kings_client.model import Linked, Model
from kings_client.words import spoken
from kings_client.words.reasons import reason, unseated
from kings_client.words.tongue import tell


def changes(before: Model, model: Model) -> Iterable[str]:
    """Return what has changed: the connection, and where the program sits."""
    link = model.link
    if link.state is Linked.WAITING and before.link.state is not Linked.WAITING:
        yield tell("Connection lost: {why}.", why=reason(link.reason or ""))
    if link.state is Linked.ONLINE and before.link.attempt:
        yield tell("Connected again.")
    if model.where == "lobby" and model.lobby is not None and before.lobby is None:
        yield tell("In the lobby of {server}.", server=model.server_name)
    table = model.table
    if table is not None and model.seat is not None and before.table is None:
        yield tell("At {table}, seat {seat}.", table=table.name, seat=model.seat + 1)
    if model.unseated is not None and before.unseated is None:
        yield f"{spoken.capital(unseated(model.unseated))}."
