"""The command line, as a real process: every end is a clear line and an honest exit code.

Conduct: real processes with a folder of their own for what is kept, loopback only, and an absolute
time limit on every wait; a process is ended by its own number.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kings_client.saved import write_match
from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS
from kings_protocol.version import PROGRAM
from proofs import finished
from terminal import Terminal
from terminal import kings as kings_in_terminal

LIMIT = 60
COMMANDS = ("play", "host", "join", "serve", "arena", "verify", "rules")


def kings(
    state: Path, *arguments: str, code: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command without a terminal; ``code`` runs instead of it."""
    command = ["-m", "kings_client"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *command, *arguments],
        env={**os.environ, "KINGS_STATE_DIR": str(state), "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


@contextmanager
def taken_port() -> Iterator[int]:
    """Yield a port that somebody listens on, who never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def free_port() -> int:
    with taken_port() as port:
        return port


def one_line(text: str) -> str:
    """Return the only line of ``text``."""
    assert "Traceback" not in text
    (line,) = text.splitlines()
    return line


def test_a_reader_that_has_seen_enough_ends_the_printing_in_silence(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "kings_client", "rules", "pagat"],
        env={**os.environ, "KINGS_STATE_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=LIMIT,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
    assert not (tmp_path / "errors.log").exists()


# ---- help


def test_help_names_every_command(tmp_path: Path) -> None:
    ran = kings(tmp_path, "--help")
    assert ran.returncode == 0
    assert all(f"    {command} " in ran.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(tmp_path: Path, command: str) -> None:
    ran = kings(tmp_path, command, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"usage: kings {command} ")


@pytest.mark.parametrize("command", ["play", "host", "rules"])
def test_the_help_of_a_table_has_every_knob_and_preset(tmp_path: Path, command: str) -> None:
    said = kings(tmp_path, command, "--help").stdout
    assert all(f"--{knob.replace('_', '-')} VALUE" in said for knob in KNOBS)
    assert all(preset in said for preset in PRESETS)


@pytest.mark.parametrize("command", ["play", "host", "join"])
def test_discovery_is_switched_off_before_the_command_or_after_it(
    tmp_path: Path, command: str
) -> None:
    for arguments in (("--no-discovery", command), (command, "--no-discovery")):
        ran = kings(tmp_path, *arguments, "--people", "9")
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "unrecognized" not in ran.stderr
        assert ran.stderr.startswith(f"kings {command}: --people: 9")


def test_the_version(tmp_path: Path) -> None:
    assert kings(tmp_path, "--version").stdout == f"kings {PROGRAM}\n"


@pytest.mark.parametrize(
    "arguments", [("dance",), ("play", "--tempo", "3"), ("verify",), ("play", "--poi=9")]
)
def test_a_wrong_command_line_is_said_with_its_usage(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = kings(tmp_path, *arguments)
    assert ran.returncode == 2
    assert ran.stderr.startswith("usage: kings")
    assert ran.stderr.splitlines()[-1].startswith("kings")


# ---- rules


def test_rules_lists_the_presets_and_describes_one(tmp_path: Path) -> None:
    assert all(preset in kings(tmp_path, "rules").stdout for preset in PRESETS)
    described = kings(tmp_path, "rules", "strict").stdout
    assert "  --draw                   start " in described
    changed = kings(tmp_path, "rules", "strict", "--draw", "end").stdout
    assert changed.startswith("strict, changed: ")
    assert "  --draw                   end " in changed
    assert "You end your turn by drawing a card" in changed
    assert kings(tmp_path, "rules", "--draw", "start").stdout.startswith("pagat, changed: ")
    ran = kings(tmp_path, "rules", "strict", "--layout", "corners", "--points", "3")
    assert ran.returncode == 2
    points, place = ran.stderr.splitlines()
    assert points == "kings rules: --points: 3 is not possible; allowed: 5 to 500"
    assert place.startswith("kings rules: --empty-place: not_king is not possible: the layout is")
    ran = kings(tmp_path, "rules", "nonsense")
    assert ran.returncode == 2
    assert "nonsense" in one_line(ran.stderr)


def test_bad_options_are_all_named_at_once(tmp_path: Path) -> None:
    ran = kings(tmp_path, "play", "--points", "3", "--draw", "late", "--bots", "easy,x", "--pace=-")
    assert ran.returncode == 2
    starts = sorted(line.split(":")[1].strip() for line in ran.stderr.splitlines())
    assert starts == ["--bots", "--draw", "--pace", "--points"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("join", "a b"),
        ("join", "den:99999"),
        ("join", "den", "--name", "\x1b[0m"),
        ("host", "--port", "99999"),
        ("play", "--rules", "nonsense"),
    ],
)
def test_a_bad_option_is_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = kings(tmp_path, *arguments)
    assert ran.returncode == 2
    assert one_line(ran.stderr).startswith(f"kings {arguments[0]}: ")


def test_the_welcome_screen_needs_a_terminal(tmp_path: Path) -> None:
    ran = kings(tmp_path)
    assert ran.returncode == 1
    assert "terminal" in one_line(ran.stderr)


def test_join_without_an_address_takes_the_servers_from_the_network(tmp_path: Path) -> None:
    ran = kings(tmp_path, "join", "--no-discovery")
    assert (ran.returncode, ran.stderr) == (0, "")
    people = kings(tmp_path, "join", "--people", "2")
    assert people.returncode == 1
    assert "--people needs a terminal" in one_line(people.stderr)


@pytest.mark.parametrize(
    "about",
    [("--accept", "04HM-ASW9-NF6Y-Y093"), ("--plain-text",), ("--server-password-file", "x")],
)
def test_what_is_about_one_server_needs_its_address(tmp_path: Path, about: tuple[str, ...]) -> None:
    ran = kings(tmp_path, "join", *about)
    assert ran.returncode == 2
    assert f"join: {about[0]} needs the address of the server" in one_line(ran.stderr)


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    with taken_port() as port:
        ran = kings(tmp_path, "serve", "--no-data", "--host", "127.0.0.1", "--port", str(port))
    assert ran.returncode == 1
    assert f"port {port}" in one_line(ran.stderr)


# ---- verify


def test_a_finished_match_is_verified(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(write_match(finished()))
    ran = kings(tmp_path, "verify", str(file))
    assert (ran.returncode, ran.stderr) == (0, "")
    cut, explained, deal, code = ran.stdout.splitlines()[1:]
    assert cut.startswith("  Cut for the dealer: fair, with your share  (code ")
    assert explained.startswith("Your program put a secret share into this deck")
    assert deal.startswith("  Deal 1: fair, with your share  (code ")
    assert code == "Everybody who plays a deck reads the same code for it."


def test_a_changed_match_is_not_verified(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    text = write_match(finished()).decode()
    share = text.rindex('"share": "') + len('"share": "')
    file.write_text(text[:share] + ("1" if text[share] == "0" else "0") + text[share + 1 :])
    ran = kings(tmp_path, "verify", str(file))
    assert ran.returncode == 1
    assert "  Deal 1: broken: the set has another commitment in your name" in ran.stdout
    assert "  Cut for the dealer: fair, with your share" in ran.stdout


def test_what_is_no_match_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_text("{}")
    for name in (str(file), str(tmp_path / "none.json"), str(tmp_path)):
        ran = kings(tmp_path, "verify", name)
        assert ran.returncode == 4
        assert one_line(ran.stderr).startswith("kings: verify: ")


# ---- on a terminal


def quit_from(terminal: Terminal) -> int:
    terminal.press("q")
    return terminal.ended()


def last_line(terminal: Terminal) -> str:
    """Return the last line that was written after the screen was left."""
    after = bytes(terminal.raw).rpartition(b"\x1b[?1049l")[2].rpartition(b"\x1b[?25h")[2]
    return after.decode().split("\r\n")[-2]


def test_a_dead_address_is_said_on_the_screen_and_after_it(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    with kings_in_terminal("join", address, state=tmp_path) as terminal:
        terminal.until("no server answers")
        assert quit_from(terminal) == 1
        assert terminal.restored
        assert last_line(terminal).startswith(f"kings: {address}: no server answers")


def test_an_address_that_never_answers_ends_in_time(tmp_path: Path) -> None:
    with (
        taken_port() as port,
        kings_in_terminal("join", f"127.0.0.1:{port}", state=tmp_path, limit=20) as terminal,
    ):
        terminal.until("nobody answered in time")
        assert quit_from(terminal) == 1


def test_leaving_does_not_wait_for_an_address_that_never_answers(tmp_path: Path) -> None:
    with (
        taken_port() as port,
        kings_in_terminal("join", f"127.0.0.1:{port}", state=tmp_path, limit=20) as terminal,
    ):
        terminal.until("127.0.0.1")
        began = time.monotonic()
        assert quit_from(terminal) in (0, 1)
        assert time.monotonic() - began < 4


def test_a_port_that_cannot_be_had_is_said_on_the_screen(tmp_path: Path) -> None:
    with (
        taken_port() as port,
        kings_in_terminal("host", "--port", str(port), state=tmp_path) as terminal,
    ):
        terminal.until(f"port {port}")
        assert quit_from(terminal) == 1
        assert f"port {port}" in last_line(terminal)


@pytest.mark.skipif(sys.platform != "linux", reason="the server is found by Linux's means")
def test_the_server_of_play_dies_with_its_client(tmp_path: Path) -> None:
    with kings_in_terminal("play", "--name", "Ann", state=tmp_path) as terminal:
        terminal.until("online")
        client = terminal.child.pid
        assert client is not None
        (server,) = children_of(client)
        os.kill(client, signal.SIGKILL)
        deadline = time.monotonic() + LIMIT
        while Path(f"/proc/{server}").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with kings_in_terminal("play", state=tmp_path / "file" / "kings") as terminal:
        assert terminal.ended() == 1
        assert bytes(terminal.raw).decode().startswith("kings: cannot use the folder ")


# ---- errors of the program's own


def test_an_error_of_its_own_is_one_line_and_a_log(tmp_path: Path) -> None:
    broken = "import kings_client.main as main; main._table = None; main.main(['play'])"
    ran = kings(tmp_path, code=broken)
    assert ran.returncode == 1
    log = tmp_path / "errors.log"
    assert one_line(ran.stderr).endswith(f"{log} tells more")
    assert "TypeError" in log.read_text()


def children_of(pid: int) -> list[int]:
    """Return the children of a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
