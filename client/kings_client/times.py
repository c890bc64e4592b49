"""Times of day, as they are where the person is."""

from contextlib import suppress
from datetime import UTC, datetime


def minute(seconds: float) -> str:
    """Return a time since the epoch to the minute; in UTC where the place's own zone is none."""
    moment = datetime.fromtimestamp(seconds, UTC)
    # A zone of a day or more, which a slip in TZ makes, is none to Python.
    with suppress(ValueError):
        moment = moment.astimezone()
    return moment.strftime("%Y-%m-%dT%H:%M")
