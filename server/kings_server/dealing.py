"""The making of one deck, or of the cut's: all commit to what it is made of, then all reveal it.

The seed is fresh from the operating system for each offer and never derived from another. Nobody
chooses the deck: the server commits to its seed before the seats' clients make their shares, and
they have all committed before any of them is revealed.
"""

import os
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import TypeVar

from attrs import evolve, field, frozen

from kings_engine.commitments import DealContext, commit_seed, commit_share, set_digest
from kings_engine.sources import Secret
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Member, Offer

T = TypeVar("T")


class Missing(StrEnum):
    """Why a seat has no share in a deck; the values are the protocol's."""

    LATE = "late"  #: its commitment came too late
    GONE = "gone"  #: its person is gone
    BOT = "bot"  #: a bot plays there
    WITHHELD = "withheld"  #: it withheld a share in this match
    OUT = "out"  #: nobody plays there any more


@frozen(slots=False)
class Dealing:
    """One offer: what it is for, who is waited for, and what is in. It never changes.

    Attributes:
        context: what all commitments are for.
        seed: the server's seed.
        commitments: the seats' commitments to their shares, as far as they are in.
        shares: the shares that were revealed.
        missing: why a seat has no commitment; complete once the set is closed.
        until: when what is still missing is waited for no longer.
        closed: whether the set of commitments is published.
    """

    context: DealContext
    seed: bytes = field(repr=False)
    commitments: tuple[bytes | None, ...]
    shares: tuple[bytes | None, ...] = field(repr=False)
    missing: tuple[Missing | None, ...]
    until: float
    closed: bool = False

    @classmethod
    def new(
        cls, context: DealContext, missing: Iterable[Missing | None], until: float
    ) -> "Dealing":
        """Commit to a new seed; a seat that is ``missing`` for no reason is asked for a share."""
        reasons = tuple(missing)
        nothing = (None,) * len(reasons)
        return cls(context, os.urandom(32), nothing, nothing, reasons, until)

    @property
    def deal(self) -> int:
        """The deal's number, or 0 for the cut or the lot."""
        return self.context.deal

    @cached_property
    def commitment(self) -> bytes:
        """The server's commitment."""
        return commit_seed(self.context, self.seed)

    @property
    def awaited(self) -> tuple[int, ...]:
        """The seats whose commitment, or then whose share, is waited for."""
        seats = range(len(self.commitments))
        if self.closed:
            return tuple(s for s in seats if self.commitments[s] and self.shares[s] is None)
        return tuple(s for s in seats if not (self.missing[s] or self.commitments[s]))

    @property
    def due(self) -> float:
        """When the offer goes on: at once if all is in, after a while if there is no share."""
        without_shares = self.closed and not any(self.commitments)
        return self.until if self.awaited or without_shares else -inf

    @property
    def secret(self) -> Secret:
        """What the deck is made of, when nobody is waited for any more."""
        return Secret(self.seed, self.shares)

    def commit(self, seat: int, commitment: bytes) -> "Dealing | RefusalCode":
        """Take a seat's commitment, or say why not; the first one counts."""
        if self.closed or self.missing[seat] is not None:
            return RefusalCode.NO_OFFER
        if self.commitments[seat] is not None:
            return RefusalCode.SHARE_GIVEN
        return evolve(self, commitments=_with(self.commitments, seat, commitment))

    def reveal(self, seat: int, members: bytes, share: bytes) -> "Dealing | RefusalCode":
        """Take a seat's share, or say why not.

        Args:
            seat: whose it is.
            members: the digest of the set that the seat's client saw.
            share: 32 bytes.
        """
        commitment = self.commitments[seat]
        if not self.closed or commitment is None:
            return RefusalCode.NO_OFFER
        if self.shares[seat] is not None:
            return RefusalCode.SHARE_GIVEN
        fits = commit_share(self.context, self.commitment, seat, share) == commitment
        if not fits or members != set_digest(self.context, self.commitment, self.commitments):
            return RefusalCode.BAD_SHARE
        return evolve(self, shares=_with(self.shares, seat, share))

    def close(self, until: float) -> "Dealing":
        """Publish the set, without who has not committed. Shares are awaited ``until`` then."""
        missing = self.missing
        for seat in self.awaited:
            missing = _with(missing, seat, Missing.LATE)
        return evolve(self, missing=missing, closed=True, until=until)

    def excuse(self, seat: int) -> "Dealing":
        """Wait no longer for the commitment of a seat whose client is gone."""
        if self.closed or seat not in self.awaited:
            return self
        return evolve(self, missing=_with(self.missing, seat, Missing.GONE))

    def ask(self, seat: int) -> "Dealing":
        """Wait for the commitment of a seat whose person is back before the set is published."""
        if self.closed or self.missing[seat] is not Missing.GONE:
            return self
        return evolve(self, missing=_with(self.missing, seat, None))

    def leave_out(self, seat: int, why: Missing | None) -> "Dealing":
        """Forget the commitment of a seat that its person gave up before the set was published."""
        if self.closed:
            return self
        return evolve(
            self,
            commitments=_with(self.commitments, seat, None),
            missing=_with(self.missing, seat, why),
        )

    def wait_until(self, until: float) -> "Dealing":
        """Wait at least until then for what is missing."""
        return evolve(self, until=max(self.until, until))

    def offer(self, now: float) -> Offer:
        """Return the offer as the clients see it; there is no share in it."""
        members = zip(self.commitments, self.missing, strict=True) if self.closed else ()
        return Offer(
            deal=self.deal,
            attempt=self.context.attempt,
            commitment=self.commitment.hex(),
            left=0 if self.until == inf else max(0, round((self.until - now) * 1000)),
            members=tuple(
                Member(
                    commitment=None if one is None else one.hex(),
                    missing=None if why is None else why.value,
                )
                for one, why in members
            ),
        )


def _with(values: tuple[T | None, ...], seat: int, value: T) -> tuple[T | None, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
