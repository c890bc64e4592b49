"""Announces the server on the local network by mDNS and DNS-SD, and withdraws it at the end.

The library works in threads of its own, which know nothing of tables: they are handed what is to be
said as plain values. Whatever fails there is one line in the log, and is tried again later; the
server goes on. Machines are unplugged, and plugged in again under another address, so the addresses
are looked at anew all the time.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import trio
from attrs import define, evolve, field

from kings_protocol.discovery import SERVICE, Announcement, write_txt
from kings_protocol.version import PROGRAM, PROTOCOL_NEWEST, PROTOCOL_OLDEST
from kings_server.config import Config
from kings_server.log import Log, described

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

LOOK_SECONDS: Final = 3.0
"""How often it is looked for something new to announce, which bounds how much is sent."""

AGAIN_SECONDS: Final = 30.0
"""How long after a failure it is tried again."""

WITHDRAW_SECONDS: Final = 2.0
"""How long the withdrawal may hold up the server's end; it takes half a second."""

ADDRESSES: Final = 32
"""Addresses that are announced, at most: they have to go into one packet."""

EVERY: Final = {"0.0.0.0": 4, "::": 6}  # noqa: S104  what a socket says that listens to all
"""Hosts that stand for every address of the machine in one version of IP."""


def announced(config: Config) -> Announcement:
    """Return what a server says of itself when it starts."""
    return Announcement(
        instance=secrets.token_hex(8),
        oldest=PROTOCOL_OLDEST,
        newest=PROTOCOL_NEWEST,
        program=PROGRAM,
        name=config.name,
        locked=config.password_file is not None,
    )


@define
class Announcer:
    """Announces one server.

    Attributes:
        hosts: the addresses that it listens on.
        port: its port.
        said: what is announced; the numbers in it are renewed.
        log: where a failure is told.
    """

    hosts: Sequence[str]
    port: int
    said: Announcement
    log: Log
    _library: "Zeroconf | None" = None
    _info: "ServiceInfo | None" = None
    _addresses: tuple[str, ...] = ()
    _settled: bool = True
    _lock: Lock = field(factory=Lock)

    @property
    def label(self) -> str:
        """The name of the service as it is announced now; empty while it is not."""
        return "" if self._info is None or not self._addresses else str(self._info.name)

    async def run(self, count: Callable[[], tuple[int, int]]) -> None:
        """Announce the server until cancelled, and withdraw it then.

        Args:
            count: tells how many people and how many tables there are.
        """
        failed = False
        try:
            while True:
                people, tables = count()
                said = evolve(self.said, people=people, tables=tables)
                failure = await trio.to_thread.run_sync(self._attempt, said, abandon_on_cancel=True)
                if failure and not failed:
                    self.log.warning("the network cannot be told of the server", error=failure)
                failed = bool(failure)
                await trio.sleep(AGAIN_SECONDS if failed else LOOK_SECONDS)
        finally:
            with trio.move_on_after(WITHDRAW_SECONDS, shield=True):
                await trio.to_thread.run_sync(self._withdraw, abandon_on_cancel=True)

    # ---- in a thread of its own

    def _attempt(self, said: Announcement) -> str:
        """Announce what is new, and return what failed, or nothing."""
        failure = ""
        try:
            with self._lock:
                self._renew(said)
        except Exception as error:  # noqa: BLE001  the fence round the library
            failure = described(error)
        if failure:
            self._withdraw()
        return failure

    def _renew(self, said: Announcement) -> None:
        from zeroconf import Zeroconf

        addresses = own_addresses(self.hosts)
        moved = addresses != self._addresses
        if self._library is None:
            self._library = Zeroconf(**self._interfaces(addresses), use_asyncio=False)
            self._info = self._described(said, addresses)
            self._library.register_service(self._info, allow_name_change=True)
        else:
            # An address that has just come may not be usable yet, so it is tried twice.
            if moved or not self._settled:
                self._library.update_interfaces(**self._interfaces(addresses))
            info = self._described(said, addresses)
            if moved or self._info is None or info.text != self._info.text:
                self._info = info
                self._library.update_service(info)
        self._addresses, self._settled = addresses, not moved

    def _described(self, said: Announcement, addresses: tuple[str, ...]) -> "ServiceInfo":
        from zeroconf import ServiceInfo

        label = f"kings-{said.instance}"
        return ServiceInfo(
            SERVICE,
            # The name that it was given, if another server had this one.
            f"{label}.{SERVICE}" if self._info is None else self._info.name,
            port=self.port,
            properties=write_txt(said),
            server=f"{label}.local.",
            parsed_addresses=list(addresses),
        )

    def _interfaces(self, addresses: tuple[str, ...]) -> dict[str, Any]:
        """Return what to tell the library about where to announce."""
        from zeroconf import InterfaceChoice, IPVersion

        if not EVERY.keys() & set(self.hosts):
            return {"interfaces": list(addresses)}
        six = any(ip_address(address).version == 6 for address in addresses)
        version = IPVersion.All if six else IPVersion.V4Only
        return {"interfaces": InterfaceChoice.All, "ip_version": version}

    def _withdraw(self) -> None:
        """Say goodbye, and let go of everything."""
        with self._lock:
            library, self._library, self._info = self._library, None, None
            self._addresses = ()
            with suppress(Exception):
                if library is not None:
                    library.close()


def own_addresses(hosts: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses of this machine at which a server that listens on ``hosts`` is reached.

    Those of the machine itself are left out, unless there are no others.
    """
    import ifaddr

    found = [host for host in hosts if host not in EVERY]
    versions = {EVERY[host] for host in hosts if host in EVERY}
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            address = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            if ip_address(address).version in versions:
                found.append(address)
    outside = [address for address in found if not ip_address(address).is_loopback]
    return tuple(dict.fromkeys(outside or found))[:ADDRESSES]
