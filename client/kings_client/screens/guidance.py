"""The status line and the line of keys: what can be done now, and how."""

from kings_client.parts.canvas import OnCard, OnPlace
from kings_client.screens.knowing import rules_of
from kings_client.screens.selection import movable, targets
from kings_client.screens.state import Scene
from kings_client.words.people import name_of
from kings_client.words.turns import goes_on, hint, pile_goes_on, your_turn
from kings_engine.actions import Play
from kings_engine.view import Own, Standing, View
from kings_protocol.messages import TableState

Keys = list[tuple[str, str, str]]
"""For each key: what a click presses, how it is shown, what it does."""


_COMMON: Keys = [
    ("s", "S", "scores"),
    ("/", "/", "chat"),
    ("?", "?", "help"),
    ("q", "Q", "quit"),
]


def guidance(scene: Scene, table: TableState, view: View) -> tuple[str, str]:
    """Return the style and the text of the status line, where nothing is more urgent."""
    own, public = view.own, view.public
    if own is None:
        return "class:dim", f"You are watching. {_whose(table, view)}"
    if public.turn != own.seat:
        return "class:dim", _whose(table, view)
    if scene.ui.selection.picked is not None:
        return "", _picked(scene, own)
    if scene.model.hint is not None and scene.model.hint[0] == public.version:
        action = scene.model.hint[1]
        name = scene.ui.look.card(action.card) if isinstance(action, Play) else ""
        return "class:note", hint(action, name)
    playable = sum(bool(places) for _, places in own.plays) + bool(own.stock_plays)
    return "class:turn", your_turn(playable, len(movable(own)))


def _picked(scene: Scene, own: Own) -> str:
    picked = scene.ui.selection.picked
    places = targets(own, picked)
    match picked:
        case OnCard(card):
            return goes_on(card, places)
        case OnPlace(place):
            return pile_goes_on(place, places)
    return "the stock's top card goes to " + goes_on(0, places).partition(" goes to ")[2]


def _whose(table: TableState, view: View) -> str:
    turn = view.public.turn
    if turn is None:
        return "The cards are being dealt"
    own = view.own
    if own is not None and view.public.seats[own.seat].standing == Standing.OUT:
        return f"You are out of cards. {name_of(table, turn)} plays on"
    sitting = table.seats[turn].state if turn < len(table.seats) else "seated"
    doing = {"bot": "is thinking", "held": "is away; a bot plays", "dropped": "is away"}
    return f"{name_of(table, turn)} {doing.get(sitting, 'is playing')}"


def said_keys() -> Keys:
    """Return the keys of a line of chat being written."""
    return [("enter", "Enter", "say it"), ("escape", "Esc", "never mind")]


def offered_keys(scene: Scene, view: View) -> Keys:
    """Return the keys worth showing now, the most useful first."""
    common = [*_COMMON, ("r", "R", "rules"), ("o", "O", "settings"), ("p", "P", "people")]
    if scene.ui.line is not None:
        return said_keys()
    own = view.own
    if own is None:
        return [("l", "L", "stop watching"), *common]
    if view.public.turn != own.seat:
        return [("", "←→", "look along your cards"), *common]
    if scene.ui.selection.picked is not None:
        several = len(targets(own, scene.ui.selection.picked)) > 1
        choose: Keys = [("right", "←→", "choose where")] if several else []
        return [
            *choose,
            ("enter", "Enter", "play it there"),
            ("escape", "Esc", "put back"),
            *common,
        ]
    table = scene.model.table
    hinted: Keys = [("h", "H", "hint")] if table is not None and rules_of(table).hints else []
    return [
        ("n", "←→N", "choose"),
        ("enter", "Enter", "pick"),
        ("tab", "Tab", "piles"),
        *hinted,
        *common,
    ]
