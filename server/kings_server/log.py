"""Logging to standard error, one line an event.

What is logged names connections, tables, seats and versions. Cards, actions, seeds, nonces, tokens,
passwords and what people say are never handed to a logger.
"""

import logging
import sys

import structlog
from structlog.typing import FilteringBoundLogger as Log

__all__ = ["LEVELS", "Log", "logger", "set_up"]

LEVELS = ("debug", "info", "warning", "error")


def set_up(level: str) -> None:
    """Log to standard error from ``level`` on; one of ``LEVELS``."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, pad_level=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger() -> Log:
    """Return a logger; ``bind`` gives it a connection's or a table's id."""
    log: Log = structlog.get_logger()
    return log
