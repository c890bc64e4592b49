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

TABLE_SEATS: Final = 8
"""Seats of a table, at most. The rules have up to four; the numbering leaves room for more."""

DEPTH: Final = 8
"""Maps and lists inside each other. The deepest message, an update, has six."""

CLIENT_STRING_BYTES: Final = 4 * TEXT_LENGTH
"""Bytes of a string from a client: a full line of chat at four bytes a character."""

SERVER_STRING_BYTES: Final = 4 * 1024
"""Bytes of a string from a server. The longest, a fault that lists all knobs, has under 500."""

PROOF_TEXT_LENGTH: Final = 1000
"""Characters of an action's text in a proof; a secret with four shares has 330."""

FAULT_LENGTH: Final = 1000
"""Characters of each part of a fault of the rules."""

CLIENT_ITEMS: Final = 40
"""Entries of a map or list from a client. There are 27 knobs, and room for later ones."""

SERVER_ITEMS: Final = 4096
"""Entries of a map or list from a server: actions of a deal, or deals of a match (both rarely 200).

A frame has no room for many more, so this bounds nothing on its own but msgpack's promises.
"""

SLUG_LENGTH: Final = 40
"""Characters of a code, a preset's or a knob's name."""

PROGRAM_LENGTH: Final = 40
"""Characters of a program's version."""

KNOBS: Final = 40
"""Knobs in one message."""

REQUESTS_IN_FLIGHT: Final = 64
"""Requests without a reply on one connection; past it the connection ends.

A server refuses far fewer with ``too_many_requests``; this bounds what the connection remembers.
"""

PENDING_COMMANDS: Final = 8
"""Requests of one connection that wait for its table; further ones are refused."""

REQUESTS_PER_SECOND: Final = 20
"""Requests a second from one connection, on average; a fast player makes three."""

REQUESTS_BURST: Final = 40
"""Requests that may come at once before the average counts."""

FLOOD_REFUSALS: Final = 100
"""Requests refused as too many before the connection is ended."""

FLOOD_FORGIVEN_PER_SECOND: Final = 1
"""Of the refused ones so many a second are forgotten: an honest client has hardly any."""

CHAT_LINES: Final = 8
"""Lines of chat from one connection in ``CHAT_SECONDS``: lively talk, no flood."""

CHAT_SECONDS: Final = 10.0
"""Seconds over which lines of chat are counted."""

CHAT_TAIL: Final = 32
"""Lines of chat that a table keeps for those who come; at their longest they take 42 KB."""

HINTS_PER_SECOND: Final = 1
"""Hints a second for one connection, on average: each has the server think."""

HINTS_BURST: Final = 3
"""Hints that may be asked for at once before the average counts."""

CONNECTIONS: Final = 2000
"""Connections of one server: 500 tables of four."""

CONNECTIONS_PER_ADDRESS: Final = 256
"""Connections from one address: a club behind one router, and some who watch."""

UNENTERED: Final = 500
"""Connections that have not entered yet."""

UNENTERED_PER_ADDRESS: Final = 64
"""Connections from one address that have not entered yet: a party that sits down at once."""

TABLES: Final = 500
"""Tables of one server."""

TABLES_PER_CLIENT: Final = 4
"""Tables that one client (by its id) has made and that are still there."""

TABLES_PER_ADDRESS: Final = 128
"""Tables made from one address that are still there: two at each, with all its connections."""

WATCHERS: Final = 50
"""Spectators of one table; each is one more reader of every update."""

OUTBOX_REPLIES: Final = 64
"""Replies and pushes that wait for one connection's writer; past it the peer is too slow.

The newest update waits in a slot of its own, so the worst case a connection is
``OUTBOX_REPLIES * SERVER_FRAME_BYTES`` (4 MiB) and in practice, at 200 bytes a reply, 13 KiB.
"""

REMEMBERED_ANSWERS: Final = 64
"""Answers to committed requests that the server keeps for each seat."""

CLIENT_MEMORY_SECONDS: Final = 600.0
"""Seconds for which the server keeps a client id's answers before it has a seat."""

HELLO_SECONDS: Final = 5.0
"""Seconds from the connection to a whole hello."""

ENTER_SECONDS: Final = 10.0
"""Seconds from the connection to an accepted ``enter``; a program sends both at once."""

PING_SECONDS: Final = 10.0
"""Seconds of silence from the peer after which this side sends a ping. Both ends do."""

DEAD_SECONDS: Final = 25.0
"""Seconds of silence after which the peer is taken for gone: two pings and a half unanswered."""

WRITE_SECONDS: Final = 10.0
"""Seconds that one write may take before the peer is taken for stalled."""

BYE_SECONDS: Final = 1.0
"""Seconds for the last message and the end of the stream, when a connection ends in order."""

AWAY_WARNING_SECONDS: Final = 30.0
"""Seconds before somebody counts as away from which that is announced.

Of a time of less than twice that, it is the half.
"""

PAUSE_SECONDS: Final = 14 * 24 * 3600.0
"""Seconds for which a match that stands still waits for people, of which there may be none here."""

SHARES_PER_SECOND: Final = 4
"""Commitments and shares of decks a second that count for nothing else, in the long run."""

SHARES_BURST: Final = 16
"""The same, at once; further ones count as requests."""

COMMIT_SECONDS: Final = 2.0
"""Seconds for the seats' commitments after an offer; who is late has no share in the deal."""

REVEAL_SECONDS: Final = 6.0
"""Seconds for the shares after the set; the deal is offered anew without who withholds one."""

LOBBY_SECONDS: Final = 0.25
"""Seconds between two pages of changes to one who looks at the lobby: four a second."""

CONNECT_SECONDS: Final = 5.0
"""Seconds in which a client's connection attempt and hello must be answered."""

DETAIL_LENGTH: Final = 200
"""Characters of what a log says of a broken message."""
