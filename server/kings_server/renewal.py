"""Taking up a certificate that was renewed in its files, which may be on a disk that hangs."""

from math import inf

import trio

from kings_server.certificate import Identity
from kings_server.limits import RENEWAL_SECONDS


class Renewal:
    """Looks at the certificate's files in a thread, one look at a time and one a second at most."""

    def __init__(self, identity: Identity) -> None:
        """Renew ``identity``, when ``look`` is called."""
        self._identity = identity
        self._next = -inf
        self._one = trio.CapacityLimiter(1)

    async def look(self) -> None:
        """Take up what is new. A look that takes long is waited for no longer, by one caller."""
        now = trio.current_time()
        # A look that was left alone keeps its place until the disk answers.
        if now < self._next or not self._one.available_tokens:
            return
        self._next = now + RENEWAL_SECONDS
        with trio.move_on_after(RENEWAL_SECONDS):
            await trio.to_thread.run_sync(
                self._identity.renew, abandon_on_cancel=True, limiter=self._one
            )
