"""The commands of the lobby: looking at tables, making one, joining, watching, coming back."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from kings_client.absence import ABSENCE, with_absence
from kings_client.choices import LEVELS, fault_line, read_value
from kings_client.intents import BeginAnew, BrowsePage, ComeBack, Join, MakeTable, Watch
from kings_client.plain.orders import Context, Step
from kings_client.thinking import USUAL, with_thinking
from kings_client.words import counts, spoken_table
from kings_client.words.people import table_of
from kings_client.words.tongue import later, tell
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, BadRules
from kings_protocol.limits import NAME_LENGTH, PASSWORD_LENGTH
from kings_protocol.messages import KnobValue, Level, TableLine
from kings_protocol.names import clean_name

_MAKE: Final = later("as in make pagat players=3 bots=easy,medium name=Kitchen")
OWN_OPTIONS: Final = ("name", "bots", "thinking", "password", "watchable", *ABSENCE)
"""The options of ``make`` beside the rules."""

_SWITCH: Final[Mapping[str, bool]] = {"on": True, "yes": True, "off": False, "no": False}


def listing(context: Context, words: Sequence[str]) -> Step:
    """List the tables of the page, or turn to another page."""
    lobby = context.model.lobby
    if lobby is None:
        return Step(no=tell("the list of tables has not come yet; try again"))
    if words:
        number = int(words[0]) if words[0].isdecimal() else 0
        if not 1 <= number <= max(lobby.pages, 1):
            return Step(
                no=tell(
                    "there is no page {page}; pages are 1 to {pages}",
                    page=words[0][:40],
                    pages=lobby.pages or 1,
                )
            )
        if number != lobby.page + 1:
            ok = tell(
                "page {number} of {pages}; type list to hear it.", number=number, pages=lobby.pages
            )
            return Step(ok=ok, intent=BrowsePage(number - 1))
    lines = spoken_table.lobby(lobby)
    kept = tuple(
        tell("your seat at {name} is kept; back takes it.", name=seat.name)
        for seat in context.model.kept
    )
    listed = tuple(line.table for line in lobby.tables)
    told = counts.tables(lobby.total)
    if lobby.pages > 1:
        at, pages = lobby.page + 1, lobby.pages
        told = tell("{tables}, page {page} of {pages}", tables=told, page=at, pages=pages)
    return Step((*lines, *kept), f"{told}.", listed=listed)


def join(context: Context, words: Sequence[str]) -> Step:
    """Sit down at a table."""
    line = _chosen(context, words, "join")
    if isinstance(line, str):
        return Step(no=line)
    password = " ".join(words[1:]) or None
    return Step(ok=tell("you sit down."), intent=Join(line.table, password))


def watch(context: Context, words: Sequence[str]) -> Step:
    """Look on at a table."""
    line = _chosen(context, words, "watch")
    if isinstance(line, str):
        return Step(no=line)
    if not line.watchable:
        return Step(no=tell("that table takes no spectators; join works if a seat is open"))
    return Step(ok=tell("you watch."), intent=Watch(line.table, " ".join(words[1:]) or None))


def back(context: Context, words: Sequence[str]) -> Step:
    """Take back a seat that was kept, or go on with the match that waits."""
    unfinished = context.model.unfinished
    if unfinished is not None:
        return Step(
            ok=tell("you are back at {name}.", name=unfinished.name),
            intent=ComeBack(unfinished.table),
        )
    kept = context.model.kept
    if not kept:
        return Step(no=tell("no seat is kept for you here; list shows the tables to join"))
    if len(kept) == 1 and not words:
        return Step(
            ok=tell("you are back at {name}.", name=kept[0].name), intent=ComeBack(kept[0].table)
        )
    names = "; ".join(f"{at} {seat.name}" for at, seat in enumerate(kept, 1))
    if len(words) != 1 or not words[0].isdecimal() or not 1 <= int(words[0]) <= len(kept):
        return Step(no=tell("write back and a number: {names}", names=names))
    seat = kept[int(words[0]) - 1]
    return Step(ok=tell("you are back at {name}.", name=seat.name), intent=ComeBack(seat.table))


def anew(context: Context, words: Sequence[str]) -> Step:
    """Give up the match that waits, and begin the one that was asked for."""
    if context.model.unfinished is None:
        return Step(no=tell("no match waits for you; make begins a new one"))
    if words:
        return Step(no=tell("anew takes nothing more; type anew"))
    return Step(ok=tell("the old match is given up."), intent=BeginAnew())


def make(context: Context, words: Sequence[str]) -> Step:
    """Make a table with the options given."""
    try:
        options = shlex.split(" ".join(words))
    except ValueError:
        return Step(no=tell("a quotation mark is not closed; close it"))
    preset, given = "pagat", dict[str, str]()
    for word in options:
        name, equals, value = word.partition("=")
        if not equals and word in PRESETS:
            preset = word
        elif not equals:
            return Step(
                no=tell(
                    "{word!r} is no set of rules ({sets}); {usage}",
                    word=word[:40],
                    sets=", ".join(PRESETS),
                    usage=tell(_MAKE),
                )
            )
        else:
            given[name.replace("-", "_")] = value
    knobs = {
        name: read_value(KNOBS[name], value) if name in KNOBS else value
        for name, value in given.items()
        if name not in OWN_OPTIONS
    }
    made = _made(context, preset, given, knobs)
    return (
        Step(no=made) if isinstance(made, str) else Step(ok=tell("the table is made."), intent=made)
    )


def _made(
    context: Context, preset: str, given: Mapping[str, str], knobs: dict[str, KnobValue]
) -> MakeTable | str:
    """Return the table that is wanted, or the first thing wrong with it."""
    unknown = next((name for name in knobs if name not in KNOBS), None)
    if unknown is not None:
        known = ", ".join((*OWN_OPTIONS, *KNOBS))
        return tell(
            "there is no option {option!r}; there are {options}", option=unknown[:40], options=known
        )
    try:
        rules = preset_rules(preset, knobs)
    except BadRules as bad:
        return "; ".join(fault_line(one, one.knob, given.get(one.knob)) for one in bad.faults)
    levels = [word.lower() for word in given.get("bots", "").split(",") if word]
    bots: tuple[Level, ...] = tuple(level for word in levels for level in LEVELS if level == word)
    if len(bots) < len(levels):
        return tell(
            "bots={given} has an unknown level; there are {levels}",
            given=given["bots"][:40],
            levels=", ".join(LEVELS),
        )
    if len(bots) >= rules.players:
        room = counts.bots(rules.players - 1)
        return tell(
            "with {players} players there is room for {bots} beside you",
            players=rules.players,
            bots=room,
        )
    watchable = _SWITCH.get(given.get("watchable", "on").lower())
    if watchable is None:
        return tell("watchable={given} is neither on nor off", given=given["watchable"][:40])
    name = clean_name(given.get("name", table_of(context.model.name)), NAME_LENGTH)
    if not name:
        return tell("the table's name needs a letter or two")
    password = given.get("password") or None
    if password is not None and len(password) > PASSWORD_LENGTH:
        return tell(
            "that password is too long; it has at most {limit} characters", limit=PASSWORD_LENGTH
        )
    table = MakeTable(
        name=name, preset=preset, knobs=knobs, password=password, watchable=watchable, bots=bots
    )
    faults: list[str] = []
    table = with_absence(table, given, faults)
    table = with_thinking(table, given.get("thinking", USUAL), faults, "thinking")
    return "; ".join(faults) or table


def _chosen(context: Context, words: Sequence[str], verb: str) -> TableLine | str:
    """Return the table that a number stands for, or what is wrong with it."""
    lobby = context.model.lobby
    known = {line.table: line for line in (lobby.tables if lobby is not None else ())}
    listed = context.listed or tuple(known)
    if not listed:
        return tell("there is no table here; make opens one")
    usage = tell(
        "write {command} and a table's number, 1 to {last}; list tells them",
        command=verb,
        last=len(listed),
    )
    if not words or not words[0].isdecimal() or not 1 <= int(words[0]) <= len(listed):
        return usage
    line = known.get(listed[int(words[0]) - 1])
    if line is None:
        return tell("that table is gone; list tells which there are")
    if line.locked and len(words) < 2:
        return tell(
            "that table has a password; write {command} and the password",
            command=f"{verb} {words[0]}",
        )
    password = " ".join(words[1:])
    if len(password) > PASSWORD_LENGTH:
        return tell(
            "that password is too long; it has at most {limit} characters", limit=PASSWORD_LENGTH
        )
    return line
