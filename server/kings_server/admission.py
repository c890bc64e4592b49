"""Whether a password opens what a request asks for: the server, a table, or a new table's lock.

It is worked out before the table is asked, because it takes long and a table waits for nobody. What
the table is handed then brings no password any more, and so none is remembered or kept.
"""

from typing import TypeAlias

from attrs import field, frozen
from msgspec.structs import replace

from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_server.hashes import ticket_of
from kings_server.lobby import Guest, Lobby

WithPassword: TypeAlias = m.Enter | m.MakeTable | m.Join | m.Watch
"""Requests that may bring a password."""


@frozen
class Admitted:
    """A request whose password fits, with a ticket in its place; ``kept`` is a table's new hash."""

    request: WithPassword
    kept: str | None = field(repr=False)


async def admit(
    lobby: Lobby, guest: Guest, request: WithPassword, address: str
) -> Admitted | m.Refused:
    """Try the password of ``request``, or make the hash of a new table's.

    Args:
        lobby: what it asks to be let in to.
        guest: who asks.
        request: what brings a password.
        address: where it comes from.
    """
    kept, password = _kept(lobby, guest, request), request.password or ""
    if kept is not None:
        tried = await lobby.passwords.tried(kept, password, address)
        if not tried.fits:
            code = RefusalCode.TOO_MANY_TRIES if tried.wait else RefusalCode.WRONG_PASSWORD
            return m.Refused(re=request.id, code=code, seconds=tried.wait or None)
    elif isinstance(request, m.MakeTable):
        kept = await lobby.passwords.keep(password, address)
    return Admitted(replace(request, password=None if kept is None else ticket_of(kept)), kept)


def _kept(lobby: Lobby, guest: Guest, request: WithPassword) -> str | None:
    """Return the hash of the password that a request has to bring, if it has to bring one."""
    match request:
        case m.Enter():
            return lobby.password
        case m.MakeTable():
            found = lobby.asked_before(guest, request)
        case _:
            found = lobby.tables.get(request.table)
    return None if found is None else found.settings.password
