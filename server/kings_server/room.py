"""Which table goes where there is room for no more: one that its people are all gone from.

A suspended match waits for two weeks, so that whoever makes matches and goes could take all the
tables for so long. Whoever has the most tables gives one up first, not whoever was here before; and
only to somebody who has fewer, or who fills a server with tables would cost others their matches.
"""

from collections import Counter
from collections.abc import Sequence

from kings_server.table import Table


def least_missed(tables: Sequence[Table], address: str) -> Table | None:
    """Return the table that is missed least, if one may go for another from ``address``.

    Its people are all gone, and it was made from an address with more tables, or from this one. Of
    the address with the most, it is the one that has waited longest.
    """
    count = Counter(table.maker.address for table in tables)
    return min(
        (
            table
            for table in tables
            if table.timers.deserted_at is not None
            and (table.maker.address == address or count[table.maker.address] > count[address])
        ),
        key=lambda table: (-count[table.maker.address], table.timers.ends_at),
        default=None,
    )
