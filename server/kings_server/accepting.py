"""Taking connections although the system may have no files or memory left for one more."""

from typing import Final

import trio

from kings_server.log import Log, Spells
from kings_server.scarcity import is_scarce

AGAIN_SECONDS: Final = 0.1
"""Seconds until it is tried again. Meanwhile who connects waits in the system's own queue."""


class Accepting(trio.abc.Listener[trio.SocketStream]):
    """A listener that waits where the system has too little, and says so once a spell."""

    def __init__(self, listener: trio.SocketListener, log: Log) -> None:
        """Take the connections of ``listener``."""
        self._listener = listener
        self._log = log
        self._spells = Spells()

    async def accept(self) -> trio.SocketStream:
        """Return the next connection; errors as of ``trio.SocketListener``, but what is scarce."""
        while True:
            try:
                return await self._listener.accept()
            except OSError as error:
                if not is_scarce(error):
                    raise
                times = self._spells.due(error.errno, trio.current_time())
                if times:
                    why = (error.strerror or "").lower()
                    self._log.error("no connection can be taken", why=why, times=times)
            await trio.sleep(AGAIN_SECONDS)

    async def aclose(self) -> None:
        """Listen no more."""
        await self._listener.aclose()
