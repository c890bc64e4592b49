"""From secrets to decks: keys and the shuffle, each reproducible by anybody.

``docs/protocol.md`` ("A fair deal") describes the same, for checking by other programs. Every use
has a key with a label of its own, so no key of one use tells anything about another's.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

from kings_engine.cards import DECK_SIZE, Card
from kings_engine.sources import Secret

SEED_BYTES: Final = 32
SHARE_BYTES: Final = 32


def well_formed(secret: Secret, players: int) -> bool:
    """Say whether the secret has a whole seed and, for each of ``players``, a share or none."""
    return (
        len(secret.seed) == SEED_BYTES
        and len(secret.shares) == players
        and all(share is None or len(share) == SHARE_BYTES for share in secret.shares)
    )


def deck(secret: Secret, deal_number: int) -> tuple[Card, ...]:
    """Return the shuffled deck of a deal, first card dealt first."""
    return _shuffled(_key(b"kings-deck", deal_number, secret))


def cut_deck(secret: Secret, cut_round: int) -> tuple[Card, ...]:
    """Return the shuffled deck that is cut in round ``cut_round`` (from 0) of a cut."""
    return _shuffled(_key(b"kings-cut", cut_round, secret))


def lot(secret: Secret, count: int) -> int:
    """Return a number below ``count``, each equally likely."""
    return _below(count, _stream(_key(b"kings-lot", 0, secret)))


def _key(label: bytes, number: int, secret: Secret) -> bytes:
    digest = hashlib.sha256(label + number.to_bytes(4, "big") + secret.seed)
    for share in secret.shares:
        digest.update(b"\0" if share is None else b"\1" + share)
    return digest.digest()


def _shuffled(key: bytes) -> tuple[Card, ...]:
    """Fisher and Yates' shuffle of the cards 0 to 51, from the last place down."""
    cards = list(range(DECK_SIZE))
    stream = _stream(key)
    for last in range(DECK_SIZE - 1, 0, -1):
        chosen = _below(last + 1, stream)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return tuple(cards)


def _stream(key: bytes) -> Iterator[int]:
    """Yield the bytes of SHA-256(key, counter) for the eight-byte counters 0, 1, 2 and on."""
    counter = 0
    while True:
        yield from hashlib.sha256(key + counter.to_bytes(8, "big")).digest()
        counter += 1


def _below(bound: int, stream: Iterator[int]) -> int:
    """Return a number below ``bound`` (at most 256), rejecting bytes that would favour some."""
    limit = 256 - 256 % bound
    return next(byte for byte in stream if byte < limit) % bound
