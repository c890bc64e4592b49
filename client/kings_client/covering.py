"""Several people at one keyboard: whose hand may be on the screen, as pure functions.

Each person has a connection and so a model of their own. What the screen gets is one of three: the
model of the person who has the keyboard; a page that everybody may see; or, while the keyboard is
passed on, a cover. The latter two are built of what everybody knows, so that no screen can show a
hand by mistake, and between two people's models there is always one of them.
"""

from collections.abc import Sequence

from attrs import evolve, frozen

from kings_client.model import Cover, Linked, LinkState, Model
from kings_client.words.people import name_of
from kings_engine.events import DealBegan, Drew, Event
from kings_engine.phase import Phase
from kings_engine.view import Standing, View


@frozen
class Desk:
    """Who sits before the screen; people are counted from 0 in the order in which they came.

    Attributes:
        at: whose hand may be shown; nobody's while the cover is down.
        due: who is to lift it.
        since: when it came down.
    """

    at: int | None = None
    due: int = 0
    since: float = 0.0


def leader(people: Sequence[Model]) -> int:
    """Return who decides where everybody goes: the first one who sits at a table, or the first."""
    return next((at for at, one in enumerate(people) if _sits(one)), 0)


def passed_on(desk: Desk, people: Sequence[Model], now: float) -> Desk:
    """Return the desk after the people's models changed: whoever looks on must not see the next."""
    newest = _newest(people)
    if newest is None or newest.view is None or not _hidden(newest):
        return Desk(None, desk.due, now)
    public, here = newest.view.public, _here(people)
    turn = 0 if public.turn is None else public.turn
    if desk.at is not None and desk.at in here.values() and here.get(turn, desk.at) == desk.at:
        return desk
    around = [(turn + step) % len(public.seats) for step in range(len(public.seats))]
    seats = [seat for seat in around if seat in here]
    playing = [seat for seat in seats if public.seats[seat].standing == Standing.IN]
    due = here[(playing or seats)[0]]
    covered = desk.at is None and desk.due == due
    return desk if covered else Desk(None, due, now)


def lifted(desk: Desk, people: Sequence[Model], seat: int) -> Desk:
    """Return the desk after the person at ``seat`` lifted the cover, if it was for that person."""
    meant = desk.at is None and _here(people).get(seat) == desk.due
    return evolve(desk, at=desk.due) if meant else desk


def shown(desk: Desk, people: Sequence[Model]) -> Model:
    """Return what the screen may show."""
    newest, lead = _newest(people), people[leader(people)]
    if newest is None:
        refused = next((one for one in people if one.refusal is not None), lead)
        return evolve(lead, refusal=refused.refusal, refused=refused.refused)
    if not _hidden(newest):
        common = _known_to_all(newest, people)
        refused = next((one for one in people if one.refusal is not None), lead)
        return evolve(common, refusal=refused.refusal, refused=refused.refused)
    if desk.at is not None and desk.at in _here(people).values():
        return people[desk.at]
    common = _known_to_all(newest, people)
    seat = people[desk.due].seat
    if common.table is None or seat is None:
        return common
    return evolve(common, cover=Cover(name_of(common.table, seat), seat, desk.since))


def _sits(model: Model) -> bool:
    return model.where == "table" and model.seat is not None and model.table is not None


def _here(people: Sequence[Model]) -> dict[int, int]:
    """Return who sits where, at the leader's table."""
    table = people[leader(people)].table
    return {
        one.seat: at
        for at, one in enumerate(people)
        if _sits(one) and one.seat is not None and one.table is not None and table is not None
        if one.table.table == table.table
    }


def _newest(people: Sequence[Model]) -> Model | None:
    """Return the model of those at the table that has the newest position."""
    at_table = [people[at] for at in sorted(_here(people).values())]
    return max(at_table, key=_age, default=None)


def _age(model: Model) -> tuple[int, int]:
    version = -1 if model.view is None else model.view.public.version
    return (0 if model.table is None else model.table.match), version


def _hidden(model: Model) -> bool:
    """Say whether hands are hidden from one another now."""
    return model.view is not None and model.view.public.phase == Phase.PLAY


def _known_to_all(model: Model, people: Sequence[Model]) -> Model:
    """Return what everybody here may know, built from that alone."""
    lead = people[leader(people)]
    return Model(
        where="table",
        link=_weakest(people, lead),
        name=lead.name,
        server=lead.server,
        identity=lead.identity,
        server_name=lead.server_name,
        table=model.table,
        table_at=model.table_at,
        view=None if model.view is None else View(model.view.public, None),
        events=tuple(map(_public, model.events)),
        fresh=model.fresh,
        events_at=model.events_at,
        gap=model.gap,
        lines=lead.lines,
        checks=lead.checks,
        saved=lead.saved,
        hosting=lead.hosting,
        kept=lead.kept,
        recent=lead.recent,
        here=tuple(sorted(_here(people))),
    )


def _weakest(people: Sequence[Model], lead: Model) -> LinkState:
    """Return the connection that is in trouble, if one is: without it the game cannot go on."""
    troubled = (one.link for one in people if one.link.state != Linked.ONLINE)
    return next(troubled, lead.link)


def _public(event: Event) -> Event:
    """Return an event without what one of several people alone was told."""
    match event:
        case DealBegan(hands=hands):
            return evolve(event, hands=(None,) * len(hands))
        case Drew():
            return evolve(event, cards=None)
    return event
