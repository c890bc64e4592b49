"""The welcome screen, and the one on the way to a server."""

from typing import Final

from attrs import frozen

from kings_client.intents import (
    BeginAnew,
    ComeBack,
    Quit,
    RetryNow,
    ShowMatches,
    StartJoin,
    ToWelcome,
)
from kings_client.model import Linked, LinkState, Recent
from kings_client.parts.bars import connection, keys, title, trouble
from kings_client.parts.canvas import Canvas, OnKey, OnRow, OnServer, Spot, fit, pad, width_of, wrap
from kings_client.parts.cards import COMPACT, dress, face
from kings_client.screens.forms import open_form
from kings_client.screens.servers import draw_servers
from kings_client.screens.state import FormKind, Scene, Step
from kings_client.search import Found
from kings_client.words.security import to_compare
from kings_client.words.servers import more
from kings_client.words.tongue import all_of, later, tell
from kings_engine.cards import parse_card

_KINGS = tuple(parse_card(name) for name in ("KS", "KH", "KC", "KD"))

_CHOICES: Final[tuple[tuple[str, str, FormKind | None], ...]] = (
    ("p", later("Play against the computer"), "play"),
    ("h", later("Host a table for others"), "host"),
    ("j", later("Join a server"), "join"),
    ("m", later("Matches played"), None),
    ("q", later("Quit"), None),
)
_RECENT: Final = 5
"""Servers visited before that are listed."""

_MENU: Final = 34
"""Columns of the menu, and of the servers visited before."""

_TEXT: Final = _MENU - 6
"""Columns of what stands in one of their rows, after its key."""

_BESIDE: Final = 2 * _MENU + 4
"""Columns from which these stand beside the menu, and not below it."""

_KINGS_FROM: Final = 23
"""Rows from which there is room for four kings above the menu."""

_LEAST, _MOST = 4, 16
"""Rows of the list of servers on the network."""


_JOIN: Final = 2
"""The row of the menu where the cursor goes when the server that it was on is gone."""


@frozen
class _Layout:
    """Where the parts of the welcome screen begin.

    Attributes:
        top: the row of the heading.
        recent: how many of the servers visited before have room.
        beside: whether they stand beside the menu.
        servers: the first row of the list of servers on the network.
        height: its rows.
    """

    top: int
    recent: int
    beside: bool
    servers: int
    height: int


def _layout(scene: Scene) -> _Layout:
    room = scene.height - 2
    head = 4 if scene.height >= _KINGS_FROM else 0
    menu = head + 2 + len(_CHOICES)
    beside = scene.width >= _BESIDE
    recent = min(len(scene.model.recent), _RECENT)
    if not beside:
        kept = 0 if scene.model.search is None else _LEAST + 1
        recent = max(min(recent, room - menu - kept), 0)
    below = menu + (0 if beside else recent)
    height = 0 if scene.model.search is None else min(room - below - 1, _MOST)
    top = max((room - below - height - 1) // 3, 0)
    return _Layout(top + head, recent, beside, top + below + 1, max(height, 0))


def draw_welcome(scene: Scene) -> Canvas:
    """Draw the welcome screen."""
    canvas = Canvas(scene.width, scene.height)
    layout, found = _layout(scene), _chosen(scene)
    if scene.height >= _KINGS_FROM:
        wide = len(_KINGS) * (COMPACT.width + 1) - 1
        for at, king in enumerate(_KINGS):
            drawn = face(king, COMPACT, scene.ui.look, dress(scene.ui.look))
            x = (scene.width - wide) // 2 + at * (COMPACT.width + 1)
            canvas.paste(x, layout.top - 4, drawn)
    name = tell("Kings in the Corner")
    canvas.put((scene.width - width_of(name)) // 2, layout.top, name, "class:heading")
    _draw_rows(canvas, scene, layout)
    search = scene.model.search
    if search is not None and layout.height >= _LEAST:
        width = min(scene.width - 2, _BESIDE + 6)
        drawn = draw_servers(search, width, layout.height, found, scene.ui.look)
        canvas.paste((scene.width - width) // 2, layout.servers, drawn)
    style, text = "class:note", scene.ui.note
    if not text and found is not None:
        style, text = "class:dim", more(found)
    elif not text and (whole := _chosen_visited(scene)):
        style, text = "class:dim", whole
    elif not text and scene.model.company:
        here = all_of((scene.model.name, *scene.model.company))
        style, text = "class:dim", tell("At this keyboard: {names}", names=here)
    canvas.put(1, scene.height - 2, fit(text, scene.width - 2), style)
    offered = [
        ("", "↑↓", tell("choose")),
        ("enter", "Enter", tell("go")),
        ("o", "O", tell("settings")),
    ]
    offered += [("?", "?", tell("help")), ("q", "Q", tell("quit"))]
    canvas.paste(0, scene.height - 1, keys(offered, scene.width))
    return canvas


def _draw_rows(canvas: Canvas, scene: Scene, layout: _Layout) -> None:
    """Draw the menu, and the servers visited before."""
    rows = _rows(scene)
    beside = layout.beside and layout.recent > 0
    left = max((scene.width - (_BESIDE if beside else _MENU)) // 2, 0)
    chosen = -1 if _chosen(scene) is not None else scene.ui.row % len(rows)
    for at, (key, text) in enumerate(rows):
        x, y = left, layout.top + 2 + at
        if beside and at >= len(_CHOICES):
            x, y = left + _MENU + 4, y - len(_CHOICES)
        shown = pad(f"  {key.upper():<2} {fit(text, _TEXT)}", _MENU)
        canvas.put(x, y, shown, "class:row" if at == chosen else "")
        canvas.mark(x, y, _MENU, 1, OnRow(at))


def _rows(scene: Scene) -> list[tuple[str, str]]:
    """Return the key and the text of each row of the menu, and of each server visited before."""
    known = [
        (str(at), _visited(recent, _TEXT))
        for at, recent in enumerate(scene.model.recent[: _layout(scene).recent], 1)
    ]
    return [*((key, tell(text)) for key, text, _ in _CHOICES), *known]


def _visited(recent: Recent, room: int) -> str:
    """Return the name and the address of a server visited before; the name yields first."""
    name = fit(recent.name or tell("server"), room - width_of(recent.address) - 2)
    return fit(f"{name}, {recent.address}" if name else recent.address, room)


def _chosen_visited(scene: Scene) -> str:
    """Return all of the name and the address under the cursor, where the row has them cut."""
    at = scene.ui.row % len(_rows(scene)) - len(_CHOICES)
    if at < 0 or _chosen(scene) is not None:
        return ""
    whole = _visited(scene.model.recent[at], scene.width - 2)
    return whole if width_of(whole) > _TEXT else ""


def _servers(scene: Scene) -> tuple[Found, ...]:
    return () if scene.model.search is None else scene.model.search.servers


def _chosen(scene: Scene) -> Found | None:
    """Return the server on the network that the cursor is on, if it is on one.

    The cursor stays on it whatever becomes of the list: nobody goes to another server because the
    list changed under their fingers.
    """
    return next((one for one in _servers(scene) if one.number == scene.ui.server), None)


def _moved(scene: Scene, step: int) -> Step:
    """Return a step of the cursor, through the menu and then through the servers."""
    rows, servers = len(_rows(scene)), _servers(scene)
    found = _chosen(scene)
    at = scene.ui.row % rows if found is None else rows + servers.index(found)
    at = (at + step) % (rows + len(servers))
    if at < rows:
        return scene.to(row=at, server=None, note="")
    return scene.to(row=_JOIN, server=servers[at - rows].number, note="")


def _joined(scene: Scene, address: str) -> Step:
    model = scene.model
    return scene.to(StartJoin(address, model.name or tell("Player"), model.company), note="")


def press_welcome(scene: Scene, key: str) -> Step:
    """Return what a key leads to on the welcome screen."""
    rows, found = _rows(scene), _chosen(scene)
    if key in ("up", "down", "tab", "s-tab"):
        return _moved(scene, 1 if key in ("down", "tab") else -1)
    if key == "enter" and found is not None:
        return _joined(scene, found.address)
    if key == "enter":
        key = rows[scene.ui.row % len(rows)][0]
    if key in ("q", "escape"):
        return scene.to(Quit()) if key == "q" else scene.to(note="")
    if key == "m":
        return scene.to(ShowMatches(), row=0, note="")
    for choice, _, kind in _CHOICES:
        if key == choice and kind is not None:
            form = open_form(kind, scene.model, typed=scene.ui.typed)
            return scene.to(form=form, note="")
    if key.isdecimal() and 0 < int(key) <= len(scene.model.recent[:_RECENT]):
        return _joined(scene, scene.model.recent[int(key) - 1].address)
    return scene.to()


def click_welcome(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to; a server on the network is chosen first, then gone to."""
    match spot:
        case OnRow(row):
            return press_welcome(scene, _rows(scene)[row][0])
        case OnServer(number) if number == scene.ui.server:
            return press_welcome(scene, "enter")
        case OnServer(number):
            return scene.to(row=_JOIN, server=number, note="")
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
    for at, line in enumerate(wrap(to_compare(link), scene.width - 2) if closed else (), 1):
        canvas.put(1, at, line, "class:note")
    for at, line in enumerate(wrap(trouble(link), width)[:4], y + 2):
        canvas.put(left, at, line, "class:bad" if closed else "class:away")
    canvas.paste(0, scene.height - 1, keys(_entering_keys(link), scene.width))
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


def _entering_keys(link: LinkState) -> list[tuple[str, str, str]]:
    retry = [] if link.state == Linked.CONNECTING else [("r", "R", tell("try again now"))]
    if link.wants_password:
        retry = [("enter", "Enter", tell("give the password"))]
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
        case "r" | "enter" if scene.model.link.wants_password:
            return scene.to(form=open_form("enter", scene.model), note="")
        case "r" | "enter":
            return scene.to(RetryNow(), note="")
        case "q":
            return scene.to(Quit())
    return scene.to()


def click_entering(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to while a server is being reached."""
    return press_entering(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
