"""What the client knows, as one frozen value.

The link alone makes new models, by ``updating.update``; a screen only reads the newest. Nothing is
predicted: a change is in the model when the server has told it. What a person has picked or half
written is no part of it. Times are seconds of the monotonic clock that the link is given.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from kings_client.finished import Archive
from kings_client.intents import Ask
from kings_client.marks import Check, Mark
from kings_client.replay import Replay
from kings_client.search import Search
from kings_engine.actions import SeatAction
from kings_engine.events import Event
from kings_engine.view import View
from kings_protocol import messages
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import (
    Announcement,
    Level,
    Notice,
    Refused,
    Request,
    Said,
    TableLine,
    TableState,
)

__all__ = ["Mark"]  # made elsewhere, and a part of what the client knows

Spoken: TypeAlias = Said | Notice | Announcement
"""A line of what is told at a table beside the game."""

MOVES: Final = (
    messages.MakeTable,
    messages.Join,
    messages.Watch,
    messages.Resume,
    messages.Leave,
)
"""Requests that lead to a table or away from it."""

Where: TypeAlias = Literal["welcome", "entering", "lobby", "table"]
"""Which screen is due; ``entering`` is on the way to a server, or straight to a table of it."""


class Linked(StrEnum):
    """How the connection stands."""

    IDLE = "idle"  #: none was asked for
    CONNECTING = "connecting"
    ONLINE = "online"
    WAITING = "waiting"  #: lost, with another attempt to come
    CLOSED = "closed"  #: ended, and not retried


class Reason(StrEnum):
    """Why the link lost or ended a connection, beside ``CloseCode`` and an entry's refusals."""

    NAME_UNKNOWN = "name_unknown"  #: no machine has this name
    UNREACHABLE = "unreachable"  #: there is no way to the machine
    NOBODY_LISTENS = "nobody_listens"  #: the machine is there, and no server at this port
    TIMED_OUT = "timed_out"  #: no answer within the time for it
    CUT = "cut"  #: the connection broke off
    SILENT = "silent"  #: nothing was heard for too long
    STALLED = "stalled"  #: the server does not read what it is sent
    UNWELCOME = "unwelcome"  #: the server speaks another version of the protocol
    OTHER_SERVER = "other_server"  #: another server answers where the seat's server was
    CERTIFICATE_CHANGED = "certificate_changed"  #: not the certificate that is known there
    OTHER_CODE = "other_code"  #: not the certificate whose code the person gave
    CERTIFICATE_EXPIRED = "certificate_expired"  #: an authority's, and it has run out
    NOT_ENCRYPTED = "unencrypted"  #: whatever answers there does not encrypt
    ENCRYPTED = "encrypted"  #: the server encrypts, and the person wanted plain text
    NO_HANDSHAKE = "no_handshake"  #: the server encrypts in no way that this program takes
    NO_PASSWORD = "no_password"  # noqa: S105  #: the server has one, and was given none
    BAD_ADDRESS = "bad_address"  #: what was typed is no address
    SERVER_FAILED = "server_failed"  #: the server of one's own did not start
    SERVER_ENDED = "server_ended"  #: the server of one's own is gone


How: TypeAlias = Literal["here", "plain", "first", "known", "real"]
"""How a server is known: ``here``, one's own on this machine; ``plain``, not at all; by a pin that
was made just now (``first``) or before (``known``); by an authority (``real``)."""


@frozen
class Security:
    """How the server is known, and the code of its certificate, if it has one."""

    how: How
    code: str = ""

    @property
    def encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.how not in ("here", "plain")


@frozen
class Change:
    """The codes between which a person has to decide: the known one, and the one found."""

    known: str
    found: str


@frozen
class Stop:
    """The server stops: in so many ``seconds`` from when it said so, which is ``at`` that time."""

    seconds: float
    at: float


@frozen
class LinkState:
    """The connection.

    Attributes:
        state: how it stands.
        address: what is connected to, as the person knows it.
        attempt: how many attempts have failed in a row.
        retry_at: when the next attempt begins, while ``waiting``.
        reason: the slug of why it was lost or closed.
        words: more about the reason: what a server of another protocol version advises, or why a
            server of one's own did not start.
        security: how the server is known, once it is reached.
        change: where another certificate was found than the one known.
        stop: that the server is about to stop, once it has said so.
    """

    state: Linked = Linked.IDLE
    address: str = ""
    attempt: int = 0
    retry_at: float | None = None
    reason: str | None = None
    words: str | None = None
    security: Security | None = None
    change: Change | None = None
    stop: Stop | None = None

    @property
    def wants_password(self) -> bool:
        """Whether the server lets nobody in who does not give its password."""
        asks = self.reason in (RefusalCode.WRONG_PASSWORD, Reason.NO_PASSWORD)
        return asks and self.state is Linked.CLOSED


@frozen
class Lobby:
    """The page of the lobby being looked at; ``tables`` from top to bottom."""

    page: int
    pages: int
    total: int
    tables: tuple[TableLine, ...]


@frozen
class Hosting:
    """A server that this client started for others: where they join, and its code."""

    addresses: tuple[str, ...]
    code: str = ""


@frozen
class Kept:
    """A seat that can be taken back: its token is in the store."""

    table: str
    name: str


@frozen
class Recent:
    """A server that was visited before."""

    address: str
    name: str


@frozen
class Cover:
    """The screen is covered, so that the keyboard can be passed on.

    Attributes:
        name: whose turn at the keyboard it is.
        seat: that person's seat.
        since: when the cover came down.
    """

    name: str
    seat: int
    since: float


@frozen
class Pending:
    """A request without a reply, and the intent that it came from, if a person asked."""

    request: Request
    ask: Ask | None


@frozen
class Model:
    """Everything the client knows.

    Attributes:
        where: which screen is due.
        link: the connection.
        name: the person's name, as the server shows it.
        company: the names of the others at this keyboard, as far as they are known beforehand.
        server: the server's id; empty before it is known.
        identity: what the tokens for the server are filed by: its certificate, or without
            encryption its id.
        server_name: what the server calls itself.
        missing: levels of bots that it cannot seat, and the code of the refusal for each.
        announced: what whoever runs the server said last to everybody.
        lobby: the page being looked at.
        table: the table one is at.
        table_at: when ``table`` came: the start of its countdowns.
        seat: one's own seat; nothing while watching.
        view: the newest position.
        events: what happened in the current deal, oldest first.
        former: how many of ``events`` came before a seat changed hands, and the table of then.
        fresh: how many of ``events`` came last.
        events_at: when they came.
        gap: whether older events of the deal are missing.
        lines: what was said and noticed, newest last.
        ignored: whose lines are not shown: names, or nothing for all who watch.
        pending: requests without a reply, oldest first.
        refusal: the answer to the last intent, where it was no.
        refused: the intent that ``refusal`` is about.
        unseated: why the server sent the person back to the lobby, until the next wish.
        checks: the current match's deals by number; 0 is the cut or the lot.
        owed: a deal that one's share was sent for, and that the table left last did not deal.
        acted: the version of the match that one's newest action has led to.
        hint: what a good player might do in the position of this version.
        saved: the file that the current match's proofs are in.
        hosting: where others can join, if this client hosts.
        kept: seats on this server that can be taken back.
        unfinished: the one of them whose match waits, while the person is asked about it.
        recent: servers visited before, newest first.
        search: the servers on the network, while they are looked for.
        straight: whether a table follows at once, without a look at the lobby.
        here: the seats of the people at this keyboard, where they are several.
        cover: what hides the hands between two of them; nobody's hand is in the model then.
        matches: the finished matches, while they are looked at.
        replay: the match that is looked at again.
        answer: where it was saved, or why it could not be opened.
        keeps: whether anything is kept for another run.
    """

    where: Where = "welcome"
    link: LinkState = LinkState()
    name: str = ""
    company: tuple[str, ...] = ()
    server: str = ""
    identity: str = ""
    server_name: str = ""
    missing: Mapping[Level, str] = field(factory=dict)
    announced: str = ""
    lobby: Lobby | None = None
    table: TableState | None = None
    table_at: float = 0.0
    seat: int | None = None
    view: View | None = None
    events: tuple[Event, ...] = ()
    former: tuple[tuple[int, TableState], ...] = ()
    fresh: int = 0
    events_at: float = 0.0
    gap: bool = False
    lines: tuple[Spoken, ...] = ()
    ignored: frozenset[str | None] = frozenset()
    pending: tuple[Pending, ...] = ()
    refusal: Refused | None = None
    refused: Ask | None = None
    unseated: str | None = None
    checks: Mapping[int, Check] = field(factory=dict)
    owed: int | None = None
    acted: int = 0
    hint: tuple[int, SeatAction] | None = None
    saved: str | None = None
    hosting: Hosting | None = None
    kept: tuple[Kept, ...] = ()
    unfinished: Kept | None = None
    recent: tuple[Recent, ...] = ()
    search: Search | None = None
    straight: bool = False
    here: tuple[int, ...] = ()
    cover: Cover | None = None
    matches: Archive | None = None
    replay: Replay | None = None
    answer: str = ""
    keeps: bool = True

    @property
    def at_home(self) -> bool:
        """Whether no server is chosen yet."""
        return self.where == "welcome" and self.link.state is Linked.IDLE

    @property
    def seated(self) -> tuple[int, ...]:
        """The seats that this client has a say in."""
        return self.here if self.seat is None else (self.seat,)

    @property
    def asked(self) -> Ask | None:
        """The intent that waits for its reply longest."""
        return next((pending.ask for pending in self.pending if pending.ask is not None), None)

    @property
    def acting(self) -> bool:
        """Whether an action of the seat waits for its reply, or for the position that it led to.

        The next one has to wait too: it would be decided on a position that is gone.
        """
        if any(isinstance(one.request, messages.Act) for one in self.pending):
            return True
        return self.view is not None and self.view.public.version < self.acted

    @property
    def moving(self) -> bool:
        """Whether a way to or from a table waits for its reply: the next one has to wait too."""
        return any(isinstance(one.request, MOVES) for one in self.pending)

    @property
    def others(self) -> int:
        """How many people beside oneself have a seat at the table."""
        seats = () if self.table is None else self.table.seats
        people = ("seated", "dropped", "held")
        mine = self.mine
        return sum(at not in mine and seat.state in people for at, seat in enumerate(seats))

    @property
    def mine(self) -> frozenset[int]:
        """The seats of the people at this keyboard."""
        return frozenset(self.here if self.seat is None else (*self.here, self.seat))

    @property
    def guests(self) -> int:
        """How many others have a seat on the server that this client started, if it did."""
        if self.hosting is None:
            return 0
        if self.where == "lobby" and self.lobby is not None:
            return sum(line.people for line in self.lobby.tables)
        return self.others

    @property
    def marks(self) -> dict[int, Mark]:
        """Each deal's mark, by number."""
        return {deal: check.mark for deal, check in self.checks.items()}
