"""The commands of the server's package; ``kings`` hands them on."""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from kings_server.exits import FAILED, MISUSED
from kings_server.streams import fill_standard

COMMANDS: Final = {
    "serve": "kings_server.command_serve",
    "arena": "kings_server.arena",
    "admin": "kings_server.command_admin",
    "doctor": "kings_server.command_doctor",
    "restore": "kings_server.command_restore",
}
"""The commands, and the modules whose ``main`` runs them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``, and return the exit code."""
    fill_standard()
    name, *arguments = list(sys.argv[1:] if argv is None else argv) or [""]
    if name in COMMANDS:
        return _printed(import_module(COMMANDS[name]).main, arguments)
    print(f"usage: kings {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
    print(f"kings: there is no command {name!r} here", file=sys.stderr)
    return MISUSED


def _printed(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Run a command; a reader who has seen enough (``head``) is no error."""
    if sys.stdout is None:  # it was closed before the start: what is done is done without words
        return command(arguments)
    try:
        try:
            return command(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:
        # A file that cannot be written is named; an output that cannot has no name.
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        # What is still to be written at the end has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            why = (error.strerror or "").lower()
            print(f"kings: cannot write to standard output: {why}", file=sys.stderr)
        return FAILED


_UNWRITABLE: Final = (
    errno.EPIPE,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EBADF,
    errno.ENXIO,
)
"""Why a standard output may not take what is printed."""
