"""Brings the model up to date: a pure function of the model and of what came.

What comes is a message of the server's, or one of the happenings below, which the link tells of.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from attrs import evolve, frozen

from kings_client.cleaning import cleaned
from kings_client.intents import Ask, Dismiss, Ignore
from kings_client.marks import Check
from kings_client.model import (
    Change,
    Hosting,
    Kept,
    Linked,
    LinkState,
    Lobby,
    Model,
    Pending,
    Recent,
    Security,
    Stop,
)
from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction, parse_action
from kings_engine.events import CardsCut, DealBegan, DealerChosen
from kings_protocol import messages
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_protocol.messages import (
    ChatLine,
    Message,
    Notice,
    Refused,
    Request,
    Said,
    TableState,
)

EVENTS: Final = 512
"""Events of the running deal that are kept: more than any deal needs in practice."""

LINES: Final = 200
"""Lines of chat and notices that are kept."""

RESENT: Final = (
    messages.MakeTable,
    messages.Join,
    messages.Leave,
    messages.Say,
    messages.AddBot,
    messages.RemoveBot,
    messages.Ready,
    messages.Commit,
    messages.Reveal,
    messages.Act,
)
"""Requests that survive a lost connection: they are sent again with the same id."""

SEAT_GONE: Final = frozenset(
    {RefusalCode.BAD_TOKEN, RefusalCode.NO_SUCH_TABLE, RefusalCode.SEAT_GIVEN_UP}
)
"""Answers to a token that will never again open anything."""


@frozen
class Began:
    """A connection is wanted; with ``straight``, to go to a table at once."""

    address: str
    straight: bool = False


@frozen
class Reached:
    """There is a connection on which everything may be said."""

    security: Security
    identity: str


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
    change: Change | None = None


@frozen
class Sent:
    """A request was sent."""

    request: Request
    ask: Ask | None = None


@frozen
class Checked:
    """What is known of the decks of the match changed; these are all of its checks."""

    checks: Mapping[int, Check]


@frozen
class Told:
    """Something of this machine: who hosts, what is remembered, where proofs were saved."""

    hosting: Hosting | None = None
    kept: tuple[Kept, ...] | None = None
    recent: tuple[Recent, ...] | None = None
    saved: str | None = None
    unfinished: Kept | None = None
    owed: int | None = None


@frozen
class WentHome:
    """The person left the server for the welcome screen."""


LinkNews: TypeAlias = Began | Reached | Trying | Lost | Closed | WentHome
Happening: TypeAlias = LinkNews | Sent | Checked | Told | Dismiss | Ignore
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
            if isinstance(request, messages.GetHint):
                # The same answer again is an answer too: the cursor goes there anew.
                model = evolve(model, hint=None)
            if ask is None:
                return evolve(model, pending=pending)
            return evolve(
                model, pending=pending, refusal=None, refused=None, unseated=None, owed=None
            )
        case Checked(checks):
            return evolve(model, checks=dict(checks))
        case Told(hosting, kept, recent, saved, unfinished, owed):
            return evolve(
                model,
                saved=model.saved if saved is None else saved,
                hosting=model.hosting if hosting is None else hosting,
                kept=model.kept if kept is None else kept,
                recent=model.recent if recent is None else recent,
                unfinished=model.unfinished if unfinished is None else unfinished,
                owed=model.owed if owed is None else owed,
            )
        case Ignore(name, on):
            others = model.ignored - {name}
            return evolve(model, ignored=others | {name} if on else others)
        case Dismiss():
            return evolve(model, refusal=None, refused=None, unseated=None, owed=None)
        case _:
            return _linked(model, news)


def _linked(model: Model, news: LinkNews) -> Model:
    link = model.link
    match news:
        case Began(address, straight):
            link = LinkState(Linked.CONNECTING, address)
            return Model(
                "entering",
                link,
                model.name,
                hosting=model.hosting,
                recent=model.recent,
                straight=straight,
            )
        case Reached(security, identity):
            before = link.security
            if before is not None and before.how == "first" and before.code == security.code:
                # It is still the first visit: the code has not been compared for that.
                security = before
            return evolve(model, link=evolve(link, security=security), identity=identity)
        case Trying():
            return evolve(model, link=evolve(link, state=Linked.CONNECTING, retry_at=None))
        case Lost(reason, retry_at):
            attempt, known = link.attempt + 1, link.security
            link = LinkState(
                Linked.WAITING, link.address, attempt, retry_at, reason, security=known
            )
            kept = tuple(one for one in model.pending if isinstance(one.request, RESENT))
            return evolve(model, link=link, pending=kept)
        case Closed(reason, words, change):
            address, known = link.address, link.security
            link = LinkState(
                Linked.CLOSED, address, 0, None, reason, words, security=known, change=change
            )
            return evolve(model, link=link, pending=())
        case WentHome():
            return Model(name=model.name, recent=model.recent)


def _after_message(model: Model, message: Message, now: float) -> Model:
    match message:
        case messages.Welcome():
            identity = model.identity or message.server
            return evolve(model, server=message.server, server_name=message.name, identity=identity)
        case messages.LobbyPage():
            return evolve(model, lobby=_turned(model.lobby, message))
        case TableState():
            return _at_table(model, message, now)
        case messages.Update():
            return _shown(model, message, now)
        case messages.Unseated(code=code):
            return evolve(_left(model), unseated=code, pending=())
        case Notice(code=NoticeCode.STOPPING, number=int(left)):
            return _stopping(model, message, Stop(left / 1000, now + left / 1000))
        case Said() | Notice():
            return _told(model, message)
        case messages.Announcement(text=text):
            return _announced(model, message) if text != model.announced else model
        case messages.Reply():
            return _answered(model, message)
    return model


def _told(model: Model, line: Said | Notice) -> Model:
    if isinstance(line, Said) and _is_ignored(model, line):
        return model
    return evolve(model, lines=(*model.lines, line)[-LINES:])


def _is_ignored(model: Model, said: Said) -> bool:
    """Say whether a line is not to be shown: who watches is known by that alone."""
    return (said.name if said.seat is not None else None) in model.ignored


def _stopping(model: Model, notice: Notice, stop: Stop) -> Model:
    """Count down to the server's stop wherever one is; at a table it is a line among the others."""
    lines = (*model.lines, notice)[-LINES:] if model.where == "table" else model.lines
    return evolve(model, link=evolve(model.link, stop=stop), lines=lines)


def _announced(model: Model, message: messages.Announcement) -> Model:
    """Show what is said to everybody: at a table it is a line among the others."""
    lines = (*model.lines, message)[-LINES:] if model.where == "table" else model.lines
    return evolve(model, announced=message.text, lines=lines)


def _answered(model: Model, reply: messages.Reply) -> Model:
    answered = next((one for one in model.pending if one.request.id == reply.re), None)
    if answered is None:
        return model
    model = evolve(model, pending=tuple(one for one in model.pending if one is not answered))
    match reply:
        case messages.Entered(name=name, missing=missing):
            link = LinkState(Linked.ONLINE, model.link.address, security=model.link.security)
            where = "lobby" if model.where == "entering" and not model.straight else model.where
            return evolve(model, link=link, name=name, where=where, missing=missing)
        case messages.Seated(table=table, seat=seat, chat=chat):
            return _caught_up(evolve(_arrived(model, table), seat=seat), chat)
        case messages.Watching(table=table, chat=chat):
            return _caught_up(evolve(_arrived(model, table), seat=None), chat)
        case Refused():
            return _denied(model, reply, answered)
        case messages.Done() if isinstance(answered.request, messages.Leave):
            return evolve(_left(model), pending=())
        case messages.Done() if isinstance(answered.request, messages.Browse):
            return model if answered.request.page is not None else evolve(model, lobby=None)
        case messages.Done(version=int(version)) if isinstance(answered.request, messages.Act):
            return evolve(model, acted=version)
        case messages.Hint(version=version, action=action):
            return evolve(model, hint=_advised(version, action))
    return model


def _advised(version: int, text: str) -> tuple[int, SeatAction] | None:
    """Return a hint, if it is one that a seat could follow."""
    try:
        action = parse_action(text)
    except ValueError:
        return None
    return (version, action) if isinstance(action, Play | Move | PlayStock | EndTurn) else None


def _caught_up(model: Model, chat: tuple[ChatLine, ...]) -> Model:
    """Add what was said at the table before one came, or while the connection was lost."""
    said = [Said(seat=line.seat, name=line.name, text=line.text) for line in chat]
    said = [line for line in said if not _is_ignored(model, line)]
    known = [line for line in model.lines if isinstance(line, Said)]
    both = min(len(said), len(known))
    overlap = next((n for n in range(both, 0, -1) if known[-n:] == said[:n]), 0)
    return evolve(model, lines=(*model.lines, *said[overlap:])[-LINES:])


def _denied(model: Model, refused: Refused, answered: Pending) -> Model:
    match answered.request:
        case messages.Resume() if refused.code in SEAT_GONE:
            model = evolve(_left(model), pending=())
        case messages.Resume() if model.where == "table":
            return model
        case messages.Watch() if model.where == "table":
            model = evolve(_left(model), pending=())
        case messages.MakeTable() if model.where == "entering":
            model = _left(model)
        case _ if answered.ask is None:
            return model
    return evolve(model, refusal=refused, refused=answered.ask)


def _arrived(model: Model, table: str) -> Model:
    """Sit or stand at a table; what was said there is kept when it is the same one as before."""
    here = model.table is not None and model.table.table == table
    if not here:
        model = evolve(_left(model), lobby=None)
    return evolve(
        model,
        where="table",
        events=(),
        former=(),
        fresh=0,
        gap=False,
        acted=0,
        straight=False,
        unfinished=None,
    )


def _left(model: Model) -> Model:
    return evolve(
        model,
        where="lobby",
        table=None,
        seat=None,
        view=None,
        events=(),
        former=(),
        fresh=0,
        gap=False,
        acted=0,
        lines=(),
        checks={},
        saved=None,
        straight=False,
    )


def _turned(lobby: Lobby | None, page: messages.LobbyPage) -> Lobby:
    """Return the page with its changes merged in."""
    known = {} if page.whole or lobby is None else {line.table: line for line in lobby.tables}
    known |= {line.table: line for line in page.tables}
    tables = tuple(known[table] for table in page.order if table in known)
    return Lobby(page.page, page.pages, page.total, tables)


def _at_table(model: Model, table: TableState, now: float) -> Model:
    before, names = model.table, [seat.name for seat in table.seats]
    if before is not None and (before.table, before.match) != (table.table, table.match):
        model = evolve(
            model,
            checks={},
            saved=None,
            events=(),
            former=(),
            fresh=0,
            gap=False,
            view=None,
            acted=0,
        )
    elif before is not None and model.events and [seat.name for seat in before.seats] != names:
        # What happened so far is told of those who did it.
        model = evolve(model, former=(*model.former, (len(model.events), before)))
    return evolve(model, table=table, table_at=now)


def _shown(model: Model, shown: messages.Update, now: float) -> Model:
    came = shown.events.events
    kept, former = model.events, model.former
    starts = [at for at, event in enumerate(came) if isinstance(event, DealBegan)]
    if starts:
        # The first deal's story begins with the cut or the lot that chose its dealer.
        before = () if shown.view.public.deal > 1 else (*kept, *came[: starts[-1]])
        kept = tuple(event for event in before if isinstance(event, CardsCut | DealerChosen))
        came, former = came[starts[-1] :], ()
    events = (*kept, *came)
    cut = max(len(events) - EVENTS, 0)
    return evolve(
        model,
        view=shown.view,
        # Of another position, or of the same number in a later match, it would mislead.
        hint=None,
        events=events[cut:],
        former=tuple((until - cut, table) for until, table in former if until > cut),
        fresh=len(came),
        events_at=now,
        gap=shown.gap or len(events) > EVENTS or (model.gap and not starts),
    )
