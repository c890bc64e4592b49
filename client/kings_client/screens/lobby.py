"""The lobby: the tables of a server, which change while one looks."""

from typing import Final

from kings_client.intents import BrowsePage, ComeBack, Join, ToWelcome, Watch
from kings_client.model import Kept, Lobby, Model
from kings_client.parts.bars import connection, joins_at, title
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, fit, pad, width_of, wrap
from kings_client.parts.panel import Row, frame
from kings_client.screens.foot import draw_foot
from kings_client.screens.forms import open_form
from kings_client.screens.knowing import online
from kings_client.screens.state import Scene, Step
from kings_client.session import HERE
from kings_client.words import counts
from kings_client.words.fairness import owed
from kings_client.words.notices import announcement
from kings_client.words.reasons import unseated
from kings_client.words.security import known_as
from kings_client.words.spoken_table import PHASES
from kings_client.words.tongue import later, tell
from kings_protocol.messages import TableLine

_WIDE: Final = 76
"""Columns from which everything is told of a table."""


def draw(scene: Scene) -> Canvas:
    """Draw the lobby."""
    model, look = scene.model, scene.ui.look
    canvas = Canvas(scene.width, scene.height)
    state = connection(model.link, scene.now, look)
    canvas.paste(
        0,
        0,
        title(
            tell("{server} · lobby", server=model.server_name or tell("server")),
            joins_at(model.hosting) or _code(model),
            state,
            scene.width,
        ),
    )
    told = wrap(announcement(model.announced), scene.width - 2) if model.announced else []
    security = model.link.security
    if security is not None and security.how in ("first", "plain"):
        told = [*wrap(known_as(security), scene.width - 2), *told]
    for y, line in enumerate(told, 1):
        canvas.put(1, y, line, "class:note")
    top = 1 + len(told)
    height = scene.height - 2 - top
    lobby = model.lobby
    pages = (
        tell("page {page} of {pages}", page=lobby.page + 1, pages=max(lobby.pages, 1))
        if lobby is not None
        else ""
    )
    box = frame(scene.width, height, tell("tables"), look, pages)
    if lobby is None:
        box.put(3, 2, tell("asking for the tables…"), "class:dim")
    elif not _rows(model):
        box.put(3, 2, tell("No table yet."), "class:title")
        others = model.link.address != HERE or model.hosting is not None
        makes = later("Press N to make one; others will see it here at once.")
        box.put(3, 3, tell(makes if others else later("Press N to make one.")), "class:dim")
    rows = _rows(model)
    chosen = min(scene.ui.row, max(len(rows) - 1, 0))
    if rows:
        box.put(
            1,
            1,
            _columns(tell("table"), tell("rules"), tell("seats"), "", "", scene.width - 4),
            "class:label",
        )
    first = max(chosen - (height - 4), 0)
    for y, at in enumerate(range(first, min(len(rows), first + height - 3)), 2):
        style = "class:row" if at == chosen else ""
        box.put(1, y, pad(_line(rows[at], scene.width - 4), scene.width - 2), style)
        box.mark(1, y, scene.width - 2, 1, OnRow(at))
    canvas.paste(0, top, box)
    draw_foot(canvas, scene, _status(scene, rows[chosen] if rows else None), _keys(lobby))
    return canvas


def _code(model: Model) -> Row:
    security = model.link.security
    return (("class:dim", security.code),) if security is not None and security.code else ()


def _keys(lobby: Lobby | None) -> list[tuple[str, str, str]]:
    several = lobby is not None and lobby.pages > 1
    pages = [("pagedown", "PgUp PgDn", tell("pages"))] if several else []
    return [
        ("", "↑↓", tell("choose")),
        ("enter", "Enter", tell("join")),
        ("w", "W", tell("watch")),
        ("n", "N", tell("new table")),
        *pages,
        ("escape", "Esc", tell("leave")),
        ("?", "?", tell("help")),
        ("q", "Q", tell("quit")),
    ]


def _rows(model: Model) -> list[Kept | TableLine]:
    """Return the lines: seats that can be taken back, then the tables."""
    tables = model.lobby.tables if isinstance(model.lobby, Lobby) else ()
    return [*model.kept, *tables]


def _line(row: Kept | TableLine, width: int) -> str:
    if isinstance(row, Kept):
        name = fit(row.name, width // 3)
        return pad(" " + tell("your seat at {name}: Enter takes it back", name=name), width)
    marks = tell("password") if row.locked else ""
    rules = (
        tell("{preset}, changed", preset=row.preset)
        if set(row.changed) - {"players"}
        else row.preset
    )
    seats = f"{row.people + row.bots}/{row.seats}"
    if row.bots:
        seats += f" ({counts.bots(row.bots)})"
    return _columns(row.name, rules, seats, tell(PHASES[row.phase]), marks, width)


def _columns(name: str, rules: str, seats: str, phase: str, marks: str, width: int) -> str:
    """Lay out a line; where there is not room for everything, what hinders one goes before."""
    if width < _WIDE:
        room = width - 42
        parts = (
            pad(f" {name}", _name_width(width)),
            pad(rules, room),
            pad(seats, 12),
            marks or phase,
        )
        return fit(" ".join(parts if room > 0 else (parts[0], *parts[2:])), width)
    named = pad(f" {name}", _name_width(width))
    return " ".join((named, pad(rules, 22), pad(seats, 12), pad(phase, 18), marks))


def _name_width(width: int) -> int:
    """Return the columns of a table's name in a line of so many."""
    return max(width - 64, 14)


def _status(scene: Scene, row: Kept | TableLine | None) -> tuple[str, str]:
    model = scene.model
    if model.owed is not None or model.unseated is not None:
        why = "" if model.unseated is None else unseated(model.unseated)
        deck = "" if model.owed is None else owed(model.owed)
        return "class:away", "; ".join(filter(None, (deck, why)))
    if isinstance(row, TableLine):
        cut = width_of(row.name) >= _name_width(scene.width - 4)
        host = tell("made by {host}", host=row.host) if row.host else ""
        changed = ", ".join(f"{name} {value}" for name, value in row.changed.items())
        watchers = counts.spectators(row.watchers) if row.watchers else ""
        return "class:dim", " · ".join(
            filter(None, (row.name if cut else "", host, changed, watchers))
        )
    return "", ""


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to in the lobby."""
    rows = _rows(scene.model)
    row = min(scene.ui.row, max(len(rows) - 1, 0))
    match key:
        case "up" | "down":
            moved = row + (1 if key == "down" else -1)
            return scene.to(row=min(max(moved, 0), max(len(rows) - 1, 0)), note="")
        case "pageup" | "pagedown":
            return _turned(scene, 1 if key == "pagedown" else -1)
        case "enter" if rows:
            return _entered(scene, rows[row])
        case "w" if rows:
            return _watched(scene, rows[row])
        case "n" | "m":
            return scene.to(form=open_form("make", scene.model), note="")
        case "escape":
            return scene.to(ToWelcome(), row=0, note="")
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to: a line is chosen, and entered by a second click."""
    match spot:
        case OnKey(key):
            return press(scene, key)
        case OnRow(row) if row == scene.ui.row:
            return press(scene, "enter")
        case OnRow(row):
            return scene.to(row=row, note="")
    return scene.to()


def _turned(scene: Scene, step: int) -> Step:
    lobby = scene.model.lobby
    if lobby is None or not 0 <= lobby.page + step < lobby.pages:
        return scene.say(tell("there are no more tables in that direction"))
    return scene.to(BrowsePage(lobby.page + step), row=0, note="")


def _entered(scene: Scene, row: Kept | TableLine) -> Step:
    if not online(scene.model):
        return scene.say(tell("there is no connection; nothing was sent"))
    if isinstance(row, Kept):
        return scene.to(ComeBack(row.table), note="")
    if row.locked:
        return scene.to(form=open_form("join_locked", scene.model, row.table), note="")
    return scene.to(Join(row.table), note="")


def _watched(scene: Scene, row: Kept | TableLine) -> Step:
    if isinstance(row, Kept):
        return scene.say(tell("you have a seat there: Enter takes it back"))
    if not row.watchable:
        return scene.say(tell("that table takes no spectators"))
    if row.locked:
        return scene.to(form=open_form("watch_locked", scene.model, row.table), note="")
    return scene.to(Watch(row.table), note="")
