"""The command line: ``kings serve``, and ``kings arena`` which is handed on."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from functools import reduce
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import platformdirs
import trio

from kings_protocol.limits import NAME_LENGTH
from kings_protocol.text import clean
from kings_server import log
from kings_server.bounds import NAMES, Bounds, with_bound
from kings_server.config import PORT, Config
from kings_server.journal import JournalUnavailable
from kings_server.journal_file import CannotOpen
from kings_server.limits import DRAIN_SECONDS
from kings_server.service import STDIN, serve

FAILED: Final = 1
MISUSED: Final = 2
INTERRUPTED: Final = 130

_EPILOG: Final = """\
When it is ready, the server prints one line on standard output:
  kings: listening on HOST:PORT
Programs take HOST:PORT from the end of that line. SIGINT (Ctrl-C) stops it in order. SIGTERM lets
people play on for a while (--drain), but begins no new tables. A second signal ends it at once. It
exits with 0 after a stop, 1 if it could not start, 2 for wrong options.

Tables are kept in the data directory, which one server at a time may use: a server that is started
again goes on with them. A private server keeps them only if it is given a directory.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``, and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["arena"]:
        from kings_server import arena

        return arena.main(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        secret = _read_secret() if options.private else None
        bounds = reduce(with_bound, options.limit, Bounds())
    except ValueError as error:
        print(f"kings: {error}", file=sys.stderr)
        return MISUSED
    config = Config(
        host=options.host,
        port=options.port,
        name=options.name,
        log_level=options.log_level,
        secret=secret,
        with_parent=options.with_parent,
        linger=options.linger,
        data=_data(options),
        drain=options.drain,
        bounds=bounds,
    )
    return _serve(config)


def _serve(config: Config) -> int:
    log.set_up(config.log_level)
    try:
        trio.run(serve, config, log.logger(), _say_ready)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except UnicodeError:
        reason = "that is no host name"
    except (CannotOpen, JournalUnavailable) as error:
        print(f"kings: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    else:
        return 0
    where = f"{config.host or 'any interface'}, port {config.port}"
    print(
        f"kings: cannot listen on {where}: {reason}. "
        "Choose another with --port or --host; --port 0 takes any free port.",
        file=sys.stderr,
    )
    return FAILED


def _data(options: argparse.Namespace) -> Path | None:
    if options.data is not None:
        return Path(options.data)
    if options.no_data or options.private:
        return None
    return Path(platformdirs.user_data_dir("kings", appauthor=False))


def _say_ready(host: str, port: int) -> None:
    if not ip_address(host.partition("%")[0]).is_loopback:
        warning = "kings: not encrypted: whoever is on this network can read along"
        print(warning, file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    print(f"kings: listening on {shown}:{port}", flush=True)


def _read_secret() -> str:
    """Return the first line of standard input, byte by byte: the rest is not ours to take.

    Raises:
        ValueError: it is not a secret.
    """
    line = b""
    while len(line) < 65 and (byte := os.read(STDIN, 1)) not in (b"", b"\n"):
        line += byte
    secret = line.decode("ascii", "replace").strip()
    if not re.fullmatch("[0-9a-f]{64}", secret):
        raise ValueError("--private takes 64 hexadecimal digits as the first line of its input")
    return secret


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kings",
        description="The server of Kings in the Corner. 'kings arena --help' describes the arena.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "serve",
        help="run a server",
        description="Run a server for tables of Kings in the Corner.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--host", help="address to listen on (default: all; 127.0.0.1: this machine only)"
    )
    command.add_argument(
        "--port",
        type=_port,
        default=PORT,
        help="TCP port; 0 takes a free one (default: %(default)s)",
    )
    command.add_argument("--name", type=_name, default="kings", help="what the server calls itself")
    command.add_argument(
        "--log-level",
        choices=log.LEVELS,
        default="info",
        help="least important level to log, on standard error (default: %(default)s)",
    )
    command.add_argument(
        "--private",
        action="store_true",
        help="take only clients that bring the secret: 64 hex digits, the first line of the input",
    )
    command.add_argument("--with-parent", action="store_true", help="stop when standard input ends")
    command.add_argument(
        "--linger",
        type=_seconds,
        metavar="SECONDS",
        help="stop when nobody has been here for so long (default: never)",
    )
    command.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="change one of the server's limits; may be given several times. NAME is one of "
        + ", ".join(f"{name} ({getattr(Bounds(), name)})" for name in NAMES),
    )
    keeping = command.add_mutually_exclusive_group()
    keeping.add_argument(
        "--data",
        metavar="DIRECTORY",
        help="where tables are kept (default: the data directory of this user)",
    )
    keeping.add_argument(
        "--no-data", action="store_true", help="keep nothing: tables end with the server"
    )
    command.add_argument(
        "--drain",
        type=_duration,
        metavar="SECONDS",
        default=DRAIN_SECONDS,
        help="how long people may play on after SIGTERM (default: %(default)g)",
    )
    commands.add_parser("arena", help="play bots against bots", add_help=False)
    return parser


def _port(text: str) -> int:
    port = _count(text)
    if port > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return int(text)


def _duration(text: str) -> float:
    return float(_count(text))


def _seconds(text: str) -> float:
    seconds = float(_count(text))
    if not seconds:
        raise argparse.ArgumentTypeError("at least one second")
    return seconds


def _name(text: str) -> str:
    name = clean(text, NAME_LENGTH)
    if not name:
        raise argparse.ArgumentTypeError("a name needs a letter or two")
    return name
