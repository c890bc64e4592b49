"""Opens a TCP connection, and says in one word why it cannot be opened."""

import socket
from collections.abc import Iterator

import trio

from kings_client.config import Address
from kings_client.model import Reason


async def connect(address: Address, seconds: float) -> trio.abc.Stream | Reason:
    """Return a stream to the server at ``address``, or why there is none after ``seconds``."""
    with trio.move_on_after(seconds):
        try:
            return await trio.open_tcp_stream(address.host, address.port)
        except (socket.gaierror, UnicodeError):
            return Reason.NAME_UNKNOWN
        except OSError as error:
            refused = any(isinstance(one, ConnectionRefusedError) for one in _causes(error))
            return Reason.NOBODY_LISTENS if refused else Reason.UNREACHABLE
    return Reason.TIMED_OUT


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and what it came from: one attempt for each of the name's addresses."""
    if error is None:
        return
    yield error
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _causes(one)
    yield from _causes(error.__cause__)
