"""What a user may want, and the request that asks the server for it.

A screen makes an intent and hands it over; it changes nothing by itself. An action carries the
version of the position it was decided on, so that the server can refuse one that came too late.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from attrs import asdict, field, frozen

from kings_engine.cards import Card
from kings_engine.places import Place
from kings_protocol import messages
from kings_protocol.messages import Absent, KnobValue, Level, Request


@frozen
class BrowsePage:
    """Look at a page of the lobby, from 0, or no longer at any."""

    page: int | None


@frozen
class MakeTable:
    """Make a table and sit down at it.

    ``pace``: milliseconds a bot takes for a move, shortest and longest. ``thinking``: milliseconds
    that a bot which takes the time it is given thinks about a turn.
    """

    name: str
    preset: str
    knobs: dict[str, KnobValue] = field(factory=dict)
    password: str | None = field(default=None, repr=False)
    watchable: bool = True
    bots: tuple[Level, ...] = ()
    absent: Absent = "bot"
    grace_seconds: int = 60
    away_seconds: int = 180
    pace: tuple[int, int] = (600, 1500)
    thinking: int = 1000


@frozen
class Join:
    """Sit down at a table, at ``seat`` or at the first open one."""

    table: str
    password: str | None = field(default=None, repr=False)
    seat: int | None = None


@frozen
class Watch:
    """Look on at a table."""

    table: str
    password: str | None = field(default=None, repr=False)


@frozen
class ComeBack:
    """Take back a seat whose token was kept, at a table of this server."""

    table: str


@frozen
class BeginAnew:
    """Give up the unfinished match that waits, and begin the one that was asked for."""


@frozen
class Leave:
    """Give up one's seat for good, or stop watching."""


@frozen
class Say:
    """Say a line at the table."""

    text: str


@frozen
class AddBot:
    """Put a bot on an open seat before the start."""

    level: Level
    seat: int | None = None


@frozen
class RemoveBot:
    """Take a bot from its seat before the start."""

    seat: int


@frozen
class SetReady:
    """Be ready for the start, the next deal or a rematch; or not yet."""

    on: bool


@frozen
class PlayCard:
    """Play a card of one's hand."""

    card: Card
    place: Place
    version: int


@frozen
class MovePile:
    """Move a whole pile."""

    source: Place
    place: Place
    version: int


@frozen
class PlayTop:
    """Play the top card of the open stock."""

    place: Place
    version: int


@frozen
class EndTurn:
    """End one's turn."""

    version: int


@frozen
class AskHint:
    """Ask what a good player might do."""

    version: int


@frozen
class Kick:
    """Take another person from the table before the start, or (no seat) all who watch."""

    seat: int | None


@frozen
class Silence:
    """Have another person, or (no seat) all who watch, say nothing, or let them speak again."""

    seat: int | None
    on: bool


@frozen
class Vote:
    """Want a bot to take over another person's seat in a match, or no longer."""

    seat: int
    on: bool


@frozen
class Pause:
    """Want the match to stand still, or to go on."""

    on: bool


@frozen
class Here:
    """Say that one is still there, when the server doubts it."""


@frozen
class StartPlay:
    """Start a server of one's own and a table with bots in the other seats.

    ``people`` are the others at this keyboard.
    """

    table: MakeTable
    name: str
    people: tuple[str, ...] = ()


@frozen
class StartHost:
    """Start a server that others on the network can join, or find the one left running.

    ``people`` are the others at this keyboard; ``announce`` says whether the network is told of the
    server, if it is started now.
    """

    table: MakeTable
    name: str
    port: int | None = None
    people: tuple[str, ...] = ()
    announce: bool = True


@frozen
class StartJoin:
    """Go to a server.

    Attributes:
        address: ``HOST`` or ``HOST:PORT``.
        name: the person's name.
        people: the others at this keyboard.
        plain_text: whether the person wants no encryption.
        code: the code of the certificate that the person accepts, and no other.
        password: the server's, if the person knows that it has one.
    """

    address: str
    name: str
    people: tuple[str, ...] = ()
    plain_text: bool = False
    code: str = ""
    password: str | None = field(default=None, repr=False)


@frozen
class AcceptCode:
    """Take the server whose certificate has this code for the one that is meant."""

    code: str


@frozen
class GivePassword:
    """Enter the server with this password."""

    password: str = field(repr=False)


@frozen
class Seek:
    """Look for servers on the network, or no longer."""

    on: bool


@frozen
class RetryNow:
    """Try to connect again at once, instead of waiting for the next attempt."""


@frozen
class Ignore:
    """Do not show what somebody, or (no name) all who watch, say from now on, or show it again."""

    name: str | None
    on: bool


@frozen
class Dismiss:
    """Put the last refusal out of sight."""


@frozen
class LiftCover:
    """Show the hand of the person at ``seat``, who has the keyboard now."""

    seat: int


@frozen
class ShowMatches:
    """Look at the finished matches."""


@frozen
class ShowMatch:
    """Look at the match in ``file`` again."""

    file: Path


@frozen
class ExportMatch:
    """Copy the match in ``file`` to the folder that the program was started in."""

    file: Path


@frozen
class CloseMatches:
    """Go back: from a replay to the list, from the list to the welcome screen."""


@frozen
class ToWelcome:
    """Leave the server and go back to the welcome screen. A seat taken stays one's own."""


@frozen
class Quit:
    """End the program; ``stop_server`` also ends a hosted server that others still play on."""

    stop_server: bool = False


Ask: TypeAlias = (
    BrowsePage
    | MakeTable
    | Join
    | Watch
    | Leave
    | Say
    | AddBot
    | RemoveBot
    | SetReady
    | PlayCard
    | MovePile
    | PlayTop
    | EndTurn
    | AskHint
    | Kick
    | Silence
    | Vote
    | Pause
    | Here
)
"""Intents that are asked of the server."""

Start: TypeAlias = StartPlay | StartHost | StartJoin
"""Intents that begin a connection."""

Decided: TypeAlias = RetryNow | AcceptCode | GivePassword
"""Intents to reach a server that was not reached, with what it takes."""

Archived: TypeAlias = ShowMatches | ShowMatch | ExportMatch | CloseMatches
"""Intents about finished matches."""

Intent: TypeAlias = (
    Ask
    | Start
    | Archived
    | ComeBack
    | BeginAnew
    | Seek
    | LiftCover
    | Decided
    | Dismiss
    | Ignore
    | ToWelcome
    | Quit
)


_REQUESTS: Final[Mapping[type[Ask], type[Request]]] = {
    BrowsePage: messages.Browse,
    MakeTable: messages.MakeTable,
    Join: messages.Join,
    Watch: messages.Watch,
    Leave: messages.Leave,
    Say: messages.Say,
    AddBot: messages.AddBot,
    RemoveBot: messages.RemoveBot,
    SetReady: messages.Ready,
    PlayCard: messages.PlayCard,
    MovePile: messages.MovePile,
    PlayTop: messages.PlayTop,
    EndTurn: messages.EndTurn,
    AskHint: messages.GetHint,
    Kick: messages.Kick,
    Silence: messages.Silence,
    Vote: messages.Vote,
    Pause: messages.Pause,
    Here: messages.Here,
}


def request_of(ask: Ask, request_id: str) -> Request:
    """Return the request that asks for ``ask``: the fields of both have the same names.

    Args:
        ask: what is wanted.
        request_id: 16 random bytes in hexadecimal, new for each wish.
    """
    return _REQUESTS[type(ask)](id=request_id, **asdict(ask, recurse=False))
