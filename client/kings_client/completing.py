"""The whole command line as one parser, and what a shell needs to complete it."""

import argparse
from importlib import import_module
from typing import Final

import shtab

from kings_client.options import make_parsers

SERVERS: Final = "kings_server.main"
"""The module that lists the commands of the server's package; it is asked by name, as they are."""


def completion(shell: str) -> str:
    """Return a script that completes ``kings`` in ``shell``, one of ``options.SHELLS``."""
    parser, _ = whole_parsers()
    script: str = shtab.complete(parser, shell)
    return script


def whole_parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of ``kings`` and those of all commands, with the server's in their places.

    A change of the mapping is one of the parser.
    """
    parser, commands = make_parsers()
    for name, module in import_module(SERVERS).COMMANDS.items():
        commands[name] = import_module(module).make_parser()
    return parser, commands
