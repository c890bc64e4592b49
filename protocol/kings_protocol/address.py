"""The address of a server as people write it; what is said of a bad one is up to who reads it."""

import re
from ipaddress import ip_address
from typing import Final

_ADDRESS: Final = re.compile(r"(?:\[(?P<six>[^]]+)]|(?P<host>[^:\s[\]]+))(?::(?P<port>\d{1,9}))?")


def split_address(text: str) -> tuple[str, int | None]:
    """Return host and port of ``HOST``, ``HOST:PORT``, ``[IPV6]:PORT`` or a bare IPv6.

    Returns:
        The port as it was written, whether there can be such a port or not; nothing if none was.

    Raises:
        ValueError: the text is no address.
    """
    text = text.strip()
    if text.count(":") > 1 and not text.startswith("["):
        ip_address(text)
        return text, None
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found["six"] or found["host"], None if found["port"] is None else int(found["port"])
