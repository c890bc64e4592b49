"""Listening, and the fence round each connection."""

import errno
from collections.abc import Sequence
from ipaddress import IPv6Network, ip_address
from typing import Final

import trio

from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.limits import BYE_SECONDS
from kings_protocol.messages import Bye
from kings_protocol.states import Role
from kings_server.bans import SITE
from kings_server.certificate import Identity
from kings_server.handshakes import Handshakes
from kings_server.lobby import Lobby
from kings_server.log import Log, Spells, described
from kings_server.places import Place, Places
from kings_server.renewal import Renewal
from kings_server.session import Session
from kings_server.wire import Wire

ANYWHERE = ("0.0.0.0", "::")  # noqa: S104  a server for the local network listens to all of it


_ALERTS: Final = {CloseCode.TOO_MANY_CONNECTIONS: 80, CloseCode.BANNED: 49}
"""Fatal alerts of TLS, "internal error" and "access denied" (RFC 8446, 6): they cost no handshake.

Who is turned away so is told the same as in plain text.
"""


class Listener:
    """Takes connections, as far as there are places, and runs each as a session."""

    def __init__(self, lobby: Lobby, log: Log, identity: Identity | None = None) -> None:
        """Serve ``lobby``; with an ``identity``, under TLS."""
        bounds = lobby.config.bounds
        self.sessions: dict[Session, str] = {}
        self._places = Places(bounds)
        self._handshakes = None if identity is None else Handshakes(identity, bounds, log)
        self._lobby = lobby
        self._log = log
        self._spells = Spells()
        self._empty = trio.Event()
        self._empty.set()

    @property
    def renewal(self) -> Renewal | None:
        """What renews the server's certificate, if it has one."""
        return None if self._handshakes is None else self._handshakes.renewal

    async def handle(self, stream: trio.abc.Stream) -> None:
        """Serve one connection. The fence: nothing that happens in it reaches another."""
        self._lobby.counts.connections += 1
        number = self._lobby.counts.connections
        log, failure = self._log.bind(connection=number, address=peer_of(stream)), ""
        try:
            await self._take(stream, number, log)
        except* Exception as errors:  # noqa: BLE001  the fence round connections
            failure = described(errors)
        if failure:
            log.error("connection failed", error=failure)

    async def _take(self, stream: trio.abc.Stream, number: int, log: Log) -> None:
        address = address_of(stream)
        place = self._place(address)
        if isinstance(place, CloseCode):
            self._lobby.counts.refused += 1
            if times := self._spells.due((place, address), trio.current_time()):
                log.warning("turned away", code=place.value, times=times)
            await _turn_away(stream, place, encrypted=self._handshakes is not None)
            return
        try:
            with place.scope:
                await self._talk(stream, place, number, log)
        finally:
            self._places.give_back(place)

    async def _talk(self, stream: trio.abc.Stream, place: Place, number: int, log: Log) -> None:
        """Serve a connection that has a place, encrypted if it is to be."""
        if not isinstance(stream, trio.SocketStream):
            await self._serve(stream, place, number, log, overheard=False)
            return
        overheard = self._handshakes is None and not _is_here(stream)
        async with Wire(stream) as wire:
            secured: trio.abc.Stream | None = wire
            if self._handshakes is not None:
                secured = await self._handshakes.secured(wire, place.address, log)
            if secured is not None:
                await self._serve(secured, place, number, log, overheard=overheard)
                with trio.move_on_after(BYE_SECONDS):
                    await secured.aclose()

    async def _serve(
        self, stream: trio.abc.Stream, place: Place, number: int, log: Log, *, overheard: bool
    ) -> None:
        address = place.address
        session = Session(stream, self._lobby, log, address, number=number, overheard=overheard)
        self.sessions[session] = address
        place.session = session
        if self._empty.is_set():
            self._empty = trio.Event()
        log.debug("connection made")
        try:
            await session.run()
        finally:
            self._end(session)
            log.debug("connection ended")

    def _place(self, address: str) -> Place | CloseCode:
        """Return a place for one from ``address``, or why there is none.

        Who is banned costs nothing more.
        """
        if self._lobby.bans.bars_address(address):
            return CloseCode.BANNED
        return self._places.take(address) or CloseCode.TOO_MANY_CONNECTIONS

    def announce_stop(self) -> None:
        """Tell everybody who has entered that the server is about to stop."""
        for session in self.sessions:
            session.tell_of_stop()

    async def farewell(self, seconds: float) -> None:
        """Tell everybody that the server stops, and wait until they are gone, but not for ever."""
        for session in self.sessions:
            session.close(CloseCode.STOPPED)
        with trio.move_on_after(seconds):
            await self.wait_empty()

    async def wait_empty(self) -> None:
        """Return when nobody is connected."""
        await self._empty.wait()

    def _end(self, session: Session) -> None:
        self.sessions.pop(session, None)
        if not self.sessions:
            self._empty.set()


def _is_here(stream: trio.abc.Stream) -> bool:
    """Say whether the other end is on this machine, so that nobody can read along."""
    if not isinstance(stream, trio.SocketStream):
        return True
    name = peer_of(stream)
    return bool(name) and ip_address(name).is_loopback


def peer_of(stream: trio.abc.Stream) -> str:
    """Return the address that a connection comes from; nothing for a stream without one."""
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        name = stream.socket.getpeername()[0]
    except OSError:
        return ""
    address = ip_address(name.partition("%")[0])
    return str(getattr(address, "ipv4_mapped", None) or address)


def address_of(stream: trio.abc.Stream) -> str:
    """Return what the limits of one address are counted by; nothing for a stream without one.

    It is the whole address, or the network of one site where addresses are plentiful.
    """
    name = peer_of(stream)
    return str(IPv6Network((name, SITE), strict=False)) if ":" in name else name


async def open_listeners(host: str | None, port: int) -> Sequence[trio.SocketListener]:
    """Listen on ``host``, or on every interface, at ``port`` or (0) at one that is free.

    Raises:
        OSError: the port is taken, or the host is no address of this machine.
    """
    if host is not None:
        return await trio.open_tcp_listeners(port, host=host)
    (first,) = await trio.open_tcp_listeners(port, host=ANYWHERE[0])
    try:
        others = await trio.open_tcp_listeners(port_of(first), host=ANYWHERE[1])
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            await first.aclose()
            raise
        others = []  # a machine without IPv6
    return (first, *others)


def port_of(listener: trio.SocketListener) -> int:
    """Return the port that ``listener`` listens at."""
    port: int = listener.socket.getsockname()[1]
    return port


async def _turn_away(stream: trio.abc.Stream, code: CloseCode, *, encrypted: bool) -> None:
    alert = bytes((21, 3, 3, 0, 2, 2, _ALERTS[code]))
    bye = Connection(Role.SERVER).send(Bye(code=code))
    with trio.move_on_after(BYE_SECONDS):
        try:
            await stream.send_all(alert if encrypted else bye)
        except trio.BrokenResourceError:
            return
