"""Commitments to what a deck is made of: everybody commits before anybody reveals.

The construction is coin tossing by commitment (M. Blum, 1981), with a hash in the place of his
one-way function and as many parties as there are shares. ``docs/protocol.md`` ("A fair deal") has
it byte for byte. Every digest here is SHA-256 over parts that carry their length, the first of
which is a label of its own, so no digest can be taken for another.
"""

import hashlib
from collections.abc import Mapping
from functools import cached_property

from attrs import field, frozen

from kings_engine.rules import Value
from kings_engine.sources import Secret


@frozen(slots=False)
class DealContext:
    """What a commitment is for; it fits nothing else.

    Attributes:
        server: the server's id, 16 bytes.
        table: the table's id.
        match: the number of the table's match, from 1.
        deal: the number of the match's deal; 0 is the cut or the lot.
        attempt: how many offers of this deal went before, because a share was withheld.
        rules: the digest of the rules in force, ``rules_digest``.
    """

    server: bytes
    table: str
    match: int
    deal: int
    attempt: int
    rules: bytes

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The numbers of the match, the deal and the attempt."""
        return self.match, self.deal, self.attempt

    @cached_property
    def digest(self) -> bytes:
        """The 32 bytes that stand for the context in each commitment."""
        parts = (number.to_bytes(4, "big") for number in self.numbers)
        return _digest(b"kings context", self.server, self.table.encode(), *parts, self.rules)


def rules_digest(knobs: Mapping[str, Value]) -> bytes:
    """Return the 32 bytes that stand for a table's rules, all ``knobs`` as plain data."""
    parts: list[bytes] = []
    for name in sorted(knobs):
        parts += (name.encode(), _value_text(knobs[name]).encode())
    return _digest(b"kings rules", *parts)


def commit_seed(context: DealContext, seed: bytes) -> bytes:
    """Return the server's commitment: 32 bytes that are published before any share exists."""
    return _digest(b"kings seed", context.digest, seed)


def commit_share(context: DealContext, seed: bytes, seat: int, share: bytes) -> bytes:
    """Return a seat's commitment to its share.

    Args:
        context: what it is for.
        seed: the server's commitment, to which it is an answer.
        seat: whose share it is; another seat cannot reveal it as its own.
        share: 32 bytes that nobody else knows yet.
    """
    return _digest(b"kings share", context.digest, seed, bytes((seat,)), share)


def set_digest(context: DealContext, seed: bytes, commitments: tuple[bytes | None, ...]) -> bytes:
    """Return the 32 bytes that stand for the whole set: the server's commitment and all seats'."""
    return _digest(
        b"kings set", context.digest, seed, *(b"" if one is None else one for one in commitments)
    )


@frozen
class Promise:
    """The commitments to one deck, as somebody saw them before the first card of it.

    Attributes:
        context: what they are for.
        seed: the server's commitment.
        shares: the seats' commitments, in order; nothing for a seat without a share.
        seat: the seat of who saw them; nothing for a spectator.
        share: that seat's own share, if it has one in the set.
    """

    context: DealContext
    seed: bytes
    shares: tuple[bytes | None, ...]
    seat: int | None
    share: bytes | None = field(repr=False)

    def fits_seed(self, secret: Secret) -> bool:
        """Say whether the seed is the one that was committed to."""
        return commit_seed(self.context, secret.seed) == self.seed

    def fits_shares(self, secret: Secret) -> bool:
        """Say whether the shares are those that were committed to: all of them, and no other."""
        found = tuple(
            None if share is None else commit_share(self.context, self.seed, seat, share)
            for seat, share in enumerate(secret.shares)
        )
        return found == self.shares

    def uses_own(self, secret: Secret) -> bool:
        """Say whether the viewer's own share is in the deck's key, if it has one."""
        return self.share is None or _has_share(secret, self.seat, self.share)


@frozen
class LoosePromise:
    """A promise of the first kind, which old files have: nobody committed to a share.

    It fixed the deck before play. It did not keep a server from choosing it, so whoever has one had
    no share that counts.

    Attributes:
        seed: the server's commitment.
        seat: the seat of who saw it.
        share: what that seat gave, if the server took it.
    """

    seed: bytes
    seat: int | None
    share: bytes | None = field(repr=False)

    def fits_seed(self, secret: Secret) -> bool:
        """Say whether the seed is the one that was committed to."""
        return hashlib.sha256(b"kings-commit" + secret.seed).digest() == self.seed

    def fits_shares(self, secret: Secret) -> bool:  # noqa: ARG002  nobody committed to any
        """Say that the shares fit."""
        return True

    def uses_own(self, secret: Secret) -> bool:
        """Say whether what the viewer gave is in the deck's key, if anything was taken."""
        return self.share is None or _has_share(secret, self.seat, self.share)


def _has_share(secret: Secret, seat: int | None, share: bytes) -> bool:
    return seat is not None and secret.shares[seat : seat + 1] == (share,)


def _digest(*parts: bytes) -> bytes:
    """Return SHA-256 over the parts, each after its length in two bytes."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(2, "big") + part)
    return digest.digest()


def _value_text(value: Value) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return str(value)
