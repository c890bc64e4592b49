"""Every bound of the protocol, in one place: what it limits, its unit, and why it is what it is."""

from typing import Final

CLIENT_FRAME_BYTES: Final = 4 * 1024
"""The largest frame a client may send. A table with all knobs named takes under 2 KiB."""

SERVER_FRAME_BYTES: Final = 64 * 1024
"""The largest frame a server may send. A whole deal's proof takes under 16 KiB."""

TEXT_LENGTH: Final = 300
"""Characters of a line of chat."""

NAME_LENGTH: Final = 24
"""Characters of a player's or table's name: what a table on 80 columns has room for."""

PASSWORD_LENGTH: Final = 64
"""Characters of a password."""

TABLE_ID_LENGTH: Final = 16
"""Characters of a table's id."""

PAGE_TABLES: Final = 50
"""Tables on one page of the lobby."""

UPDATE_EVENTS: Final = 64
"""Events in one update; older ones are left out and the update says so."""

FEATURES: Final = 32
"""Names of optional features that a hello may list."""
