"""TLS handshakes: so many at once, so many of one address, and none for long.

A handshake is the dearest thing that a stranger can ask of the server, so it waits for its turn. A
turn is given when the client's whole opening is there, first to the address that has the fewest.
Whoever stalls keeps it while nobody waits, and hardly longer. Whatever fails in a handshake ends
that connection alone.
"""

import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import trio
from attrs import define

from kings_protocol.connection import Connection
from kings_protocol.errors import RemoteError
from kings_protocol.limits import BYE_SECONDS
from kings_protocol.messages import Bye, Hello
from kings_protocol.states import Role
from kings_protocol.version import answer_plain
from kings_server.bounds import Bounds
from kings_server.certificate import Identity
from kings_server.limits import HANDSHAKE_PATIENCE, RECEIVE_BYTES
from kings_server.log import Log
from kings_server.renewal import Renewal
from kings_server.wire import Wire

_HANDSHAKE: Final = 0x16
"""The first byte of TLS (RFC 8446, 5.1); of a frame of ours, it is a length beyond all bounds."""

_LEFT: Final = "it left without a word"

_HEADER: Final = 5
"""Bytes before the body of a record of TLS; the last two are the body's length."""


class Handshakes:
    """The server's side of all handshakes.

    Attributes:
        renewal: renews the certificate before each of them.
    """

    def __init__(self, identity: Identity, bounds: Bounds, log: Log) -> None:
        """Prove the server to be ``identity``, within ``bounds``."""
        self.renewal = Renewal(identity, log)
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
        failure, began = "it was too slow", trio.current_time()
        seconds = self._bounds.handshake_seconds
        # Whoever does not even begin is not waited for as long as for a whole handshake.
        with trio.move_on_after(min(self._bounds.hello_seconds, seconds)) as scope:
            try:
                opening = await _opening(wire)
                if not opening:
                    failure = _LEFT
                elif opening[0] != _HANDSHAKE:
                    failure = "it does not encrypt"
                    await _refuse_plain(wire, opening)
                else:
                    scope.deadline = began + seconds
                    wire.put_back(opening)
                    await self.renewal.look()
                    async with self._turns.turn(address):
                        return await self._shaken(wire)
            except trio.BrokenResourceError as error:
                failure = _words(error)
        # Who only looks whether the port is open, as programs that watch a server do, said nothing.
        (log.debug if failure == _LEFT else log.info)("no handshake", why=failure)
        return None

    async def _shaken(self, wire: Wire) -> trio.SSLStream[Wire]:
        secured = trio.SSLStream(wire, self._identity.context, server_side=True)
        await secured.do_handshake()
        return secured


@define(eq=False)
class _Turn:
    """Somebody's turn, now or when it comes; ``since`` is when it came."""

    address: str
    given: trio.Event
    scope: trio.CancelScope
    since: float = 0.0


class _Turns:
    """The turns of all, each for the one of the longest waiting whose address has the fewest."""

    def __init__(self, at_once: int, per_address: int) -> None:
        self._at_once = at_once
        self._per_address = per_address
        self._had: dict[_Turn, None] = {}
        self._waiting: dict[_Turn, None] = {}

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back in the end; it ends early if others wait too long."""
        mine = _Turn(address, trio.Event(), trio.CancelScope())
        self._waiting[mine] = None
        self._hand_out()
        try:
            while not mine.given.is_set():
                with trio.move_on_after(HANDSHAKE_PATIENCE):
                    await mine.given.wait()
                if not mine.given.is_set():
                    self._press(address)
            with mine.scope:
                yield
        finally:
            self._waiting.pop(mine, None)
            self._had.pop(mine, None)
            self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and len(self._had) < self._at_once:
            used = Counter(turn.address for turn in self._had)
            first = min(self._waiting, key=lambda turn: used[turn.address])
            if used[first.address] >= self._per_address:
                return
            del self._waiting[first]
            self._had[first] = None
            first.since = trio.current_time()
            first.given.set()

    def _press(self, address: str) -> None:
        """End the turn that was given first, if that was long ago and it keeps ``address`` away."""
        own = sum(turn.address == address for turn in self._had) >= self._per_address
        late = trio.current_time() - HANDSHAKE_PATIENCE
        for turn in self._had:
            if turn.since <= late and not (own and turn.address != address):
                turn.scope.cancel()
                return


async def _opening(wire: Wire) -> bytes:
    """Return a whole record of TLS, or the beginning of anything else; nothing if nothing came."""
    opening = b""
    while data := await wire.receive_some(RECEIVE_BYTES):
        opening += data
        if opening[0] != _HANDSHAKE or len(opening) >= RECEIVE_BYTES:
            break
        if len(opening) >= _HEADER + int.from_bytes(opening[3:_HEADER], "big") > _HEADER:
            break
    return opening


async def _refuse_plain(wire: Wire, opening: bytes) -> None:
    """Answer a client that does not encrypt as it can read it, once its hello is there."""
    connection = Connection(Role.SERVER)
    data, answer = opening, b""
    while data and not answer:
        connection.receive(data)
        try:
            hello = connection.next_message()
        except RemoteError as error:
            answer = connection.send(Bye(code=error.code))
        else:
            if isinstance(hello, Hello):
                answer = connection.send(answer_plain())
            else:
                data = await wire.receive_some(RECEIVE_BYTES)
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
