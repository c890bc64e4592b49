"""The servers near by: which of those that were announced really answer, and how soon.

An announcement is only text, and anybody may send any. So each server is asked again and again, by
nothing but the protocol's hello: one that answers is listed with the time that it took, one that
falls silent is marked and then left out, and where something else listens it is left alone. All
numbers are bounded, so that a flood of announcements costs no more than a full list does.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import trio
from attrs import define, evolve, field, frozen

from kings_client.config import Address
from kings_client.search import Found, Search
from kings_protocol.discovery import Announcement
from kings_protocol.version import negotiate

LISTED: Final = 64
"""Servers that are listed, at most."""

KNOWN: Final = 128
"""Servers that are kept in mind, at most; of more, those that do not answer give way."""

TRIED: Final = 6
"""Addresses of one server that are tried, at most."""

AT_ONCE: Final = 16
"""Servers that are asked at the same time."""

ANSWER_SECONDS: Final = 3.0
"""How long a server may take to answer."""

ASK_SECONDS: Final = 5.0
"""How often it is asked; the pause doubles while it is left out of the list."""

LONGEST_PAUSE: Final = 60.0
"""How often a server is asked at least; and how long one that is none is left alone."""

STAGGER_SECONDS: Final = 0.1
"""How long the next address of a server waits for the one before it to answer."""

GONE_SECONDS: Final = 20.0
"""How long a server that has fallen silent is still listed, with a mark."""


@frozen
class Heard:
    """A server as it was announced: under which label, at which addresses, with what words."""

    label: str
    addresses: tuple[Address, ...]
    said: Announcement


@frozen
class Answer:
    """A server's answer to the hello.

    Attributes:
        server: its id; empty if it speaks another version.
        seconds: how long it took.
        fingerprint: of its certificate; empty without encryption.
    """

    server: str
    seconds: float
    fingerprint: str = ""


class Stranger:
    """Somebody listens who does not speak as our servers do."""


Ask: TypeAlias = Callable[[Address], Awaitable[Answer | Stranger | None]]
"""Asks who listens at an address; nothing means that nobody does."""


@define(eq=False)
class _Server:
    """A server that was announced, and what came of asking it."""

    heard: Heard
    number: int
    news: trio.Event = field(factory=trio.Event)
    scope: trio.CancelScope = field(factory=trio.CancelScope)
    withdrawn: bool = False
    address: Address | None = None
    answer: Answer | None = None
    silent_at: float | None = None

    def gone(self, now: float) -> bool:
        """Say whether it has been silent for so long that it is not listed."""
        return self.silent_at is not None and now - self.silent_at >= GONE_SECONDS


class Nearby:
    """Keeps the list of the servers near by."""

    def __init__(self, ask: Ask, show: Callable[[Search], None], nursery: trio.Nursery) -> None:
        """Show a list whenever it changes; the servers are asked by tasks of ``nursery``."""
        self._ask = ask
        self._show = show
        self._nursery = nursery
        self._servers: dict[str, _Server] = {}
        self._number = 0
        self._left_alone: dict[Address, float] = {}
        self._limit = trio.CapacityLimiter(AT_ONCE)
        self._shown: Search | None = None
        self._deaf = False

    # ---- what is heard

    def heard(self, heard: Heard) -> None:
        """Take an announcement, new or changed."""
        known = self._servers.get(heard.label)
        if known is not None:
            moved = known.heard.addresses != heard.addresses
            known.heard, known.withdrawn = heard, False
            if moved:
                known.news.set()
            self._tell()
        elif len(self._servers) < KNOWN or self._made_room():
            self._number += 1
            server = self._servers[heard.label] = _Server(heard, self._number)
            self._nursery.start_soon(self._watch, server)
            self._tell()

    def withdrawn(self, label: str) -> None:
        """Take note that a server was said to be gone; anybody may say so, so it is asked."""
        server = self._servers.get(label)
        if server is not None:
            server.withdrawn = True
            server.news.set()

    def deaf(self, deaf: bool) -> None:
        """Take note of whether announcements cannot be heard at all."""
        self._deaf = deaf
        self._tell()

    def _made_room(self) -> bool:
        """Forget a server that does not answer, if there is one."""
        mute = next((one for one in self._servers.values() if one.silent_at is not None), None)
        if mute is not None:
            self._forget(mute)
        return mute is not None

    def _forget(self, server: _Server) -> None:
        if self._servers.get(server.heard.label) is server:
            del self._servers[server.heard.label]
        server.scope.cancel()

    # ---- who answers

    async def _watch(self, server: _Server) -> None:
        """Ask a server again and again, until it is forgotten."""
        pause = ASK_SECONDS
        with server.scope:
            while True:
                async with self._limit:
                    await self._try(server)
                if server.silent_at is not None and server.withdrawn:
                    self._forget(server)
                self._tell()
                gone = server.gone(trio.current_time())
                pause = min(pause * 2, LONGEST_PAUSE) if gone else ASK_SECONDS
                with trio.move_on_after(pause):
                    await server.news.wait()
                server.news = trio.Event()

    async def _try(self, server: _Server) -> None:
        """Ask at all addresses, one shortly after the other, until there is an answer."""
        answered: list[tuple[Address, Answer]] = []

        async def one(address: Address, wait: float) -> None:
            await trio.sleep(wait)
            answer = await self._ask(address)
            if isinstance(answer, Answer):
                answered.append((address, answer))
                nursery.cancel_scope.cancel()
            elif isinstance(answer, Stranger):
                self._leave_alone(address)

        with trio.move_on_after(ANSWER_SECONDS):
            async with trio.open_nursery() as nursery:
                for at, address in enumerate(self._addresses(server)):
                    nursery.start_soon(one, address, at * STAGGER_SECONDS)
        if answered:
            server.address, server.answer = answered[0]
            server.silent_at = None
        elif server.silent_at is None:
            server.silent_at = trio.current_time()

    def _addresses(self, server: _Server) -> list[Address]:
        """Return where to ask, beginning where the last answer came from."""
        now = trio.current_time()
        self._left_alone = {at: end for at, end in self._left_alone.items() if end > now}
        found = {at: None for at in server.heard.addresses if at not in self._left_alone}
        return sorted(found, key=lambda at: at != server.address)[:TRIED]

    def _leave_alone(self, address: Address) -> None:
        if len(self._left_alone) < KNOWN * TRIED:
            self._left_alone[address] = trio.current_time() + LONGEST_PAUSE

    # ---- the list

    def _tell(self) -> None:
        search = Search(tuple(self._listed()), deaf=self._deaf)
        if search != self._shown:
            self._shown = search
            self._show(search)

    def _listed(self) -> list[Found]:
        """Return the servers in the order in which they were found, each once."""
        now = trio.current_time()
        found: dict[str, Found] = {}
        for server in self._servers.values():
            if server.gone(now):
                continue
            line = _line(server)
            key = f"label {server.heard.label}"
            if server.answer is not None and line.server:
                # An id can be claimed by anybody, a certificate cannot.
                key = f"{line.server} {server.answer.fingerprint}"
            first = found.get(key, line)
            # Started anew, a server may be known under two labels; the newer one says what is.
            newest = first if line.silent and not first.silent else line
            found[key] = evolve(newest, number=first.number)
        best = sorted(found.values(), key=lambda one: (one.seconds is None, one.number))
        return sorted(best[:LISTED], key=lambda one: one.number)


def _line(server: _Server) -> Found:
    said, answer = server.heard.said, server.answer
    address = server.address
    if address is None or address not in server.heard.addresses:
        address = server.heard.addresses[0]
    return Found(
        number=server.number,
        name=said.name,
        address=str(address),
        people=said.people,
        tables=said.tables,
        locked=said.locked,
        program=said.program,
        speaks=negotiate(said.oldest, said.newest) is not None,
        server="" if answer is None else answer.server,
        seconds=None if answer is None or server.silent_at is not None else answer.seconds,
        silent=server.silent_at is not None,
    )
