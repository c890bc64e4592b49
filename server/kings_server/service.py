"""A server's life: listen, say so, serve, and stop in order."""

import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import trio

from kings_server.committer import Committer
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.journal_file import JournalFile, opened
from kings_server.limits import STOP_SECONDS
from kings_server.listener import Listener, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import Log
from kings_server.pool import Pool
from kings_server.processes import worker_count, worker_processes

SPARE_FILES: Final = 64
"""Open files beside the connections: listeners, the journal, standard streams."""

STDIN: Final = 0
"""The descriptor whose end means that the parent is gone."""


async def serve(config: Config, log: Log, ready: Callable[[str, int], None]) -> None:
    """Serve until a signal, the parent's end, or the end of a lonely server's patience.

    Args:
        config: how.
        log: where to.
        ready: is called once, with the host and port that are listened on.

    Raises:
        OSError: the port is taken, or the host is no address of this machine.
        CannotOpen: there is a data directory, and it cannot be used.
    """
    _allow_files(config.bounds.connections + SPARE_FILES)
    async with worker_processes(log) as run_apart:
        pool = Pool(run_apart, worker_count(), log)
        if config.data is None:
            await _serve(config, log, ready, pool, None)
            return
        with opened(config.data) as journal:
            if journal.set_aside is not None:
                aside = str(journal.set_aside)
                log.error("the journal was damaged; a new one is begun", aside=aside)
            await _serve(config, log, ready, pool, journal.file)


async def _serve(
    config: Config,
    log: Log,
    ready: Callable[[str, int], None],
    pool: Pool,
    file: JournalFile | None,
) -> None:
    committer = None
    if file is not None:
        committer = Committer(file, log, patience=config.bounds.journal_seconds)
    lobby = Lobby(config, committer or Forgetful(), pool, log, file.server_id if file else None)
    listener = Listener(lobby, log)
    stop = trio.Event()
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        sockets = await open_listeners(config.host, config.port)
        host = str(sockets[0].socket.getsockname()[0])
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            if file is not None and committer is not None:
                await nursery.start(committer.run)
                lobby.come_back(file.load())
            end = partial(drain, config.drain, lobby, listener, stop)
            nursery.start_soon(_obey, signals, stop, end, nursery)
            if config.with_parent:
                nursery.start_soon(_outlive_no_parent, stop)
            if config.linger is not None:
                nursery.start_soon(linger, config.linger, lobby, listener, stop)
            listening = trio.CancelScope()
            nursery.start_soon(_listen, listener, sockets, nursery, listening)
            ready(host, port_of(sockets[0]))
            await stop.wait()
            listening.cancel()
            log.info("stopping")
            await listener.farewell(STOP_SECONDS)
            nursery.cancel_scope.cancel()


async def _listen(
    listener: Listener,
    sockets: Sequence[trio.SocketListener],
    nursery: trio.Nursery,
    listening: trio.CancelScope,
) -> None:
    with listening:
        await trio.serve_listeners(listener.handle, list(sockets), handler_nursery=nursery)


async def _obey(
    signals: AsyncIterator[int],
    stop: trio.Event,
    end: Callable[[], Awaitable[None]],
    nursery: trio.Nursery,
) -> None:
    """Stop on a first SIGINT, drain on a first SIGTERM, and end at once on the second signal."""
    first = True
    async for number in signals:
        if not first:
            nursery.cancel_scope.cancel()
        elif number == signal.SIGTERM:
            nursery.start_soon(end)
        else:
            stop.set()
        first = False


async def drain(seconds: float, lobby: Lobby, listener: Listener, stop: trio.Event) -> None:
    """Begin nothing new, let people play on for a while, and stop; or when nobody is left."""
    lobby.stops_at = trio.current_time() + seconds
    listener.announce_stop()
    with trio.move_on_after(seconds):
        await listener.wait_empty()
    stop.set()


async def _outlive_no_parent(stop: trio.Event) -> None:
    """Stop when standard input ends: whoever started this server is gone."""
    # The bare descriptor, because a thread inside ``sys.stdin`` would hold its lock at exit.
    while await trio.to_thread.run_sync(os.read, STDIN, 1024, abandon_on_cancel=True):
        pass
    stop.set()


async def linger(seconds: float, lobby: Lobby, listener: Listener, stop: trio.Event) -> None:
    """Stop once nobody has been connected for so many seconds, and no table would be lost."""
    since = trio.current_time()
    while trio.current_time() - since < seconds:
        await trio.sleep(min(1.0, seconds))
        if listener.sessions or lobby.would_lose:
            since = trio.current_time()
    stop.set()


def _allow_files(count: int) -> None:
    """Ask the system for ``count`` open files: by default some give a program 256."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
