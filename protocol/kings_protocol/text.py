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

_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
"""What is written over, under, around or with the letter before it."""

MARKS: Final = 4
"""Combining marks of one letter, beside those that are one character with it.

Burmese has words with four; a dozen on a letter cover the lines above and below it.
"""


def clean(text: str, limit: int) -> str:
    """Return ``text`` as one line that cannot disturb a terminal, cut to ``limit`` characters.

    Escape sequences go as a whole, then control characters, bidirectional and other invisible
    formatting marks; white space becomes single spaces. A letter keeps ``MARKS`` combining marks at
    most, and a mark without a letter goes: it would be drawn over what stands before the text.
    Cleaning again changes nothing. The width on a screen is not looked at: measure it where it
    matters.
    """
    spaced = " ".join(_ESCAPES.sub("", text).split())
    kept = "".join(char for char in spaced if unicodedata.category(char) not in _REMOVED)
    composed = _with_few_marks(unicodedata.normalize("NFC", kept))
    return " ".join(composed.split())[:limit].rstrip()


def _with_few_marks(text: str) -> str:
    kept: list[str] = []
    room = 0
    for char in text:
        if unicodedata.category(char) in _MARKS:
            room -= 1
            if room < 0:
                continue
        else:
            room = 0 if char == " " else MARKS
        kept.append(char)
    return "".join(kept)
