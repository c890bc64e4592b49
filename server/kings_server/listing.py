"""The list of tables as it is shown: its pages, who looks at them, and what each is sent.

Most of those who look at a page have been shown the same form of it before, so what has changed
since is found and encoded once for all of them. Only those are told who miss something, and a few
at a time, so that whatever else has come meanwhile is dealt with in between.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol

import trio
from msgspec.structs import replace

from kings_protocol.limits import PAGE_TABLES
from kings_protocol.messages import LobbyPage
from kings_server.outbox import Encode, Outbox, Slot

if TYPE_CHECKING:
    from kings_server.table import Table

_AT_ONCE: Final = 16
"""How many are sent the list before others get a turn: half a millisecond's work."""


class Looker(Protocol):
    """A connection, as the list sees it."""

    @property
    def outbox(self) -> Outbox:
        """What waits to be written to the connection."""


class Form:
    """A page as it is between two changes; ``age`` counts the forms of all pages, from 1."""

    __slots__ = ("_frames", "age", "whole")

    def __init__(self, whole: LobbyPage, age: int) -> None:
        """Be the form that ``whole`` shows all of."""
        self.whole = whole
        self.age = age
        self._frames: dict[int, bytes] = {}

    def frame(self, shown: "Form | None", encode: Encode) -> bytes:
        """Return the frame for somebody who has been shown another form, or none yet."""
        if shown is not None and shown.whole.page != self.whole.page:
            shown = None
        since = 0 if shown is None else shown.age
        if since not in self._frames:
            message = self.whole if shown is None else self._changes(shown)
            self._frames[since] = encode(message)
        return self._frames[since]

    def _changes(self, shown: "Form") -> LobbyPage:
        before = {line.table: line for line in shown.whole.tables}
        changed = tuple(line for line in self.whole.tables if before.get(line.table) != line)
        return replace(self.whole, whole=False, tables=changed)


class Look:
    """One connection's look at a page; ``since`` is when it was last shown a page at once."""

    __slots__ = ("_listing", "_page", "_shown", "since")

    def __init__(self, listing: "Listing", page: int, now: float) -> None:
        """Look at a page from ``now`` on."""
        self.since = now
        self._listing = listing
        self._page = page
        self._shown: Form | None = None

    @property
    def due(self) -> bool:
        """Whether it misses something."""
        return self._listing.form(self._page) is not self._shown

    def frame(self, encode: Encode) -> bytes:
        """Return the frame with what it misses, or nothing if it misses nothing."""
        shown, newest = self._shown, self._listing.form(self._page)
        self._shown = newest
        return b"" if newest is shown else newest.frame(shown, encode)


class Listing:
    """The pages of the list, and who looks at them; ``run`` sends them what changes."""

    def __init__(self, tables: Mapping[str, "Table"], seconds: float) -> None:
        """Show ``tables``, to everybody at most once in so many ``seconds``."""
        self._tables = tables
        self._seconds = seconds
        self._forms: dict[int, Form] = {}
        self._current: set[int] = set()
        self._age = 0
        self._looks: dict[Looker, Look] = {}
        self._dirty = trio.Event()

    async def run(self) -> None:
        """Send changes, for ever."""
        while True:
            await self._dirty.wait()
            self._dirty = trio.Event()
            told = 0
            for looker, look in tuple(self._looks.items()):
                if self._looks.get(looker) is look and look.due:
                    looker.outbox.renew(Slot.LOBBY, look.frame)
                    told += 1
                    if told % _AT_ONCE == 0:
                        await trio.lowlevel.checkpoint()
            await trio.sleep(self._seconds)

    def changed(self) -> None:
        """Note that a table has come, gone or changed its line."""
        self._current.clear()
        self._dirty.set()

    def look(self, looker: Looker, page: int | None) -> None:
        """Show a page of the list, now and whenever it changes; or (none) no longer."""
        now, before = trio.current_time(), self._looks.pop(looker, None)
        looker.outbox.clear(Slot.LOBBY)
        if page is None:
            return
        look = self._looks[looker] = Look(self, page, now)
        if before is None or now - before.since >= self._seconds:
            looker.outbox.renew(Slot.LOBBY, look.frame)
        else:
            # Whoever asks again so soon is shown it with the next changes of the list.
            look.since = before.since
            self._dirty.set()

    def form(self, number: int) -> Form:
        """Return the newest form of a page; of the last one, past it."""
        pages = max(1, -(-len(self._tables) // PAGE_TABLES))
        number = min(number, pages - 1)
        if number not in self._current:
            self._current.add(number)
            known, newest = self._forms.get(number), self._newest(number, pages)
            if known is None or known.whole != newest:
                self._age += 1
                self._forms[number] = Form(newest, self._age)
        return self._forms[number]

    def _newest(self, number: int, pages: int) -> LobbyPage:
        tables = tuple(self._tables.values())[number * PAGE_TABLES : (number + 1) * PAGE_TABLES]
        lines = tuple(table.line for table in tables)
        order = tuple(line.table for line in lines)
        total = len(self._tables)
        return LobbyPage(
            page=number, pages=pages, total=total, whole=True, order=order, tables=lines
        )
