"""A server that a test plays by hand, and what such a test says with it.

The streams are in memory, so a test can run on the virtual clock. ``ScriptedHost.connect`` stands
where a link opens its connections; ``accept`` gives the test the other end.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import trio
from trio.testing import MockClock, memory_stream_pair

from kings_client.config import Address, Patience, Person, Target
from kings_client.intents import MakeTable
from kings_client.link import Link
from kings_client.model import Linked, Model, Reason
from kings_client.remembering import Memory
from kings_client.store import Store
from kings_engine.events import Event
from kings_engine.match import Match
from kings_engine.rules import Rules, rules_as_plain
from kings_engine.view import history, observe
from kings_protocol import messages as m
from kings_protocol.connection import Connection
from kings_protocol.messages import Happened
from kings_protocol.states import Role
from kings_protocol.version import answer_hello

SERVER = "5e" * 16
TABLE = "t1"
TOKEN = "70" * 32
KITCHEN = MakeTable("Kitchen", "pagat", bots=("medium",))
TARGET = Target(Address("localhost"), "den", plain_text=True)
LIMIT = 3600.0
"""Seconds of the virtual clock after which a test has failed."""

Pair: TypeAlias = Callable[[], tuple[trio.StapledStream[Any, Any], trio.StapledStream[Any, Any]]]
MessageT = TypeVar("MessageT", bound=m.Message)


class ServerEnd:
    """The server's end of one connection."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.connection = Connection(Role.SERVER)
        self.pings = 0

    async def hear(self, kind: type[MessageT]) -> MessageT:
        """Return the client's next message, which is of ``kind``; pings are answered."""
        while True:
            while (message := self.connection.next_message()) is not None:
                if isinstance(message, m.Ping) and kind is not m.Ping:
                    self.pings += 1
                    await self.say(m.Pong(n=message.n))
                    continue
                assert isinstance(message, kind), message
                return message
            self.connection.receive(bytes(await self.stream.receive_some(65536)))

    async def say(self, message: m.Message) -> None:
        """Send a message."""
        await self.stream.send_all(self.connection.send(message))

    async def cut(self) -> None:
        """Break the connection off."""
        await trio.aclose_forcefully(self.stream)

    async def greet(self, server: str = SERVER) -> m.Enter:
        """Greet the client, and return its request to be let in."""
        hello = await self.hear(m.Hello)
        await self.say(answer_hello(hello, server, "the den"))
        return await self.hear(m.Enter)

    async def enter(self, server: str = SERVER) -> m.Enter:
        """Let the client in."""
        enter = await self.greet(server)
        await self.say(m.Entered(re=enter.id, name=enter.name))
        return enter

    async def seat(self, request: m.Request, seat: int = 0) -> None:
        """Give or give back a seat at the table."""
        await self.say(m.Seated(re=request.id, table=TABLE, seat=seat, token=TOKEN))

    async def enter_and_seat(self) -> None:
        """Let a client in that makes a table at once, and show it the table."""
        await self.enter()
        await self.seat(await self.hear(m.MakeTable))
        await self.say(table_state())

    async def resume(self) -> m.Resume:
        """Let a client in that comes back to its seat, and give it back."""
        await self.enter()
        resume = await self.hear(m.Resume)
        await self.seat(resume)
        return resume


class ScriptedHost:
    """Where the scripted server listens.

    ``down`` says why it does not; ``pair`` makes the streams of a connection.
    """

    def __init__(self) -> None:
        self.down: Reason | None = None
        self.pair: Pair = memory_stream_pair
        self.attempts: list[float] = []
        self._ends: list[ServerEnd] = []
        self._changed = trio.Event()

    async def connect(self, _address: Address, _seconds: float) -> trio.abc.Stream | Reason:
        """Open a stream as ``connecting.connect`` does."""
        await trio.lowlevel.checkpoint()
        self.attempts.append(trio.current_time())
        if self.down is not None:
            return self.down
        mine, theirs = self.pair()
        self._ends.append(ServerEnd(mine))
        self._changed.set()
        return theirs

    async def accept(self) -> ServerEnd:
        """Return the next connection."""
        while not self._ends:
            self._changed = trio.Event()
            await self._changed.wait()
        return self._ends.pop(0)


class Visit:
    """A link under test, and every model that it published."""

    def __init__(self, folder: Path, clock: MockClock, **patience: float) -> None:
        self.host = ScriptedHost()
        self.store = Store.open(folder)
        self.models: list[Model] = []
        self._changed = trio.Event()
        self.link = Link(
            Person(self.store.client(), "Ann"),
            Memory(self.store, "2020-02-02"),
            Model(),
            self._publish,
            patience=Patience(**patience),
            now=clock.current_time,
            connect=self.host.connect,
        )

    @property
    def model(self) -> Model:
        """The newest model."""
        return self.models[-1]

    async def until(self, condition: Callable[[Model], Any]) -> Model:
        """Return the first model from now on for which ``condition`` holds."""
        while not (self.models and condition(self.model)):
            self._changed = trio.Event()
            await self._changed.wait()
        return self.model

    def _publish(self, model: Model) -> None:
        self.models.append(model)
        self._changed.set()


@asynccontextmanager
async def visiting(
    folder: Path,
    clock: MockClock,
    table: MakeTable | None = None,
    *,
    ready: bool = False,
    target: Target = TARGET,
    **patience: float,
) -> AsyncIterator[Visit]:
    """Run a link to a scripted host; it is cancelled at the end, and the store is closed.

    The test has to take the clock as an argument of its own: pytest-trio looks for it only there.
    """
    visit = Visit(folder, clock, **patience)
    try:
        with trio.fail_after(LIMIT):
            async with trio.open_nursery() as nursery:

                async def run() -> None:
                    await visit.link.run(target, table, ready=ready)

                nursery.start_soon(run)
                yield visit
                nursery.cancel_scope.cancel()
    finally:
        visit.store.close()


async def sit_down(visit: Visit) -> ServerEnd:
    """Let the link in and give it the table that it asks for."""
    server = await visit.host.accept()
    await server.enter_and_seat()
    await visit.until(lambda model: model.table)
    return server


def online(model: Model) -> bool:
    """Say whether the connection stands."""
    return model.link.state is Linked.ONLINE


# ---- what a server says


def table_state(rules: Rules | None = None, **fields: Any) -> m.TableState:
    """Return a table of two with Ann at seat 0."""
    rules = Rules() if rules is None else rules
    seats = (m.SeatState(state="seated", name="Ann"), m.SeatState(state="bot", name="medium"))
    others = tuple(m.SeatState(state="open", name="") for _ in range(rules.players - 2))
    standard: dict[str, Any] = {
        "table": TABLE,
        "name": "Kitchen",
        "preset": "pagat",
        "rules": rules_as_plain(rules),
        "locked": False,
        "watchable": True,
        "absent": "bot",
        "grace_seconds": 60,
        "away_seconds": 180,
        "host": 0,
        "phase": "playing",
        "match": 1,
        "seats": seats + others,
        "watchers": 0,
    }
    return m.TableState(**{**standard, **fields})


def offer(
    deal: int, commitment: bytes, members: tuple[m.Member, ...] = (), attempt: int = 0
) -> m.Offer:
    """Return an offer of a deal."""
    return m.Offer(
        deal=deal, attempt=attempt, commitment=commitment.hex(), left=2000, members=members
    )


def update_of(match: Match, viewer: int | None, after: int = 0) -> m.Update:
    """Return what a viewer who was last shown version ``after`` is shown of the match."""
    seen: tuple[Event, ...] = history(match, viewer, after)
    return m.Update(view=observe(match, viewer), events=Happened(seen))
