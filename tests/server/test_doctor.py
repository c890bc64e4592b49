"""``kings doctor``: what it finds wrong, and what it says to do.

Conduct: loopback, and an echo on this machine's own interfaces; every wait has a limit.
"""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trio

from kings_protocol.connection import Connection
from kings_protocol.messages import Unwelcome
from kings_protocol.states import Role
from kings_protocol.version import PROGRAM
from kings_server import doctor_data, doctor_greeting, doctor_machine, doctor_network
from kings_server.config import Config
from kings_server.findings import Finding, State
from kings_server.journal_file import NAME, opened
from serving import command, serving
from terminal import Terminal

LIMIT = 60


def doctor(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``kings doctor``, without an echo."""
    return command(
        "doctor", "--data", str(data), "--no-discovery", *arguments, environment=environment
    )


def found(data: Path, *arguments: str, **environment: str) -> dict[str, dict[str, str]]:
    """Return its findings by what they are about."""
    ran = doctor(data, "--json", *arguments, **environment)
    assert ran.stderr == ""
    return {one["about"]: one for one in json.loads(ran.stdout)}


def only(findings: Any) -> Finding:
    """Return the one finding."""
    (one,) = findings
    assert isinstance(one, Finding)
    return one


def test_without_a_server_it_looks_at_what_one_would_need(tmp_path: Path) -> None:
    about = found(tmp_path / "new")
    assert PROGRAM in about["program"]["words"]
    assert (about["data"]["state"], about["server"]["state"]) == ("well", "note")
    assert "will be made" in about["data"]["words"]
    assert "5353" in about["firewall"]["advice"]
    assert not (tmp_path / "new").exists()


async def test_with_a_server_it_asks_that(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT), serving("--data", str(tmp_path)) as server:
        async with server.guest("Ann"):
            variables = {"KINGS_SERVE_PORT": str(server.port), "KINGS_SERVE_HOST": "127.0.0.1"}
            about = await trio.to_thread.run_sync(lambda: found(tmp_path, **variables))
        assert about["server"]["words"].startswith("it runs; connections: 1")
        assert f"the server kings answers, program {PROGRAM}" in about["port"]["words"]
        assert about["journal"]["state"] == "well"


def test_what_is_for_people_says_what_to_do(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    ran = doctor(tmp_path)
    assert ran.returncode == 1
    lines = ran.stdout.splitlines()
    (at,) = (at for at, line in enumerate(lines) if line.startswith("wrong"))
    assert "others on this machine" in lines[at]
    assert lines[at + 1].strip() == f"-> chmod go= {tmp_path}"
    assert lines[-1] == "to be mended: 1"


@pytest.mark.parametrize("name", ["certificate.pem", "bans.json", "journal.sqlite"])
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / name).symlink_to(tmp_path / "not mounted")
    first, *_ = doctor_data.data(tmp_path)
    assert first.state is State.WRONG
    assert name in first.words
    assert "leads nowhere" in first.words


def test_a_wrong_option_is_told(tmp_path: Path) -> None:
    about = found(tmp_path / "new", KINGS_SERVE_LIMITS_TABLES="many")
    assert "KINGS_SERVE_LIMITS_TABLES" in about["options"]["words"]


# ---- the port


def test_a_port_that_another_program_has_is_wrong() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        config = Config(host="127.0.0.1", port=taken.getsockname()[1])
        doctor_greeting.ANSWER_SECONDS, before = 0.2, doctor_greeting.ANSWER_SECONDS  # type: ignore[misc]
        try:
            finding = only(doctor_network.port(config))
        finally:
            doctor_greeting.ANSWER_SECONDS = before  # type: ignore[misc]
    assert finding.state is State.WRONG
    assert "in use" in finding.words
    assert "--port" in finding.advice


def test_what_a_server_says_disturbs_no_terminal() -> None:
    words = "old\x1b]0;title\x07 \x1b[31mred"
    unwelcome = Unwelcome(magic="kings", oldest=9, newest=9, program="9", words=words)

    def answer(listening: socket.socket) -> None:
        listening.accept()[0].close()  # it does not encrypt
        with listening.accept()[0] as plain:
            connection = Connection(Role.SERVER)
            connection.receive(plain.recv(4096))
            connection.next_message()
            plain.sendall(connection.send(unwelcome))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = Thread(target=answer, args=(listening,), daemon=True)
        answering.start()
        port = listening.getsockname()[1]
        finding = next(doctor_network.port(Config(host="127.0.0.1", port=port)))
        answering.join()
    assert finding.words.endswith("another protocol: old red")


def test_a_host_that_is_not_ours_is_wrong() -> None:
    finding = only(doctor_network.port(Config(host="203.0.113.7", port=26480)))
    assert finding.state is State.WRONG


def test_a_server_for_this_machine_alone_is_noted() -> None:
    first, *_ = doctor_network.interfaces(Config(host="127.0.0.1"))
    assert first.state is State.NOTE
    assert "--host" in first.advice


# ---- discovery


def test_an_interface_that_hears_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor_network, "_echo", lambda: ({"127.0.0.1": 0.02, "192.0.2.1": None}, [])
    )
    note, well, deaf, servers = doctor_network.discovery(Config(announce=False))
    assert (note.state, well.state, servers.state) == (State.NOTE, State.WELL, State.NOTE)
    assert "127.0.0.1 is heard after 20 ms" in well.words
    assert (deaf.state, "192.0.2.1" in deaf.words, "5353" in deaf.advice) == (
        State.WRONG,
        True,
        True,
    )


# ---- the data directory


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (b"SQLite format 3", b"no journal at a"),
        (b"WITHOUT ROWID", b"WITHOUT R\xf2WID"),
        (b"CREATE TABLE tables", b"CREATE TABLE tebles"),
        (b"settings TEXT", b"sattings TEXT"),
    ],
)
def test_a_damaged_journal_is_wrong(tmp_path: Path, text: bytes, instead: bytes) -> None:
    tmp_path.chmod(0o700)
    with opened(tmp_path):
        pass
    damaged = (tmp_path / NAME).read_bytes().replace(text, instead)
    (tmp_path / NAME).write_bytes(damaged)
    *_, finding = doctor_data.data(tmp_path)
    assert (finding.about, finding.state) == ("journal", State.WRONG)
    assert "backup" in finding.advice
    assert (tmp_path / NAME).read_bytes() == damaged


def test_a_journal_of_a_newer_program_or_of_the_future_is_wrong(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    future = time.time() + 2 * doctor_data.AHEAD_SECONDS
    os.utime(tmp_path / NAME, (future, future))
    *_, finding = doctor_data.data(tmp_path)
    assert "future" in finding.words
    with sqlite3.connect(tmp_path / NAME) as journal:
        journal.execute("PRAGMA user_version = 1000")
    journal.close()
    *_, finding = doctor_data.data(tmp_path)
    assert "newer program" in finding.words


def test_a_full_disk_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(doctor_data, "LEAST_BYTES", 1 << 60)
    *_, finding = doctor_data.data(tmp_path)
    assert (finding.about, finding.state) == ("disk", State.WRONG)


def test_keeping_nothing_is_noted() -> None:
    assert only(doctor_data.data(None)).state is State.NOTE


# ---- the machine


def test_a_clock_from_before_the_program_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine, "BUILT", time.time() + 60)
    assert only(doctor_machine.clock()).state is State.WRONG


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_is_measured(tmp_path: Path) -> None:
    import pexpect

    for columns, said in ((120, "well   terminal"), (60, "note   terminal")):
        child = pexpect.spawn(
            sys.executable,
            ["-m", "kings_server", "doctor", "--no-discovery", "--data", str(tmp_path / "new")],
            env={**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
            dimensions=(40, columns),
        )
        try:
            terminal = Terminal(child, columns, 40, LIMIT)
            terminal.until(said)
            assert terminal.ended() == 0
        finally:
            child.close(force=True)
