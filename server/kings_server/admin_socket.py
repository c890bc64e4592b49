"""The local socket of a running server, by which ``kings admin`` speaks to it.

It lies in a folder that only the server's user may enter, so whoever can connect may do everything.
Each connection asks one thing. It has a few seconds for that, and nobody waits for it.
"""

import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from kings_server.accepting import Accepting
from kings_server.admin_doing import do
from kings_server.admin_wishes import FOLDER, LINE_BYTES, SOCKET, Answer, read, written
from kings_server.bans import Bans, CannotKeep
from kings_server.house import House
from kings_server.lobby import Lobby
from kings_server.log import Log, described

ADMINS: Final = 8
"""Connections at once; one more is closed at once."""

ADMIN_SECONDS: Final = 10.0
"""Seconds for a question and its answer."""


class NoSocket(Exception):  # noqa: N818
    """There can be no socket there; the message says why, in one line."""


async def attend(
    house: House,
    directory: Path,
    log: Log,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Do what admins ask for, until cancelled; without a socket, log why and return."""
    try:
        listener = listening(directory)
    except NoSocket as error:
        log.warning("no admin commands", why=str(error))
        task_status.started()
        return
    limit, writing = trio.CapacityLimiter(ADMINS), trio.Lock()

    async def handle(stream: trio.SocketStream) -> None:
        try:
            limit.acquire_nowait()
        except trio.WouldBlock:
            return
        try:
            await _answer(stream, house, writing, log)
        finally:
            limit.release()

    task_status.started()
    try:
        await trio.serve_listeners(handle, [Accepting(listener, log)])
    finally:
        (directory / FOLDER / SOCKET).unlink(missing_ok=True)


def listening(directory: Path) -> trio.SocketListener:
    """Return the socket in a data directory, listening.

    Raises:
        NoSocket: the system has none, or the folder cannot be used.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise NoSocket("this system has no local sockets")
    folder = directory / FOLDER
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        (folder / SOCKET).unlink(missing_ok=True)  # the directory's lock is ours: nobody listens
        own.bind(str(folder / SOCKET))
        own.listen(ADMINS)
    except OSError as error:
        own.close()
        raise NoSocket(f"cannot listen in {folder}: {error}") from None
    return trio.SocketListener(trio.socket.from_stdlib_socket(own))


async def _answer(stream: trio.SocketStream, house: House, writing: trio.Lock, log: Log) -> None:
    line = b""
    with trio.move_on_after(ADMIN_SECONDS), suppress(trio.BrokenResourceError):
        while b"\n" not in line and len(line) < LINE_BYTES:
            more = await stream.receive_some(LINE_BYTES)
            if not more:
                return
            line += more
        answer = _answered(line, house, log)
        if answer.keys() & {"banned", "lifted"}:
            answer = await _kept(answer, house.lobby.bans, writing)
        elif "ended" in answer:
            answer = await _ended(answer, house.lobby)
        await stream.send_all(written(answer))


async def _kept(answer: Answer, bans: Bans, writing: trio.Lock) -> Answer:
    """Return the answer once the bans are kept, or another; nobody else waits for the disk."""
    async with writing:
        try:
            await trio.to_thread.run_sync(bans.keep)
        except CannotKeep as error:
            return {"error": str(error)}
    return answer


async def _ended(answer: Answer, lobby: Lobby) -> Answer:
    """Return the answer once the table has ended, or another if that is not kept."""
    table = lobby.tables.get(str(answer["table"]))
    if table is not None:
        await table.events.gone.wait()
        if table.keeper.began:
            return {
                "error": "ended, but not forgotten: the journal does not take it yet, and if the "
                "server ended before it does, the table would be there again"
            }
    return answer


def _answered(line: bytes, house: House, log: Log) -> Answer:
    """Return the answer to a line. The fence: nothing that goes wrong in it ends the server."""
    try:
        wish = read(line)
    except ValueError as error:
        return {"error": f"this server knows no such command: {error}"}
    failure = ""
    try:
        return do(house, wish, log)
    except Exception as error:  # noqa: BLE001  the fence round admins
        failure = described(error)
    log.error("admin command failed", error=failure)
    return {"error": f"the server failed to do it: {failure}"}
