"""Facts that several screens read out of the model."""

from functools import lru_cache
from typing import Final

from kings_client.model import Linked, Mark, Model
from kings_client.parts.panel import Row
from kings_client.parts.scores import goal
from kings_client.screens.state import Scene
from kings_client.settings import HIGHLIGHT_SECONDS
from kings_client.style import Look
from kings_client.words.tongue import tell, tell_some
from kings_engine.events import DealBegan, Drew, Event, Moved, Played, TurnBegan
from kings_engine.places import Place
from kings_engine.presets import PRESETS
from kings_engine.rules import BadRules, Rules, differences, make_rules
from kings_protocol.messages import KnobValue, TableState

END_SECONDS: Final = 0.7
"""How long the end of a deal is seen before a key can leave it."""

_SAID_ELSEWHERE: Final = {"players", "match", "points", "deals", "turn_seconds"}
"""Knobs that the screen tells by itself: the seats, the goal, the clock."""


def rules_of(table: TableState) -> Rules:
    """Return the table's rules."""
    return _rules(tuple(sorted(table.rules.items())), len(table.seats))


@lru_cache(maxsize=32)
def _rules(knobs: tuple[tuple[str, KnobValue], ...], seats: int) -> Rules:
    try:
        return make_rules(dict(knobs))
    except BadRules:
        # Only a server newer than this client sends what it cannot read; the cards still show.
        return Rules(players=min(max(seats, 2), 4))


def rules_name(table: TableState) -> str:
    """Return the preset's name, and whether knobs of it were changed."""
    preset = PRESETS.get(table.preset)
    if preset is None:
        return table.preset
    changed = set(differences(rules_of(table), preset.rules())) - _SAID_ELSEWHERE
    return tell("{preset}, changed", preset=table.preset) if changed else table.preset


def heading(model: Model) -> tuple[str, ...]:
    """Return what the top line says: the table's name, then its rules, the deal and more."""
    table, view = model.table, model.view
    if table is None:
        return (tell("Kings in the Corner"),)
    parts = [table.name, f"{rules_name(table)}, {goal(rules_of(table))}"]
    if view is not None and view.public.deal:
        parts.append(tell("deal {deal}", deal=view.public.deal))
    if not model.seated:
        parts.append(tell("watching"))
    return tuple(parts)


def fairness(model: Model, look: Look) -> Row:
    """Say what the client found out about the match's finished deals."""
    found = [mark for deal, mark in model.marks.items() if deal or mark is Mark.BROKEN]
    if Mark.BROKEN in found:
        return (("class:bad", f"{look.no} {tell('a deal is broken')} (F)"),)
    if Mark.ANEW in found:
        anew = tell("offered anew: {count}", count=found.count(Mark.ANEW))
        return (("class:away", f"{anew} (F)"),)
    fair = found.count(Mark.FAIR)
    without = found.count(Mark.FAIR_WITHOUT)
    if fair:
        return (
            ("class:good", look.yes),
            ("class:dim", " " + tell_some("{count} fair", "{count} fair", fair)),
        )
    if without:
        return (("class:dim", tell("without your share: {count}", count=without)),)
    return ()


def news(model: Model) -> tuple[Event, ...]:
    """Return what the others did since one did something oneself; for spectators, what came last.

    Somebody who looked away sees by it what has changed.
    """
    events = model.events
    if model.seat is None:
        return events[len(events) - model.fresh :]
    for at in range(len(events) - 1, -1, -1):
        event = events[at]
        # A turn that begins with a draw has brought nothing of one's own doing yet.
        done = not isinstance(event, TurnBegan | Drew)
        own = done and getattr(event, "seat", None) == model.seat
        if own or isinstance(event, DealBegan):
            return events[at + 1 :]
    return events


def touched(model: Model) -> frozenset[Place]:
    """Return the places where the others laid or moved something since one's own last action."""
    return frozenset(event.place for event in news(model) if isinstance(event, Played | Moved))


def lit(scene: Scene) -> bool:
    """Say whether what the others did still stands out, as the settings have it."""
    seconds = HIGHLIGHT_SECONDS.get(scene.ui.settings.highlight)
    return seconds is None or scene.now - scene.model.events_at < seconds


def just_ended(scene: Scene) -> bool:
    """Say whether a deal ended only now: a key that is on its way was meant for the deal."""
    return scene.now - scene.model.events_at < END_SECONDS


def lately(model: Model, now: float) -> bool:
    """Say whether something happened so lately that its picture still changes by itself."""
    return now - model.events_at < max(HIGHLIGHT_SECONDS.values()) + END_SECONDS


def begins_turn(before: Model, model: Model) -> bool:
    """Say whether it has become one's own turn."""
    turns = [None if one.view is None else one.view.public.turn for one in (before, model)]
    return model.seat is not None and turns[0] != turns[1] == model.seat


def online(model: Model) -> bool:
    """Say whether the server can be asked for something now."""
    return model.link.state == Linked.ONLINE


def stands_still(table: TableState) -> bool:
    """Say whether nobody can do anything in the deal: in a pause, or while nothing can be saved."""
    return table.paused or not table.saving


def counting(model: Model) -> bool:
    """Say whether something on the screen counts seconds."""
    table = model.table
    counted = model.link.state == Linked.WAITING or model.link.stop is not None
    return counted or (
        table is not None
        and (
            table.next_in is not None
            or table.turn_in is not None
            or table.away_in is not None
            or any(seat.back_in is not None for seat in table.seats)
        )
    )
