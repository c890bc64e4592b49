"""Which table goes where there is room for no more: one that its people are all gone from.

A suspended match waits for two weeks, so that whoever makes matches and goes could take all the
tables for so long. Whoever has the most of them gives one up first, not whoever was here before.
"""

from collections import Counter
from collections.abc import Iterable

from kings_server.table import Table


def least_missed(tables: Iterable[Table]) -> Table | None:
    """Return the table that is missed least, if there is one whose people are all gone.

    Of the address with the most such tables, it is the one that has waited longest.
    """
    deserted = [table for table in tables if table.timers.deserted_at is not None]
    count = Counter(table.maker.address for table in deserted)
    return min(
        deserted,
        key=lambda table: (-count[table.maker.address], table.timers.ends_at),
        default=None,
    )
