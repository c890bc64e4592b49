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
from kings_server.log import Log
from kings_server.passwords import Asker, Try

WithPassword: TypeAlias = m.Enter | m.MakeTable | m.Join | m.Watch
"""Requests that may bring a password."""


@frozen
class Admitted:
    """A request whose password fits, with a ticket in its place; ``kept`` is a table's new hash."""

    request: WithPassword
    kept: str | None = field(repr=False)


async def admit(
    lobby: Lobby, guest: Guest, request: WithPassword, asker: Asker, log: Log
) -> Admitted | m.Refused:
    """Try the password of ``request``, or make the hash of a new table's.

    Nothing is worked out for a request that is refused all the same.

    Args:
        lobby: what it asks to be let in to.
        guest: who asks.
        request: what brings a password.
        asker: the connection that brings it.
        log: where wrong ones are noted, and from when on they are tried slowly.
    """
    kept, password = _kept(lobby, guest, request), request.password or ""
    if kept is not None:
        target = request.table if isinstance(request, m.Join | m.Watch) else ""
        client = request.client if isinstance(request, m.Enter) else guest.client
        tried = await lobby.passwords.tried(Try(kept, password, asker, target, client))
        about = {"table": target} if target else {}
        if tried.slows:
            log.warning("too many wrong passwords", **about)
        if not tried.fits:
            log.warning("wrong password", **about)
            return m.Refused(re=request.id, code=RefusalCode.WRONG_PASSWORD)
    elif isinstance(request, m.MakeTable):
        refused = lobby.refusal(guest, request)
        if refused is not None:
            return refused
        kept = await lobby.passwords.keep(password, asker)
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
