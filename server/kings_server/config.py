"""All that can be chosen when a server is started, as one frozen value."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import field, frozen

from kings_server.bounds import Bounds
from kings_server.limits import DRAIN_SECONDS

PORT: Final = 26480
"""Our own port. Below 32768, because above it ports are also given to outgoing connections."""


@frozen
class Config:
    """How a server runs.

    Attributes:
        host: the address or name to listen on; nothing means every interface.
        port: the TCP port; 0 lets the system choose one.
        name: what the server calls itself, up to 24 characters.
        log_level: the least important level that is logged.
        log_format: for people, or for programs.
        private: whether only one person may come, who brings the secret.
        secret: what ``enter`` must bring then.
        with_parent: whether the server ends when its standard input does.
        linger: seconds without anybody after which the server ends; nothing means never.
        data: the directory of the journal; nothing means that nothing is kept.
        drain: seconds for which a server that is asked to end goes on.
        bounds: how much the server takes, and how long it waits.
    """

    host: str | None = None
    port: int = PORT
    name: str = "kings"
    log_level: str = "info"
    log_format: str = "human"
    private: bool = False
    secret: str | None = field(default=None, repr=False)
    with_parent: bool = False
    linger: float | None = None
    data: Path | None = None
    drain: float = DRAIN_SECONDS
    bounds: Bounds = field(factory=Bounds)


def clashes(config: Config) -> Sequence[str]:
    """Return what is allowed one by one but not together, in words for whoever starts a server."""
    found = []
    bounds = config.bounds
    if bounds.dead_seconds <= bounds.ping_seconds:
        found.append(
            "limits.dead_seconds must be more than limits.ping_seconds, or everybody who is silent "
            "is cut off before a sign of life is asked for"
        )
    return found
