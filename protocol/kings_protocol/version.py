"""Which protocol versions this program speaks, and the first message of either side."""

from typing import Final

from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import Hello, Unwelcome, Welcome
from kings_protocol.names import clean_name

PROGRAM: Final = "0.1.0"
"""This program's version; a test holds it to the distribution's."""

PROTOCOL_OLDEST: Final = 1
"""The oldest version of the protocol that this program still speaks."""

PROTOCOL_NEWEST: Final = 1
"""The newest version of the protocol that this program speaks."""


def negotiate(oldest: int, newest: int) -> int | None:
    """Return the newest version that both this program and such a peer speak, if there is one."""
    version = min(newest, PROTOCOL_NEWEST)
    return version if version >= max(oldest, PROTOCOL_OLDEST) else None


def make_hello() -> Hello:
    """Return this program's first message as a client."""
    return Hello(magic="kings", oldest=PROTOCOL_OLDEST, newest=PROTOCOL_NEWEST, program=PROGRAM)


def answer_hello(hello: Hello, server: str, name: str) -> Welcome | Unwelcome:
    """Return a server's answer to ``hello``.

    Args:
        hello: the client's first message.
        server: the server's id, 16 bytes in hexadecimal, the same for as long as its tables live.
        name: the server's name as people may read it; it is cleaned and cut.
    """
    version = negotiate(hello.oldest, hello.newest)
    if version is not None:
        return Welcome(
            magic="kings",
            version=version,
            program=PROGRAM,
            server=server,
            name=clean_name(name, NAME_LENGTH),
        )
    if hello.newest < PROTOCOL_OLDEST:
        advice = f"Your program is too old for this server: install version {PROGRAM} or newer."
    else:
        advice = (
            f"This server is too old for your program: its host has to update it, "
            f"or install version {PROGRAM} of the program yourself."
        )
    return Unwelcome(
        magic="kings",
        oldest=PROTOCOL_OLDEST,
        newest=PROTOCOL_NEWEST,
        program=PROGRAM,
        words=advice,
    )


def answer_plain() -> Unwelcome:
    """Return the answer, as plain as the hello, to a client that does not encrypt."""
    return Unwelcome(
        magic="kings",
        oldest=PROTOCOL_OLDEST,
        newest=PROTOCOL_NEWEST,
        program=PROGRAM,
        words=(
            "This server encrypts all connections, and yours was not. "
            f"If your program is older than this server ({PROGRAM}), install a newer one; "
            "if it was told to speak in plain text, leave that out."
        ),
    )
