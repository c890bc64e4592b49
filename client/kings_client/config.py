"""What the client is told when it starts: where to go, who comes, and how patient it is."""

from ipaddress import ip_address
from typing import Final

from attrs import field, frozen

from kings_client.words.tongue import tell
from kings_protocol import limits
from kings_protocol.address import split_address

PORT: Final = 26480
"""The port that a server listens on if none is named; a test holds it to the server's."""


@frozen
class Address:
    """Where a server listens."""

    host: str
    port: int = PORT

    def __str__(self) -> str:
        if self.port == PORT:
            return self.host  # without brackets, which a shell might take for a pattern
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return the address written ``HOST``, ``HOST:PORT``, ``[IPV6]:PORT`` or as a bare IPv6.

    Raises:
        ValueError: the text is no address; the message says why.
    """
    try:
        host, written = split_address(text)
    except ValueError:
        raise ValueError(
            tell("{text!r} is no address: write HOST or HOST:PORT", text=text.strip()[:60])
        ) from None
    port = PORT if written is None else written
    if not 0 < port < 65536:
        raise ValueError(tell("{port} is no port: ports are 1 to 65535", port=port))
    return Address(host, port)


def is_here(address: Address) -> bool:
    """Say whether ``address`` is this machine's own, which nobody else can listen to."""
    try:
        return ip_address(address.host).is_loopback
    except ValueError:
        return address.host.lower() == "localhost"


@frozen
class Patience:
    """How long the link waits, in seconds.

    Attributes:
        connect: for a connection, and then for the server's answer to the hello.
        ping: of silence, before it asks whether the server is there.
        dead: of silence, before it takes the server for gone.
        write: for one write.
        bye: for the last message.
        first: before the second attempt to connect; each next pause is twice as long.
        longest: between two attempts, at most.
    """

    connect: float = limits.CONNECT_SECONDS
    ping: float = limits.PING_SECONDS
    dead: float = limits.DEAD_SECONDS
    write: float = limits.WRITE_SECONDS
    bye: float = limits.BYE_SECONDS
    first: float = 0.5
    longest: float = 15.0


PATIENCE: Final = Patience()
"""The usual."""


@frozen
class Person:
    """Who comes to a server; ``client`` is 16 random bytes in hexadecimal."""

    client: str
    name: str


@frozen
class Target:
    """Where a link goes.

    Attributes:
        address: where the server listens.
        shown: the address as the person knows it.
        secret: what a server for one person alone wants to hear, in hexadecimal.
        remembered: whether it is listed among the servers visited before.
        plain_text: whether the person wants no encryption; without that wish, there is always one.
        code: the code of the certificate that the person accepts, and no other.
        password: what the server asks for of everybody who enters.
    """

    address: Address
    shown: str
    secret: str | None = field(default=None, repr=False)
    remembered: bool = False
    plain_text: bool = False
    code: str = ""
    password: str | None = field(default=None, repr=False)
