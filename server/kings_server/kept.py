"""What the journal keeps of a table beyond its match, as text and back.

Times are kept as the seconds that remain, because the clock of a server means nothing to the next
one. The text is the journal's own; nothing of it is ever sent to anybody.
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import Rules, make_rules
from kings_protocol.codec import CLASS_BY_TAG
from kings_protocol.messages import Absent, ChatLine, Level, Message, Reply, Request
from kings_protocol.values import TableId
from kings_server.dealing import Missing
from kings_server.journal_rows import SavedTable
from kings_server.picture import Maker, Phase, Settings
from kings_server.seats import State


class KeptSettings(Struct, frozen=True):
    """``picture.Settings`` as plain data, and who made the table."""

    name: str
    preset: str
    rules: dict[str, Any]
    password: str | None
    watchable: bool
    absent: Absent
    grace: int
    away: int
    pace: tuple[int, int]
    maker: str
    thinking: int = 1000
    address: str = ""


class KeptSeat(Struct, frozen=True, omit_defaults=True):
    """A seat; ``left`` is how long its person is still waited for.

    ``client`` and ``request`` are who asked for the seat, and how: it may be asked again.
    """

    state: State = State.OPEN
    name: str = ""
    level: Level | None = None
    key: str | None = None
    ready: bool = False
    left: float | None = None
    pause: bool = False
    unasked: bool = False
    silent: bool = False
    votes: tuple[int, ...] = ()
    client: str = ""
    request: str = ""


class KeptOffer(Struct, frozen=True):
    """A deck that is being made, all of it, and the time that is left for what is missing.

    One that an older program kept has no ``commitments``; it is offered anew.
    """

    deal: int
    seed: str
    left: float
    attempt: int = 0
    commitments: tuple[str | None, ...] = ()
    shares: tuple[str | None, ...] = ()
    missing: tuple[Missing | None, ...] = ()
    closed: bool = False


class KeptState(Struct, frozen=True, omit_defaults=True):
    """A table's state.

    Attributes:
        phase: what the table does.
        matches: how many matches have begun.
        host: the host's seat.
        seats: all seats.
        offer: the deck that is being made.
        withheld: the seats that withheld a share in this match.
        next_left: the time until the next deal.
        turn: the turn that the clock is for, and what remains of it.
        helped: whether that turn was given time for its player to come back in.
        lines: how many lines of chat have been said.
        sheet: the points of the match's finished deals.
        closed: whether the rules of the table or its match are others now, and no match has begun
            since.
        given_up: keys that opened a seat once.
        former: clients that had a seat, and the match and deal in which they gave it up.
        paused: whether the match stands still.
        deserted_left: the time until the table ends, whose people are all gone from a match.
        silent: whether who watches may say nothing.
    """

    phase: Phase
    matches: int
    host: int | None
    seats: tuple[KeptSeat, ...]
    offer: KeptOffer | None = None
    withheld: tuple[int, ...] = ()
    next_left: float | None = None
    turn: tuple[int, int, float] | None = None
    lines: int = 0
    sheet: tuple[tuple[int | None, ...], ...] = ()
    closed: bool = False
    given_up: tuple[str, ...] = ()
    former: tuple[tuple[str, int, int], ...] = ()
    paused: bool = False
    deserted_left: float | None = None
    helped: bool = False
    silent: bool = False

    @property
    def waits(self) -> bool:
        """Whether it changes with time, though nothing happens."""
        times = (self.offer, self.next_left, self.turn, self.deserted_left)
        return any(time is not None for time in (*times, *(seat.left for seat in self.seats)))


_encoder: Final = msgspec.json.Encoder()


def text_of(value: Struct) -> str:
    """Return the text of a kept value or a message."""
    return _encoder.encode(value).decode()


def state_from(text: str) -> KeptState:
    """Return the state that ``text`` holds.

    Raises:
        ValueError: it holds none.
    """
    return msgspec.json.decode(text, type=KeptState)


def settings_text(settings: Settings, maker: Maker) -> str:
    """Return the text of a table's settings."""
    return text_of(
        KeptSettings(
            name=settings.name,
            preset=settings.preset,
            rules=dict(settings.knobs),
            password=settings.password,
            watchable=settings.watchable,
            absent=settings.absent,
            grace=settings.grace,
            away=settings.away,
            pace=settings.pace,
            maker=maker.client,
            thinking=settings.thinking,
            address=maker.address,
        )
    )


def settings_from(saved: SavedTable) -> tuple[Settings, Maker]:
    """Return a saved table's settings, and who made it.

    The rules are what they can be: where this program does not know the kept ones (``rules_from``),
    its own of the same preset.

    Raises:
        ValueError: the settings cannot be read.
    """
    kept = msgspec.json.decode(saved.settings, type=KeptSettings)
    preset = kept.preset if kept.preset in PRESETS else next(iter(PRESETS))
    players = len(state_from(saved.state).seats)
    settings = Settings(
        table=msgspec.convert(saved.table, TableId),
        name=kept.name,
        preset=preset,
        rules=rules_from(saved) or preset_rules(preset, {"players": players}),
        password=kept.password,
        watchable=kept.watchable,
        absent=kept.absent,
        grace=kept.grace,
        away=kept.away,
        pace=kept.pace,
        thinking=kept.thinking,
    )
    return settings, Maker(kept.maker, kept.address)


def rules_from(saved: SavedTable) -> Rules | None:
    """Return the rules that a saved table plays by, or nothing if this program does not know them.

    Its newest match has them: the table may have been made under others.
    """
    try:
        if saved.match is not None:
            return make_rules(msgspec.json.decode(saved.match.rules, type=dict[str, Any]))
        return make_rules(msgspec.json.decode(saved.settings, type=KeptSettings).rules)
    except ValueError:
        return None


def knobs_text(settings: Settings) -> str:
    """Return the text of a table's rules."""
    return _encoder.encode(settings.knobs).decode()


class UnknownMessageError(ValueError):
    """A message is of a kind that this program does not know: another version had it."""


def request_from(text: str) -> Request:
    """Return the request that ``text`` holds, or raise ``ValueError``."""
    message = _message(text)
    if not isinstance(message, Request):
        raise ValueError("not a request")  # noqa: TRY004  a text is wrong, not a type
    return message


def reply_from(text: str) -> Reply:
    """Return the reply that ``text`` holds, or raise ``ValueError``."""
    message = _message(text)
    if not isinstance(message, Reply):
        raise ValueError("not a reply")  # noqa: TRY004
    return message


def line_from(text: str) -> ChatLine:
    """Return the line of chat that ``text`` holds, or raise ``ValueError``."""
    return msgspec.json.decode(text, type=ChatLine)


def _message(text: str) -> Message:
    plain = msgspec.json.decode(text, type=dict[str, Any])
    kind = CLASS_BY_TAG.get(plain.get("t", ""))
    if kind is None:
        raise UnknownMessageError("a message of no known tag")
    return msgspec.convert(plain, kind)
