"""What ``kings doctor ADDRESS`` looks at for a guest: the way to a server, step by step.

It stops at the first step beyond which nothing can be seen.
"""

import errno
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Final

from kings_protocol.address import split_address
from kings_protocol.codes import CloseCode
from kings_protocol.messages import Unwelcome, Welcome
from kings_protocol.version import PROTOCOL_NEWEST, PROTOCOL_OLDEST
from kings_server.config import PORT
from kings_server.doctor_greeting import ANSWER_SECONDS, Greeting, greeting
from kings_server.findings import Finding, note, well, wrong

ADDRESSES: Final = 4
"""Addresses of one name that are tried, at most."""

_UNREACHABLE: Final = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)

_OWN: Final = (18, 19)
"""OpenSSL's numbers for a certificate that vouches for itself, as a server of ours makes one."""

_DATES: Final = (9, 10)
"""Those for one that is not valid yet, or not any more."""

_NAME: Final = 62
"""That for one of another name."""


def way(text: str) -> Iterator[Finding]:
    """Look at the way to the server at an address, as people write it."""
    host, port = _read(text)
    if not 0 < port < 1 << 16:
        advice = "write HOST or HOST:PORT, with a port from 1 to 65535"
        yield wrong("address", f"{text[:60]!r} is no address", advice)
        return
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        advice = (
            "spell it as the host does, or take the address in numbers; names that end in .local "
            "are known in one network alone"
        )
        yield wrong("name", f"nobody here knows the name {host}", advice)
        return
    places = list(dict.fromkeys(place[4] for place in found))[:ADDRESSES]
    if not _is_number(host):
        yield well("name", f"{host} is {', '.join(str(place[0]) for place in places)}")
    reached = None
    for place, finding in ((place, _connected(place)) for place in places):
        yield finding
        if reached is None and finding.about == "way":
            reached = str(place[0])
    if reached is not None:
        answer = greeting(reached, port)
        yield _server(answer)
        if answer.code:
            yield _certificate(host, port, answer.code)


def _read(text: str) -> tuple[str, int]:
    """Return host and port of an address; port 0 if it is none."""
    try:
        host, port = split_address(text)
    except ValueError:
        return text, 0
    return host, PORT if port is None else port


def _is_number(host: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(host.partition("%")[0]))
    return False


def _connected(place: tuple[Any, ...]) -> Finding:
    """Try to connect, and say what keeps one from it."""
    where, port = str(place[0]), place[1]
    family = socket.AF_INET6 if ":" in where else socket.AF_INET
    began = time.monotonic()
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trying:
            trying.settimeout(ANSWER_SECONDS)
            trying.connect(place)
    except OSError as error:
        return _blocked(where, port, error)
    return well("way", f"{where} answers after {(time.monotonic() - began) * 1000:.0f} ms")


def _blocked(where: str, port: int, error: OSError) -> Finding:
    """Say what an error means that kept one from connecting."""
    if isinstance(error, TimeoutError):
        advice = (
            f"let TCP {port} through the firewall of the host and those on the way (a router, a "
            "network for guests); or its machine is off"
        )
        return wrong("firewall", f"{where} does not answer at all", advice)
    if isinstance(error, ConnectionRefusedError):
        advice = "ask the host whether the server runs, and for its port; a firewall may say so too"
        return wrong("port", f"{where} is there, and nothing listens at {port}", advice)
    if error.errno in _UNREACHABLE:
        advice = "connect both machines to one network, or use the address that leads out of it"
        return wrong("route", f"no way leads from here to {where}", advice)
    why = (error.strerror or str(error)).lower()
    return wrong("way", f"{where} cannot be reached: {why}", "look at this machine's network")


def _server(found: Greeting) -> Finding:
    match found.answer:
        case Welcome() if not found.code:
            advice = "kings join --plain-text, if everybody on the way may read along"
            return note("server", found.words, advice)
        case Welcome():
            return well("server", found.words)
        case Unwelcome(oldest=oldest, newest=newest):
            ours = f"{PROTOCOL_OLDEST} to {PROTOCOL_NEWEST}"
            newer = newest > PROTOCOL_NEWEST
            advice = "update this program" if newer else "ask the host to update the server"
            words = f"it speaks protocols {oldest} to {newest}, and this program {ours}"
            return wrong("version", words, advice)
    if found.turned_away is CloseCode.BANNED:
        words = "it lets nobody in from this address"
        return wrong("server", words, "ask whoever runs it: kings admin bans lists why")
    if found.turned_away is CloseCode.TOO_MANY_CONNECTIONS:
        return wrong("server", "it takes no more connections now", "try again later")
    advice = "ask the host for the port; it stands after the address on the host's screen"
    return wrong("server", "what listens there is no server of this game", advice)


def _certificate(host: str, port: int, code: str) -> Finding:
    """Look whether an authority vouches for a server's name, as programs that go there do."""
    own = f"its code is {code}"
    advice = "compare it with the one that the host reads out"
    if _is_number(host):
        return note("certificate", own, advice)
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), ANSWER_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            end = ssl.cert_time_to_seconds(str((secured.getpeercert() or {})["notAfter"]))
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _OWN:
            return note("certificate", own, advice)
        return _refused(host, error)
    except (OSError, ValueError, KeyError):
        return note("certificate", own, advice)
    days = (end - time.time()) / 86400
    return well("certificate", f"an authority vouches for {host}, for {days:.0f} days more")


def _refused(host: str, error: ssl.SSLCertVerificationError) -> Finding:
    words = f"it is refused: {error.verify_message}"
    if error.verify_code in _DATES:
        advice = "ask the host to renew it, and see whether the clock here is right"
    elif error.verify_code == _NAME:
        words = f"it is refused: it was issued for another name than {host}"
        advice = "go to the name that it was issued for"
    else:
        advice = "ask the host to give the whole chain (fullchain.pem) to the server"
    return wrong("certificate", words, advice)
