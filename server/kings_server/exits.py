"""How the commands end."""

from typing import Final

FAILED: Final = 1
"""It could not be done."""

MISUSED: Final = 2
"""The options were wrong."""

INTERRUPTED: Final = 130
"""Somebody pressed Ctrl-C."""
