"""The certificate by which clients know the server: made by itself and kept, or a real one.

Clients keep the fingerprint of a certificate that a server made for itself, so it lives as long as
the data directory does and never runs out. Whoever has its key can be taken for this server: the
file is its owner's alone.
"""

import os
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from attrs import define, evolve, field

from kings_protocol.identity_code import code_of, fingerprint_of

NAME: Final = "certificate.pem"
"""The file in the data directory: a private key, and the certificate that belongs to it."""


class CannotSecure(Exception):  # noqa: N818  said to the person who starts a server
    """There is no certificate to be used; the message says why, and what to do, in one line."""


@define
class Identity:
    """What the server proves itself with, and how clients and people know it again.

    Attributes:
        context: for TLS.
        fingerprint: of the certificate.
        certificate: the certificate's file.
        key: the file of its private key, if that is another one.
        changed: when the files were changed last, as far as that has been taken up.
        ends: when the certificate runs out; nothing for one that the server made for itself.
        trouble: why what is in the files now is not taken up; nothing if it is.
        renewable: whether its files are still there, after the start.
    """

    context: ssl.SSLContext = field(repr=False)
    fingerprint: str
    certificate: Path
    key: Path | None
    changed: int
    ends: datetime | None = None
    trouble: str = ""
    renewable: bool = True

    @property
    def days_left(self) -> float | None:
        """The days until it runs out, below 0 once it has; nothing if it never does."""
        return None if self.ends is None else (self.ends - datetime.now(UTC)) / timedelta(days=1)

    @property
    def code(self) -> str:
        """The fingerprint as people compare it."""
        return code_of(self.fingerprint)

    def renew(self) -> None:
        """Take up a certificate that was renewed in its files.

        What cannot be used, such as half of a new pair, is left alone: ``trouble`` says why.
        """
        if not self.renewable:
            return
        try:
            if _changed(self.certificate, self.key) == self.changed:
                self.trouble = ""
                return
            advice = "the one from before is used as long as it can be"
            newer = _identity(self.certificate, self.key, advice)
            _refuse_old(newer)
        except OSError as error:
            self.trouble = f"cannot read {error.filename}: {(error.strerror or '').lower()}"
        except CannotSecure as error:
            self.trouble = str(error)
        else:
            self.context, self.fingerprint = newer.context, newer.fingerprint
            self.changed, self.ends, self.trouble = newer.changed, newer.ends, ""


def own_identity(directory: Path | None) -> Identity:
    """Return the identity of a data directory, made at the first call; of none, a passing one.

    Raises:
        CannotSecure: the file cannot be made or read.
    """
    if directory is None:
        with TemporaryDirectory(prefix="kings-") as passing:
            return evolve(own_identity(Path(passing)), renewable=False)
    file = directory / NAME
    if not os.path.lexists(file):  # a link that leads nowhere is no reason to be another server
        from kings_server.certificate_made import made_certificate

        try:
            _keep(file, made_certificate())
        except OSError as error:
            raise CannotSecure(
                f"cannot write {file}: {(error.strerror or str(error)).lower()}"
            ) from None
    advice = "put it back from a backup, or remove it and have all clients warned of a new code"
    return _identity(file, None, advice)


def given_identity(certificate: Path, key: Path) -> Identity:
    """Return the identity of a certificate that somebody else issued, and its key.

    Raises:
        CannotSecure: they cannot be read, do not belong together, or have run out.
    """
    identity = _identity(certificate, key, "give a certificate and its key, both in PEM")
    _refuse_old(identity)
    return identity


def _refuse_old(identity: Identity) -> None:
    """Refuse a certificate that has run out.

    Raises:
        CannotSecure: it has.
    """
    if identity.ends is not None and identity.ends < datetime.now(UTC):
        raise CannotSecure(
            f"the certificate in {identity.certificate} ran out on {identity.ends:%Y-%m-%d}, and "
            "clients would refuse it; renew it, or leave it out: the server then makes its own"
        )


def _identity(certificate: Path, key: Path | None, advice: str) -> Identity:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    changed = 0
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # A ticket would save a millisecond at the next visit, and costs memory on every connection.
    context.num_tickets = 0
    try:
        changed = _changed(certificate, key)
        # Without a password, a protected key would be asked for on the terminal.
        context.load_cert_chain(certificate, key, password="")
        text = certificate.read_text(encoding="ascii", errors="replace")
        _, begin, rest = text.partition(_BEGIN)
        der = ssl.PEM_cert_to_DER_cert(begin + rest.partition(_END)[0] + _END)
        ends = None if key is None else _end_of(der)
    except (ssl.SSLError, ValueError):
        both = f"{certificate}" if key is None else f"{certificate} with {key}"
        raise CannotSecure(f"cannot use the certificate in {both}: {advice}") from None
    except OSError as error:
        which = certificate if key is None or not os.access(certificate, os.R_OK) else key
        raise CannotSecure(f"cannot read {which}: {(error.strerror or '').lower()}") from None
    return Identity(context, fingerprint_of(der), certificate, key, changed, ends)


def _end_of(der: bytes) -> datetime:
    from kings_server.certificate_made import end_of

    return end_of(der)


def _changed(certificate: Path, key: Path | None) -> int:
    return sum(file.stat().st_mtime_ns for file in (certificate, key) if file is not None)


_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"


def _keep(file: Path, content: bytes) -> None:
    """Write a file for its owner alone, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    draft = file.with_name(f"{file.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
