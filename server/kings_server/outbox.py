"""What waits to be written to one connection.

Replies and one-time messages keep their order and are bounded; one too many ends the connection.
What only ever matters in its newest form (the table's state, the game, the lobby) has a slot each:
a newer one takes the older one's place, and it is made when it is written, so that a slow reader
costs neither memory nor work. The worst case for one connection is ``OUTBOX_REPLIES`` messages and
three references; only proofs are larger than a kilobyte (about 16 KB): 1 MB, and 64 KB for somebody
who asks for no proofs.

Nothing here awaits, and placing something cannot fail. Its writer is told when it is no longer
empty (``writing``).
"""

from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import TypeAlias

from kings_protocol.codes import CloseCode
from kings_protocol.limits import OUTBOX_REPLIES
from kings_protocol.messages import Bye, Message

Encode: TypeAlias = Callable[[Message], bytes]
Source: TypeAlias = Callable[[Encode], bytes]


class Slot(IntEnum):
    """The kinds of which only the newest matters, in the order in which they are written."""

    TABLE = 0
    GAME = 1
    LOBBY = 2


class Outbox:
    """The queue and the slots of one connection."""

    __slots__ = ("_bye", "_closed", "_due", "_queue", "_slots", "_tell")

    def __init__(self, tell: Callable[[], None] | None = None) -> None:
        """Begin empty; ``tell`` is called when there is something to take, or it is closed."""
        self._queue: deque[Message] = deque()
        self._slots: dict[Slot, Source] = {}
        self._bye: Bye | None = None
        self._closed = False
        self._due = False
        self._tell = tell

    @property
    def finished(self) -> bool:
        """Whether nothing more will ever be due."""
        return self._closed and not self._queue and self._bye is None

    @property
    def closed(self) -> bool:
        """Whether nothing more is taken in."""
        return self._closed

    @property
    def depth(self) -> int:
        """How many messages wait to be written; what is newest of the rest counts as one each."""
        return len(self._queue) + len(self._slots)

    def put(self, message: Message) -> None:
        """Queue a reply or a one-time message; over the bound, the outbox closes itself."""
        if self._closed:
            return
        if len(self._queue) >= OUTBOX_REPLIES:
            self.close(Bye(code=CloseCode.TOO_SLOW), flush=False)
            return
        self._queue.append(message)
        self._wake()

    def renew(self, slot: Slot, source: Source) -> None:
        """Let ``source`` make the slot's newest form when it is written."""
        if not self._closed:
            self._slots[slot] = source
            self._wake()

    def clear(self, *slots: Slot) -> None:
        """Forget what the slots hold: their receiver has no more business with it."""
        for slot in slots:
            self._slots.pop(slot, None)

    def close(self, bye: Bye | None, *, flush: bool = True) -> None:
        """Take in nothing more; what is queued is still written (``flush``), then ``bye``."""
        if not flush:
            self._queue.clear()
        if not self._closed:
            self._closed = True
            self._bye = bye
            self._slots.clear()
            self._wake()

    def _wake(self) -> None:
        if not self._due:
            self._due = True
            if self._tell is not None:
                self._tell()

    def take(self, encode: Encode) -> bytes:
        """Return all that is due as the frames of one write, and be empty."""
        self._due = False
        frames = []
        queue = self._queue
        while queue:
            frames.append(encode(queue.popleft()))
        if self._slots:
            frames += [self._slots[slot](encode) for slot in sorted(self._slots)]
            self._slots.clear()
        if self._bye is not None:
            frames.append(encode(self._bye))
            self._bye = None
        return frames[0] if len(frames) == 1 else b"".join(frames)
