"""The welcome screen, and the one on the way to a server."""

from typing import Final

from kings_client.intents import (
    BeginAnew,
    ComeBack,
    Quit,
    RetryNow,
    ShowMatches,
    StartJoin,
    ToWelcome,
)
from kings_client.model import Linked, Model
from kings_client.parts.bars import connection, keys, title, trouble
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, fit, width_of, wrap
from kings_client.parts.cards import COMPACT, dress, face
from kings_client.screens.forms import open_form
from kings_client.screens.state import FormKind, Scene, Step
from kings_client.words.tongue import later, tell
from kings_engine.cards import parse_card

_KINGS = tuple(parse_card(name) for name in ("KS", "KH", "KC", "KD"))

_CHOICES: Final[tuple[tuple[str, str, FormKind | None], ...]] = (
    ("p", later("Play against the computer"), "play"),
    ("h", later("Host a table for others"), "host"),
    ("j", later("Join a server"), "join"),
    ("m", later("Matches played"), None),
    ("q", later("Quit"), None),
)
_RECENT = 5
"""Servers visited before that are listed."""


def draw_welcome(scene: Scene) -> Canvas:
    """Draw the welcome screen."""
    canvas = Canvas(scene.width, scene.height)
    wide = len(_KINGS) * (COMPACT.width + 1) - 1
    top = max((scene.height - 18) // 3, 0)
    for at, king in enumerate(_KINGS):
        drawn = face(king, COMPACT, scene.ui.look, dress(scene.ui.look))
        canvas.paste((scene.width - wide) // 2 + at * (COMPACT.width + 1), top, drawn)
    name = tell("Kings in the Corner")
    canvas.put((scene.width - width_of(name)) // 2, top + 4, name, "class:heading")
    left = max((scene.width - 34) // 2, 0)
    for at, (key, text) in enumerate(_rows(scene.model)):
        y = top + 6 + at
        style = "class:row" if at == scene.ui.row % len(_rows(scene.model)) else ""
        shown = f"  {key.upper():<2} {fit(text, 28)}"
        canvas.put(left, y, shown.ljust(34), style)
        canvas.mark(left, y, 34, 1, OnRow(at))
    if scene.ui.note:
        canvas.put(1, scene.height - 2, scene.ui.note, "class:note")
    offered = [
        ("", "↑↓", tell("choose")),
        ("enter", "Enter", tell("go")),
        ("o", "O", tell("settings")),
    ]
    offered += [("?", "?", tell("help")), ("q", "Q", tell("quit"))]
    canvas.paste(0, scene.height - 1, keys(offered, scene.width))
    return canvas


def _rows(model: Model) -> list[tuple[str, str]]:
    known = [
        (str(at), f"{recent.name or tell('server')}, {recent.address}")
        for at, recent in enumerate(model.recent[:_RECENT], 1)
    ]
    return [*((key, tell(text)) for key, text, _ in _CHOICES), *known]


def press_welcome(scene: Scene, key: str) -> Step:
    """Return what a key leads to on the welcome screen."""
    rows = _rows(scene.model)
    row = scene.ui.row % len(rows)
    if key in ("up", "down", "tab", "s-tab"):
        step = 1 if key in ("down", "tab") else -1
        return scene.to(row=(row + step) % len(rows), note="")
    if key == "enter":
        key = rows[row][0]
    if key in ("q", "escape"):
        return scene.to(Quit()) if key == "q" else scene.to(note="")
    if key == "m":
        return scene.to(ShowMatches(), row=0, note="")
    for choice, _, kind in _CHOICES:
        if key == choice and kind is not None:
            return scene.to(form=open_form(kind, scene.model), note="")
    if key.isdecimal() and 0 < int(key) <= len(scene.model.recent[:_RECENT]):
        recent = scene.model.recent[int(key) - 1]
        return scene.to(StartJoin(recent.address, scene.model.name or tell("Player")), note="")
    return scene.to()


def click_welcome(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to on the welcome screen."""
    match spot:
        case OnRow(row):
            return press_welcome(scene, _rows(scene.model)[row][0])
        case OnKey(key):
            return press_welcome(scene, key)
    return scene.to()


def draw_entering(scene: Scene) -> Canvas:
    """Draw what is known while a server is being reached."""
    canvas = Canvas(scene.width, scene.height)
    link = scene.model.link
    state = connection(link, scene.now, scene.ui.look)
    canvas.paste(0, 0, title(tell("Kings in the Corner"), (), state, scene.width))
    closed = link.state == Linked.CLOSED
    place = tell(link.address or later("the game's own server"))
    doing = later("Not connected to {place}") if closed else later("Going to {place}")
    width = min(scene.width - 4, 60)
    left, y = (scene.width - width) // 2, max(scene.height // 2 - 3, 1)
    if scene.model.unfinished is not None:
        return _draw_unfinished(scene, canvas, scene.model.unfinished.name)
    canvas.put(left, y, fit(tell(doing, place=place), width), "class:title")
    for at, line in enumerate(wrap(trouble(link), width)[:4], y + 2):
        canvas.put(left, at, line, "class:bad" if closed else "class:away")
    canvas.paste(0, scene.height - 1, keys(_entering_keys(link.state), scene.width))
    return canvas


def _draw_unfinished(scene: Scene, canvas: Canvas, name: str) -> Canvas:
    """Ask whether the match of an earlier run goes on."""
    width = min(scene.width - 4, 60)
    left, y = (scene.width - width) // 2, max(scene.height // 2 - 3, 1)
    canvas.put(
        left, y, fit(tell("A match waits for you at {name}.", name=name), width), "class:title"
    )
    for at, line in enumerate(
        wrap(tell("Go on with it, or give it up and begin anew?"), width), y + 2
    ):
        canvas.put(left, at, line)
    answers = [
        ("enter", "Enter", tell("go on")),
        ("n", "N", tell("begin anew")),
        ("q", "Q", tell("quit")),
    ]
    canvas.paste(0, scene.height - 1, keys(answers, scene.width))
    return canvas


def _entering_keys(state: Linked) -> list[tuple[str, str, str]]:
    retry = [] if state == Linked.CONNECTING else [("r", "R", tell("try again now"))]
    return [*retry, ("escape", "Esc", tell("back")), ("q", "Q", tell("quit"))]


def press_entering(scene: Scene, key: str) -> Step:
    """Return what a key leads to while a server is being reached."""
    unfinished = scene.model.unfinished
    match key:
        case "enter" if unfinished is not None:
            return scene.to(ComeBack(unfinished.table), note="")
        case "n" if unfinished is not None:
            return scene.to(BeginAnew(), note="")
        case "escape":
            return scene.to(ToWelcome(), note="")
        case "r" | "enter":
            return scene.to(RetryNow(), note="")
        case "q":
            return scene.to(Quit())
    return scene.to()


def click_entering(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to while a server is being reached."""
    return press_entering(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
