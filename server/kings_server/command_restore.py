"""The command ``kings restore``: makes a data directory of a backup."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kings_server import certificate
from kings_server.backup import CannotBackUp, restore
from kings_server.chosen import chosen_for
from kings_server.exits import FAILED, MISUSED


def main(arguments: Sequence[str]) -> int:
    """Run ``kings restore`` with its ``arguments``, and return the exit code."""
    options = make_parser().parse_args(arguments)
    config, faults = chosen_for(options.data, options.config)
    folder = config.data
    if faults or folder is None:
        for fault in faults or ["there is no data directory to restore to: give one with --data"]:
            print(f"kings restore: {fault}", file=sys.stderr)
        return MISUSED
    try:
        tables = restore(Path(options.file), folder)
    except CannotBackUp as error:
        print(f"kings restore: {error}", file=sys.stderr)
        return FAILED
    print(
        f"restored to {folder}, tables: {tables}. Start it with: kings serve --data {folder}\n"
        "The old server must not go on: both would be the same one to everybody."
    )
    if not (folder / certificate.NAME).exists():
        print(
            "No certificate of the server's own was in the backup: if it had one, all programs "
            "will warn of another.",
            file=sys.stderr,
        )
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kings restore``."""
    parser = argparse.ArgumentParser(
        prog="kings restore",
        description="Make a data directory of what 'kings admin backup' has written, on this "
        "machine or another. The server that is started with it is the same one: people keep "
        "their seats, and their programs know its certificate.",
        epilog="The data directory is chosen as by 'kings serve', and must be new or empty.",
        allow_abbrev=False,
    )
    parser.add_argument("--data", metavar="PATH", help="the data directory to make")
    parser.add_argument("--config", metavar="FILE", help="the file of the server's options")
    parser.add_argument("file", metavar="FILE", help="the backup")
    return parser
