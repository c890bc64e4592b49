"""All that can be chosen when a server is started, as one frozen value."""

from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from attrs import field, frozen

from kings_server.bounds import Bounds
from kings_server.limits import DRAIN_SECONDS

PORT: Final = 26480
"""Our own port. Below 32768, because above it ports are also given to outgoing connections."""


LOOPBACK: Final = "127.0.0.1"
"""Where this machine alone reaches a server."""


@frozen
class Config:
    """How a server runs.

    Attributes:
        host: the address or name to listen on; nothing means every interface.
        port: the TCP port; 0 lets the system choose one.
        name: what the server calls itself, up to 24 characters.
        log_level: the least important level that is logged.
        log_format: for people, or for programs.
        log_people: names and addresses of people as they are, or as hashes.
        private: whether only one person may come, who brings the secret.
        secret: what ``enter`` must bring then.
        with_parent: whether the server ends when its standard input does.
        announce: whether the network is told of the server.
        linger: seconds without anybody after which the server ends; nothing means never.
        metrics_host: the address of this machine for figures and health.
        metrics_port: the port for them; 0 lets the system choose one.
        motd: what everybody is told who enters.
        data: the directory of the journal; nothing means that nothing is kept.
        plain_text: whether nothing is encrypted.
        certificate: a certificate that somebody else issued, in PEM; nothing means an own one.
        key: the file with its private key.
        password_file: the file whose first line everybody has to know who enters.
        drain: seconds for which a server that is asked to end goes on.
        bots_thinking: how many bots may think at once in processes of their own; nothing means as
            many as the machine has cores for.
        bounds: how much the server takes, and how long it waits.
    """

    host: str | None = None
    port: int = PORT
    name: str = "kings"
    log_level: str = "info"
    log_format: str = "human"
    log_people: str = "plain"
    private: bool = False
    secret: str | None = field(default=None, repr=False)
    with_parent: bool = False
    announce: bool = True
    linger: float | None = None
    metrics_host: str = LOOPBACK
    metrics_port: int | None = None
    motd: str | None = None
    data: Path | None = None
    plain_text: bool = False
    certificate: Path | None = None
    key: Path | None = None
    password_file: Path | None = None
    drain: float = DRAIN_SECONDS
    bots_thinking: int | None = None
    bounds: Bounds = field(factory=Bounds)


def is_loopback(host: str | None) -> bool:
    """Say whether who listens on ``host`` is heard on this machine only."""
    if host is None or host == "localhost":
        return host is not None
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def clashes(config: Config) -> Sequence[str]:
    """Return what is allowed one by one but not together, in words for whoever starts a server."""
    found = []
    if config.metrics_port and config.metrics_port == config.port:
        found.append("metrics_port and port must be two ports")
    bounds = config.bounds
    if bounds.dead_seconds <= bounds.ping_seconds:
        found.append(
            "limits.dead_seconds must be more than limits.ping_seconds, or everybody who is silent "
            "is cut off before a sign of life is asked for"
        )
    if (config.certificate is None) != (config.key is None):
        found.append("certificate and key go together: the one is of no use without the other")
    if config.plain_text and config.password_file is not None and not is_loopback(config.host):
        found.append(
            "a password is not taken with plain_text: whoever is on the network could read it; "
            "leave plain_text out, or listen on this machine only, with host 127.0.0.1"
        )
    return found
