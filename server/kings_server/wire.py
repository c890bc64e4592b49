"""A TCP connection that waits only where the system makes it wait.

``trio.SocketStream`` gives others a turn after each send, and asks the system for bytes before it
waits for any. On a connection whose one writer sends a little and then sleeps, and whose one reader
takes whatever has come, both are for nothing, and together a fifth of the server's work.
"""

import socket
from typing import Final

import trio

from kings_server.limits import RECEIVE_BYTES

FAILURES: Final = (OSError, ValueError)
"""What a socket raises; the second where one is waited for that is closed."""


class Wire(trio.abc.Stream):
    """One end of a TCP connection; one task may send, and one receive.

    Sending is a checkpoint only if the system does not take all bytes at once.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        """Take over the socket of ``stream``, which is of no more use."""
        self._socket = socket.socket(fileno=stream.socket.detach())
        self._socket.setblocking(False)
        self._again = b""

    def send_now(self, data: bytes) -> bytes:
        """Send what the system takes at once of ``data``, and return the rest; errors as below."""
        try:
            return data[self._socket.send(data) :]
        except BlockingIOError:
            return data
        except FAILURES as error:
            raise self._ended(error) from error

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of ``data``.

        Raises:
            trio.BrokenResourceError: the other end is gone.
            trio.ClosedResourceError: this end was closed.
        """
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                await self.wait_send_all_might_not_block()
            except FAILURES as error:
                raise self._ended(error) from error

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the system takes bytes; errors as ``send_all``."""
        try:
            await trio.lowlevel.wait_writable(self._socket)
        except FAILURES as error:
            raise self._ended(error) from error

    def put_back(self, data: bytes) -> None:
        """Have bytes that were received come once more, before all others."""
        self._again = data

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return bytes that have come, or none if the other end sends no more; errors as above."""
        if self._again:
            again, self._again = self._again, b""
            return again
        while True:
            try:
                await trio.lowlevel.wait_readable(self._socket)
                return self._socket.recv(max_bytes or RECEIVE_BYTES)
            except BlockingIOError:
                continue
            except FAILURES as error:
                raise self._ended(error) from error

    async def aclose(self) -> None:
        """Close the connection, whatever has not been received."""
        if self._socket.fileno() != -1:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()
        await trio.lowlevel.checkpoint()

    def _ended(self, error: Exception) -> trio.BrokenResourceError | trio.ClosedResourceError:
        closed = self._socket.fileno() == -1
        return trio.ClosedResourceError() if closed else trio.BrokenResourceError(str(error))
