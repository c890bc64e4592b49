"""The journal's file: what is kept, who may read it, and what becomes of one that is of no use."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from journals import BreakableFile, breakable, bulky
from kings_protocol.limits import CHAT_TAIL, REMEMBERED_ANSWERS
from kings_server.journal import JournalUnavailable
from kings_server.journal_file import (
    NAME,
    CannotOpen,
    JournalFile,
    opened,
)
from kings_server.journal_rows import (
    SavedAnswer,
    SavedMatch,
    Write,
    forget_answers,
    forget_table,
    keep_answer,
    keep_line,
    keep_match,
    keep_state,
    keep_step,
    keep_table,
)
from kings_server.journal_schema import MIGRATIONS, migrate

FULL = 2
"""What SQLite calls the setting with which a power failure costs no transaction."""


def kept(directory: Path, *writes: Write) -> None:
    """Keep writes in a directory, as a server that then ends."""
    with opened(directory) as journal:
        journal.file.commit(writes)


def test_a_server_keeps_its_identity(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        first = journal.file.server_id
    with opened(tmp_path) as journal:
        assert journal.file.server_id == first
    assert len(bytes.fromhex(first)) == 16
    with opened(tmp_path / "another") as journal:
        assert journal.file.server_id != first


def test_a_table_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    kept(
        tmp_path,
        keep_table("t", "settings", "waiting"),
        keep_match("t", 1, 7, "rules", 0),
        keep_step("t", 1, 1, -1, "cut", "h1"),
        keep_match("t", 2, 7, "rules", 1),
        keep_step("t", 2, 1, -1, "deal", "h2"),
        keep_step("t", 2, 2, 0, "end", "h3"),
        keep_answer("t", 0, 0, "asked", "told"),
        keep_line("t", 0, "hello"),
        keep_state("t", "playing"),
        keep_table("u", "other settings", "waiting"),
    )
    with opened(tmp_path) as journal:
        table, other = journal.file.load()
    assert (table.table, table.settings, table.state) == ("t", "settings", "playing")
    assert table.match == SavedMatch(2, 7, "rules", 1, ((-1, "deal"), (0, "end")), "h3")
    assert table.answers == (SavedAnswer(0, 0, "asked", "told"),)
    assert table.lines == ((0, "hello"),)
    assert (other.table, other.match, other.answers, other.lines) == ("u", None, (), ())


def test_only_the_newest_answers_and_lines_are_kept(tmp_path: Path) -> None:
    answers, lines = REMEMBERED_ANSWERS + 5, CHAT_TAIL + 5
    kept(
        tmp_path,
        keep_table("t", "", ""),
        *(keep_answer("t", 1, number, "asked", "told") for number in range(answers)),
        *(keep_line("t", number, "line") for number in range(lines)),
    )
    with opened(tmp_path) as journal:
        (table,) = journal.file.load()
    assert [answer.number for answer in table.answers] == list(range(5, answers))
    assert [number for number, _ in table.lines] == list(range(5, lines))


def test_a_seat_that_changes_hands_forgets_its_answers_alone(tmp_path: Path) -> None:
    kept(
        tmp_path,
        keep_table("t", "", ""),
        keep_answer("t", 0, 0, "asked", "told"),
        keep_answer("t", 1, 0, "asked", "told"),
        forget_answers("t", 0),
    )
    with opened(tmp_path) as journal:
        (table,) = journal.file.load()
    assert [answer.seat for answer in table.answers] == [1]


def test_nothing_remains_of_a_table_that_has_ended(tmp_path: Path) -> None:
    kept(
        tmp_path,
        keep_table("t", "", ""),
        keep_match("t", 1, 7, "rules", 0),
        keep_step("t", 1, 1, -1, "cut", "h1"),
        keep_answer("t", 0, 0, "asked", "told"),
        keep_line("t", 0, "hello"),
    )
    kept(tmp_path, *forget_table("t"))
    connection = sqlite3.connect(tmp_path / NAME)
    for name in ("tables", "matches", "steps", "answers", "lines"):
        assert connection.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)  # noqa: S608
    connection.close()


def test_writes_may_be_carried_out_twice(tmp_path: Path) -> None:
    writes = (keep_table("t", "", ""), keep_step("t", 1, 1, 0, "end", "h"), keep_line("t", 0, "a"))
    kept(tmp_path, *writes)
    kept(tmp_path, *writes)
    with opened(tmp_path) as journal:
        assert len(journal.file.load()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_nobody_else_may_read_the_journal(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    with opened(directory) as journal:
        journal.file.commit([keep_table("t", "", "")])
        assert directory.stat().st_mode & 0o077 == 0
        files = list(directory.iterdir())
        assert {file.name for file in files} >= {NAME, f"{NAME}-wal", f"{NAME}-shm"}
        assert [file for file in files if file.stat().st_mode & 0o077] == []


def test_a_directory_has_one_server(tmp_path: Path) -> None:
    with (
        opened(tmp_path),
        pytest.raises(CannotOpen, match=r"^another server uses .*--data$"),
        opened(tmp_path),
    ):
        pass
    with opened(tmp_path):
        pass


def test_a_file_where_the_directory_should_be_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotOpen, match=r"^cannot use "), opened(tmp_path / "file"):
        pass


def test_a_journal_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    kept(tmp_path, keep_table("t", "", ""))
    connection = sqlite3.connect(tmp_path / NAME)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = (tmp_path / NAME).read_bytes()
    with (
        pytest.raises(
            CannotOpen,
            match=rf"newer program \(version {len(MIGRATIONS) + 1}; .* {len(MIGRATIONS)}\)",
        ),
        opened(tmp_path),
    ):
        pass
    assert (tmp_path / NAME).read_bytes() == before


def test_a_damaged_journal_is_set_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    kept(tmp_path, *(keep_table(f"t{number}", "x" * 3000, "") for number in range(50)))
    path = tmp_path / NAME
    whole = path.read_bytes()
    broken = whole[:8192] + b"\xff" * 8192 + whole[16384:]
    for bad in (b"no journal at all" * 100, broken):
        path.write_bytes(bad)
        with opened(tmp_path) as journal:
            assert journal.set_aside is not None
            assert journal.set_aside.name.startswith("journal-damaged-20")
            assert journal.set_aside.read_bytes() == bad
            assert journal.file.load() == ()
            journal.file.commit([keep_table("new", "", "")])
        with opened(tmp_path) as journal:
            assert journal.set_aside is None
            assert [table.table for table in journal.file.load()] == ["new"]


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (b"action TEXT", b"\xf2ction TEXT"),
        (b"action TEXT", b"qction TEXT"),
        (b"WITHOUT ROWID", b"WITHOUT R\xf2WID"),
        (b"value BLOB", b"valuf BLOB"),
        (b"CREATE TABLE lines", b"CREATE TABLE lanes"),
        (b"table_id, match, version)", b"table_id, match, match  )"),
    ],
)
def test_a_journal_of_a_damaged_schema_is_set_aside_too(
    tmp_path: Path, text: bytes, instead: bytes
) -> None:
    kept(tmp_path, keep_table("t", "", ""))
    path = tmp_path / NAME
    bad = path.read_bytes().replace(text, instead)
    assert bad != path.read_bytes()
    path.write_bytes(bad)
    with opened(tmp_path) as journal:
        assert journal.set_aside is not None
        assert journal.set_aside.read_bytes() == bad
        journal.file.commit([keep_table("new", "", "")])
        assert [table.table for table in journal.file.load()] == ["new"]


def test_a_schema_that_is_damaged_later_is_a_failure_of_the_disk(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    file.close()
    (tmp_path / NAME).write_bytes(
        (tmp_path / NAME).read_bytes().replace(b"WITHOUT ROWID", b"WITHOUT R\xf2WID")
    )
    with pytest.raises(JournalUnavailable):
        file.commit([keep_table("t", "", "")])
    with pytest.raises(JournalUnavailable):
        file.read("t")
    with pytest.raises(CannotOpen):
        file.load()


@pytest.mark.parametrize("damage", ["PRAGMA user_version = 0", "UPDATE meta SET value = 'me'"])
def test_a_journal_that_says_of_itself_what_it_is_not_is_set_aside_too(
    tmp_path: Path, damage: str
) -> None:
    kept(tmp_path, keep_table("t", "", ""))
    with closing(sqlite3.connect(tmp_path / NAME)) as damaging, damaging:
        damaging.execute(damage)
    with opened(tmp_path) as journal:
        assert journal.set_aside is not None


def test_a_journal_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    file.break_by(gone=True)
    with pytest.raises(CannotOpen, match=f"^cannot read {tmp_path / NAME}: the disk is gone$"):
        file.load()


def test_an_older_file_is_brought_up_to_date_step_by_step(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "old.sqlite", isolation_level=None)
    connection.execute("CREATE TABLE people (name TEXT)")
    connection.execute("INSERT INTO people VALUES ('Ann')")
    steps = [
        "ALTER TABLE people ADD COLUMN seat INTEGER; UPDATE people SET seat = 3",
        "ALTER TABLE people RENAME TO players",
    ]
    assert migrate(connection, steps) == 0
    assert connection.execute("SELECT name, seat FROM players").fetchall() == [("Ann", 3)]
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert migrate(connection, steps) == 2
    connection.close()


def test_a_step_that_fails_leaves_the_file_as_it_was_before_it(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"]
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, steps)
    connection.close()
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("a",)]
    assert migrate(connection, [steps[0], "CREATE TABLE b (x)"]) == 1
    connection.close()


def count(file: JournalFile) -> int:
    return len(file.load())


def test_a_transaction_that_finds_the_disk_full_keeps_nothing(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    file.break_by(pages=20)
    with pytest.raises(JournalUnavailable, match="full"):
        file.commit([keep_table("t", "", ""), *(bulky(number)[0] for number in range(10))])
    assert count(file) == 0
    file.commit([keep_table("t", "", "")])
    file.break_by()
    file.commit([keep_table("u", "", ""), *(bulky(number)[0] for number in range(10))])
    assert count(file) == 2
    file.close()


def test_a_file_that_cannot_be_written_can_still_be_read(tmp_path: Path) -> None:
    file = breakable(tmp_path)
    file.commit([keep_table("t", "", "")])
    file.break_by(read_only=True)
    with pytest.raises(JournalUnavailable, match="readonly"):
        file.commit([keep_table("u", "", "")])
    assert count(file) == 1
    file.close()


@pytest.mark.parametrize("fault", ["before", "after"])
def test_after_a_failure_only_the_file_knows_whether_it_was_kept(
    tmp_path: Path, fault: str
) -> None:
    file = breakable(tmp_path)
    file.break_by(**{fault: True})
    with pytest.raises(JournalUnavailable, match=f"broken {fault} the commit"):
        file.commit([keep_table("t", "", "")])
    assert (file.read("t") is not None) is (fault == "after")
    file.break_by()
    again: BreakableFile = file
    again.commit([keep_table("t", "", "")])
    assert count(again) == 1
    again.close()


def test_every_commit_waits_for_the_disk_also_after_the_file_was_opened_anew(
    tmp_path: Path,
) -> None:
    file = breakable(tmp_path)
    for _ in range(2):
        connection = file._connected()
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (FULL,)
        file.before = True
        with pytest.raises(JournalUnavailable):
            file.commit([keep_table("t", "", "")])
        file.before = False
        assert file._connected() is not connection
    file.close()


def test_a_text_that_is_damaged_costs_its_table_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.file.commit([keep_table("t", "{}", "{}"), keep_table("u", "{}", "{}")])
    with closing(sqlite3.connect(tmp_path / NAME)) as damaging, damaging:
        damaging.execute("UPDATE tables SET state = CAST(x'ff' AS TEXT) WHERE table_id = 't'")
    with opened(tmp_path) as journal:
        assert [table.state for table in journal.file.load()] == ["\N{REPLACEMENT CHARACTER}", "{}"]
