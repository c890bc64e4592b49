"""The messages, by family. ``docs/protocol.md`` describes each for other implementations.

A message is a map on the wire; the key ``t`` holds its tag. Requests carry an ``id`` and get one
reply each, which names it in ``re``. Numbers of seats, places and cards are the engine's. Times are
milliseconds from the moment of sending. Secrets, ids and nonces are lower-case hexadecimal.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from kings_engine.view import View
from kings_protocol.greeting import (
    Bye,
    Hello,
    Message,
    Ping,
    Pong,
    Reply,
    Request,
    Unwelcome,
    Welcome,
)
from kings_protocol.limits import (
    CHAT_TAIL,
    KNOBS,
    PAGE_TABLES,
    SERVER_ITEMS,
    TABLE_SEATS,
)
from kings_protocol.values import (
    Absent,
    ActionText,
    CardNumber,
    ChatLine,
    Count,
    FaultLine,
    Happened,
    Hex16,
    Hex32,
    Knobs,
    KnobValue,
    Level,
    Name,
    Offer,
    Pace,
    Password,
    PlaceNumber,
    SeatNumber,
    SeatState,
    Slug,
    TableId,
    TableLine,
    Text,
    Thinking,
)

__all__ = [  # what is made elsewhere and belongs to the messages
    "Absent",
    "Bye",
    "ChatLine",
    "FaultLine",
    "Happened",
    "Hello",
    "Hex32",
    "KnobValue",
    "Knobs",
    "Level",
    "Message",
    "Offer",
    "Ping",
    "Pong",
    "Reply",
    "Request",
    "SeatState",
    "TableLine",
    "Unwelcome",
    "Welcome",
]


# ---- entering


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


# ---- table


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
    """Take a person from the table before the start (host only)."""

    seat: SeatNumber


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
    players, ``offering`` (a commitment is out), ``playing``, ``between`` deals, ``over``.
    ``match`` counts the table's matches from 1. ``next_in``: milliseconds until the next deal
    begins by itself. ``turn_in``: milliseconds until the turn is ended by the clock, while it runs.
    ``away_in``: milliseconds until the player on turn counts as gone, in the last of them.
    Without ``saving`` the server cannot save, and the table waits until it can. ``thinking``: as in
    ``make_table``.
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


# ---- play


class Nonce(Request, frozen=True, kw_only=True, tag="nonce"):
    """This client's share in the key of deal ``deal``, in answer to an offer."""

    deal: Count
    nonce: Hex32


class Act(Request, frozen=True, kw_only=True):
    """An action of the seat's; ``version`` is the position it was decided on."""

    version: Count


class PlayCard(Act, frozen=True, kw_only=True, tag="play"):
    """Play a card of one's hand."""

    card: CardNumber
    place: PlaceNumber


class MovePile(Act, frozen=True, kw_only=True, tag="move"):
    """Move a whole pile."""

    source: PlaceNumber
    place: PlaceNumber


class PlayTop(Act, frozen=True, kw_only=True, tag="play_top"):
    """Play the top card of the open stock."""

    place: PlaceNumber


class EndTurn(Act, frozen=True, kw_only=True, tag="end_turn"):
    """End one's turn."""


class Update(Message, frozen=True, kw_only=True, tag="update", forbid_unknown_fields=False):
    """The position now, and the events since the version last sent on this connection.

    ``gap`` says that older events were left out.
    """

    view: View
    events: Happened
    gap: bool = False


class GetHint(Request, frozen=True, kw_only=True, tag="get_hint"):
    """Ask what a good player might do now; ``version`` is the position that it is asked about."""

    version: Count


class Hint(Reply, frozen=True, kw_only=True, tag="hint"):
    """What a good player might do, as far as the asker's seat can know; in the engine's text."""

    version: Count
    action: ActionText


class GetProof(Request, frozen=True, kw_only=True, tag="get_proof"):
    """Ask for what proves a finished deal (``deal`` 0: the cut or the lot) of the current match."""

    deal: Count


class Proof(Reply, frozen=True, kw_only=True, tag="proof"):
    """A finished deal's secret and its actions, enough to deal and play it again.

    ``begin`` is the action that made the deck (or the cut), in the engine's text form; ``actions``
    are all that followed until the deal's end, each with its actor (-1: the table).
    """

    deal: Count
    dealer: SeatNumber | None
    seats: Annotated[tuple[SeatNumber, ...], Meta(max_length=TABLE_SEATS)]
    begin: ActionText
    actions: Annotated[
        tuple[tuple[Annotated[int, Meta(ge=-1, lt=TABLE_SEATS)], ActionText], ...],
        Meta(max_length=SERVER_ITEMS),
    ]


# ---- the other replies


class Done(Reply, frozen=True, kw_only=True, tag="done"):
    """The request was carried out; ``version`` is the match's version after it, if it has one."""

    version: Count | None = None


class Refused(Reply, frozen=True, kw_only=True, tag="refused"):
    """The request was refused and nothing was changed; the client makes the sentence.

    ``code`` is a ``kings_engine.errors.Code`` with its facts, or one of ``RefusalCode``.
    ``seconds`` says when to try again, ``limit`` which bound was met.
    """

    code: Slug
    version: Count | None = None
    card: CardNumber | None = None
    source: PlaceNumber | None = None
    place: PlaceNumber | None = None
    top: CardNumber | None = None
    seconds: Count | None = None
    limit: Count | None = None
    faults: Annotated[tuple[FaultLine, ...], Meta(max_length=2 * KNOBS)] = ()
