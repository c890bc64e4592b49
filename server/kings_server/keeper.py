"""What the journal has of one table, as far as the table knows."""

from math import inf
from typing import TYPE_CHECKING

import trio

from kings_server.journal import Done, Journal, JournalUnavailable
from kings_server.journal_rows import SavedTable, Write, forget_table, keep_state, keep_table
from kings_server.kept import KeptState, settings_text, text_of
from kings_server.limits import SAVE_AGAIN_SECONDS, TIMES_SECONDS
from kings_server.reviving import kept_state

if TYPE_CHECKING:
    from kings_server.table import Table


class Keeper:
    """Hands the journal what one table does, and finds out what became of it.

    Attributes:
        keeps: whether anything is kept at all.
        due: when the state is to be kept again though nothing happens, because times pass.
    """

    def __init__(self, table: str, journal: Journal) -> None:
        """Keep the table of this id in ``journal``."""
        self.keeps = journal.keeps
        self._table = table
        self._journal = journal
        self._state: KeptState | None = None
        self.due = inf

    @property
    def began(self) -> bool:
        """Whether the journal may hold anything of the table."""
        return self._state is not None

    def took_over(self, state: KeptState) -> None:
        """Note that the table goes on from ``state``, as the journal has it."""
        self._know(state)
        # From now on people may be waited for who were still there then.
        self.due = trio.current_time() + TIMES_SECONDS[0]

    def hand_in(self, table: "Table", writes: list[Write], done: Done, *, state: bool) -> bool:
        """Have ``writes`` kept, and the table's ``state`` if it is another by now.

        Args:
            table: the table.
            writes: what its event is to leave in the journal.
            done: is called once they are kept. If they may not be, it is called with the error, and
                ``reread`` and ``has_all`` tell.
            state: whether the state may have changed.

        Returns:
            Whether there is anything to keep; if not, ``done`` is not called.
        """
        if not self.keeps:
            return False
        if state:
            writes = [*self._changed(table), *writes]
        if writes:
            self._journal.hand_in(writes, done)
        return bool(writes)

    async def keep_whole(self, table: "Table") -> bool:
        """Have the table's settings and state kept, changed or not; say whether they are."""
        self._state = None
        try:
            await self._journal.commit(self._changed(table))
        except JournalUnavailable:
            return False
        return True

    async def forget(self) -> bool:
        """Have the table forgotten; say whether it is."""
        try:
            await self._journal.commit(forget_table(self._table))
        except JournalUnavailable:
            return False
        self._state = None
        return True

    async def reread(self) -> SavedTable | None:
        """Return what the journal has of the table, however long that takes."""
        while True:
            try:
                saved = await self._journal.reread(self._table)
            except JournalUnavailable:
                await trio.sleep(SAVE_AGAIN_SECONDS)
            else:
                if saved is None:
                    self._state = None
                return saved

    def has_all(self, saved: SavedTable, table: "Table") -> bool:
        """Say whether ``saved`` is what was handed in last: the same state, and as many actions."""
        if self._state is None or saved.state != text_of(self._state):
            return False
        kept, match = saved.match, table.match
        version = 0 if match is None or table.closed else match.version
        return table.closed or (0 if kept is None else len(kept.steps)) == version

    def _changed(self, table: "Table") -> list[Write]:
        state, before = kept_state(table), self._state
        self._know(state)
        if state == before:
            return []
        text = text_of(state)
        if before is None:
            return [keep_table(self._table, settings_text(table.settings, table.maker), text)]
        return [keep_state(self._table, text)]

    def _know(self, state: KeptState) -> None:
        self._state, now = state, trio.current_time()
        soon, late = TIMES_SECONDS
        if not state.waits:
            self.due = inf
        elif state.deserted_left is None:
            self.due = now + soon
        else:  # all such tables together, because the disk is waited for once then
            self.due = (now // late + 1) * late
