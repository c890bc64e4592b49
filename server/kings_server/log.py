"""Logging to standard error, one line an event.

What is logged names connections, tables, seats and versions. Cards, actions, seeds, nonces, tokens,
passwords and what people say are never handed to a logger.
"""

import logging
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TextIO, cast

import structlog
from structlog.typing import FilteringBoundLogger as Log

__all__ = ["FORMATS", "LEVELS", "Log", "described", "logger", "set_up"]

LEVELS = ("debug", "info", "warning", "error")


FORMATS = ("human", "json")


class _Lossy:
    """A stream that loses what it cannot write, rather than the server: its disk may be full."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write ``text``, if that can be done."""
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.write(text)

    def flush(self) -> None:
        """Let out what was written, if that can be done."""
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.flush()


def set_up(level: str, form: str = "human") -> None:
    """Log to standard error, from ``level`` on, in one of ``FORMATS``."""
    human = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, pad_level=False)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer() if form == "json" else human,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Lossy(sys.stderr))),
        cache_logger_on_first_use=False,
    )


def logger() -> Log:
    """Return a logger; ``bind`` gives it a connection's or a table's id."""
    log: Log = structlog.get_logger()
    return log


def described(error: BaseException) -> str:
    """Return an error's kind and where it was raised; its text might name cards."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(sorted({described(one) for one in error.exceptions}))
    trail = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(trail[-1].filename).name}:{trail[-1].lineno}" if trail else ""
    return type(error).__name__ + where
