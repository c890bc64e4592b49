"""All that can be chosen when a server is started, as one frozen value."""

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
        secret: what ``enter`` must bring, where only one person may come.
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
    secret: str | None = field(default=None, repr=False)
    with_parent: bool = False
    linger: float | None = None
    data: Path | None = None
    drain: float = DRAIN_SECONDS
    bounds: Bounds = field(factory=Bounds)
