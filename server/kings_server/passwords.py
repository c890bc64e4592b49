"""Passwords: kept as scrypt hashes, and tried by few at once and seldom.

A hash takes a twentieth of a second and 16 MB on purpose, so it is made in a worker thread, two at
once. One address has one made at a time, few a second, and of its connections the one that has had
the fewest is next.

Wrong tries are counted by address and by what they would open. After five a minute, or as many as
the limits say, tries go on more slowly, one after the other: nobody is refused, because others at
the same address may know the password. A client that has brought the right one is counted by itself
from then on, and waits for nobody's wrong ones.

The work is done through ``run_blocking``; a test on a virtual clock runs it inline.
"""

from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import TypeVar

import trio
from attrs import define, field, frozen

from kings_protocol.limits import PASSWORD_LENGTH
from kings_server.bounds import Bounds
from kings_server.certificate import CannotSecure
from kings_server.committer import RunBlocking, in_thread
from kings_server.hashes import COST, fits, hashed
from kings_server.limits import (
    PASSWORD_COUNTS,
    PASSWORD_HASHES,
    PASSWORD_PAUSE,
    PASSWORD_SLOW_PAUSE,
)


def read_password(file: Path) -> str:
    """Return the first line of ``file``: the password that everybody needs who enters.

    Raises:
        CannotSecure: it holds none that could be given.
    """
    try:
        with file.open(encoding="utf-8") as stream:
            password = stream.readline().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise CannotSecure(f"cannot read the password in {file}: {why.lower()}") from None
    if not 0 < len(password) <= PASSWORD_LENGTH:
        raise CannotSecure(
            f"{file} holds no password in its first line, of 1 to {PASSWORD_LENGTH} characters"
        )
    return password


T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


@define(eq=False)
class Asker:
    """A connection that brings passwords: its ``address``, and how many ``hashes`` it has had."""

    address: str
    hashes: int = 0


@frozen
class Try:
    """A password that somebody gives.

    Attributes:
        kept: the hash of the right one.
        password: the one given.
        asker: the connection that brings it.
        target: what it opens: a table's id, or nothing for the server.
        client: the client's id, or nothing.
    """

    kept: str = field(repr=False)
    password: str = field(repr=False)
    asker: Asker
    target: str = ""
    client: str = ""


@frozen
class Tried:
    """Whether a password fits, and whether further tries are slow from this one on."""

    fits: bool
    slows: bool = False


class _Line:
    """One turn after the other: next is who has had the fewest hashes, then who came first."""

    def __init__(self, pause: float) -> None:
        """Leave so many seconds between a hash and the next turn."""
        self._pause = pause
        self._waiting: dict[trio.Event, Asker] = {}
        self._busy = False
        self.last = -inf

    @asynccontextmanager
    async def turn(self, asker: Asker) -> AsyncIterator[None]:
        """Wait for a turn of ``asker``'s, and give it back in the end.

        One connection waits once, so those before it are no more than its address has connections.
        """
        mine = trio.Event()
        self._waiting[mine] = asker
        self._hand_on()
        try:
            await mine.wait()
            await trio.sleep_until(self.last + self._pause)
            yield
        finally:
            if self._waiting.pop(mine, None) is None:
                self._busy = False
                self._hand_on()

    def _hand_on(self) -> None:
        if self._waiting and not self._busy:
            first = min(self._waiting, key=lambda turn: self._waiting[turn].hashes)
            del self._waiting[first]
            self._busy = True
            first.set()


class _Tries:
    """The wrong tries of one address, or one client, at one thing, and the line of slow ones."""

    def __init__(self, bounds: Bounds) -> None:
        self._seconds = bounds.password_try_seconds
        self._wrong: deque[float] = deque(maxlen=bounds.password_tries)
        self.slow = _Line(PASSWORD_SLOW_PAUSE)

    @property
    def spent(self) -> bool:
        """Whether there were so many wrong tries of late that further ones are slow."""
        full = len(self._wrong) == self._wrong.maxlen
        return full and trio.current_time() - self._wrong[0] < self._seconds

    def count(self) -> None:
        """Count a wrong try."""
        self._wrong.append(trio.current_time())


class Passwords:
    """Makes hashes and tries passwords, for the whole server.

    What comes from no address is not counted, and waits for nothing but the work.
    """

    def __init__(
        self,
        run_blocking: RunBlocking = in_thread,
        cost: int = COST,
        bounds: Bounds | None = None,
    ) -> None:
        """Do the work by ``run_blocking``, within ``bounds``.

        Args:
            run_blocking: does the work.
            cost: a new hash takes 2 to the power of that many steps.
            bounds: how many wrong tries are not slow yet, and for how long they count.
        """
        self._bounds = bounds or Bounds()
        self._run_blocking = run_blocking
        self._cost = cost
        self._limit = trio.CapacityLimiter(PASSWORD_HASHES)
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        self._tries: OrderedDict[tuple[str, str], _Tries] = OrderedDict()
        self._knows: OrderedDict[tuple[str, str], bool] = OrderedDict()

    async def keep(self, password: str, asker: Asker) -> str:
        """Return the hash of a new password, which ``asker`` brought."""
        line = self._line(asker)
        async with line.turn(asker):
            return await self._worked_out(asker, (line,), partial(hashed, password, self._cost))

    async def tried(self, given: Try) -> Tried:
        """Try a password, at once or in a slow turn."""
        asker, tries = given.asker, self._tries_of(given)
        line = self._line(asker)
        async with line.turn(asker):
            if not tries.spent:
                return await self._try(given, tries, line)
        async with tries.slow.turn(asker), line.turn(asker):
            return await self._try(given, tries, line, tries.slow)

    async def _try(self, given: Try, tries: _Tries, *lines: _Line) -> Tried:
        job = partial(fits, given.kept, given.password)
        if await self._worked_out(given.asker, lines, job):
            if given.client:
                _newest(self._knows, (given.client, given.target), lambda: True)
            return Tried(fits=True)
        before = tries.spent
        tries.count()
        return Tried(fits=False, slows=not before and tries.spent)

    async def _worked_out(self, asker: Asker, lines: Iterable[_Line], job: Callable[[], T]) -> T:
        asker.hashes += 1
        async with self._limit:
            found = await self._run_blocking(job)
        for line in lines:
            line.last = trio.current_time()
        return found

    def _line(self, asker: Asker) -> _Line:
        if not asker.address:
            return _Line(PASSWORD_PAUSE)
        return _newest(self._lines, asker.address, lambda: _Line(PASSWORD_PAUSE))

    def _tries_of(self, given: Try) -> _Tries:
        if not given.asker.address:
            return _Tries(self._bounds)
        knows = (given.client, given.target) in self._knows
        who = given.client if knows else given.asker.address
        return _newest(self._tries, (who, given.target), lambda: _Tries(self._bounds))


def _newest(known: OrderedDict[K, V], key: K, make: Callable[[], V]) -> V:
    """Return what is known under ``key``, or make it; the one asked for longest ago goes."""
    found = known.pop(key) if key in known else make()
    known[key] = found
    if len(known) > PASSWORD_COUNTS:
        known.popitem(last=False)
    return found
