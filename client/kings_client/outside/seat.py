"""What a program's seat wants next: a table, to be ready, to think, or to be gone."""

from enum import Enum, auto
from typing import TypeAlias

from attrs import field, frozen

from kings_client.intents import BrowsePage, ComeBack, Intent, Join, Leave, SetReady
from kings_client.model import Linked, Lobby, Model
from kings_client.words.tongue import any_of, tell
from kings_engine.view import Own, View
from kings_protocol.messages import TableLine, TableState


@frozen
class Plan:
    """Where a program wants to sit.

    Attributes:
        table: the table's name; nothing means the only one with an open seat.
        password: opens a locked table.
        once: whether one match is enough.
    """

    table: str | None = None
    password: str | None = field(default=None, repr=False)
    once: bool = False


class Next(Enum):
    """What is to be done, where it is nothing to ask the server for."""

    WAIT = auto()  #: for news
    GONE = auto()  #: the seat is no longer ours, or no longer wanted


@frozen
class Stuck:
    """The seat cannot go on by itself; ``why`` is for whoever started it."""

    why: str


@frozen
class Think:
    """The seat is on turn.

    Attributes:
        view: the position, as the seat sees it.
        own: the part of it that is the seat's alone.
        table: the table.
    """

    view: View
    own: Own
    table: TableState


Step: TypeAlias = Intent | Next | Stuck | Think


def next_step(model: Model, plan: Plan, *, sat: bool) -> Step:
    """Return what the seat does next.

    Args:
        model: what is known.
        plan: where the program wants to sit.
        sat: whether it has had a seat in this run already.
    """
    if model.link.state is Linked.CLOSED:
        return Next.GONE
    if model.link.state is not Linked.ONLINE or model.moving or model.asked is not None:
        return Next.WAIT
    if model.where == "table":
        return _at_table(model, plan)
    if model.lobby is None:
        return Next.WAIT
    if sat:
        return Next.GONE
    kept = [seat for seat in model.kept if plan.table in (None, seat.name)]
    return ComeBack(kept[-1].table) if kept else _at_the_door(model.lobby, plan)


def _at_table(model: Model, plan: Plan) -> Step:
    table, seat = model.table, model.seat
    if table is None or seat is None:
        return Next.WAIT
    if table.phase == "over" and plan.once and model.view is not None:
        return Leave()
    if table.phase in ("waiting", "between", "over"):
        return Next.WAIT if table.seats[seat].ready else SetReady(on=True)
    view = model.view
    if view is None or view.own is None or view.public.turn != seat:
        return Next.WAIT
    return Next.WAIT if table.paused or not table.saving else Think(view, view.own, table)


def _at_the_door(lobby: Lobby, plan: Plan) -> Step:
    """Return the way to the table that is wanted, from the page of the lobby that is seen."""
    named = [line for line in lobby.tables if plan.table in (None, line.name)]
    open_ones = [line for line in named if _has_room(line)]
    if len(open_ones) == 1:
        if open_ones[0].locked and plan.password is None:
            return Stuck(tell("that table is locked; give its password with --password-file"))
        return Join(open_ones[0].table, plan.password)
    if open_ones:
        names = any_of([line.name for line in open_ones])
        return Stuck(
            tell("several tables have an open seat; say which with --table: {names}", names=names)
        )
    if lobby.pages > 1:
        return BrowsePage((lobby.page + 1) % lobby.pages)
    return Next.WAIT


def _has_room(line: TableLine) -> bool:
    return line.phase == "waiting" and line.people + line.bots < line.seats
