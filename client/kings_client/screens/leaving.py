"""The question before quitting: what becomes of the seat, and of a server of one's own."""

from kings_client.intents import Leave, Quit
from kings_client.parts.canvas import Canvas, OnKey, wrap
from kings_client.parts.panel import button, frame, put_row, row_width
from kings_client.screens.state import Scene, Step
from kings_client.session import HERE
from kings_client.words.tongue import tell, tell_some

_WIDTH = 64


def draw(scene: Scene) -> Canvas:
    """Draw the question with its answers, each of which can be clicked."""
    choices = _choices(scene)
    buttons = [button(shown, label) for _, shown, label in choices]
    side_by_side = sum(map(row_width, buttons)) + 2 * len(buttons) + 2
    width = min(max(side_by_side, _WIDTH), scene.width)
    lines = wrap(_question(scene), width - 4)
    rows = 1 if side_by_side <= width else len(buttons)
    box = frame(width, len(lines) + 3 + rows, tell("quit"), scene.ui.look)
    for y, line in enumerate(lines, 1):
        box.put(2, y, line)
    x, y = 2, len(lines) + 2
    for row, (key, _, _) in zip(buttons, choices, strict=True):
        put_row(box, x, y, row)
        box.mark(x, y, row_width(row), 1, OnKey(key))
        x, y = (x + row_width(row) + 2, y) if rows == 1 else (x, y + 1)
    return box


def _question(scene: Scene) -> str:
    model = scene.model
    if asked_about_server(scene) and model.where != "table":
        return tell(
            "Quit the game? People have seats on your server: stop it, or leave it running?"
        )
    if asked_about_server(scene):
        return tell_some(
            "Quit the game? {count} other player is at your table: stop the server, or leave it "
            "running?",
            "Quit the game? {count} other players are at your table: stop the server, or leave "
            "it running?",
            model.others,
        )
    if model.hosting is not None:
        return tell("Quit the game? Nobody else is at your table, so the server stops with it.")
    if model.where == "table" and model.seated:
        if not model.keeps:
            return tell("Quit the game? Nothing of the match is kept.")
        if model.link.address == HERE:
            return tell("Quit the game? The match waits until you play again; L gives it up.")
        return tell("Quit the game? Your seat is kept for you for a while; L gives it up for good.")
    return tell("Quit the game?")


def asked_about_server(scene: Scene) -> bool:
    """Say whether others still play on the server that this client started."""
    return scene.model.guests > 0


def _choices(scene: Scene) -> list[tuple[str, str, str]]:
    if asked_about_server(scene):
        return [
            ("enter", "Enter", tell("Leave it")),
            ("s", "S", tell("Stop it")),
            ("escape", "Esc", tell("Stay")),
        ]
    leave = [("l", "L", tell("Leave the table"))] if scene.model.where == "table" else []
    return [("enter", "Enter", tell("Quit")), *leave, ("escape", "Esc", tell("Stay"))]


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to while the question is asked."""
    match key:
        case "enter" | "q" | "y" | "c-c":
            return scene.to(Quit(stop_server=False))
        case "s" if asked_about_server(scene):
            return scene.to(Quit(stop_server=True))
        case "l" if scene.model.where == "table":
            return scene.to(Leave(), overlay=None)
        case "escape" | "n":
            return scene.to(overlay=None)
    return scene.to()
