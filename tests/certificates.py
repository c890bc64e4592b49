"""Certificates as an authority issues them, and servers that tell what reached them under TLS."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trio
from attrs import define, field, frozen
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@frozen
class Issued:
    """A certificate and its key, in two files."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate."""
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex()

    def context(self) -> ssl.SSLContext:
        """Return what a server needs to prove itself with it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


class Authority:
    """Somebody who issues certificates; ``file`` is what those have who trust in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("An authority")
        root = _unsigned(self._name, self._name, self._key, 1, x509.BasicConstraints(True, None))
        self.file = folder / "authority.pem"
        signed = root.sign(self._key, hashes.SHA256())
        self.file.write_bytes(signed.public_bytes(Encoding.PEM))
        self._number = 0

    def issue(self, host: str, days: int = 1, password: bytes | None = None) -> Issued:
        """Issue a certificate for a host's name, that is valid for so many days from now."""
        self._number += 1
        key = ec.generate_private_key(ec.SECP256R1())
        plain = x509.BasicConstraints(False, None)
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
        made = _unsigned(_name(host), self._name, key, days, plain).add_extension(names, False)
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = made.add_extension(authority, False).sign(self._key, hashes.SHA256())
        found = Issued(
            self._folder / f"{self._number}-certificate.pem",
            self._folder / f"{self._number}-key.pem",
        )
        found.certificate.write_bytes(signed.public_bytes(Encoding.PEM))
        lock = NoEncryption() if password is None else BestAvailableEncryption(password)
        found.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
        return found


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _unsigned(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    days: int,
    basic: x509.BasicConstraints,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    usage = x509.KeyUsage(True, False, False, False, False, basic.ca, basic.ca, False, False)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 30 * DAY)
        .not_valid_after(now + days * DAY)
        .add_extension(basic, True)
        .add_extension(usage, True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    )


@define
class Ear:
    """A server that takes connections and says nothing; it keeps what it hears.

    Attributes:
        port: where it listens, on loopback.
        raw: the first bytes of each connection, under no TLS.
        heard: all that came inside TLS.
        met: handshakes that came to their end.
    """

    port: int = 0
    raw: list[bytes] = field(factory=list)
    heard: bytearray = field(factory=bytearray)
    met: int = 0


@asynccontextmanager
async def listening_ear(context: ssl.SSLContext | None, port: int = 0) -> AsyncIterator[Ear]:
    """Listen on loopback: under TLS with this context, or without."""
    ear = Ear()

    async def hear(stream: trio.SocketStream) -> None:
        if context is None:
            ear.raw.append(bytes(await stream.receive_some()))
            return
        secured = trio.SSLStream(stream, context, server_side=True)
        try:
            await secured.do_handshake()
            ear.met += 1
            while data := await secured.receive_some():
                ear.heard += data
        except trio.BrokenResourceError:
            return

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(port, host="127.0.0.1")
        ear.port = listener.socket.getsockname()[1]
        nursery.start_soon(trio.serve_listeners, hear, [listener])
        yield ear
        nursery.cancel_scope.cancel()
