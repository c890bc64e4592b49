"""Ranges and agreement inside what a server sends, beyond what its classes say.

A client shows views and events without looking twice; what would break it is refused here.
"""

from kings_protocol.messages import Message


def check(message: Message) -> None:
    """Pass over ``message``.

    Raises:
        ValueError: something in it is out of its range.
    """
