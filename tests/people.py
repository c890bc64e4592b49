"""Scripted people: a small client for tests and benchmarks, on any stream.

A person keeps the newest of everything it was sent and answers offers by itself, as a real client
does. What it does beyond that is the test's to say: ``ask`` sends a request and returns its reply,
``until`` waits for something to be true of what the person knows.
"""

import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import trio
from attrs import evolve

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.commitments import (
    DealContext,
    Promise,
    commit_share,
    rules_digest,
    set_digest,
)
from kings_engine.events import Event
from kings_engine.view import View, legal_actions
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.connection import Connection
from kings_protocol.frames import frame
from kings_protocol.limits import CLIENT_FRAME_BYTES
from kings_protocol.states import Role, State
from kings_protocol.version import make_hello

ReplyT = TypeVar("ReplyT", bound=m.Reply)


def new_id() -> str:
    """Return the id of a new wish."""
    return secrets.token_hex(16)


class Person:
    """One client and the person at it."""

    def __init__(self, stream: trio.abc.Stream, name: str = "Ann", seed: int = 0) -> None:
        self.stream = stream
        self.name = name
        self.client = new_id()
        self.connection = Connection(Role.CLIENT)
        self.seat: m.Seated | None = None
        self.table: m.TableState | None = None
        self.view: View | None = None
        self.events: list[Event] = []
        self.updates: list[m.Update] = []
        self.pages: list[m.LobbyPage] = []
        self.others: list[m.Message] = []
        self.missing: dict[m.Level, str] = {}
        self.bye: m.Bye | None = None
        self.ended = False
        self.received = 0
        self.answers_offers = True
        self.answers_pings = True
        self.replies: dict[str, m.Reply] = {}
        self.replied: Counter[str] = Counter()
        self.random = random.Random(seed)  # noqa: S311  choices of a script
        self._reading = trio.Event()
        self._reading.set()
        self.server = ""
        self.reveals_shares = True
        self.offers: dict[tuple[int, int, int], Promise] = {}
        self._answered: set[tuple[tuple[int, int, int], bool]] = set()
        self._changed = trio.Event()
        self._lock = trio.Lock()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Read until the connection ends."""
        task_status.started()
        try:
            while data := await self.stream.receive_some(65536):
                await self._reading.wait()
                self.received += len(data)
                self.connection.receive(bytes(data))
                while (message := self.connection.next_message()) is not None:
                    await self._take(message)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self.ended = True
            self._tell()

    async def send(self, message: m.Message) -> None:
        """Send a message and wait for nothing."""
        async with self._lock:
            await self.stream.send_all(self.connection.send(message))

    async def ask(self, request: m.Request) -> m.Reply:
        """Send a request and return its reply."""
        await self.send(request)
        return await self._reply_to(request)

    async def ask_anyway(self, request: m.Request) -> m.Reply:
        """Send a request that a client would know to be out of place, and return its reply."""
        async with self._lock:
            self.connection._note(request)
            await self.stream.send_all(frame(encode(request), CLIENT_FRAME_BYTES))
        return await self._reply_to(request)

    async def _reply_to(self, request: m.Request) -> m.Reply:
        await self.until(lambda: request.id in self.replies)
        return self.replies.pop(request.id)

    async def ask_for(self, kind: type[ReplyT], request: m.Request) -> ReplyT:
        """Send a request and return its reply, which is of ``kind``."""
        reply = await self.ask(request)
        assert isinstance(reply, kind), reply
        return reply

    async def until(self, condition: Callable[[], Any]) -> None:
        """Return when ``condition`` holds; fail if the connection ends before."""
        while not condition():
            if self.ended:
                raise AssertionError(f"{self.name}'s connection ended: {self.bye}")
            await self._changed.wait()

    async def until_ended(self) -> m.Bye | None:
        """Return the server's last message once the connection has ended."""
        while not self.ended:
            await self._changed.wait()
        return self.bye

    def pause(self) -> None:
        """Stop reading what the server sends."""
        self._reading = trio.Event()

    # ---- what people do

    async def greet(self) -> None:
        """Say hello, and be welcome."""
        await self.send(make_hello())
        await self.until(lambda: self.connection.state is State.GREETED)

    async def enter(self, secret: str | None = None) -> None:
        """Greet the server and say who this is."""
        await self.greet()
        entered = await self.ask_for(
            m.Entered, m.Enter(id=new_id(), client=self.client, name=self.name, secret=secret)
        )
        self.missing = entered.missing

    async def make_table(self, players: int = 2, **fields: Any) -> m.Seated:
        """Make a table and sit down at it."""
        standard = {"name": "Kitchen", "preset": "pagat", "pace": (0, 0), "away_seconds": 3600}
        fields = {**standard, **fields}
        fields["knobs"] = {"players": players, **fields.get("knobs", {})}
        self.seat = await self.ask_for(m.Seated, m.MakeTable(id=new_id(), **fields))
        return self.seat

    async def join(self, table: str, **fields: Any) -> m.Seated:
        """Sit down at a table."""
        self.seat = await self.ask_for(m.Seated, m.Join(id=new_id(), table=table, **fields))
        return self.seat

    async def resume(self, seat: m.Seated) -> m.Seated:
        """Come back to a seat."""
        self.seat = await self.ask_for(
            m.Seated, m.Resume(id=new_id(), table=seat.table, token=seat.token)
        )
        return self.seat

    async def ready(self) -> None:
        """Be ready."""
        await self.ask_for(m.Done, m.Ready(id=new_id(), on=True))

    async def go_on(self) -> None:
        """Be ready for the next deal, and wait until it is there."""
        deal = self.deal + 1
        await self.ready()
        await self.until_deal(deal)

    async def until_told(self, message: m.Message) -> None:
        """Wait until a message that asked for nothing has come."""
        await self.until(lambda: message in self.others)

    async def until_view(self) -> None:
        """Wait until the position is known."""
        await self.until(lambda: self.view is not None)

    async def until_phase(self, phase: str, match: int = 1) -> None:
        """Wait until the table is in ``phase`` of its ``match``-th match."""
        await self.until(
            lambda: (
                self.table is not None and (self.table.match, self.table.phase) == (match, phase)
            )
        )

    async def until_table(self, condition: Callable[[m.TableState], bool]) -> None:
        """Wait until ``condition`` holds of the table's state."""
        await self.until(lambda: self.table is not None and condition(self.table))

    async def until_state(self, seat: int, state: str) -> None:
        """Wait until a seat is in ``state``."""
        await self.until(lambda: self.table is not None and self.state_of(seat) == state)

    async def until_deal(self, number: int) -> None:
        """Wait until deal ``number`` has begun."""
        await self.until(lambda: self.deal >= number)

    def phase(self, *phases: str) -> bool:
        """Say whether the table is in one of ``phases``."""
        return self.table is not None and self.table.phase in phases

    def state_of(self, seat: int) -> str:
        """Return the state of a seat."""
        assert self.table is not None
        return self.table.seats[seat].state

    @property
    def version(self) -> int:
        """The version of the position that is known."""
        return 0 if self.view is None else self.view.public.version

    @property
    def deal(self) -> int:
        """The number of the deal that is known."""
        return 0 if self.view is None else self.view.public.deal

    @property
    def turn(self) -> int:
        """The number of the turn that is being played."""
        return 0 if self.view is None else self.view.public.turn_number

    @property
    def my_turn(self) -> bool:
        """Whether this person is to act."""
        return self.view is not None and bool(self._choices())

    async def act(self, action: SeatAction) -> m.Reply:
        """Ask for an action on the position that is known."""
        return await self.ask(act_of(action, self.version))

    async def play_once(self, keenness: float = 0.9) -> m.Reply:
        """Wait for the turn, and do something legal: a play as often as ``keenness``, if any."""
        await self.until(lambda: self.my_turn)
        choices = [action for action in self._choices() if not isinstance(action, EndTurn)]
        choose_play = choices and self.random.random() < keenness
        action = self.random.choice(choices) if choose_play else self._end_or_first()
        reply = await self.act(action)
        if isinstance(reply, m.Done):
            await self.until(lambda: self.version >= (reply.version or 0))
        return reply

    async def play_match(self) -> None:
        """Play, ready for each next deal, until the match is over."""
        while not self.phase("over"):
            if self.phase("between"):
                await self.go_on()
            elif self.my_turn:
                reply = await self.play_once()
                assert isinstance(reply, m.Done), reply
            else:
                await self.until(lambda: self.my_turn or self.phase("between", "over"))

    def _choices(self) -> tuple[SeatAction, ...]:
        own = None if self.view is None else self.view.own
        return () if own is None else legal_actions(own)

    def _end_or_first(self) -> SeatAction:
        choices = self._choices()
        return EndTurn() if EndTurn() in choices else choices[0]

    # ---- what comes in

    async def _take(self, message: m.Message) -> None:
        match message:
            case m.Welcome():
                self.server = message.server
                self.others.append(message)
            case m.Reply():
                if isinstance(message, m.Seated):
                    self.seat = message
                self.replies[message.re] = message
                self.replied[message.re] += 1
            case m.Update():
                self.view = message.view
                self.events += message.events.events
                self.updates.append(message)
            case m.TableState():
                self.table = message
                await self._answer_offer(message)
            case m.LobbyPage():
                self.pages.append(message)
            case m.Ping(n=number) if self.answers_pings:
                await self.send(m.Pong(n=number))
            case m.Bye():
                self.bye = message
            case _:
                self.others.append(message)
        self._tell()

    async def _answer_offer(self, table: m.TableState) -> None:
        """Commit to a share of one's own, and reveal it when the whole set is there."""
        offer = table.offer
        if offer is None or self.seat is None or self.connection.state is not State.SEATED:
            return
        if not self.answers_offers:
            return
        seat = self.seat.seat
        key = table.match, offer.deal, offer.attempt
        known = self.offers.get(key)
        if known is None and not offer.members and seat not in table.withheld:
            known = self.offers[key] = self._promise(table, offer, seat)
        # Once on each connection: what was sent on the last one may have been lost with it.
        if known is None:
            return
        assert offer.commitment == known.seed.hex(), f"another commitment for {key}"
        assert offer.members or not known.shares, f"the set of {key} was taken back"
        if (key, bool(offer.members)) in self._answered:
            return
        self._answered.add((key, bool(offer.members)))
        if not offer.members:
            await self.send(self.commit_of(known))
            return
        members = tuple(
            None if one.commitment is None else bytes.fromhex(one.commitment)
            for one in offer.members
        )
        assert known.shares in ((), members), f"another set for {key}"
        self.offers[key] = known = evolve(known, shares=members)
        if members[seat] is not None and self.reveals_shares:
            await self.send(self.reveal_of(known))

    def _promise(self, table: m.TableState, offer: m.Offer, seat: int) -> Promise:
        context = DealContext(
            server=bytes.fromhex(self.server),
            table=table.table,
            match=table.match,
            deal=offer.deal,
            attempt=offer.attempt,
            rules=rules_digest(table.rules),
        )
        seed = bytes.fromhex(offer.commitment)
        return Promise(context, seed, (), seat, secrets.token_bytes(32))

    def commit_of(self, promise: Promise) -> m.Commit:
        """Return the request that commits to one's share of a deck."""
        context, seat, share = promise.context, promise.seat, promise.share
        assert seat is not None
        assert share is not None
        commitment = commit_share(context, promise.seed, seat, share).hex()
        match, deal, attempt = context.numbers
        return m.Commit(id=new_id(), match=match, deal=deal, attempt=attempt, commitment=commitment)

    def reveal_of(self, promise: Promise) -> m.Reveal:
        """Return the request that reveals one's share of a deck."""
        assert promise.share is not None
        context = promise.context
        return m.Reveal(
            id=new_id(),
            match=context.match,
            deal=context.deal,
            attempt=context.attempt,
            members=set_digest(context, promise.seed, promise.shares).hex(),
            share=promise.share.hex(),
        )

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def act_of(action: SeatAction, version: int) -> m.Act:
    """Return the request for ``action`` on the position of ``version``."""
    match action:
        case Play(card, place):
            return m.PlayCard(id=new_id(), version=version, card=card, place=place)
        case Move(source, place):
            return m.MovePile(id=new_id(), version=version, source=source, place=place)
        case PlayStock(place):
            return m.PlayTop(id=new_id(), version=version, place=place)
        case EndTurn():
            return m.EndTurn(id=new_id(), version=version)


@asynccontextmanager
async def connected(person: Person) -> AsyncIterator[Person]:
    """Let ``person`` read in the background; the connection is cut at the end."""
    async with trio.open_nursery() as nursery:
        await nursery.start(person.run)
        try:
            yield person
        finally:
            await trio.aclose_forcefully(person.stream)
            nursery.cancel_scope.cancel()
