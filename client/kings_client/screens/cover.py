"""The cover between two people at one keyboard: it shows what everybody may know, and no hand."""

from typing import Final

from kings_client.intents import LiftCover
from kings_client.parts.bars import title
from kings_client.parts.canvas import Canvas, OnKey, Spot, width_of, wrap
from kings_client.parts.panel import button, frame, put_row, row_width
from kings_client.screens.board import draw_board, draw_title
from kings_client.screens.foot import draw_foot
from kings_client.screens.reduced import FULL
from kings_client.screens.state import Scene, Step
from kings_client.words.people import name_of
from kings_client.words.tongue import later, tell
from kings_engine.view import View
from kings_protocol.messages import TableState

GRACE_SECONDS: Final = 0.5
"""A key within this time was meant for what the cover came down over."""

_WIDTH: Final = 44
_KEYS: Final = [
    ("enter", "Enter", later("lift the cover")),
    ("s", "S", later("scores")),
    ("?", "?", later("help")),
    ("q", "Q", later("quit")),
]


def draw(scene: Scene) -> Canvas:
    """Draw the cover over the table."""
    canvas = Canvas(scene.width, scene.height)
    table, view, cover = scene.model.table, scene.model.view, scene.model.cover
    if table is None or view is None or cover is None:
        return canvas
    if scene.width >= FULL[0] and scene.height >= FULL[1]:
        canvas.paste(0, 0, draw_board(scene, table, View(view.public, None)))
        canvas.regions.clear()
    canvas.paste(0, 0, _title(scene, table))
    box = _box(scene, cover.name)
    room = canvas.height - 3 - box.height
    canvas.paste(max((canvas.width - box.width) // 2, 0), 1 + max(room // 2, 0), box)
    canvas.fill(0, canvas.height - 2, canvas.width, 2, "")
    turn = view.public.turn
    whose = "" if turn is None else tell("It is {who}'s turn", who=name_of(table, turn))
    offered = [(key, shown, tell(does)) for key, shown, does in _KEYS]
    draw_foot(canvas, scene, ("class:dim", whose), offered)
    return canvas


def _title(scene: Scene, table: TableState) -> Canvas:
    if scene.width >= FULL[0]:
        return draw_title(scene)
    return title(table.name, (), (), scene.width)


def _box(scene: Scene, name: str) -> Canvas:
    width = min(_WIDTH, scene.width)
    lines = wrap(tell("Pass the keyboard to {name}.", name=name), width - 4)
    lines += wrap(tell("The others look away; Enter when you are ready."), width - 4)
    box = frame(width, len(lines) + 6, "", scene.ui.look)
    for y, line in enumerate(lines, 2):
        style = "class:heading" if y == 2 else ""
        box.put(max((width - width_of(line)) // 2, 1), y, line, style)
    row = button("Enter", tell("I am {name}", name=name))
    x = max((width - row_width(row)) // 2, 1)
    put_row(box, x, len(lines) + 3, row, width - 2 - x)
    box.mark(x, len(lines) + 3, row_width(row), 1, OnKey("enter"))
    return box


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to under the cover."""
    cover = scene.model.cover
    lifts = key in ("enter", " ") and cover is not None
    if cover is None or not lifts or scene.now - cover.since < GRACE_SECONDS:
        return scene.to()
    return scene.to(LiftCover(cover.seat), note="")


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to under the cover."""
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
