"""The people at the table, and what one asks of them: a pause, a bot at a seat, or to go."""

from typing import Final

from kings_client.intents import Ignore, Kick, Pause, Silence, Vote
from kings_client.model import Model
from kings_client.parts.bars import ADDRESSES
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, pad, width_of, wrap
from kings_client.parts.names import short_name
from kings_client.parts.panel import button, frame, put_row, row_width
from kings_client.parts.players import state_of
from kings_client.screens.knowing import online
from kings_client.screens.state import Scene, Step
from kings_client.words.counts import spectators
from kings_client.words.presence import bot_wanted
from kings_client.words.servers import no_address
from kings_client.words.tongue import tell
from kings_protocol.messages import TableState

_WIDTH: Final = 72
_NAME: Final = 24
_PEOPLE: Final = ("seated", "dropped", "held")


def draw(scene: Scene) -> Canvas:
    """Draw the list of seats, and the answers that can be given."""
    table = scene.model.table
    if table is None:
        return Canvas(0, 0)
    width = min(_WIDTH, scene.width)
    lines = [(at, line) for at in range(_rows(table)) for line in _lines(scene, table, at)]
    facts = _server(scene.model)
    height = len(lines) + max(len(facts), 1) + 3
    box = frame(width, height, tell("people"), scene.ui.look, tell("Esc closes"))
    for y, (at, line) in enumerate(lines, 1):
        style = "class:row" if at == _row(scene, table) else ""
        box.put(1, y, pad(line, width - 2), style)
        box.mark(1, y, width - 2, 1, OnRow(at))
    for y, (style, fact) in enumerate(facts, len(lines) + 1):
        box.put(2, y, fact, style)
    x, y = 2, height - 2
    for key, label in _choices(scene, table):
        row = button("Esc" if key == "escape" else key.upper(), label)
        if x + row_width(row) > width - 1:
            break
        put_row(box, x, y, row)
        box.mark(x, y, row_width(row), 1, OnKey(key))
        x += row_width(row) + 2
    box.mark(width - 14, 0, 14, 1, OnKey("escape"))
    return box


def _server(model: Model) -> list[tuple[str, str]]:
    """Return what others need to come here too: the addresses, for who hosts, and the code."""
    security, facts = model.link.security, []
    if model.hosting is not None:
        shown = model.hosting.addresses[:ADDRESSES]
        facts.append(("", tell("Others on your network join with") if shown else no_address()))
        facts += [("class:key", f"  kings join {address}") for address in shown]
    if security is not None and security.code:
        facts.append(("class:dim", tell("the server's code: {code}", code=security.code)))
    return facts


def _rows(table: TableState) -> int:
    """Return how many rows there are: one a seat, and one for all who watch, if anybody does."""
    return len(table.seats) + bool(table.watchers or table.silent)


def _row(scene: Scene, table: TableState) -> int:
    return scene.ui.person % _rows(table)


def _name(table: TableState, at: int) -> str | None:
    """Return by which name the lines of a row's people are known; nothing for who watches."""
    return table.seats[at].name if at < len(table.seats) else None


def _lines(scene: Scene, table: TableState, at: int) -> list[str]:
    """Return what is to be known of a row's people, the name before its first line."""
    width = min(_WIDTH, scene.width) - 2
    named = min(_NAME, width // 3)
    ignored = tell("ignored") if _name(table, at) in scene.model.ignored else ""
    if at == len(table.seats):
        said = (tell("silent") if table.silent else "", ignored)
        return [f"    {pad(spectators(table.watchers), named)}{', '.join(filter(None, said))}"]
    sitting, me = table.seats[at], scene.model.seat
    parts = [state_of(None, sitting, table, scene.now - scene.model.table_at)]
    if at == table.host:
        parts.append(tell("host"))
    if sitting.pause and not table.paused:
        parts.append(tell("wants a pause"))
    parts += [bot_wanted(table, at, me), tell("silent") if sitting.silent else "", ignored]
    called = short_name(table, at, me, named - 1)
    name = tell("seat {seat}", seat=at + 1) if sitting.state == "open" else called
    heads = [f" {at + 1}  {pad(name, named)}"]
    told = wrap(", ".join(filter(None, parts)), width - width_of(heads[0])) or [""]
    heads += [" " * width_of(heads[0])] * (len(told) - 1)
    return [head + line for head, line in zip(heads, told, strict=True)]


def _choices(scene: Scene, table: TableState) -> list[tuple[str, str]]:
    """Return the keys of what can be asked for now, each with its label."""
    model, at = scene.model, _row(scene, table)
    running = table.phase in ("offering", "playing", "between")
    mine = model.seated
    choices = []
    if running and mine:
        wants = all(table.seats[seat].pause for seat in mine)
        go_on = tell("Go on") if table.paused else tell("No pause after all")
        choices.append(("p", go_on if wants else tell("Pause")))
    if at == len(table.seats):
        if table.host in mine:
            choices.append(("k", tell("Take out")))
            choices.append(("s", tell("Let speak") if table.silent else tell("Silence")))
    elif mine and at not in mine and table.seats[at].state in _PEOPLE:
        name = short_name(table, at, None, _NAME // 2)
        if running:
            voted = set(mine) <= set(table.seats[at].votes)
            choices.append(
                (
                    "v",
                    tell("Keep {name}", name=name)
                    if voted
                    else tell("A bot for {name}", name=name),
                )
            )
        elif table.host in mine:
            choices.append(("k", tell("Take out {name}", name=name)))
        if table.host in mine:
            choices.append(("s", tell("Let speak") if table.seats[at].silent else tell("Silence")))
    if at == len(table.seats) or (at not in mine and table.seats[at].state in _PEOPLE):
        hidden = _name(table, at) in model.ignored
        choices.append(("i", tell("Show lines") if hidden else tell("Ignore")))
    return [*choices, ("escape", tell("Close"))]


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to while the list is open."""
    table = scene.model.table
    if table is None or key == "escape" or key == "q":
        return scene.to(overlay=None)
    row = _row(scene, table)
    at = row if row < len(table.seats) else None
    match key:
        case "up" | "s-tab":
            return scene.to(person=(row - 1) % _rows(table))
        case "down" | "tab":
            return scene.to(person=(row + 1) % _rows(table))
    if key not in dict(_choices(scene, table)):
        return scene.to()
    if key == "i":
        name = _name(table, row)
        return scene.to(Ignore(name, name not in scene.model.ignored), overlay=None, note="")
    if not online(scene.model):
        return scene.to(overlay=None, note=tell("there is no connection; nothing was sent"))
    match key:
        case "p":
            wants = all(table.seats[seat].pause for seat in scene.model.seated)
            return scene.to(Pause(not wants), overlay=None, note="")
        case "v":
            voted = set(scene.model.seated) <= set(table.seats[row].votes)
            return scene.to(Vote(row, not voted), overlay=None, note="")
        case "s":
            silent = table.silent if at is None else table.seats[at].silent
            return scene.to(Silence(at, not silent), overlay=None, note="")
        case _:
            return scene.to(Kick(at), overlay=None, note="")


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to while the list is open."""
    match spot:
        case OnKey(key):
            return press(scene, key)
        case OnRow(row):
            return scene.to(person=row)
    return scene.to()
