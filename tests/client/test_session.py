"""Runs of the client without its screen: from the first intent to the last, with real servers.

Conduct: servers are child processes on loopback, ended by the session or by their number; every
test has an absolute time limit.
"""

import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from kings_client import hosting
from kings_client.config import PATIENCE
from kings_client.intents import (
    BeginAnew,
    Dismiss,
    EndTurn,
    Intent,
    Join,
    MakeTable,
    MovePile,
    PlayCard,
    Quit,
    RetryNow,
    SetReady,
    Start,
    StartHost,
    StartJoin,
    StartPlay,
    ToWelcome,
)
from kings_client.model import Linked, Mark, Model, Reason
from kings_client.session import Session
from kings_client.store import Store, remembered_name

LIMIT = 60.0
TABLE = MakeTable("Kitchen", "pagat", {"match": "one_deal"}, bots=("medium",), pace=(0, 0))


class Player:
    """A session and who uses it: intents in, models out."""

    def __init__(self, folder: Path, start: Start | None) -> None:
        self.store = Store.open(folder)
        self.session = Session(self.store, start)
        self._send, self._intents = trio.open_memory_channel[Intent](8)
        self._changed = trio.Event()
        self.models: list[Model] = []
        self.ended = trio.Event()

    @property
    def model(self) -> Model:
        return self.session.model

    async def run(self) -> None:
        await self.session.talk(self._intents, self._publish)
        self.ended.set()

    def want(self, intent: Intent) -> None:
        self._send.send_nowait(intent)

    def seats_in_files(self) -> list[Path]:
        return list(self.store.place.glob("seat-*"))

    async def hosted_server_ends(self) -> None:
        """Wait for the end of the server that this session started for others."""
        process = self.session._process
        assert process is not None
        await process.wait()

    def hang_up(self) -> None:
        self._send.close()

    async def until(self, condition: Callable[[Model], Any]) -> Model:
        while not condition(self.model):
            self._changed = trio.Event()
            await self._changed.wait()
        return self.model

    async def play_on(self) -> None:
        """Play the first thing that can be done, until the match is over."""
        while self.model.table is None or self.model.table.phase != "over":
            own = None if self.model.view is None else self.model.view.own
            version = 0 if self.model.view is None else self.model.view.public.version
            seen = len(self.models)
            if own is not None and not self.model.acting:
                if own.plays:
                    self.want(PlayCard(own.plays[0][0], own.plays[0][1][0], version))
                elif own.moves:
                    self.want(MovePile(*own.moves[0], version))
                elif own.may_end:
                    self.want(EndTurn(version))
            await self.until(lambda _, seen=seen: len(self.models) > seen)  # type: ignore[misc]

    def _publish(self, model: Model) -> None:
        self.models.append(model)
        self._changed.set()


@asynccontextmanager
async def playing(
    folder: Path, start: Start | None, *, outlived: bool = False
) -> AsyncIterator[Player]:
    """Run a session; it is cancelled at the end, as a lost terminal would.

    A server that it started for others is killed then, unless the session is to be ``outlived``.
    """
    player = Player(folder, start)
    try:
        with trio.fail_after(LIMIT):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(player.run)
                yield player
                nursery.cancel_scope.cancel()
    finally:
        if (process := player.session._process) and not outlived:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
        player.store.close()


def online(model: Model) -> bool:
    return model.link.state is Linked.ONLINE


def closed(model: Model) -> bool:
    return model.link.state is Linked.CLOSED


async def test_a_whole_match_against_a_bot(tmp_path: Path) -> None:
    async with playing(tmp_path, StartPlay(TABLE, "Ann")) as player:
        await player.until(lambda model: model.view)
        await player.play_on()
        model = await player.until(lambda model: model.saved)
        assert model.marks == {1: Mark.FAIR}
        assert not any(one.where == "lobby" for one in player.models)
        player.want(Quit())
        await player.ended.wait()
        assert player.session.failure is None
    assert remembered_name(tmp_path) == "Ann"
    assert player.seats_in_files() == []


async def test_from_the_welcome_screen_and_back_to_it(tmp_path: Path) -> None:
    async with playing(tmp_path, None) as player:
        await player.until(lambda model: model.where == "welcome")
        player.want(Dismiss())
        player.want(StartPlay(TABLE, "Ann"))
        await player.until(lambda model: model.where == "table")
        player.want(ToWelcome())
        model = await player.until(lambda model: model.where == "welcome")
        assert (model.link.state, model.table) == (Linked.IDLE, None)
        player.want(StartPlay(TABLE, "Ann"))
        await player.until(lambda model: model.unfinished)
        player.want(BeginAnew())
        await player.until(lambda model: model.where == "table" and model.view)
        player.hang_up()
        await player.ended.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="the child is found by Linux's means")
async def test_the_end_of_ones_own_server_is_told_and_another_can_be_started(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, StartPlay(TABLE, "Ann")) as player:
        await player.until(lambda model: model.view)
        os.kill(child_of(os.getpid()), signal.SIGKILL)
        model = await player.until(closed)
        assert model.link.reason == Reason.SERVER_ENDED
        player.want(RetryNow())
        await player.until(lambda model: online(model) and model.view)
        player.want(Quit())
        await player.ended.wait()


async def test_what_is_no_address_is_said_on_the_screen(tmp_path: Path) -> None:
    async with playing(tmp_path, None) as player:
        player.want(StartJoin("a b", "Ann"))
        model = await player.until(closed)
        assert model.link.reason == Reason.BAD_ADDRESS
        assert model.link.words is not None
        assert "HOST:PORT" in model.link.words
        player.want(ToWelcome())
        await player.until(lambda model: model.where == "welcome")
        player.want(Quit())
        await player.ended.wait()
        assert player.session.failure is None


async def test_a_run_that_reached_nobody_ends_with_its_reason(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        await listener.aclose()
    async with playing(tmp_path, StartJoin(f"127.0.0.1:{port}", "Ann")) as player:
        await player.until(closed)
        player.want(Quit())
        await player.ended.wait()
        failure = player.session.failure
        assert failure is not None
        assert (failure.reason, failure.address) == (Reason.NOBODY_LISTENS, f"127.0.0.1:{port}")
    assert player.store.recent() == ()


async def test_a_taken_port_is_said_on_the_screen(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    async with playing(tmp_path, StartHost(TABLE, "Ann", port)) as player:
        model = await player.until(closed)
        assert model.link.reason == Reason.SERVER_FAILED
        assert model.link.words is not None
        assert f"port {port}" in model.link.words
    await listener.aclose()


# ---- hosting


async def test_a_host_who_quits_alone_stops_the_server(tmp_path: Path) -> None:
    async with playing(tmp_path, StartHost(TABLE, "Ann", 0)) as player:
        model = await player.until(lambda model: model.table and model.hosting)
        kept = player.store.hosted()
        assert model.hosting is not None
        assert kept is not None
        assert all(address.endswith(str(kept[1])) for address in model.hosting.addresses)
        player.want(Quit())
        await player.ended.wait()
        assert player.store.hosted() is None
        await player.hosted_server_ends()


async def test_a_host_who_quits_leaves_the_server_to_the_others_and_finds_it_again(
    tmp_path: Path,
) -> None:
    table = MakeTable("Kitchen", "pagat", {"players": 3})
    async with playing(tmp_path / "ann", StartHost(table, "Ann", 0)) as ann:
        await ann.until(lambda model: model.table)
        assert ann.model.table is not None
        kept = ann.store.hosted()
        assert kept is not None
        address = f"127.0.0.1:{kept[1]}"
        async with playing(tmp_path / "ben", StartJoin(address, "Ben")) as ben:
            await ben.until(lambda model: model.lobby)
            ben.want(Join(ann.model.table.table))
            await ben.until(lambda model: model.table)
            await ann.until(lambda model: model.others == 1)
            ann.want(Quit())
            await ann.ended.wait()
            ann.store.close()
            await ben.until(lambda model: model.table and model.table.seats[0].state != "seated")
            async with playing(tmp_path / "ann", StartHost(table, "Ann", 0)) as again:
                await again.until(lambda model: model.where == "lobby" and model.kept)
                assert again.store.hosted() == kept
                again.want(Quit(stop_server=True))
                await again.ended.wait()
                model = await ben.until(lambda model: model.link.state is Linked.WAITING)
                assert model.link.reason == "stopped"
        await ann.hosted_server_ends()


async def test_a_host_whose_terminal_is_lost_leaves_the_server_running(tmp_path: Path) -> None:
    async with playing(tmp_path, StartHost(TABLE, "Ann", 0), outlived=True) as player:
        await player.until(lambda model: model.table)
        player.want(SetReady(True))
    store = Store.open(tmp_path)
    with trio.fail_after(LIMIT):
        hosted = await hosting.find(store, PATIENCE)
        assert hosted is not None
        await hosting.stop(store, hosted, PATIENCE)
        await player.hosted_server_ends()
    store.close()


def child_of(pid: int) -> int:
    """Return the number of the one server that is a child of ours."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [child for task in tasks for child in (task / "children").read_text().split()]
    servers = [
        int(child)
        for child in children
        if b"kings_server" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    assert len(servers) == 1
    return servers[0]
