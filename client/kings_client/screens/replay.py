"""A finished match looked at again, moment by moment, on the board that it was played on."""

from attrs import evolve

from kings_client.intents import CloseMatches, ExportMatch
from kings_client.model import Linked, LinkState, Model
from kings_client.parts.bars import keys, title
from kings_client.parts.canvas import Canvas, OnKey, Spot, fit, pad
from kings_client.parts.hand import hand_height, sorted_hand
from kings_client.parts.names import short_name
from kings_client.replay import Moment, Replay
from kings_client.screens.board import draw_board, plan
from kings_client.screens.match_end import winners
from kings_client.screens.reduced import FULL, draw_reduced
from kings_client.screens.state import Scene, Step
from kings_client.style import ink
from kings_client.words.events import lines_of
from kings_client.words.tongue import tell
from kings_engine.phase import Phase

_NAME = 14
"""Columns for a name before its cards."""


def draw(scene: Scene) -> Canvas:
    """Draw the moment of the replay that the cursor is on."""
    replay = scene.model.replay
    if replay is None:
        return Canvas(scene.width, scene.height)
    at = _at(scene, replay)
    moment = replay.moments[at]
    shown = _as_played(scene, replay, moment)
    hands = len(replay.table.seats) if shows_all(scene, moment) else 0
    canvas = Canvas(scene.width, scene.height)
    canvas.paste(0, 0, _board(shown, hands))
    canvas.regions.clear()
    for row in range(hands):
        _draw_hand(canvas, shown, moment, row, scene.height - 2 - hands + row)
    place = tell("{at} of {count}", at=at + 1, count=len(replay.moments)) + " "
    heading = tell(
        "{name} · replay · deal {deal}, turn {turn}",
        name=replay.table.name,
        deal=moment.deal,
        turn=moment.turn + 1,
    )
    canvas.paste(0, 0, title(heading, (), (("class:dim", place),), scene.width))
    _draw_foot(canvas, shown, replay, at, scene.model.answer)
    return canvas


def shows_all(scene: Scene, moment: Moment) -> bool:
    """Say whether every hand is shown: by wish, or because the deal is over."""
    return scene.ui.after.all_hands or moment.view.public.phase != Phase.PLAY


def _at(scene: Scene, replay: Replay) -> int:
    return min(max(scene.ui.after.at, 0), len(replay.moments) - 1)


def _as_played(scene: Scene, replay: Replay, moment: Moment) -> Scene:
    """Return the scene as it was while the match was played."""
    every = shows_all(scene, moment)
    view = evolve(moment.view, own=None) if every else moment.view
    model = Model(
        where="table",
        link=LinkState(Linked.ONLINE),
        table=replay.table,
        table_at=scene.now,
        seat=replay.seat,
        view=view,
        events=moment.open_events if scene.ui.after.all_hands else moment.events,
    )
    nothing = evolve(scene.ui.selection, card=None, spot=None, picked=None, aim=None)
    return evolve(scene, model=model, ui=evolve(scene.ui, selection=nothing, line=None))


def _board(scene: Scene, hands: int) -> Canvas:
    """Draw the table, as much higher up as the hands below it need."""
    table, view = scene.model.table, scene.model.view
    if table is None or view is None:
        return Canvas(scene.width, scene.height)
    if scene.width < FULL[0] or scene.height < FULL[1]:
        return draw_reduced(evolve(scene, height=scene.height - hands), table, view)
    room = hand_height(plan(scene.width, scene.height).size)
    return draw_board(evolve(scene, height=scene.height - max(hands - room, 0)), table, view)


def _draw_hand(canvas: Canvas, scene: Scene, moment: Moment, seat: int, y: int) -> None:
    table, public = scene.model.table, moment.view.public
    if table is None:
        return
    canvas.fill(0, y, canvas.width, 1, "")
    style = "class:turn" if public.turn == seat else "class:title"
    x = canvas.put(1, y, pad(short_name(table, seat, scene.model.seat, _NAME - 1), _NAME), style)
    cards = sorted_hand(moment.hands[seat])
    if not cards:
        canvas.put(x, y, tell("no cards"), "class:dim")
    for card in cards:
        x = canvas.put(x, y, scene.ui.look.card(card), ink(card)) + 1


def _draw_foot(canvas: Canvas, scene: Scene, replay: Replay, at: int, answer: str) -> None:
    row = canvas.height - 2
    canvas.fill(0, row, canvas.width, 2, "")
    said = scene.ui.note or answer or _what(scene, replay, at)
    canvas.put(1, row, fit(said, canvas.width - 2), "class:note")
    every = tell("as you saw it") if scene.ui.after.all_hands else tell("all hands")
    offered = [
        ("right", "←→", tell("step")),
        ("down", "↑↓", tell("turn")),
        ("pagedown", "PgUp PgDn", tell("deal")),
        *([] if replay.seat is None else [("a", "A", every)]),
        ("w", "W", tell("save")),
        ("escape", "Esc", tell("back")),
        ("home", "Home End", tell("ends")),
    ]
    canvas.paste(0, row + 1, keys(offered, canvas.width))


def _what(scene: Scene, replay: Replay, at: int) -> str:
    """Say what happened last."""
    table, view = scene.model.table, scene.model.view
    if table is None or view is None:
        return ""
    moment = replay.moments[at]
    if moment.over:
        return winners(scene, table, view.public)
    before = replay.moments[at - 1] if at else None
    old = 0 if before is None or before.deal != moment.deal else len(before.events)
    told = lines_of(scene.model.events[old:], table, scene.model.seat, scene.ui.look)
    return "; ".join(f"{line.who} {line.what}".strip() for line in told)


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to in a replay."""
    replay = scene.model.replay
    if replay is None:
        return scene.to()
    at, last = _at(scene, replay), len(replay.moments) - 1
    match key:
        case "left" | "right" | " ":
            return _go(scene, min(max(at + (-1 if key == "left" else 1), 0), last))
        case "up" | "down":
            return _go(scene, _turned(replay, at, -1 if key == "up" else 1))
        case "pageup" | "pagedown":
            return _go(scene, _other_deal(replay, at, -1 if key == "pageup" else 1))
        case "home" | "end":
            return _go(scene, 0 if key == "home" else last)
        case "a" if replay.seat is not None:
            after = evolve(scene.ui.after, all_hands=not scene.ui.after.all_hands)
            return scene.to(after=after, note="")
        case "w":
            return scene.to(ExportMatch(replay.file), note="")
        case "escape":
            return scene.to(CloseMatches(), note="")
    return scene.to(note="")


def _go(scene: Scene, at: int) -> Step:
    return scene.to(after=evolve(scene.ui.after, at=at), note="")


def _turned(replay: Replay, at: int, way: int) -> int:
    """Return the first moment of the next turn, or of this one or the one before."""
    turns = [(moment.deal, moment.turn) for moment in replay.moments]
    starts = [first for first in range(len(turns)) if turns[first - 1 : first] != [turns[first]]]
    return _stop(starts, at, way, len(turns) - 1)


def _other_deal(replay: Replay, at: int, way: int) -> int:
    starts = [first for first, moment in enumerate(replay.moments) if moment.action == 0]
    return _stop(starts, at, way, len(replay.moments) - 1)


def _stop(starts: list[int], at: int, way: int, last: int) -> int:
    if way > 0:
        return next((first for first in starts if first > at), last)
    return next((first for first in reversed(starts) if first < at), 0)


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to in a replay."""
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
