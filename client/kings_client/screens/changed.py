"""The warning that fills the screen where another certificate is found than the one known.

Until the person has typed the end of the new code, nothing is sent to the server: whoever reads the
code aloud and compares it has it at hand, and nobody gets there by pressing Enter once too often.
"""

from kings_client.intents import Quit, ToWelcome
from kings_client.parts.bars import connection, keys, title
from kings_client.parts.canvas import Canvas, OnKey, Spot, wrap
from kings_client.parts.panel import frame
from kings_client.screens.forms import open_form
from kings_client.screens.state import Scene, Step
from kings_client.words.security import warned
from kings_client.words.tongue import tell

_WIDE = 66
"""Columns of the warning, at most."""


def draw(scene: Scene) -> Canvas:
    """Draw the warning."""
    canvas = Canvas(scene.width, scene.height)
    link = scene.model.link
    state = connection(link, scene.now, scene.ui.look)
    canvas.paste(0, 0, title(link.address, (), state, scene.width))
    if link.change is None:
        return canvas
    width = min(scene.width, _WIDE)
    first, *more = warned(link.reason)
    told = [line for text in more for line in (*wrap(text, width - 6), "")]
    codes = ((tell("known"), link.change.known), (tell("found"), link.change.found))
    box = frame(width, min(len(told) + 8, scene.height - 2), tell("warning"), scene.ui.look)
    y = 2
    for line in wrap(first, width - 6):
        box.put(3, y, line, "class:bad")
        y += 1
    for name, code in codes:
        box.put(3, y, f"{name:<10}", "class:label")
        box.put(14, y, code, "class:bad" if code == link.change.found else "")
        y += 1
    for at, line in enumerate(told[: max(box.height - y - 2, 0)], y + 1):
        box.put(3, at, line)
    left = (scene.width - width) // 2
    canvas.paste(left, max((scene.height - 1 - box.height) // 2, 1), box)
    offered = [
        ("escape", "Esc", tell("leave it alone")),
        ("a", "A", tell("accept the new code")),
        ("q", "Q", tell("quit")),
    ]
    canvas.paste(0, scene.height - 1, keys(offered, scene.width))
    return canvas


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to."""
    change = scene.model.link.change
    match key:
        case "escape":
            return scene.to(ToWelcome(), note="")
        case "a" if change is not None:
            return scene.to(form=open_form("accept", scene.model, change.found), note="")
        case "q":
            return scene.to(Quit())
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to."""
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
