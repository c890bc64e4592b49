"""The list of all commands, and how a typed line becomes a step."""

from collections.abc import Mapping, Sequence
from typing import Final

from kings_client.intents import Quit, RetryNow
from kings_client.model import Linked, Model
from kings_client.plain import moderation, near, playing, sitting, visiting
from kings_client.plain.orders import (
    Command,
    Context,
    Run,
    Step,
    Where,
    find,
    own_word,
    possible,
    where,
)
from kings_client.words.tongue import later, tell

_EVERYWHERE: Final[tuple[Where, ...]] = ("table", "lobby", "offline", "welcome")


def obey(context: Context, line: str) -> Step:
    """Return what a typed line leads to; nothing is changed by it.

    Args:
        context: what the line is judged by.
        line: what was typed; it names a command in its first word.
    """
    word, *words = line.split()
    command = find(COMMANDS, word.lower(), context.model)
    if isinstance(command, str):
        return Step(no=command)
    return command.run(context, words)


def _help(context: Context, words: Sequence[str]) -> Step:
    here = possible(COMMANDS, context.model)
    if words:
        found = find(COMMANDS, words[0].lower(), context.model)
        if isinstance(found, str):
            return Step(no=found)
        return Step(ok=_line(found))
    lines = tuple(_line(one) for one in here)
    return Step(lines, tell("a command can be shortened while it stays clear: p for play."))


def _line(command: Command) -> str:
    own = own_word(command.name)
    name = command.name if own == command.name else f"{command.name} ({own})"
    usage = f"{name} {tell(command.usage)}".rstrip()
    return f"{usage}: {tell(command.about)}."


def _retry(context: Context, _: Sequence[str]) -> Step:
    if context.model.link.state == Linked.ONLINE:
        return Step(no=tell("the connection stands; there is nothing to try again"))
    return Step(ok=tell("trying again."), intent=RetryNow())


def _quit(context: Context, words: Sequence[str]) -> Step:
    stop = list(words) == ["stop"]
    if words and not stop:
        return Step(no=tell("write quit, or quit stop to stop your server too"))
    model = context.model
    if model.hosting is not None:
        return Step(ok=_of_ones_server(model, stop), intent=Quit(stop))
    running = model.table is not None and model.table.phase in ("offering", "playing", "between")
    if running and model.seat is not None and model.keeps:
        return Step(ok=tell("goodbye; your seat is kept for a while."), intent=Quit(stop))
    return Step(ok=tell("goodbye."), intent=Quit(stop))


def _of_ones_server(model: Model, stop: bool) -> str:
    if stop:
        return tell("goodbye; your server stops, and keeps its tables.")
    if model.guests:
        return tell("goodbye; your server goes on for the others.")
    return tell("goodbye; nobody else has a seat on your server, so it stops; it keeps its tables.")


def _join(context: Context, words: Sequence[str]) -> Step:
    if where(context.model) == "welcome":
        return near.join(context, words)
    return visiting.join(context, words)


def _command(name: str, usage: str, about: str, where: tuple[Where, ...], run: Run) -> Command:
    return Command(name, usage, about, where, run)


COMMANDS: Final[Mapping[str, Command]] = {
    one.name: one
    for one in (
        _command(
            "play",
            later("CARD PLACE"),
            later("play a card, as in play 9h e"),
            ("table",),
            playing.play,
        ),
        _command(
            "move",
            later("FROM TO"),
            later("move a pile, as in move n sw"),
            ("table",),
            playing.move,
        ),
        _command(
            "stock",
            later("PLACE"),
            later("play the top card of an open stock"),
            ("table",),
            playing.stock,
        ),
        _command("end", "", later("end your turn"), ("table",), playing.end),
        _command(
            "draw",
            "",
            later("draw and end your turn"),
            ("table",),
            playing.draw,
        ),
        _command("can", "", later("what is possible now, as it is typed"), ("table",), playing.can),
        _command("hint", "", later("what a good player might do"), ("table",), playing.hint),
        _command("hand", "", later("your cards"), ("table",), playing.hand),
        _command("table", "", later("what lies on the table"), ("table",), sitting.look),
        _command("scores", "", later("everybody's points"), ("table",), sitting.scores),
        _command("fair", "", later("what is proved of the decks"), ("table",), sitting.fair),
        _command("who", "", later("who sits where, with how many cards"), ("table",), sitting.who),
        _command("rules", "", later("the rules of this table"), ("table",), sitting.rules),
        _command("say", later("WORDS"), later("say a line to the others"), ("table",), sitting.say),
        _command(
            "ready",
            later("[off]"),
            later("be ready for the next deal or match"),
            ("table",),
            sitting.ready,
        ),
        _command(
            "bot",
            later("LEVEL|off [SEAT]"),
            later("seat a bot before the start"),
            ("table",),
            sitting.bot,
        ),
        _command(
            "pause",
            later("[off]"),
            later("want a pause in the match, or its end"),
            ("table",),
            sitting.pause,
        ),
        _command(
            "vote",
            later("SEAT [off]"),
            later("want a bot in place of somebody"),
            ("table",),
            sitting.vote,
        ),
        _command(
            "kick",
            later("SEAT|watchers"),
            later("take somebody from the table before the start, or all who watch"),
            ("table",),
            moderation.kick,
        ),
        _command(
            "silence",
            later("SEAT|watchers [off]"),
            later("let somebody at your table say nothing"),
            ("table",),
            moderation.silence,
        ),
        _command(
            "ignore",
            later("SEAT|watchers [off]"),
            later("see no more what somebody says"),
            ("table",),
            moderation.ignore,
        ),
        _command(
            "leave",
            later("[yes]"),
            later("leave the table for the lobby"),
            ("table",),
            sitting.leave,
        ),
        _command(
            "servers",
            later("[SECONDS]"),
            later("the servers on your network, or waiting for the first one"),
            ("welcome", "offline"),
            near.listing,
        ),
        _command(
            "list", later("[PAGE]"), later("the tables of the server"), ("lobby",), visiting.listing
        ),
        _command(
            "make",
            later("[RULES] [OPTION=VALUE ...]"),
            later("make a table"),
            ("lobby",),
            visiting.make,
        ),
        _command(
            "join",
            later("NUMBER [PASSWORD]"),
            later("sit down at a table, or go to a server by its number or address"),
            ("lobby", "welcome"),
            _join,
        ),
        _command(
            "watch",
            later("NUMBER [PASSWORD]"),
            later("look on at a table"),
            ("lobby",),
            visiting.watch,
        ),
        _command(
            "back",
            later("[NUMBER]"),
            later("take back a seat that was kept"),
            ("lobby",),
            visiting.back,
        ),
        _command(
            "anew", "", later("give up the match that waits, begin anew"), ("lobby",), visiting.anew
        ),
        _command(
            "wait",
            "",
            later("be answered when there is something to do"),
            ("table", "lobby"),
            sitting.wait,
        ),
        _command("retry", "", later("connect again at once"), ("offline", "table"), _retry),
        _command(
            "help", later("[COMMAND]"), later("the commands that work now"), _EVERYWHERE, _help
        ),
        _command("quit", later("[stop]"), later("end the program"), _EVERYWHERE, _quit),
    )
}
"""Every command by its name, in the order in which help lists them."""
