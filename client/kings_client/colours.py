"""How many colours a terminal has."""

import sys
from collections.abc import Mapping

from prompt_toolkit.output import ColorDepth, Output


def depth(environment: Mapping[str, str], output: Output) -> tuple[ColorDepth, bool]:
    """Return how many colours to use, and whether the terminal has 8 only.

    ``NO_COLOR`` and ``TERM=dumb`` mean none.
    """
    chosen = ColorDepth.from_env()
    if chosen is not None:
        return chosen, chosen == ColorDepth.DEPTH_4_BIT
    if environment.get("TERM") == "dumb":
        return ColorDepth.DEPTH_1_BIT, False
    if environment.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT, False
    if not environment.get("TERM") or sys.platform == "win32":
        return output.get_default_color_depth(), False
    count = _colours(environment["TERM"])
    if count is None or count >= 256:
        return ColorDepth.DEPTH_8_BIT, False
    return (ColorDepth.DEPTH_4_BIT, True) if count >= 8 else (ColorDepth.DEPTH_1_BIT, False)


def _colours(terminal: str) -> int | None:
    """Return how many colours the system's list of terminals gives a terminal, if it is there."""
    try:
        import curses
    except ImportError:
        return None
    try:
        curses.setupterm(terminal, 1)
        return curses.tigetnum("colors")
    except (curses.error, OSError):
        return None
