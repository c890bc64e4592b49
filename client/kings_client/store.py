"""What the client keeps between two runs, in files that only their owner can read.

The folder is the platform's for a program's state, or the one named by ``KINGS_STATE_DIR``. In it
each running client of a person takes a *place* of its own, by a file lock: two terminals on one
machine are two players, each with an id and seats of its own, and a place is free again as soon as
its client is gone, however it went.
"""

import json
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import platformdirs
from attrs import asdict, define, field, frozen
from filelock import FileLock, Timeout

from kings_client.folders import own_folder
from kings_client.marks import Exchange
from kings_client.model import Kept, Recent
from kings_client.words.tongue import tell

ENVIRONMENT: Final = "KINGS_STATE_DIR"
"""The environment variable that names another folder."""

PLACES: Final = 32
"""Clients of one person that can run at once on one machine."""

RECENT: Final = 12
"""Servers that are remembered, newest first."""

SEAT_SECONDS: Final = 14 * 24 * 3600
"""Seconds after which a seat is forgotten."""


class StoreError(Exception):
    """The folder cannot be used; the text is for the person."""


@frozen
class Seat:
    """A seat that can be taken back.

    Attributes:
        server: what the server that it belongs to is known by: its certificate, or without
            encryption its id. Its token is sent to no other.
        table: the table's id.
        name: the table's name.
        seat: the seat's number.
        token: what brings it back.
        exchanges: the offers of decks that are out, with one's own shares in them.
    """

    server: str
    table: str
    name: str
    seat: int
    token: str = field(repr=False)
    exchanges: tuple[Exchange, ...] = field(default=(), repr=False)


def state_folder() -> Path:
    """Return the folder, made if need be, for its owner alone.

    Raises:
        StoreError: it cannot be made.
    """
    folder = own_folder(os.environ.get(ENVIRONMENT), platformdirs.user_state_dir)
    if folder is None:
        raise StoreError(f"{tell('this account has no home directory')}; {_elsewhere()}")
    _make(folder)
    return folder


def matches_folder(folder: Path) -> Path:
    """Return where the files of matches are."""
    return folder / "matches"


def remembered_name(folder: Path | None = None) -> str | None:
    """Return the name that the person used last.

    Raises:
        StoreError: the folder cannot be used.
    """
    kept = _read((state_folder() if folder is None else folder) / "name.json")
    name = kept.get("name") if isinstance(kept, dict) else None
    return name if isinstance(name, str) else None


@define
class Store:
    """The folder, and this client's place in it until ``close``."""

    folder: Path
    place: Path
    _lock: FileLock

    @classmethod
    def open(cls, folder: Path | None = None) -> "Store":
        """Take the first free place.

        Raises:
            StoreError: the folder cannot be used, or every place is taken.
        """
        folder = state_folder() if folder is None else folder
        _make(folder)
        for number in range(1, PLACES + 1):
            lock = FileLock(folder / f"player-{number}.lock", blocking=False, mode=0o600)
            try:
                lock.acquire()
            except Timeout:
                continue
            except OSError as error:
                why = tell("cannot write to {path}: {why}", path=folder, why=error.strerror)
                raise StoreError(f"{why}; {_elsewhere()}") from error
            place = folder / f"player-{number}"
            _make(place)
            store = cls(folder, place, lock)
            store.tidy()
            return store
        raise StoreError(
            tell("{count} games are open already; close one of them first", count=PLACES)
        )

    def close(self) -> None:
        """Free the place for another client."""
        self._lock.release()

    # ---- who this is

    def client(self) -> str:
        """Return this client's id, 16 random bytes in hexadecimal, made at the first call."""
        kept = _read(self.place / "client.json")
        client = kept.get("client") if isinstance(kept, dict) else None
        if isinstance(client, str) and len(client) == 32:
            return client
        client = secrets.token_hex(16)
        _write(self.place / "client.json", {"client": client})
        return client

    def keep_name(self, name: str) -> None:
        """Remember the person's name.

        Raises:
            StoreError: it cannot be written.
        """
        if name != remembered_name(self.folder):
            _write(self.folder / "name.json", {"name": name})

    # ---- seats

    def seats(self, server: str) -> tuple[Seat, ...]:
        """Return the seats kept for ``server``."""
        seats = []
        for file in sorted(self.place.glob(f"seat-{server}-*.json")):
            with suppress(msgspec.ValidationError):
                seat = msgspec.convert(_read(file), Seat)
                if seat.server == server:
                    seats.append(seat)
        return tuple(seats)

    def seat(self, server: str, table: str) -> Seat | None:
        """Return the seat kept for ``table`` of ``server``."""
        return next((seat for seat in self.seats(server) if seat.table == table), None)

    def kept(self, server: str) -> tuple[Kept, ...]:
        """Return what a screen shows of the seats kept for ``server``."""
        return tuple(Kept(seat.table, seat.name) for seat in self.seats(server))

    def keep_seat(self, seat: Seat) -> None:
        """Remember a seat, in place of an older one at its table."""
        _write(self._seat_file(seat.server, seat.table), asdict(seat))

    def forget_seat(self, server: str, table: str) -> None:
        """Forget the seat at ``table``: it was left, or its token opens nothing more."""
        self._seat_file(server, table).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Forget seats that nobody has sat on for a fortnight: their servers are long gone."""
        oldest = time.time() - SEAT_SECONDS
        for file in self.place.glob("seat-*.json"):
            with suppress(OSError):
                if file.stat().st_mtime < oldest:
                    file.unlink()

    def _seat_file(self, server: str, table: str) -> Path:
        return self.place / f"seat-{server}-{table}.json"

    # ---- servers

    def recent(self) -> tuple[Recent, ...]:
        """Return the servers visited before, newest first."""
        kept = _read(self.folder / "recent.json")
        return tuple(
            Recent(line["address"], line["name"])
            for line in (kept if isinstance(kept, list) else ())
            if isinstance(line, dict) and {"address", "name"} <= line.keys()
        )

    def visited(self, address: str, name: str) -> None:
        """Remember a server as the newest."""
        others = [recent for recent in self.recent() if recent.address != address]
        newest = [Recent(address, name), *others][:RECENT]
        _write(self.folder / "recent.json", [asdict(recent) for recent in newest])

    def hosted(self) -> tuple[int, int, str, str] | None:
        """Return the process, port, id and code of the server last started for others."""
        match _read(self.folder / "hosted.json"):
            case {"pid": int(pid), "port": int(port), "server": str(server), "code": str(code)}:
                return pid, port, server, code
        return None

    def keep_hosted(self, pid: int, port: int, server: str, code: str) -> None:
        """Remember a server started for others.

        Raises:
            StoreError: it cannot be written.
        """
        hosted = {"pid": pid, "port": port, "server": server, "code": code}
        _write(self.folder / "hosted.json", hosted)

    def forget_hosted(self) -> None:
        """Forget the server started for others: it was stopped."""
        (self.folder / "hosted.json").unlink(missing_ok=True)

    # ---- matches

    def new_match(self, name: str) -> str:
        """Return ``name``, or ``name`` with a number, of which there is no file yet; it is made.

        Raises:
            StoreError: it cannot be made.
        """
        folder = matches_folder(self.folder)
        _make(folder)
        number, file = 1, folder / f"{name}.json"
        while True:
            try:
                file.touch(mode=0o600, exist_ok=False)
            except FileExistsError:
                number += 1
                file = folder / f"{name}-{number}.json"
            except OSError as error:
                raise StoreError(
                    tell("cannot write {path}: {why}", path=file, why=error.strerror)
                ) from error
            else:
                return file.stem

    def save_match(self, name: str, content: bytes) -> Path:
        """Write a match's proofs to the file called ``name`` and return its path.

        Raises:
            StoreError: it cannot be written.
        """
        file = matches_folder(self.folder) / f"{name}.json"
        _make(file.parent)
        _replace(file, content)
        return file


def private_copy(file: Path, content: bytes) -> None:
    """Write a file for its owner alone, whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    _replace(file, content)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        why = tell("cannot use the folder {path}: {why}", path=folder, why=error.strerror)
        raise StoreError(f"{why}; {_elsewhere()}") from error


def _elsewhere() -> str:
    return tell(
        "set {variable} to a folder of your own, or type kings play --keep-nothing",
        variable=ENVIRONMENT,
    )


def _read(file: Path) -> Any:
    """Return what the file holds, or nothing where it is missing or damaged."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(file: Path, content: object) -> None:
    _replace(file, json.dumps(content).encode())


def _replace(file: Path, content: bytes) -> None:
    """Replace the file at once, so that a crash leaves the old one or the new one.

    Raises:
        StoreError: it cannot be written.
    """
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with open(draft, "wb", opener=_private) as stream:
            stream.write(content)
        draft.replace(file)
    except OSError as error:
        raise StoreError(
            tell("cannot write {path}: {why}", path=file, why=error.strerror)
        ) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
