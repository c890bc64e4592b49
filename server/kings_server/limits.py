"""Every bound and time of the server that is no part of the protocol: what it limits and why."""

from typing import Final

ENTER_SECONDS: Final = 10.0
"""From the connection to the end of ``enter``: an honest client needs three round trips."""

PING_SECONDS: Final = 10.0
"""Silence after which the server asks whether somebody is still there."""

DEAD_SECONDS: Final = 30.0
"""Silence after which a connection counts as lost: three unanswered pings."""

SEND_SECONDS: Final = 10.0
"""The longest one write may take; a reader that stopped reading is dropped after it."""

CLOSE_SECONDS: Final = 1.0
"""How long a closing connection stays open so that its last message can be read."""

STOP_SECONDS: Final = 2.0
"""How long a stopping server says goodbye."""

RECEIVE_BYTES: Final = 16 * 1024
"""The most that is read at once: four of the largest frames of a client."""

QUEUE: Final = 64
"""Replies and one-time messages an outbox holds; one more ends the connection."""

WAITING_REQUESTS: Final = 8
"""Requests of one connection that wait while an earlier one is with its table."""

REQUESTS_A_SECOND: Final = 40
"""Requests a connection may send in the long run; a fast player makes two or three."""

REQUESTS_AT_ONCE: Final = 80
"""Requests a connection may send in one go."""

LINES_A_SECOND: Final = 1
"""Lines of chat a connection may send in the long run."""

LINES_AT_ONCE: Final = 6
"""Lines of chat a connection may send in one go."""

CONNECTIONS: Final = 4000
"""Connections at once; each costs about 30 KB."""

TABLES: Final = 1000
"""Tables at once."""

WATCHERS: Final = 50
"""People who look on at one table."""

MAILBOX_REQUESTS: Final = 128
"""Requests in a table's mailbox: one from each connection at the table, and some who arrive."""

MAILBOX: Final = MAILBOX_REQUESTS + WATCHERS + 8
"""A mailbox also has room for the departure of everybody at the table, so that none is lost."""

ANSWERS: Final = 64
"""Answers remembered for a seat, or for a client before it has one."""

ANSWER_SECONDS: Final = 600.0
"""How long a client's answers are remembered where it has no seat."""

NONCE_SECONDS: Final = 2.0
"""How long a deal waits for the clients' shares in its key."""

BETWEEN_SECONDS: Final = 30.0
"""How long the next deal waits for people who are not ready."""

CLOCK_ALLOWANCE: Final = 10.0
"""The least a returning player has left on the turn clock, in seconds."""

LOBBY_SECONDS: Final = 0.25
"""The least time between two changes of the lobby that are sent to those who look at it."""

JOURNAL_SECONDS: Final = 30.0
"""The longest a table waits for its journal before it gives up."""
