"""Cleaning of what people write, before others see it."""

import re
import unicodedata
from typing import Final

_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequences: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # strings: titles
    r"|\x1b[ -/]*[0-~]?"  # two or three characters
)

_REMOVED: Final = frozenset({"Cc", "Cf", "Co", "Cs"})
"""Controls, formatting (bidirectional and zero-width marks), private use, lone surrogates."""


def clean(text: str, limit: int) -> str:
    """Return ``text`` as one line that cannot disturb a terminal, cut to ``limit`` characters.

    Escape sequences go as a whole, then control characters, bidirectional and other invisible
    formatting marks; white space becomes single spaces. Cleaning again changes nothing. The width
    on a screen is not looked at: measure it where it matters.
    """
    spaced = " ".join(_ESCAPES.sub("", text).split())
    kept = "".join(char for char in spaced if unicodedata.category(char) not in _REMOVED)
    return " ".join(unicodedata.normalize("NFC", kept).split())[:limit].rstrip()
