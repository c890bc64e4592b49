"""The status line: the line of chat being written, or what is to be said about the moment."""

from collections.abc import Sequence

from kings_client.model import Linked
from kings_client.parts.bars import keys, trouble
from kings_client.parts.canvas import Canvas, pad, wrap
from kings_client.screens.draft import draw_draft
from kings_client.screens.knowing import online
from kings_client.screens.presence import presence
from kings_client.screens.state import Scene
from kings_client.words.refusals import refusal
from kings_client.words.spoken import capital
from kings_client.words.tongue import tell


def draw_foot(
    canvas: Canvas,
    scene: Scene,
    otherwise: tuple[str, str],
    offered: Sequence[tuple[str, str, str]],
    room: int | None = None,
) -> None:
    """Draw the last two rows: the status line and the line of keys.

    A sentence that is too long for its line takes that of the keys as well: a reason has to be
    readable whole.

    Args:
        canvas: the screen's picture.
        scene: what is known.
        otherwise: style and text for when nothing more urgent is to be said.
        offered: the keys, as ``keys`` takes them.
        room: columns of the status line, where not the whole row is free.
    """
    row = canvas.height - 2
    canvas.paste(0, row + 1, keys(offered, canvas.width))
    if scene.ui.line is not None:
        canvas.put(1, row, tell("say:"), "class:key")
        canvas.paste(6, row, draw_draft(scene.ui.line, canvas.width - 8, "class:field"))
        return
    style, text = status(scene, otherwise)
    width = canvas.width - 2 if room is None else room
    first, *more = wrap(text, width) or [""]
    canvas.put(1, row, first, style)
    if more:
        canvas.put(0, row + 1, pad(" " + " ".join(more), canvas.width), style)


def status(scene: Scene, otherwise: tuple[str, str]) -> tuple[str, str]:
    """Return the style and the text of the status line: ``otherwise``, if nothing is more urgent.

    A sentence begins with a capital wherever it comes from, and its line needs no full stop.
    """
    style, text = urgent(scene) or otherwise
    return style, capital(text.removesuffix("."))


def urgent(scene: Scene) -> tuple[str, str] | None:
    """Return what goes before everything else: no connection, an answer, a pause, a warning."""
    model = scene.model
    if not online(model):
        why = trouble(model.link)
        lost = tell("no connection: {why}", why=why) if why else tell("no connection")
        then = ""
        if model.link.state == Linked.CLOSED:
            then = tell("R tries again, Esc goes back")
        elif model.link.state == Linked.WAITING:
            then = tell("R tries now")
        return "class:away", "; ".join(filter(None, (lost, then)))
    if scene.ui.note:
        return "class:note", scene.ui.note
    if model.refusal is not None and model.refusal.re != scene.ui.dismissed:
        return "class:note", refusal(model.refusal)
    return presence(scene)
