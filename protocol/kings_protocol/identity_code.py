"""A server's certificate as a fingerprint for programs, and as a short code for people.

The code is read aloud and compared, so it has no letter that sounds or looks like another's: it is
Douglas Crockford's base 32 (https://www.crockford.com/base32.html) of the fingerprint's first 80
bits. Whoever wants another certificate with the same code has to make about 2**80 of them.
"""

from hashlib import sha256
from typing import Final

CODE_DIGITS: Final = 16
"""Digits of a code, of five bits each."""

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_GROUP: Final = 4
_READ_AS: Final = str.maketrans("OILoil", "011011", "- \t")
"""What a person may have written for a digit, and what stands between the groups."""


def fingerprint_of(certificate: bytes) -> str:
    """Return the SHA-256 of a certificate in DER, as 64 hexadecimal digits."""
    return sha256(certificate).hexdigest()


def code_of(fingerprint: str) -> str:
    """Return the code of a fingerprint, in groups of four."""
    bits = int(fingerprint, 16) >> (4 * len(fingerprint) - 5 * CODE_DIGITS)
    places = range(5 * (CODE_DIGITS - 1), -1, -5)
    digits = "".join(_ALPHABET[bits >> place & 31] for place in places)
    return "-".join(digits[at : at + _GROUP] for at in range(0, CODE_DIGITS, _GROUP))


def read_code(text: str) -> str:
    """Return the code that a person wrote, in the form of ``code_of``.

    Raises:
        ValueError: it is not a whole code.
    """
    digits = text.translate(_READ_AS).upper()
    if len(digits) != CODE_DIGITS or not set(digits) <= set(_ALPHABET):
        raise ValueError(f"a code has {CODE_DIGITS} letters and digits, not {text[:40]!r}")
    return "-".join(digits[at : at + _GROUP] for at in range(0, CODE_DIGITS, _GROUP))
