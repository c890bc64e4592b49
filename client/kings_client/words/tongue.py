"""The language that the program speaks: every sentence for a person passes through here.

A sentence is written in English where it is needed, whole, with named places for its facts:
``tell("{who} plays the {card} to {place}.", who=…, card=…, place=…)``. It is looked up when it is
said, never when a module is imported, so that another language holds from the next sentence on.
"""

import gettext
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from kings_client.words.catalogue import CatalogueError, read_catalogue

FOLDER: Final = Path(__file__).parent.parent / "locale"
"""Where the catalogues are: a file a language, named by the language's code."""

ENVIRONMENT: Final = "KINGS_LANG"
"""The environment variable that chooses a language for this program alone."""

SYSTEM: Final = "system"
"""The setting that leaves the choice to the environment."""

ENGLISH: Final = "en"
"""The language of the sentences in the program itself."""

CASES: Final = ("accusative", "genitive")
"""Forms of a noun, beside that of a subject, that a translation may ask for: ``{card:genitive}``.

The template has an entry for each of them of every noun, told apart by their contexts.
"""

_log = logging.getLogger("kings_client")


class _Spoken:
    """The catalogue in use; without one the program speaks English."""

    asked: tuple[str, Path] | None = None
    code = ENGLISH
    catalogue: gettext.NullTranslations = gettext.NullTranslations()


def use(code: str, folder: Path = FOLDER) -> None:
    """Speak a language from now on; English, if there is no such catalogue or it cannot be read."""
    if _Spoken.asked == (code, folder):
        return
    _Spoken.asked = code, folder
    _Spoken.code, _Spoken.catalogue = ENGLISH, gettext.NullTranslations()
    if code == ENGLISH or code not in codes(folder):
        return
    try:
        _Spoken.catalogue = _read(folder / f"{code}.po")
    except (OSError, CatalogueError) as error:
        _log.warning("catalogue left out: %s", error)
    else:
        _Spoken.code = code


def spoken() -> str:
    """Return the code of the language in use."""
    return _Spoken.code


def codes(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the codes of all languages: English, and one for each catalogue."""
    return (ENGLISH, *sorted(path.stem for path in folder.glob("*.po")))


def own_name(code: str, folder: Path = FOLDER) -> str:
    """Return what a language calls itself; its code if its catalogue cannot be read."""
    if code == ENGLISH:
        return _OWN_NAME[1]
    try:
        return _read(folder / f"{code}.po").pgettext(*_OWN_NAME)
    except (OSError, CatalogueError):
        return code


def chosen(setting: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the language to speak: the one set, or else the one that the environment asks for."""
    if setting != SYSTEM:
        return setting
    for name in (ENVIRONMENT, "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return value.replace("-", "_").split(".")[0].split("_")[0].lower()
    return ENGLISH


_read = cache(read_catalogue)


# ---- sentences


def tell(message: str, **facts: object) -> str:
    """Return a sentence in the language in use, with its facts filled in; nothing stays nothing."""
    said = _Spoken.catalogue.gettext(message) if message else ""
    return _filled(said, message, facts) if facts else said


def tell_some(one: str, many: str, count: int, **facts: object) -> str:
    """Return the sentence that goes with a number, which is the fact ``count``."""
    said = _Spoken.catalogue.ngettext(one, many, count)
    return _filled(said, one if count == 1 else many, {"count": count, **facts})


def tell_as(context: str, message: str, **facts: object) -> str:
    """Return a sentence or word whose meaning the context settles."""
    said = _Spoken.catalogue.pgettext(context, message)
    return _filled(said, message, facts) if facts else said


def _filled(said: str, message: str, facts: Mapping[str, object]) -> str:
    """Fill the facts in; a translation that asks for what is not there is left for the English."""
    try:
        return said.format_map(facts)
    except (KeyError, IndexError, ValueError):
        return message.format_map(facts)


def later(message: str) -> str:
    """Mark a sentence of a table, which ``tell`` looks up when it is said."""
    return message


def later_as(context: str, message: str) -> tuple[str, str]:
    """Mark a sentence of a table that ``tell_as`` looks up with its context."""
    return context, message


def later_noun(context: str, message: str) -> tuple[str, str]:
    """Mark a noun of a table, which ``noun`` looks up in every case."""
    return context, message


_OWN_NAME: Final = later_as("this language's own name", "English")


class Worded(str):
    """Words that a translation may ask for in one of the ``CASES``."""

    __slots__ = ("_form",)
    _form: Callable[[str], str]

    def __new__(cls, form: Callable[[str], str]) -> "Worded":
        """Return words of which ``form`` gives each case; none is that of a subject."""
        words = super().__new__(cls, form(""))
        words._form = form
        return words

    def __format__(self, case: str) -> str:
        """Return the words in a case, or laid out as any other text."""
        return self._form(case) if case in CASES else super().__format__(case)


def noun(forms: tuple[str, str]) -> Worded:
    """Return a noun marked by ``later_noun``: its cases have their names in the context."""
    context, message = forms
    return Worded(lambda case: tell_as(f"{context}, {case}" if case else context, message))


def listed(words: Iterable[str]) -> Worded:
    """Return words one after another."""
    several = tuple(words)
    return Worded(lambda case: ", ".join(_forms(several, case)))


def all_of(words: Iterable[str]) -> Worded:
    """Return words as in ``north, east and south``."""
    several = tuple(words)
    return Worded(lambda case: _joined(several, case, later("{first} and {last}")))


def any_of(words: Iterable[str]) -> Worded:
    """Return words as a choice: ``north, east or south``."""
    several = tuple(words)
    return Worded(lambda case: _joined(several, case, later("{first} or {last}")))


def _joined(words: tuple[str, ...], case: str, pattern: str) -> str:
    forms = _forms(words, case)
    if len(forms) < 2:
        return "".join(forms)
    return tell(pattern, first=", ".join(forms[:-1]), last=forms[-1])


def _forms(words: Iterable[str], case: str) -> list[str]:
    return [format(word, case) if isinstance(word, Worded) else word for word in words]


def number(value: float, digits: int = 0) -> str:
    """Return a number with the language's decimal mark."""
    return f"{value:.{digits}f}".replace(".", tell_as("decimal mark", "."))
