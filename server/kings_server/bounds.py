"""The limits that whoever runs a server may change, as one frozen value.

Their names are those of the constants in ``kings_protocol.limits`` and ``kings_server.limits``, in
lower case; each is explained there.
"""

from attrs import frozen

from kings_protocol import limits as shared
from kings_server import limits as own


@frozen
class Bounds:
    """How much a server takes, and how long it waits. Whole numbers and seconds, all above 0.

    Only ``requests_per_second`` may be 0: then a connection may send any number.
    """

    requests_per_second: int = shared.REQUESTS_PER_SECOND
    requests_burst: int = shared.REQUESTS_BURST
    flood_refusals: int = shared.FLOOD_REFUSALS
    pending_commands: int = shared.PENDING_COMMANDS
    chat_lines: int = shared.CHAT_LINES
    chat_seconds: float = shared.CHAT_SECONDS
    connections: int = shared.CONNECTIONS
    connections_per_address: int = shared.CONNECTIONS_PER_ADDRESS
    unentered: int = shared.UNENTERED
    unentered_per_address: int = shared.UNENTERED_PER_ADDRESS
    tables: int = shared.TABLES
    tables_per_client: int = shared.TABLES_PER_CLIENT
    tables_per_address: int = shared.TABLES_PER_ADDRESS
    watchers: int = shared.WATCHERS
    hello_seconds: float = shared.HELLO_SECONDS
    enter_seconds: float = shared.ENTER_SECONDS
    ping_seconds: float = shared.PING_SECONDS
    dead_seconds: float = shared.DEAD_SECONDS
    write_seconds: float = shared.WRITE_SECONDS
    pause_seconds: float = shared.PAUSE_SECONDS
    commit_seconds: float = shared.COMMIT_SECONDS
    reveal_seconds: float = shared.REVEAL_SECONDS
    lobby_seconds: float = shared.LOBBY_SECONDS
    between_seconds: float = own.BETWEEN_SECONDS
    reconnect_seconds: float = own.RECONNECT_SECONDS
    journal_seconds: float = own.JOURNAL_SECONDS
    handshakes: int = own.HANDSHAKES
    handshakes_per_address: int = own.HANDSHAKES_PER_ADDRESS
    handshake_seconds: float = own.HANDSHAKE_SECONDS
    password_tries: int = own.PASSWORD_TRIES
    password_try_seconds: float = own.PASSWORD_TRY_SECONDS
