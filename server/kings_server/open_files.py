"""How many connections the system has files for: each takes one, and the server needs some itself.

Without files, bots' processes cannot start, nor a disk be written, so the limits of connections are
lowered until all that is needed beside them has room.
"""

import sys
from typing import Final

from attrs import evolve

from kings_server.config import Config
from kings_server.journal_file import CannotOpen
from kings_server.log import Log
from kings_server.processes import worker_count

SPARE: Final = 64
"""Open files beside connections and workers: listeners, the journal, admins, figures, mDNS."""

PER_WORKER: Final = 8
"""Open files that one worker takes while it is started; later they are half as many."""

OTHER_WORKERS: Final = 2
"""Workers that are no bot's: one for hints, and one that compiles."""

_COUNTED: Final = ("connections", "connections_per_address", "unentered", "unentered_per_address")
"""The limits that are lowered, all in the same proportion."""


def within_files(config: Config, log: Log) -> Config:
    """Return ``config`` with no more connections than the system gives open files for.

    Raises:
        CannotOpen: there are not even enough for one connection.
    """
    workers = OTHER_WORKERS + (config.bots_thinking or worker_count())
    needed = SPARE + PER_WORKER * workers
    bounds = config.bounds
    files = _given(bounds.connections + needed)
    if files is None or files >= bounds.connections + needed:
        return config
    left = files - needed
    if left < 1:
        raise CannotOpen(
            f"the system gives {files} open files, and this server needs more than {needed}: raise "
            "that limit (ulimit -n, or LimitNOFILE= in a unit), or lower --bots-thinking"
        )
    log.warning("fewer connections", limit=left, allowed=bounds.connections, files=files)
    share = left / bounds.connections
    lowered = {name: max(1, int(getattr(bounds, name) * share)) for name in _COUNTED}
    return evolve(config, bounds=evolve(bounds, **lowered | {"connections": left}))


def _given(count: int) -> int | None:
    """Ask the system for ``count`` open files, and return how many it gives, if it counts them.

    By default some give a program 256, and more where it asks.
    """
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)
