"""What ``kings doctor`` looks at in the data directory and the certificate. It changes nothing."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from kings_server import bans, certificate
from kings_server.config import Config
from kings_server.findings import Finding, note, well, wrong
from kings_server.journal_file import FAILURES, for_reading
from kings_server.journal_file import NAME as JOURNAL
from kings_server.journal_schema import MIGRATIONS, Damaged, check_schema
from kings_server.limits import RENEWAL_WARNING_DAYS

LEAST_BYTES: Final = 100 << 20
"""Free space below which a year of playing might fill the disk."""

AHEAD_SECONDS: Final = 3600.0
"""A journal that was written so far in the future shows that the clock went back."""


def data(folder: Path | None) -> Iterator[Finding]:
    """Look at a server's data directory."""
    if folder is None:
        yield note("data", "nothing is kept", "tables end with the server; --data keeps them")
        return
    try:
        if not folder.exists():
            yield _to_be_made(folder)
            return
        found = list(_rights(folder))
        yield from found or [well("data", f"{folder}: its owner's alone, and can be written")]
        yield from _space(folder)
        if (folder / JOURNAL).exists():
            yield _journal(folder / JOURNAL)
    except OSError as error:
        why = (error.strerror or "").lower()
        yield wrong("data", f"{folder}: {why}", "run this as the server's user")


def given_certificate(config: Config) -> Iterator[Finding]:
    """Look at a certificate that an authority issued, as far as this user can read it."""
    if config.certificate is None or config.key is None:
        return
    try:
        identity = certificate.given_identity(config.certificate, config.key)
    except certificate.CannotSecure as error:
        yield wrong("certificate", str(error), "look at its renewal, and at who may read its files")
        return
    days = identity.days_left or 0.0
    words = f"{config.certificate}: good for {days:.0f} days more"
    if days < RENEWAL_WARNING_DAYS:
        yield note("certificate", words, "look at its renewal")
    else:
        yield well("certificate", words)


def _to_be_made(folder: Path) -> Finding:
    above = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(above, os.W_OK | os.X_OK):
        advice = "choose another directory with --data, or let this user write there"
        return wrong("data", f"{folder} does not exist, and {above} cannot be written", advice)
    return well("data", f"{folder} will be made when a server is first started")


def _rights(folder: Path) -> Iterator[Finding]:
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield wrong("data", f"{folder} cannot be written", "run this as the server's user")
    if sys.platform == "win32":
        return
    # Whoever may do everything anyway looks after a server of another user.
    for path in (folder, *(folder / name for name in (JOURNAL, bans.NAME, certificate.NAME))):
        if path.is_symlink() and not path.exists():
            yield wrong("data", f"{path} leads nowhere", "put back what it leads to, or remove it")
        if path.exists() and path.stat().st_mode & 0o077:
            words = f"others on this machine may look at {path}: it holds hands, seeds or keys"
            yield wrong("data", words, f"chmod go= {path}")
        if path.exists() and os.geteuid() not in (0, path.stat().st_uid):
            words = f"{path} belongs to user number {path.stat().st_uid}, not to this one"
            yield wrong("data", words, "run this and the server as one user")


def _space(folder: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(folder).free
    words = f"{free >> 20} MB are free"
    if free < LEAST_BYTES:
        yield wrong("disk", words, "make room: a full disk stops all tables until there is some")
    else:
        yield well("disk", words)


def _journal(path: Path) -> Finding:
    try:
        with closing(for_reading(path)) as journal:
            ((form,),) = journal.execute("PRAGMA user_version")
            ((found,),) = journal.execute("PRAGMA quick_check(1)")
            tables = 0
            if form == len(MIGRATIONS):
                check_schema(journal)
            if form:
                ((tables,),) = journal.execute("SELECT count(*) FROM tables")
    except (*FAILURES, Damaged) as error:
        advice = "a server that is started sets it aside; restore a backup to have the tables back"
        return wrong("journal", f"{path}: {error}", advice)
    if found != "ok":
        return wrong("journal", f"{path} is damaged: {found}", "restore a backup")
    if form > len(MIGRATIONS):
        advice = "use the newer program, or another directory with --data"
        return wrong("journal", f"{path} was written by a newer program", advice)
    if path.stat().st_mtime > time.time() + AHEAD_SECONDS:
        return wrong("journal", f"{path} was written in the future", "set the clock")
    return well("journal", f"whole; tables that go on: {tables}")
