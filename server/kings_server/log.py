"""Logging, one line an event, each in the one form that was chosen.

A line for people is ``TIME [LEVEL] EVENT KEY=VALUE ...``, with quotes round a value that holds a
space or an equals sign; a line for programs is one object of JSON. What is logged names people by
the names they gave and the addresses they come from, or by hashes of both. Cards, actions, seeds,
shares, tokens, passwords and what people say are never handed to a logger.
"""

import logging
import secrets
import sys
import threading
import traceback
from collections.abc import Hashable
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor
from structlog.typing import FilteringBoundLogger as Log

__all__ = [
    "CLIENT_SHOWN",
    "FORMATS",
    "LEVELS",
    "PEOPLE",
    "Log",
    "Spells",
    "described",
    "logger",
    "lost",
    "set_up",
    "take_over",
    "uncaught",
    "written_by_others",
]

LEVELS = ("debug", "info", "warning", "error")


FORMATS = ("human", "json")


PEOPLE = ("plain", "hashed")
"""How names and addresses of people are logged."""

_ABOUT_PEOPLE: Final = ("name", "address", "network", "who")
"""The keys whose values are names or addresses of people."""

_HASH_BYTES: Final = 6

CLIENT_SHOWN: Final = 8
"""Characters of a client's id that are shown, here and to admins; the whole of it is a secret."""

SPELL_SECONDS: Final = 60.0
"""The shortest time between two lines of one spell."""

_SPELLS: Final = 1024
"""Spells that are told apart; the one that began longest ago is forgotten."""

_TEXT_LENGTH: Final = 1000
"""Characters that are logged of what others write."""


def set_up(
    level: str, form: str = "human", people: str = "plain", stream: TextIO | None = None
) -> None:
    """Log from ``level`` on, in one of ``FORMATS``.

    Args:
        level: one of ``LEVELS``.
        form: one of ``FORMATS``.
        people: one of ``PEOPLE``; the hashes of one run of the program can be compared.
        stream: where to; nothing means standard error.
    """
    hashing: list[Processor] = [_Hashing()] if people == "hashed" else []
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *hashing,
            structlog.processors.JSONRenderer() if form == "json" else _for_people,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger() -> Log:
    """Return a logger; ``bind`` gives it a connection's or a table's id."""
    log: Log = structlog.get_logger()
    return log


def lost(lines: int) -> str:
    """Return the line that tells that so many were lost, in the form of the log."""
    writing = structlog.wrap_logger(
        structlog.ReturnLogger(), wrapper_class=structlog.make_filtering_bound_logger(0)
    )
    return str(writing.warning("lines of the log are lost, for nobody took them", lines=lines))


def described(error: BaseException) -> str:
    """Return an error's kind and where it was raised; its text might name cards."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(sorted({described(one) for one in error.exceptions}))
    trail = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(trail[-1].filename).name}:{trail[-1].lineno}" if trail else ""
    return type(error).__name__ + where


class Spells:
    """Says when a line is due about what happens again and again: at first, then once a minute."""

    def __init__(self) -> None:
        self._told: dict[Hashable, tuple[float, int]] = {}

    def due(self, what: Hashable, now: float) -> int:
        """Return how often ``what`` has happened since its last line, if one is due, or 0.

        Args:
            what: what happens now.
            now: the time in seconds, on any clock that only goes on.
        """
        told, times = self._told.get(what, (now - SPELL_SECONDS, 0))
        if now - told < SPELL_SECONDS:
            self._told[what] = told, times + 1
            return 0
        self._told.pop(what, None)
        self._told[what] = now, 0
        if len(self._told) > _SPELLS:
            del self._told[next(iter(self._told))]
        return times + 1


# ---- the form for people


def _for_people(_logger: object, _method: str, event: EventDict) -> str:
    head = f"{event.pop('timestamp')} [{event.pop('level')}] {event.pop('event')}"
    rest = str(_PAIRS(None, "", event))
    return "".join(map(_visible, f"{head} {rest}" if rest else head))


_PAIRS: Final = structlog.processors.LogfmtRenderer(bool_as_flag=False)


def _visible(character: str) -> str:
    """Return what disturbs no terminal, and begins no line."""
    return character if character.isprintable() else repr(character)[1:-1]


class _Hashing:
    """Puts hashes in the place of people's names and addresses; its key is of this run alone."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def __call__(self, _logger: object, _method: str, event: EventDict) -> EventDict:
        for name in _ABOUT_PEOPLE:
            if isinstance(event.get(name), str) and event[name]:
                text = event[name].encode(errors="backslashreplace")
                event[name] = blake2b(text, key=self._key, digest_size=_HASH_BYTES).hexdigest()
        return event


# ---- what others write


def take_over() -> None:
    """Have libraries, warnings and errors that nobody caught write their lines in our form."""
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    threading.excepthook = _uncaught_elsewhere
    sys.unraisablehook = _uncaught_elsewhere


def _uncaught_elsewhere(told: "threading.ExceptHookArgs | sys.UnraisableHookArgs") -> None:
    if told.exc_value is not None:
        uncaught(told.exc_value)


def written_by_others(line: str) -> None:
    """Log a line that something wrote to standard error by itself."""
    logger().warning("standard error", text=line[:_TEXT_LENGTH])


class _Libraries(logging.Handler):
    """Hands on what libraries log; what they repeat, once a spell."""

    def __init__(self) -> None:
        super().__init__()
        self._spells = Spells()

    def emit(self, record: logging.LogRecord) -> None:
        """Log ``record``; of an error in it, only what kind it is and where it was raised."""
        times = self._spells.due((record.name, str(record.msg)), monotonic())
        if not times:
            return
        facts: dict[str, Any] = {"library": record.name, "times": times}
        if record.exc_info and record.exc_info[1] is not None:
            facts["error"] = described(record.exc_info[1])
        level = min(record.levelno, logging.ERROR)
        logger().log(level, "a library says", text=record.getMessage()[:_TEXT_LENGTH], **facts)


def uncaught(error: BaseException) -> None:
    """Log an error that nobody caught, and the way that it took, innermost first."""
    logger().error("an error that nobody caught", error=described(error), trail=_trail(error))


def _trail(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(_trail, error.exceptions))
    steps = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(step.filename).name}:{step.lineno}" for step in reversed(steps))
