"""Passwords: kept as scrypt hashes, and tried by few at once and seldom.

A hash takes a twentieth of a second and 16 MB on purpose, so it is made in a worker thread, two at
once. One address has one made at a time, few a second, and five wrong ones a minute, or as many as
the limits say.

The work is done through ``run_blocking``; a test on a virtual clock runs it inline.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from math import ceil, inf
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
    PASSWORD_ADDRESSES,
    PASSWORD_HASHES,
    PASSWORD_PAUSE,
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


@frozen
class Tried:
    """Whether a password fits; or in how many seconds the next may be tried, if not now."""

    fits: bool
    wait: int = 0


@define
class _Tries:
    """One address: its turn, when it had the last one, and its wrong tries that still count."""

    allowed: int
    seconds: float
    turn: trio.Lock = field(factory=trio.Lock)
    last: float = -inf
    wrong: deque[float] = field(factory=deque)

    def wait(self, now: float) -> float:
        """Return the seconds until another try is allowed."""
        while self.wrong and now - self.wrong[0] >= self.seconds:
            self.wrong.popleft()
        return 0.0 if len(self.wrong) < self.allowed else self.wrong[0] + self.seconds - now


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
            bounds: how many wrong tries an address has, and for how long they count.
        """
        self._bounds = bounds or Bounds()
        self._run_blocking = run_blocking
        self._cost = cost
        self._limit = trio.CapacityLimiter(PASSWORD_HASHES)
        self._addresses: OrderedDict[str, _Tries] = OrderedDict()

    async def keep(self, password: str, address: str = "") -> str:
        """Return the hash of a new password, which came from ``address``."""
        tries = self._of(address)
        async with tries.turn:
            return await self._worked_out(tries, lambda: hashed(password, self._cost))

    async def tried(self, kept: str, password: str, address: str) -> Tried:
        """Try a password.

        Args:
            kept: the hash of the right one.
            password: the one given.
            address: where it comes from.
        """
        tries = self._of(address)
        async with tries.turn:
            wait = tries.wait(trio.current_time())
            if wait:
                return Tried(fits=False, wait=ceil(wait))
            right = await self._worked_out(tries, lambda: fits(kept, password))
            if not right:
                tries.wrong.append(trio.current_time())
            return Tried(right)

    async def _worked_out(self, tries: _Tries, job: Callable[[], T]) -> T:
        await trio.sleep_until(tries.last + PASSWORD_PAUSE)
        async with self._limit:
            found = await self._run_blocking(job)
        tries.last = trio.current_time()
        return found

    def _of(self, address: str) -> _Tries:
        tries = _Tries(self._bounds.password_tries, self._bounds.password_try_seconds)
        if not address:
            return tries
        tries = self._addresses.pop(address, tries)
        self._addresses[address] = tries
        if len(self._addresses) > PASSWORD_ADDRESSES:
            self._addresses.popitem(last=False)
        return tries
