"""Hears the servers that announce themselves on the networks of this machine, by mDNS and DNS-SD.

The library works in threads of its own, which hand over what they hear as plain values. It is
loaded in the background, once the first picture has been drawn. Only what lies in a network of this
machine is taken from an announcement: that is how far one reaches, and nobody can have the client
knock at doors elsewhere.
"""

import logging
from contextlib import suppress
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

import trio

from kings_client.config import Address
from kings_client.nearby import Heard, Nearby
from kings_protocol.discovery import SERVICE, read_txt

if TYPE_CHECKING:
    from zeroconf import ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

START_SECONDS: Final = 0.25
"""How long the library waits to be loaded: the first picture goes before."""

LOOK_SECONDS: Final = 3.0
"""How often it is looked whether the machine has come to another network."""

CLOSE_SECONDS: Final = 2.0
"""How long the library may take to let go of everything; it takes a few milliseconds."""

DETAILS_SECONDS: Final = 2.0
"""How long a server may take to tell where it is, if its announcement did not."""

DETAILS_AT_ONCE: Final = 4
"""Servers that are asked for that at the same time."""

NEWS: Final = 256
"""Names of which news may wait to be taken; a flood beyond that is not listened to."""

Network: TypeAlias = IPv4Interface | IPv6Interface


class Ear:
    """Takes what the library hears, in its threads, and keeps it until it is asked for."""

    def __init__(self) -> None:
        """Hear nothing yet; ``open`` begins."""
        self.news = trio.Event()
        self._token = trio.lowlevel.current_trio_token()
        self._lock = Lock()
        self._heard: dict[str, Heard | None] = {}
        self._vague: dict[str, None] = {}
        self._library: Zeroconf | None = None
        self._browser: ServiceBrowser | None = None
        self._networks: tuple[Network, ...] = ()
        self._settled = True

    # ---- for trio's thread

    def take(self) -> tuple[dict[str, Heard | None], tuple[str, ...]]:
        """Return what was heard since the last call.

        Returns:
            What was announced under each label, or nothing where it was withdrawn; and the names of
            servers that have not said where they are.
        """
        self.news = trio.Event()
        with self._lock:
            heard, self._heard = self._heard, {}
            vague, self._vague = self._vague, {}
        return heard, tuple(vague)

    # ---- for a thread that may wait, one call at a time

    def renew(self) -> bool:
        """Listen in every network that the machine is in now; say whether that works."""
        try:
            self._renew()
        except Exception:  # noqa: BLE001  the fence round the library: the game needs none of it
            self.close()
        return self._library is not None

    def _renew(self) -> None:
        from zeroconf import (
            DNSQuestionType,
            InterfaceChoice,
            IPVersion,
            ServiceBrowser,
            Zeroconf,
        )

        networks = own_networks()
        moved = networks != self._networks
        version = IPVersion.All if any(one.version == 6 for one in networks) else IPVersion.V4Only
        self._networks = networks
        if self._library is None:
            # Its messages would be printed across the screen.
            logging.getLogger("asyncio").addHandler(logging.NullHandler())
            self._library = Zeroconf(InterfaceChoice.All, ip_version=version, use_asyncio=False)
        elif moved or not self._settled:
            # An address that has just come may not be usable yet, so it is tried twice.
            self._library.update_interfaces(InterfaceChoice.All, version)
            if self._browser is not None:
                self._browser.cancel()
                self._browser = None
        if self._browser is None:
            # An answer to this machine alone could go to another program of it: its own server.
            aloud = DNSQuestionType.QM
            self._browser = ServiceBrowser(
                self._library, SERVICE, [self._hear], question_type=aloud
            )
        self._settled = not moved

    def ask(self, name: str) -> None:
        """Ask the server of this name where it is, and wait for the answer."""
        from zeroconf import ServiceInfo

        library = self._library
        with suppress(Exception):
            info = ServiceInfo(SERVICE, name)
            if library is not None and info.request(library, DETAILS_SECONDS * 1000):
                self._note_announced(info)

    def close(self) -> None:
        """Listen no longer."""
        library, self._library = self._library, None
        browser, self._browser = self._browser, None
        with suppress(Exception):
            if browser is not None:
                browser.cancel()
        with suppress(Exception):
            if library is not None:
                library.close()

    # ---- for the library's threads

    def _hear(
        self,
        zeroconf: "Zeroconf",
        service_type: str,
        name: str,
        state_change: "ServiceStateChange",
    ) -> None:
        """Take what the library tells, in a thread of its own, which nothing that comes may end."""
        from zeroconf import ServiceInfo, ServiceStateChange

        with suppress(Exception):
            if state_change is ServiceStateChange.Removed:
                self._note(name, None)
                return
            info = ServiceInfo(service_type, name)
            if info.load_from_cache(zeroconf):
                self._note_announced(info)
            else:
                self._note(name, None, vague=True)

    def _note_announced(self, info: "ServiceInfo") -> None:
        """Keep what an announcement says, if it says anything to us."""
        said = read_txt(info.properties)
        port = info.port or 0
        near = sorted(filter(self._is_near, info.parsed_scoped_addresses()), key=_in_order)
        if said is not None and near and 0 < port < 65536:
            self._note(info.name, Heard(info.name, tuple(Address(at, port) for at in near), said))

    def _note(self, name: str, heard: Heard | None, *, vague: bool = False) -> None:
        """Keep a piece of news, if there is room for it, and say that there is some."""
        with self._lock:
            if vague:
                if len(self._vague) < DETAILS_AT_ONCE:
                    self._vague[name] = None
            elif name in self._heard or len(self._heard) < NEWS:
                self._heard[name] = heard
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._ring, idempotent=True)

    def _ring(self) -> None:
        self.news.set()

    def _is_near(self, host: str) -> bool:
        """Say whether an address lies in one of this machine's networks."""
        address = ip_address(host.partition("%")[0])
        return any(address in network.network for network in self._networks)


def own_networks() -> tuple[Network, ...]:
    """Return the networks that this machine is in, its own loop among them."""
    import ifaddr

    found = set()
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            address = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            found.add((str(ip_interface(f"{address}/{ip.network_prefix}")), adapter.index or 0))
    return tuple(ip_interface(text) for text, _ in sorted(found))


def _in_order(host: str) -> tuple[bool, str]:
    """Sort addresses so that the shorter kind comes first."""
    return ":" in host, host


async def listen(nearby: Nearby) -> None:
    """Tell ``nearby`` of every server that is announced, until cancelled."""
    await trio.sleep(START_SECONDS)
    ear = Ear()
    limit = trio.CapacityLimiter(DETAILS_AT_ONCE)

    async def ask(name: str) -> None:
        await trio.to_thread.run_sync(ear.ask, name, abandon_on_cancel=True, limiter=limit)

    async def hear() -> None:
        while True:
            heard, vague = ear.take()
            for name, one in heard.items():
                if one is None:
                    nearby.withdrawn(name)
                else:
                    nearby.heard(one)
            for name in vague:
                if limit.statistics().tasks_waiting == 0:
                    nursery.start_soon(ask, name)
            await ear.news.wait()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hear)
            while True:
                nearby.deaf(not await trio.to_thread.run_sync(ear.renew))
                await trio.sleep(LOOK_SECONDS)
    finally:
        with trio.move_on_after(CLOSE_SECONDS, shield=True):
            await trio.to_thread.run_sync(ear.close, abandon_on_cancel=True)
