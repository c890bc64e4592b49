"""Listening, and the fence round each connection."""

import errno
from collections import Counter
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
from kings_server.renewal import Renewal
from kings_server.session import Session
from kings_server.wire import Wire

ANYWHERE = ("0.0.0.0", "::")  # noqa: S104  a server for the local network listens to all of it


_ALERTS: Final = {CloseCode.TOO_MANY_CONNECTIONS: 80, CloseCode.BANNED: 49}
"""Fatal alerts of TLS, "internal error" and "access denied" (RFC 8446, 6): they cost no handshake.

Who is turned away so is told the same as in plain text.
"""


class Listener:
    """Takes connections, runs each as a session, and counts them."""

    def __init__(self, lobby: Lobby, log: Log, identity: Identity | None = None) -> None:
        """Serve ``lobby``; with an ``identity``, under TLS."""
        bounds = lobby.config.bounds
        self.sessions: dict[Session, str] = {}
        self._here: Counter[str] = Counter()
        self._arriving: Counter[str] = Counter()
        self._strangers: dict[Session, str] = {}
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
        code = self._refusal(address)
        if code is not None:
            self._lobby.counts.refused += 1
            if times := self._spells.due((code, address), trio.current_time()):
                log.warning("turned away", code=code.value, times=times)
            await _turn_away(stream, code, encrypted=self._handshakes is not None)
        elif not isinstance(stream, trio.SocketStream):
            await self._serve(stream, address, number, log, overheard=False)
        else:
            overheard = self._handshakes is None and not _is_here(stream)
            async with Wire(stream) as wire:
                secured = await self._secured(wire, address, log)
                if secured is not None:
                    await self._serve(secured, address, number, log, overheard=overheard)
                    with trio.move_on_after(BYE_SECONDS):
                        await secured.aclose()

    async def _secured(self, wire: Wire, address: str, log: Log) -> trio.abc.Stream | None:
        """Return the connection as it is spoken over, or nothing if no handshake came about."""
        if self._handshakes is None:
            return wire
        self._arriving[address] += 1
        try:
            return await self._handshakes.secured(wire, address, log)
        finally:
            _discount(self._arriving, address)

    async def _serve(
        self, stream: trio.abc.Stream, address: str, number: int, log: Log, *, overheard: bool
    ) -> None:
        session = Session(stream, self._lobby, log, address, number=number, overheard=overheard)
        self.sessions[session] = self._strangers[session] = address
        self._here[address] += 1
        if self._empty.is_set():
            self._empty = trio.Event()
        log.debug("connection made")
        try:
            await session.run()
        finally:
            self._end(session, address)
            log.debug("connection ended")

    def _refusal(self, address: str) -> CloseCode | None:
        """Say why nobody from ``address`` is taken now, if so; who is banned costs nothing more."""
        if self._lobby.bans.bars_address(address):
            return CloseCode.BANNED
        return None if self._takes(address) else CloseCode.TOO_MANY_CONNECTIONS

    def _takes(self, address: str) -> bool:
        """Say whether there is room for one more, altogether and from ``address``."""
        bounds = self._lobby.config.bounds
        self._strangers = {one: at for one, at in self._strangers.items() if not one.entered}
        everybody = len(self.sessions) + self._arriving.total()
        strangers = len(self._strangers) + self._arriving.total()
        if everybody >= bounds.connections or strangers >= bounds.unentered:
            return False
        if not address:
            return True
        arriving = self._arriving[address]
        unentered = sum(at == address for at in self._strangers.values()) + arriving
        return (
            self._here[address] + arriving < bounds.connections_per_address
            and unentered < bounds.unentered_per_address
        )

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

    def _end(self, session: Session, address: str) -> None:
        self.sessions.pop(session, None)
        self._strangers.pop(session, None)
        _discount(self._here, address)
        if not self.sessions:
            self._empty.set()


def _discount(counted: Counter[str], address: str) -> None:
    """Count one less, and forget an address that nobody comes from."""
    counted[address] -= 1
    if not counted[address]:
        del counted[address]


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
