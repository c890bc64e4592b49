"""A copy of all that a server keeps, in one file, and a data directory made of it.

The copy is made by the process that asks for it, so a running server never waits for it: the
journal is read with SQLite's own way to copy a database that is being written (a reader of its
write-ahead log delays no writer). What is copied is one moment between two transactions.

The file is a plain tar archive: the journal, the bans, and the certificate by which clients know
the server, so that a copy that is brought to life elsewhere is the same server to everybody: seats,
tokens and pins go on. It holds hands, seeds and keys, and nobody but its owner may read it.
"""

import os
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from kings_server import bans, certificate
from kings_server.journal_file import FAILURES, CannotOpen, for_reading, opened
from kings_server.journal_file import NAME as JOURNAL

BESIDE: Final = (bans.NAME, certificate.NAME)
"""What else is kept in a data directory, and belongs to a copy; either may be missing."""

MOST_BYTES: Final = 4 << 30
"""The largest part of a copy that is unpacked."""


class CannotBackUp(Exception):  # noqa: N818  said to the person
    """No copy can be made, or nothing be made of one; the message says why, in one line."""


def back_up(folder: Path, file: Path) -> dict[str, object]:
    """Copy what is kept in ``folder`` into the new ``file``, and say how much that is.

    Raises:
        CannotBackUp: there is no journal, the file is there already, or the disk fails.
    """
    try:
        (folder / JOURNAL).stat()
    except (FileNotFoundError, NotADirectoryError):
        raise CannotBackUp(
            f"{folder} holds no journal; choose the data directory with --data"
        ) from None
    except OSError as error:
        raise CannotBackUp(f"cannot read {folder}: {(error.strerror or '').lower()}") from None
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CannotBackUp(f"{file} is there already; choose a new name") from None
    except OSError as error:
        raise CannotBackUp(f"cannot write {file}: {(error.strerror or '').lower()}") from None
    done = False
    try:
        with os.fdopen(descriptor, "wb") as stream:
            tables = _pack(folder, file.parent, stream)
            stream.flush()
            os.fsync(stream.fileno())
        done = True
    except (OSError, *FAILURES) as error:
        raise CannotBackUp(f"cannot copy {folder}: {error}") from None
    finally:
        if not done:
            file.unlink(missing_ok=True)
    return {"file": str(file.absolute()), "bytes": file.stat().st_size, "tables": tables}


def _pack(folder: Path, beside: Path, stream: IO[bytes]) -> int:
    # The copy of the journal lies where the archive will: the same owner, and room for it.
    with TemporaryDirectory(dir=beside, prefix=".kings-backup-") as passing:
        copy = Path(passing) / JOURNAL
        with (
            closing(for_reading(folder / JOURNAL)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            ((tables,),) = target.execute("SELECT count(*) FROM tables")
        # What a link leads to is copied, and not the link.
        with tarfile.open(fileobj=stream, mode="w", dereference=True) as archive:
            archive.add(copy, JOURNAL, filter=_owned)
            for name in BESIDE:
                if os.path.lexists(folder / name):
                    archive.add(_there(folder / name), name, filter=_owned)
    return int(tables)


def _there(path: Path) -> Path:
    """Return ``path``, if a file is there.

    Raises:
        CannotBackUp: it is another thing, or a link that leads nowhere.
    """
    if not path.is_file():
        raise CannotBackUp(f"{path} is no file, or leads to none: a copy would be without it")
    return path


def _owned(part: tarfile.TarInfo) -> tarfile.TarInfo:
    part.uid = part.gid = 0
    part.uname = part.gname = ""
    part.mode = 0o600
    return part


def restore(file: Path, folder: Path) -> int:
    """Make a data directory of a copy, and return how many tables it holds.

    Raises:
        CannotBackUp: the file is no such copy, the directory is not empty, or the disk fails. Then
            nothing is left in the directory.
    """
    try:
        empty = not any(folder.iterdir())
    except FileNotFoundError:
        empty = True
    except OSError as error:
        raise CannotBackUp(f"cannot use {folder}: {(error.strerror or '').lower()}") from None
    if not empty:
        raise CannotBackUp(f"{folder} is not empty; choose a new directory with --data")
    done = False
    try:
        tables = _restored(file, folder)
        done = True
    except (tarfile.TarError, OSError) as error:
        raise CannotBackUp(f"cannot restore {file}: {error}") from None
    finally:
        if not done and folder.is_dir():
            for path in folder.iterdir():
                path.unlink(missing_ok=True)
    return tables


def _restored(file: Path, folder: Path) -> int:
    with tarfile.open(file, "r:") as archive:
        parts = {part.name: part for part in archive if part.isfile()}
        if JOURNAL not in parts:
            raise CannotBackUp(f"{file} is no backup of a server: it holds no journal")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for name in (JOURNAL, *BESIDE):
            if name in parts:
                _unpack(archive, parts[name], folder / name)
    try:
        with opened(folder) as journal:
            if journal.set_aside is not None:
                raise CannotBackUp(f"the journal in {file} is damaged")
            return len(journal.file.load())
    except CannotOpen as error:
        raise CannotBackUp(str(error)) from None


def _unpack(archive: tarfile.TarFile, part: tarfile.TarInfo, target: Path) -> None:
    source = archive.extractfile(part)
    if source is None or part.size > MOST_BYTES:
        raise CannotBackUp(f"{part.name} cannot be unpacked")
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source, os.fdopen(descriptor, "wb") as stream:
        while block := source.read(1 << 20):
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
