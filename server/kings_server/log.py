"""Logging to standard error, one line an event.

What is logged names connections, tables, seats and versions. Cards, actions, seeds, shares, tokens,
passwords and what people say are never handed to a logger.
"""

import logging
import sys
import traceback
from pathlib import Path

import structlog
from structlog.typing import FilteringBoundLogger as Log

__all__ = ["FORMATS", "LEVELS", "Log", "described", "logger", "lost", "set_up"]

LEVELS = ("debug", "info", "warning", "error")


FORMATS = ("human", "json")


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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
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
