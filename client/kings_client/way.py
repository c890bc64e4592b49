"""The way of one visit to its server: the first time, and every time after a lost connection."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import trio
from attrs import define, evolve, field

from kings_client.config import Address, Target, is_here
from kings_client.intents import AcceptCode, Decided, GivePassword, RetryNow
from kings_client.model import Reason, Security
from kings_client.pins import Pin, Pins
from kings_client.securing import Connect, Failed, Line, reach

Elsewhere: TypeAlias = Callable[[str], Sequence[Address]]
"""Tells where else the server of an id is said to be now."""


@define
class Way:
    """The way to one server.

    Attributes:
        target: where it is now.
        pins: which servers are known.
        connect: opens a bare connection.
        elsewhere: where else the server may be, after it was reached.
    """

    target: Target
    pins: Pins
    connect: Connect
    elsewhere: Elsewhere
    _home: Address = field(init=False)
    _found: Pin | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._home = self.target.address

    async def reach(self, seconds: float, server: str, identity: str) -> Line | Failed:
        """Connect to where the server was, or to where it has answered since it was lost.

        Where it was not at first, nobody but this server itself is meant.

        Args:
            seconds: for each attempt.
            server: the server's id, if it was reached before.
            identity: and what it is known by.
        """
        reached: Line | Failed = Failed(Reason.UNREACHABLE)
        moved = self.elsewhere(server) if server else ()
        for address in dict.fromkeys((*moved, self.target.address)):
            there = evolve(self.target, address=address)
            only = "" if address == self._home else identity
            reached = await reach(there, self.pins, self.connect, seconds, only=only)
            if isinstance(reached, Line):
                self._found = reached.pin
                if address != self.target.address:
                    self.target = evolve(there, shown=str(address))
                break
        return reached

    def greeted(self) -> None:
        """Remember who was reached: it is a server of this game, and not just anybody with TLS."""
        if self._found is not None:
            self.pins.keep(self._home, self._found)

    def take(self, decided: Decided) -> None:
        """Keep what the person has decided: another code, or a password."""
        match decided:
            case AcceptCode(code):
                self.target = evolve(self.target, code=code)
            case GivePassword(password):
                self.target = evolve(self.target, password=password)
            case RetryNow():
                pass

    def is_overheard(self, security: Security | None) -> bool:
        """Say whether others on the network can read along."""
        plain = security is not None and security.how == "plain"
        return plain and not is_here(self.target.address)


async def hang_up(line: Line) -> None:
    """Close a connection on which nothing was said."""
    await trio.aclose_forcefully(line.stream)
