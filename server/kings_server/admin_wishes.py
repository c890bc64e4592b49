"""What ``kings admin`` may ask of a running server: a line of JSON each way."""

from typing import Final, TypeAlias

import msgspec

LINE_BYTES: Final = 64 * 1024
"""The longest question; the answer may be longer."""

FOLDER: Final = "admin"
"""The folder in the data directory that holds the socket. It is its owner's alone."""

SOCKET: Final = "socket"


class _Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """One thing that is asked for."""


class ListAll(_Wish, frozen=True, tag="list"):
    """Who is here, and which tables there are."""


class Say(_Wish, frozen=True, tag="say"):
    """Say something to everybody."""

    text: str


class Kick(_Wish, frozen=True, tag="kick"):
    """End somebody's connection: the number of one, or a name as a text."""

    who: int | str


class Ban(_Wish, frozen=True, tag="ban"):
    """Let somebody in no more: the number of a connection, or a name as a text.

    With ``household``, everybody from the same address.
    """

    who: int | str
    seconds: float | None
    household: bool = False


class BanNetwork(_Wish, frozen=True, tag="ban_network"):
    """Let nobody in any more who comes from an address or a network."""

    network: str
    seconds: float | None


class Unban(_Wish, frozen=True, tag="unban"):
    """Lift a ban."""

    number: int


class Bans(_Wish, frozen=True, tag="bans"):
    """Which bans are in force."""


class End(_Wish, frozen=True, tag="end"):
    """End a table."""

    table: str


class Drain(_Wish, frozen=True, tag="drain"):
    """Begin no new tables, and stop after so long, or after what the server was started with."""

    seconds: float | None = None


class Stats(_Wish, frozen=True, tag="stats"):
    """What the server has done since it was started."""


Wish: TypeAlias = ListAll | Say | Kick | Ban | BanNetwork | Unban | Bans | End | Drain | Stats

Answer: TypeAlias = dict[str, object]
"""Plain data; with ``error`` if it could not be done."""


def read(line: bytes) -> Wish:
    """Return what a line asks for.

    Raises:
        ValueError: it asks for nothing that can be done.
    """
    wish: Wish = msgspec.json.decode(line, type=Wish)
    return wish


def written(content: Wish | Answer) -> bytes:
    """Return the line for a wish or an answer."""
    return msgspec.json.encode(content) + b"\n"
