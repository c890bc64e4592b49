"""The command line of ``kings serve``, made from the table of options."""

import argparse
from collections.abc import Sequence
from typing import Final

from attrs import frozen

from kings_server.options import OPTIONS, PREFIX
from kings_server.sources import CONFIG_VARIABLE, Given, Source, unknown

_EPILOG: Final = f"""\
Each option may also be given in the environment (--log-level is {PREFIX}LOG_LEVEL there) and
in a file in TOML (log_level), which --config or {CONFIG_VARIABLE} names. The command line goes
before the environment, and that before the file. A private server, which another program starts,
reads neither. docs/hosting.md describes every option.

When it is ready, the server prints one line on standard output:
  kings: code CODE, listening on HOST:PORT
The code is that of its certificate; there is none without encryption. Programs take HOST:PORT from
the end of that line. SIGINT (Ctrl-C) and SIGHUP stop it in order. SIGTERM lets people play on for a
while (--drain), but begins no new tables. A second signal ends it at once. It exits with 0 after a
stop, 1 if it could not start, 2 for wrong options.

Tables are kept in the data directory, which one server at a time may use: a server that is started
again goes on with them. A private server keeps them only if it is given a directory.
"""


@frozen
class Asked:
    """What the command line says.

    Attributes:
        source: the options.
        config: the file that gives more of them.
        check: whether they are only to be checked.
        private: whether another program starts the server for one person.
    """

    source: Source
    config: str | None
    check: bool
    private: bool


def read_command_line(arguments: Sequence[str]) -> Asked:
    """Read the ``arguments`` of ``kings serve``; it ends the program if they ask for help."""
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    known = [option.flag for option in OPTIONS if not option.limits]
    known += ["--config", "--check", "--limit", "--no-data", "--help"]
    strays = [text for text in rest if text.startswith("-")] or rest
    faults = [f"{text}: {unknown('option', text.partition('=')[0], known)}" for text in strays]
    given = {}
    for option in OPTIONS:
        raw = None if option.limits else getattr(options, option.name)
        if raw is not None:
            given[option.name] = Given(raw, option.flag, "command line")
    limits = {option.name.partition(".")[2]: option for option in OPTIONS if option.limits}
    for text in options.limit:
        name, _, number = text.partition("=")
        if name in limits:
            given[limits[name].name] = Given(number, f"--limit {name}", "command line")
        else:
            faults.append(f"--limit {name}: {unknown('limit', name, tuple(limits))}")
    return Asked(Source(given, faults), options.config, options.check, bool(options.private))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kings serve``."""
    parser = argparse.ArgumentParser(
        prog="kings serve",
        description="Run a server for tables of Kings in the Corner.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--config", metavar="FILE", help="read options from this file")
    parser.add_argument(
        "--check",
        action="store_true",
        help="start nothing: check all options, and show what is in force and where it was given",
    )
    places = {"data": parser.add_mutually_exclusive_group()}
    places["data"].add_argument(
        "--no-data", dest="data", action="store_const", const="none", help="the same as --data none"
    )
    for option in OPTIONS:
        if option.limits:
            continue
        place = places.get(option.name, parser)
        if option.kind.flag:
            names = {option.flag: "true"}
            if option.everywhere:
                names[option.flag.replace("--", "--no-", 1)] = "false"
            for name, text in names.items():
                words = option.words if name == option.flag else f"the opposite of {option.flag}"
                place.add_argument(
                    name, dest=option.name, action="store_const", const=text, help=words
                )
        else:
            words = f"{option.words} (default: {option.usual}; allowed: {option.kind.allowed})"
            place.add_argument(option.flag, metavar=option.kind.metavar, help=words)
    limits = [option for option in OPTIONS if option.limits]
    named = ", ".join(f"{one.name.partition('.')[2]} ({one.usual})" for one in limits)
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="change one of the server's limits; may be given several times. NAME is one of "
        + named,
    )
    return parser
