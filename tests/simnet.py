"""A network in memory whose every mishap comes from a seed; it runs on trio's virtual clock.

A connection is two pipes. Bytes on their way arrive in order, late, and in pieces of any size; a
pipe has room for so many, and a writer waits for room as it would on a real one. A connection can
be cut so that both ends are told, or one, or neither (what is written then is lost without a
word), and it can stall: nothing arrives for a while, and then all of it.
"""

import random
from collections import deque
from collections.abc import Awaitable, Callable
from math import inf
from typing import Final, TypeAlias

import trio
from attrs import frozen

Serve: TypeAlias = Callable[[trio.abc.Stream], Awaitable[None]]
Error: TypeAlias = type[trio.BrokenResourceError] | type[trio.ClosedResourceError]


@frozen
class Weather:
    """What connections meet with; times are in seconds.

    Attributes:
        delay: the longest time that bytes are on their way.
        piece: the most bytes that arrive at once.
        room: the most bytes that are on their way in one direction.
        cut: the mean time until a connection is cut; nothing means that it is not.
        stall: the mean time between two stalls of a connection; nothing means that it has none.
        stalled: how long a stall lasts, at most.
    """

    delay: float = 0.0
    piece: int = 65536
    room: int = 65536
    cut: float | None = None
    stall: float | None = None
    stalled: float = 8.0


CALM: Final = Weather()


class Pipe:
    """One direction of a connection.

    Attributes:
        weather: what bytes meet with on their way.
        dead: whether nothing arrives any more, and nobody learns of what happens at the other end.
        reader_error: what reading raises from now on.
        writer_error: what writing raises from now on.
    """

    def __init__(self, weather: Weather, chance: random.Random) -> None:
        self.weather = weather
        self.dead = False
        self.reader_error: Error | None = None
        self.writer_error: Error | None = None
        self._chance = chance
        self._chunks: deque[tuple[float, bytes]] = deque()
        self._bytes = 0
        self._last_due = 0.0
        self._held_until = 0.0
        self._ended = False
        self._changed = trio.Event()

    async def put(self, data: bytes) -> None:
        """Send ``data`` on its way, as room comes free."""
        while data := self.offer(data):
            await self._changed.wait()

    def offer(self, data: bytes) -> bytes:
        """Send on its way what there is room for, and return the rest."""
        if self.writer_error is not None:
            raise self.writer_error
        free = self.weather.room - self._bytes
        if data and free > 0:
            part, data = data[:free], data[free:]
            delay = self._chance.uniform(0, self.weather.delay) if self.weather.delay else 0.0
            self._last_due = max(self._last_due, trio.current_time() + delay)
            self._chunks.append((self._last_due, part))
            self._bytes += len(part)
            self.tell()
        return data

    async def get(self, most: int) -> bytes:
        """Return what has arrived, or nothing at the end."""
        while True:
            if self.reader_error is not None:
                raise self.reader_error
            due = inf
            if self._chunks and not self.dead:
                due = max(self._chunks[0][0], self._held_until)
                if due <= trio.current_time():
                    return self._take(most)
            elif self._ended and not self.dead:
                return b""
            with trio.move_on_at(due):
                await self._changed.wait()

    def end(self) -> None:
        """Let nothing follow what is on its way."""
        self._ended = True

    def hold(self, until: float) -> None:
        """Let nothing arrive before ``until``."""
        self._held_until = max(self._held_until, until)

    def tell(self) -> None:
        """Wake whoever waits at either end."""
        self._changed.set()
        self._changed = trio.Event()

    def _take(self, most: int) -> bytes:
        due, chunk = self._chunks.popleft()
        most = min(most, self.weather.piece)
        if len(chunk) > most:
            size = self._chance.choice((1, most, self._chance.randint(1, most)))
            self._chunks.appendleft((due, chunk[size:]))
            chunk = chunk[:size]
        self._bytes -= len(chunk)
        self.tell()
        return chunk


class End(trio.abc.Stream):
    """One end of a connection; ``said`` and ``heard`` are told what is written and read here."""

    def __init__(self, out: Pipe, into: Pipe) -> None:
        self.said: Callable[[bytes], None] | None = None
        self.heard: Callable[[bytes], None] | None = None
        self.closed = False
        self._out = out
        self._into = into
        self._sending = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send ``data``, waiting for room; only one task at a time may."""
        if self._sending:
            raise trio.BusyResourceError("another task is sending")
        self._sending = True
        try:
            await trio.lowlevel.checkpoint()
            if self._out.writer_error is not None:
                raise self._out.writer_error
            if self.said is not None:
                self.said(bytes(data))
            await self._out.put(bytes(data))
        finally:
            self._sending = False

    def send_now(self, data: bytes) -> bytes:
        """Send what there is room for, and return the rest."""
        rest = self._out.offer(data)
        if self.said is not None:
            self.said(data[: len(data) - len(rest)])
        return rest

    async def wait_send_all_might_not_block(self) -> None:
        """Return at once: whoever has much to send finds out."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return bytes that have arrived, none at the end."""
        await trio.lowlevel.checkpoint()
        data = await self._into.get(65536 if max_bytes is None else max_bytes)
        if self.heard is not None:
            self.heard(data)
        return data

    async def aclose(self) -> None:
        """Close this end: the other reads what is on its way, and then the end."""
        self.leave()
        await trio.lowlevel.checkpoint()

    def leave(self) -> None:
        """Close this end at once."""
        if self.closed:
            return
        self.closed = True
        self._out.writer_error = self._into.reader_error = trio.ClosedResourceError
        self._out.end()
        if not self._into.dead:
            self._into.writer_error = trio.BrokenResourceError
        self._out.tell()
        self._into.tell()

    def lose(self) -> None:
        """Learn that the connection is cut."""
        if not self.closed:
            self._out.writer_error = self._into.reader_error = trio.BrokenResourceError
            self._out.tell()
            self._into.tell()


class Cable:
    """A connection: the end of who made it is near, the server's is far."""

    def __init__(self, number: int, weather: Weather, chance: random.Random) -> None:
        self.number = number
        self.weather = weather
        self.chance = chance
        self._up = Pipe(weather, chance)
        self._down = Pipe(weather, chance)
        self.near = End(self._up, self._down)
        self.far = End(self._down, self._up)

    @property
    def over(self) -> bool:
        """Whether both ends are closed."""
        return self.near.closed and self.far.closed

    def cut(self, *told: End) -> None:
        """Cut the connection; only the ends ``told`` learn of it."""
        self._up.dead = self._down.dead = True
        for end in told:
            end.lose()

    def stall(self, seconds: float, *, up: bool) -> None:
        """Let nothing arrive for so long, in one direction."""
        pipe = self._up if up else self._down
        pipe.hold(trio.current_time() + seconds)

    def calm(self) -> None:
        """Let nothing more go wrong."""
        self.weather = CALM
        self._up.weather = self._down.weather = CALM


class Network:
    """All connections between some clients and one server.

    Attributes:
        cables: the connections that are not over.
        weather: what new ones will meet with.
        serve: serves the far end of a connection; nothing while no server listens.
        tap: is told of each new connection.
    """

    def __init__(self, seed: int, weather: Weather, nursery: trio.Nursery) -> None:
        self.weather = weather
        self.cables: set[Cable] = set()
        self.serve: Serve | None = None
        self.tap: Callable[[Cable], None] | None = None
        self.nursery = nursery
        self.servers = nursery
        self._seed = seed
        self._made = 0

    def connect(self, weather: Weather | None = None) -> Cable:
        """Return a new connection.

        Raises:
            ConnectionRefusedError: no server listens.
        """
        if self.serve is None:
            raise ConnectionRefusedError
        self._made += 1
        chance = random.Random(f"{self._seed} {self._made}")  # noqa: S311
        cable = Cable(self._made, self.weather if weather is None else weather, chance)
        self.cables.add(cable)
        if self.tap is not None:
            self.tap(cable)
        self.servers.start_soon(self._run, self.serve, cable)
        return cable

    def calm(self) -> None:
        """Let nothing more go wrong."""
        self.weather = CALM
        for cable in self.cables:
            cable.calm()

    async def _run(self, serve: Serve, cable: Cable) -> None:
        trouble = trio.CancelScope()
        self.nursery.start_soon(self._trouble, cable, trouble)
        try:
            await serve(cable.far)
        finally:
            cable.far.leave()
            trouble.cancel()
            self.cables.discard(cable)

    async def _trouble(self, cable: Cable, scope: trio.CancelScope) -> None:
        """Let happen to a connection what the weather has in store for it."""
        weather, chance = cable.weather, cable.chance
        start = trio.current_time()
        cut_at = inf if weather.cut is None else start + chance.expovariate(1 / weather.cut)
        with scope:
            while weather.stall is not None:
                at = trio.current_time() + chance.expovariate(1 / weather.stall)
                if at > cut_at:
                    break
                await trio.sleep_until(at)
                if cable.weather is CALM:
                    return
                cable.stall(chance.uniform(0, weather.stalled), up=chance.random() < 0.5)
            if cut_at == inf:
                return
            await trio.sleep_until(cut_at)
            if cable.weather is not CALM:
                ends = (cable.near, cable.far)
                cable.cut(*chance.choice((ends, ends, ends[:1], ends[1:], ())))
