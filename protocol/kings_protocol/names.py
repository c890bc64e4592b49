"""What a name shows: nothing of it is blank, and none of it is a character that does not exist."""

import re
import unicodedata
from typing import Final

from kings_protocol.text import clean

_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffc"
    "\U0001d159\U000e0100-\U000e01ef]"
)
"""Fillers, joiners, variation selectors and blank signs, which Unicode counts as no white space."""

_INK: Final = "LNPS"
"""The first letters of the categories of which one is to be seen: letters, numbers, signs."""


def clean_name(text: str, limit: int) -> str:
    """Return ``text`` cleaned, without what shows nothing; nothing if nothing would be seen.

    What this program's tables of Unicode do not know goes too: nobody can say how it looks.
    """
    kept = "".join(char for char in _BLANK.sub("", text) if unicodedata.category(char) != "Cn")
    cleaned = clean(kept, limit)
    return cleaned if any(unicodedata.category(char)[0] in _INK for char in cleaned) else ""
