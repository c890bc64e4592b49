"""Which server is known where: nothing is said to one that is not, and no question is asked twice.

Conduct: real sockets on loopback; the servers are ears that tell what they heard.
"""

import stat
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

from certificates import Authority, Ear, Issued, listening_ear
from kings_client import securing
from kings_client.config import Address, Person, Target
from kings_client.connecting import connect
from kings_client.link import Link
from kings_client.model import Change, Linked, Model, Reason
from kings_client.pins import PINS, Pin, Pins
from kings_client.remembering import Memory
from kings_client.securing import Failed, Line, look, reach
from kings_client.store import Store
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.identity_code import code_of
from kings_server.certificate import own_identity
from scripted import ServerEnd

LIMIT = 20.0
NAME = "den.example"
OTHER = "0000-0000-0000-0000"
HOME = Address("192.0.2.1")


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    return Pins(tmp_path)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    """Return an authority that this system trusts in."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    securing._judging.cache_clear()
    yield made
    securing._judging.cache_clear()


def at(port: int) -> Callable[[Address, float], Awaitable[trio.abc.Stream | Reason]]:
    """Return what finds every name and every port here, at ``port``."""
    return lambda _, seconds: connect(Address("127.0.0.1", port), seconds)


async def go(
    ear: Ear, pins: Pins, host: str = "192.0.2.1", *, code: str = "", only: str = ""
) -> Line | Failed:
    """Go to a server, say one word if one may, and hang up; whoever is reached has greeted."""
    with trio.fail_after(LIMIT):
        target = Target(Address(host), host, code=code)
        line = await reach(target, pins, at(ear.port), LIMIT, only=only)
        if isinstance(line, Line):
            if line.pin is not None:
                pins.keep(target.address, line.pin)
            await line.stream.send_all(b"hello")
            await line.stream.aclose()
        return line


def code(found: Line | Failed) -> str:
    assert isinstance(found, Line), found
    return code_of(found.fingerprint)


def how(found: Line | Failed) -> str:
    assert isinstance(found, Line), found
    return found.how


async def test_a_server_is_pinned_at_the_first_visit_and_known_at_the_next(pins: Pins) -> None:
    identity = own_identity(None)
    async with listening_ear(identity.context) as ear:
        first = await go(ear, pins)
        assert (how(first), code(first)) == ("first", identity.code)
        assert how(await go(ear, pins)) == "known"
        assert how(await go(ear, Pins(pins._file.parent))) == "known"


async def test_another_certificate_is_told_no_word_until_its_code_is_accepted(
    pins: Pins,
) -> None:
    old, new = own_identity(None), own_identity(None)
    async with listening_ear(old.context) as ear:
        before = await go(ear, pins)
    async with listening_ear(new.context) as ear:
        for _ in range(2):
            changed = Failed(Reason.CERTIFICATE_CHANGED, Change(old.code, new.code))
            assert await go(ear, pins) == changed
        other = Failed(Reason.OTHER_CODE, Change(OTHER, new.code))
        assert await go(ear, pins, code=OTHER) == other
        assert ear.met == 3
        assert ear.heard == b""
        accepted = await go(ear, pins, code=new.code)
        assert how(accepted) == how(await go(ear, pins)) == "known"
    assert isinstance(before, Line)
    assert isinstance(accepted, Line)
    # Tokens are filed by it: those of the old server are not for the new one.
    assert before.identity != accepted.identity
    async with listening_ear(old.context) as ear:
        assert isinstance(await go(ear, pins), Failed)
        assert ear.heard == b""


async def test_a_code_that_was_given_is_asked_of_a_first_visit_too(pins: Pins) -> None:
    identity = own_identity(None)
    async with listening_ear(identity.context) as ear:
        assert await go(ear, pins, code=OTHER) == Failed(
            Reason.OTHER_CODE, Change(OTHER, identity.code)
        )
        assert ear.heard == b""
        assert how(await go(ear, pins, code=identity.code)) == "known"


async def test_a_server_at_another_address_is_the_one_that_is_known(pins: Pins) -> None:
    async with listening_ear(own_identity(None).context) as ear:
        here = await go(ear, pins, "192.0.2.1")
        there = await go(ear, pins, "192.0.2.2")
    assert how(there) == "known"
    assert isinstance(here, Line)
    assert isinstance(there, Line)
    assert here.identity == there.identity


async def test_only_the_server_that_is_meant_is_spoken_to_and_none_is_remembered(
    pins: Pins,
) -> None:
    mine, other = own_identity(None), own_identity(None)
    async with listening_ear(mine.context) as ear, listening_ear(other.context) as stranger:
        found = await go(ear, pins)
        assert isinstance(found, Line)
        kept = pins._file.read_bytes()
        address = "192.0.2.9"
        passed = await go(stranger, pins, address, only=found.identity)
        assert passed == Failed(Reason.OTHER_SERVER)
        assert stranger.heard == b""
        assert how(await go(ear, pins, address, only=found.identity)) == "known"
        assert pins._file.read_bytes() == kept


async def test_a_server_that_does_not_encrypt_gets_nothing_but_the_handshake(pins: Pins) -> None:
    async with listening_ear(None) as ear:

        async def answered(_: Address, seconds: float) -> trio.abc.Stream | Reason:
            return await connect(Address("127.0.0.1", ear.port), seconds)

        target = Target(Address("192.0.2.1"), "den")
        with trio.fail_after(LIMIT):
            found = await reach(target, pins, answered, LIMIT)
        assert found == Failed(Reason.CUT)  # it hung up without a word
        assert [raw[:2] for raw in ear.raw] == [b"\x16\x03"]
        assert b"kings" not in ear.raw[0]


@pytest.mark.parametrize(
    "answer", [b"\0\0\0\x17\x82\xa1t\xa3bye\xa4code\xaeframe_too_long", b"HTTP/1.1"]
)
async def test_what_answers_in_plain_text_is_said_not_to_encrypt(pins: Pins, answer: bytes) -> None:
    async def reply(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)

    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, reply, [listener])
            ear = Ear(listener.socket.getsockname()[1])
            assert await go(ear, pins) == Failed(Reason.NOT_ENCRYPTED)
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("alert", "code"), [(80, CloseCode.TOO_MANY_CONNECTIONS), (49, CloseCode.BANNED)]
)
async def test_who_is_turned_away_without_a_handshake_is_told_why(
    pins: Pins, alert: int, code: CloseCode
) -> None:
    async def turn_away(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(bytes((21, 3, 3, 0, 2, 2, alert)))

    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, turn_away, [listener])
            ear = Ear(listener.socket.getsockname()[1])
            assert await go(ear, pins) == Failed(code)
            nursery.cancel_scope.cancel()


async def test_who_is_looked_at_is_not_remembered(pins: Pins) -> None:
    identity = own_identity(None)
    async with listening_ear(identity.context) as ear:
        with trio.fail_after(LIMIT):
            seen = await look(Address("192.0.2.1"), at(ear.port), LIMIT)
        assert isinstance(seen, Line)
        assert seen.fingerprint == identity.fingerprint
        await trio.aclose_forcefully(seen.stream)
    assert not pins._file.exists()


# ---- greeting


async def visited(folder: Path, handler: Callable[[trio.SocketStream], Awaitable[None]]) -> Link:
    """Go to whoever answers with ``handler``, until the connection has ended."""
    store = Store.open(folder)
    ended = trio.Event()

    def show(model: Model) -> None:
        if model.link.state in (Linked.CLOSED, Linked.WAITING):
            ended.set()

    with trio.fail_after(LIMIT), closing(store):
        async with trio.open_nursery() as nursery:
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, handler, [listener])
            reach_it = at(listener.socket.getsockname()[1])
            person, memory = Person(store.client(), "Ann"), Memory(store, "2020-02-02")
            link = Link(person, memory, Model(), show, connect=reach_it)
            nursery.start_soon(link.run, Target(HOME, "den"))
            await ended.wait()
            nursery.cancel_scope.cancel()
    return link


@pytest.mark.parametrize("breaks_off", ["in the handshake", "after it", "after the hello"])
async def test_who_breaks_off_before_the_greeting_is_not_known_at_the_next_visit(
    tmp_path: Path, breaks_off: str
) -> None:
    async def answer(stream: trio.SocketStream) -> None:
        if breaks_off == "in the handshake":
            await stream.receive_some()
            await stream.aclose()
            return
        secured = trio.SSLStream(stream, own_identity(None).context, server_side=True)
        await secured.do_handshake()
        if breaks_off == "after the hello":
            await ServerEnd(secured).hear(m.Hello)
        await secured.aclose()

    link = await visited(tmp_path, answer)
    assert link.model.link.reason == Reason.CUT
    assert Pins(tmp_path).of(HOME) is None


async def test_who_has_greeted_is_known_even_if_it_lets_nobody_in(tmp_path: Path) -> None:
    identity = own_identity(None)

    async def refuse(stream: trio.SocketStream) -> None:
        end = ServerEnd(trio.SSLStream(stream, identity.context, server_side=True))
        await end.say(m.Refused(re=(await end.greet()).id, code=RefusalCode.WRONG_PASSWORD))

    await visited(tmp_path, refuse)
    known = Pins(tmp_path).of(HOME)
    assert known is not None
    assert known.code == identity.code


# ---- real certificates


async def served(issued: Issued, pins: Pins, host: str = NAME, code: str = "") -> Line | Failed:
    """Go to a server with this certificate; one that is not spoken to hears nothing."""
    async with listening_ear(issued.context()) as ear:
        found = await go(ear, pins, host, code=code)
        if isinstance(found, Failed):
            assert ear.heard == b""
        return found


async def test_a_real_certificate_needs_no_question_and_may_be_renewed(
    pins: Pins, authority: Authority
) -> None:
    first = await served(authority.issue(NAME), pins)
    renewed = await served(authority.issue(NAME), pins)
    assert how(first) == how(renewed) == "real"
    assert code(first) != code(renewed)
    assert isinstance(first, Line)
    assert isinstance(renewed, Line)
    # The tokens of the server's tables stay good.
    assert first.identity == renewed.identity


async def test_after_a_real_certificate_one_that_nobody_vouches_for_is_a_change(
    pins: Pins, authority: Authority, tmp_path: Path
) -> None:
    await served(authority.issue(NAME), pins)
    (tmp_path / "other").mkdir()
    stranger = Authority(tmp_path / "other").issue(NAME)
    changed = await served(stranger, pins)
    assert isinstance(changed, Failed)
    assert changed.reason == Reason.CERTIFICATE_CHANGED
    assert isinstance(await served(authority.issue("elsewhere.example"), pins), Failed)


async def test_a_pin_is_asked_about_even_if_an_authority_vouches_for_the_new_one(
    pins: Pins, authority: Authority
) -> None:
    async with listening_ear(own_identity(None).context) as ear:
        assert how(await go(ear, pins, NAME)) == "first"
    real = authority.issue(NAME)
    changed = await served(real, pins)
    assert isinstance(changed, Failed)
    assert changed.change is not None
    # Once accepted, it is real: its renewals are no question.
    assert how(await served(real, pins, code=changed.change.found)) == "real"
    assert how(await served(authority.issue(NAME), pins)) == "real"


@pytest.mark.parametrize("known", [False, True])
async def test_a_real_certificate_that_has_run_out_is_refused(
    pins: Pins, authority: Authority, known: bool
) -> None:
    if known:
        await served(authority.issue(NAME), pins)
    expired = await served(authority.issue(NAME, days=-1), pins)
    assert expired == Failed(Reason.CERTIFICATE_EXPIRED)


async def test_dates_of_a_servers_own_certificate_mean_nothing(pins: Pins, tmp_path: Path) -> None:
    # Nobody here trusts in this authority: all that counts is the fingerprint.
    late = Authority(tmp_path).issue(NAME, days=-1)
    assert how(await served(late, pins, "192.0.2.1")) == "first"
    assert how(await served(late, pins, "192.0.2.1")) == "known"


# ---- the file


def pin(number: int) -> Pin:
    return Pin(f"{number:064x}", False, f"{number:064x}")


def test_the_file_is_its_owners_alone_and_bounded(tmp_path: Path) -> None:
    pins = Pins(tmp_path)
    for number in range(PINS + 3):
        pins.keep(Address("den", number + 1), pin(number))
    fresh = Pins(tmp_path)
    assert stat.S_IMODE((tmp_path / "pins.json").stat().st_mode) == 0o600
    assert [fresh.of(Address("den", port)) for port in (1, 3)] == [None, None]
    assert fresh.of(Address("DEN.", 4)) == pin(3)


def test_two_clients_at_once_lose_none_of_each_others_pins(tmp_path: Path) -> None:
    one, other = Pins(tmp_path), Pins(tmp_path)
    one.keep(Address("a"), pin(1))
    other.keep(Address("b"), pin(2))
    one.keep(Address("c"), pin(3))
    fresh = Pins(tmp_path)
    assert [fresh.of(Address(host)) for host in "abc"] == [pin(1), pin(2), pin(3)]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"a 1": {"fingerprint": "x"}}'])
def test_a_damaged_file_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pins.json").write_bytes(content)
    pins = Pins(tmp_path)
    assert pins.of(Address("a", 1)) is None
    pins.keep(Address("a", 1), pin(1))
    assert Pins(tmp_path).of(Address("a", 1)) == pin(1)


def test_a_file_that_cannot_be_written_costs_the_next_run_alone(tmp_path: Path) -> None:
    (tmp_path / "pins.json").mkdir()
    pins = Pins(tmp_path)
    pins.keep(Address("a", 1), pin(1))
    assert pins.of(Address("a", 1)) == pin(1)
