"""The status line and the line of keys: what can be done now, and how."""

from typing import Final

from kings_client.parts.canvas import OnCard, OnPlace
from kings_client.screens.knowing import rules_of, stands_still
from kings_client.screens.selection import movable, targets
from kings_client.screens.state import Scene
from kings_client.turn_end import turn_end
from kings_client.words.people import name_of
from kings_client.words.tongue import later, tell
from kings_client.words.turns import (
    ends_deal,
    goes_on,
    hint,
    pile_goes_on,
    stock_goes_on,
    your_turn,
)
from kings_engine.actions import Play
from kings_engine.view import Own, Standing, View
from kings_protocol.messages import TableState

Keys = list[tuple[str, str, str]]
"""For each key: what a click presses, how it is shown, what it does."""


def guidance(scene: Scene, table: TableState, view: View) -> tuple[str, str]:
    """Return the style and the text of the status line, where nothing is more urgent."""
    own, public = view.own, view.public
    if _looks_back(scene, view):
        return "", tell("This is how the deal ended. T goes back")
    if own is None:
        return "class:dim", tell("You are watching. {whose}", whose=_whose(table, view))
    if public.turn != own.seat:
        return "class:dim", _whose(table, view)
    if scene.ui.selection.picked is not None:
        return "", _picked(scene, own)
    if scene.model.hint is not None and scene.model.hint[0] == public.version:
        action = scene.model.hint[1]
        name = scene.ui.look.card(action.card) if isinstance(action, Play) else ""
        return "class:note", hint(action, name)
    playable = sum(bool(places) for _, places in own.plays) + bool(own.stock_plays)
    if own.may_end and turn_end(rules_of(table), public, scene.model.events).ends_deal:
        return "class:turn", ends_deal()
    return "class:turn", your_turn(playable, len(movable(own)))


def _looks_back(scene: Scene, view: View) -> bool:
    """Say whether the last table is looked at instead of the end of its deal."""
    return scene.ui.table_shown and view.public.turn is None


def _picked(scene: Scene, own: Own) -> str:
    picked = scene.ui.selection.picked
    places = targets(own, picked)
    match picked:
        case OnCard(card):
            return goes_on(card, places)
        case OnPlace(place):
            return pile_goes_on(place, places)
    return stock_goes_on(places)


def _whose(table: TableState, view: View) -> str:
    turn = view.public.turn
    if turn is None:
        return tell("The cards are being dealt")
    own = view.own
    if own is not None and view.public.seats[own.seat].standing == Standing.OUT:
        return tell("You are out of cards. {who} plays on", who=name_of(table, turn))
    sitting = table.seats[turn].state if turn < len(table.seats) else "seated"
    return tell(_DOING.get(sitting, _PLAYING), who=name_of(table, turn))


_PLAYING: Final = later("{who} is playing")
_DOING: Final = {
    "bot": later("{who} is thinking"),
    "held": later("{who} is away; a bot plays"),
    "dropped": later("{who} is away"),
}


def said_keys() -> Keys:
    """Return the keys of a line of chat being written."""
    return [("enter", "Enter", tell("say it")), ("escape", "Esc", tell("never mind"))]


def offered_keys(scene: Scene, view: View) -> Keys:
    """Return the keys worth showing now, the most useful first."""
    common: Keys = [
        ("s", "S", tell("scores")),
        ("/", "/", tell("chat")),
        ("?", "?", tell("help")),
        ("q", "Q", tell("quit")),
        ("r", "R", tell("rules")),
        ("o", "O", tell("settings")),
        ("p", "P", tell("people")),
    ]
    if scene.ui.line is not None:
        return said_keys()
    if _looks_back(scene, view):
        return [("t", "T", tell("back")), *common]
    own = view.own
    if own is None:
        return [("l", "L", tell("stop watching")), *common]
    table = scene.model.table
    look: Keys = [("", "←→", tell("look along your cards"))]
    if table is not None and stands_still(table):
        return [common.pop(), *look, *common]
    if view.public.turn != own.seat:
        return [*look, *common]
    if scene.ui.selection.picked is not None:
        several = len(targets(own, scene.ui.selection.picked)) > 1
        choose: Keys = [("right", "←→", tell("choose where"))] if several else []
        return [
            *choose,
            ("enter", "Enter", tell("play it there")),
            ("escape", "Esc", tell("put back")),
            *common,
        ]
    hinted: Keys = [("h", "H", tell("hint"))] if table is not None and rules_of(table).hints else []
    return [
        ("n", "←→N", tell("choose")),
        ("enter", "Enter", tell("pick")),
        ("tab", "Tab", tell("piles")),
        *hinted,
        *common,
    ]
