"""The commands of the line mode: their names, where they work, and how one is found."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, Literal, TypeAlias

from attrs import frozen

from kings_client.intents import Intent
from kings_client.model import Linked, Model
from kings_client.words.tongue import any_of, later, later_as, tell, tell_as

Where: TypeAlias = Literal["welcome", "lobby", "table", "offline"]


@frozen
class Step:
    """What a command leads to: an answer, or something to be asked of the server first.

    Attributes:
        lines: what is said before the answer.
        ok: the answer where all is well: at once, or when the server has agreed.
        no: why it is not done.
        intent: what the server, or the link, is asked for.
        listed: the tables that numbers stand for from now on.
        waits: whether the answer comes when there is something to do again.
        patience: seconds for which a server on the network is waited for, if one is.
    """

    lines: tuple[str, ...] = ()
    ok: str = ""
    no: str = ""
    intent: Intent | None = None
    listed: tuple[str, ...] | None = None
    waits: bool = False
    patience: float = 0.0


@frozen
class Context:
    """What a command is judged by: what is known, the tables listed last, and the time."""

    model: Model
    listed: tuple[str, ...] = ()
    now: float = 0.0


Run: TypeAlias = Callable[[Context, Sequence[str]], Step]


@frozen
class Command:
    """One command."""

    name: str
    usage: str
    about: str
    where: tuple[Where, ...]
    run: Run


def where(model: Model) -> Where:
    """Return which commands are possible."""
    if model.at_home:
        return "welcome"
    if model.link.state != Linked.ONLINE and model.table is None:
        return "offline"
    return "table" if model.table is not None else "lobby"


def possible(commands: Mapping[str, Command], model: Model) -> tuple[Command, ...]:
    """Return the commands that work now, in the order in which they are listed."""
    return tuple(one for one in commands.values() if where(model) in one.where)


def find(commands: Mapping[str, Command], word: str, model: Model) -> Command | str:
    """Return the command that ``word`` names or begins, or why there is none."""
    word = _SYNONYMS.get(word, word)
    own = {tell_as(*pair): pair[1] for pair in WORDS}
    begin = [own[one] for one in own if one == word or one.startswith(word)]
    word = own.get(word) or (begin[0] if len(begin) == 1 else word)
    here = {one.name: one for one in possible(commands, model)}
    if word in here:
        return here[word]
    begun = [name for name in here if name.startswith(word)]
    if len(begun) == 1:
        return here[begun[0]]
    if begun:
        return tell(
            "{word} can mean {commands}; write more of it", word=word, commands=any_of(begun)
        )
    elsewhere = [name for name in commands if name.startswith(word)]
    if elsewhere:
        message = _ELSEWHERE[commands[elsewhere[0]].where[0]]
        return tell(message, command=elsewhere[0], commands=any_of(here))
    close = get_close_matches(word, commands, 1)
    if close:
        return tell(
            "there is no command {word!r}; did you mean {close}? Type help for all of them",
            word=word[:40],
            close=close[0],
        )
    return tell("there is no command {word!r}; type help for all of them", word=word[:40])


WORDS: Final = (
    later_as("command", "play"),
    later_as("command", "move"),
    later_as("command", "stock"),
    later_as("command", "end"),
    later_as("command", "draw"),
    later_as("command", "can"),
    later_as("command", "hint"),
    later_as("command", "hand"),
    later_as("command", "table"),
    later_as("command", "scores"),
    later_as("command", "fair"),
    later_as("command", "who"),
    later_as("command", "rules"),
    later_as("command", "say"),
    later_as("command", "ready"),
    later_as("command", "bot"),
    later_as("command", "pause"),
    later_as("command", "vote"),
    later_as("command", "kick"),
    later_as("command", "silence"),
    later_as("command", "ignore"),
    later_as("command", "wait"),
    later_as("command", "leave"),
    later_as("command", "servers"),
    later_as("command", "list"),
    later_as("command", "make"),
    later_as("command", "join"),
    later_as("command", "watch"),
    later_as("command", "back"),
    later_as("command", "anew"),
    later_as("command", "retry"),
    later_as("command", "help"),
    later_as("command", "quit"),
)
"""Every command; a language may have a word of its own for it, beside the English one."""


def own_word(name: str) -> str:
    """Return the word of the language in use for a command."""
    return tell_as("command", name)


_SYNONYMS: Final = {
    "p": "play", "?": "help", "exit": "quit", "pass": "end", "chat": "say",
}  # fmt: skip
_ELSEWHERE: Final[Mapping[Where, str]] = {
    "welcome": later("{command} works where no server is chosen yet; here you can type {commands}"),
    "lobby": later(
        "{command} works in the lobby only (leave goes there); here you can type {commands}"
    ),
    "table": later("{command} works at a table only; here you can type {commands}"),
    "offline": later("{command} works without a connection only; here you can type {commands}"),
}
