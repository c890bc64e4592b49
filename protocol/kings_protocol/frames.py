"""Frames: a four-byte big-endian length, then that many bytes of body."""

from kings_protocol.codes import CloseCode
from kings_protocol.errors import LocalError, RemoteError

HEADER_BYTES = 4


def frame(body: bytes, limit: int) -> bytes:
    """Return ``body`` with its length before it.

    Raises:
        LocalError: the body is empty, or longer than ``limit`` bytes.
    """
    if not 0 < len(body) <= limit:
        raise LocalError(f"a frame of {len(body)} bytes cannot be sent; the limit is {limit}")
    return len(body).to_bytes(HEADER_BYTES, "big") + body


class FrameDecoder:
    """Cuts a stream of bytes into the bodies of its frames.

    A length is judged as soon as its four bytes are there, so no more of a bad frame is kept than
    came in one ``feed``. Taking a frame from the front of a ``bytearray`` moves no bytes.
    """

    __slots__ = ("_buffer", "_limit")

    def __init__(self, limit: int) -> None:
        """Make a decoder of bodies of up to ``limit`` bytes."""
        self._buffer = bytearray()
        self._limit = limit

    @property
    def partial(self) -> bool:
        """Whether bytes are left that make no whole frame, once ``next`` has returned nothing."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take in bytes from the peer."""
        self._buffer += data

    def next(self) -> bytes | None:
        """Return the next frame's body, or nothing before all of it is there.

        Raises:
            RemoteError: the next frame's length is zero or above the limit.
        """
        buffer = self._buffer
        if len(buffer) < HEADER_BYTES:
            return None
        length = int.from_bytes(buffer[:HEADER_BYTES], "big")
        if length == 0:
            raise RemoteError(CloseCode.FRAME_EMPTY)
        if length > self._limit:
            raise RemoteError(CloseCode.FRAME_TOO_LONG, f"{length} bytes, limit {self._limit}")
        end = HEADER_BYTES + length
        if len(buffer) < end:
            return None
        body = bytes(buffer[HEADER_BYTES:end])
        del buffer[:end]
        return body
