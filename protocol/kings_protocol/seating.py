"""Messages at a table that are no moves: what people ask and are told there."""

from typing import Annotated, Literal

from msgspec import Meta

from kings_protocol.greeting import Message, Request
from kings_protocol.limits import TABLE_SEATS
from kings_protocol.values import (
    Absent,
    Count,
    Knobs,
    Level,
    Name,
    Offer,
    SeatNumber,
    SeatState,
    Slug,
    TableId,
    Text,
    Thinking,
)


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """Give up one's seat, or stop watching. This is not a lost connection: it is for good."""


class Say(Request, frozen=True, kw_only=True, tag="say"):
    """Say a line at the table."""

    text: Text


class AddBot(Request, frozen=True, kw_only=True, tag="add_bot"):
    """Put a bot on an open seat before the start (host only)."""

    level: Level
    seat: SeatNumber | None = None


class RemoveBot(Request, frozen=True, kw_only=True, tag="remove_bot"):
    """Take a bot from its seat before the start (host only)."""

    seat: SeatNumber


class Ready(Request, frozen=True, kw_only=True, tag="ready"):
    """Be ready, or not yet: to start, for the next deal, or for a rematch after the end."""

    on: bool


class Kick(Request, frozen=True, kw_only=True, tag="kick"):
    """Take a person from the table before the start, or (no seat) all who watch, at any time.

    Host only.
    """

    seat: SeatNumber | None


class Silence(Request, frozen=True, kw_only=True, tag="silence"):
    """Have a person, or (no seat) all who watch, say nothing, or let them speak (host only)."""

    seat: SeatNumber | None
    on: bool


class Vote(Request, frozen=True, kw_only=True, tag="vote"):
    """Want a bot to take over another person's seat in a match, or no longer."""

    seat: SeatNumber
    on: bool


class Pause(Request, frozen=True, kw_only=True, tag="pause"):
    """Want the match to stand still, or to go on: it does what all people want."""

    on: bool


class Here(Request, frozen=True, kw_only=True, tag="here"):
    """The person has pressed a key; sent when that is in doubt."""


class TableState(Message, frozen=True, kw_only=True, tag="table", forbid_unknown_fields=False):
    """Everything about a table but its cards. Sent whole whenever it changes.

    ``rules`` are all knobs. ``host`` is the seat that may add bots. ``phase``: ``waiting`` for
    players, ``offering`` (a deck is being made), ``playing``, ``between`` deals, ``over``.
    ``match`` counts the table's matches from 1. ``next_in``: milliseconds until the next deal
    begins by itself. ``turn_in``: milliseconds until the turn is ended by the clock, while it runs.
    ``away_in``: milliseconds until the player on turn counts as gone, in the last of them.
    Without ``saving`` the server cannot save, and the table waits until it can. ``thinking``: as in
    ``make_table``. ``withheld``: the seats that committed to a share in this match and did not
    reveal it; they have none for the rest of it. ``silent``: who watches may say nothing.
    """

    table: TableId
    name: Name
    preset: Slug
    rules: Knobs
    locked: bool
    watchable: bool
    absent: Absent
    grace_seconds: Count
    away_seconds: Count
    host: SeatNumber | None
    phase: Literal["waiting", "offering", "playing", "between", "over"]
    match: Count
    seats: Annotated[tuple[SeatState, ...], Meta(min_length=1, max_length=TABLE_SEATS)]
    watchers: Count
    offer: Offer | None = None
    next_in: Count | None = None
    turn_in: Count | None = None
    away_in: Count | None = None
    paused: bool = False
    saving: bool = True
    thinking: Thinking = 1000
    withheld: Annotated[tuple[SeatNumber, ...], Meta(max_length=TABLE_SEATS)] = ()
    silent: bool = False


class Said(Message, frozen=True, kw_only=True, tag="said", forbid_unknown_fields=False):
    """Somebody said a line; ``seat`` is nothing for one who watches."""

    seat: SeatNumber | None
    name: Name
    text: Text


class Notice(Message, frozen=True, kw_only=True, tag="notice", forbid_unknown_fields=False):
    """Something happened that is no move: a slug, and the seat and number it is about.

    ``name`` is whose seat it was then: who left is named no more in the table's state.
    """

    code: Slug
    seat: SeatNumber | None = None
    number: Count | None = None
    name: Name | None = None


class Announcement(
    Message, frozen=True, kw_only=True, tag="announcement", forbid_unknown_fields=False
):
    """Whoever runs the server says something to everybody: after ``entered``, and at any time."""

    text: Text


class Unseated(Message, frozen=True, kw_only=True, tag="unseated", forbid_unknown_fields=False):
    """The server took the receiver from the table, back to the lobby; ``code`` says why."""

    code: Slug
