"""What the value of an option may be: read from a text or from TOML, and shown to people."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from kings_protocol.limits import NAME_LENGTH
from kings_protocol.text import clean


@frozen
class Kind:
    """What one option may be.

    Attributes:
        allowed: what is allowed, in words; it follows "allowed: ".
        read: makes a value of a text; it raises ``ValueError`` if that is not allowed.
        metavar: what stands for the value in ``--help``.
        toml: the types that the value may have in a file, beside a text.
        flag: whether the command line takes the bare option.
        nothing: the word for no value at all, if there may be none.
    """

    allowed: str
    read: Callable[[str], object]
    metavar: str
    toml: tuple[type, ...] = ()
    flag: bool = False
    nothing: str = ""

    def value(self, raw: object) -> object:
        """Return what ``raw`` stands for: a text, or a value of TOML.

        Raises:
            ValueError: it is not allowed.
        """
        if self.nothing and raw == self.nothing:
            return None
        if not isinstance(raw, str) and type(raw) not in self.toml:
            raise ValueError(raw)
        return self.read(str(raw).lower() if isinstance(raw, bool) else str(raw))

    def shown(self, value: object) -> str:
        """Return a value as it would be given."""
        if value is None:
            return self.nothing
        return str(value).lower() if isinstance(value, bool) else figure(value)


def figure(value: object) -> str:
    """Return a value as a text, a number without what it does not need."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def whole(least: int, most: int | None = None) -> Kind:
    """Return the kind of whole numbers between two bounds."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() else -1
        if number < least or (most is not None and number > most):
            raise ValueError(text)
        return number

    return Kind(f"a whole number {_span(least, most)}", read, "NUMBER", (int,))


def seconds(least: float, most: float = 1e9) -> Kind:
    """Return the kind of times between two bounds, in seconds."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError(text)
        return number

    return Kind(f"seconds {_span(least, most)}", read, "SECONDS", (int, float))


def one_of(*choices: str) -> Kind:
    """Return the kind of a few words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return Kind(", ".join(choices), read, "WORD")


def or_nothing(kind: Kind, word: str) -> Kind:
    """Return ``kind``, or nothing at all, which ``word`` stands for."""
    return evolve(kind, allowed=f"{kind.allowed}, or {word}", nothing=word)


def _read_text(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError(text)
    return text.strip()


def _read_path(text: str) -> Path:
    try:
        return Path(_read_text(text)).expanduser()
    except RuntimeError:  # there is nobody of that name, or no home
        raise ValueError(text) from None


def line(length: int) -> Kind:
    """Return the kind of texts in one line that people are shown, up to some length."""

    def read(text: str) -> str:
        cleaned = clean(text, length + 1)
        if not 0 < len(cleaned) <= length:
            raise ValueError(text)
        return cleaned

    return Kind(f"one line of up to {length} characters", read, "TEXT")


def _read_flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _span(least: float, most: float | None) -> str:
    return f"from {figure(least)}" + ("" if most is None else f" to {figure(most)}")


TEXT: Final = Kind("a text in one line", _read_text, "TEXT")
HOST: Final = Kind("a name or an address of this machine", _read_text, "HOST")
NAME: Final = evolve(line(NAME_LENGTH), metavar="NAME")
PATH: Final = Kind("a path", _read_path, "PATH")
FLAG: Final = Kind("true or false", _read_flag, "TRUE|FALSE", (bool,), flag=True)
PORT: Final = whole(0, 65535)
