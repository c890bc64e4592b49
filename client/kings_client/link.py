"""Keeps the client connected: connects, enters, comes back, asks, and tells the model.

A link belongs to one visit of one server. A connection that breaks is made again, with growing
pauses, and what was under way goes on: the seat is taken back by its token, and requests without a
reply are sent again with their old ids, so that the server carries out none of them twice.
"""

import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio
from attrs import evolve
from msgspec.structs import replace

from kings_client.config import PATIENCE, Patience, Person, Target
from kings_client.connecting import connect
from kings_client.contradiction import contradicts
from kings_client.conversation import Conversation, Ending
from kings_client.intents import Ask, BeginAnew, ComeBack, Decided, MakeTable, request_of
from kings_client.marks import Exchange
from kings_client.model import MOVES, Model, Reason, Security
from kings_client.proving import Prover
from kings_client.remembering import Memory
from kings_client.securing import Connect, Failed
from kings_client.updating import (
    SEAT_GONE,
    Began,
    Closed,
    Happening,
    Lost,
    Reached,
    Sent,
    Told,
    Trying,
    update,
)
from kings_client.way import Elsewhere, Way, hang_up
from kings_protocol import messages
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.errors import LocalError
from kings_protocol.identity_code import code_of
from kings_protocol.messages import Message, Reply, Request
from kings_protocol.version import make_hello, negotiate

WITH_PASSWORD: Final = (messages.MakeTable, messages.Join, messages.Watch)
"""Wishes that may bring a password, which others on the network must not read."""

LATE_SECONDS: Final = 0.5
"""The pause before what the server did not take for the moment is asked for again."""

FINAL: Final = frozenset(
    {
        CloseCode.DISPLACED,
        CloseCode.KICKED,
        CloseCode.BANNED,
        Reason.UNWELCOME,
        Reason.OTHER_SERVER,
        Reason.CERTIFICATE_CHANGED,
        Reason.OTHER_CODE,
        Reason.CERTIFICATE_EXPIRED,
        Reason.NOT_ENCRYPTED,
        Reason.ENCRYPTED,
        Reason.NO_PASSWORD,
        Reason.SERVER_ENDED,
        RefusalCode.BAD_SECRET,
        RefusalCode.BAD_NAME,
        RefusalCode.NOT_ENCRYPTED,
        RefusalCode.WRONG_PASSWORD,
    }
)
"""Endings after which another attempt would end alike, or take the seat from another client."""


class Link:
    """A visit to a server."""

    def __init__(
        self,
        person: Person,
        memory: Memory,
        model: Model,
        publish: Callable[[Model], None],
        *,
        patience: Patience = PATIENCE,
        now: Callable[[], float] = time.monotonic,
        connect: Connect = connect,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Make a link; ``publish`` is called with every new model, at once."""
        self.model = model
        self._person = person
        self._memory = memory
        self._publish = publish
        self._patience = patience
        self._now = now
        self._connect = connect
        self._elsewhere = elsewhere or (lambda _: ())
        self._prover = Prover(self._ask, self.tell, self._keep)
        self._conversation: Conversation | None = None
        self._way: Way | None = None
        self._first: MakeTable | None = None
        self._ready_at_once = False
        self._given_up = ""
        self._last_table = ""
        self._seated_at: str | None = None
        self._watched: messages.Watch | None = None
        self._page = 0
        self._was_online = False
        self._retry = trio.Event()

    def tell(self, news: Message | Happening) -> None:
        """Bring the model up to date and have it shown."""
        self.model = update(self.model, news, self._now())
        self._publish(self.model)

    # ---- the connection, made and made again

    async def run(
        self, target: Target, first: MakeTable | None = None, *, ready: bool = False
    ) -> None:
        """Stay connected to ``target`` until cancelled.

        Args:
            target: the server.
            first: a table to make at once, without a look at the lobby.
            ready: whether to be ready at that table at once.
        """
        self._way = way = Way(target, self._memory.pins, self._connect, self._elsewhere)
        self._first = first
        self._ready_at_once = ready
        self._given_up = ""
        self._prover.leave()
        self._prover.owed = False
        self._seated_at = self._watched = None
        self._was_online = False
        self.tell(Began(target.shown, straight=first is not None))
        while True:
            self._retry = trio.Event()
            ending = await self._attempt(way)
            if ending.reason in FINAL or not self._was_online:
                self.tell(Closed(ending.reason, ending.words, ending.change))
                await self._retry.wait()
                if ending.reason == Reason.OTHER_SERVER:
                    self._seated_at = self._watched = None
                    self.tell(Began(way.target.shown))
            else:
                pause = self._pause()
                self.tell(Lost(ending.reason, self._now() + pause))
                with trio.move_on_after(pause):
                    await self._retry.wait()
            self.tell(Trying())

    def retry(self) -> None:
        """Make the next attempt now."""
        self._retry.set()

    def try_again(self, decided: Decided) -> None:
        """Make the next attempt now, with what the person has decided."""
        if self._way is not None:
            self._way.take(decided)
        self.retry()

    async def wanted_again(self) -> None:
        """Wait until ``retry`` is called."""
        self._retry = trio.Event()
        await self._retry.wait()

    async def _attempt(self, way: Way) -> Ending:
        server = self.model.server if self._was_online else ""
        line = await way.reach(self._patience.connect, server, self.model.identity)
        if isinstance(line, Failed):
            return Ending(line.reason, change=line.change)
        if self._at_table and line.identity and line.identity != self.model.identity:
            await hang_up(line)
            return Ending(Reason.OTHER_SERVER)
        code = code_of(line.fingerprint) if line.fingerprint else ""
        self.tell(Reached(Security(line.how, code), line.identity))
        self._conversation = Conversation(line.stream, self._hear, self._patience)
        self._conversation.send(make_hello())
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._ask_late)
                ending = await self._conversation.run()
                nursery.cancel_scope.cancel()
            return ending
        finally:
            self._conversation = None
            self._prover.look_away()

    async def _ask_late(self) -> None:
        while True:
            await trio.sleep(LATE_SECONDS)
            self._prover.ask_again(self.model)

    def _pause(self) -> float:
        """Return the seconds before the next attempt, spread so that not all come at once."""
        longest = min(self._patience.first * 2**self.model.link.attempt, self._patience.longest)
        return float(longest) * random.uniform(0.5, 1.0)  # noqa: S311

    def _end_with(self, reason: str) -> None:
        if self._conversation is not None:
            self._conversation.end(Ending(reason))

    # ---- asking

    def want(self, wish: Ask | ComeBack | BeginAnew) -> None:
        """Ask the server for what the person wants.

        Where it cannot be asked for now (no connection, another screen, an action or a change of
        place whose reply is still due) nothing is done: it was decided on what is shown.
        """
        if isinstance(wish, ComeBack):
            if not self.model.moving:
                self._come_back(wish.table)
            return
        if isinstance(wish, BeginAnew):
            if self.model.unfinished is not None:
                self.give_up(self.model.unfinished.table)
            return
        request = request_of(wish, secrets.token_hex(16))
        if isinstance(request, messages.Act) and self.model.acting:
            return
        if isinstance(request, MOVES) and self.model.moving:
            return
        if isinstance(request, messages.Browse) and request.page is not None:
            self._page = request.page
        if isinstance(request, WITH_PASSWORD) and request.password and self._overheard:
            self.tell(Sent(request, wish))
            self.tell(messages.Refused(re=request.id, code=RefusalCode.NOT_ENCRYPTED))
            return
        self._ask(request, wish)

    def give_up(self, table: str) -> None:
        """Go back to a kept seat only to leave it for good."""
        if not self.model.moving:
            self._given_up = table
            self._come_back(table)

    def _ask(self, request: Request, wish: Ask | None = None) -> None:
        if self._conversation is None or not self._conversation.may_send(type(request)):
            return
        # A wish may be too long, empty or one too many: then it is not asked.
        with suppress(LocalError):
            self._conversation.send(request)
            self.tell(Sent(request, wish))

    def _ask_again(self) -> None:
        """Send what had no reply when the last connection ended, as far as it has its place now."""
        for pending in self.model.pending:
            kind = type(pending.request)
            if self._conversation is not None and self._conversation.may_send(kind):
                self._conversation.send(pending.request)

    def _come_back(self, table: str) -> None:
        token = self._memory.token(self.model.identity, table)
        if token is not None:
            self._ask(messages.Resume(id=secrets.token_hex(16), table=table, token=token))

    def _look_round(self) -> None:
        self.tell(Told(kept=self._memory.kept(self.model.identity)))
        self._ask(messages.Browse(id=secrets.token_hex(16), page=self._page))

    # ---- hearing

    def _hear(self, message: Message) -> None:
        before = self.model
        if isinstance(message, messages.Unwelcome) and negotiate(message.oldest, message.newest):
            # It speaks our version, but not in plain text.
            self._end_with(Reason.ENCRYPTED)
        if isinstance(message, messages.Welcome) and self._has_changed(message.server):
            self._end_with(Reason.OTHER_SERVER)
            return
        if contradicts(before, message):
            self._end_with(CloseCode.BAD_MESSAGE)
            return
        answered = None
        if isinstance(message, Reply):
            found = (one.request for one in before.pending if one.request.id == message.re)
            answered = next(found, None)
        self.tell(message)
        self._answer(message, answered)
        if isinstance(message, messages.Seated | messages.Watching):
            self._prover.sit(message, before.server, self._recalled(message))
        if self.model.where == "lobby" and before.where == "table":
            self._owed(before)
            self._left_table()
        self._prover.take(message, answered, self.model)
        saved = self._memory.note(self.model, self._prover.proofs, self._prover.witness)
        if saved is not None and saved != self.model.saved:
            self.tell(Told(saved=saved))

    def _answer(self, message: Message, answered: Request | None) -> None:
        match message:
            case messages.Welcome():
                if self._way is not None:
                    self._way.greeted()
                self._enter()
            case messages.Entered():
                self._entered()
            case messages.Seated():
                self._seated(message)
            case messages.Watching():
                self._watched = answered if isinstance(answered, messages.Watch) else None
                self._ask_again()
            case messages.Refused() if answered is not None:
                self._refused(message.code, answered)
            case _:
                pass

    def _keep(self, exchanges: tuple[Exchange, ...]) -> None:
        if self.model.table is not None:
            self._memory.keep_exchanges(self.model.identity, self.model.table.table, exchanges)

    def _recalled(self, message: messages.Seated | messages.Watching) -> tuple[Exchange, ...]:
        """Return the offers to a seat that were out when this program, or an earlier run, left."""
        if isinstance(message, messages.Watching):
            return ()
        return self._memory.exchanges(self.model.identity, message.table, message.token)

    def _owed(self, left: Model) -> None:
        """Say that the table was left, as ``left`` has it, with a deal promised and not dealt."""
        book = self._prover.leave()
        owed = () if book is None else book.owed
        if book is not None and owed:
            told = evolve(left, checks=dict(book.checks))
            self._memory.note(told, self._prover.proofs, self._prover.witness)
            self.tell(Told(owed=owed[-1]))

    def _has_changed(self, server: str) -> bool:
        """Say whether this is not the server at one of whose tables the person is."""
        return self._at_table and server != self.model.server

    @property
    def _at_table(self) -> bool:
        return self._seated_at is not None or self._watched is not None

    @property
    def _overheard(self) -> bool:
        return self._way is None or self._way.is_overheard(self.model.link.security)

    def _enter(self) -> None:
        target = None if self._way is None else self._way.target
        enter = messages.Enter(
            id=secrets.token_hex(16),
            client=self._person.client,
            name=self._person.name,
            secret=None if target is None else target.secret,
            password=None if target is None or self._overheard else target.password,
        )
        self._ask(enter)

    def _entered(self) -> None:
        """Go where the person is, or was when the last connection ended."""
        self._was_online = True
        if self._way is not None and self._way.target.remembered:
            recent = self._memory.visited(self._way.target.shown, self.model.server_name)
            self.tell(Told(recent=recent))
        if self._seated_at is not None:
            self._come_back(self._seated_at)
        elif self._watched is not None:
            self._ask(replace(self._watched, id=secrets.token_hex(16)))
        elif self.model.pending:
            self._ask_again()
            if self.model.where == "lobby":
                self._look_round()
        else:
            self._begin()

    def _begin(self) -> None:
        """Make the table that is wanted at once, unless a match of an earlier run still waits."""
        kept = self._memory.kept(self.model.identity)
        if self._first is None:
            self._look_round()
        elif any(seat.table == self._last_table for seat in kept):
            self._come_back(self._last_table)
        elif kept:
            self.tell(Told(unfinished=kept[-1]))
        else:
            first, self._first = self._first, None
            self._ask(request_of(first, secrets.token_hex(16)), first)

    def _seated(self, seated: messages.Seated) -> None:
        self._memory.seated(self.model.identity, seated)
        self._seated_at = self._last_table = seated.table
        self._watched = None
        if seated.table == self._given_up:
            self._ask(messages.Leave(id=secrets.token_hex(16)))
            return
        self._ask_again()
        went_on, self._first = self._first is not None, None
        if self._ready_at_once and not went_on:
            self._ready_at_once = False
            self._ask(messages.Ready(id=secrets.token_hex(16), on=True))

    def _refused(self, code: str, answered: Request) -> None:
        match answered:
            case messages.Enter() if code == RefusalCode.WRONG_PASSWORD and not answered.password:
                unsent = RefusalCode.NOT_ENCRYPTED if self._overheard else Reason.NO_PASSWORD
                self._end_with(unsent)
            case messages.Enter():
                self._end_with(code)
            case messages.Resume() if code in SEAT_GONE:
                kept = self._memory.exchanges(self.model.identity, answered.table, answered.token)
                self._prover.owed |= any(one.shown and not one.kept for one in kept)
                self._memory.gone(self.model.identity, answered.table)
                self._left_table()
            case messages.Resume() if self._seated_at is not None:
                self._end_with(code)
            case messages.MakeTable() if self.model.where == "lobby" and self.model.lobby is None:
                self._look_round()
            case _:
                pass

    def _left_table(self) -> None:
        if self._seated_at is not None:
            self._memory.gone(self.model.identity, self._seated_at)
        self._seated_at = self._watched = None
        self._begin()
