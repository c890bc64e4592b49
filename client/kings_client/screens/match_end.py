"""The end of a match: who won, the last hands, the score sheet, and a rematch."""

from kings_client.intents import Leave, SetReady
from kings_client.marks import Mark
from kings_client.parts.canvas import Canvas, OnKey, Spot, wrap
from kings_client.parts.chart import chart, least_height
from kings_client.parts.log import rows_said
from kings_client.parts.names import short_name
from kings_client.parts.scores import SHEET_FRAME, score_sheet
from kings_client.screens.board import draw_title
from kings_client.screens.deal_end import (
    best_first,
    draw_end,
    draw_hand_line,
    headline,
    unready,
    waited_for,
)
from kings_client.screens.guidance import Keys, said_keys
from kings_client.screens.knowing import just_ended, online
from kings_client.screens.state import Scene, Step
from kings_client.words import fairness
from kings_client.words.events import MATCH_ENDINGS
from kings_client.words.people import names_of
from kings_client.words.spoken import capital, lost
from kings_client.words.tongue import tell
from kings_engine.events import MatchEnded, MatchEnding
from kings_engine.view import Public
from kings_protocol.messages import TableState

_CHART = 30
"""Columns of the chart."""

_CHART_FROM = 80
"""Columns of the smallest window that has room for it beside the sheet."""

_HIGHEST = 16
"""Rows of the chart, at most."""

_SAID = 2
"""Rows that are left for what was said last, at most."""


def draw(scene: Scene) -> Canvas:
    """Draw the end of a match."""
    canvas = Canvas(scene.width, scene.height)
    model, table, view = scene.model, scene.model.table, scene.model.view
    if table is None or view is None:
        return canvas
    canvas.paste(0, 0, draw_title(scene))
    y = canvas.paragraph(1, 2, winners(scene, table, view.public), "class:heading")
    if view.public.sheet:
        y = canvas.paragraph(1, y, headline(scene, table, view.public), "class:dim") + 1
        for at, seat in enumerate(best_first(view.public), y):
            draw_hand_line(canvas, scene, table, view.public, seat, at)
        y += len(best_first(view.public))
    y += 1
    seats, room = range(len(view.public.seats)), _CHART // 2 - 4
    names = [short_name(table, seat, model.seat, room) for seat in seats]
    limited = {mark for deal, mark in model.marks.items() if deal} - {Mark.FAIR, Mark.PENDING}
    proofs = wrap(fairness.summary(model.checks), scene.width - 2) if limited else []
    if model.saved is not None:
        how = tell("check the deals again with:  kings verify {saved}", saved=model.saved)
        proofs += wrap(how, scene.width - 2)
    said = rows_said(model.lines, table, model.seat, scene.width - 2)
    below = min(max(said, 1), _SAID) + max(len(proofs), 1)
    rows, look = scene.height - y - 3 - below, scene.ui.look
    used = min(len(view.public.sheet) + SHEET_FRAME, rows)
    high = rows >= least_height(len(seats)) and len(view.public.sheet) > 1
    beside = _CHART if high and scene.width >= _CHART_FROM else 0
    across = scene.width - 2 - beside
    canvas.paste(1, y, score_sheet(view.public, table, model.seat, across, rows, look))
    if beside:
        drawn = chart(view.public.sheet, names, beside, min(rows, _HIGHEST), look)
        canvas.paste(scene.width - 1 - beside, y, drawn)
        used = max(used, drawn.height)
    y += used + 1
    for at, line in enumerate(proofs, y):
        canvas.put(1, at, line, "class:dim")
    free = y + len(proofs)
    draw_end(canvas, scene, table, free, _waiting(scene, table), _keys(scene), tell("Rematch"))
    return canvas


def winners(scene: Scene, table: TableState, public: Public) -> str:
    """Say who won the match."""
    me = scene.model.seat
    ended = next((one for one in scene.model.events if isinstance(one, MatchEnded)), None)
    if ended is not None and ended.ending == MatchEnding.ABANDONED:
        return capital(tell(MATCH_ENDINGS[ended.ending]))
    if not public.winners or len(public.winners) == len(public.seats):
        return tell("The match is a draw")
    names = names_of(table, public.winners, me)
    if len(public.winners) > 1:
        won = tell("{names} share the win!", names=names)
    elif public.winners[0] == me:
        won = tell("You win the match!")
    else:
        won = tell("{who} wins the match!", who=names)
    return f"{won} {lost(table, public.losers, me)}".strip()


def _waiting(scene: Scene, table: TableState) -> tuple[str, str]:
    waited = unready(table)
    if waited_for(scene.model):
        return "class:turn", tell("Enter for a rematch, L to leave the table")
    if waited:
        return "", tell("Waiting for {names}", names=names_of(table, waited, scene.model.seat))
    return "class:dim", tell("A rematch begins")


def _keys(scene: Scene) -> Keys:
    if scene.ui.line is not None:
        return said_keys()
    again: Keys = [("enter", "Enter", tell("rematch"))] if waited_for(scene.model) else []
    return [
        *again,
        ("l", "L", tell("leave the table")),
        ("t", "T", tell("look at the table")),
        ("/", "/", tell("chat")),
        ("?", "?", tell("help")),
        ("q", "Q", tell("quit")),
    ]


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to at the end of a match."""
    match key:
        case "t" | "escape":
            return scene.to(table_shown=key == "t" and not scene.ui.table_shown, note="")
        case "enter" | "l" if not online(scene.model):
            return scene.say(tell("there is no connection; nothing was sent"))
        case "enter" if just_ended(scene):
            return scene.to()
        case "enter" if scene.model.seated:
            return scene.to(SetReady(True), note="")
        case "l":
            return scene.to(Leave(), note="")
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to at the end of a match."""
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
