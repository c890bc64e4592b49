"""Listening, and the fence round each connection."""

import errno
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Network, ip_address

import trio

from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.limits import BYE_SECONDS
from kings_protocol.messages import Bye
from kings_protocol.states import Role
from kings_server.lobby import Lobby
from kings_server.log import Log, described
from kings_server.session import Session

ANYWHERE = ("0.0.0.0", "::")  # noqa: S104  a server for the local network listens to all of it


class Listener:
    """Takes connections, runs each as a session, and counts them."""

    def __init__(self, lobby: Lobby, log: Log) -> None:
        """Serve ``lobby``."""
        self.sessions: dict[Session, str] = {}
        self._lobby = lobby
        self._log = log
        self._number = 0
        self._empty = trio.Event()
        self._empty.set()

    async def handle(self, stream: trio.abc.Stream) -> None:
        """Serve one connection. The fence: nothing that happens in it reaches another."""
        self._number += 1
        log = self._log.bind(connection=self._number)
        address = address_of(stream)
        if not self._takes(address):
            await _turn_away(stream)
            return
        session = Session(stream, self._lobby, log)
        self.sessions[session] = address
        if self._empty.is_set():
            self._empty = trio.Event()
        log.debug("connection made")
        failure = ""
        try:
            await session.run()
        except* Exception as errors:  # noqa: BLE001  the fence round connections
            failure = described(errors)
        finally:
            self._end(session)
        if failure:
            log.error("connection failed", error=failure)
        log.debug("connection ended")

    def _takes(self, address: str) -> bool:
        """Say whether there is room for one more, altogether and from ``address``."""
        bounds = self._lobby.config.bounds
        strangers = [at for session, at in self.sessions.items() if not session.entered]
        if len(self.sessions) >= bounds.connections or len(strangers) >= bounds.unentered:
            return False
        here = sum(at == address for at in self.sessions.values())
        return not address or (
            here < bounds.connections_per_address
            and strangers.count(address) < bounds.unentered_per_address
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

    def _end(self, session: Session) -> None:
        self.sessions.pop(session, None)
        if not self.sessions:
            self._empty.set()


def address_of(stream: trio.abc.Stream) -> str:
    """Return what the limits of one address are counted by; nothing for a stream without one.

    It is the whole address, or the network of one site where addresses are plentiful.
    """
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        name = stream.socket.getpeername()[0]
    except OSError:
        return ""
    address = ip_address(name.partition("%")[0])
    if isinstance(address, IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(IPv6Network((address, 64), strict=False) if mapped is None else mapped)


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


async def _turn_away(stream: trio.abc.Stream) -> None:
    with trio.move_on_after(BYE_SECONDS):
        try:
            await stream.send_all(
                Connection(Role.SERVER).send(Bye(code=CloseCode.TOO_MANY_CONNECTIONS))
            )
        except trio.BrokenResourceError:
            return
