"""The settings, changed where the table is still in sight, and in force at once."""

from typing import Final

from attrs import evolve

from kings_client.intents import Seek
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, fit, pad
from kings_client.parts.panel import frame
from kings_client.screens.state import Scene, Step
from kings_client.settings import CHOICES, Settings, changed, look_of
from kings_client.words.settings import about, label, value
from kings_client.words.tongue import tell

_NAMES: Final = tuple(CHOICES)
_WIDTH: Final = 66
_VALUE: Final = 28
"""The column of the values."""


def draw(scene: Scene) -> Canvas:
    """Draw the list of settings, with a line about the one under the cursor."""
    room = max(scene.height - 10, 1)
    shown = min(len(_NAMES), room)
    first = min(max(_row(scene) - shown + 1, 0), len(_NAMES) - shown)
    box = frame(
        min(_WIDTH, scene.width), shown + 4, tell("settings"), scene.ui.look, tell("Esc closes")
    )
    for y, at in enumerate(range(first, first + shown), 1):
        name, here = _NAMES[at], at == _row(scene)
        chosen = value(name, getattr(scene.ui.settings, name))
        box.put(1, y, pad(f" {label(name)}", _VALUE - 1), "class:title" if here else "")
        shown_value = f"← {chosen} →" if here else f"  {chosen}"
        shown_value = fit(shown_value, box.width - _VALUE - 1)
        box.put(_VALUE, y, shown_value, "class:chosen" if here else "")
        box.mark(1, y, box.width - 2, 1, OnRow(at))
    box.put(2, shown + 1, fit(about(_NAMES[_row(scene)]), box.width - 3), "class:dim")
    hint = tell("↑↓ choose   ←→ change")
    box.put(2, shown + 2, hint, "class:label")
    if first + shown < len(_NAMES):
        box.put(box.width - 9, shown + 2, tell("↓ more"), "class:label")
    box.mark(box.width - 14, 0, 14, 1, OnKey("escape"))
    return box


def _row(scene: Scene) -> int:
    return scene.ui.setting % len(_NAMES)


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to while the settings are open."""
    match key:
        case "escape" | "o" | "q":
            return scene.to(overlay=None)
        case "up" | "s-tab":
            return scene.to(setting=(_row(scene) - 1) % len(_NAMES))
        case "down" | "tab":
            return scene.to(setting=(_row(scene) + 1) % len(_NAMES))
        case "left":
            return _changed(scene, -1)
        case "right" | "enter" | " ":
            return _changed(scene, 1)
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to: another row, or the next value of the one chosen."""
    match spot:
        case OnKey(key):
            return press(scene, key)
        case OnRow(row) if row == _row(scene):
            return press(scene, "right")
        case OnRow(row):
            return scene.to(setting=row)
    return scene.to()


def _changed(scene: Scene, step: int) -> Step:
    return adopt(scene, changed(scene.ui.settings, _NAMES[_row(scene)], step))


def adopt(scene: Scene, settings: Settings) -> Step:
    """Return a step to other settings, with what follows from them."""
    ui, selection = scene.ui, scene.ui.selection
    order = evolve(selection.order, sorting=settings.sorting)
    if settings.sorting != ui.settings.sorting or settings.rearranging == "off":
        order = evolve(order, by_hand=())
    intents: tuple[Seek, ...] = ()
    if settings.discovery != ui.settings.discovery:
        intents = (Seek(settings.discovery == "on"),)
    return scene.to(
        *intents,
        settings=settings,
        look=look_of(settings, plain=ui.plain, colourless=ui.colourless),
        selection=evolve(selection, order=order),
    )
