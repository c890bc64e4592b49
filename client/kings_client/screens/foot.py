"""The status line: the line of chat being written, or what is to be said about the moment."""

from kings_client.model import Linked
from kings_client.parts.bars import trouble
from kings_client.parts.canvas import Canvas, fit
from kings_client.screens.draft import draw_draft
from kings_client.screens.knowing import online
from kings_client.screens.state import Scene
from kings_client.words.refusals import refusal


def draw_foot(
    canvas: Canvas, scene: Scene, otherwise: tuple[str, str], room: int | None = None
) -> None:
    """Draw the status line into the last row but one.

    Args:
        canvas: the screen's picture.
        scene: what is known.
        otherwise: style and text for when nothing more urgent is to be said.
        room: columns, where not the whole row is free.
    """
    row = canvas.height - 2
    if scene.ui.line is not None:
        canvas.put(1, row, "say:", "class:key")
        canvas.paste(6, row, draw_draft(scene.ui.line, canvas.width - 8, "class:field"))
        return
    style, text = urgent(scene) or otherwise
    canvas.put(1, row, fit(text, canvas.width - 2 if room is None else room), style)


def urgent(scene: Scene) -> tuple[str, str] | None:
    """Return what goes before everything else: no connection, an answer to a key, a refusal."""
    model = scene.model
    if not online(model):
        why = trouble(model.link)
        then = "R tries again, Q quits" if model.link.state == Linked.CLOSED else "R tries now"
        return "class:away", f"no connection{': ' + why if why else ''}; {then}"
    if scene.ui.note:
        return "class:note", scene.ui.note
    if model.refusal is not None and model.refusal.re != scene.ui.dismissed:
        return "class:note", refusal(model.refusal)
    return None
