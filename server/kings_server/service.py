"""A server's life: listen, say so, serve, and stop in order."""

import gc
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import trio

from kings_protocol.version import PROGRAM
from kings_server.accepting import Accepting
from kings_server.admin_socket import attend
from kings_server.certificate import Identity, given_identity, own_identity
from kings_server.committer import Committer
from kings_server.config import Config
from kings_server.discovery import Announcer, announced
from kings_server.house import House
from kings_server.journal import Forgetful
from kings_server.journal_file import JournalFile, opened
from kings_server.limits import STOP_SECONDS
from kings_server.listener import Listener, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import Log
from kings_server.offered import get_ready
from kings_server.open_files import within_files
from kings_server.passwords import Asker, Passwords, read_password
from kings_server.pool import Pool
from kings_server.processes import worker_count, worker_processes
from kings_server.supervisor import tell_supervisor

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

STDIN: Final = 0
"""The descriptor whose end means that the parent is gone."""


Ready: TypeAlias = Callable[[str, int, str | None], None]
"""Is called once, with the host and port that are listened on, and the certificate's code."""


async def serve(config: Config, log: Log, ready: Ready) -> None:
    """Serve until a signal, the parent's end, or the end of a lonely server's patience.

    Args:
        config: how.
        log: where to.
        ready: is called once everybody may come.

    Raises:
        OSError: the port is taken, or the host is no address of this machine.
        CannotOpen: there is a data directory, and it cannot be used; or there are too few files.
        CannotSecure: a certificate, key or password cannot be used.
    """
    config = within_files(config, log)
    async with worker_processes(log) as run_apart:
        pool = Pool(run_apart, config.bots_thinking or worker_count(), log)
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
    ready: Ready,
    pool: Pool,
    file: JournalFile | None,
) -> None:
    committer = None
    if file is not None:
        committer = Committer(file, log, patience=config.bounds.journal_seconds)
    passwords = Passwords(bounds=config.bounds)
    lobby = Lobby(
        config,
        committer or Forgetful(),
        pool,
        log,
        file.server_id if file else None,
        passwords=passwords,
        password=await _password(config.password_file, passwords),
    )
    identity = identity_of(config)
    listener = Listener(lobby, log, identity)
    stop = trio.Event()
    with trio.open_signal_receiver(*_signals()) as signals:
        sockets = await open_listeners(config.host, config.port)
        host = str(sockets[0].socket.getsockname()[0])
        figures = _bound(config)
        saved = () if file is None else file.load()
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            nursery.start_soon(get_ready, pool.run_apart, log)
            if listener.renewal is not None:
                nursery.start_soon(listener.renewal.run)
            if committer is not None:
                await nursery.start(committer.run)
            lobby.come_back(saved)

            def begin_drain(seconds: float, why: str = "admin") -> None:
                log.info("drain begins", seconds=seconds, why=why)
                nursery.start_soon(drain, seconds, lobby, listener, stop)

            end = partial(begin_drain, config.drain)
            house = House(lobby, listener, committer, pool, begin_drain, trio.current_time())
            await _open_to_operators(house, config, figures, log, nursery)
            nursery.start_soon(_obey, signals, stop, end, nursery, log)
            if config.with_parent:
                nursery.start_soon(_outlive_no_parent, stop, log)
            if config.linger is not None:
                nursery.start_soon(linger, config.linger, lobby, listener, stop, log)
            listening = trio.CancelScope()
            patient = [Accepting(one, log) for one in sockets]
            nursery.start_soon(_listen, listener, patient, nursery, listening)
            announcing = trio.CancelScope()
            if config.announce and not config.private:
                hosts = [str(one.socket.getsockname()[0]) for one in sockets]
                announcer = Announcer(hosts, port_of(sockets[0]), announced(config), log)
                nursery.start_soon(_announce, announcer, lobby, listener, announcing)
            # What is there by now stays. To walk through it stops everybody for 50 ms, and more
            # than a few connections that come and go have the collector do it.
            gc.freeze()
            code = None if identity is None else identity.code
            log.info("serving", host=host, port=port_of(sockets[0]), code=code, version=PROGRAM)
            ready(host, port_of(sockets[0]), code)
            await stop.wait()
            listening.cancel()
            announcing.cancel()
            log.info("stopping")
            tell_supervisor("STOPPING")
            await listener.farewell(STOP_SECONDS)
            nursery.cancel_scope.cancel()
    log.info("stopped")


def _bound(config: Config) -> "WSGIServer | None":
    """Return the server of figures, if they are wanted; its library is not cheap to load.

    Raises:
        CannotOpen: the port is taken, or the host is no address of this machine.
    """
    if config.metrics_port is None:
        return None
    from kings_server.metrics import bound

    return bound(config.metrics_port, config.metrics_host)


async def _open_to_operators(
    house: House,
    config: Config,
    figures: "WSGIServer | None",
    log: Log,
    nursery: trio.Nursery,
) -> None:
    """Let whoever runs the server look after it, and see its figures."""
    if config.data is not None and not config.private:
        await nursery.start(attend, house, config.data, log)
    if figures is not None:
        from kings_server.metrics import show

        nursery.start_soon(show, figures, house, log)


def identity_of(config: Config) -> Identity | None:
    """Return what the server proves itself with, if it encrypts.

    Raises:
        CannotSecure: it cannot be made or read.
    """
    if config.plain_text:
        return None
    if config.certificate is not None and config.key is not None:
        return given_identity(config.certificate, config.key)
    return own_identity(config.data)


async def _password(file: Path | None, passwords: Passwords) -> str | None:
    return None if file is None else await passwords.keep(read_password(file), Asker(""))


async def _listen(
    listener: Listener,
    sockets: Sequence[Accepting],
    nursery: trio.Nursery,
    listening: trio.CancelScope,
) -> None:
    with listening:
        await trio.serve_listeners(listener.handle, list(sockets), handler_nursery=nursery)


async def _announce(
    announcer: Announcer, lobby: Lobby, listener: Listener, announcing: trio.CancelScope
) -> None:
    def count() -> tuple[int, int]:
        return sum(session.entered for session in listener.sessions), len(lobby.tables)

    with announcing:
        await announcer.run(count)


def _signals() -> tuple[int, ...]:
    """Return the signals that end the server: SIGHUP where it is not ignored, as with nohup."""
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is None or signal.getsignal(hangup) is signal.SIG_IGN:
        return signal.SIGINT, signal.SIGTERM
    return signal.SIGINT, signal.SIGTERM, hangup


async def _obey(
    signals: AsyncIterator[int],
    stop: trio.Event,
    end: Callable[[str], None],
    nursery: trio.Nursery,
    log: Log,
) -> None:
    """Drain on a first SIGTERM, stop on another, and end at once on the second signal."""
    first = True
    async for number in signals:
        why = signal.Signals(number).name
        if not first:
            log.warning("stopping at once", why=why)
            nursery.cancel_scope.cancel()
        elif number == signal.SIGTERM:
            end(why)
        else:
            log.info("stop asked for", why=why)
            stop.set()
        first = False


async def drain(seconds: float, lobby: Lobby, listener: Listener, stop: trio.Event) -> None:
    """Begin nothing new, let people play on for a while, and stop; or when nobody is left.

    Whoever wants it later than it was asked for before comes too late.
    """
    lobby.stops_at = min(lobby.stops_at, trio.current_time() + seconds)
    listener.announce_stop()
    with trio.move_on_after(seconds):
        await listener.wait_empty()
    stop.set()


async def _outlive_no_parent(stop: trio.Event, log: Log) -> None:
    """Stop when standard input ends: whoever started this server is gone."""
    # The bare descriptor, because a thread inside ``sys.stdin`` would hold its lock at exit.
    with suppress(OSError):  # of a terminal that is gone, it ends with an error
        while await trio.to_thread.run_sync(os.read, STDIN, 1024, abandon_on_cancel=True):
            pass
    log.info("stop asked for", why="the end of standard input")
    stop.set()


async def linger(
    seconds: float, lobby: Lobby, listener: Listener, stop: trio.Event, log: Log
) -> None:
    """Stop once nobody has been connected for so many seconds, and no table would be lost."""
    since = trio.current_time()
    while trio.current_time() - since < seconds:
        await trio.sleep(min(1.0, seconds))
        if listener.sessions or lobby.would_lose:
            since = trio.current_time()
    log.info("stop asked for", why="nobody is here", seconds=seconds)
    stop.set()
