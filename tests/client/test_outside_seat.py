"""What a program's seat wants next, case by case."""

from typing import Any

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.intents import BrowsePage, ComeBack, Join, Leave, SetReady
from kings_client.model import Kept, Linked, LinkState, Lobby, Model, Pending
from kings_client.outside.seat import Next, Plan, Stuck, Think, next_step
from kings_engine.presets import PRESETS
from kings_protocol import messages as m
from kings_protocol.messages import TableLine
from tables import line_of, lobby_of, model_of, played, table_of

ANYWHERE = Plan()
KEY = "knock"


def room(name: str, **changes: Any) -> TableLine:
    return line_of(name, seats=2, people=1, bots=0, phase="waiting", **changes)


@pytest.mark.parametrize(
    ("lines", "plan", "expected"),
    [
        ((), ANYWHERE, Next.WAIT),
        ((room("Den"),), ANYWHERE, "Den"),
        ((room("Den"),), Plan(table="Den"), "Den"),
        ((room("Den"),), Plan(table="Hall"), Next.WAIT),
        ((room("Den"), room("Hall")), Plan(table="Hall"), "Hall"),
        ((line_of("Den", seats=2, people=2, bots=0, phase="waiting"),), ANYWHERE, Next.WAIT),
        ((line_of("Den", seats=2, people=1, bots=0, phase="playing"),), ANYWHERE, Next.WAIT),
        ((room("Den", locked=True),), Plan(password=KEY), "Den"),
    ],
)
def test_it_goes_to_the_table_that_has_room(
    lines: tuple[TableLine, ...], plan: Plan, expected: object
) -> None:
    step = next_step(lobby_of(*lines), plan, sat=False)
    if not isinstance(expected, str):
        assert step is expected
        return
    (table,) = (line.table for line in lines if line.name == expected)
    assert step == Join(table, plan.password)


def test_where_several_have_room_it_asks_which() -> None:
    step = next_step(lobby_of(room("Den"), room("Hall")), ANYWHERE, sat=False)
    assert isinstance(step, Stuck)
    assert "--table" in step.why
    assert "Den" in step.why
    assert "Hall" in step.why


def test_a_locked_table_needs_the_password() -> None:
    step = next_step(lobby_of(room("Den", locked=True)), ANYWHERE, sat=False)
    assert isinstance(step, Stuck)
    assert "--password-file" in step.why


def test_other_pages_of_the_lobby_are_looked_at() -> None:
    den = room("Den")
    model = lobby_of(den, lobby=Lobby(2, 3, 21, (den,)))
    assert next_step(model, Plan(table="Hall"), sat=False) == BrowsePage(0)


@pytest.mark.parametrize(
    ("plan", "table"), [(ANYWHERE, "t2"), (Plan(table="Den"), "t1"), (Plan(table="Hall"), "t2")]
)
def test_a_seat_that_was_kept_comes_first(plan: Plan, table: str) -> None:
    kept = (Kept("t1", "Den"), Kept("t2", "Hall"))
    model = evolve(lobby_of(room("Den")), kept=kept)
    assert next_step(model, plan, sat=False) == ComeBack(table)


def test_a_seat_that_is_gone_ends_it() -> None:
    assert next_step(lobby_of(room("Den")), ANYWHERE, sat=True) is Next.GONE


def test_nothing_is_asked_while_there_is_no_connection_or_an_answer_is_due() -> None:
    model = lobby_of(room("Den"))
    for state in (Linked.CONNECTING, Linked.WAITING):
        lost = evolve(model, link=LinkState(state))
        assert next_step(lost, ANYWHERE, sat=False) is Next.WAIT
    assert next_step(evolve(model, link=LinkState(Linked.CLOSED)), ANYWHERE, sat=False) is Next.GONE
    asked = Pending(m.Join(id="0" * 32, table="t1"), Join("t1"))
    assert next_step(evolve(model, pending=(asked,)), ANYWHERE, sat=False) is Next.WAIT


POSITIONS = tuple(played(PRESETS["pagat"].rules(), 12, 1))
BEGUN = next(match for match in POSITIONS if match.turn == 0)


def at_table(phase: str, *, ready: bool = False, **changes: Any) -> Model:
    table = table_of(BEGUN, phase=phase)
    seats = tuple(replace(seat, ready=ready) for seat in table.seats)
    return model_of(BEGUN, 0, table=replace(table, seats=seats, **changes))


@pytest.mark.parametrize("phase", ["waiting", "between", "over"])
def test_it_is_ready_whenever_that_is_asked(phase: str) -> None:
    assert next_step(at_table(phase), ANYWHERE, sat=True) == SetReady(on=True)
    assert next_step(at_table(phase, ready=True), ANYWHERE, sat=True) is Next.WAIT


def test_with_once_it_leaves_after_the_match() -> None:
    assert next_step(at_table("over"), Plan(once=True), sat=True) == Leave()
    assert next_step(at_table("between"), Plan(once=True), sat=True) == SetReady(on=True)


def test_on_turn_it_thinks_about_what_the_seat_sees() -> None:
    model = at_table("playing")
    step = next_step(model, ANYWHERE, sat=True)
    assert isinstance(step, Think)
    assert step.view is model.view
    assert step.view is not None
    assert step.own is step.view.own


@pytest.mark.parametrize("changes", [{"paused": True}, {"saving": False}])
def test_it_does_not_think_while_the_table_stands_still(changes: dict[str, bool]) -> None:
    assert next_step(at_table("playing", **changes), ANYWHERE, sat=True) is Next.WAIT


def test_out_of_turn_it_waits() -> None:
    other = next(match for match in POSITIONS if match.turn == 1)
    assert next_step(model_of(other, 0), ANYWHERE, sat=True) is Next.WAIT
