"""Clients that know the protocol and no manners: whatever they send, nobody else may suffer.

A rascal asks for anything in any state, twice, thirty times at once, under an old id, or in bytes
that are no message; it stops reading, falls silent and cuts its frames short. In between it plays,
so that it holds up nobody for longer than people do.
"""

import random
import secrets
from typing import Final

import trio

from kings_engine.view import View, legal_actions
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.connection import Connection
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import frame
from kings_protocol.limits import CLIENT_FRAME_BYTES
from kings_protocol.states import Role, State
from kings_protocol.version import make_hello
from people import act_of
from simnet import Cable
from simulation.chances import any_absence, any_preset
from simulation.world import World

GARBAGE: Final = (
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\0\0\0\1\xc1",
    b"\0\0\0\3\x81\xa1t",
    b"\0\0\0\5\x81\xa1t\xa1x",
    frame(b"\x91" * 40, CLIENT_FRAME_BYTES),
    frame(b"\x82\xa1t\xa4ping\xa1n\xc3", CLIENT_FRAME_BYTES),
    b"GET / HTTP/1.1\r\n\r\n",
    b"\0\0\4",
)
"""Bytes that end a connection; the last are the start of a frame whose rest never comes."""


class Rascal:
    """One of them."""

    def __init__(self, world: World, number: int) -> None:
        self.name = f"R{number}"
        self._world = world
        self._chance = random.Random(f"{world.evening.seed} rascal {number}")  # noqa: S311
        self._client = self._chance.randbytes(16).hex()
        self._seat: m.Seated | None = None

    async def live(self) -> None:
        """Come and go until everybody is asked to leave."""
        while not self._world.closing:
            with trio.move_on_after(self._chance.uniform(0, 20)):
                await self._world.changed.wait()
            if self._world.paused:
                await self._world.changed.wait()
            elif not self._world.closing:
                await self._visit()

    async def _visit(self) -> None:
        try:
            cable = self._world.network.connect()
        except ConnectionRefusedError:
            return
        visit = _Visit(self._world, cable, self.name, self._chance)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(visit.read, nursery.cancel_scope)
            try:
                with trio.move_on_after(30.0):
                    await visit.enter(self._client, self._seat)
                while not self._world.closing and not self._world.paused:
                    with trio.fail_after(90.0):
                        await visit.do_something()
            except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                pass
            nursery.cancel_scope.cancel()
        self._seat = visit.seat
        if self._chance.random() < 0.5:
            cable.cut(cable.near)
        cable.near.leave()


class _Visit:
    """One connection."""

    def __init__(self, world: World, cable: Cable, name: str, chance: random.Random) -> None:
        self.seat: m.Seated | None = None
        self._world = world
        self._name = name
        self._chance = chance
        self._stream = cable.near
        self._connection = Connection(Role.CLIENT)
        self._view: View | None = None
        self._phase = ""
        self._sent: list[m.Request] = []
        self._deaf_until = 0.0
        self._answered = trio.Event()

    async def read(self, scope: trio.CancelScope) -> None:
        """Read, now and then not for a while, until the end."""
        try:
            while data := await self._stream.receive_some(65536):
                if self._deaf_until > trio.current_time():
                    await trio.sleep_until(self._deaf_until)
                self._connection.receive(data)
                while (message := self._connection.next_message()) is not None:
                    self._take(message)
                self._answered.set()
                self._answered = trio.Event()
        except trio.BrokenResourceError:
            pass
        except RemoteError as error:
            self._world.fault(f"{self._name} was sent what is no message: {error} {error.code}")
        scope.cancel()

    def _take(self, message: m.Message) -> None:
        match message:
            case m.Seated():
                self.seat, self._view = message, None
            case m.Update(view=view):
                self._view = view
            case m.TableState(phase=phase):
                self._phase = phase

    async def enter(self, client: str, seat: m.Seated | None) -> None:
        """Say who this is, and mostly go back to the seat."""
        await self._stream.send_all(self._connection.send(make_hello()))
        await self._until_answered(State.HELLO_SENT)
        await self._send(m.Enter(id=self._id(), client=client, name=self._name))
        await self._until_answered(State.ENTERING)
        if seat is not None and self._chance.random() < 0.8:
            await self._send(m.Resume(id=self._id(), table=seat.table, token=seat.token))

    async def _until_answered(self, asking: State) -> None:
        while self._connection.state is asking:
            await self._answered.wait()

    async def do_something(self) -> None:
        """Do anything, soon."""
        chance = self._chance
        await trio.sleep(chance.uniform(0, 1.0))
        whim = chance.random()
        if self._sent and whim < 0.1:
            await self._send(chance.choice(self._sent))
        elif self._sent and whim < 0.13:
            await self._send(self._any_request(chance.choice(self._sent).id))
        elif whim < 0.14:
            for _ in range(chance.randint(10, 70)):
                await self._send(self._any_request(self._id()))
        elif whim < 0.15:
            self._deaf_until = trio.current_time() + chance.uniform(0, 30)
        elif whim < 0.153:
            await self._stream.send_all(chance.choice(GARBAGE))
        elif whim < 0.16:
            await trio.sleep(chance.uniform(0, 40))  # without so much as a pong
        elif whim < 0.4:
            await self._send(self._any_request(self._id()))
        else:
            request = self._sensible()
            if request is not None:
                await self._send(request)

    async def _send(self, request: m.Request) -> None:
        try:
            data = frame(encode(request), CLIENT_FRAME_BYTES)
        except LocalError:
            return
        self._connection._note(request)
        if isinstance(request, m.Enter):
            self._connection._state = State.ENTERING
        elif self._connection.state in (State.SEATED, State.WATCHING, State.ENTERED):
            self._sent = [*self._sent[-20:], request]
        await self._stream.send_all(data)

    def _id(self) -> str:
        return secrets.token_hex(16)

    def _sensible(self) -> m.Request | None:
        """Return what helps the game on, if anything does."""
        if self._connection.state is State.ENTERED:
            tables = tuple(self._world.lobby.tables)
            return m.Join(id=self._id(), table=self._chance.choice(tables)) if tables else None
        if self._phase in ("waiting", "between", "over"):
            return m.Ready(id=self._id(), on=True)
        own = None if self._view is None else self._view.own
        legal = () if own is None else legal_actions(own)
        if self._view is None or not legal:
            return None
        return act_of(self._chance.choice(legal), self._view.public.version)

    def _any_request(self, request_id: str) -> m.Request:
        chance = self._chance
        table = chance.choice((*self._world.lobby.tables, "nowhere"))
        number = chance.choice((0, 0, 1, 2, 3, 7))
        token = chance.choice((secrets.token_hex(32), self.seat.token if self.seat else "0" * 64))
        version = chance.choice((0, 0 if self._view is None else self._view.public.version))
        preset, knobs = any_preset(chance)
        absent, grace, away = any_absence(chance)
        name = chance.choice(("den", "sesame"))
        requests: tuple[m.Request, ...] = (
            m.Browse(id=request_id, page=chance.choice((None, 0, 9))),
            m.MakeTable(
                id=request_id,
                name=name,
                preset=preset,
                knobs=knobs,
                absent=absent,
                grace_seconds=grace,
                away_seconds=away,
            ),
            m.MakeTable(id=request_id, name="\x07", preset="whist", knobs={"players": number}),
            m.Join(id=request_id, table=table, seat=number, password=name),
            m.Watch(id=request_id, table=table),
            m.Resume(id=request_id, table=table, token=token),
            m.Leave(id=request_id),
            m.Say(id=request_id, text="\u202eboo\x1b[31m"),
            m.AddBot(id=request_id, level="easy", seat=number),
            m.AddBot(id=request_id, level="master"),
            m.RemoveBot(id=request_id, seat=number),
            m.Ready(id=request_id, on=chance.random() < 0.5),
            m.Kick(id=request_id, seat=number),
            m.Vote(id=request_id, seat=number, on=chance.random() < 0.7),
            m.Pause(id=request_id, on=chance.random() < 0.3),
            m.Here(id=request_id),
            m.GetHint(id=request_id, version=version),
            m.Commit(
                id=request_id, match=1, deal=number, attempt=0, commitment=secrets.token_hex(32)
            ),
            m.Reveal(
                id=request_id,
                match=1,
                deal=number,
                attempt=chance.choice((0, 0, 1)),
                members=secrets.token_hex(32),
                share=secrets.token_hex(32),
            ),
            m.GetProof(id=request_id, deal=number),
            m.PlayCard(id=request_id, version=version, card=chance.randrange(52), place=number),
            m.MovePile(id=request_id, version=version, source=number, place=chance.randrange(8)),
            m.PlayTop(id=request_id, version=version, place=number),
            m.EndTurn(id=request_id, version=version),
        )
        return chance.choice(requests)
