"""Encryption as people meet it: codes that agree, a warning that cannot be overlooked, no way back.

Conduct: real servers and clients as their users start them, on loopback.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from certificates import listening_ear
from kings_server.certificate import NAME, own_identity
from plain_lines import script
from serving import Server, serving
from terminal import kings

LIMIT = 90
CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}")


def address(server: Server) -> str:
    return f"127.0.0.1:{server.port}"


def joined(state: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``kings join`` in the line mode to the end of an empty input."""
    return subprocess.run(
        [sys.executable, "-m", "kings_client", "join", "--plain", "--name", "Ann", *arguments],
        env={**os.environ, "KINGS_STATE_DIR": str(state), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )


def test_the_code_of_the_server_is_the_one_that_its_guests_see(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        first = joined(tmp_path, address(server))
        assert (first.returncode, first.stderr) == (0, "")
        assert f"First visit: compare the code {server.code} with" in first.stdout
        again = joined(tmp_path, address(server))
        assert f"you know this server by its code, {server.code}." in again.stdout


async def test_the_hosts_screen_and_the_guests_show_the_same_code(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        host_command = ("host", "--plain", "--port", "0", "--name", "Hanna")
        async with script(*host_command, state=tmp_path / "host") as host:
            await host.ask("who")
            told = next(line for line in host.lines if line.startswith("The code that they"))
            port = next(found[1] for line in host.lines if (found := re.search(r":(\d+)", line)))
            guest = await trio.to_thread.run_sync(joined, tmp_path / "guest", f"127.0.0.1:{port}")
            assert CODE.search(guest.stdout)[0] == CODE.search(told)[0]  # type: ignore[index]
            assert (await host.ask("quit stop")).startswith("OK: goodbye")


def test_a_changed_certificate_stops_a_script_which_is_told_what_to_do(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        joined(tmp_path, address(server))
        port, before = server.port, server.code
    with serving("--port", str(port), encrypted=True) as server:
        stopped = joined(tmp_path, address(server))
        assert stopped.returncode == 1
        assert stopped.stdout == ""
        assert f"its code is {server.code}, and not {before}" in stopped.stderr
        assert f"add --accept {server.code}" in stopped.stderr
        wrong = joined(tmp_path, address(server), "--accept", before)
        assert (wrong.returncode, wrong.stdout) == (1, "")
        right = joined(tmp_path, address(server), "--accept", server.code.lower())
        assert right.returncode == 0
        assert joined(tmp_path, address(server)).returncode == 0


def test_a_code_that_is_none_is_a_misuse(tmp_path: Path) -> None:
    ended = joined(tmp_path, "127.0.0.1:9", "--accept", "sesame")
    assert ended.returncode == 2
    assert "--accept: 'sesame' is no code" in ended.stderr


async def test_a_man_in_the_middle_gets_no_byte_of_a_token(tmp_path: Path) -> None:
    data, state = tmp_path / "data", tmp_path / "state"
    with serving("--data", str(data), encrypted=True) as server:
        port = server.port
        join = ("join", address(server), "--plain", "--name", "Ann")
        async with script(*join, state=state) as ann:
            await ann.ask("make pagat")
            await ann.ask("who")
        async with script(*join, state=state) as ann:
            assert await ann.ask("list") == "OK: 1 table."
            assert any("your seat at" in line for line in ann.lines)
    middle = own_identity(None)
    with trio.fail_after(LIMIT):
        async with listening_ear(middle.context, port) as ear:
            stopped = await trio.to_thread.run_sync(joined, state, f"127.0.0.1:{port}")
            assert stopped.returncode == 1
            assert ear.met == 1
            assert ear.heard == b""
    # Even a twin with the same tables and the same id is another server, by its certificate.
    (data / NAME).unlink()
    with serving("--data", str(data), "--port", str(port), encrypted=True) as twin:
        async with script(*join, "--accept", twin.code, state=state) as ann:
            assert await ann.ask("list") == "OK: 1 table."
            assert not any("your seat at" in line for line in ann.lines)
            assert (await ann.ask("back")).startswith("No: no seat is kept for you here")


def test_a_restart_keeps_the_certificate_and_seats_can_be_taken_back(tmp_path: Path) -> None:
    data, state = tmp_path / "data", tmp_path / "state"
    with serving("--data", str(data), encrypted=True) as server:
        port = server.port
        joined(state, address(server))
    with serving("--data", str(data), "--port", str(port), encrypted=True) as server:
        assert "you know this server" in joined(state, address(server)).stdout


def test_a_client_never_falls_back_to_plain_text(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        joined(tmp_path, address(server))
        port = server.port
    with serving("--port", str(port)) as plain:
        stopped = joined(tmp_path, address(plain))
        assert (stopped.returncode, stopped.stdout) == (1, "")
        assert "does not encrypt, and nothing was sent to it" in stopped.stderr
        wanted = joined(tmp_path, address(plain), "--plain-text")
        assert wanted.returncode == 0
        assert wanted.stdout.startswith("NOT ENCRYPTED: whoever is on this network")


def test_a_plain_client_is_told_that_the_server_encrypts(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        stopped = joined(tmp_path, address(server), "--plain-text")
        assert (stopped.returncode, stopped.stdout) == (1, "")
        assert "the server encrypts all connections; leave out --plain-text" in stopped.stderr


def test_a_server_with_a_password_lets_in_who_knows_it(tmp_path: Path) -> None:
    word = tmp_path / "word"
    word.write_text("open sesame\nmore\n")
    with serving("--password-file", str(word), encrypted=True) as server:
        none = joined(tmp_path, address(server))
        wrong_word = ("--server-password-file", str(server_file(tmp_path, "wrong")))
        wrong = joined(tmp_path, address(server), *wrong_word)
        assert none.returncode == wrong.returncode == 1
        assert "the server wants its password, and none was given" in none.stderr
        assert "First visit: compare the code" in none.stderr
        assert "that is not the server's password" in wrong.stderr
        assert "First visit" not in wrong.stderr
        right = joined(tmp_path, address(server), "--server-password-file", str(word))
        assert right.returncode == 0
        assert "You are in the lobby" in right.stdout


def server_file(folder: Path, word: str) -> Path:
    file = folder / f"{word}.txt"
    file.write_text(word)
    return file


@pytest.mark.parametrize("accepts", [False, True])
def test_the_warning_fills_the_screen_until_the_new_code_is_typed(
    tmp_path: Path, accepts: bool
) -> None:
    with serving(encrypted=True) as server:
        joined(tmp_path, address(server))
        port, before = server.port, server.code
    with (
        serving("--port", str(port), encrypted=True) as server,
        kings("join", address(server), "--name", "Ann", state=tmp_path, limit=LIMIT) as ann,
    ):
        shown = ann.until("accept the new code")
        assert "This is not the server that you know at this address." in shown
        assert before in shown
        assert server.code in shown
        ann.press("enter", "r")
        if not accepts:
            ann.press("escape")
            ann.until("Play against the computer")
        else:
            ann.press("a")
            ann.until("end of the code")
            ann.press(*before[-4:], "enter")
            ann.until("it was not accepted")
            ann.press("escape")
            ann.until(lambda now: "end of the code" not in now)
            ann.press("a")
            ann.until("end of the code")
            ann.press(*server.code[-4:].lower(), "enter")
            assert "online, encrypted" in ann.until("lobby")
        ann.press("c-c")
        if accepts:
            ann.until("Quit|quit")
            ann.press("enter")
        assert ann.ended() == 0


def test_a_servers_password_is_asked_for_on_the_screen(tmp_path: Path) -> None:
    options = ("--password-file", str(server_file(tmp_path, "sesame")))
    with (
        serving(*options, encrypted=True) as server,
        kings("join", address(server), "--name", "Ann", state=tmp_path, limit=LIMIT) as ann,
    ):
        ann.until("wants its password, and none was given")
        for word, then in (("sesam", "not the server's"), ("sesame", "lobby")):
            ann.press("enter")
            ann.until("The server asks for its password")
            ann.press(*word, "enter")
            ann.until(then)
