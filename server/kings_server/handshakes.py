"""TLS handshakes: so many at once, so many of one address, and none for long.

A handshake is the dearest thing that a stranger can ask of the server, so it waits for its turn: no
crowd at one address takes all the turns from the others. A connection that says nothing takes none.
Whatever fails in a handshake ends that connection alone.
"""

import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import trio

from kings_protocol.connection import Connection
from kings_protocol.errors import RemoteError
from kings_protocol.limits import BYE_SECONDS
from kings_protocol.messages import Bye, Hello
from kings_protocol.states import Role
from kings_protocol.version import answer_plain
from kings_server.bounds import Bounds
from kings_server.certificate import Identity
from kings_server.limits import RECEIVE_BYTES
from kings_server.log import Log
from kings_server.wire import Wire

_HANDSHAKE: Final = 0x16
"""The first byte of TLS (RFC 8446, 5.1); of a frame of ours, it is a length beyond all bounds."""


class Handshakes:
    """The server's side of all handshakes."""

    def __init__(self, identity: Identity, bounds: Bounds) -> None:
        """Prove the server to be ``identity``, within ``bounds``."""
        self._identity = identity
        self._bounds = bounds
        self._turns = _Turns(bounds.handshakes, bounds.handshakes_per_address)

    async def secured(self, wire: Wire, address: str, log: Log) -> trio.SSLStream[Wire] | None:
        """Return the connection under TLS, or nothing if that did not come about in time.

        Args:
            wire: a new connection, of which nothing has been read.
            address: whose turn it is to be counted as.
            log: where a failure is noted.
        """
        failure = f"took over {self._bounds.handshake_seconds:g} s"
        with trio.move_on_after(self._bounds.handshake_seconds):
            try:
                first = await wire.peek()
                if first and first[0] != _HANDSHAKE:
                    failure = "it does not encrypt"
                    await _refuse_plain(wire)
                elif first:
                    async with self._turns.turn(address):
                        return await self._shaken(wire)
                else:
                    failure = "it left"
            except trio.BrokenResourceError as error:
                failure = _words(error)
        log.info("no handshake", why=failure)
        return None

    async def _shaken(self, wire: Wire) -> trio.SSLStream[Wire]:
        self._identity.renew()
        secured = trio.SSLStream(wire, self._identity.context, server_side=True)
        await secured.do_handshake()
        return secured


class _Turns:
    """Turns, each handed to the one who waits longest among those whose address may have one."""

    def __init__(self, at_once: int, per_address: int) -> None:
        self._left = at_once
        self._per_address = per_address
        self._used: Counter[str] = Counter()
        self._waiting: dict[trio.Event, str] = {}

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back in the end."""
        mine = trio.Event()
        self._waiting[mine] = address
        self._hand_out()
        try:
            await mine.wait()
            yield
        finally:
            if self._waiting.pop(mine, None) is None:
                self._left += 1
                self._used[address] -= 1
                self._used += Counter()  # forgets the addresses that have none
                self._hand_out()

    def _hand_out(self) -> None:
        for event, address in list(self._waiting.items()):
            if self._left and self._used[address] < self._per_address:
                del self._waiting[event]
                self._left -= 1
                self._used[address] += 1
                event.set()


async def _refuse_plain(wire: Wire) -> None:
    """Answer a client that does not encrypt as it can read it, once its hello is there."""
    connection = Connection(Role.SERVER)
    answer: bytes = b""
    while not answer:
        data = await wire.receive_some(RECEIVE_BYTES)
        if not data:
            return
        connection.receive(bytes(data))
        try:
            hello = connection.next_message()
        except RemoteError as error:
            answer = connection.send(Bye(code=error.code))
        else:
            if isinstance(hello, Hello):
                answer = connection.send(answer_plain())
    await wire.send_all(answer)
    # The other side reads it and closes: closed at once, it might be lost with what was not read.
    with trio.move_on_after(BYE_SECONDS):
        while await wire.receive_some(RECEIVE_BYTES):
            pass


def _words(error: BaseException) -> str:
    cause = error.__cause__
    if isinstance(cause, ssl.SSLError):
        return (cause.reason or "it broke off").lower().replace("_", " ")
    return "it broke off"
