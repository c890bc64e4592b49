"""Who may come back: secrets made, kept as hashes, and compared in constant time."""

import hmac
import secrets
from hashlib import sha256


def new_token() -> str:
    """Return a seat's new token: 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


def new_server_id() -> str:
    """Return a new identity for a server: 16 random bytes in hexadecimal."""
    return secrets.token_hex(16)


def new_table_id() -> str:
    """Return a table's id: short enough to be read aloud, and hard to run into by accident."""
    return secrets.token_hex(4)


def key_of(token: str) -> bytes:
    """Return what is kept of a token: enough to know it again, not enough to use it."""
    return sha256(token.encode()).digest()


def same(one: str | bytes, other: str | bytes) -> bool:
    """Say whether two secrets are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(_octets(one), _octets(other))


def _octets(secret: str | bytes) -> bytes:
    return secret.encode() if isinstance(secret, str) else secret
