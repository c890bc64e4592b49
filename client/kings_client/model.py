"""What the client knows: one frozen value, and the pure function that brings it up to date.

The link alone makes new models; a screen only reads the newest. Nothing is predicted: a change is
in the model when the server has told it. What a person has picked or half written is no part of it.
Times are seconds of the monotonic clock that the link is given.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from attrs import evolve, field, frozen

from kings_client.cleaning import cleaned
from kings_client.intents import Ask, Dismiss
from kings_engine.events import DealBegan, Event
from kings_engine.view import View
from kings_protocol import messages
from kings_protocol.messages import Message, Notice, Refused, Request, Said, TableLine, TableState

EVENTS: Final = 512
"""Events of the running deal that are kept: more than any deal needs in practice."""

LINES: Final = 200
"""Lines of chat and notices that are kept."""

Where: TypeAlias = Literal["welcome", "entering", "lobby", "table"]
"""Which screen is due; ``entering`` is on the way to a server, or straight to a table of it."""


class Linked(StrEnum):
    """How the connection stands."""

    IDLE = "idle"  #: none was asked for
    CONNECTING = "connecting"
    ONLINE = "online"
    WAITING = "waiting"  #: lost, with another attempt to come
    CLOSED = "closed"  #: ended, and not retried


class Mark(StrEnum):
    """What the client found out about a deal of the current match."""

    PENDING = "pending"  #: it is running, or the proof is on its way
    VERIFIED = "verified"
    BROKEN = "broken"  #: the proof does not agree with what was promised or shown
    UNPROVED = "unproved"  #: not seen from its start, so nothing can be said


@frozen
class LinkState:
    """The connection.

    Attributes:
        state: how it stands.
        address: what is connected to, as the person knows it.
        attempt: how many attempts have failed in a row.
        retry_at: when the next attempt begins, while ``waiting``.
        reason: the slug of why it was lost or closed.
        words: what a server of another protocol version says should be done.
    """

    state: Linked = Linked.IDLE
    address: str = ""
    attempt: int = 0
    retry_at: float | None = None
    reason: str | None = None
    words: str | None = None


@frozen
class Lobby:
    """The page of the lobby being looked at; ``tables`` from top to bottom."""

    page: int
    pages: int
    total: int
    tables: tuple[TableLine, ...]


@frozen
class Check:
    """A deal of the current match: what was promised, and what came of it.

    Attributes:
        mark: what is known.
        commitment: the server's, in hexadecimal, if it was seen before the deal.
        nonce: this client's share, in hexadecimal, if it gave one.
        doubts: slugs of what does not agree.
    """

    mark: Mark = Mark.PENDING
    commitment: str | None = None
    nonce: str | None = field(default=None, repr=False)
    doubts: tuple[str, ...] = ()


@frozen
class Hosting:
    """A server that this client started for others: where they join, and how many are there."""

    addresses: tuple[str, ...]
    others: int = 0


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
        server: the server's id; empty before it is known.
        server_name: what the server calls itself.
        lobby: the page being looked at.
        table: the table one is at.
        table_at: when ``table`` came: the start of its countdowns.
        seat: one's own seat; nothing while watching.
        view: the newest position.
        events: what happened in the current deal, oldest first.
        fresh: how many of ``events`` came last.
        events_at: when they came.
        gap: whether older events of the deal are missing.
        lines: what was said and noticed, newest last.
        pending: requests without a reply, oldest first.
        refusal: the answer to the last intent, where it was no.
        refused: the intent that ``refusal`` is about.
        checks: the current match's deals by number; 0 is the cut or the lot.
        hosting: where others can join, if this client hosts.
        kept: seats on this server that can be taken back.
        recent: servers visited before, newest first.
        straight: whether a table follows at once, without a look at the lobby.
    """

    where: Where = "welcome"
    link: LinkState = LinkState()
    name: str = ""
    server: str = ""
    server_name: str = ""
    lobby: Lobby | None = None
    table: TableState | None = None
    table_at: float = 0.0
    seat: int | None = None
    view: View | None = None
    events: tuple[Event, ...] = ()
    fresh: int = 0
    events_at: float = 0.0
    gap: bool = False
    lines: tuple[Said | Notice, ...] = ()
    pending: tuple[Pending, ...] = ()
    refusal: Refused | None = None
    refused: Ask | None = None
    checks: Mapping[int, Check] = field(factory=dict)
    hosting: Hosting | None = None
    kept: tuple[Kept, ...] = ()
    recent: tuple[Recent, ...] = ()
    straight: bool = False

    @property
    def asked(self) -> Ask | None:
        """The intent that waits for its reply longest."""
        return next((pending.ask for pending in self.pending if pending.ask is not None), None)

    @property
    def acting(self) -> bool:
        """Whether an action of the seat waits for its reply: the next one has to wait too."""
        return any(isinstance(one.request, messages.Act) for one in self.pending)

    @property
    def marks(self) -> dict[int, Mark]:
        """Each deal's mark, by number."""
        return {deal: check.mark for deal, check in self.checks.items()}


# ---- what the link itself has to tell


@frozen
class Began:
    """A connection is wanted; with ``straight``, to go to a table at once."""

    address: str
    straight: bool = False


@frozen
class Trying:
    """An attempt to connect begins."""


@frozen
class Lost:
    """The connection is gone or could not be made; the next attempt is at ``retry_at``."""

    reason: str
    retry_at: float


@frozen
class Closed:
    """The connection is over and not retried."""

    reason: str
    words: str | None = None


@frozen
class Sent:
    """A request was sent."""

    request: Request
    ask: Ask | None = None


@frozen
class Checked:
    """A deal's check changed."""

    deal: int
    check: Check


@frozen
class Told:
    """Something of this machine: who hosts, which seats and servers are remembered."""

    hosting: Hosting | None = None
    kept: tuple[Kept, ...] | None = None
    recent: tuple[Recent, ...] | None = None


@frozen
class WentHome:
    """The person left the server for the welcome screen."""


LinkNews: TypeAlias = Began | Trying | Lost | Closed | WentHome
Happening: TypeAlias = LinkNews | Sent | Checked | Told | Dismiss
"""What the link tells the model beside the server's messages."""


def update(model: Model, news: Message | Happening, now: float) -> Model:
    """Return the model after ``news``, which came at ``now``.

    Strings of the server's are cleaned here, once, for every screen.
    """
    match news:
        case Message():
            return _after_message(model, cleaned(news), now)
        case Sent(request, ask):
            pending = (*model.pending, Pending(request, ask))
            if ask is None:
                return evolve(model, pending=pending)
            return evolve(model, pending=pending, refusal=None, refused=None)
        case Checked(deal, check):
            return evolve(model, checks={**model.checks, deal: check})
        case Told(hosting, kept, recent):
            return evolve(
                model,
                hosting=model.hosting if hosting is None else hosting,
                kept=model.kept if kept is None else kept,
                recent=model.recent if recent is None else recent,
            )
        case Dismiss():
            return evolve(model, refusal=None, refused=None)
        case _:
            return _linked(model, news)


def _linked(model: Model, news: LinkNews) -> Model:
    link = model.link
    match news:
        case Began(address, straight):
            link = LinkState(Linked.CONNECTING, address)
            return Model("entering", link, model.name, recent=model.recent, straight=straight)
        case Trying():
            return evolve(model, link=evolve(link, state=Linked.CONNECTING, retry_at=None))
        case Lost(reason, retry_at):
            link = LinkState(Linked.WAITING, link.address, link.attempt + 1, retry_at, reason)
            return evolve(model, link=link)
        case Closed(reason, words):
            link = LinkState(Linked.CLOSED, link.address, reason=reason, words=words)
            return evolve(model, link=link, pending=())
        case WentHome():
            return Model(name=model.name, recent=model.recent)


def _after_message(model: Model, message: Message, now: float) -> Model:
    match message:
        case messages.Welcome():
            return evolve(model, server=message.server, server_name=message.name)
        case messages.LobbyPage():
            return evolve(model, lobby=_turned(model.lobby, message))
        case TableState():
            return _at_table(model, message, now)
        case messages.Update():
            return _shown(model, message, now)
        case Said() | Notice():
            return evolve(model, lines=(*model.lines, message)[-LINES:])
        case messages.Reply():
            return _answered(model, message)
    return model


def _answered(model: Model, reply: messages.Reply) -> Model:
    answered = next((one for one in model.pending if one.request.id == reply.re), None)
    if answered is None:
        return model
    model = evolve(model, pending=tuple(one for one in model.pending if one is not answered))
    match reply:
        case messages.Entered(name=name):
            link = LinkState(Linked.ONLINE, model.link.address)
            where = "lobby" if model.where == "entering" and not model.straight else model.where
            return evolve(model, link=link, name=name, where=where)
        case messages.Seated(table=table, seat=seat):
            return evolve(_arrived(model, table), seat=seat)
        case messages.Watching(table=table):
            return evolve(_arrived(model, table), seat=None)
        case Refused():
            if isinstance(answered.request, messages.Resume) or model.where == "entering":
                model = _left(model)
            elif answered.ask is None:
                return model
            return evolve(model, refusal=reply, refused=answered.ask)
        case messages.Done() if isinstance(answered.request, messages.Leave):
            return _left(model)
        case messages.Done() if isinstance(answered.request, messages.Browse):
            return model if answered.request.page is not None else evolve(model, lobby=None)
    return model


def _arrived(model: Model, table: str) -> Model:
    """Sit or stand at a table; what was said there is kept when it is the same one as before."""
    here = model.table is not None and model.table.table == table
    if not here:
        model = evolve(_left(model), lobby=None)
    return evolve(model, where="table", events=(), fresh=0, gap=False, straight=False)


def _left(model: Model) -> Model:
    return evolve(
        model,
        where="lobby",
        table=None,
        seat=None,
        view=None,
        events=(),
        fresh=0,
        gap=False,
        lines=(),
        checks={},
        straight=False,
    )


def _turned(lobby: Lobby | None, page: messages.LobbyPage) -> Lobby:
    """Return the page with its changes merged in."""
    known = {} if page.whole or lobby is None else {line.table: line for line in lobby.tables}
    known |= {line.table: line for line in page.tables}
    tables = tuple(known[table] for table in page.order if table in known)
    return Lobby(page.page, page.pages, page.total, tables)


def _at_table(model: Model, table: TableState, now: float) -> Model:
    before = model.table
    if before is not None and (before.table, before.match) != (table.table, table.match):
        model = evolve(model, checks={}, events=(), fresh=0, gap=False, view=None)
    model = evolve(model, table=table, table_at=now)
    if (offer := table.offer) is None:
        return model
    check = model.checks.get(offer.deal, Check())
    if check.commitment is None:
        check = evolve(check, commitment=offer.commitment)
    elif check.commitment != offer.commitment:
        check = evolve(check, mark=Mark.BROKEN, doubts=("commitment_changed",))
    return evolve(model, checks={**model.checks, offer.deal: check})


def _shown(model: Model, shown: messages.Update, now: float) -> Model:
    came = shown.events.events
    starts = [at for at, event in enumerate(came) if isinstance(event, DealBegan)]
    if starts:
        came = came[starts[-1] :]
    kept = () if starts else model.events
    events = (*kept, *came)
    return evolve(
        model,
        view=shown.view,
        events=events[-EVENTS:],
        fresh=len(came),
        events_at=now,
        gap=shown.gap or len(events) > EVENTS or (model.gap and not starts),
    )
