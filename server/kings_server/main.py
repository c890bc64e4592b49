"""The commands of the server's package; ``kings`` hands them on."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from kings_server.exits import MISUSED

COMMANDS: Final = {
    "serve": "kings_server.command_serve",
    "arena": "kings_server.arena",
    "admin": "kings_server.command_admin",
    "restore": "kings_server.command_restore",
}
"""The commands, and the modules whose ``main`` runs them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``, and return the exit code."""
    name, *arguments = list(sys.argv[1:] if argv is None else argv) or [""]
    if name in COMMANDS:
        code: int = import_module(COMMANDS[name]).main(arguments)
        return code
    print(f"usage: kings {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
    print(f"kings: there is no command {name!r} here", file=sys.stderr)
    return MISUSED
