"""Several people's links as one, with the real server: a whole match, and cuts under the cover.

Conduct: the server is a child process on loopback; every test has an absolute time limit;
connections are cut from the client's side, abruptly.
"""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve

from kings_client import link
from kings_client.config import Address, Patience
from kings_client.connecting import connect
from kings_client.intents import (
    BeginAnew,
    EndTurn,
    Intent,
    Join,
    LiftCover,
    MakeTable,
    MovePile,
    PlayCard,
    Quit,
    Say,
    SetReady,
    Start,
    StartHost,
    StartJoin,
    StartPlay,
)
from kings_client.model import Linked, Mark, Model, Reason
from kings_client.session import Session
from kings_client.store import Store
from kings_engine.phase import Phase
from kings_protocol.messages import Said
from serving import serving

LIMIT = 60.0
QUICK = Patience(first=0.01, longest=0.05)
PAIR = MakeTable("Kitchen", "pagat", {"players": 2, "match": "deals", "deals": 2}, pace=(0, 0))


class Household:
    """A session of several people, and their hands on the keyboard."""

    def __init__(self, folder: Path, start: Start) -> None:
        self.store = Store.open(folder)
        self.session = Session(self.store, start, patience=QUICK)
        self._send, self._intents = trio.open_memory_channel[Intent](64)
        self._changed = trio.Event()
        self.models: list[Model] = []

    @property
    def model(self) -> Model:
        return self.session.model

    async def run(self) -> None:
        await self.session.talk(self._intents, self._publish)

    def want(self, intent: Intent) -> None:
        self._send.send_nowait(intent)

    async def until(self, condition: Callable[[Model], Any]) -> Model:
        while not condition(self.model):
            self._changed = trio.Event()
            await self._changed.wait()
        return self.model

    def _publish(self, model: Model) -> None:
        self.models.append(model)
        self._changed.set()

    async def step(self) -> None:
        """Lift the cover, play the first thing that can be done, or be ready; wait for news."""
        model, seen = self.model, len(self.models)
        own = None if model.view is None else model.view.own
        version = 0 if model.view is None else model.view.public.version
        if model.cover is not None:
            self.want(LiftCover(model.cover.seat))
            await self.until(lambda model: model.cover is None)
            return
        if model.table is not None and model.table.phase == "between":
            self.want(SetReady(True))
        elif own is not None and not model.acting:
            if own.plays:
                self.want(PlayCard(own.plays[0][0], own.plays[0][1][0], version))
            elif own.moves:
                self.want(MovePile(*own.moves[0], version))
            elif own.may_end:
                self.want(EndTurn(version))
        await self.until(lambda _: len(self.models) > seen)

    def hands(self) -> list[int | None]:
        """Return whose hand was in each model of a running deal; nothing for a cover."""
        views = [model.view for model in self.models if model.view is not None]
        return [None if view.own is None else view.own.seat for view in views]


@asynccontextmanager
async def living(folder: Path, start: Start) -> AsyncIterator[Household]:
    """Run a session of several people; it is cancelled at the end."""
    household = Household(folder, start)
    try:
        with trio.fail_after(LIMIT):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(household.run)
                yield household
                nursery.cancel_scope.cancel()
    finally:
        household.store.close()


def said(model: Model) -> list[str]:
    return [line.text for line in model.lines if isinstance(line, Said)]


def no_two_hands(household: Household) -> bool:
    return all(
        before is None or after is None or before == after
        for before, after in pairwise(household.hands())
    )


def settled(model: Model) -> bool:
    """Say whether the second deck was checked and is as promised.

    The script asks faster than a server reads, so a commitment to a share may come too late.
    """
    return model.marks.get(2) in (Mark.FAIR, Mark.FAIR_WITHOUT)


async def test_two_people_play_a_match_by_one_keyboard(tmp_path: Path) -> None:
    async with living(tmp_path, StartPlay(PAIR, "Ann", ("Ben",))) as household:
        await household.until(lambda model: model.view and model.cover)
        while household.model.table is None or household.model.table.phase != "over":
            await household.step()
        model = await household.until(settled)
        assert model.table is not None
        assert [seat.name for seat in model.table.seats] == ["Ann", "Ben"]
        assert set(household.hands()) == {None, 0, 1}
        assert no_two_hands(household)
        await household.until(lambda model: model.saved)
        household.want(Quit())
    assert len(list((tmp_path / "matches").glob("*.json"))) == 1


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[trio.SocketStream]:
    """Return the streams that links open, so that the test can cut them."""
    opened: list[trio.SocketStream] = []

    async def kept(address: Address, seconds: float) -> trio.abc.Stream | Reason:
        stream = await connect(address, seconds)
        if isinstance(stream, trio.SocketStream):
            opened.append(stream)
        return stream

    keywords = link.Link.__init__.__kwdefaults__
    assert keywords is not None
    monkeypatch.setitem(keywords, "connect", kept)
    return opened


def cut(stream: trio.SocketStream) -> None:
    with socket.fromfd(stream.socket.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.shutdown(socket.SHUT_RDWR)


async def test_cuts_under_the_cover_leave_it_down_and_cost_nothing(
    tmp_path: Path, streams: list[trio.SocketStream]
) -> None:
    with serving(encrypted=True) as den:
        join = StartJoin(f"127.0.0.1:{den.port}", "Ann", ("Ben",))
        async with living(tmp_path, join) as household:
            await household.until(lambda model: model.where == "lobby" and model.lobby)
            household.want(PAIR)
            await household.until(lambda model: model.here == (0, 1))
            household.want(SetReady(True))
            await household.until(lambda model: model.cover)
            cuts = 0
            while household.model.table is None or household.model.table.phase != "over":
                if household.model.cover is not None and cuts < 6:
                    cuts += 1
                    before = len(household.models)
                    for stream in streams[-2:]:
                        cut(stream)
                    await household.until(lambda model: model.link.state is not Linked.ONLINE)
                    await household.until(lambda model: model.link.state is Linked.ONLINE)
                    since = household.models[before:]
                    assert all(one.view is None or one.view.own is None for one in since)
                await household.step()
            assert cuts > 1
            assert no_two_hands(household)
            await household.until(settled)


async def test_to_begin_anew_gives_up_the_old_seats_of_all(tmp_path: Path) -> None:
    start = StartPlay(PAIR, "Ann", ("Ben",))
    async with living(tmp_path, start) as household:
        model = await household.until(lambda model: model.view and model.cover)
        assert model.table is not None
        old = model.table.table
        household.want(Quit())
    async with living(tmp_path, start) as household:
        await household.until(lambda model: model.unfinished)
        household.want(BeginAnew())
        await household.until(lambda model: model.table and model.table.table != old)
        model = await household.until(lambda model: model.view and model.cover)
        assert model.table is not None
        assert [seat.name for seat in model.table.seats] == ["Ann", "Ben"]
        household.want(Quit())


async def test_two_people_host_by_one_keyboard_and_take_their_server_with_them(
    tmp_path: Path,
) -> None:
    table = evolve(PAIR, knobs={**PAIR.knobs, "players": 3})
    async with living(tmp_path, StartHost(table, "Ann", 0, ("Ben",))) as household:
        model = await household.until(lambda model: model.here == (0, 1))
        assert model.hosting is not None
        assert (model.others, model.guests) == (0, 0)
        assert household.store.hosted() is not None
        household.want(Quit())
        process = household.session._process
        assert process is not None
        await process.wait()


async def test_others_at_the_table_and_what_the_house_says(tmp_path: Path) -> None:
    with serving(encrypted=True) as den:
        join = StartJoin(f"127.0.0.1:{den.port}", "Ann", ("Ben",))
        async with den.guest("Cleo") as cleo, living(tmp_path, join) as household:
            seated = await cleo.make_table(players=3)
            await household.until(lambda model: model.lobby and model.lobby.tables)
            household.want(Join(seated.table))
            model = await household.until(lambda model: model.here == (1, 2))
            household.want(SetReady(True))
            await cleo.ready()
            await household.until(lambda model: model.cover)
            # Nobody is at the keyboard: nothing is said or done in anybody's name.
            household.want(Say("hello"))
            model = await household.until(lambda model: model.cover)
            assert model.cover is not None
            seat = model.cover.seat
            household.want(LiftCover(seat))
            await household.until(lambda model: model.seat == seat)
            household.want(Say("here I am"))
            await household.until(said)
            assert said(household.model) == ["here I am"]
            view = household.model.view
            assert view is not None
            assert view.public.phase is Phase.PLAY


async def test_a_table_without_a_seat_for_everybody_is_told_of(tmp_path: Path) -> None:
    with serving(encrypted=True) as den:
        join = StartJoin(f"127.0.0.1:{den.port}", "Ann", ("Ben",))
        async with den.guest("Cleo") as cleo, living(tmp_path, join) as household:
            seated = await cleo.make_table(players=2)
            await household.until(lambda model: model.lobby and model.lobby.tables)
            household.want(Join(seated.table))
            model = await household.until(lambda model: model.refusal)
            assert model.refusal is not None
            assert model.refusal.code == "table_full"
            assert model.here == (1,)
