"""What lies over the picture: the keys, the score sheet, and the question before quitting.

None of them hides the hand: a player on turn sees it all the time. In a small window it stands in
the last lines meanwhile.
"""

from typing import Final

from attrs import evolve

from kings_client.parts.canvas import Canvas, OnKey, Spot, pad, wrap
from kings_client.parts.panel import frame
from kings_client.parts.scores import score_sheet
from kings_client.screens import leaving, people, settings
from kings_client.screens.knowing import rules_of
from kings_client.screens.reduced import hand_left_in_sight
from kings_client.screens.state import Scene, Step
from kings_client.words import fairness
from kings_client.words.pages import rules_page
from kings_client.words.rules import summary
from kings_client.words.tongue import later, tell

_HELP: Final = (
    ("← →", later("along your cards; among the targets once something is picked")),
    ("N", later("to the next card that can be played")),
    ("Tab ↑", later("to the piles that can move, and on; arrows go across the table")),
    ("Enter", later("pick up; once more plays it to the marked place")),
    (later("1 to 9"), later("a place, as on a number pad: 7 is NW, 8 N, 9 NE, 4 W, 6 E …")),
    ("D", later("end your turn as the button says; a click on the stock does it too")),
    ("A", later("change how the hand is sorted; Shift and ← → move a card")),
    ("H R", later("a hint, where the table allows it; the rules of this table")),
    ("Esc", later("put back what you picked, close what is open")),
    (later("mouse"), later("click a card or pile, then its place; or drag it there")),
    ("/ S P", later("say something; the score sheet; the people: pause, vote, take out")),
    ("F", later("what is proved of the decks, and what is not")),
    ("O Q", later("settings: colours, cards, sorting; quit, after a question")),
)
_HELP_WIDTH: Final = 78
"""Columns from which each key has one line."""

_PAGE: Final = 76
"""Columns of a long page, at most."""

_LEGEND: Final = later(
    "A card goes on one a rank higher and of the other colour, nothing on an ace. A king opens an "
    "empty corner. A pile moves whole, by its bottom card."
)


def draw(scene: Scene, canvas: Canvas) -> None:
    """Draw what lies over the picture onto it."""
    drawn = {
        "help": _help,
        "sheet": _sheet,
        "quit": leaving.draw,
        "settings": settings.draw,
        "rules": _rules,
        "fair": _fair,
        "people": people.draw,
    }
    if scene.ui.overlay is None:
        return
    above = _above(scene)
    box = drawn[scene.ui.overlay](above)
    canvas.cursor = None
    room = above.height - 6 - box.height
    canvas.paste(max((scene.width - box.width) // 2, 0), max(room // 2, 0) + 1, box)
    canvas.paste(0, above.height, hand_left_in_sight(scene))


def _above(scene: Scene) -> Scene:
    """Return the scene without the lines that a hand takes meanwhile."""
    return evolve(scene, height=scene.height - hand_left_in_sight(scene).height)


def _help(scene: Scene) -> Canvas:
    if _turns(scene):
        return _turned(scene, tell("keys"))
    look, width = scene.ui.look, _HELP_WIDTH
    box = frame(width, len(_HELP) + 6, tell("keys"), look, tell("Esc closes"))
    for y, (key, does) in enumerate(_HELP, 1):
        box.put(2, y, tell(key), "class:key")
        box.put(10, y, tell(does))
    y = len(_HELP) + 1
    box.put(2, y, _marks(scene), "class:label")
    for at, line in enumerate(_reminder(scene, width - 4), y + 1):
        box.put(2, at, line, "class:dim")
    _close(box)
    return box


def _marks(scene: Scene) -> str:
    look = scene.ui.look
    return tell(
        "{playable} can be played or moved   {target} takes what is picked   {turn} on turn   "
        "{offline} away",
        playable=look.playable,
        target=look.target,
        turn=look.turn,
        offline=look.offline,
    )


def _reminder(scene: Scene, width: int) -> list[str]:
    """Return the lines below the keys: this table's rules, or before one those of all."""
    table = scene.model.table
    return wrap(tell(_LEGEND), width)[:3] if table is None else list(summary(rules_of(table))[:2])


def _turns(scene: Scene) -> bool:
    """Say whether what is open is a page of which a window shows a part."""
    narrow = scene.width < _HELP_WIDTH or scene.height < len(_HELP) + 7
    return scene.ui.overlay in ("rules", "fair") or (scene.ui.overlay == "help" and narrow)


def _page(scene: Scene, width: int) -> list[tuple[str, str]]:
    """Return the lines of the page that is open, each with its style, wrapped to ``width``."""
    if scene.ui.overlay == "help":
        return _help_page(scene, width)
    if scene.ui.overlay == "fair":
        return _fair_page(scene, width)
    table = scene.model.table
    lines: list[tuple[str, str]] = []
    for part in () if table is None else rules_page(rules_of(table)):
        lines += [("", "")] if lines else []
        lines.append(("class:heading", part.heading))
        for sentence in part.sentences:
            lines += [("", line) for line in wrap(sentence, width)]
    return lines


def _help_page(scene: Scene, width: int) -> list[tuple[str, str]]:
    lines = []
    for key, does in _HELP:
        first, *more = wrap(tell(does), width - 8)
        lines.append(("", pad(tell(key), 8) + first))
        lines += [("", " " * 8 + line) for line in more]
    lines += [("class:label", line) for line in wrap(_marks(scene), width)]
    reminder = " ".join(_reminder(scene, width))
    return [*lines, *(("class:dim", line) for line in wrap(reminder, width))]


def _fair_page(scene: Scene, width: int) -> list[tuple[str, str]]:
    """Return what was found out about each deck of the match, the newest first."""
    lines: list[tuple[str, str]] = []
    for line in fairness.page(sorted(scene.model.checks.items(), reverse=True)):
        style = "class:heading" if line.heads else ""
        lines += [(style, part) for part in wrap(line.text, width)]
    return lines or [("", tell("No deck has been promised yet."))]


def _page_size(scene: Scene) -> tuple[int, int]:
    """Return the columns and the rows of a page's window."""
    return min(_PAGE, scene.width), max(scene.height - 6, 5)


def _rules(scene: Scene) -> Canvas:
    return _turned(scene, tell("rules of this table"))


def _fair(scene: Scene) -> Canvas:
    return _turned(scene, tell("were the decks fair?"))


def _turned(scene: Scene, name: str) -> Canvas:
    """Draw the part of a page that its window shows."""
    width, most = _page_size(scene)
    lines = _page(scene, width - 4)
    height = min(len(lines) + 2, most)
    longer = len(lines) > height - 2
    keys = tell("↑↓ more, Esc closes") if longer else tell("Esc closes")
    box = frame(width, height, name, scene.ui.look, keys)
    first = min(scene.ui.scrolled, max(len(lines) - (height - 2), 0))
    for y, (style, line) in enumerate(lines[first : first + height - 2], 1):
        box.put(2, y, line, style)
    _close(box)
    return box


def _scrolled(scene: Scene, key: str) -> Step | None:
    """Return what a key does to a long page, if anything."""
    width, rows = _page_size(_above(scene))
    last = max(len(_page(scene, width - 4)) - (rows - 2), 0)
    at = min(scene.ui.scrolled, last)
    steps = {"up": -1, "down": 1, "pageup": 2 - rows, "pagedown": rows - 2, " ": rows - 2}
    if key == "home" or key == "end":
        return scene.to(scrolled=0 if key == "home" else last)
    if key in steps:
        return scene.to(scrolled=min(max(at + steps[key], 0), last))
    return None


def _sheet(scene: Scene) -> Canvas:
    table, view = scene.model.table, scene.model.view
    if table is None or view is None:
        return Canvas(0, 0)
    width = min(5 + 14 * len(view.public.seats) + 4, scene.width)
    height = min(len(view.public.sheet) + 6, scene.height - 7)
    box = frame(width, height, tell("score sheet"), scene.ui.look, tell("Esc closes"))
    shown = score_sheet(view.public, table, scene.model.seat, width - 4, height - 2, scene.ui.look)
    box.paste(2, 1, shown)
    _close(box)
    return box


def _close(box: Canvas) -> None:
    """Let a click anywhere on the box put it away."""
    box.mark(0, 0, box.width, box.height, OnKey("escape"))


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to while something lies over the picture."""
    if scene.ui.overlay == "quit":
        return leaving.press(scene, key)
    if scene.ui.overlay == "settings":
        return settings.press(scene, key)
    if scene.ui.overlay == "people":
        return people.press(scene, key)
    if _turns(_above(scene)) and (step := _scrolled(scene, key)) is not None:
        return step
    closes = key in ("escape", "enter", "q", "?", "s", "r", "f", " ")
    return scene.to(overlay=None) if closes else scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to while something lies over the picture."""
    if scene.ui.overlay == "settings":
        return settings.click(scene, spot)
    if scene.ui.overlay == "people":
        return people.click(scene, spot)
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
