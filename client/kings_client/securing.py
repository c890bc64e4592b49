"""Reaches a server: the connection, TLS on it, and whether it is the server that is known there.

Nothing but the handshake is sent before that is decided. Who goes to a server for the first time
takes the certificate that is found, and is shown its code. A certificate that an authority issued
for the name in the address is taken like everywhere else. But where one is known, any other that is
no renewal of it is refused until the person accepts its code.

A certificate that a server made for itself is asked for nothing but its fingerprint: neither its
name nor its dates mean anything.
"""

import ssl
from collections.abc import Awaitable, Callable
from functools import cache
from ipaddress import ip_address
from typing import Final, TypeAlias

import trio
from attrs import frozen

from kings_client.config import Address, Target
from kings_client.model import Change, How, Reason
from kings_client.pins import Pin, Pins
from kings_protocol.codes import CloseCode
from kings_protocol.identity_code import code_of, fingerprint_of

Connect: TypeAlias = Callable[[Address, float], Awaitable[trio.abc.Stream | Reason]]
"""Opens a stream within so many seconds, or says why not."""

_LOCAL: Final = (".local", ".lan", ".internal", ".home.arpa", ".localhost")
"""Ends of names that mean something in one network alone."""

_EXPIRED: Final = 10
"""OpenSSL's number for a certificate that has run out, where all else is in order."""


@frozen
class Line:
    """An open connection to a server that may be spoken to.

    Attributes:
        stream: the connection.
        how: how the server is known.
        fingerprint: of its certificate; nothing without encryption.
        identity: what its tokens are filed by; nothing without encryption.
        pin: what to remember of it at its address, once it has greeted like a server of this game.
    """

    stream: trio.abc.Stream
    how: How
    fingerprint: str = ""
    identity: str = ""
    pin: Pin | None = None


@frozen
class Failed:
    """There is no such connection: why, and between which codes the person has to decide."""

    reason: Reason | CloseCode
    change: Change | None = None


async def reach(
    target: Target, pins: Pins, connect: Connect, seconds: float, *, only: str = ""
) -> Line | Failed:
    """Return a connection to ``target`` on which everything may be said, or why there is none.

    Args:
        target: where to go.
        pins: which servers are known; nothing is added to them.
        connect: opens the bare connection.
        seconds: for all of it.
        only: the identity of the only server that is meant: any other is no question for the
            person, and there is nothing to remember.
    """
    if target.plain_text:
        bare = await connect(target.address, seconds)
        if isinstance(bare, Reason):
            return Failed(bare)
        return Line(bare, "here" if target.secret else "plain")
    with trio.move_on_after(seconds):
        return await _reached(target, pins, connect, seconds, only)
    return Failed(Reason.TIMED_OUT)


async def look(address: Address, connect: Connect, seconds: float) -> Line | Failed:
    """Return an encrypted connection to whoever is there, known or not; nothing is remembered."""
    with trio.move_on_after(seconds):
        met = await _meet(address, connect, seconds, _unjudging())
        if isinstance(met, Failed):
            return met
        return Line(met, "first", _fingerprint(met))
    return Failed(Reason.TIMED_OUT)


async def _reached(
    target: Target, pins: Pins, connect: Connect, seconds: float, only: str
) -> Line | Failed:
    address, known = target.address, pins.of(target.address)
    met: _Secured | Failed = _UNTRUSTED
    if _may_be_real(address.host) and not only and (known is None or known.real or target.code):
        met = await _meet(address, connect, seconds, _judging())
    real = not isinstance(met, Failed)
    if met is _UNTRUSTED:
        met = await _meet(address, connect, seconds, _unjudging())
    if isinstance(met, Failed):
        return met
    judged = _judge(target, pins, _fingerprint(met), only, real=real)
    if isinstance(judged, Failed):
        await trio.aclose_forcefully(met)
        return judged
    how, pin = judged
    return Line(met, how, pin.fingerprint, pin.identity, None if only else pin)


def _judge(
    target: Target, pins: Pins, fingerprint: str, only: str, *, real: bool
) -> tuple[How, Pin] | Failed:
    """Return how a server is known by its certificate, or that it is not the one that is meant."""
    known, found = pins.of(target.address), code_of(fingerprint)
    elsewhere = pins.identity(fingerprint)
    pin = Pin(fingerprint, real, elsewhere or fingerprint)
    if only:
        return ("known", pin) if pin.identity == only else Failed(Reason.OTHER_SERVER)
    if target.code:
        if target.code == found:
            return "real" if real else "known", pin
        return Failed(Reason.OTHER_CODE, Change(target.code, found))
    if known is None:
        how: How = "real" if real else "first" if elsewhere is None else "known"
        return how, pin
    if known.fingerprint == fingerprint:
        return "real" if known.real else "known", known
    if known.real and real:
        return "real", Pin(fingerprint, real, known.identity)
    return Failed(Reason.CERTIFICATE_CHANGED, Change(known.code, found))


# ---- handshakes

_Secured: TypeAlias = trio.SSLStream[trio.abc.Stream]

_UNTRUSTED: Final = Failed(Reason.NO_HANDSHAKE)
"""No authority that this computer trusts vouches for the certificate."""


async def _meet(
    address: Address, connect: Connect, seconds: float, context: ssl.SSLContext
) -> _Secured | Failed:
    bare = await connect(address, seconds)
    if isinstance(bare, Reason):
        return Failed(bare)
    name = address.host if _is_name(address.host) else None
    secured = trio.SSLStream(bare, context, server_hostname=name)
    try:
        await secured.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(bare)
        return _failure(error.__cause__)
    except BaseException:
        await trio.aclose_forcefully(bare)
        raise
    return secured


def _failure(error: BaseException | None) -> Failed:
    """Return what a failed handshake means."""
    match error:
        case ssl.SSLCertVerificationError(verify_code=code):
            return Failed(Reason.CERTIFICATE_EXPIRED) if code == _EXPIRED else _UNTRUSTED
        case ssl.SSLError(reason=str(reason)) if "ALERT_INTERNAL_ERROR" in reason:
            return Failed(CloseCode.TOO_MANY_CONNECTIONS)
        case ssl.SSLError(reason=str(reason)) if "ALERT_ACCESS_DENIED" in reason:
            return Failed(CloseCode.BANNED)
        case ssl.SSLError(reason=str(reason)) if "ALERT" in reason:
            return Failed(Reason.NO_HANDSHAKE)
        case ssl.SSLEOFError() | ssl.SSLZeroReturnError():
            return Failed(Reason.CUT)
        case ssl.SSLError():
            return Failed(Reason.NOT_ENCRYPTED)
    return Failed(Reason.CUT)


def _fingerprint(stream: _Secured) -> str:
    certificate: bytes = stream.getpeercert(binary_form=True)
    return fingerprint_of(certificate)


@cache
def _unjudging() -> ssl.SSLContext:
    """Return what takes any certificate: it is judged by its fingerprint, after the handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@cache
def _judging() -> ssl.SSLContext:
    """Return what takes only certificates that an authority of this system's vouches for."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def _is_name(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return True
    return False


def _may_be_real(host: str) -> bool:
    """Say whether an authority may vouch for ``host``: none does for addresses and local names."""
    name = host.lower().rstrip(".")
    return _is_name(host) and name != "localhost" and not name.endswith(_LOCAL)
