"""Where a table hands what it has done before anybody is shown it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from kings_server.journal_rows import SavedTable, Write


class JournalUnavailable(Exception):  # noqa: N818  the field's own word
    """The journal could not be read or written; whether what was written is kept is unknown."""


Done: TypeAlias = Callable[[JournalUnavailable | None], None]
"""Is told what became of something that was handed in: nothing, once it is kept, or the error."""


class Journal(Protocol):
    """What keeps the tables of a server."""

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all; if not, nothing need be handed in."""

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:
        """Have all of ``writes`` kept, and call ``done`` then; it neither awaits nor fails.

        After an error it is unknown whether they are kept, or will be; ``reread`` tells.
        """

    def commit(self, writes: Sequence[Write]) -> Awaitable[None]:
        """Return what to await until all of ``writes`` are kept.

        Raises:
            JournalUnavailable: it is unknown whether they are, or will be; ``reread`` tells.
        """

    def reread(self, table: str) -> Awaitable[SavedTable | None]:
        """Return what to await for a table as it was last committed.

        Raises:
            JournalUnavailable: it cannot be read.
        """


class Forgetful:
    """Keeps nothing: tables end with the server's process."""

    keeps = False

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:  # noqa: ARG002
        """Do nothing."""
        done(None)

    async def commit(self, writes: Sequence[Write]) -> None:
        """Do nothing."""

    async def reread(self, table: str) -> SavedTable | None:  # noqa: ARG002
        """Return nothing."""
        return None
