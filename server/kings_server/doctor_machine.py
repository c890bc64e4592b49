"""What ``kings doctor`` looks at on this machine: the program, the clock and the terminal."""

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Final

from kings_protocol.version import PROGRAM, PROTOCOL_NEWEST, PROTOCOL_OLDEST
from kings_server.findings import Finding, note, well, wrong

BUILT: Final = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
"""A clock that is before the program was written is wrong."""

COLUMNS: Final = 80
ROWS: Final = 24
"""What the full screen needs."""

_LIBRARIES: Final = ("trio", "msgspec", "cryptography", "zeroconf", "prompt-toolkit")


def program() -> Iterator[Finding]:
    """Tell which versions run here."""
    spoken = str(PROTOCOL_NEWEST)
    if PROTOCOL_OLDEST < PROTOCOL_NEWEST:
        spoken = f"{PROTOCOL_OLDEST} to {PROTOCOL_NEWEST}"
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    yield well("program", f"kings {PROGRAM}, protocol {spoken}; others need a common protocol")
    yield well(
        "python",
        f"{platform.python_version()} on {platform.system()} {platform.machine()}; {libraries}",
    )


def clock() -> Iterator[Finding]:
    """Look whether the clock can be right: bans and certificates hang on it."""
    now = time.time()
    said = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
    if now < BUILT:
        yield wrong("clock", f"{said} is before this program was written", "set the clock")
    elif _unsynchronized():
        advice = "switch time synchronisation on, or set the clock by hand: timedatectl"
        yield note("clock", f"{said}; nothing sets it", advice)
    else:
        yield well("clock", said)


def _unsynchronized() -> bool:
    """Say whether the system knows that nothing sets its clock."""
    timedatectl = shutil.which("timedatectl")
    if timedatectl is None:
        return False
    try:
        asked = subprocess.run(  # noqa: S603  a program of the system, with fixed words
            (timedatectl, "show", "--property=NTPSynchronized", "--value"),
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.stdout.strip() == "no"


def terminal() -> Iterator[Finding]:
    """Look whether people can play in this terminal; a server needs none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield note("terminal", "there is none here", "a server needs none; to play, open one")
        return
    size, kind = shutil.get_terminal_size(), os.environ.get("TERM", "")
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if kind in ("", "dumb", "unknown") and sys.platform != "win32":
        yield note("terminal", f"TERM is {kind or 'not set'}", "play with --plain, or set TERM")
    elif size.columns < COLUMNS or size.lines < ROWS:
        words = f"{kind}, {size.columns} columns and {size.lines} rows"
        advice = f"make the window larger: {COLUMNS} by {ROWS} shows everything"
        yield note("terminal", words, advice)
    else:
        yield well("terminal", f"{kind}, {size.columns} columns and {size.lines} rows")
    if encoding != "utf8":
        advice = "choose a UTF-8 locale (LANG=C.UTF-8), or ASCII in the game's settings"
        yield note("terminal", f"it is written to in {encoding or 'no known code'}", advice)
