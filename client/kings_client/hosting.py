"""The server of ``kings host``: found again, or started; shown to others; stopped.

Which server this person hosts is in a file; whether it is still there is found out by asking it.
"""

import os
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

import trio
from attrs import frozen

from kings_client.config import Address, Patience
from kings_client.connecting import connect
from kings_client.conversation import Conversation, Ending
from kings_client.embedded import detached_server
from kings_client.securing import Failed, look
from kings_client.store import Store
from kings_protocol.codes import CloseCode
from kings_protocol.identity_code import code_of
from kings_protocol.messages import (
    Browse,
    Enter,
    Entered,
    LobbyPage,
    Message,
    Refused,
    Welcome,
)
from kings_protocol.version import make_hello

LINGER_SECONDS: Final = 600
"""How long a hosted server waits for somebody before it ends: a pause, a change of machine."""

_OUTSIDE: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses that are asked for the way to them; nothing is ever sent there."""


@frozen
class Hosted:
    """A server left running: its process, where it listens, its id, and its certificate's code."""

    pid: int
    port: int
    server: str
    code: str

    @property
    def address(self) -> Address:
        """Where this machine reaches it."""
        return Address("127.0.0.1", self.port)


async def find(store: Store, patience: Patience) -> Hosted | None:
    """Return the server that this person hosts, if it still answers."""
    kept = store.hosted()
    if kept is None:
        return None
    hosted = Hosted(*kept)
    server = await identify(hosted.address, hosted.code, patience)
    return hosted if server == hosted.server else None


async def start(
    store: Store, port: int, patience: Patience, name: str = "kings", *, announce: bool = True
) -> tuple[Hosted, trio.Process]:
    """Start a server of this name for the network, and remember it.

    Raises:
        ServerFailed: it did not start.
        StoreError: it cannot be remembered.
    """
    log, data = store.folder / "hosted.log", store.folder / "hosted"
    ready, process = await detached_server(port, LINGER_SECONDS, log, data, name, announce=announce)
    port = ready.address.port
    server = await identify(Address("127.0.0.1", port), ready.code, patience)
    hosted = Hosted(process.pid, port, server or "", ready.code)
    store.keep_hosted(hosted.pid, hosted.port, hosted.server, hosted.code)
    return hosted, process


async def stop(store: Store, hosted: Hosted, patience: Patience) -> None:
    """Stop a hosted server, if it is still that server, and forget it."""
    if await find(store, patience) == hosted:
        with suppress(OSError):
            os.kill(hosted.pid, signal.SIGTERM)
    store.forget_hosted()


async def identify(address: Address, code: str, patience: Patience) -> str | None:
    """Return the id of the server at ``address`` whose certificate has this code, if it answers."""
    found = []

    def hear(message: Message, conversation: Conversation) -> None:
        if isinstance(message, Welcome):
            found.append(message.server)
        conversation.end(Ending(CloseCode.GOING))

    await _ask(address, code, hear, patience)
    return found[0] if found else None


async def people(hosted: Hosted, patience: Patience) -> int | None:
    """Return how many people have a seat at the server, or nothing if it does not say in time."""
    found = []

    def hear(message: Message, conversation: Conversation) -> None:
        match message:
            case Welcome():
                new_id = secrets.token_hex(16)
                conversation.send(Enter(id=new_id, client=secrets.token_hex(16), name="host"))
            case Entered():
                conversation.send(Browse(id=secrets.token_hex(16), page=0))
            case LobbyPage():
                found.append(sum(table.people for table in message.tables))
                conversation.end(Ending(CloseCode.GOING))
            case Refused():
                conversation.end(Ending(CloseCode.GOING))
            case _:
                pass

    with trio.move_on_after(patience.connect):
        await _ask(hosted.address, hosted.code, hear, patience)
    return found[0] if found else None


async def _ask(
    address: Address,
    code: str,
    hear: Callable[[Message, Conversation], None],
    patience: Patience,
) -> None:
    line = await look(address, connect, patience.connect)
    if isinstance(line, Failed):
        return
    if code_of(line.fingerprint) != code:
        await trio.aclose_forcefully(line.stream)
        return
    conversation = Conversation(line.stream, lambda said: hear(said, conversation), patience)
    conversation.send(make_hello())
    await conversation.run()


def own_addresses() -> tuple[str, ...]:
    """Return the addresses of this machine that others can type, the likeliest first.

    The interfaces are asked, so no way to anywhere else is needed; the one that the system would
    send from goes first, then IPv4, then what a machine gives itself. Addresses of the machine
    alone are left out, and those of IPv6 that mean nothing without the name of an interface.
    """
    import ifaddr

    found: list[str] = []
    with suppress(OSError):
        for adapter in ifaddr.get_adapters():
            found += (ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips)
    sources = tuple(_source(*outside) for outside in _OUTSIDE)
    shown = [one for one in dict.fromkeys(found) if _can_be_typed(ip_address(one))]
    shown.sort(key=lambda one: (one not in sources, *_rank(ip_address(one))))
    return tuple(shown)


def _can_be_typed(address: IPv4Address | IPv6Address) -> bool:
    if address.is_loopback or address.is_unspecified:
        return False
    return address.version == 4 or not address.is_link_local


def _rank(address: IPv4Address | IPv6Address) -> tuple[bool, bool]:
    return address.is_link_local, address.version == 6


def _source(family: socket.AddressFamily, outside: str) -> str:
    """Return the address that the system would send from to another; empty without a way."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((outside, 9))
        return str(asking.getsockname()[0])
    return ""
