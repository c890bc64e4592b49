"""The command ``kings``.

Every command but the screens ends in plain lines; what a person can do something about is one clear
line on standard error. Exit codes: 0 all is well, 1 it failed, 2 wrong options.
"""

import argparse
import getpass
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from kings_client.intents import Start
from kings_client.words.tongue import chosen, tell, use

FAILED: Final = 1
MISUSED: Final = 2

DISCOVERY: Final = "KINGS_DISCOVERY"
"""The environment variable that says whether servers are looked for: ``on`` or ``off``."""

HANDED_ON: Final = ("serve", "arena", "admin", "doctor", "restore")
"""Commands of the server's package; they are run by its name, for nothing here may import it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``, and return the exit code."""
    sys.excepthook = _report
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in HANDED_ON:
        return _hand_on(arguments)
    from kings_client.options import make_parsers

    _speak()
    options = make_parsers()[0].parse_args(arguments)
    match options.command:
        case "rules":
            return _printed(lambda: _rules(options))
        case "verify":
            return _printed(lambda: _verify(options.file))
        case "history":
            return _printed(lambda: _history(results=options.results))
        case "play" if options.keep_nothing:
            return _keeping_nothing(lambda: _table(options))
        case "play" | "host":
            return _table(options)
        case "join":
            return _join(options)
        case "completion":
            return _printed(lambda: _completion(options.shell))
        case "bot":
            from kings_client.outside.command import play

            return play(options)
    return _screen(None, seeks=_seeks(options))


def _speak() -> None:
    """Speak the language that the settings or the environment choose."""
    from kings_client.settings_file import config_folder, load

    use(chosen(load(config_folder()).settings.language))


# ---- commands without a screen


def _printed(command: Callable[[], int]) -> int:
    """Run a command that only prints; a reader who has seen enough (``head``) is no error."""
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still to be written at the end has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _hand_on(arguments: list[str]) -> int:
    import runpy

    sys.argv = ["kings", *arguments]
    runpy.run_module("kings_server", run_name="__main__")
    return 0


def _rules(options: argparse.Namespace) -> int:
    from kings_client.choices import BadChoices, describe_rules, knob_texts, read_knobs, read_rules
    from kings_client.words.knobs import changed
    from kings_client.words.pages import page_lines
    from kings_client.words.rules import about_preset
    from kings_engine.presets import PRESETS

    texts = knob_texts(options)
    preset = options.preset or ("pagat" if texts else None)
    if preset is None:
        for known in PRESETS.values():
            print(f"{known.name:<14} {about_preset(known.name)}")
        return 0
    if preset not in PRESETS:
        return _misused(
            tell(
                "rules: there is no set called {preset!r}; there are: {sets}",
                preset=preset,
                sets=", ".join(PRESETS),
            )
        )
    try:
        rules = read_rules(preset, read_knobs(texts), texts)
    except BadChoices as bad:
        return _all_wrong(options.command, bad.faults)
    print(f"{changed(preset) if texts else preset}: {about_preset(preset)}\n")
    print("\n".join(page_lines(rules)))
    print(f"\n{tell('Every rule, and what it may be')}\n{describe_rules(rules)}")
    return 0


def _history(*, results: bool) -> int:
    from kings_client.archive import read_archive
    from kings_client.store import StoreError, state_folder
    from kings_client.words import history

    try:
        archive = read_archive(state_folder())
    except StoreError as error:
        return _failed(str(error))
    print("\n".join(history.results(archive) if results else history.listed(archive)))
    return 0


def _completion(shell: str) -> int:
    from kings_client.completing import completion

    print(completion(shell))
    return 0


def _verify(file: Path) -> int:
    from kings_client.saved import BadFile
    from kings_client.verify_command import Verified, verify

    try:
        said, status = verify(file)
    except BadFile as bad:
        print(f"kings: verify: {bad}", file=sys.stderr)
        return Verified.UNREADABLE
    print("\n".join(said))
    return status


# ---- commands with a screen


def _table(options: argparse.Namespace) -> int:
    from kings_client.choices import BadChoices, read_choices
    from kings_client.intents import StartHost, StartPlay

    solo = options.command == "play"
    try:
        people = _people(options)
        name, port = people[0], None if solo else _port(options.port)
        table = read_choices(options, name, solo=solo, people=len(people)).table
    except BadChoices as bad:
        return _all_wrong(options.command, bad.faults)
    except ValueError as bad:
        return _misused(f"{options.command}: {bad}")
    others = people[1:]
    start: Start = StartPlay(table, name, others)
    if not solo:
        start = StartHost(table, name, port, others, announce=not options.no_discovery)
    keeps = not (solo and options.keep_nothing)
    return _screen(start, plain=options.plain, seeks=_seeks(options), keeps=keeps)


def _keeping_nothing(run: Callable[[], int]) -> int:
    """Run with a folder for what is kept that goes away in the end; settings are only read."""
    from tempfile import TemporaryDirectory

    from kings_client.settings_file import ENVIRONMENT as CONFIG
    from kings_client.settings_file import config_folder
    from kings_client.store import ENVIRONMENT as STATE

    if (settings := config_folder()) is not None:
        os.environ[CONFIG] = str(settings)
    try:
        folder = TemporaryDirectory(prefix="kings-", ignore_cleanup_errors=True)
    except OSError as error:
        why = error.strerror or str(error)
        return _failed(
            tell("there is no place for temporary files: {why}; set TMPDIR to a folder", why=why)
        )
    with folder as name:
        os.environ[STATE] = name
        return run()


def _join(options: argparse.Namespace) -> int:
    from kings_client.joining import join_from, refuse_without_address

    start = None
    try:
        name, *others = _people(options)
        if options.address is None:
            refuse_without_address(options)
        else:
            start = join_from(options, name, tuple(others))
    except ValueError as bad:
        return _misused(f"join: {bad}")
    people = (name, *others)
    return _screen(start, people=people, plain=options.plain, seeks=_seeks(options))


def _seeks(options: argparse.Namespace) -> bool:
    """Say whether servers on the network are looked for."""
    from kings_client.settings_file import config_folder, load

    wanted = os.environ.get(DISCOVERY) or load(config_folder()).settings.discovery
    return wanted != "off" and not options.no_discovery


def _screen(
    start: Start | None,
    *,
    people: tuple[str, ...] = (),
    plain: bool = False,
    seeks: bool = False,
    keeps: bool = True,
) -> int:
    from kings_client.store import Store, StoreError

    plain = plain or not _can_draw()
    if start is not None:
        people = (start.name, *start.people)
    if plain and len(people) > 1:
        return _failed(
            tell("--people needs a terminal with a full screen: lines would stay in sight")
        )
    if plain and not people and not sys.stdin.isatty():
        return _failed(
            tell("there is no terminal to draw on; say what to do: kings play, host or join")
        )
    try:
        store = Store.open()
    except StoreError as error:
        return _failed(str(error))
    try:
        from kings_client.model import Model
        from kings_client.session import Session
        from kings_client.words.security import ended, to_compare

        name, *company = people or (_name(None),)
        session = Session(
            *(store, start, Model(name=name)), seeks=seeks, company=tuple(company), keeps=keeps
        )
        if plain:
            from kings_client import plain as lines

            code = lines.run(session.model, session.talk, at_home=start is None)
        else:
            from kings_client import app

            code = app.run(session.model, session.talk)
    finally:
        store.close()
    failure = session.failure
    if code or failure is None:
        return code
    told = (f"{tell(failure.address)}: {ended(failure)}", to_compare(failure))
    return _failed(". ".join(filter(None, told)))


def _can_draw() -> bool:
    """Say whether there is a terminal that a full screen can be drawn on."""
    dumb = os.environ.get("TERM") in ("dumb", "unknown")
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb


def _name(given: str | None) -> str:
    """Return the person's name: the one given, the one used last, or the account's.

    Raises:
        ValueError: nothing is left of the name given once it is cleaned.
    """
    from kings_client.store import StoreError, remembered_name
    from kings_protocol.limits import NAME_LENGTH
    from kings_protocol.names import clean_name

    if given is not None:
        if name := clean_name(given, NAME_LENGTH):
            return name
        raise ValueError(tell("--name: a name needs a letter or two"))
    with suppress(StoreError):
        if name := clean_name(remembered_name() or "", NAME_LENGTH):
            return name
    with suppress(OSError, KeyError, ImportError):
        if name := clean_name(getpass.getuser(), NAME_LENGTH):
            return name
    return tell("Player")


def _people(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of the people at this keyboard.

    Raises:
        ValueError: that many, or these, cannot sit here.
    """
    from kings_engine.rules import PLAYERS
    from kings_protocol.limits import NAME_LENGTH
    from kings_protocol.names import clean_name

    text = options.people
    if text is None:
        return (_name(options.name),)
    number = int(text) if text.isdecimal() else 0
    if number:
        names = [
            _name(options.name),
            *(tell("Player {number}", number=at) for at in range(2, number + 1)),
        ]
    else:
        names = [clean_name(name, NAME_LENGTH) for name in text.split(",")]
    if len(names) not in PLAYERS or not all(names) or len(set(names)) < len(names):
        raise ValueError(
            tell("--people: {text} is neither 2 to 4 people nor as many names", text=text)
        )
    if options.plain:
        raise ValueError(
            tell(
                "--people: the line mode is for one person: its lines, hands among them, stay in "
                "sight"
            )
        )
    return tuple(names)


def _port(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise ValueError(
        tell("--port: {text} is no port; ports are 1 to 65535, and 0 takes any free one", text=text)
    )


# ---- bad ends


def _failed(words: str) -> int:
    print(f"kings: {words}", file=sys.stderr)
    return FAILED


def _misused(words: str) -> int:
    print(f"kings {words}", file=sys.stderr)
    return MISUSED


def _all_wrong(command: str, faults: Iterable[str]) -> int:
    for fault in faults:
        _misused(f"{command}: {fault}")
    return MISUSED


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say in one line that the program failed, and keep the rest for whoever mends it."""
    if issubclass(kind, KeyboardInterrupt):
        return
    from kings_client.store import StoreError, state_folder

    where = ""
    with suppress(StoreError, OSError):
        log = state_folder() / "errors.log"
        text = "".join(traceback.format_exception(kind, error, trace))
        with open(log, "a", encoding="utf-8", opener=_private) as stream:
            stream.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sys.argv[1:2]}\n{text}\n")
        where = tell("; {log} tells more", log=log)
    ended = tell("an error of the program's own ended it: {kind}", kind=kind.__name__)
    print(f"kings: {ended}{where}", file=sys.stderr)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
