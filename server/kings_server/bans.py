"""Who is not let in: clients and networks, each until a time or for good, kept in a file.

A client is known by an id that its program keeps, so whoever deletes that is another one; an
address is harder to change, but a whole household may have it. The times are those of the wall
clock, because bans outlive the server's process.
"""

import os
import time
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final

import msgspec

NAME: Final = "bans.json"
"""The file in the data directory."""


class Ban(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ban.

    Attributes:
        number: what it is called by.
        client: the id of a client, or nothing.
        network: a network in the usual notation, or nothing.
        name: what the person was called then.
        until: seconds since 1970; nothing means for good.
    """

    number: int
    client: str
    network: str
    name: str
    until: float | None


class CannotKeep(Exception):  # noqa: N818  said to whoever runs the server
    """The bans cannot be read or written; the message says why, in one line."""


class Bans:
    """The bans of one server; with a directory, they are kept in its file.

    Attributes:
        kept: whether the file says what is in force.
    """

    def __init__(self, directory: Path | None, now: Callable[[], float] = time.time) -> None:
        """Read what is kept in ``directory``.

        Raises:
            CannotKeep: the file is there and cannot be read.
        """
        self._file: Path | None = None
        self._now = now
        self._bans: tuple[Ban, ...] = ()
        self._networks: tuple[tuple[Ban, IPv4Network | IPv6Network], ...] = ()
        self.kept = True
        if directory is None:
            return
        # A link stays one: what it leads to is written.
        self._file = (directory / NAME).resolve()
        if os.path.lexists(directory / NAME):
            try:
                self._take(msgspec.json.decode(self._file.read_bytes(), type=tuple[Ban, ...]))
            except (OSError, ValueError) as error:
                raise CannotKeep(f"cannot read {self._file}: {error}") from None

    def all(self) -> tuple[Ban, ...]:
        """Return the bans that are in force."""
        now = self._now()
        return tuple(ban for ban in self._bans if ban.until is None or now < ban.until)

    def bars(self, client: str, address: str) -> bool:
        """Say whether a client from ``address`` is not let in; the address may be a network."""
        return self.bars_address(address) or any(ban.client == client for ban in self.all())

    def bars_address(self, address: str) -> bool:
        """Say whether nobody from ``address`` is let in; this is asked of every connection."""
        if not address or not self._networks:
            return False
        now, at = self._now(), ip_network(address, strict=False).network_address
        return any(
            at in network and (ban.until is None or now < ban.until)
            for ban, network in self._networks
        )

    def add(self, client: str, network: str, name: str, seconds: float | None) -> Ban:
        """Ban a client, or a network, for so long or (nothing) for good; ``keep`` keeps it.

        Raises:
            ValueError: that is no network.
        """
        network = "" if client else str(_network(network))
        number = max((ban.number for ban in self._bans), default=0) + 1
        until = None if seconds is None else self._now() + seconds
        ban = Ban(number, client, network, name, until)
        self._become((*self.all(), ban))
        return ban

    def lift(self, number: int) -> Ban | None:
        """Lift a ban, and return it; or nothing if there is none of this number.

        ``keep`` keeps that.
        """
        lifted = next((ban for ban in self.all() if ban.number == number), None)
        if lifted is not None:
            self._become(tuple(ban for ban in self.all() if ban is not lifted))
        return lifted

    def _take(self, bans: tuple[Ban, ...]) -> None:
        self._networks = tuple((ban, _network(ban.network)) for ban in bans if not ban.client)
        self._bans = bans

    def _become(self, bans: tuple[Ban, ...]) -> None:
        self._take(bans)
        self.kept = self._file is None

    def keep(self) -> None:
        """Write what is not kept yet; this waits for the disk, and is called once at a time.

        Raises:
            CannotKeep: what is in force holds until the server ends, and no longer.
        """
        if self._file is None or self.kept:
            return
        # In this order, because more may be banned meanwhile: that is then kept next time.
        self.kept = True
        bans = self._bans
        fresh = self._file.with_name(f"{NAME}.new")
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(msgspec.json.encode(bans))
                stream.flush()
                os.fsync(stream.fileno())
            fresh.replace(self._file)
        except OSError as error:
            self.kept = False
            why = (error.strerror or "").lower()
            raise CannotKeep(f"done, but not kept: cannot write {self._file}: {why}") from None


def _network(text: str) -> IPv4Network | IPv6Network:
    """Return the network that a ban of ``text`` bars, in which connections are told apart.

    Raises:
        ValueError: that is neither an address nor a network.
    """
    network = ip_network(text, strict=False)
    if isinstance(network, IPv4Network):
        return network
    mapped = network.network_address.ipv4_mapped
    if mapped is not None and network.prefixlen >= _MAPPED:
        return IPv4Network((mapped, network.prefixlen - _MAPPED), strict=False)
    return network if network.prefixlen <= SITE else network.supernet(new_prefix=SITE)


SITE: Final = 64
"""Bits of an IPv6 address by which a connection is known: what is behind them is one site's."""

_MAPPED: Final = 96
"""Bits before the address of IPv4 in an address of IPv6 that stands for it (RFC 4291, 2.5.5.2)."""
