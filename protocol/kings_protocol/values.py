"""The values and parts that messages are made of, each with its range."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from kings_engine.cards import DECK_SIZE
from kings_engine.events import Event
from kings_engine.places import PLACE_COUNT
from kings_protocol.limits import (
    FAULT_LENGTH,
    KNOBS,
    NAME_LENGTH,
    PASSWORD_LENGTH,
    PROOF_TEXT_LENGTH,
    SLUG_LENGTH,
    TABLE_ID_LENGTH,
    TABLE_SEATS,
    TEXT_LENGTH,
)

Hex16 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z", max_length=32)]
Hex32 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z", max_length=64)]
Name = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH)]
Text = Annotated[str, Meta(min_length=1, max_length=TEXT_LENGTH)]
Password = Annotated[str, Meta(max_length=PASSWORD_LENGTH)]
TableId = Annotated[str, Meta(pattern=r"\A[0-9a-z]+\Z", max_length=TABLE_ID_LENGTH)]
Slug = Annotated[str, Meta(pattern=r"\A[a-z0-9_]+\Z", max_length=SLUG_LENGTH)]
ActionText = Annotated[str, Meta(max_length=PROOF_TEXT_LENGTH)]
FaultText = Annotated[str, Meta(max_length=FAULT_LENGTH)]
CardNumber = Annotated[int, Meta(ge=0, lt=DECK_SIZE)]
PlaceNumber = Annotated[int, Meta(ge=0, lt=PLACE_COUNT)]
SeatNumber = Annotated[int, Meta(ge=0, lt=TABLE_SEATS)]
Count = Annotated[int, Meta(ge=0, lt=2**31)]
KnobValue: TypeAlias = str | int | bool | tuple[int, ...] | None
Knobs = Annotated[dict[Slug, KnobValue], Meta(max_length=KNOBS)]
Pace = Annotated[int, Meta(ge=0, le=10_000)]
Thinking = Annotated[int, Meta(ge=100, le=10_000)]
Level = Literal["easy", "medium", "hard", "expert", "master"]
Absent = Literal["wait", "bot", "skip", "forfeit"]


class TableLine(Struct, frozen=True, kw_only=True):
    """One table in the lobby. ``changed`` are the knobs that differ from the preset."""

    table: TableId
    name: Name
    preset: Slug
    changed: Knobs
    host: Annotated[str, Meta(max_length=NAME_LENGTH)]
    seats: Count
    people: Count
    bots: Count
    watchers: Count
    locked: bool
    watchable: bool
    phase: Literal["waiting", "playing", "over"]


class SeatState(Struct, frozen=True, kw_only=True):
    """One seat's person or bot.

    ``state`` is ``open``, ``seated`` (a person), ``dropped`` (no connection, or no key for too
    long; still waited for), ``held`` (a bot plays for a person who is gone), ``bot`` or ``left``
    (for good). ``back_in``: milliseconds until the table stops waiting for a dropped player.
    ``pause``: the person wants the match to stand still. ``votes``: who wants a bot here instead.
    ``short``: the bot had no time to think about its last move, and made a plainer one.
    ``silent``: the person may say nothing.
    """

    state: Literal["open", "seated", "dropped", "held", "bot", "left"]
    name: Annotated[str, Meta(max_length=NAME_LENGTH)]
    level: Level | None = None
    ready: bool = False
    back_in: Count | None = None
    pause: bool = False
    votes: Annotated[tuple[SeatNumber, ...], Meta(max_length=TABLE_SEATS)] = ()
    short: bool = False
    silent: bool = False


class Member(Struct, frozen=True, kw_only=True):
    """A seat's commitment to its share in a deck, or why it has none.

    ``missing`` is ``late``, ``gone``, ``bot``, ``withheld`` or ``out``.
    """

    commitment: Hex32 | None = None
    missing: Slug | None = None


class Offer(Struct, frozen=True, kw_only=True):
    """The deck of the coming deal is being made, or (``deal`` 0) that of the cut or the lot.

    ``commitment`` is the server's, to its seed. As long as ``members`` is empty, the commitments of
    the seats' clients are awaited; then it has one entry a seat, and their shares are. ``left``:
    milliseconds until what is missing is waited for no longer. ``attempt`` counts the offers of
    this deal that went before.
    """

    deal: Count
    attempt: Count
    commitment: Hex32
    left: Count
    members: Annotated[tuple[Member, ...], Meta(max_length=TABLE_SEATS)] = ()


class ChatLine(Struct, frozen=True, kw_only=True):
    """A line that somebody said at the table; ``seat`` is nothing for one who watched."""

    seat: SeatNumber | None
    name: Name
    text: Text


class FaultLine(Struct, frozen=True, kw_only=True):
    """One fault of a set of rules: the knob, what was given, and what is allowed."""

    knob: FaultText
    given: FaultText
    allowed: FaultText


class Happened:
    """What happened, as the receiver may know it: a sequence of the engine's events.

    On the wire a list of maps, each with its event's tag under ``t``.
    """

    __slots__ = ("events",)

    def __init__(self, events: tuple[Event, ...]) -> None:
        self.events = events

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Happened) and self.events == other.events

    def __hash__(self) -> int:
        return hash(self.events)

    def __repr__(self) -> str:
        return f"Happened({self.events!r})"
