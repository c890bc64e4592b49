"""The options of ``kings serve``: one table for all the places where they are read or described.

The command line, the environment, the file, ``--help``, ``--check`` and the table in
``docs/hosting.md`` come from it. A new option is a field of ``Config`` and a line here.
"""

from typing import Final

from attrs import fields, frozen

from kings_protocol.limits import TEXT_LENGTH
from kings_server import log
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.kinds import (
    FLAG,
    HOST,
    NAME,
    PATH,
    PORT,
    Kind,
    line,
    one_of,
    or_nothing,
    seconds,
    whole,
)

PREFIX: Final = "KINGS_SERVE_"
"""How the names of the server's variables in the environment begin."""

LIMITS: Final = "limits"
"""The section of the file, and the prefix of the names, of the server's limits."""


@frozen
class Option:
    """One option.

    Attributes:
        name: its name in the file, and of its field in ``Config``.
        kind: what it may be.
        words: what it does, for ``--help`` and the documentation.
        unset: what holds where it is not given, if that depends on who starts the server.
        everywhere: whether the file and the environment may give it as well.
    """

    name: str
    kind: Kind
    words: str
    unset: str = ""
    everywhere: bool = True

    @property
    def flag(self) -> str:
        """How the command line names it."""
        if self.limits:
            return f"--limit {self.name.partition('.')[2]}="
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """How the environment names it."""
        return PREFIX + self.name.replace(".", "_").upper()

    @property
    def limits(self) -> bool:
        """Whether it is one of the server's limits."""
        return self.name.startswith(f"{LIMITS}.")

    @property
    def default(self) -> object:
        """What holds where it is not given."""
        if self.limits:
            return getattr(Bounds(), self.name.partition(".")[2])
        return getattr(Config(), self.name)

    @property
    def usual(self) -> str:
        """What holds where it is not given, in words."""
        return self.unset or self.kind.shown(self.default)


def _limit(name: str, default: float) -> Option:
    if isinstance(default, int):
        kind = whole(0 if name == "requests_per_second" else 1, 10**9 - 1)
    else:
        kind = seconds(0.001, 1e9)
    return Option(f"{LIMITS}.{name}", kind, _WORDS[name])


_WORDS: Final = {
    "requests_per_second": "requests a second from one connection, on average; 0: any number",
    "requests_burst": "requests that may come at once before the average counts",
    "flood_refusals": "requests too many that end a connection, of which one a second is forgiven",
    "pending_commands": "requests of one connection that wait for its table",
    "chat_lines": "lines of chat from one connection in chat_seconds",
    "chat_seconds": "seconds over which lines of chat are counted",
    "connections": "connections of the server",
    "connections_per_address": "connections from one address",
    "unentered": "connections that have not said yet who they are",
    "unentered_per_address": "the same, from one address",
    "tables": "tables of the server",
    "tables_per_client": "tables that one client has made and that are still there",
    "tables_per_address": "the same, from one address, however many clients that is",
    "watchers": "people who look on at one table",
    "hello_seconds": "seconds from a connection to its first message",
    "enter_seconds": "seconds from a connection until it has said who it is",
    "ping_seconds": "seconds of silence after which the other side is asked for a sign of life",
    "dead_seconds": "seconds of silence after which the other side counts as gone",
    "write_seconds": "seconds that one write may take",
    "pause_seconds": "seconds that a match which stands still waits for its people",
    "commit_seconds": "seconds in which people's clients commit to their shares of a deck",
    "reveal_seconds": "seconds in which they reveal them; else a deal is offered anew",
    "lobby_seconds": "seconds between two changes of the list of tables",
    "between_seconds": "seconds that the next deal waits for people who are not ready",
    "reconnect_seconds": "seconds that people have on top of what was left, after a restart",
    "journal_seconds": "seconds that a table waits for the disk",
    "handshakes": "TLS handshakes at once; further ones wait",
    "handshakes_per_address": "TLS handshakes at once from one address",
    "handshake_seconds": "seconds from a connection to the end of its TLS handshake",
    "password_tries": "wrong passwords of one address in password_try_seconds; more are slow",
    "password_try_seconds": "seconds for which a wrong password counts",
}

OPTIONS: Final = (
    Option(
        "host",
        or_nothing(HOST, "any"),
        "where to listen; 127.0.0.1 is this machine only",
    ),
    Option("port", PORT, "TCP port; 0 takes a free one"),
    Option("name", NAME, "what the server calls itself"),
    Option(
        "motd",
        or_nothing(line(TEXT_LENGTH), "none"),
        "message of the day: what everybody is told who enters",
    ),
    Option(
        "announce",
        FLAG,
        "tell the network of the server, so that kings lists it on the machines near by",
    ),
    Option(
        "data",
        or_nothing(PATH, "none"),
        "directory in which tables are kept; none keeps nothing, so tables end with the server",
        unset="the data directory of this user",
    ),
    Option(
        "plain_text",
        FLAG,
        "encrypt nothing, for tests and on one machine: whoever is on the network can read cards, "
        "chat and the tokens of seats, and no password is taken",
    ),
    Option(
        "certificate",
        or_nothing(PATH, "own"),
        "a certificate that an authority issued, with its chain, in PEM; without one, the server "
        "makes its own",
        unset="own",
    ),
    Option("key", or_nothing(PATH, "own"), "the private key of that certificate", unset="own"),
    Option(
        "password_file",
        or_nothing(PATH, "none"),
        "file whose first line is a password that everybody needs who enters",
        unset="none",
    ),
    Option("drain", seconds(0), "how long people may play on after SIGTERM"),
    Option(
        "metrics_port",
        or_nothing(PORT, "off"),
        "port for figures in Prometheus' format (/metrics) and /health",
    ),
    Option(
        "metrics_host",
        HOST,
        "where these are shown; another address than 127.0.0.1 shows them to whoever reaches it",
    ),
    Option(
        "bots_thinking",
        or_nothing(whole(1, 64), "cores"),
        "bots that may think at once, each in a process of its own; cores: one less than there are",
    ),
    Option(
        "linger",
        or_nothing(seconds(1), "never"),
        "stop when nobody has been here for so long (and, if nothing is saved, no table is left)",
    ),
    Option("log_level", one_of(*log.LEVELS), "least important level to log, on standard error"),
    Option("log_format", one_of(*log.FORMATS), "lines for people, or one JSON object a line"),
    Option(
        "log_people",
        one_of(*log.PEOPLE),
        "how names and addresses of people are logged: as they are, or as hashes, which are others "
        "after each start",
    ),
    Option(
        "private",
        FLAG,
        "take only clients that bring the secret: 64 hex digits, the first line of the input",
        everywhere=False,
    ),
    Option("with_parent", FLAG, "stop when standard input ends", everywhere=False),
    *(_limit(field.name, getattr(Bounds(), field.name)) for field in fields(Bounds)),
)
"""Every option, in the order in which they are described."""

BY_NAME: Final = {option.name: option for option in OPTIONS}


def documented() -> str:
    """Return the table of options as ``docs/hosting.md`` has it."""
    head = ("| in the file | default | allowed | what it does |", "|---|---|---|---|")
    lines = (
        f"| `{option.name}` | {option.usual} | {option.kind.allowed} | {option.words} |"
        for option in OPTIONS
        if option.everywhere
    )
    return "\n".join((*head, *lines))
