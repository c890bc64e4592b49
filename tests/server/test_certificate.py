"""A server's certificate: made by itself and kept, or a real one; what is said of a bad one."""

import os
import stat
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from certificates import Authority
from kings_protocol.identity_code import code_of, fingerprint_of
from kings_server.certificate import NAME, CannotSecure, given_identity, own_identity
from kings_server.limits import RENEWAL_SECONDS
from kings_server.log import logger
from kings_server.renewal import Renewal
from serving import Server, command, serving

LIMIT = 30


async def certificate_of(server: Server) -> bytes:
    """Return the certificate that a running server shows."""
    stream = await server.stream()
    assert isinstance(stream, trio.SSLStream)
    found: bytes = stream.getpeercert(binary_form=True)
    await trio.aclose_forcefully(stream)
    return found


def test_a_data_directory_has_one_identity_which_is_its_owners_alone(tmp_path: Path) -> None:
    first = own_identity(tmp_path)
    assert own_identity(tmp_path).fingerprint == first.fingerprint
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [NAME]
    (tmp_path / "other").mkdir()
    assert own_identity(tmp_path / "other").fingerprint != first.fingerprint


def test_without_a_directory_each_start_has_a_new_one() -> None:
    first, second = own_identity(None), own_identity(None)
    assert first.fingerprint != second.fingerprint
    first.renew()
    assert first.trouble == "", "there is no file that could be renewed"


def test_its_code_is_that_of_its_fingerprint(tmp_path: Path) -> None:
    identity = own_identity(tmp_path)
    assert identity.code == code_of(identity.fingerprint)


@pytest.mark.parametrize("content", [b"", b"no certificate"])
def test_a_damaged_certificate_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(CannotSecure, match=f"{NAME}: put it back from a backup"):
        own_identity(tmp_path)
    assert (tmp_path / NAME).read_bytes() == content


def test_a_real_certificate_is_used(tmp_path: Path) -> None:
    issued = Authority(tmp_path).issue("den.example")
    assert given_identity(issued.certificate, issued.key).fingerprint == issued.fingerprint


@pytest.mark.parametrize("end", ["", " \n", "\r\n"])
def test_a_real_certificate_is_known_by_its_code_however_its_file_ends(
    tmp_path: Path, end: str
) -> None:
    authority = Authority(tmp_path)
    for number in range(3):  # of three lengths, one comes out even in base 64
        issued = authority.issue("a" * (number + 1))
        issued.certificate.write_text(issued.certificate.read_text().strip() + end, newline="")
        found = given_identity(issued.certificate, issued.key)
        assert found.fingerprint == issued.fingerprint


def test_what_is_wrong_with_a_real_certificate_is_said(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    one, other = authority.issue("den.example"), authority.issue("den.example")
    late, locked = authority.issue("den.example", -1), authority.issue("den.example", 1, b"secret")
    with pytest.raises(CannotSecure, match=r"cannot use the certificate in .* with "):
        given_identity(one.certificate, other.key)
    with pytest.raises(CannotSecure, match=r"cannot use the certificate in .* with "):
        given_identity(locked.certificate, locked.key)
    with pytest.raises(CannotSecure, match=r"ran out on 20\d\d-\d\d-\d\d"):
        given_identity(late.certificate, late.key)
    with pytest.raises(CannotSecure, match=r"cannot read .*none\.pem: no such file"):
        given_identity(one.certificate, tmp_path / "none.pem")


def test_a_renewed_certificate_is_taken_up_once_its_key_is_there_too(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    used, renewed = authority.issue("den.example"), authority.issue("den.example")
    identity = given_identity(used.certificate, used.key)
    before, context = identity.fingerprint, identity.context
    used.certificate.write_bytes(renewed.certificate.read_bytes())
    identity.renew()
    assert (identity.fingerprint, identity.context) == (before, context)
    used.key.write_bytes(renewed.key.read_bytes())
    identity.renew()
    assert identity.fingerprint == renewed.fingerprint != before
    assert identity.context is not context
    used.certificate.unlink()
    identity.renew()
    assert identity.fingerprint == renewed.fingerprint


async def test_files_are_looked_at_once_a_second_at_most(
    mock_clock: MockClock, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    used, renewed = authority.issue("den.example"), authority.issue("den.example")
    identity = given_identity(used.certificate, used.key)
    renewal = Renewal(identity, logger())
    before = identity.fingerprint
    await renewal.look()
    used.certificate.write_bytes(renewed.certificate.read_bytes())
    used.key.write_bytes(renewed.key.read_bytes())
    mock_clock.jump(RENEWAL_SECONDS / 2)
    await renewal.look()
    assert identity.fingerprint == before
    mock_clock.jump(RENEWAL_SECONDS / 2)
    await renewal.look()
    assert identity.fingerprint == renewed.fingerprint


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name stands for the disk")
async def test_a_disk_that_hangs_is_waited_for_once_and_not_for_long(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    issued = Authority(tmp_path).issue("den.example")
    renewal = Renewal(given_identity(issued.certificate, issued.key), logger())
    issued.certificate.unlink()
    os.mkfifo(issued.certificate)  # who reads it waits for a writer
    began = autojump_clock.current_time()
    await renewal.look()
    assert autojump_clock.current_time() == began + RENEWAL_SECONDS
    await trio.sleep(60)
    for _ in range(3):
        await renewal.look()
    assert autojump_clock.current_time() == began + RENEWAL_SECONDS + 60
    os.close(os.open(issued.certificate, os.O_WRONLY))


async def test_a_restart_keeps_the_certificate_and_the_ready_line_tells_its_code(
    tmp_path: Path,
) -> None:
    found, codes = [], []
    with trio.fail_after(LIMIT):
        for _ in range(2):
            with serving("--data", str(tmp_path), encrypted=True) as server:
                assert f"kings: code {server.code}, listening on " in server.ready
                found.append(await certificate_of(server))
                codes.append(server.code)
    assert found[0] == found[1]
    assert codes == [code_of(fingerprint_of(found[0]))] * 2


def test_a_certificate_without_its_key_starts_no_server(tmp_path: Path) -> None:
    ended = command("serve", "--no-data", "--port", "0", "--certificate", str(tmp_path / "c.pem"))
    assert ended.returncode == 2
    assert "certificate and key go together" in ended.stderr


def test_a_password_is_not_taken_in_plain_text_beyond_this_machine(tmp_path: Path) -> None:
    word = tmp_path / "word"
    word.write_text("sesame\n")
    options = ("--no-data", "--port", "0", "--plain-text", "--password-file", str(word))
    ended = command("serve", *options)
    assert ended.returncode == 2
    assert "a password is not taken with plain_text" in ended.stderr


@pytest.mark.parametrize(
    ("content", "why"), [("\nmore", "holds no password"), ("x" * 65, "holds no password")]
)
def test_a_password_file_without_a_password_starts_no_server(
    tmp_path: Path, content: str, why: str
) -> None:
    (tmp_path / "word").write_text(content)
    ended = command("serve", "--no-data", "--port", "0", "--password-file", str(tmp_path / "word"))
    assert ended.returncode == 1
    assert why in ended.stderr
    assert "Traceback" not in ended.stderr
