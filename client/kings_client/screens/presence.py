"""Whether a person is there: what the screen says of it, and when a key is worth telling."""

from typing import Final

from attrs import evolve

from kings_client.intents import Here
from kings_client.model import Model
from kings_client.screens.knowing import online
from kings_client.screens.state import Scene, Step
from kings_client.words.presence import (
    cannot_save,
    pause_wanted,
    paused,
    press_a_key,
    waited_for,
    was_away,
)
from kings_protocol.messages import TableState

TELL_SECONDS: Final = 3.0
"""The least time between two keys of which the server is told."""


def presence(scene: Scene) -> tuple[str, str] | None:
    """Return what is to be said of a table that stands still, or of who presses no key."""
    model, table = scene.model, scene.model.table
    if model.where != "table" or table is None:
        return None
    if not table.saving:
        return "class:away", cannot_save()
    if table.paused:
        return "class:away", paused(table, model.seat)
    if _counts_as_gone(model):
        return "class:away", was_away()
    if table.away_in is not None and _on_turn(model):
        left = table.away_in / 1000 - (scene.now - model.table_at)
        return "class:away", press_a_key(left)
    if missing := _missing(model, table):
        ends = [end for at in missing if (end := table.seats[at].back_in) is not None]
        until = max(ends) / 1000 - (scene.now - model.table_at) if ends else None
        return "class:away", waited_for(table, missing, until)
    wanted = pause_wanted(table, model.seat)
    return ("class:note", wanted) if wanted else None


def told(scene: Scene, step: Step) -> Step:
    """Let the server know that a key was pressed, if it is in doubt and has not been told yet."""
    if not _in_doubt(scene.model) or scene.now - scene.ui.told_at < TELL_SECONDS:
        return step
    return Step(evolve(step.ui, told_at=scene.now), (*step.intents, Here()))


def _in_doubt(model: Model) -> bool:
    """Say whether the server doubts that the person is there."""
    table = model.table
    if model.where != "table" or table is None or not online(model):
        return False
    return _counts_as_gone(model) or (table.away_in is not None and _on_turn(model))


def _counts_as_gone(model: Model) -> bool:
    seats = () if model.table is None else model.table.seats
    return any(seats[at].state in ("dropped", "held") for at in model.seated if at < len(seats))


def _missing(model: Model, table: TableState) -> tuple[int, ...]:
    """Return the seats whose people are gone and keep the others from going on."""
    gone = tuple(at for at, seat in enumerate(table.seats) if seat.state == "dropped")
    if table.phase in ("waiting", "over"):
        return gone
    if table.phase != "playing" or model.view is None:
        return ()
    return tuple(at for at in gone if at == model.view.public.turn)


def _on_turn(model: Model) -> bool:
    return model.view is not None and model.view.public.turn in model.seated
