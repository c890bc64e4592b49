"""One connection, from the hello to its end: reads, writes and listens for a heartbeat.

It says only what the protocol itself asks for (pongs, pings and the last ``bye``); everything else
is its user's. Every way for it to end gives an ``Ending``.
"""

from collections.abc import Callable
from typing import Final

import trio
from attrs import frozen

from kings_client.config import Patience
from kings_client.model import Change, Reason
from kings_protocol import messages
from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.limits import CLIENT_FRAME_BYTES, TEXT_LENGTH
from kings_protocol.messages import Message, Ping, Pong
from kings_protocol.states import Role, State
from kings_protocol.text import clean

READ_BYTES: Final = 65536

TALK: Final = (messages.Said, messages.Notice, messages.Announcement)
"""What people say, and what is said of them."""

UNSENT_BYTES: Final = 16 * CLIENT_FRAME_BYTES
"""Bytes that may wait for a server that does not read; a person's wishes never come near it."""

HEARD_PER_SECOND: Final = 500.0
"""Messages a second that are read, on average; bots without a pause make two hundred."""

HEARD_BURST: Final = 1000.0
"""Messages that are read in one go before the average counts."""

TALK_COST: Final = 10.0
"""How many messages a line of chat, a notice or an announcement counts as: people write few."""

HEARTBEAT_LOOKS: Final = 5
"""How often the silence is measured in the time after which a ping is due."""


@frozen
class Ending:
    """Why a connection is over, or there was none.

    Attributes:
        reason: a slug.
        words: what a server of another version says about it.
        change: the codes between which the person has to decide, if that is why.
    """

    reason: str
    words: str | None = None
    change: Change | None = None


class Conversation:
    """A connection to a server that is open, or was."""

    def __init__(
        self, stream: trio.abc.Stream, hear: Callable[[Message], None], patience: Patience
    ) -> None:
        """Wrap an open stream; ``hear`` is called with every message but pings, pongs and byes."""
        self._stream = stream
        self._hear = hear
        self._patience = patience
        self._connection = Connection(Role.CLIENT)
        self._unsent = bytearray()
        self._something_to_send = trio.Event()
        self._writing = False
        self._heard_at = self._paced_at = trio.current_time()
        self._may_hear = HEARD_BURST
        self._greeted = False
        self._ending: Ending | None = None
        self._scope = trio.CancelScope()

    @property
    def state(self) -> State:
        """How far the connection has come."""
        return self._connection.state

    def may_send(self, kind: type[Message]) -> bool:
        """Say whether a message of this class may be sent now."""
        return self._connection.may_send(kind)

    def send(self, message: Message) -> None:
        """Have ``message`` sent as soon as the server takes it; nothing is awaited.

        Raises:
            LocalError: the connection's state does not allow it.
        """
        self._unsent += self._connection.send(message)
        self._something_to_send.set()
        if len(self._unsent) > UNSENT_BYTES:
            self.end(Ending(Reason.STALLED))

    def end(self, ending: Ending) -> None:
        """Bring the conversation to its end; the first reason given stands."""
        if self._ending is None:
            self._ending = ending
            self._scope.cancel()

    async def run(self) -> Ending:
        """Talk until the end, close the stream and return why.

        A server that could still listen is told why, cancelled or not, in at most
        ``patience.bye`` seconds.
        """
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read)
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._watch_heartbeat)
        finally:
            with trio.move_on_after(self._patience.bye, shield=True):
                await self._part()
            await trio.aclose_forcefully(self._stream)
        return self._ending or Ending(Reason.CUT)

    async def _read(self) -> None:
        while True:
            try:
                data = await self._stream.receive_some(READ_BYTES)
            except trio.BrokenResourceError:
                data = b""
            self._heard_at = trio.current_time()
            try:
                self._connection.receive(bytes(data))
                while (message := self._connection.next_message()) is not None:
                    self._take(message)
                    await self._keep_pace(message)
            except RemoteError as error:
                code = error.code
                self.end(Ending(Reason.CUT if code is CloseCode.FRAME_CUT_SHORT else code))
            if not data:
                self.end(Ending(Reason.CUT))
            await trio.lowlevel.checkpoint_if_cancelled()

    async def _keep_pace(self, message: Message) -> None:
        """Wait before more is read from a server that says more than people can make it say.

        Each message costs work, and some a file: without this, a server could keep a client busy
        with nothing else. What waits fills the network's buffers, and then the server waits. What
        comes together otherwise is taken together: a reply and the position after it.
        """
        now = trio.current_time()
        self._may_hear = min(
            self._may_hear + (now - self._paced_at) * HEARD_PER_SECOND, HEARD_BURST
        )
        self._paced_at = now
        self._may_hear -= TALK_COST if isinstance(message, TALK) else 1
        if self._may_hear < 0:
            await trio.sleep(-self._may_hear / HEARD_PER_SECOND)
            self._heard_at = trio.current_time()

    def _take(self, message: Message) -> None:
        match message:
            case Ping():
                self.send(Pong(n=message.n))
            case Pong():
                pass
            case messages.Bye(code=code):
                self.end(Ending(code))
            case messages.Unwelcome(words=words):
                self._hear(message)
                self.end(Ending(Reason.UNWELCOME, clean(words, TEXT_LENGTH)))
            case _:
                self._greeted = True
                self._hear(message)

    async def _write(self) -> None:
        while True:
            await self._something_to_send.wait()
            self._something_to_send = trio.Event()
            data, self._unsent = bytes(self._unsent), bytearray()
            self._writing = True
            with trio.move_on_after(self._patience.write) as limit:
                try:
                    await self._stream.send_all(data)
                except trio.BrokenResourceError:
                    # What the server said before it closed may still be there to be read.
                    await trio.sleep(self._patience.bye)
                    self.end(Ending(Reason.CUT))
            if limit.cancelled_caught:
                self.end(Ending(Reason.STALLED))
            await trio.lowlevel.checkpoint_if_cancelled()
            self._writing = False

    async def _watch_heartbeat(self) -> None:
        """Ask after silence, and give up after more of it; before the hello's answer, sooner."""
        await trio.sleep(self._patience.connect)
        if not self._greeted:
            self.end(Ending(Reason.TIMED_OUT))
        asked_at = -self._patience.ping
        number = 0
        while True:
            await trio.sleep(self._patience.ping / HEARTBEAT_LOOKS)
            now = trio.current_time()
            silent = now - self._heard_at
            if silent >= self._patience.dead:
                self.end(Ending(Reason.SILENT))
            elif min(silent, now - asked_at) >= self._patience.ping and self.may_send(Ping):
                number += 1
                asked_at = now
                self.send(Ping(n=number))

    async def _part(self) -> None:
        """Say the last ``bye``, unless the server is gone or a cut write garbled the stream."""
        ending = self._ending or Ending(CloseCode.GOING)
        gone = {Reason.CUT, Reason.STALLED, Reason.UNWELCOME}
        if self._writing or ending.reason in gone or not self.may_send(messages.Bye):
            return
        code = ending.reason if ending.reason in set(CloseCode) else CloseCode.GOING
        try:
            self._unsent += self._connection.send(messages.Bye(code=code))
            await self._stream.send_all(bytes(self._unsent))
        except (LocalError, trio.BrokenResourceError, trio.ClosedResourceError):
            return
