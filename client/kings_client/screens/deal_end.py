"""The end of a deal: all hands face up, what they cost, and who is ready for the next."""

from kings_client.intents import Leave, SetReady
from kings_client.marks import Check, Mark, Why
from kings_client.model import Model
from kings_client.parts.canvas import Canvas, OnKey, Spot, pad
from kings_client.parts.cards import COMPACT
from kings_client.parts.hand import HandMarks, hand, hand_height, sorted_hand
from kings_client.parts.log import last_said
from kings_client.parts.names import short_name
from kings_client.parts.panel import button, put_row, row_width
from kings_client.screens.board import draw_title
from kings_client.screens.foot import draw_foot
from kings_client.screens.guidance import Keys, said_keys
from kings_client.screens.knowing import just_ended, online, stands_still
from kings_client.screens.reduced import FULL
from kings_client.screens.state import Scene, Step
from kings_client.style import ink
from kings_client.words import counts, fairness
from kings_client.words.events import ENDINGS
from kings_client.words.people import clock, name_of, names_of
from kings_client.words.tongue import tell
from kings_engine.events import DealEnded, DealEnding, WentOut
from kings_engine.view import Public
from kings_protocol.messages import TableState

_NAMES = 22
"""Columns for the names and points at the left."""

_TWO_CARDS = 7
"""Columns that two cards in a line take, or one and the number of those left out."""


def draw(scene: Scene) -> Canvas:
    """Draw the end of a deal."""
    canvas = Canvas(scene.width, scene.height)
    table, view = scene.model.table, scene.model.view
    if table is None or view is None:
        return canvas
    canvas.paste(0, 0, draw_title(scene))
    y = canvas.paragraph(1, 1, headline(scene, table, view.public), "class:heading")
    mark, (style, told) = _proof(scene, view.public.deal)
    top = canvas.paragraph(put_row(canvas, 1, y, (mark,)), y, told, style)
    seats, rows = best_first(view.public), hand_height(COMPACT)
    boxes = scene.width >= FULL[0] and top + len(seats) * rows <= scene.height - 3
    for at, seat in enumerate(seats):
        if boxes:
            _draw_seat(canvas, scene, table, view.public, seat, top + at * rows)
        else:
            draw_hand_line(canvas, scene, table, view.public, seat, top + 1 + at)
    free = top + len(seats) * rows if boxes else top + 2 + len(seats)
    draw_end(canvas, scene, table, free, _waiting(scene, table), _keys(scene), tell("Next deal"))
    return canvas


def draw_end(
    canvas: Canvas,
    scene: Scene,
    table: TableState,
    free: int,
    waiting: tuple[str, str],
    keys: Keys,
    onwards: str,
) -> None:
    """Draw the last lines of a deal's or a match's end, and the button that leads ``onwards``.

    What was said last has the rows from ``free`` on.
    """
    rows = max(scene.height - 2 - free, 1)
    said = last_said(scene.model.lines, table, scene.model.seat, scene.width - 2, rows)
    canvas.paste(1, scene.height - 2 - rows, said)
    asks = waited_for(scene.model) and not stands_still(table) and not just_ended(scene)
    draw_foot(canvas, scene, waiting, keys, scene.width - 24 if asks else None)
    if scene.ui.line is None and asks:
        ready = button("Enter", onwards)
        left = scene.width - 1 - row_width(ready)
        put_row(canvas, left, scene.height - 2, ready)
        canvas.mark(left, scene.height - 2, row_width(ready), 1, OnKey("enter"))


def best_first(public: Public) -> list[int]:
    """Return the seats that were dealt to, the fewest points of the deal first."""
    points = public.sheet[-1] if public.sheet else ()
    costs = {seat: cost for seat, cost in enumerate(points) if cost is not None}
    return sorted(costs, key=lambda seat: (costs[seat], public.seats[seat].points, seat))


def headline(scene: Scene, table: TableState, public: Public) -> str:
    """Say how the deal ended."""
    me = scene.model.seat
    ended = next((one for one in scene.model.events if isinstance(one, DealEnded)), None)
    out = [one.seat for one in scene.model.events if isinstance(one, WentOut)]
    if ended is not None and ended.ending == DealEnding.WENT_OUT and out:
        if out[-1] == me:
            return tell("Deal {deal} is over: you went out", deal=public.deal)
        who = name_of(table, out[-1])
        return tell("Deal {deal} is over: {who} went out", deal=public.deal, who=who)
    if ended is not None:
        ending = tell(ENDINGS[ended.ending])
        return tell("Deal {deal} is over: {ending}", deal=public.deal, ending=ending)
    return tell("Deal {deal} is over", deal=public.deal)


def _proof(scene: Scene, deal: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return a sign, and what was found out about the deck, each with its style."""
    look, none = scene.ui.look, ("", "")
    check = scene.model.checks.get(deal, Check(Mark.UNCHECKED, Why.NO_PROMISE))
    said = tell("the deck: {mark}  (F explains it)", mark=fairness.told(check))
    match check.mark:
        case Mark.FAIR:
            return ("class:good", look.yes + " "), ("class:dim", said)
        case Mark.BROKEN:
            return ("class:bad", look.no + " "), ("class:bad", said)
        case Mark.ANEW:
            return none, ("class:away", said)
    return none, ("class:dim", said)


def _draw_seat(
    canvas: Canvas, scene: Scene, table: TableState, public: Public, seat: int, y: int
) -> None:
    cost = public.sheet[-1][seat] or 0
    style = "class:turn" if seat == scene.model.seat else "class:title"
    canvas.put(1, y + 1, short_name(table, seat, scene.model.seat, _NAMES - 2), style)
    canvas.put(1, y + 2, f"+{counts.points(cost)}", "class:name")
    canvas.put(1, y + 3, tell("{points} in all", points=public.seats[seat].points), "class:dim")
    cards = public.seats[seat].known
    if cards:
        room = scene.width - _NAMES - 1
        canvas.paste(_NAMES, y, hand(sorted_hand(cards), HandMarks(), room, COMPACT, scene.ui.look))
    else:
        canvas.put(_NAMES + 1, y + 2, tell("no cards left"), "class:good")


def draw_hand_line(
    canvas: Canvas, scene: Scene, table: TableState, public: Public, seat: int, y: int
) -> None:
    """Draw what a player was left with in one line; how many cards too many for it are counted."""
    x = canvas.put(1, y, pad(short_name(table, seat, scene.model.seat, 13), 14), "class:title")
    x = canvas.put(x, y, pad(f"+{public.sheet[-1][seat]}", 5), "class:name")
    cards = sorted_hand(public.seats[seat].known)
    if not cards:
        canvas.put(x, y, tell("no cards left"), "class:good")
    for at, card in enumerate(cards):
        left = len(cards) - at
        if left > 1 and x + _TWO_CARDS > scene.width:
            canvas.put(x, y, f"+{left}", "class:dim")
            break
        x = canvas.put(x, y, scene.ui.look.card(card), ink(card)) + 1


def unready(table: TableState) -> tuple[int, ...]:
    """Return the seats of people who are waited for."""
    return tuple(
        at
        for at, seat in enumerate(table.seats)
        if seat.state in ("seated", "dropped") and not seat.ready
    )


def waited_for(model: Model) -> bool:
    """Say whether the others wait for somebody here."""
    table = model.table
    return table is not None and not set(model.seated).isdisjoint(unready(table))


def _waiting(scene: Scene, table: TableState) -> tuple[str, str]:
    if table.phase == "offering":
        return "class:dim", tell("The cards are being shuffled")
    soon = ""
    if table.next_in is not None:
        left = table.next_in / 1000 - (scene.now - scene.model.table_at)
        soon = tell("The next deal begins in {left}.", left=clock(left)) + " "
    waited = unready(table)
    if waited_for(scene.model):
        return "class:turn", soon + tell("Enter when you are ready")
    if waited:
        return "", soon + tell(
            "Waiting for {names}", names=names_of(table, waited, scene.model.seat)
        )
    return "class:dim", soon.strip() or tell("The next deal begins")


def _keys(scene: Scene) -> Keys:
    if scene.ui.line is not None:
        return said_keys()
    first: Keys = [("enter", "Enter", tell("next deal"))] if waited_for(scene.model) else []
    if not scene.model.seated:
        first = [("l", "L", tell("stop watching"))]
    return [
        *first,
        ("t", "T", tell("look at the table")),
        ("s", "S", tell("scores")),
        ("/", "/", tell("chat")),
        ("?", "?", tell("help")),
        ("q", "Q", tell("quit")),
    ]


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to at the end of a deal."""
    table, seated = scene.model.table, scene.model.seated
    match key:
        case "t" | "escape":
            return scene.to(table_shown=key == "t" and not scene.ui.table_shown, note="")
        case "enter" | " " if just_ended(scene):
            return scene.to()
        case "enter" | " " if table is not None and seated:
            if not online(scene.model):
                return scene.say(tell("there is no connection; nothing was sent"))
            return scene.to(SetReady(True), note="")
        case "l" if not seated:
            return scene.to(Leave(), note="")
    return scene.to()


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to at the end of a deal."""
    return press(scene, spot.key) if isinstance(spot, OnKey) else scene.to()
