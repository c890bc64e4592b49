"""``kings doctor ADDRESS``: what is wrong on the way to a server, step by step.

Conduct: real servers on loopback, of ours and others; every wait has a limit.
"""

import errno
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import pytest
import trio

from certificates import Authority
from kings_protocol.connection import Connection
from kings_protocol.messages import Unwelcome
from kings_protocol.states import Role
from kings_protocol.version import PROTOCOL_NEWEST
from kings_server import doctor_way
from kings_server.findings import Finding, State
from serving import command, serving

LIMIT = 60


def last(text: str) -> Finding:
    """Return the last finding on the way to an address."""
    *_, finding = doctor_way.way(text)
    return finding


@contextmanager
def answering(answers: list[bytes], times: int = 2) -> Iterator[int]:
    """Listen on loopback, answer each connection in turn, and give the port."""

    def answer(listening: socket.socket) -> None:
        for _ in range(times):
            with listening.accept()[0] as stream:
                stream.recv(4096)
                stream.sendall(answers[0])

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=answer, args=(listening,), daemon=True).start()
        yield listening.getsockname()[1]


@pytest.mark.parametrize("text", ["", "a b", "den:0", "den:99999", "1:2:x", "[::1]:x"])
def test_what_is_no_address_is_wrong(text: str) -> None:
    assert (last(text).about, last(text).state) == ("address", State.WRONG)


def test_a_name_that_nobody_knows_is_wrong() -> None:
    finding = last("nowhere.invalid")
    assert (finding.about, finding.state) == ("name", State.WRONG)
    assert "nowhere.invalid" in finding.words


def test_a_port_at_which_nothing_listens_is_wrong() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        finding = last(f"127.0.0.1:{bound.getsockname()[1]}")
    assert (finding.about, finding.state) == ("port", State.WRONG)
    assert "is there, and nothing listens" in finding.words


def test_who_does_not_answer_at_all_is_behind_a_firewall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_way, "ANSWER_SECONDS", 0.2)
    with socket.socket() as full, ExitStack() as crowd:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # who comes now is not answered: nobody takes those who wait
            waiting = crowd.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        finding = last(f"127.0.0.1:{full.getsockname()[1]}")
    assert (finding.about, finding.state) == ("firewall", State.WRONG)
    assert "TCP" in finding.advice


@pytest.mark.parametrize(
    ("number", "about"), [(errno.ENETUNREACH, "route"), (errno.EHOSTUNREACH, "route"), (1, "way")]
)
def test_a_way_that_leads_nowhere_is_named(number: int, about: str) -> None:
    finding = doctor_way._blocked("192.0.2.1", 26480, OSError(number, "No way"))
    assert (finding.about, finding.state) == (about, State.WRONG)


def test_another_program_at_the_port_is_wrong() -> None:
    with answering([b"HTTP/1.1 400 Bad Request\r\n\r\n"], 3) as port:
        finding = last(f"127.0.0.1:{port}")
    assert (finding.about, finding.state) == ("server", State.WRONG)
    assert "no server of this game" in finding.words


@pytest.mark.parametrize(("newer", "who"), [(True, "this program"), (False, "the server")])
def test_a_server_of_another_version_says_who_has_to_be_updated(newer: bool, who: str) -> None:
    number = PROTOCOL_NEWEST + 1 if newer else 0
    unwelcome = Unwelcome(magic="kings", oldest=number, newest=number, program="9", words="old")

    def answer(listening: socket.socket) -> None:
        for _ in range(2):
            listening.accept()[0].close()  # the first is the way, and then it does not encrypt
        with listening.accept()[0] as plain:
            connection = Connection(Role.SERVER)
            connection.receive(plain.recv(4096))
            connection.next_message()
            plain.sendall(connection.send(unwelcome))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=answer, args=(listening,), daemon=True).start()
        finding = last(f"127.0.0.1:{listening.getsockname()[1]}")
    assert (finding.about, finding.state) == ("version", State.WRONG)
    assert who in finding.advice


async def told(address: str, **environment: str) -> dict[str, dict[str, str]]:
    """Return what the command finds, by what it is about."""
    ran = await trio.to_thread.run_sync(
        lambda: command("doctor", "--json", address, environment=environment)
    )
    assert ran.stderr == ""
    return {one["about"]: one for one in json.loads(ran.stdout)}


async def test_a_server_that_lets_one_in_is_well_and_shows_its_code() -> None:
    with trio.fail_after(LIMIT), serving(encrypted=True) as server:
        found = await told(f"127.0.0.1:{server.port}")
    assert found["server"]["state"] == found["way"]["state"] == "well"
    assert server.code in found["certificate"]["words"]
    assert not found.keys() & {"data", "journal", "port"}, "it is a guest who asks"


async def test_a_server_that_does_not_encrypt_is_noted() -> None:
    with trio.fail_after(LIMIT), serving() as server:
        found = await told(f"127.0.0.1:{server.port}")
    assert found["server"]["state"] == "note"
    assert "--plain-text" in found["server"]["advice"]
    assert "certificate" not in found


@pytest.mark.parametrize("encrypted", [True, False])
async def test_a_server_that_turns_one_away_says_so(tmp_path: Path, encrypted: bool) -> None:
    data = ("--data", str(tmp_path))
    with trio.fail_after(LIMIT), serving(*data, encrypted=encrypted) as server:
        ban = ("admin", *data, "ban", "--address", "127.0.0.1", "--for", "1h")
        await trio.to_thread.run_sync(lambda: command(*ban))
        found = await told(f"127.0.0.1:{server.port}")
    assert found["server"]["state"] == "wrong"
    assert "lets nobody in from this address" in found["server"]["words"]


@pytest.mark.parametrize(
    ("name", "trusted", "state", "words"),
    [
        ("localhost", True, "well", "an authority vouches for localhost"),
        ("den.example", True, "wrong", "issued for another name than localhost"),
        ("localhost", False, "wrong", "it is refused"),
    ],
)
async def test_a_given_certificate_is_judged_as_programs_do(
    tmp_path: Path, name: str, trusted: bool, state: str, words: str
) -> None:
    authority = Authority(tmp_path)
    issued = authority.issue(name, 30)
    files = ("--certificate", str(issued.certificate), "--key", str(issued.key))
    trust = {"SSL_CERT_FILE": str(authority.file)} if trusted else {}
    with trio.fail_after(LIMIT), serving(*files, encrypted=True) as server:
        found = await told(f"localhost:{server.port}", **trust)
    assert found["certificate"]["state"] == state
    assert words in found["certificate"]["words"]
