"""Forms: fields of text and of choices, filled in by keys or clicks, and what they ask for."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from attrs import evolve

from kings_client.absence import ABSENCE, ABSENT, with_absence
from kings_client.choices import LEVELS, allowed
from kings_client.intents import (
    AcceptCode,
    GivePassword,
    Intent,
    Join,
    MakeTable,
    StartHost,
    StartJoin,
    StartPlay,
    Watch,
)
from kings_client.model import Model
from kings_client.parts.bars import keys
from kings_client.parts.canvas import Canvas, OnKey, OnRow, Spot, wrap
from kings_client.parts.panel import button, frame, put_row, row_width
from kings_client.screens.draft import Draft, draw_draft, written
from kings_client.screens.fields import Field
from kings_client.screens.knobs import KNOB_FIELDS, faults_of, knobs_of, preset_value
from kings_client.screens.state import Form, FormKind, Scene, Step
from kings_client.thinking import USUAL, with_thinking
from kings_client.words.knobs import changed, possible
from kings_client.words.knobs import value as shown
from kings_client.words.people import about_level, table_of
from kings_client.words.refusals import not_offered
from kings_client.words.rules import about_preset
from kings_client.words.tongue import later, tell, tell_some
from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS, PLAYERS
from kings_protocol.identity_code import read_code
from kings_protocol.limits import NAME_LENGTH, PASSWORD_LENGTH
from kings_protocol.messages import KnobValue, Level

_ADDRESS_LENGTH = 260
_PORT_LENGTH = 5


_NAME = Field("name", later("your name"))
_RULES = Field("preset", later("rules"), tuple(PRESETS))
_PLAYERS = Field("players", later("players"), tuple(map(str, PLAYERS)))
_LEVEL = Field("level", later("level of the bots"), LEVELS)
_THINKING = Field(
    "thinking",
    later("master thinks"),
    ("0.1", "0.3", "1", "3", "10"),
    about=later("Seconds for a turn: bots of the level master use what they are given."),
)
_BOTS = Field("bots", later("bots"), ("0", "1", "2", "3"), about=later("Bots take the last seats."))
_PASSWORD = Field(
    "password",
    later("password"),
    limit=PASSWORD_LENGTH,
    hidden=True,
    about=later("Leave it empty to let everybody join."),
)
_OF_TABLE = evolve(_PASSWORD, about=later("The table asks for its password."))
_OF_SERVER = evolve(_PASSWORD, about=later("The server asks for its password."))
_HERE = Field(
    "here",
    later("others here"),
    limit=(max(PLAYERS) - 1) * (NAME_LENGTH + 2),
    about=later("The names of the others at this keyboard, with commas between; or nothing."),
)
_TABLE = Field("table", later("name of the table"))
_WATCHABLE = Field("watchable", later("spectators"), ("yes", "no"))
_PORT = Field(
    "port", later("port"), limit=_PORT_LENGTH, about=later("Leave it empty for the usual port.")
)
_ADDRESS = Field(
    "address",
    later("address"),
    limit=_ADDRESS_LENGTH,
    about=later("HOST or HOST:PORT, as the other computer's screen shows it."),
)

_CODE = Field(
    "code",
    later("end of the code"),
    about=later("Type the last four characters of the new code, as its host reads them to you."),
)

_GONE = (
    Field(
        "absent",
        later("somebody gone"),
        ABSENT,
        about=later("Their seat waits, a bot plays, turns are skipped, or the seat is given up."),
    ),
    Field(
        "grace_seconds",
        later("seconds kept"),
        ("15", "30", "60", "120", "300", "900", "3600"),
        about=later("How long the seat of somebody gone is kept before that."),
    ),
    Field(
        "away_seconds",
        later("seconds idle"),
        ("30", "60", "120", "180", "300", "900", "3600"),
        about=later("Who presses no key for so long on their turn counts as gone."),
    ),
)

_NEEDED: Final = (_NAME, _TABLE, _ADDRESS, _OF_TABLE, _OF_SERVER)
"""Fields that cannot stay empty."""

VALUES_AT: Final = 22
"""The column of what is filled in; labels begin in the fourth."""

_WHOLE = (_RULES, *KNOB_FIELDS, *_GONE)

FIELDS: Final[dict[FormKind, tuple[Field, ...]]] = {
    "play": (_NAME, _PLAYERS, _LEVEL, _THINKING, _HERE, _RULES, *KNOB_FIELDS),
    "host": (_NAME, _TABLE, _PLAYERS, _BOTS, _LEVEL, _THINKING, _PASSWORD, _PORT, _HERE, *_WHOLE),
    "join": (_ADDRESS, _NAME, _HERE),
    "make": (_TABLE, _PLAYERS, _BOTS, _LEVEL, _THINKING, _PASSWORD, _WATCHABLE, *_WHOLE),
    "join_locked": (_OF_TABLE,),
    "watch_locked": (_OF_TABLE,),
    "accept": (_CODE,),
    "enter": (_OF_SERVER,),
}
"""The fields of each form, from top to bottom."""

_TITLES: Final[dict[FormKind, tuple[str, str]]] = {
    "play": (later("play against the computer"), later("Play")),
    "host": (later("host a table for others"), later("Open the table")),
    "join": (later("join a server"), later("Connect")),
    "make": (later("make a table"), later("Make it")),
    "join_locked": (later("join the table"), later("Join")),
    "watch_locked": (later("watch the table"), later("Watch")),
    "accept": (later("take it for the server you mean"), later("Accept")),
    "enter": (later("enter the server"), later("Enter it")),
}


def open_form(kind: FormKind, model: Model, about: str = "", typed: str = "") -> Form:
    """Return a form with what can be guessed already filled in.

    Args:
        kind: which one.
        model: what is known.
        about: the table that it is about, where it is about one.
        typed: the address that was typed last: it may be mended, if it did not lead anywhere.
    """
    name = model.name or tell("Player")
    guesses = {
        "name": name,
        "table": table_of(name)[:NAME_LENGTH],
        "address": "" if any(one.address == typed for one in model.recent) else typed,
        "preset": "pagat",
        "level": "medium",
        "players": str(max(2 if kind == "play" else 4, 1 + len(model.company))),
        "here": ", ".join(model.company),
        "bots": "0",
        "watchable": "yes",
        "thinking": USUAL,
        **ABSENCE,
    }
    values = {field.name: written(guesses.get(field.name, "")) for field in FIELDS[kind]}
    return Form(kind, values, about=about)


def press(scene: Scene, form: Form, key: str) -> Step:
    """Return what a key leads to while the form is open."""
    fields = FIELDS[form.kind]
    field = fields[form.row]
    match key:
        case "escape":
            return scene.to(form=None, note="")
        case "enter":
            return _submitted(scene, form)
        case "up" | "s-tab":
            return scene.to(form=evolve(form, row=(form.row - 1) % len(fields)))
        case "down" | "tab":
            return scene.to(form=evolve(form, row=(form.row + 1) % len(fields)))
    steps = {"left": -1, "right": 1} if field.writes else {"left": -1, "right": 1, " ": 1}
    if field.choices and (key in steps or not field.writes):
        value = _chosen(field, form.fields[field.name].text, steps.get(key, 0))
    else:
        value = form.fields[field.name].press(key, field.limit)
    return scene.to(form=evolve(form, fields={**form.fields, field.name: value}), note="")


def click(scene: Scene, form: Form, spot: Spot) -> Step:
    """Return what a click leads to while the form is open: another field, or its next choice."""
    if isinstance(spot, OnKey):
        return press(scene, form, spot.key)
    if isinstance(spot, OnRow) and spot.row < len(FIELDS[form.kind]):
        moved = evolve(form, row=spot.row)
        if spot.row == form.row and FIELDS[form.kind][spot.row].choices:
            return press(scene, form, "right")
        return scene.to(form=moved)
    return scene.to()


def writes(form: Form) -> bool:
    """Say whether the cursor is in a field of text."""
    return FIELDS[form.kind][form.row].writes


def draw(scene: Scene, form: Form) -> Canvas:
    """Draw the form's box."""
    fields = FIELDS[form.kind]
    width = min(62, scene.width)
    heading, does = _TITLES[form.kind]
    shown = min(len(fields), max(scene.height - 9, 1))
    # The cursor's field is in sight, and a few after it.
    first = min(max(form.row - max(shown - 4, 0), 0), len(fields) - shown)
    canvas = frame(width, shown + 7, tell(heading), scene.ui.look)
    faults = faults_of(form.fields)
    for y, at in enumerate(range(first, first + shown), 1):
        _draw_field(canvas, scene, form, at, y, wrong=fields[at].name in faults)
    if first + shown < len(fields):
        canvas.put(width - 9, shown + 1, tell("↓ more"), "class:label")
    style, text = _about(scene, form, faults)
    for y, line in enumerate(wrap(text, width - 4)[:3], shown + 2):
        canvas.put(2, y, line, style)
    x = 2
    for key, named, label in (("enter", "Enter", tell(does)), ("escape", "Esc", tell("Back"))):
        row = button(named, label)
        put_row(canvas, x, canvas.height - 2, row)
        canvas.mark(x, canvas.height - 2, row_width(row), 1, OnKey(key))
        x += row_width(row) + 2
    return canvas


def _about(scene: Scene, form: Form, faults: dict[str, str]) -> tuple[str, str]:
    """Return the style and the text of the lines about the field under the cursor."""
    field = FIELDS[form.kind][form.row]
    if scene.ui.note:
        return "class:note", scene.ui.note
    if field.name in faults:
        return "class:bad", faults[field.name]
    if field is _RULES and form.fields["preset"].text in PRESETS:
        return "class:dim", about_preset(form.fields["preset"].text)
    if field is _LEVEL:
        level = _level({"level": form.fields["level"].text})
        if level in scene.model.missing:
            return "class:bad", not_offered(shown(level), scene.model.missing[level])
        return "class:dim", about_level(level)
    if field in KNOB_FIELDS and field.writes:
        usual = preset_value(form.fields, field.name)
        return "class:dim", possible(field.about, allowed(KNOBS[field.name]), usual)
    return "class:dim", tell(field.about)


def draw_keys(scene: Scene) -> Canvas:
    """Draw the line of keys for while a form is open."""
    moves = [("down", "↑↓", tell("next field")), ("", "←→", tell("change it"))]
    ends = [("enter", "Enter", tell("do it")), ("escape", "Esc", tell("back"))]
    return keys([*moves, *ends], scene.width)


def _draw_field(canvas: Canvas, scene: Scene, form: Form, at: int, y: int, *, wrong: bool) -> None:
    here, field = at == form.row, FIELDS[form.kind][at]
    mark = scene.ui.look.no if wrong else ">" if here else " "
    style = "class:bad" if wrong else "class:title" if here else ""
    canvas.put(2, y, f"{mark} {tell(field.label)}", style)
    value, left = form.fields[field.name], VALUES_AT
    room = canvas.width - left - 3
    knob = field in KNOB_FIELDS
    if knob and not value.text and (field.choices or not here):
        text = shown(preset_value(form.fields, field.name))
        canvas.put(left, y, f"← {text} →" if here else f"  {text}", "class:dim")
    elif field.choices and (value.text in field.choices or not here):
        other = knob and value.text != preset_value(form.fields, field.name)
        text = changed(shown(value.text)) if other else shown(value.text)
        canvas.put(left, y, f"← {text} →" if here else f"  {text}", "class:chosen" if here else "")
    else:
        drawn = draw_draft(value, room, "class:field", cursor=here, hidden=field.hidden)
        canvas.paste(left, y, drawn)
    canvas.mark(1, y, canvas.width - 2, 1, OnRow(at))


def _chosen(field: Field, value: str, step: int) -> Draft:
    at = field.choices.index(value) if value in field.choices else 0
    return written(field.choices[(at + step) % len(field.choices)])


def _submitted(scene: Scene, form: Form) -> Step:
    values = {name: draft.text.strip() for name, draft in form.fields.items()}
    for at, field in enumerate(FIELDS[form.kind]):
        if field in _NEEDED and not values[field.name]:
            return scene.to(
                form=evolve(form, row=at),
                note=tell("please fill in: {label}", label=tell(field.label)),
            )
    faults = faults_of(form.fields)
    for at, field in enumerate(FIELDS[form.kind]):
        if field.name in faults:
            return scene.to(form=evolve(form, row=at), note=faults[field.name])
    made = _MAKERS[form.kind](values, form.about)
    if isinstance(made, str):
        return scene.say(made)
    return scene.to(made, form=None, note="", typed=values.get("address", scene.ui.typed))


def _table(values: dict[str, str]) -> MakeTable | str:
    players, bots = int(values["players"]), int(values["bots"])
    if bots >= players:
        return tell_some(
            "at a table of {players} there is room for {count} bot beside you",
            "at a table of {players} there is room for {count} bots beside you",
            players - 1,
            players=players,
        )
    table = MakeTable(
        name=values["table"],
        preset=values["preset"],
        knobs=_knobs(values),
        password=values["password"] or None,
        watchable=values.get("watchable", "yes") == "yes",
        bots=(_level(values),) * bots,
    )
    return with_thinking(with_absence(table, values, []), values["thinking"], [], "")


def _knobs(values: dict[str, str]) -> dict[str, KnobValue]:
    return knobs_of({name: written(text) for name, text in values.items()})


def _level(values: dict[str, str]) -> Level:
    return next(level for level in LEVELS if level == values["level"])


def _others(values: dict[str, str], seats: int) -> tuple[str, ...] | str:
    """Return the names of the others at this keyboard, or what is wrong with them."""
    names = tuple(name.strip() for name in values["here"].split(",") if name.strip())
    if len({values["name"], *names}) <= len(names):
        return tell("everybody at this keyboard needs a name of their own")
    if len(names) >= seats:
        return tell("there is room for {seats} others at this keyboard", seats=seats - 1)
    return names


def _play(values: dict[str, str], _: str) -> Intent | str:
    players = int(values["players"])
    others = _others(values, players)
    if isinstance(others, str):
        return others
    table = MakeTable(
        name=table_of(values["name"])[:NAME_LENGTH],
        preset=values["preset"],
        knobs=_knobs(values),
        bots=(_level(values),) * (players - 1 - len(others)),
    )
    table = with_thinking(table, values["thinking"], [], "")
    return StartPlay(table, values["name"], others)


def _join(values: dict[str, str], _: str) -> Intent | str:
    others = _others(values, max(PLAYERS))
    if isinstance(others, str):
        return others
    return StartJoin(values["address"], values["name"], others)


def _accepted(typed: str, code: str) -> Intent | str:
    """Accept a code of which the last four characters were typed, or all."""
    group = code.rpartition("-")[2]
    with suppress(ValueError):
        if read_code(code[: -len(group)] + typed if len(typed) == len(group) else typed) == code:
            return AcceptCode(code)
    return tell("that is not how the new code ends; it was not accepted")


def _host(values: dict[str, str], _: str) -> Intent | str:
    port = values["port"]
    if port and not (port.isdecimal() and int(port) < 65536):
        return tell("{port} is no port: write a number from 0 to 65535, or nothing", port=port)
    table = _table(values)
    if isinstance(table, str):
        return table
    others = _others(values, int(values["players"]) - len(table.bots))
    if isinstance(others, str):
        return others
    return StartHost(table, values["name"], int(port) if port else None, others)


_MAKERS: Final[dict[FormKind, Callable[[dict[str, str], str], Intent | str]]] = {
    "play": _play,
    "host": _host,
    "join": _join,
    "make": lambda values, _: _table(values),
    "join_locked": lambda values, table: Join(table, values["password"]),
    "watch_locked": lambda values, table: Watch(table, values["password"]),
    "accept": lambda values, code: _accepted(values["code"], code),
    "enter": lambda values, _: GivePassword(values["password"]),
}
