"""The picture of the game: the table in the middle, people and events beside it, the hand below."""

from attrs import evolve, frozen

from kings_client.parts.bars import connection, joins_at, title
from kings_client.parts.canvas import Canvas, OnKey, width_of
from kings_client.parts.cards import COMPACT, FULL, LARGE, CardSize
from kings_client.parts.hand import arranged, hand, hand_height
from kings_client.parts.log import NAME, talk, told
from kings_client.parts.names import with_short_names
from kings_client.parts.panel import button, put_row, row_width
from kings_client.parts.piles import Spread, piles, piles_size
from kings_client.parts.players import players
from kings_client.screens.foot import draw_foot, urgent
from kings_client.screens.guidance import guidance, offered_keys
from kings_client.screens.knowing import (
    fairness,
    heading,
    lit,
    news,
    online,
    rules_of,
    stands_still,
    touched,
)
from kings_client.screens.selection import hand_marks, table_marks
from kings_client.screens.state import Scene
from kings_client.settings import USUAL, Settings
from kings_client.words.events import lines_of
from kings_client.words.meanwhile import counted
from kings_client.words.people import name_of
from kings_client.words.turns import end_label, end_short
from kings_engine.view import View
from kings_protocol.messages import TableState

_SIZES = ((150, 46, FULL), (110, 34, LARGE))
"""The smallest windows, in columns and rows, in which cards are drawn larger."""

_NARROWEST = 21
"""The fewest columns of a side panel."""

_SIDE_WIDTHS = {"narrow": 26, "medium": 44, "wide": 60, "hidden": 44}
"""The most columns of a side panel by the setting of the list of players."""


@frozen
class Plan:
    """Where things go: the cards' size, the side panels' width, the middle's height."""

    size: CardSize
    side: int
    height: int
    spread: Spread


def plan(width: int, height: int, settings: Settings = USUAL) -> Plan:
    """Return where things go in a window of this size."""
    larger = (size for wide, high, size in _SIZES if width >= wide and height >= high)
    size = next(larger, COMPACT)
    side = (width - piles_size(size)[0] - 2) // 2
    middle = height - 3 - hand_height(size)
    # The middle has three rows of piles with a blank row between two of them.
    above = max((middle - 2) // 3 - size.height, 2)
    spread = Spread(above, int(settings.top_spacing), int(settings.spacing))
    most = _SIDE_WIDTHS[settings.players]
    return Plan(size, min(max(side, _NARROWEST), most), middle, spread)


def draw_board(scene: Scene, table: TableState, view: View) -> Canvas:
    """Draw the game as large as the window allows."""
    canvas = Canvas(scene.width, scene.height)
    where = plan(scene.width, scene.height, scene.ui.settings)
    canvas.paste(0, 0, draw_title(scene))
    _draw_sides(canvas, scene, table, view, where)
    rules, own, selection = rules_of(table), view.own, scene.ui.selection
    seen = touched(scene.model) if lit(scene) else frozenset()
    marks = evolve(table_marks(selection, own), touched=seen)
    middle = piles(view.public, rules, marks, where.size, scene.ui.look, where.spread)
    spare = max(where.height - middle.height, 0)
    canvas.paste((scene.width - middle.width + 3) // 2, 1 + spare // 2, middle)
    bottom = scene.height - 2 - hand_height(where.size)
    if own is not None:
        ordered, room = arranged(own.hand, selection.order), scene.width - 2
        shown = hand(ordered, hand_marks(selection, own), room, where.size, scene.ui.look)
        canvas.paste(_hand_left(scene, shown, len(own.hand), where), bottom, shown)
        # The row into which a picked card rises is free while none is picked.
        free = not "".join(canvas.chars[bottom]).strip()
        told_since = scene.ui.meanwhile
        if not told_since and lit(scene):
            told_since = counted(news(scene.model), table, own.seat)
        if own.seat == view.public.turn and free:
            fitting = (one for one in told_since if width_of(one) <= scene.width - 4)
            canvas.put(2, bottom, next(fitting, ""), "class:fresh")
    _draw_foot(canvas, scene, table, view)
    return canvas


def _hand_left(scene: Scene, shown: Canvas, cards: int, where: Plan) -> int:
    """Return the hand's column: in the middle while the cards lie side by side."""
    return max((scene.width - cards * where.size.width) // 2, 1) if shown.width else 1


def draw_title(scene: Scene) -> Canvas:
    """Draw the top line of every screen at a table."""
    state = connection(scene.model.link, scene.now, scene.ui.look)
    address, marks = joins_at(scene.model.hosting), fairness(scene.model, scene.ui.look)
    between = (("", "  "),) if address and marks else ()
    name, *after = heading(scene.model)
    return title(name, (*address, *between, *marks), state, scene.width, after=after)


def _draw_sides(canvas: Canvas, scene: Scene, table: TableState, view: View, where: Plan) -> None:
    model, look, side = scene.model, scene.ui.look, where.side
    since = scene.now - model.table_at
    held = () if view.own is None else view.own.hand
    costs = sum(rules_of(table).penalties[card >> 2] for card in held)
    counted = scene.ui.settings.counts == "on"
    people = players(view.public, table, model.seat, since, side, look, costs, counted=counted)
    if scene.ui.settings.players == "hidden":
        people = Canvas(side, 0)
    canvas.paste(0, 1, people)
    canvas.mark(0, 1, side, people.height, OnKey("s"))
    left = where.height - people.height
    if left > 2:
        chat = talk(model.lines, table, model.seat, side, left, look)
        canvas.paste(0, 1 + people.height, chat)
        canvas.mark(0, 1 + people.height, side, left, OnKey("/"))
    called = with_short_names(table, NAME)
    former = [(until, with_short_names(old, NAME)) for until, old in model.former]
    tables = [called, *(old for _, old in former)]
    names = [name_of(one, seat, model.seat) for one in tables for seat in range(len(one.seats))]
    lines = lines_of(model.events, called, model.seat, look, former)
    fresh = len(lines_of(news(model), called, model.seat, look)) if lit(scene) else 0
    canvas.paste(scene.width - side, 1, told(lines, fresh, names, side, where.height, look))


def _draw_foot(canvas: Canvas, scene: Scene, table: TableState, view: View) -> None:
    """Draw the last two lines: what can be done now, and with which keys."""
    row, room = scene.height - 2, scene.width - 2
    public, own = view.public, view.own
    otherwise = guidance(scene, table, view)
    mine = own is not None and public.turn == own.seat and online(scene.model)
    if mine and not stands_still(table) and scene.ui.line is None:
        label = end_label(rules_of(table), public, scene.model.events)
        end = button("D", label)
        said = width_of((urgent(scene) or otherwise)[1])
        for shorter in end_short(label):
            if said > room - row_width(end) - 2:
                end = button("D", shorter)
        left = scene.width - 1 - row_width(end)
        put_row(canvas, left, row, end)
        canvas.mark(left, row, row_width(end), 1, OnKey("d"))
        room = left - 2
    draw_foot(canvas, scene, otherwise, offered_keys(scene, view), room)
