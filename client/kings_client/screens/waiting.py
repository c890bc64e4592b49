"""A table before the start: who sits where, who is ready, and what is still missing."""

from collections.abc import Mapping
from typing import Final

from kings_client.choices import LEVELS
from kings_client.intents import AddBot, Kick, Leave, RemoveBot, SetReady
from kings_client.parts.bars import ADDRESSES, connection, title
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, pad, width_of, wrap
from kings_client.parts.log import talk
from kings_client.parts.names import short_name, with_short_names
from kings_client.parts.panel import frame
from kings_client.parts.players import state_of
from kings_client.screens.foot import draw_foot
from kings_client.screens.guidance import Keys, said_keys
from kings_client.screens.knowing import heading, online, rules_of
from kings_client.screens.state import Scene, Step
from kings_client.words.events import lines_of
from kings_client.words.knobs import value as shown
from kings_client.words.people import bots, names_of
from kings_client.words.rules import summary
from kings_client.words.servers import no_address
from kings_client.words.tongue import tell, tell_some
from kings_protocol.messages import Level, SeatState, TableState

_BOT_KEYS: Final[Mapping[str, Level]] = dict(zip("emhps", LEVELS, strict=False))
"""The keys that seat a bot of each level."""

_NAME: Final = 18
"""Columns of a name and the blank after it."""

_BRIEF_NAME: Final = 12
"""Columns of a name in the sentence that tells what everybody cut."""

ROOMY: Final = 104
"""Columns from which the line of keys has room for the levels' names."""


def draw(scene: Scene) -> Canvas:
    """Draw the table before the start."""
    canvas = Canvas(scene.width, scene.height)
    model, table, look = scene.model, scene.model.table, scene.ui.look
    if table is None:
        return canvas
    state = connection(model.link, scene.now, look)
    name, *after = heading(model)
    canvas.paste(0, 0, title(name, (), state, scene.width, after=after))
    left = max(scene.width * 5 // 9, 40)
    height = scene.height - 3
    seats = frame(left, len(table.seats) + 4, tell("seats"), look)
    for at in range(len(table.seats)):
        style = "class:row" if at == _row(scene, table) else ""
        seats.put(2, at + 2, pad(_seat(scene, table, at), left - 4), style)
        seats.mark(2, at + 2, left - 4, 1, OnRow(at))
    canvas.paste(0, 1, seats)
    facts = frame(left, height - seats.height, tell("rules"), look)
    y = 1
    if model.hosting is not None:
        joins = model.hosting.addresses[:ADDRESSES]
        how = tell("Others on your network join with") if joins else no_address()
        for part in wrap(how, left - 4):
            facts.put(2, y, part)
            y += 1
        for address in joins:
            facts.put(4, y, f"kings join {address}", "class:key")
            y += 1
        facts.put(2, y, tell("They should see this code:"))
        facts.put(4, y + 1, model.hosting.code, "class:key")
        y += 3
    told = [line for text in summary(rules_of(table)) for line in wrap(text, left - 4)]
    for at, text in enumerate(told[: facts.height - 1 - y], y):
        facts.put(2, at, text)
    canvas.paste(0, 1 + seats.height, facts)
    chat = talk(model.lines, table, model.seat, scene.width - left, height, look)
    canvas.paste(left, 1, chat)
    canvas.mark(left, 1, chat.width, chat.height, OnKey("/"))
    draw_foot(canvas, scene, _status(scene, table), _keys(scene, table))
    return canvas


def _row(scene: Scene, table: TableState) -> int:
    return min(scene.ui.row, len(table.seats) - 1)


def _seat(scene: Scene, table: TableState, at: int) -> str:
    sitting = table.seats[at]
    if sitting.state == "open":
        return f" {at + 1}  {tell('(open seat)')}"
    name = short_name(table, at, scene.model.seat, _NAME - 1)
    parts = [state_of(None, sitting, table, scene.now - scene.model.table_at)]
    if at == table.host:
        parts.append(tell("host"))
    if sitting.ready and sitting.state != "bot":
        parts.append(f"{scene.ui.look.yes} {tell('ready')}")
    return f" {at + 1}  {pad(name, _NAME)}{', '.join(filter(None, parts))}"


def _status(scene: Scene, table: TableState) -> tuple[str, str]:
    model = scene.model
    if table.phase == "offering":
        called = with_short_names(table, _BRIEF_NAME)
        told = lines_of(model.events, called, model.seat, scene.ui.look)
        cut = "; ".join(f"{line.who} {line.what}".strip() for line in told[-5:])
        return "class:dim", cut or tell("The cards are being shuffled")
    opened = sum(seat.state == "open" for seat in table.seats)
    if opened:
        waits = tell_some("Waiting for one more.", "Waiting for {count} more.", opened)
        if table.host not in model.seated:
            return "", waits
        named = f"{waits} {bots([f'{key.upper()} {shown(at)}' for key, at in _BOT_KEYS.items()])}"
        short = f"{waits} {bots([key.upper() for key in _BOT_KEYS])}"
        return "", named if width_of(named) < scene.width else short
    unready = tuple(at for at, seat in enumerate(table.seats) if _awaited(seat))
    if set(model.seated) & set(unready):
        return "class:turn", tell("Everybody is here: Enter when you are ready")
    return "", tell("Waiting for {names} to be ready", names=names_of(table, unready, model.seat))


def _awaited(seat: SeatState) -> bool:
    return not seat.ready and seat.state in ("seated", "dropped")


def _keys(scene: Scene, table: TableState) -> Keys:
    if scene.ui.line is not None:
        return said_keys()
    offered: Keys = []
    if scene.model.seated:
        ready = all(table.seats[seat].ready for seat in scene.model.seated)
        offered.append(("enter", "Enter", tell("not ready") if ready else tell("ready")))
    states = {seat.state for seat in table.seats}
    if table.host in scene.model.seated:
        if "open" in states:
            offered += _bot_keys(scene)
        row = _row(scene, table)
        if _other_person(scene, table, row):
            offered.append(("x", "X", tell("take out")))
        elif "bot" in states:
            offered.append(("x", "X", tell("remove bot")))
    return [
        *offered,
        ("/", "/", tell("chat")),
        ("l", "L", tell("leave")),
        ("?", "?", tell("help")),
        ("q", "Q", tell("quit")),
    ]


def _bot_keys(scene: Scene) -> Keys:
    """Return the keys that seat bots; in a small window the line above names the levels."""
    if scene.width >= ROOMY:
        return [(key, key.upper(), shown(level)) for key, level in _BOT_KEYS.items()]
    *others, last = _BOT_KEYS
    return [*((key, key.upper(), "") for key in others), (last, last.upper(), tell("bot"))]


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to at a table before the start."""
    table = scene.model.table
    if table is None:
        return scene.to()
    row = _row(scene, table)
    match key:
        case "up" | "down":
            moved = (row + (1 if key == "down" else -1)) % len(table.seats)
            return scene.to(row=moved, note="")
        case "l":
            return scene.to(Leave(), row=0, note="")
    if not scene.model.seated:
        return scene.to()
    return _press_seated(scene, table, row, key)


def _press_seated(scene: Scene, table: TableState, row: int, key: str) -> Step:
    if not online(scene.model):
        return scene.say(tell("there is no connection; nothing was sent"))
    match key:
        case "enter" | " ":
            ready = all(table.seats[seat].ready for seat in scene.model.seated)
            return scene.to(SetReady(not ready), note="")
        case _ if key in _BOT_KEYS:
            return _seat_bot(scene, table, _BOT_KEYS[key], row)
        case "x" | "delete":
            if table.seats[row].state == "bot":
                return scene.to(RemoveBot(row), note="")
            if _other_person(scene, table, row):
                return scene.to(Kick(row), note="")
            return scene.say(tell("choose the seat of a bot or a person with ↑ and ↓ first"))
    return scene.to()


def _other_person(scene: Scene, table: TableState, row: int) -> bool:
    person = table.seats[row].state in ("seated", "dropped", "held")
    return person and row not in scene.model.seated


def _seat_bot(scene: Scene, table: TableState, level: Level, row: int) -> Step:
    """Seat a bot where the cursor is, or else on the first open seat."""
    here = row if table.seats[row].state == "open" else None
    return scene.to(AddBot(level, here), note="")


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to at a table before the start."""
    match spot:
        case OnKey(key):
            return press(scene, key)
        case OnRow(row):
            return scene.to(row=row, note="")
    return scene.to()
