"""Where a table hands each action before anybody is shown what it did."""

from collections.abc import Awaitable
from typing import Protocol

from attrs import field, frozen

from kings_engine.actions import Action
from kings_protocol.messages import Reply, Request


@frozen
class Entry:
    """One action of a match, with the request it answers, if a person asked for it.

    Attributes:
        table: the table's id.
        match: which of the table's matches, from 1.
        version: the match's version after the action.
        actor: the seat, or ``actions.TABLE``.
        action: what was done; it may hold a deal's secret, so it is never logged.
        request: the request that asked for it.
        reply: what it is answered.
    """

    table: str
    match: int
    version: int
    actor: int
    action: Action = field(repr=False)
    request: Request | None = field(default=None, repr=False)
    reply: Reply | None = field(default=None, repr=False)


class Journal(Protocol):
    """What keeps the actions of all tables."""

    def commit(self, entry: Entry) -> Awaitable[None] | None:
        """Keep ``entry``; return what to await until it is kept, or nothing if it is already.

        An exception leaves it unknown whether it was; the table must not go on as if it were not.
        """


class Forgetful:
    """Keeps nothing: matches end with the server's process."""

    def commit(self, entry: Entry) -> None:
        """Do nothing."""
