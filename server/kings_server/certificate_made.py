"""Makes the certificate of a server that has none, and reads the dates of a real one.

It is apart from what every start needs: the library takes longer to load than a handshake.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_SUBJECT: Final = "Kings in the Corner"

_FOR_EVER: Final = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""The end of a certificate that has none (RFC 5280, 4.1.2.5)."""


def made_certificate() -> bytes:
    """Return a new key and its certificate, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _SUBJECT)])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # A client whose clock is behind finds it valid too, should it look.
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(_FOR_EVER)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return secret + certificate.public_bytes(Encoding.PEM)


def end_of(certificate: bytes) -> datetime:
    """Return when a certificate, in DER, runs out.

    Raises:
        ValueError: it is no certificate.
    """
    return x509.load_der_x509_certificate(certificate).not_valid_after_utc
