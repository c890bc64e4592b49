"""What play by lines and play by a program share: signals, the pace of wishes, handing them over.

Both run under trio in the main thread, and the session is their other side.
"""

import signal
from collections.abc import Callable
from typing import Final

import trio

from kings_client.intents import Intent
from kings_protocol.limits import REQUESTS_PER_SECOND

PAUSE_SECONDS: Final = 1.25 / REQUESTS_PER_SECOND
"""Least time between two wishes, so that a fast script stays within the server's bounds."""

SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end the program in order; not every platform has all of them."""


async def heed_signals(
    leave: Callable[[int], None], *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Call ``leave`` with the exit code of each signal that asks the program to end."""
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    with trio.open_signal_receiver(*numbers) as signals:
        task_status.started()
        async for number in signals:
            leave(128 + number)


async def hand_over(send: trio.MemorySendChannel[Intent], intent: Intent) -> None:
    """Give ``intent`` to the other side, and let it be dealt with there."""
    await send.send(intent)
    while not send.statistics().tasks_waiting_receive:
        await trio.lowlevel.checkpoint()
