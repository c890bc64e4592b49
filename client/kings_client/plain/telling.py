"""Tells what is new, a sentence each: by comparing what is known now with what was known before."""

from collections.abc import Iterable
from typing import Final

from attrs import define, field

from kings_client.intents import Ask, MovePile, PlayCard, PlayTop, SetReady
from kings_client.marks import Mark
from kings_client.model import Linked, Model, Spoken
from kings_client.plain.sitting import arrival, is_shown
from kings_client.screens.knowing import rules_of
from kings_client.words import counts, fairness, spoken, spoken_table
from kings_client.words.notices import announcement, notice, stops_in
from kings_client.words.people import is_mine, name_of, name_then
from kings_client.words.reasons import reason, unseated
from kings_client.words.refusals import refusal
from kings_client.words.security import ended, known_as, to_compare
from kings_client.words.servers import no_address, title
from kings_client.words.servers import spoken as server
from kings_client.words.tongue import any_of, later, tell
from kings_engine.events import CardsCut, DealBegan, DealerChosen, Event, Moved, Played
from kings_protocol import messages
from kings_protocol.codes import NoticeCode
from kings_protocol.messages import Notice, Refused, Said, TableState

MANY_EVENTS: Final = 12
"""Events of a deal that are told to one who comes into it; with more, the table is offered."""


_STARTS: Final = (CardsCut, DealerChosen, DealBegan)
"""Kinds of events that a deal's story begins with."""


@define
class Teller:
    """Remembers what was told.

    Attributes:
        model: what was known when the last sentences were made.
        answer: the refusal that has just been told as the answer to a command.
        unsure: whether the person has said to be ready, and the table does not show it yet.
    """

    model: Model
    answer: Refused | None = None
    unsure: bool = False
    _outdated: TableState | None = None
    _events: tuple[Event, ...] = ()
    _mine: Event | None = None
    _turn: tuple[int, int, int] | None = None
    _announced: tuple[int, int] | None = None
    _clocked: tuple[int, int, int] | None = None
    _waited: str = ""
    _kept: str | None = None
    _servers: dict[int, str] = field(factory=dict)

    def tell(self, model: Model) -> tuple[str, ...]:
        """Return what is new in ``model``, in the order in which it happened."""
        before, self.model = self.model, model
        answered, self.answer = self.answer, None
        if before.events and not model.events:
            # The seat was taken back: what can be done is worth telling again.
            self._turn = self._announced = None
        if _asks_ready(before) and not isinstance(model.refused, SetReady):
            self._outdated = model.table
        self.unsure = _asks_ready(model) or (
            model.table is not None and model.table is self._outdated
        )
        return (
            *self._near(model),
            *_link(before, model),
            *_place(before, model),
            *_refused(before, model, answered),
            *_talk(before, model),
            *_announced(before, model),
            *_stopping(before, model),
            *self.happened(model),
            *self._table(before, model),
            *self._my_turn(before, model),
            *_marked(before, model),
            *_owed(before, model),
            *self._saved(model),
        )

    def answered(self, ask: Ask) -> None:
        """Leave the event out that the answer to ``ask`` has told already."""
        seat = self.model.seat
        if seat is None:
            return
        match ask:
            case PlayCard(card=card, place=place):
                self._mine = Played(seat, card, place, from_stock=False)
            case PlayTop(place=place):
                top = None if self.model.view is None else self.model.view.public.stock_top
                self._mine = None if top is None else Played(seat, top, place, from_stock=True)
            case MovePile(source=source, place=place):
                view = self.model.view
                count = 0 if view is None else len(view.public.piles[source])
                self._mine = Moved(seat, source, place, count)

    def _near(self, model: Model) -> Iterable[str]:
        """Tell which servers have been found, and which are gone, before one is chosen."""
        if not model.at_home or model.search is None:
            self._servers.clear()
            return
        listed = {one.number: one for one in model.search.servers}
        for number, found in listed.items():
            if found.seconds is not None and number not in self._servers:
                self._servers[number] = title(found)
                yield tell("Server {number} is {server}.", number=number, server=server(found))
        for number in self._servers.keys() - listed.keys():
            name = self._servers.pop(number)
            yield tell("Server {number} is gone: {name}.", number=number, name=name)

    def happened(self, model: Model) -> Iterable[str]:
        """Return the sentences of the deal's events that are new."""
        table, happened = model.table, model.events
        if table is None or not happened or happened == self._events:
            return
        known, self._events = self._events, happened
        start = _shared(known, happened)
        if not start and not isinstance(happened[0], _STARTS):
            yield tell("Some of what happened was not heard here.")
        if not known and len(happened) > MANY_EVENTS:
            yield tell("A deal is being played; table tells what lies there, hand what you hold.")
            return
        if self._mine is not None and self._mine in happened[start:]:
            at = happened.index(self._mine, start)
            self._mine = None
            yield from spoken.told(happened[:at], start, table, model.seat)
            start = at + 1
        yield from spoken.told(happened, start, table, model.seat)

    def _table(self, before: Model, model: Model) -> Iterable[str]:
        table, known = model.table, before.table
        if table is None:
            self._waited, self._events = "", ()
            return
        if known is not None and known.table == table.table:
            yield from _changed_seats(known, table, model.seat)
        waited = spoken_table.phase(model, table)
        if self.unsure or not is_shown(model):
            return
        if waited and waited != self._waited:
            yield waited
            if table.next_in is not None:
                yield tell(
                    "It goes on by itself in {time}.",
                    time=counts.seconds(-(-table.next_in // 1000)),
                )
        self._waited = waited

    def _my_turn(self, before: Model, model: Model) -> Iterable[str]:
        table, view = model.table, model.view
        if table is None or view is None or view.own is None or model.acting or not model.events:
            return
        public = view.public
        if public.turn != view.own.seat:
            return
        turn, moment = (table.match, public.deal, public.turn_number), (table.match, public.version)
        if moment != self._announced:
            new = turn != self._turn
            yield spoken.turn(view.own, public, rules_of(table), model.events, new=new)
            self._turn, self._announced = turn, moment
        if table.turn_in is not None and table is not before.table and turn != self._clocked:
            self._clocked = turn
            yield tell("You have {time}.", time=counts.seconds(-(-table.turn_in // 1000)))

    def _saved(self, model: Model) -> Iterable[str]:
        over = model.table is not None and model.table.phase == "over" and is_shown(model)
        if over and model.saved is not None and model.saved != self._kept:
            self._kept = model.saved
            yield tell("The match is kept in {file}; kings verify checks it.", file=model.saved)


def _asks_ready(model: Model) -> bool:
    return any(isinstance(one.request, messages.Ready) for one in model.pending)


def _shared(known: tuple[Event, ...], happened: tuple[Event, ...]) -> int:
    """Return how many events at the start of ``happened`` are the last ones of ``known``.

    News come at the end; after a lost connection the deal comes again, perhaps without its start.
    """
    for count in range(min(len(known), len(happened)), 0, -1):
        if known[-count:] == happened[:count]:
            return count
    return 0


def _link(before: Model, model: Model) -> Iterable[str]:
    link, known = model.link, before.link
    if link.state == known.state and link.attempt == known.attempt:
        return
    match link.state:
        case Linked.WAITING if known.attempt == 0:
            why = reason(link.reason or "")
            yield tell(
                "{why}. Trying to connect again; retry does it at once.", why=spoken.capital(why)
            )
        case Linked.ONLINE if known.attempt:
            yield tell("Connected again.")
        case Linked.ONLINE if model.hosting is None and (told := known_as(link.security)):
            yield told
        case Linked.CLOSED:
            if told := to_compare(link):
                yield told
            yield tell("{why}. Type retry or quit.", why=spoken.capital(ended(link)))


def _place(before: Model, model: Model) -> Iterable[str]:
    table, known = model.table, before.table
    if model.unseated is not None and model.unseated != before.unseated:
        yield f"{spoken.capital(unseated(model.unseated))}."
    if table is not None and (known is None or known.table != table.table):
        yield arrival(model, table)
    elif table is not None and known is not None and known.match != table.match > 1:
        yield tell("A new match begins.")
    if model.unfinished is not None and before.unfinished is None:
        name = model.unfinished.name
        yield tell(
            "A match waits for you at {name}. Type back to go on, or anew to give it up.", name=name
        )
    if model.where == "lobby" and model.lobby is not None and before.lobby is None:
        tables = counts.tables(model.lobby.total)
        here = later("You are in the lobby: {tables}. Type list, make or join.")
        there = later("You are in the lobby of {server}: {tables}. Type list, make or join.")
        yield tell(there if model.server_name else here, server=model.server_name, tables=tables)
        if model.kept:
            yield tell("A seat is kept for you; back takes it.")
    if model.hosting is not None and model.hosting != before.hosting:
        joins = any_of(f"kings join {address}" for address in model.hosting.addresses[:3])
        if joins:
            yield tell("Others on your network join with {commands}.", commands=joins)
        else:
            yield no_address()
        yield tell("The code that they should see is {code}.", code=model.hosting.code)


def _refused(before: Model, model: Model, answered: Refused | None) -> Iterable[str]:
    """Tell of a refusal of what no command asked for, such as the table made at the start."""
    refused = model.refusal
    if refused is not None and refused is not before.refusal and refused is not answered:
        yield f"{spoken.capital(refusal(refused))}."


def _announced(before: Model, model: Model) -> Iterable[str]:
    if model.announced and model.announced != before.announced:
        yield spoken.capital(announcement(model.announced))


def _stopping(before: Model, model: Model) -> Iterable[str]:
    stop = model.link.stop
    if stop is not None and stop != before.link.stop:
        yield f"{spoken.capital(stops_in(stop.seconds))}."


def _talk(before: Model, model: Model) -> Iterable[str]:
    if model.table is None:
        return
    for line in _newer(before.lines, model.lines):
        if isinstance(line, Notice):
            # Who has sat down has a name only when the table's state has come; that the server
            # stops concerns the lobby too.
            if line.code in (NoticeCode.JOINED, NoticeCode.STOPPING):
                continue
            yield f"{spoken.capital(notice(line, model.table, model.seat))}."
        elif isinstance(line, Said) and not is_mine(model.table, line.seat, line.name, model.seat):
            name = name_then(model.table, line.seat, line.name)
            yield tell("{name} says: {text}", name=name, text=line.text)


def _newer(before: tuple[Spoken, ...], after: tuple[Spoken, ...]) -> tuple[Spoken, ...]:
    """Return the lines that were added; ``after`` may have lost old ones at its start."""
    if after is before or not after:
        return ()
    for lost in range(len(before) + 1):
        if after[: len(before) - lost] == before[lost:]:
            return after[len(before) - lost :]
    return after


def _changed_seats(before: TableState, table: TableState, me: int | None) -> Iterable[str]:
    for at, (known, seat) in enumerate(zip(before.seats, table.seats, strict=True)):
        if seat.state == "seated" and known.state in ("open", "left") and at != me:
            yield tell("{who} sat down.", who=name_of(table, at))
        if seat.state == "bot" and known.state == "open":
            yield tell(
                "A bot sits down at seat {seat}: {who}.", seat=at + 1, who=name_of(table, at)
            )
        if seat.short and not known.short:
            yield tell("{who} was short of time, and played plainly.", who=name_of(table, at))
        if seat.state == "open" and known.state == "bot":
            yield tell("Seat {seat} is open.", seat=at + 1)
        if seat.ready and not known.ready and seat.state == "seated" and at != me:
            yield tell("{who} is ready.", who=name_of(table, at))


def _marked(before: Model, model: Model) -> Iterable[str]:
    """Say what was found out about a deck; of one that is only begun, what is wrong already."""
    for deal, check in model.checks.items():
        known = before.checks.get(deal)
        if check.mark is not Mark.PENDING and (known is None or known.mark != check.mark):
            yield spoken.capital(
                tell("{deal}: {mark}.", deal=fairness.deal_name(deal), mark=fairness.told(check))
            )


def _owed(before: Model, model: Model) -> Iterable[str]:
    if model.owed is not None and model.owed != before.owed:
        yield f"{spoken.capital(fairness.owed(model.owed))}."
