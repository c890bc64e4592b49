"""The table for a small window: a line a pile, no boxes; and the sentence for a tiny one."""

from typing import Final

from kings_client.parts.bars import connection, joins_at, keys, title
from kings_client.parts.canvas import (
    Canvas,
    OnCard,
    OnKey,
    OnPlace,
    OnStock,
    fit,
    pad,
    width_of,
    wrap,
)
from kings_client.parts.hand import arranged
from kings_client.parts.log import last_said
from kings_client.parts.names import short_name
from kings_client.parts.piles import DIGITS, places_of, welcome_at
from kings_client.parts.players import AWAY, card_count, state_of, with_clock
from kings_client.screens.draft import draw_draft
from kings_client.screens.foot import status
from kings_client.screens.guidance import guidance, offered_keys
from kings_client.screens.knowing import rules_of
from kings_client.screens.selection import hand_marks, table_marks
from kings_client.screens.state import Scene
from kings_client.style import ink
from kings_client.words.events import lines_of
from kings_client.words.people import name_of
from kings_client.words.tongue import all_of, tell, tell_some
from kings_client.words.turns import end_label, end_short
from kings_engine.places import Place, place_str
from kings_engine.rules import Rules
from kings_engine.view import Public, View
from kings_protocol.messages import TableState

SMALLEST: Final = (40, 15)
"""Columns and rows under which nothing is drawn but a sentence."""

FULL: Final = (80, 24)
"""Columns and rows from which the whole picture is drawn."""

_PAD: Final = ("7", "8", "9", "4", "5", "6", "1", "2", "3")
_WITH_ADDRESS: Final = 60
"""Columns from which the top line has room for the address of a server that one hosts."""

_LOG: Final = 3
"""Rows of what happened before what was said has room."""

_SAID: Final = 2
"""Rows of what was said, while there is more that happened."""

_CARD = 6
"""Columns of a card in the hand, with its marks."""


def draw_too_small(scene: Scene) -> Canvas:
    """Say how much is missing."""
    canvas = Canvas(scene.width, scene.height)
    missing = []
    if scene.width < SMALLEST[0]:
        missing.append(_columns(SMALLEST[0] - scene.width))
    if scene.height < SMALLEST[1]:
        missing.append(_rows(SMALLEST[1] - scene.height))
    text = tell(
        "This window is too small: the game needs {missing}. It goes on.", missing=all_of(missing)
    )
    for y, line in enumerate(wrap(text, max(scene.width, 1))):
        canvas.put(0, y, line, "class:note")
    return canvas


def _columns(count: int) -> str:
    return tell_some("{count} more column", "{count} more columns", count)


def _rows(count: int) -> str:
    return tell_some("{count} more row", "{count} more rows", count)


def draw_reduced(scene: Scene, table: TableState, view: View) -> Canvas:
    """Draw the game in at least 40 columns and 15 rows."""
    canvas = Canvas(scene.width, scene.height)
    state = connection(scene.model.link, scene.now, scene.ui.look)
    address = joins_at(scene.model.hosting) if scene.width >= _WITH_ADDRESS else ()
    canvas.paste(0, 0, title(table.name, address, state, scene.width))
    y = _draw_players(canvas, scene, table, view.public, 1)
    y = _draw_piles(canvas, scene, table, view, y)
    y = _draw_hand(canvas, scene, view, y)
    y = _draw_states(canvas, scene, table, view.public, y)
    bottom, model = scene.height - 3, scene.model
    lines = lines_of(model.events, table, model.seat, scene.ui.look, model.former)
    if model.lines and bottom - y > _LOG:
        rows = max(min(bottom - y - _LOG, _SAID), bottom - y - len(lines))
        bottom -= rows
        said = last_said(model.lines, table, model.seat, scene.width, rows)
        canvas.paste(0, bottom, said)
    for at, line in enumerate(lines[y - bottom :] if bottom > y else (), y):
        canvas.put(0, at, f"{line.who} {line.what}".strip(), "class:dim")
    _draw_status(canvas, scene, table, view)
    return canvas


def _draw_players(canvas: Canvas, scene: Scene, table: TableState, public: Public, y: int) -> int:
    half = scene.width // 2
    for seat, known in enumerate(public.seats):
        mark = scene.ui.look.turn if public.turn == seat else " "
        away = seat < len(table.seats) and table.seats[seat].state in AWAY
        sign = f" {scene.ui.look.offline}" if away else ""
        name = short_name(table, seat, scene.model.seat, half - 10 - width_of(sign)) + sign
        counted = scene.ui.settings.counts == "on" or seat == scene.model.seat
        cards = card_count(known, counted=counted)
        numbers = tell("{cards}c {points}p", cards=cards, points=f"{known.points:>3}")
        text = f"{mark}{pad(name, half - 10)} {numbers}"
        style = "class:turn" if public.turn == seat else "class:name"
        canvas.put((seat % 2) * half, y + seat // 2, text, style)
    rows = (len(public.seats) + 1) // 2
    canvas.mark(0, y, scene.width, rows, OnKey("s"))
    return y + rows


def _draw_states(canvas: Canvas, scene: Scene, table: TableState, public: Public, y: int) -> int:
    """Tell in a line each who is away and what will become of it, and which clocks run."""
    since = scene.now - scene.model.table_at
    for at, (seat, sitting) in enumerate(zip(public.seats, table.seats, strict=False)):
        away = sitting.state in AWAY
        state = state_of(seat, sitting, table, since) if away else ""
        if public.turn == at:
            state = with_clock(state, table, since)
        if state and y < scene.height - 3:
            told = f"{name_of(table, at, scene.model.seat)}: {state}"
            canvas.put(0, y, fit(told, scene.width), "class:away" if away else "class:note")
            y += 1
    return y


def _draw_piles(canvas: Canvas, scene: Scene, table: TableState, view: View, y: int) -> int:
    rules, marks = rules_of(table), table_marks(scene.ui.selection, view.own)
    third = scene.width // 3
    for at, digit in enumerate(_PAD):
        place = DIGITS[digit]
        if place is not None and place not in places_of(rules):
            continue
        here = OnStock() if place is None else OnPlace(place)
        head = tell("stock") if place is None else place_str(place)
        what = _stock(scene, view.public) if place is None else _pile(scene, view, rules, place)
        mark = ""
        if place in marks.targets:
            mark = scene.ui.look.target
        elif marks.picked is None and (
            place in marks.movable or (place is None and marks.stock_playable)
        ):
            mark = scene.ui.look.playable
        style = "class:target" if mark == scene.ui.look.target else ""
        if here in (marks.cursor, marks.picked):
            style, mark = "class:row", mark + ("<" if here == marks.picked else "")
        x, row = (at % 3) * third, y + 2 * (at // 3)
        canvas.put(x, row, f"{digit} {head} {mark}", style or "class:label")
        canvas.put(x, row + 1, what, style)
        canvas.mark(x, row, third - 1, 2, here)
    return y + 6


def _pile(scene: Scene, view: View, rules: Rules, place: Place) -> str:
    pile, look = view.public.piles[place], scene.ui.look
    if not pile:
        return f"  ({welcome_at(place, rules, view.public)})"
    if len(pile) == 1:
        return f"  {look.card(pile[0])}"
    return f"  {look.card(pile[0])}…{look.card(pile[-1])} ×{len(pile)}"


def _stock(scene: Scene, public: Public) -> str:
    top = "" if public.stock_top is None else scene.ui.look.card(public.stock_top) + " "
    return f"  {top}×{public.stock}"


def hand_left_in_sight(scene: Scene) -> Canvas:
    """Draw the hand for below what lies over a small window's picture; nothing in a larger one."""
    small = scene.width < FULL[0] or scene.height < FULL[1]
    tiny = scene.width < SMALLEST[0] or scene.height < SMALLEST[1]
    view = scene.model.view
    if tiny or not small or view is None or view.own is None or view.public.turn is None:
        return Canvas(scene.width, 0)
    across = max(scene.width // _CARD, 1)
    canvas = Canvas(scene.width, (len(view.own.hand) + across - 1) // across)
    _draw_hand(canvas, scene, view, 0)
    return canvas


def _draw_hand(canvas: Canvas, scene: Scene, view: View, y: int) -> int:
    own = view.own
    if own is None:
        return y
    marks = hand_marks(scene.ui.selection, own)
    across = max(scene.width // _CARD, 1)
    ordered = arranged(own.hand, scene.ui.selection.order)
    for at, card in enumerate(ordered):
        x, row = (at % across) * _CARD, y + at // across
        name = scene.ui.look.card(card)
        mark = scene.ui.look.playable if card in marks.playable else ""
        canvas.put(canvas.put(x + 1, row, name, ink(card)), row, mark, "class:playable")
        if OnCard(card) in (marks.cursor, marks.picked):
            left, right = "<>" if OnCard(card) == marks.picked else "[]"
            canvas.put(x, row, left, "class:chosen")
            canvas.put(x + 1 + len(name) + len(mark), row, right, "class:chosen")
        canvas.mark(x, row, _CARD, 1, OnCard(card))
    return y + (len(ordered) + across - 1) // across


def _draw_status(canvas: Canvas, scene: Scene, table: TableState, view: View) -> None:
    row = scene.height - 3
    if scene.ui.line is not None:
        canvas.put(0, row + 1, tell("say:"), "class:key")
        canvas.paste(5, row + 1, draw_draft(scene.ui.line, scene.width - 5, "class:field"))
    else:
        style, text = status(scene, guidance(scene, table, view))
        own = view.own
        if style == "class:turn" and own is not None and view.public.turn == own.seat:
            label = end_label(rules_of(table), view.public, scene.model.events)
            whole = f"{text}; D: {label}"
            text = (
                whole if len(wrap(whole, scene.width)) < 3 else f"{text}; D: {end_short(label)[0]}"
            )
        for at, line in enumerate(wrap(text, scene.width)[:2]):
            canvas.put(0, row + at, line, style)
    canvas.paste(0, scene.height - 1, keys(offered_keys(scene, view), scene.width))
