"""All messages: those of every family, and the replies that all of them share.

``docs/protocol.md`` describes each for other implementations.

A message is a map on the wire; the key ``t`` holds its tag. Requests carry an ``id`` and get one
reply each, which names it in ``re``. Numbers of seats, places and cards are the engine's. Times are
milliseconds from the moment of sending. Secrets, ids and commitments are lower-case hexadecimal.
"""

from typing import Annotated

from msgspec import Meta

from kings_protocol.entering import (
    Browse,
    Enter,
    Entered,
    Join,
    LobbyPage,
    MakeTable,
    Resume,
    Seated,
    Watch,
    Watching,
)
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
from kings_protocol.limits import KNOBS
from kings_protocol.play import (
    Act,
    Commit,
    EndTurn,
    GetHint,
    GetProof,
    Hint,
    MovePile,
    PlayCard,
    PlayTop,
    Proof,
    Reveal,
    Update,
)
from kings_protocol.seating import (
    AddBot,
    Announcement,
    Here,
    Kick,
    Leave,
    Notice,
    Pause,
    Ready,
    RemoveBot,
    Said,
    Say,
    Silence,
    TableState,
    Unseated,
    Vote,
)
from kings_protocol.values import (
    Absent,
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
    Member,
    Offer,
    PlaceNumber,
    SeatNumber,
    SeatState,
    Slug,
    TableId,
    TableLine,
)

__all__ = [
    "Absent",
    "Act",
    "AddBot",
    "Announcement",
    "Browse",
    "Bye",
    "ChatLine",
    "Commit",
    "Count",
    "Done",
    "EndTurn",
    "Enter",
    "Entered",
    "FaultLine",
    "GetHint",
    "GetProof",
    "Happened",
    "Hello",
    "Here",
    "Hex16",
    "Hex32",
    "Hint",
    "Join",
    "Kick",
    "KnobValue",
    "Knobs",
    "Leave",
    "Level",
    "LobbyPage",
    "MakeTable",
    "Member",
    "Message",
    "MovePile",
    "Notice",
    "Offer",
    "Pause",
    "Ping",
    "PlayCard",
    "PlayTop",
    "Pong",
    "Proof",
    "Ready",
    "Refused",
    "RemoveBot",
    "Reply",
    "Request",
    "Resume",
    "Reveal",
    "Said",
    "Say",
    "SeatNumber",
    "SeatState",
    "Seated",
    "Silence",
    "Slug",
    "TableId",
    "TableLine",
    "TableState",
    "Unseated",
    "Unwelcome",
    "Update",
    "Vote",
    "Watch",
    "Watching",
    "Welcome",
]


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
