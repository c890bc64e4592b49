"""Which names are accepted: none that a program uses for somebody, none that looks like another's.

What looks alike is said by Unicode's own table of confusable characters (Technical Standard 39). It
maps each character to the one that stands for all that look like it.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, get_args

from confusable_homoglyphs.confusables import confusables_data

from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import Level

_NUMBER: Final = re.compile(r"[\s\d.:#№]+\Z")
"""What may follow a word without making another of it."""


def _stands_for(char: str) -> str:
    """Return what stands for a character and all that look like it."""
    alike = [found["c"] for found in confusables_data.get(char, ())]
    if len(alike) != 1:
        return char  # it stands for others, or for itself
    (other,) = alike
    only_two = len(confusables_data.get(other, ())) == 1
    return max(char, other, key=lambda text: (len(text), text)) if only_two else str(other)


@lru_cache(maxsize=4096)
def _looks(name: str) -> frozenset[str]:
    """Return what a name looks like, as it is written and in small letters."""
    return frozenset(
        "".join(map(_stands_for, unicodedata.normalize("NFKD", text))).casefold()
        for text in (name, name.casefold())
    )


_PROGRAM: Final = (
    *get_args(Level),
    *("you", "seat", "spectator", "server", "the server says"),
    *(f"{level} bot" for level in get_args(Level)),
)
_RUSSIAN: Final = (
    *("вы", "место", "зритель", "сервер", "сообщение сервера"),
    *("лёгкий бот", "средний бот", "сильный бот", "бот-эксперт", "бот-мастер"),
)
_RESERVED: Final = frozenset(
    look
    for word in (*_PROGRAM, *_RUSSIAN)
    for written in (word, word.capitalize(), word.upper())
    for look in _looks(written)
)


def reserved(name: str) -> bool:
    """Say whether a name is a word that a program uses for somebody, be it with a number."""
    return not _looks(_NUMBER.sub("", name)).isdisjoint(_RESERVED)


def distinct(name: str, others: Iterable[str]) -> str:
    """Return ``name``, with a number if it may be taken for one of ``others``."""
    taken = frozenset(look for other in others for look in _looks(other))
    number, told = 1, name
    while not _looks(told).isdisjoint(taken):
        number += 1
        end = f" {number}"
        told = f"{name[: NAME_LENGTH - len(end)].rstrip()}{end}"
    return told
