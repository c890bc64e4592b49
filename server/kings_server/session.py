"""One connection: a reader, a writer and a heartbeat, and at most one request with its table.

The reader never waits for a table, so pings, byes and the limits on what may be asked are dealt
with whatever the table is doing. Requests that come while one is with the table wait here, and are
refused when there are too many of them. They do not wait for a hint that is being thought about;
there is one of those at a time. The writer (``writing``) alone sends.
"""

from collections import deque
from math import inf
from typing import Final

import trio

from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode
from kings_protocol.connection import Connection
from kings_protocol.errors import RemoteError
from kings_protocol.limits import BYE_SECONDS, NAME_LENGTH
from kings_protocol.names import clean_name
from kings_protocol.states import Role, State, misplaced
from kings_protocol.version import answer_hello
from kings_server.admission import WithPassword, admit
from kings_server.allowance import Allowances
from kings_server.answers import Recollection
from kings_server.identity import same
from kings_server.limits import FLOOD_PAUSE, RECEIVE_BYTES
from kings_server.lobby import Lobby
from kings_server.log import CLIENT_SHOWN, Log
from kings_server.names import reserved
from kings_server.outbox import Slot
from kings_server.passwords import Asker
from kings_server.roster import Post
from kings_server.writing import Writer


class Session:
    """One connection, from its first byte to its last."""

    SEATED: Final = 4
    """The ``rank`` of who has a seat."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        lobby: Lobby,
        log: Log,
        address: str = "",
        *,
        number: int = 0,
        overheard: bool = False,
    ) -> None:
        """Serve what comes on ``stream``; ``run`` does it.

        Args:
            stream: the connection.
            lobby: where it leads.
            log: where to log.
            address: where it comes from, as the limits of one address count it.
            number: what the connection is called.
            overheard: whether others on the network can read along; then no password is taken.
        """
        now = trio.current_time()
        self.number = number
        self.began = now
        self.name = ""
        self.client = ""
        self.quit = False
        self.memory = Recollection("", lobby.memory)
        self._connection = Connection(Role.SERVER)
        self._writer = Writer(stream, self._connection.send, lobby.sender)
        self.outbox = self._writer.outbox
        self._stream = stream
        self.address = address
        self._asker = Asker(address)
        self._overheard = overheard
        self._nursery: trio.Nursery | None = None
        self._broken: Exception | None = None
        self._lobby = lobby
        self._log = log
        self._place = State.START
        self._post: Post | None = None
        self._asked: str | None = None
        self._asked_at = now
        self._asked_hint: str | None = None
        self._waiting: deque[m.Request] = deque()
        self._heard = now
        self._bounds = lobby.config.bounds
        self._allowances = Allowances(self._bounds, now)

    async def run(self) -> None:
        """Serve the connection until either side ends it."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._write, nursery.cancel_scope)
                nursery.start_soon(self._beat, nursery.cancel_scope)
                try:
                    await self._read()
                finally:
                    # Before the nursery closes, or an answer might still start a task in it.
                    self.outbox.close(None, flush=False)
                nursery.cancel_scope.cancel()
        finally:
            self._depart()
            if self.entered:
                self._log.info("left", seconds=round(trio.current_time() - self.began))
        if self._broken is not None:
            raise self._broken

    @property
    def entered(self) -> bool:
        """Whether it is known who this is."""
        return self._place not in (State.START, State.GREETED)

    @property
    def rank(self) -> int:
        """How much is lost with the connection, from 0 for a silent stranger to ``SEATED``."""
        if not self.entered:
            return 0 if self._asked is None else 1
        return {State.ENTERED: 2, State.WATCHING: 3}.get(self._place, self.SEATED)

    # ---- what tables call; nothing here awaits

    @property
    def gone(self) -> bool:
        """Whether the connection has ended, or is about to."""
        return self.outbox.closed

    def answer(self, reply: m.Reply) -> None:
        """Give the one reply to a request that is with the table, and take up the next."""
        self.outbox.put(reply)
        if reply.re == self._asked:
            self._asked = None
            self._lobby.counts.answers.add(trio.current_time() - self._asked_at)
        elif reply.re == self._asked_hint:
            self._asked_hint = None
        self._go_on()

    def _go_on(self) -> None:
        """Take up what waits. An error in that is this connection's, whoever brought the answer."""
        try:
            while self._waiting and self._asked is None and not self.gone:
                self._dispatch(self._waiting.popleft())
        except Exception as error:  # noqa: BLE001  raised again by the connection's task
            self._broken = error
            self.outbox.close(None, flush=False)

    def arrive(self, post: Post, *, watching: bool) -> None:
        """Be at a table, which takes requests by ``post``."""
        self._post = post
        self._place = State.WATCHING if watching else State.SEATED
        self._lobby.listing.look(self, None)

    def go_back(self) -> None:
        """Be in the lobby again."""
        self._post = None
        self._place = State.ENTERED
        self.outbox.clear(Slot.TABLE, Slot.GAME)

    def displace(self) -> None:
        """End: a newer connection has taken over the seat."""
        self._post = None
        self.close(CloseCode.DISPLACED)

    def tell_of_stop(self) -> None:
        """Tell how long the server goes on, if it is about to stop and the person has entered."""
        left = self._lobby.stops_at - trio.current_time()
        if self.entered and left < inf:
            number = max(round(left * 1000), 0)
            self.outbox.put(m.Notice(code=NoticeCode.STOPPING, number=number))

    def announce(self, text: str) -> None:
        """Tell what whoever runs the server says to everybody, if the person has entered."""
        if self.entered:
            self.outbox.put(m.Announcement(text=text))

    def close(self, code: CloseCode) -> None:
        """End the connection in order, and say why."""
        if not self.gone:
            self._log.info("connection closes", code=code.value)
        broken = self._connection.state is State.FAILED
        self.outbox.close(m.Bye(code=code), flush=not broken)
        self._depart()

    def _depart(self) -> None:
        self._lobby.listing.look(self, None)
        if self._post is not None:
            self._post.depart(self)
            self._post = None

    # ---- the three tasks

    async def _read(self) -> None:
        connection, stream = self._connection, self._stream
        while True:
            try:
                data = await stream.receive_some(RECEIVE_BYTES)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
            if not data:
                return
            if self.gone:
                continue
            self._heard = trio.current_time()
            connection.receive(bytes(data))
            try:
                message = connection.next_message()
                while message is not None and not self.gone:
                    self._take(message)
                    message = connection.next_message()
                    if message is not None:  # many that come at once let others have a turn
                        await trio.lowlevel.checkpoint()
            except RemoteError as error:
                self._log.info("protocol broken", code=error.code.value)
                self.close(error.code)
            if connection.state is State.CLOSED and not self.outbox.finished:
                # Nothing may be said after the other side's bye, even if it waits to be written.
                self.outbox.close(None, flush=False)
                return
            if self._allowances.overdrew():
                # Many requests for one waking: a flood read as it comes costs twice as much.
                await trio.sleep(FLOOD_PAUSE)

    async def _write(self, scope: trio.CancelScope) -> None:
        try:
            await self._writer.run()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            scope.cancel()
        # The other side reads the last message and closes; if it does not, we do.
        scope.deadline = trio.current_time() + BYE_SECONDS

    async def _beat(self, scope: trio.CancelScope) -> None:
        """End the connection if it enters too late, falls silent or does not read.

        The time of a write is watched from here, every few seconds, because a scope of its own
        round each write costs a fifth of all the server's work.
        """
        bounds = self._bounds
        for seconds, early in (
            (bounds.hello_seconds, (State.START,)),
            (bounds.enter_seconds, (State.START, State.GREETED)),
        ):
            await trio.sleep_until(self.began + seconds)
            # While a password waits to be tried, it is not the client who is late.
            if self._place in early and self._asked is None:
                self.close(CloseCode.TOO_LATE)
                break
        number = 0
        while True:
            if trio.current_time() - self._writer.since >= bounds.write_seconds:
                self._log.info("connection stalls")
                scope.cancel()
            silence = trio.current_time() - self._heard
            if number and silence >= bounds.dead_seconds:
                self.close(CloseCode.SILENT)
            if silence >= bounds.ping_seconds:
                number += 1
                self.outbox.put(m.Ping(n=number))
            await trio.sleep(bounds.ping_seconds / 2)

    # ---- messages

    def _take(self, message: m.Message) -> None:
        match message:
            case m.Request():
                self._judge(message)
            case m.Ping(n=number):
                if self._excess(message) is None:
                    self.outbox.put(m.Pong(n=number))
            case m.Hello():
                answer = answer_hello(message, self._lobby.server_id, self._lobby.config.name)
                self._place = State.GREETED
                self.outbox.put(answer)
                if isinstance(answer, m.Unwelcome):
                    self.outbox.close(None)
            case m.Bye(code=code):
                self.quit = code == CloseCode.GOING
            case _:
                return

    def _judge(self, request: m.Request) -> None:
        excess = self._excess(request)
        if excess is not None:
            self._refuse(request, excess, seconds=1)
        elif self._asked is None:
            self._dispatch(request)
        elif len(self._waiting) < self._bounds.pending_commands:
            self._waiting.append(request)
        else:
            self._refuse(
                request, RefusalCode.TOO_MANY_REQUESTS, limit=self._bounds.pending_commands
            )

    def _excess(self, message: m.Message) -> RefusalCode | None:
        """Say why ``message`` is too much, if it is; end the connection that never stops."""
        now = trio.current_time()
        code = self._allowances.take(message, now)
        if code is not None and not self._allowances.forgives(now):
            self.close(CloseCode.FLOOD)
        return code

    def _refuse(
        self,
        request: m.Request,
        code: RefusalCode,
        *,
        seconds: int | None = None,
        limit: int | None = None,
    ) -> None:
        self.outbox.put(m.Refused(re=request.id, code=code, seconds=seconds, limit=limit))

    def _dispatch(self, request: m.Request) -> None:
        code = misplaced(self._place, type(request))
        if code is not None:
            self._refuse(request, code)
            return
        match request:
            case m.MakeTable() | m.Join() | m.Watch() if request.password:
                self._work_out(request)
            case m.Enter():
                self._enter(request)
            case m.Browse(page=page):
                self.outbox.put(m.Done(re=request.id))
                self._lobby.listing.look(self, page)
            case m.MakeTable():
                self._make(request, None)
            case m.Join() | m.Watch() | m.Resume():
                self._hand_over(self._lobby.find(request.table), request)
            case _:
                self._hand_over(self._post, request)

    def _hand_over(self, post: Post | None, request: m.Request) -> None:
        if post is None:
            self._refuse(request, RefusalCode.NO_SUCH_TABLE)
            return
        hint = isinstance(request, m.GetHint)
        if hint and self._asked_hint is not None:
            self._refuse(request, RefusalCode.TOO_MANY_REQUESTS, seconds=1)
            return
        # The answer may come before ``ask`` returns, and with it the next request be handed over.
        if hint:
            self._asked_hint = request.id
        else:
            self._asked, self._asked_at = request.id, trio.current_time()
        if not post.ask(self, request):
            if hint:
                self._asked_hint = None
            else:
                self._asked = None
            self._refuse(request, RefusalCode.TOO_MANY_REQUESTS, seconds=1)

    def _enter(self, request: m.Enter) -> None:
        secret = self._lobby.config.secret
        if secret is not None and not same(secret, request.secret or ""):
            self._refuse(request, RefusalCode.BAD_SECRET)
            return
        if self._lobby.bans.bars(request.client, self.address):
            self.close(CloseCode.BANNED)
            return
        name = clean_name(request.name, NAME_LENGTH)
        if not name or reserved(name):
            self._refuse(request, RefusalCode.BAD_NAME)
        elif self._lobby.password is None:
            self._let_in(request, name)
        elif request.password is None:
            self._refuse(request, RefusalCode.WRONG_PASSWORD)
        else:
            self._work_out(request)

    def _let_in(self, request: m.Enter, name: str) -> None:
        self.name, self.client = name, request.client
        self.memory = Recollection(request.client, self._lobby.memory)
        self._place = State.ENTERED
        self._log = self._log.bind(name=name, client=request.client[:CLIENT_SHOWN])
        self._log.info("entered")
        missing = self._lobby.missing.levels
        self.outbox.put(m.Entered(re=request.id, name=name, missing=missing))
        if self._lobby.config.motd is not None:
            self.announce(self._lobby.config.motd)
        self.tell_of_stop()

    def _make(self, request: m.MakeTable, password: str | None) -> None:
        made = self._lobby.make(self, request, password)
        if isinstance(made, m.Refused):
            self.outbox.put(made)
        else:
            self._hand_over(made.events, request)

    # ---- passwords: they take long, so the table is asked when they are worked out

    def _work_out(self, request: WithPassword) -> None:
        if self._overheard or self._nursery is None:
            self._refuse(request, RefusalCode.NOT_ENCRYPTED)
            return
        self._asked, self._asked_at = request.id, trio.current_time()
        self._nursery.start_soon(self._worked_out, request)

    async def _worked_out(self, request: WithPassword) -> None:
        found = await admit(self._lobby, self, request, self._asker, self._log)
        if isinstance(found, m.Refused):
            self.answer(found)
            if not self.entered and trio.current_time() >= self.began + self._bounds.enter_seconds:
                self.close(CloseCode.TOO_LATE)
            return
        self._asked = None
        if self.gone:
            return
        match found.request:
            case m.Enter() as entering:
                self._let_in(entering, clean_name(entering.name, NAME_LENGTH))
            case m.MakeTable() as making:
                self._make(making, found.kept)
            case coming:
                self._hand_over(self._lobby.find(coming.table), coming)
        self._go_on()
