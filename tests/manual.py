"""The man page, made from the commands' own parsers.

Run as a program, it writes the page anew. It is kept in the repository, so that installing needs no
tool to make it.
"""

import argparse
import os
from pathlib import Path
from typing import Final
from unittest.mock import patch

from argparse_manpage.manpage import Manpage

from kings_client.completing import whole_parsers

PAGE: Final = Path(__file__).parents[1] / "docs" / "kings.1"


def manual() -> str:
    """Return the man page."""
    parser, commands = whole_parsers()
    parser.usage = "kings [COMMAND] [OPTION]..."
    for name, child in commands.items():
        child.usage = f"kings {name} [OPTION]..."
        child.formatter_class = argparse.RawDescriptionHelpFormatter
    # The width of this terminal, and the day on which it is made, are no part of the page.
    with patch.dict(os.environ, COLUMNS="100"):
        page = Manpage(parser)
        page.date = ""
        page.description = "the card game Kings in the Corner, in the terminal"
        page.manual = "Kings in the Corner"
        return str(page)


if __name__ == "__main__":
    PAGE.write_text(manual(), encoding="utf-8")
