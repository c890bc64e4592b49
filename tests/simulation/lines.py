"""What a server logs, line by line."""

import structlog

from kings_server.log import Log


class Lines:
    """Keeps log lines as they would be written, without their times."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def msg(self, message: str) -> None:
        """Take a line."""
        self.lines.append(message)

    debug = info = warning = error = msg

    def log(self) -> Log:
        """Return a logger of all levels that writes here."""
        log: Log = structlog.wrap_logger(
            self,
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(0),
            cache_logger_on_first_use=False,
        )
        return log
