"""Messages of those who come: entering, the lobby, and how one gets to a table."""

from typing import Annotated

from msgspec import Meta, field

from kings_protocol.greeting import Message, Reply, Request
from kings_protocol.limits import CHAT_TAIL, PAGE_TABLES, TABLE_SEATS
from kings_protocol.values import (
    Absent,
    ChatLine,
    Count,
    Hex16,
    Hex32,
    Knobs,
    Level,
    Name,
    Pace,
    Password,
    SeatNumber,
    Slug,
    TableId,
    TableLine,
    Thinking,
)


class Enter(Request, frozen=True, kw_only=True, tag="enter"):
    """Who this is.

    ``client`` is 16 random bytes that the client keeps; ``secret`` opens a server that was started
    for one person alone, ``password`` one that has a password.
    """

    client: Hex16
    name: Name
    secret: Hex32 | None = None
    password: Password | None = None


class Entered(Reply, frozen=True, kw_only=True, tag="entered"):
    """The name as the server shows it, cleaned.

    ``missing``: levels of bots that cannot be seated here now, each with the code of a refusal.
    """

    name: Name
    missing: dict[Level, Slug] = field(default_factory=dict)


# ---- lobby


class Browse(Request, frozen=True, kw_only=True, tag="browse"):
    """Look at a page of the lobby from now on, or (no page) no longer."""

    page: Count | None


class MakeTable(Request, frozen=True, kw_only=True, tag="make_table"):
    """Make a table and sit down at it; the rules are a preset with knobs changed.

    ``bots`` are seated at once, from the last seat down. ``absent`` is what happens to a seat whose
    player is gone for ``grace_seconds``; no key for ``away_seconds`` on turn counts as gone.
    ``pace``: the shortest and longest that bots take for a move, in milliseconds. ``thinking``:
    how long those bots think about a turn that are the better the longer they do.
    """

    name: Name
    preset: Slug
    knobs: Knobs = field(default_factory=dict)
    password: Password | None = None
    watchable: bool = True
    bots: Annotated[tuple[Level, ...], Meta(max_length=TABLE_SEATS)] = ()
    absent: Absent = "bot"
    grace_seconds: Annotated[int, Meta(ge=5, le=3600)] = 60
    away_seconds: Annotated[int, Meta(ge=30, le=3600)] = 180
    pace: tuple[Pace, Pace] = (600, 1500)
    thinking: Thinking = 1000


class Join(Request, frozen=True, kw_only=True, tag="join"):
    """Sit down at a table: at ``seat``, or at the first open one."""

    table: TableId
    password: Password | None = None
    seat: SeatNumber | None = None


class Watch(Request, frozen=True, kw_only=True, tag="watch"):
    """Look on at a table."""

    table: TableId
    password: Password | None = None


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Come back to the seat that ``token`` belongs to."""

    table: TableId
    token: Hex32


class Seated(Reply, frozen=True, kw_only=True, tag="seated"):
    """The asker sits at ``seat``; ``token`` brings it back after a lost connection.

    ``chat`` are the newest lines that were said at the table.
    """

    table: TableId
    seat: SeatNumber
    token: Hex32
    chat: Annotated[tuple[ChatLine, ...], Meta(max_length=CHAT_TAIL)] = ()


class Watching(Reply, frozen=True, kw_only=True, tag="watching"):
    """The asker looks on at the table; ``chat`` are the newest lines that were said there."""

    table: TableId
    chat: Annotated[tuple[ChatLine, ...], Meta(max_length=CHAT_TAIL)] = ()


class LobbyPage(Message, frozen=True, kw_only=True, tag="lobby_page", forbid_unknown_fields=False):
    """What changed on the page being looked at. With ``whole``, ``tables`` is all of it.

    ``order`` is the page's table ids from top to bottom.
    """

    page: Count
    pages: Count
    total: Count
    whole: bool
    order: Annotated[tuple[TableId, ...], Meta(max_length=PAGE_TABLES)]
    tables: Annotated[tuple[TableLine, ...], Meta(max_length=PAGE_TABLES)]
