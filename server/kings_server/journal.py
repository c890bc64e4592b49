"""Where a table hands what it has done before anybody is shown it."""

from collections.abc import Awaitable, Sequence
from typing import Protocol

from kings_server.journal_rows import SavedTable, Write


class JournalUnavailable(Exception):  # noqa: N818  the field's own word
    """The journal could not be read or written; whether what was written is kept is unknown."""


class Journal(Protocol):
    """What keeps the tables of a server."""

    @property
    def keeps(self) -> bool:
        """Whether anything is kept at all; if not, nothing need be handed in."""

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

    async def commit(self, writes: Sequence[Write]) -> None:
        """Do nothing."""

    async def reread(self, table: str) -> SavedTable | None:  # noqa: ARG002  as a journal has it
        """Return nothing."""
        return None
