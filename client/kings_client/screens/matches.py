"""The finished matches that this client has seen, and one's results in them."""

from typing import Final

from attrs import evolve

from kings_client.finished import Archive, Finished, scores
from kings_client.intents import CloseMatches, ShowMatch
from kings_client.marks import Mark
from kings_client.parts.bars import keys, title
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, pad, width_of, wrap
from kings_client.parts.panel import frame
from kings_client.screens.state import Scene, Step
from kings_client.words import counts
from kings_client.words.fairness import mark
from kings_client.words.matches import (
    outcome,
    people,
    played_on,
    score_head,
    score_line,
    unread,
)
from kings_client.words.tongue import tell

_STYLES = {Mark.FAIR: "class:good", Mark.ANEW: "class:away", Mark.BROKEN: "class:bad"}

_WITH_RULES: Final = 100
"""Columns from which a line also tells the year and the rules."""

_RULES: Final = 14
"""Columns of the rules."""


def draw(scene: Scene) -> Canvas:
    """Draw the list of matches, or the results."""
    canvas = Canvas(scene.width, scene.height)
    heading = (
        tell("Kings in the Corner · your results") if _results(scene) else tell("Matches played")
    )
    canvas.paste(0, 0, title(heading, (), (), scene.width))
    height = scene.height - 3
    canvas.paste(0, 1, _scores(scene, height) if _results(scene) else _list(scene, height))
    said = scene.ui.note or scene.model.answer or unread(_archive(scene).unread)
    look = [("", "↑↓", tell("choose")), ("enter", "Enter", tell("replay"))]
    offered = [
        *([] if _results(scene) else look),
        ("t", "T", tell("the list") if _results(scene) else tell("results")),
        ("escape", "Esc", tell("back")),
        ("q", "Q", tell("quit")),
    ]
    canvas.paste(0, scene.height - 1, keys(offered, scene.width))
    style, text = ("class:note", said) if said else ("class:dim", _whole(scene))
    first, *more = wrap(text, scene.width - 2) or [""]
    canvas.put(1, scene.height - 2, first, style)
    if more:
        canvas.put(0, scene.height - 1, pad(" " + " ".join(more), scene.width), style)
    return canvas


def _whole(scene: Scene) -> str:
    """Return who played the match under the cursor and how it ended, if its line is cut."""
    found = _archive(scene).matches
    if _results(scene) or not found:
        return ""
    match = found[_row(scene)]
    who, how = people(match), outcome(match)
    room = _columns(match, scene.width - 2)
    return f"{who}: {how}" if max(width_of(who), width_of(how)) > room else ""


def _columns(match: Finished, room: int) -> int:
    """Return the columns for who played, and as many for how it ended, in a line of ``room``."""
    wide = room >= _WITH_RULES
    taken = len(played_on(match, year=wide)) + (_RULES + 1 if wide else 0)
    return max((room - width_of(mark(match.mark)) - 2 - taken - 4) // 2, 1)


def _archive(scene: Scene) -> Archive:
    return scene.model.matches or Archive()


def _results(scene: Scene) -> bool:
    return scene.ui.after.results


def _list(scene: Scene, height: int) -> Canvas:
    found = _archive(scene).matches
    canvas = frame(scene.width, height, tell("newest first"), scene.ui.look, f"{len(found)}")
    if not found:
        canvas.put(3, 2, tell("No match has been played to its end yet."), "class:dim")
        return canvas
    row = _row(scene)
    first = max(row - (height - 3), 0)
    for y, at in enumerate(range(first, min(len(found), first + height - 2)), 1):
        _draw_match(canvas, found[at], y, chosen=at == row)
        canvas.mark(1, y, scene.width - 2, 1, OnRow(at))
    return canvas


def _draw_match(canvas: Canvas, match: Finished, y: int, *, chosen: bool) -> None:
    room = canvas.width - 2
    fair = mark(match.mark)
    wide = room >= _WITH_RULES
    when = played_on(match, year=wide)
    rules = pad(match.preset or "?", _RULES) + " " if wide else ""
    half = _columns(match, room)
    who, how = pad(people(match), half), pad(outcome(match), half)
    text = f" {when}  {rules}{who} {how}"
    canvas.put(1, y, pad(text, room), "class:row" if chosen else "")
    style = "class:row" if chosen else _STYLES.get(match.mark, "class:dim")
    canvas.put(1 + room - width_of(fair) - 1, y, fair, style)


def _scores(scene: Scene, height: int) -> Canvas:
    found = scores(_archive(scene).matches)
    canvas = frame(scene.width, height, tell("against each person and level"), scene.ui.look)
    if not found:
        canvas.put(3, 2, tell("There are no results yet."), "class:dim")
        return canvas
    canvas.put(2, 1, score_head(), "class:label")
    for y, score in enumerate(found[: height - 5], 2):
        canvas.put(2, y, score_line(score))
    own = sum(one.seat is not None for one in _archive(scene).matches)
    what = tell(
        "{matches}; points are penalty points: fewer are better", matches=counts.matches(own)
    )
    canvas.put(2, height - 2, what, "class:dim")
    return canvas


def _row(scene: Scene) -> int:
    return min(max(scene.ui.row, 0), max(len(_archive(scene).matches) - 1, 0))


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to in the list."""
    found, row = _archive(scene).matches, _row(scene)
    match key:
        case "up" | "down" | "pageup" | "pagedown" | "home" | "end":
            steps = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -row}
            moved = row + steps.get(key, len(found))
            return scene.to(row=min(max(moved, 0), max(len(found) - 1, 0)), note="")
        case "t" | "tab":
            after = evolve(scene.ui.after, results=not _results(scene))
            return scene.to(after=after, note="")
        case "enter" | " " if found and not _results(scene):
            after = evolve(scene.ui.after, at=0, all_hands=False)
            return scene.to(ShowMatch(found[row].file), after=after, note="")
        case "escape" if _results(scene):
            return scene.to(after=evolve(scene.ui.after, results=False), note="")
        case "escape":
            return scene.to(CloseMatches(), row=0, note="")
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to: a line is chosen, and opened by a second click."""
    match spot:
        case OnKey(key):
            return press(scene, key)
        case OnRow(row) if row == _row(scene):
            return press(scene, "enter")
        case OnRow(row):
            return scene.to(row=row, note="")
    return scene.to()
