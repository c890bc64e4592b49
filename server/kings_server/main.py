"""The commands of the server's package; ``kings`` hands them on."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from kings_server.exits import FAILED, MISUSED

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
    name, *arguments = list(sys.argv[1:] if argv is None else argv) or [""]
    if name in COMMANDS:
        return _printed(import_module(COMMANDS[name]).main, arguments)
    print(f"usage: kings {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
    print(f"kings: there is no command {name!r} here", file=sys.stderr)
    return MISUSED


def _printed(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Run a command; a reader who has seen enough (``head``) is no error."""
    try:
        code = command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still to be written at the end has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code
