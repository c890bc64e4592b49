"""The game as it reaches one connection: the newest position, and what happened since the last.

A snapshot is shared by all who are shown it, so the public part is observed and packed once a
version. Everything is made when it is written: what a slow reader misses is never made at all, and
what happened meanwhile is computed from the record.
"""

from kings_engine.match import Match
from kings_engine.view import deal_history, history, observe_own, observe_public
from kings_protocol.codec import frame_update, pack_public
from kings_protocol.limits import UPDATE_EVENTS
from kings_server.outbox import Encode, Outbox, Slot


class Snapshot:
    """One version of one match of a table."""

    __slots__ = ("_packed", "match", "number")

    def __init__(self, number: int, match: Match) -> None:
        """Hold ``match``, the table's ``number``-th, as it is now."""
        self.number = number
        self.match = match
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        """The public part, encoded."""
        if self._packed is None:
            self._packed = pack_public(observe_public(self.match))
        return self._packed


class Feed:
    """What one connection has been shown of the matches of a table, as one viewer.

    The first update of a connection, and of a match, carries the whole current deal's events; the
    others carry those since the version that was written last.
    """

    __slots__ = ("_lost", "_newest", "_outbox", "_viewer", "_written")

    def __init__(self, outbox: Outbox, viewer: int | None) -> None:
        """Write to ``outbox`` what ``viewer``, a seat or a spectator (none), may know."""
        self._outbox = outbox
        self._viewer = viewer
        self._newest: Snapshot | None = None
        self._written: Snapshot | None = None
        self._lost = False

    def show(self, snapshot: Snapshot) -> None:
        """Have ``snapshot`` written once the connection takes it, unless a newer one comes."""
        newest, written = self._newest, self._written
        if newest is not None and newest.number != snapshot.number and newest is not written:
            self._lost = True
        self._newest = snapshot
        self._outbox.renew(Slot.GAME, self._frame)

    def _frame(self, _encode: Encode) -> bytes:
        snapshot, written = self._newest, self._written
        if snapshot is None:
            return b""
        match, viewer = snapshot.match, self._viewer
        if written is None or written.number != snapshot.number:
            events = deal_history(match, viewer)
        else:
            events = history(match, viewer, written.match.version)
        gap = self._lost or len(events) > UPDATE_EVENTS
        self._written = snapshot
        self._lost = False
        own = None if viewer is None else observe_own(match, viewer)
        return frame_update(snapshot.packed, own, events[-UPDATE_EVENTS:], gap)
