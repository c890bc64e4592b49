"""What ``kings doctor`` looks at on the network: interfaces, the port, and finding each other."""

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from ipaddress import ip_address
from math import inf
from typing import Final

from kings_protocol.discovery import SERVICE, read_txt
from kings_server.config import LOOPBACK, Config
from kings_server.discovery import own_addresses
from kings_server.doctor_greeting import greeting
from kings_server.findings import Finding, note, well, wrong

ANSWER_SECONDS: Final = 3.0
"""How long an echo may take to come."""

ECHO: Final = "_kings-echo._tcp.local."
"""The service that is announced to be heard again; no player's program looks for it."""

INTERFACES: Final = 8
"""Addresses of this machine at which an echo is waited for, at most."""

LOOK_SECONDS: Final = 0.05
"""How often it is looked whether it has come."""


def interfaces(config: Config) -> Iterator[Finding]:
    """Tell by which addresses others reach this machine."""
    import ifaddr

    found = []
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            address = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            parsed = ip_address(address)
            if not parsed.is_loopback and not (parsed.version == 6 and parsed.is_link_local):
                found.append(f"{address} ({adapter.nice_name})")
    if config.host is not None and _is_loopback(config.host):
        advice = "leave --host out to let others on the network come"
        yield note("interfaces", f"the server listens on {config.host} alone", advice)
    if found:
        yield well("interfaces", ", ".join(found))
    else:
        advice = "connect to a network; until then only this machine itself can play"
        yield note("interfaces", "none but the machine's own", advice)


def port(config: Config) -> Iterator[Finding]:
    """Look whether a server listens at the port, or could."""
    where = f"{config.port} of {config.host or 'every interface'}"
    if config.port == 0:
        yield well("port", "any free one is taken")
        return
    try:
        _try_to_listen(config)
    except OSError as error:
        near = config.host if config.host is not None else LOOPBACK
        answer = greeting(near, config.port)
        if answer.words:
            yield well("port", f"{where}: {answer.words}")
        else:
            why = (error.strerror or str(error)).lower()
            advice = "choose another with --port, or stop the program that has it"
            yield wrong("port", f"{where}: {why}", advice)
            return
    else:
        yield well("port", f"{where} is free; no server runs there")
    advice = (
        f"if they cannot: let TCP {config.port}, and UDP 5353 to be found, through the firewall"
    )
    yield note("firewall", "whether others get through can only be tried from there", advice)


def _try_to_listen(config: Config) -> None:
    family = socket.AF_INET
    if config.host is not None:
        family = socket.getaddrinfo(config.host, config.port)[0][0]
    with socket.socket(family, socket.SOCK_STREAM) as trying:
        if os.name == "posix":
            trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trying.bind((config.host or "", config.port))
        trying.listen(1)


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def discovery(config: Config) -> Iterator[Finding]:
    """Announce something on the network, and see whether it is heard; tell who else is."""
    if not config.announce:
        yield note("discovery", "this server is not announced", "people need its address to join")
    try:
        heard, servers = _echo()
    except (OSError, RuntimeError) as error:
        why = str(getattr(error, "strerror", None) or error).lower()
        advice = "let UDP 5353 through, or tell people the address: kings join ADDRESS"
        yield wrong("discovery", f"the network cannot be spoken to: {why}", advice)
        return
    for address, seconds in heard.items():
        if seconds is None:
            advice = "let UDP 5353 (mDNS) through the firewall; or people join by the address"
            yield wrong("discovery", f"what is announced at {address} is not heard", advice)
        else:
            words = f"an announcement at {address} is heard after {seconds * 1000:.0f} ms"
            yield well("discovery", words)
    if servers:
        yield well("servers", f"announced now: {', '.join(servers)}")
    else:
        yield note("servers", "none is announced now", "that is right if none runs")


def _echo() -> tuple[dict[str, float | None], list[str]]:
    """Announce something at each address, and return when it was heard, and which servers are.

    Each announcement goes out by one interface alone, so that one which lets nothing through is not
    hidden by another.
    """
    from zeroconf import (
        InterfaceChoice,
        IPVersion,
        ServiceBrowser,
        ServiceInfo,
        ServiceStateChange,
        Zeroconf,
    )

    everywhere = (LOOPBACK, *own_addresses(("0.0.0.0",)))  # noqa: S104
    addresses = {
        f"kings-{secrets.token_hex(8)}.{ECHO}": address
        for address in tuple(dict.fromkeys(everywhere))[:INTERFACES]
    }
    began: dict[str, float] = {}
    heard, servers = dict.fromkeys(addresses, inf), {}

    def hear(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        if state_change is ServiceStateChange.Added and name in heard:
            heard[name] = time.monotonic() - began[name]
        elif service_type == SERVICE:
            info = zeroconf.get_service_info(service_type, name, 1000)
            said = None if info is None else read_txt(info.properties)
            if info is not None and said is not None:
                servers[name] = f"{said.name} ({info.parsed_addresses()[0]}, port {info.port})"

    with ExitStack() as closing:
        listening = Zeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.V4Only)
        closing.callback(listening.close)
        ServiceBrowser(listening, [ECHO, SERVICE], [hear])
        for name, address in addresses.items():
            speaking = closing.enter_context(Zeroconf(interfaces=[address]))
            info = ServiceInfo(ECHO, name, port=9, parsed_addresses=[address])
            began[name] = time.monotonic()
            speaking.register_service(info, cooperating_responders=True)
        end = time.monotonic() + ANSWER_SECONDS
        while max(heard.values()) == inf and time.monotonic() < end:
            time.sleep(LOOK_SECONDS)
        # Servers that were there before have answered by then, too.
        time.sleep(max(0.0, min(began.values()) + 1.0 - time.monotonic()))
    found = {addresses[name]: None if at == inf else at for name, at in heard.items()}
    return found, sorted(servers.values())
