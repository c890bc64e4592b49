"""Taking up a certificate that was renewed in its files, which may be on a disk that hangs."""

from math import inf

import trio

from kings_server.certificate import Identity
from kings_server.limits import RENEWAL_LOOK_SECONDS, RENEWAL_SECONDS, RENEWAL_WARNING_DAYS
from kings_server.log import Log

_DAY_SECONDS = 86400.0


class Renewal:
    """Looks at the certificate's files in a thread, one look at a time and one a second at most.

    What came of it is logged: what was taken up, and what could not be, once it was not twice.
    """

    def __init__(self, identity: Identity, log: Log) -> None:
        """Renew ``identity``, when ``look`` is called."""
        self.identity = identity
        self._log = log
        self._next = -inf
        self._one = trio.CapacityLimiter(1)
        self._changed = identity.changed
        self._seen = self._told = ""
        self._warned = -inf

    async def run(self) -> None:
        """Look every minute, for ever: a server that nobody comes to has a certificate too."""
        while True:
            await self.look()
            self._warn()
            await trio.sleep(RENEWAL_LOOK_SECONDS)

    async def look(self) -> None:
        """Take up what is new. A look that takes long is waited for no longer, by one caller."""
        now = trio.current_time()
        # A look that was left alone keeps its place until the disk answers.
        if now < self._next or not self._one.available_tokens:
            return
        self._next = now + RENEWAL_SECONDS
        with trio.move_on_after(RENEWAL_SECONDS):
            await trio.to_thread.run_sync(
                self.identity.renew, abandon_on_cancel=True, limiter=self._one
            )
        self._tell()

    def _tell(self) -> None:
        trouble = self.identity.trouble
        if self.identity.changed != self._changed:
            self._changed = self.identity.changed
            ends = str(self.identity.ends or "never")
            self._log.info("certificate renewed", ends=ends, code=self.identity.code)
        # Between its two files there is a moment in which they do not belong together.
        if trouble and trouble == self._seen != self._told:
            self._log.error("certificate not renewed", why=trouble)
            self._told = trouble
        if not trouble:
            self._told = ""
        self._seen = trouble

    def _warn(self) -> None:
        """Log once a day that the certificate runs out soon, or has."""
        days, now = self.identity.days_left, trio.current_time()
        if days is not None and days < RENEWAL_WARNING_DAYS and now >= self._warned + _DAY_SECONDS:
            self._warned = now
            event = "certificate runs out" if days > 0 else "certificate ran out"
            self._log.error(event, days_left=round(days, 1), ends=str(self.identity.ends))
