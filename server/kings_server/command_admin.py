"""The command ``kings admin``: asks a running server on this machine, and shows what it answers."""

import argparse
import json
import re
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kings_server import admin_wishes as w
from kings_server.admin_shown import shown
from kings_server.backup import CannotBackUp, back_up
from kings_server.chosen import chosen_for
from kings_server.exits import FAILED, MISUSED

ANSWER_SECONDS: Final = 10.0
"""How long a server may take to answer."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}

_EPILOG: Final = """\
The server is asked through a socket in its data directory, so only its own user can do so, on the
same machine. The data directory is found as 'kings serve' finds it: --data, KINGS_SERVE_DATA, the
file that --config or KINGS_SERVE_CONFIG names, or the usual one of this user.
"""


class NoAnswer(Exception):  # noqa: N818  said to the person
    """The server cannot be asked; the message says why, and what to do, in one line."""


def main(arguments: Sequence[str]) -> int:
    """Run ``kings admin`` with its ``arguments``, and return the exit code."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.command == "ban" and options.household and options.address is not None:
        parser.error(
            "--household goes with a connection or a name: --address bans all who are there"
        )
    config, faults = chosen_for(options.data, options.config)
    folder = config.data
    if faults or folder is None:
        for fault in faults or ["a server that keeps nothing (--no-data) has no admin socket"]:
            print(f"kings admin: {fault}", file=sys.stderr)
        return MISUSED
    try:
        if options.command == "backup":
            answer: w.Answer = back_up(folder, Path(options.file))
        else:
            answer = ask(folder, _wish(options))
    except (NoAnswer, CannotBackUp) as error:
        print(f"kings admin: {error}", file=sys.stderr)
        return FAILED
    if options.json:
        print(json.dumps(answer, ensure_ascii=False))
    elif "error" in answer:
        print(f"kings admin: {answer['error']}", file=sys.stderr)
    else:
        print(shown(options.command, answer))
    return FAILED if "error" in answer else 0


def ask(folder: Path, wish: w.Wish) -> w.Answer:
    """Ask the server that uses the data directory ``folder``, and return its answer.

    Raises:
        NoAnswer: there is none.
    """
    path, line = folder / w.FOLDER / w.SOCKET, b""
    if not hasattr(socket, "AF_UNIX"):
        raise NoAnswer("this system has no local sockets; only 'kings admin backup' works here")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(ANSWER_SECONDS)
            asking.connect(str(path))
            asking.sendall(w.written(wish))
            with asking.makefile("rb") as answering:
                line = answering.readline()
    except (FileNotFoundError, ConnectionRefusedError):
        raise NoAnswer(
            f"no server runs with the data directory {folder}; choose another with --data"
        ) from None
    except (BrokenPipeError, ConnectionResetError):
        line = b""
    except PermissionError:
        raise NoAnswer(
            f"{folder} belongs to somebody else: run this as the server's user"
        ) from None
    except OSError as error:
        raise NoAnswer(f"the server does not answer: {error}") from None
    if not line.endswith(b"\n"):
        raise NoAnswer("the server closed the connection; it may be busy with other admins")
    answer: w.Answer = json.loads(line)
    return answer


def _wish(options: argparse.Namespace) -> w.Wish:
    match options.command:
        case "say":
            return w.Say(" ".join(options.text))
        case "kick":
            return w.Kick(_who(options))
        case "ban" if options.address is not None:
            return w.BanNetwork(options.address, options.time)
        case "ban":
            return w.Ban(_who(options), options.time, options.household)
        case "unban":
            return w.Unban(options.number)
        case "bans":
            return w.Bans()
        case "end":
            return w.End(options.table)
        case "drain":
            return w.Drain(options.seconds)
        case "stats":
            return w.Stats()
    return w.ListAll()


def _who(options: argparse.Namespace) -> int | str:
    """Return the number of a connection, or a name."""
    who: int | str = options.name if options.connection is None else options.connection
    return who


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no connection's number; a name is given with --name"
        )
    return int(text)


def _time(text: str) -> float | None:
    """Return the seconds that a text like ``2h`` stands for; ``forever`` has none."""
    if text == "forever":
        return None
    found = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 30m, 2h, 7d or forever")
    return float(found[1]) * _UNITS[found[2]]


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return float(text)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kings admin``."""
    parser = argparse.ArgumentParser(
        prog="kings admin",
        description="Look after a running server on this machine.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--data", metavar="PATH", help="the data directory of the server")
    parser.add_argument("--config", metavar="FILE", help="the file of the server's options")
    parser.add_argument("--json", action="store_true", help="answer as one line of JSON")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="who is here, and which tables there are")
    commands.add_parser("stats", help="what the server has done since it was started")
    say = commands.add_parser("say", help="say something to everybody")
    say.add_argument("text", metavar="WORD", nargs="+")
    kick = commands.add_parser(
        "kick",
        help="end somebody's connection",
        description="End somebody's connection. The seat is waited for as after a lost connection; "
        "the person may come back unless banned.",
    )
    _add_who(kick)
    ban = commands.add_parser(
        "ban",
        help="let somebody in no more, for a time",
        description="End the connection, and let nobody in as this client, or from there. A person "
        "who deletes the program's settings is another client; --household bans the address, with "
        "everybody behind it.",
    )
    _add_who(ban).add_argument(
        "--address", metavar="ADDRESS", help="everybody from this address or network"
    )
    ban.add_argument(
        "--for",
        dest="time",
        type=_time,
        default=86400.0,
        metavar="TIME",
        help="such as 30m, 2h, 7d or forever (default: 1d)",
    )
    ban.add_argument(
        "--household", action="store_true", help="ban the address of that connection, or person"
    )
    commands.add_parser("bans", help="which bans are in force")
    unban = commands.add_parser("unban", help="lift a ban")
    unban.add_argument("number", metavar="NUMBER", type=int)
    end = commands.add_parser("end", help="end a table, whatever is being played there")
    end.add_argument("table", metavar="TABLE", help="its id")
    drain = commands.add_parser(
        "drain", help="begin no new tables, and stop soon, as after SIGTERM"
    )
    drain.add_argument(
        "seconds",
        metavar="SECONDS",
        nargs="?",
        type=_seconds,
        help="how long people may play on (default: the server's --drain)",
    )
    backup = commands.add_parser(
        "backup",
        help="copy all that the server keeps into a file",
        description="Copy all that the server keeps, its tables, bans and certificate, into one "
        "file, while it runs or not. The file holds hands, seeds and keys: nobody but its owner "
        "may read it. 'kings restore' makes a data directory of it.",
    )
    backup.add_argument("file", metavar="FILE", help="the new file")
    return parser


def _add_who(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Let a parser take a connection or a name, which nothing else is taken for."""
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument(
        "connection",
        metavar="CONNECTION",
        nargs="?",
        type=_number,
        help="its number, as 'kings admin list' shows it",
    )
    who.add_argument("--name", metavar="NAME", help="who is called so, in the place of a number")
    return who
