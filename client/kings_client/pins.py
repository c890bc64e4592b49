"""Which server is known at which address: the pins, kept between two runs in one small file.

A pin is the fingerprint of the certificate that was found at an address. Its *identity* is the
first fingerprint that the server was known by: the tokens of seats are filed by it. A server that
is met at another address keeps its identity, and so does one whose real certificate was renewed.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from attrs import asdict, frozen
from filelock import FileLock, Timeout

from kings_client.config import Address
from kings_client.store import StoreError, private_copy
from kings_protocol.identity_code import code_of

PINS: Final = 500
"""Addresses whose servers are remembered; the one pinned longest ago is forgotten."""

LOCK_SECONDS: Final = 2.0
"""How long another client of the same person may take to write the file."""


@frozen
class Pin:
    """What is known of the server at one address.

    Attributes:
        fingerprint: of its certificate, in hexadecimal.
        real: whether an authority vouched for it, so that it may be renewed without a question.
        identity: the fingerprint that the server was first known by.
    """

    fingerprint: str
    real: bool
    identity: str

    @property
    def code(self) -> str:
        """The fingerprint as people compare it."""
        return code_of(self.fingerprint)


class Pins:
    """The pins of one person. A file that cannot be written costs the next run's memory alone."""

    def __init__(self, folder: Path) -> None:
        """Use the file in ``folder``."""
        self._file = folder / "pins.json"
        self._new: dict[str, Pin] = {}

    def of(self, address: Address) -> Pin | None:
        """Return what is known of the server at ``address``."""
        return self._all().get(_name(address))

    def identity(self, fingerprint: str) -> str | None:
        """Return the identity of the server that has this certificate, if it is known anywhere."""
        known = (pin.identity for pin in self._all().values() if pin.fingerprint == fingerprint)
        return next(known, None)

    def keep(self, address: Address, pin: Pin) -> None:
        """Remember the server at ``address``, in place of what was known."""
        name = _name(address)
        self._new[name] = pin
        with suppress(StoreError, OSError, Timeout), self._lock():
            others = {other: known for other, known in self._kept().items() if other != name}
            kept = dict(list({**others, name: pin}.items())[-PINS:])
            content = {other: asdict(known) for other, known in kept.items()}
            private_copy(self._file, json.dumps(content, indent=1).encode())

    def _all(self) -> Mapping[str, Pin]:
        return {**self._kept(), **self._new}

    def _kept(self) -> Mapping[str, Pin]:
        try:
            found: Any = msgspec.json.decode(self._file.read_bytes(), type=dict[str, Pin])
        except (OSError, ValueError):
            return {}
        return {name: pin for name, pin in found.items() if _is_sound(pin)}

    def _lock(self) -> FileLock:
        return FileLock(self._file.with_suffix(".lock"), timeout=LOCK_SECONDS, mode=0o600)


def _is_sound(pin: Pin) -> bool:
    with suppress(ValueError):
        return all(len(bytes.fromhex(text)) == 32 for text in (pin.fingerprint, pin.identity))
    return False


def _name(address: Address) -> str:
    return f"{address.host.lower().rstrip('.')} {address.port}"
