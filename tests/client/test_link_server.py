"""Links and the real server, over loopback: cuts, displacement, proofs.

Conduct: the server is in this process and listens on port 0 of loopback; every test has an absolute
time limit; connections are cut from the client's side, abruptly.
"""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import frozen

from kings_client.config import Address, Patience, Person, Target
from kings_client.connecting import connect
from kings_client.intents import (
    Ask,
    ComeBack,
    EndTurn,
    Join,
    MakeTable,
    MovePile,
    Pause,
    PlayCard,
    PlayTop,
    SetReady,
    Watch,
)
from kings_client.link import Link
from kings_client.marks import Mark, Why
from kings_client.model import Linked, Model, Reason
from kings_client.remembering import Memory
from kings_client.saved import read_match, verify_match
from kings_client.store import Store
from kings_engine.phase import Phase
from kings_engine.view import Own
from kings_protocol.codes import CloseCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.journal import Forgetful
from kings_server.listener import Listener, open_listeners, port_of
from kings_server.lobby import Lobby
from kings_server.log import logger
from thinking import pool

LIMIT = 30.0
QUICK = Patience(first=0.01, longest=0.05)


class Client:
    """A link to the real server, whose connections the test can cut."""

    def __init__(self, folder: Path, name: str) -> None:
        self.store = Store.open(folder)
        self.model = Model()
        self.streams: list[trio.SocketStream] = []
        self._changed = trio.Event()
        person = Person(self.store.client(), name)
        memory = Memory(self.store, "2020-02-02")
        self.link = Link(
            person, memory, self.model, self._show, patience=QUICK, connect=self._connect
        )

    async def _connect(self, address: Address, seconds: float) -> trio.abc.Stream | Reason:
        stream = await connect(address, seconds)
        if isinstance(stream, trio.SocketStream):
            self.streams.append(stream)
        return stream

    def _show(self, model: Model) -> None:
        self.model = model
        self._changed.set()

    async def until(self, condition: Any) -> Model:
        while not condition(self.model):
            self._changed = trio.Event()
            await self._changed.wait()
        return self.model

    def cut(self) -> None:
        number = self.streams[-1].socket.fileno()
        with socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM) as same:
            same.shutdown(socket.SHUT_RDWR)

    async def cut_and_return(self) -> None:
        """Cut the connection, and wait until everything is answered over the next one."""
        connections = len(self.streams)
        self.cut()
        await self.until(lambda model: len(self.streams) > connections and not model.pending)

    @property
    def own(self) -> Own | None:
        return None if self.model.view is None else self.model.view.own

    @property
    def on_turn(self) -> bool:
        own = self.own
        return (
            self.model.link.state is Linked.ONLINE
            and not self.model.acting
            and own is not None
            and bool(own.plays or own.moves or own.stock_plays or own.may_end)
        )

    def choose(self) -> Ask:
        """Return the first thing that can be done."""
        own, view = self.own, self.model.view
        assert own is not None
        assert view is not None
        version = view.public.version
        if own.plays:
            card, places = own.plays[0]
            return PlayCard(card, places[0], version)
        if own.moves:
            return MovePile(*own.moves[0], version)
        if own.stock_plays:
            return PlayTop(own.stock_plays[0], version)
        return EndTurn(version)

    async def act(self) -> None:
        """Wait for the turn, do something, and wait until it is done."""
        await self.until(lambda _: self.on_turn)
        self.link.want(self.choose())
        await self.until(lambda model: not model.acting)
        assert self.model.refusal is None

    async def play_on(self) -> None:
        """Play until the match is over."""
        while not over(self.model):
            await self.until(lambda model: self.on_turn or over(model))
            if not over(self.model):
                await self.act()


def over(model: Model) -> bool:
    return model.view is not None and model.view.public.phase is Phase.MATCH_OVER


@frozen
class Den:
    """A running server: where it is, and a nursery for who goes there."""

    nursery: trio.Nursery
    target: Target
    listener: Listener
    listening: trio.CancelScope

    async def stop(self) -> None:
        """Say goodbye to everybody and listen no more."""
        self.listening.cancel()
        await self.listener.farewell(1)


@asynccontextmanager
async def serving() -> AsyncIterator[Den]:
    """Run a server; links started in its nursery are cancelled at the end."""
    with trio.fail_after(LIMIT):
        settings = Config(host="127.0.0.1", port=0, bounds=Bounds(requests_per_second=0))
        lobby = Lobby(settings, Forgetful(), pool(), logger())
        listener = Listener(lobby, logger())
        listening = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            sockets = await open_listeners(settings.host, settings.port)

            async def listen() -> None:
                with listening:
                    await trio.serve_listeners(
                        listener.handle, list(sockets), handler_nursery=nursery
                    )

            nursery.start_soon(listen)
            target = Target(
                Address("127.0.0.1", port_of(sockets[0])), "den", remembered=True, plain_text=True
            )
            yield Den(nursery, target, listener, listening)
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def client(
    folder: Path,
    den: Den,
    name: str,
    table: MakeTable | None = None,
) -> AsyncIterator[Client]:
    one = Client(folder, name)
    scope = trio.CancelScope()
    ended = trio.Event()

    async def run() -> None:
        try:
            with scope:
                await one.link.run(den.target, table)
        finally:
            ended.set()

    den.nursery.start_soon(run)
    try:
        yield one
    finally:
        scope.cancel()
        with trio.CancelScope(shield=True):
            await ended.wait()
        one.store.close()


def table(**fields: Any) -> MakeTable:
    knobs = {"match": "one_deal", **fields.pop("knobs", {})}
    return MakeTable("Kitchen", "pagat", knobs, pace=(0, 0), grace_seconds=600, **fields)


@asynccontextmanager
async def two(folder: Path, den: Den) -> AsyncIterator[tuple[Client, Client]]:
    """Seat two people at a table and let them begin."""
    async with client(folder, den, "Ann", table()) as ann, client(folder, den, "Ben") as ben:
        await ann.until(lambda model: model.table)
        assert ann.model.table is not None
        await ben.until(lambda model: model.where == "lobby")
        ben.link.want(Join(ann.model.table.table))
        await ben.until(lambda model: model.table)
        ann.link.want(SetReady(True))
        ben.link.want(SetReady(True))
        await ann.until(lambda model: model.view and model.view.public.phase is Phase.PLAY)
        yield ann, ben


async def test_two_people_play_a_deal_and_each_verifies_it(tmp_path: Path) -> None:
    async with serving() as den, two(tmp_path, den) as (ann, ben):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.play_on)
            nursery.start_soon(ben.play_on)
        for one in (ann, ben):
            model = await one.until(lambda model: model.saved)
            assert model.marks == {1: Mark.FAIR}
            assert model.checks[1].exchange is not None
            assert model.checks[1].exchange.has_own
            assert model.saved is not None
            checked = verify_match(read_match(Path(model.saved)))
            assert [(deal, check.mark) for deal, check in checked] == [(1, Mark.FAIR)]


async def test_a_cut_at_every_move_costs_nothing(tmp_path: Path) -> None:
    async def play_badly_connected(one: Client) -> None:
        while not over(one.model):
            await one.until(lambda model: one.on_turn or over(model))
            if not over(one.model):
                one.link.want(one.choose())
                await one.cut_and_return()
                assert one.model.refusal is None

    async with serving() as den, two(tmp_path, den) as (ann, ben):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play_badly_connected, ann)
            nursery.start_soon(play_badly_connected, ben)
        for one in (ann, ben):
            await one.until(lambda model: model.marks.get(1, Mark.PENDING) is not Mark.PENDING)
            assert one.model.checks[1].mark is Mark.FAIR, one.model.checks[1]
        # Whoever does not begin may never come to a move, if the other goes out at once.
        assert len(ann.streams) + len(ben.streams) > 4


async def test_the_other_sees_a_player_go_and_come_back(tmp_path: Path) -> None:
    async with serving() as den, two(tmp_path, den) as (ann, ben):
        seat = ben.model.seat
        assert seat is not None
        before = ben.model
        ben.cut()
        await ann.until(lambda model: model.table.seats[seat].state == "dropped")
        await ann.until(lambda model: model.table.seats[seat].state == "seated")
        await ben.until(lambda model: model.link.state is Linked.ONLINE and model.view)
        assert ben.model.view == before.view
        assert ben.model.events == before.events


async def test_a_second_client_with_the_same_seat_displaces_the_first(tmp_path: Path) -> None:
    async with serving() as den, two(tmp_path, den) as (ann, ben):
        server, where = ben.model.server, ben.model.table
        assert where is not None
        seat = ben.store.seat(server, where.table)
        assert seat is not None
        async with client(tmp_path, den, "Ben") as again:
            await again.until(lambda model: model.where == "lobby")
            again.store.keep_seat(seat)
            again.link.want(ComeBack(where.table))
            await again.until(lambda model: model.view)
            closed = await ben.until(lambda model: model.link.state is Linked.CLOSED)
            assert closed.link.reason == CloseCode.DISPLACED
            await ann.until(lambda model: model.table.seats[again.model.seat].state == "seated")
            assert again.model.view == ben.model.view
            ben.link.retry()
            await ben.until(lambda model: model.link.state is Linked.ONLINE)
            await again.until(lambda model: model.link.state is Linked.CLOSED)


async def test_a_killed_clients_seat_is_offered_to_its_successor_with_its_promises(
    tmp_path: Path,
) -> None:
    async with serving() as den, two(tmp_path, den) as (ann, _):
        async with client(tmp_path / "cleo", den, "Cleo", table(bots=("easy",))) as cleo:
            await cleo.until(lambda model: model.table)
            cleo.link.want(SetReady(True))
            await cleo.until(lambda model: model.view and model.view.own.seat == model.seat)
            await cleo.until(lambda _: cleo.on_turn)
            checks = cleo.model.checks
        async with client(tmp_path / "cleo", den, "Cleo") as again:
            kept = (await again.until(lambda model: model.kept)).kept
            again.link.want(ComeBack(kept[0].table))
            await again.until(lambda model: model.view and model.checks)
            assert again.model.checks == checks
            await again.play_on()
            model = await again.until(lambda model: model.marks[1] is not Mark.PENDING)
            assert model.marks == {1: Mark.FAIR}
        assert ann.model.link.state is Linked.ONLINE


async def test_a_spectator_sees_and_says_that_nothing_was_promised_to_it(tmp_path: Path) -> None:
    async with (
        serving() as den,
        two(tmp_path, den) as (ann, ben),
        client(tmp_path / "dan", den, "Dan") as dan,
    ):
        await dan.until(lambda model: model.where == "lobby")
        assert ann.model.table is not None
        dan.link.want(Watch(ann.model.table.table))
        await dan.until(lambda model: model.view)
        assert (dan.model.seat, dan.own) == (None, None)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.play_on)
            nursery.start_soon(ben.play_on)
        model = await dan.until(lambda model: model.marks.get(1) not in (None, Mark.PENDING))
        assert model.marks == {1: Mark.UNCHECKED}
        assert (model.checks[1].why, model.checks[1].doubts) == (Why.NO_PROMISE, ())


async def test_a_stopped_server_is_named(tmp_path: Path) -> None:
    async with serving() as den, client(tmp_path, den, "Ann") as ann:
        await ann.until(lambda model: model.where == "lobby")
        assert ann.model.recent[0].address == "den"
        await den.stop()
        model = await ann.until(lambda model: model.link.state is Linked.WAITING)
        assert model.link.reason == CloseCode.STOPPED
        await ann.until(lambda model: model.link.reason == Reason.NOBODY_LISTENS)


# ---- connecting


async def test_each_way_not_to_connect_has_its_reason(tmp_path: Path) -> None:
    del tmp_path
    with trio.fail_after(LIMIT):
        assert await connect(Address("no.such.host.invalid", 9), 20) is Reason.NAME_UNKNOWN
        assert await connect(Address("a" * 80, 9), 20) is Reason.NAME_UNKNOWN
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        await listener.aclose()
        assert await connect(Address("127.0.0.1", port), 20) is Reason.NOBODY_LISTENS
        assert await connect(Address("localhost", port), 20) is Reason.NOBODY_LISTENS


async def test_a_dead_address_ends_in_time() -> None:
    with trio.fail_after(LIMIT), trio.socket.socket() as full:
        await full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = Address("127.0.0.1", full.getsockname()[1])
        waiting = []
        with trio.move_on_after(LIMIT / 2):
            while True:
                began = trio.current_time()
                stream = await connect(address, 0.2)
                if isinstance(stream, Reason):
                    break
                waiting.append(stream)
        if stream is not Reason.TIMED_OUT:
            pytest.skip("this system takes any number of connections")
        assert trio.current_time() - began < 1
        for one in waiting:
            await trio.aclose_forcefully(one)


async def test_a_pause_ends_when_a_client_that_was_cut_off_is_back(tmp_path: Path) -> None:
    async with serving() as den, two(tmp_path, den) as (ann, ben):
        for one in (ann, ben):
            one.link.want(Pause(on=True))
        for one in (ann, ben):
            await one.until(lambda model: model.table and model.table.paused)
        ann.link.want(Pause(on=False))
        await ann.until(lambda model: not model.table.seats[0].pause)
        assert ben.model.table is not None
        assert ben.model.table.paused
        await ben.cut_and_return()
        for one in (ann, ben):
            await one.until(lambda model: model.table and not model.table.paused)
        on_turn = ann if ann.on_turn else ben
        await on_turn.act()
