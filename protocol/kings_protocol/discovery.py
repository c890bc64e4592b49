"""What a server says of itself on the local network: the records of DNS-SD, as plain values.

Whoever hears it believes none of it: it is text for a list. Who a server is, is found out by
connecting to it.
"""

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kings_protocol.limits import NAME_LENGTH, PROGRAM_LENGTH
from kings_protocol.names import clean_name

SERVICE: Final = "_kings-corner._tcp.local."
"""The type of the service, as RFC 6763 writes it."""

LARGEST: Final = 2**31 - 1
"""The largest number in an announcement, as in the rest of the protocol."""

_INSTANCE: Final = re.compile("[0-9a-f]{16}")
_NUMBER: Final = re.compile("[0-9]{1,10}")
_VERSIONS: Final = re.compile("([0-9]{1,10})-([0-9]{1,10})")


@frozen
class Announcement:
    """What a server announces.

    Attributes:
        instance: 8 random bytes in hexadecimal, new for each run of a server.
        oldest: the oldest version of the protocol that it speaks.
        newest: the newest.
        program: its program's version, for people.
        name: what it calls itself.
        people: how many have entered.
        tables: how many tables it has.
        locked: whether it asks for a password.
    """

    instance: str
    oldest: int
    newest: int
    program: str
    name: str
    people: int = 0
    tables: int = 0
    locked: bool = False


def write_txt(said: Announcement) -> dict[str, str]:
    """Return the keys and values of an announcement's TXT record."""
    return {
        "id": said.instance,
        "versions": f"{said.oldest}-{said.newest}",
        "program": said.program,
        "name": said.name,
        "people": str(said.people),
        "tables": str(said.tables),
        "locked": str(int(said.locked)),
    }


def read_txt(pairs: Mapping[bytes, bytes | None]) -> Announcement | None:
    """Return what a TXT record says, or nothing if it is none of ours.

    Keys that are not known are passed over, and the text is cleaned.
    """
    known = {key: value or b"" for key, value in pairs.items()}

    def text(key: str, limit: int) -> str:
        return clean_name(known.get(key.encode(), b"").decode("utf-8", "replace"), limit)

    instance = _INSTANCE.fullmatch(text("id", 40))
    versions = _VERSIONS.fullmatch(text("versions", 40))
    people, tables = (_NUMBER.fullmatch(text(key, 40)) for key in ("people", "tables"))
    if instance is None or versions is None or people is None or tables is None:
        return None
    numbers = [int(number) for number in (*versions.groups(), people[0], tables[0])]
    if max(numbers) > LARGEST:
        return None
    oldest, newest, many, laid = numbers
    return Announcement(
        instance=instance[0],
        oldest=oldest,
        newest=newest,
        program=text("program", PROGRAM_LENGTH),
        name=text("name", NAME_LENGTH),
        people=many,
        tables=laid,
        locked=text("locked", 1) == "1",
    )
