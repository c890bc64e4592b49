"""Bounds and times that are the server's own business; what a client meets is in the protocol's.

Whoever runs a server may change those that are a matter of policy, of the size of the machine or
of who comes: ``Bounds`` names them, from here and from there. The others are fixed. Some belong to
the protocol, whose two ends have to agree: sizes of frames and texts, ``REQUESTS_IN_FLIGHT``. Some
bound memory that nobody misses: ``REMEMBERED_CLIENTS``, ``PASSWORD_COUNTS``, ``OUTBOX_REPLIES``.
Some say how the server is made: how much is read at once, how many requests wait for a table, how
long a failing disk is left alone. Some are a promise to players that no server should take back:
``CLOCK_ALLOWANCE``, ``HINTS_PER_SECOND``. What bounds one part alone, and no player meets, stands
in that part: connections of admins and of who reads figures, thoughts that wait for a worker.
"""

from typing import Final

RECEIVE_BYTES: Final = 16 * 1024
"""The most that is read at once: four of the largest frames of a client."""

FLOOD_PAUSE: Final = 0.5
"""Seconds for which nothing is read from who was just refused a request as one too many."""

WAITING_REQUESTS: Final = 128
"""Requests that wait for one table: one and a hint from each who is there, and some who arrive."""

BETWEEN_SECONDS: Final = 30.0
"""How long the next deal waits for people who are not ready."""

SEATS_LINES: Final = 20
"""Lines of chat in ``chat_seconds`` from all seats of a table together: a lively table of four."""

WATCHERS_LINES: Final = 8
"""Lines of chat in ``chat_seconds`` from all who watch a table together: as many as from one."""

CLOCK_ALLOWANCE: Final = 10.0
"""The least a returning player has left on the turn clock, in seconds; once a turn."""

CLOCK_WARNING: Final = 10.0
"""The least time before the end of a turn at which its player is warned of the clock, in seconds.

Of a turn of less than twice that, it is the half.
"""

JOURNAL_SECONDS: Final = 30.0
"""The longest a table waits for its journal before it gives up."""

GROUP_SECONDS: Final = 0.02
"""The shortest time from the beginning of one transaction to that of the next, in seconds.

A transaction costs as much work as six more moves in it, so a busy server lets several share one;
nobody sees the delay, and on a quiet server there is none.
"""

JOURNAL_RETRY: Final = (0.5, 4.0)
"""Seconds between two attempts to save while the disk fails: the first pause, and the longest."""

SAVE_AGAIN_SECONDS: Final = 2.0
"""How long a table that could not save waits before it tries again."""

TIMES_SECONDS: Final = (10.0, 600.0)
"""Seconds after which it is kept how much waiting is left: at a table with people, and without.

So much of it is done again at most after a restart.
"""

RECONNECT_SECONDS: Final = 30.0
"""What people are given on top of the time they had left, after the server was started again."""

HOST_SECONDS: Final = 5.0
"""How long a host who lost the line stays one while nothing is played: a line is back sooner.

Others are bound to what the host may do, so they do not wait for as long as the seat is kept.
"""

END_SECONDS: Final = 5.0
"""How long a table that is told to end waits for its journal before its people are sent away."""

GIVEN_UP: Final = 64
"""Keys of seats that were given up, so that their owners are told so; the newest are kept."""

DRAIN_SECONDS: Final = 10.0
"""How long a server goes on after it was asked to stop, unless it is told otherwise."""

STOP_SECONDS: Final = 2.0
"""How long a stopping server says goodbye."""

HANDSHAKES: Final = 16
"""TLS handshakes at once; further ones wait. Each takes about 1.5 ms of work and a round trip."""

HANDSHAKES_PER_ADDRESS: Final = 4
"""TLS handshakes at once from one address, so that one that stalls them leaves some to others."""

HANDSHAKE_SECONDS: Final = 10.0
"""Seconds from a connection to the end of its TLS handshake, the wait for its turn included."""

KEPT_PLACES: Final = 8
"""Places among the connections that are kept for an address from which somebody has entered."""

ENTERED_SECONDS: Final = 3600.0
"""Seconds for which they are kept once nobody is here: as long as the longest grace."""

REMEMBERED_ADDRESSES: Final = 4096
"""Addresses from which somebody has entered; the one that left longest ago is forgotten."""

EVICTED_SECONDS: Final = 0.25
"""Seconds to say goodbye in for who makes room for somebody else."""

HANDSHAKE_PATIENCE: Final = 1.0
"""Seconds that a handshake may stall while others wait for its turn; an honest one takes less."""

CLIENT_ANSWERS: Final = 16
"""Answers that are remembered for a client without a seat: twice what it may ask at once."""

REMEMBERED_CLIENTS: Final = 4096
"""Clients without a seat whose answers are remembered; the one heard of longest ago is forgotten.

Clients make up their ids. So many take 60 MB if each has made 16 tables.
"""

RENEWAL_SECONDS: Final = 1.0
"""The shortest time between two looks at the certificate's files, and the longest wait for one."""

RENEWAL_LOOK_SECONDS: Final = 60.0
"""Seconds between two looks at the certificate's files where nobody comes."""

RENEWAL_WARNING_DAYS: Final = 3.0
"""Days before a certificate's end from which on the log says so: its renewal is late by then."""

PASSWORD_HASHES: Final = 2
"""Passwords that are hashed at once: a hash takes a core, and 16 MB."""

PASSWORD_PAUSE: Final = 0.2
"""Seconds between two hashes for one address, so that it takes a quarter of a core at most."""

PASSWORD_TRIES: Final = 5
"""Wrong passwords of one address for one thing in ``PASSWORD_TRY_SECONDS``; then tries are slow."""

PASSWORD_TRY_SECONDS: Final = 60.0
"""Seconds for which a wrong password counts."""

PASSWORD_SLOW_PAUSE: Final = 2.0
"""Seconds between two slow tries: thirty a minute, and a crowd of sixty-four waits two minutes."""

PASSWORD_COUNTS: Final = 4096
"""Addresses, with what they try to open, that are remembered; the oldest is forgotten."""

SHOWN_SECONDS: Final = 0.25
"""Seconds for which an offer of a deck without any share stands, so that it is seen before."""
