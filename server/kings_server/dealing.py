"""The preparation of one deal, or of the cut: a commitment, and the clients' shares in its key.

The seed is fresh from the operating system for each deal and never derived from another. It is
committed to before any client's nonce is known, so neither side chooses the deck alone.
"""

import os
from collections.abc import Iterable

from kings_engine.shuffle import commitment
from kings_engine.sources import Secret
from kings_protocol.messages import Offer


class Dealing:
    """One offer: which deal it is for, who was asked, and who has answered."""

    __slots__ = ("_asked", "_nonces", "_seed", "commitment", "deal", "until")

    def __init__(self, deal: int, secret: Secret, asked: Iterable[int], until: float) -> None:
        """Commit to a seed.

        Args:
            deal: the deal's number, or 0 for the cut or the lot.
            secret: the seed, and the nonces that are in already.
            asked: the seats whose nonces are waited for.
            until: when the deal begins without the nonces that are still missing.
        """
        self._seed = secret.seed
        self._nonces = list(secret.nonces)
        self._asked = set(asked)
        self.commitment = commitment(self._seed).hex()
        self.deal = deal
        self.until = until

    @classmethod
    def new(cls, deal: int, seats: int, asked: Iterable[int], until: float) -> "Dealing":
        """Commit to a new seed, for a table of so many ``seats``; the other arguments as above."""
        return cls(deal, Secret(os.urandom(32), (None,) * seats), asked, until)

    @property
    def complete(self) -> bool:
        """Whether nobody is waited for."""
        return not self._asked

    def answer(self, seat: int, nonce: bytes) -> bool:
        """Take a seat's nonce; the first one counts. Say whether it was taken."""
        self._asked.discard(seat)
        if self._nonces[seat] is not None:
            return False
        self._nonces[seat] = nonce
        return True

    def excuse(self, seat: int) -> None:
        """Wait no longer for a seat whose client is gone."""
        self._asked.discard(seat)

    def secret(self) -> Secret:
        """Return what the deck is made of; a missing nonce is recorded as absent."""
        return Secret(self._seed, tuple(self._nonces))

    def offer(self, now: float) -> Offer:
        """Return the offer as the clients see it."""
        left = max(0, round((self.until - now) * 1000))
        return Offer(deal=self.deal, commitment=self.commitment, left=left)
