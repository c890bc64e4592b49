"""What is kept of a password: its scrypt hash, a text that names its own cost and salt."""

import hashlib
import secrets
from typing import Final

from kings_server.identity import key_of, same

COST: Final = 14
"""The binary logarithm of scrypt's N; with r = 8 it takes 16 MB (RFC 7914, 2)."""

_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32


def hashed(password: str, cost: int = COST) -> str:
    """Return what is kept of a password: enough to know it again. This takes long."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return f"scrypt:{cost}:{salt.hex()}:{_key(password, salt, cost).hex()}"


def fits(kept: str, password: str) -> bool:
    """Say whether ``password`` is the one that ``kept`` is of. This takes long."""
    _, cost, salt, key = kept.split(":")
    return same(bytes.fromhex(key), _key(password, bytes.fromhex(salt), int(cost)))


def ticket_of(kept: str) -> str:
    """Return what takes the place of a password in a request, once it was found to fit.

    It opens nothing that was not opened already: nobody can know it who does not know the hash.
    """
    return key_of(kept).hex()


def _key(password: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(
        password.encode(),
        salt=salt,
        n=2**cost,
        r=8,
        p=1,
        maxmem=64 * 1024 * 1024,
        dklen=_KEY_BYTES,
    )
