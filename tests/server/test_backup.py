"""A copy of what a server keeps, made while it is used, and what becomes of it elsewhere."""

import sqlite3
import tarfile
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from journals import bulky
from kings_server import certificate
from kings_server.backup import CannotBackUp, back_up, restore
from kings_server.bans import Bans, CannotKeep
from kings_server.certificate import CannotSecure, own_identity
from kings_server.journal_file import NAME, opened
from kings_server.journal_rows import keep_table
from serving import command


def used(folder: Path, tables: int = 2) -> str:
    """Use a data directory as a server does, and return the server's id."""
    with opened(folder) as journal:
        for number in range(tables):
            journal.file.commit([keep_table(f"table{number}", "{}", "{}"), *bulky(number)])
        own_identity(folder)
        bans = Bans(folder)
        bans.add("a" * 32, "", "Ann", None)
        bans.keep()
        return journal.file.server_id


def test_a_copy_is_made_between_two_transactions_of_a_server_that_goes_on(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    with opened(data) as journal:
        journal.file.commit([keep_table("first", "{}", "{}")])
        assert back_up(data, file)["tables"] == 1
        journal.file.commit([keep_table("second", "{}", "{}")])
        assert back_up(data, tmp_path / "again.tar")["tables"] == 2
        assert len(journal.file.load()) == 2
    assert restore(file, tmp_path / "other") == 1
    assert restore(tmp_path / "again.tar", tmp_path / "another") == 2


def test_what_is_restored_is_the_same_server_to_everybody(tmp_path: Path) -> None:
    data, other, file = tmp_path / "data", tmp_path / "other", tmp_path / "copy.tar"
    server = used(data)
    back_up(data, file)
    assert restore(file, other) == 2
    with opened(other) as journal:
        assert journal.file.server_id == server
    assert own_identity(other).fingerprint == own_identity(data).fingerprint
    assert Bans(other).all() == Bans(data).all()


@pytest.mark.parametrize("name", [certificate.NAME, "bans.json", NAME])
def test_what_a_link_leads_to_is_part_of_a_copy(tmp_path: Path, name: str) -> None:
    data, other, file = tmp_path / "data", tmp_path / "other", tmp_path / "copy.tar"
    server = used(data)
    known, bans = own_identity(data).fingerprint, Bans(data).all()
    (tmp_path / "secrets").mkdir()
    (data / name).rename(tmp_path / "secrets" / name)
    (data / name).symlink_to(Path("..") / "secrets" / name)
    assert own_identity(data).fingerprint == known
    back_up(data, file)
    restore(file, other)
    assert not (other / name).is_symlink()
    with opened(other) as journal:
        assert journal.file.server_id == server
    assert own_identity(other).fingerprint == known
    assert Bans(other).all() == bans


@pytest.mark.parametrize("name", [certificate.NAME, "bans.json"])
def test_a_link_that_leads_nowhere_is_told_and_nothing_is_put_in_its_place(
    tmp_path: Path, name: str
) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    (data / name).unlink()
    (data / name).symlink_to(tmp_path / "not mounted")
    with pytest.raises(CannotBackUp, match=name):
        back_up(data, file)
    assert not file.exists()
    with pytest.raises((CannotSecure, CannotKeep), match="cannot read"):
        _ = own_identity(data), Bans(data)
    assert (data / name).is_symlink()
    assert not (tmp_path / "not mounted").exists()


def test_bans_that_are_linked_to_are_written_where_they_are(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("[]")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bans.json").symlink_to(real)
    bans = Bans(tmp_path / "data")
    bans.add("a" * 32, "", "Ann", None)
    bans.keep()
    assert (tmp_path / "data" / "bans.json").is_symlink()
    assert "Ann" in real.read_text()


def test_a_copy_without_a_certificate_says_what_that_means(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    (data / certificate.NAME).unlink()
    back_up(data, file)
    ran = command("restore", "--data", str(tmp_path / "other"), str(file))
    assert ran.returncode == 0
    assert "warn of another" in ran.stderr


def test_both_are_for_their_owner_alone(tmp_path: Path) -> None:
    data, other, file = tmp_path / "data", tmp_path / "other", tmp_path / "copy.tar"
    used(data)
    other.mkdir(mode=0o755)
    back_up(data, file)
    restore(file, other)
    assert file.stat().st_mode & 0o777 == 0o600
    assert other.stat().st_mode & 0o777 == 0o700
    for name in (NAME, certificate.NAME):
        assert (other / name).stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"data", "other", "copy.tar"}


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    file.write_text("mine")
    with pytest.raises(CannotBackUp, match="there already"):
        back_up(data, file)
    assert file.read_text() == "mine"
    back_up(data, tmp_path / "new.tar")
    with pytest.raises(CannotBackUp, match="not empty"):
        restore(tmp_path / "new.tar", data)


def test_what_is_no_copy_is_told(tmp_path: Path) -> None:
    file = tmp_path / "copy.tar"
    file.write_bytes(b"no archive" * 100)
    with pytest.raises(CannotBackUp, match="cannot restore"):
        restore(file, tmp_path / "other")
    with tarfile.open(tmp_path / "holiday.tar", "w"):
        pass
    with pytest.raises(CannotBackUp, match="holds no journal"):
        restore(tmp_path / "holiday.tar", tmp_path / "other")
    assert not (tmp_path / "other").exists()
    with pytest.raises(CannotBackUp, match="holds no journal"):
        back_up(tmp_path, tmp_path / "new.tar")


def test_a_directory_that_cannot_be_looked_into_is_one_line(tmp_path: Path) -> None:
    data, file = tmp_path / ("x" * 300), tmp_path / "copy.tar"
    used(tmp_path / "data")
    back_up(tmp_path / "data", file)
    for arguments in (("admin", "--data", str(data), "backup", "new.tar"), ("restore", str(file))):
        ran = command(*arguments, environment={"KINGS_SERVE_DATA": str(data)})
        assert ran.returncode == 1
        (line,) = ran.stderr.splitlines()
        assert str(data) in line


def test_a_journal_without_its_tables_is_told(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    with closing(sqlite3.connect(data / NAME)) as journal, journal:
        journal.execute("DROP TABLE lines")
    back_up(data, file)
    with pytest.raises(CannotBackUp, match="is damaged"):
        restore(file, tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []


def test_only_what_belongs_to_a_server_is_unpacked(tmp_path: Path) -> None:
    data, other, file = tmp_path / "data", tmp_path / "other", tmp_path / "copy.tar"
    used(data)
    back_up(data, file)
    with tarfile.open(file, "a") as archive:
        for name in ("../outside", "/tmp/outside", "inside"):  # noqa: S108  nothing is written there
            part = tarfile.TarInfo(name)
            part.size = 1
            archive.addfile(part, BytesIO(b"x"))
    restore(file, other)
    assert {path.name for path in other.iterdir()} <= {
        *(NAME, "bans.json", certificate.NAME, "server.lock")
    }
    assert not (tmp_path / "outside").exists()


def test_a_damaged_journal_is_not_copied(tmp_path: Path) -> None:
    used(tmp_path / "data")
    journal = tmp_path / "data" / NAME
    journal.write_bytes(journal.read_bytes().replace(b"WITHOUT ROWID", b"WITHOUT R\xf2WID"))
    with pytest.raises(CannotBackUp, match=r"^cannot copy "):
        back_up(tmp_path / "data", tmp_path / "copy.tar")
    assert not (tmp_path / "copy.tar").exists()


def test_a_damaged_copy_is_told(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    back_up(data, file)
    content = bytearray(file.read_bytes())
    start = content.index(b"SQLite format 3")
    content[start : start + 2048] = bytes(2048)
    file.write_bytes(content)
    with pytest.raises(CannotBackUp, match=r"the journal in .* is damaged"):
        restore(file, tmp_path / "other")
    assert list((tmp_path / "other").iterdir()) == []


def test_the_commands_say_what_the_file_holds(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "copy.tar"
    used(data)
    made = command("admin", "--data", str(data), "backup", str(file))
    assert (made.returncode, made.stderr) == (0, "")
    assert "hands, seeds and the server's key" in made.stdout
    ran = command("restore", "--data", str(tmp_path / "other"), str(file))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "tables: 2" in ran.stdout
    for arguments in (
        ("admin", "--data", str(data), "backup", str(file)),
        ("restore", "--data", str(data), str(file)),
        ("admin", "--data", str(tmp_path / "none"), "backup", str(tmp_path / "new.tar")),
    ):
        again = command(*arguments)
        assert (again.returncode, again.stdout) == (1, "")
        assert len(again.stderr.splitlines()) == 1
