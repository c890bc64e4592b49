"""A certificate that is renewed, or not: what the log, the figures, /health and the doctor say.

Conduct: real files, and a real server on loopback; an absolute time limit on every wait.
"""

import json
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from certificates import Authority, Issued
from hall import hall
from kings_server import doctor_data
from kings_server import renewal as renewal_module
from kings_server.certificate import given_identity
from kings_server.config import Config
from kings_server.findings import State
from kings_server.house import House
from kings_server.limits import RENEWAL_LOOK_SECONDS
from kings_server.listener import Listener
from kings_server.log import logger
from kings_server.metrics import Watcher
from kings_server.renewal import Renewal
from monitoring import fetched, figures, free_port
from serving import command, serving
from thinking import pool

LIMIT = 60


def replace(used: Issued, by: Issued) -> None:
    """Put a pair of files in the place of another."""
    used.certificate.write_bytes(by.certificate.read_bytes())
    used.key.write_bytes(by.key.read_bytes())


async def test_what_was_renewed_and_what_could_not_be_is_logged_once(
    mock_clock: MockClock, tmp_path: Path, log: StringIO
) -> None:
    authority = Authority(tmp_path)
    used, renewed = authority.issue("den.example", 30), authority.issue("den.example", 90)
    late = authority.issue("den.example", -1)
    renewal = Renewal(given_identity(used.certificate, used.key), logger())
    told: list[str] = []

    async def looks(times: int) -> str:
        for _ in range(times):
            mock_clock.jump(RENEWAL_LOOK_SECONDS)
            await renewal.look()
        before = sum(map(len, told))
        told.append(log.getvalue()[before:])
        return told[-1]

    assert await looks(1) == ""
    replace(used, renewed)
    text = await looks(3)
    assert text.count("certificate renewed") == 1
    assert renewal.identity.code in text
    assert 89 < (renewal.identity.days_left or 0) < 91
    used.key.write_bytes(b"no key")
    assert await looks(1) == "", "the second file may be on its way"
    text = await looks(9)
    assert text.count("certificate not renewed") == 1
    assert "cannot use the certificate in" in text
    replace(used, late)
    text = await looks(9)
    assert text.count("certificate not renewed") == 1
    assert "ran out on" in text
    used.certificate.unlink()
    text = await looks(9)
    assert text.count("certificate not renewed") == 1
    assert f"cannot read {used.certificate}" in text
    assert renewal.identity.fingerprint == renewed.fingerprint


async def test_a_certificate_that_runs_out_is_told_of_every_day(
    autojump_clock: MockClock,  # noqa: ARG001
    tmp_path: Path,
    log: StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(renewal_module, "RENEWAL_LOOK_SECONDS", 3600.0)
    used = Authority(tmp_path).issue("den.example", 2)
    renewal = Renewal(given_identity(used.certificate, used.key), logger())
    with trio.move_on_after(3 * 86400 - 1):
        await renewal.run()
    assert log.getvalue().count("certificate runs out") == 3


async def test_health_and_figures_show_a_renewal_that_fails_and_a_certificate_that_ran_out(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    used = Authority(tmp_path).issue("den.example", 20)
    identity = given_identity(used.certificate, used.key)
    async with hall(autojump_clock) as h:
        listener = Listener(h.lobby, logger(), identity)
        house = House(h.lobby, listener, None, pool(None), lambda _: None, 0.0)
        assert (Watcher(house).trouble(), Watcher(house).note()) == ("", "")
        used.key.unlink()
        identity.renew()
        assert Watcher(house).trouble() == ""
        note = Watcher(house).note()
        assert note.startswith("the certificate is not renewed, with 20 days left: cannot read")
        stats = house.stats()
        assert stats["certificate_days_left"] == pytest.approx(20, abs=0.1)
        assert "cannot read" in str(stats["certificate_trouble"])
        late = Authority(tmp_path).issue("den.example", -1)
        identity.ends = given(late)
        assert Watcher(house).trouble().startswith("the certificate has run out")


def given(late: Issued) -> datetime:
    """Return when a certificate ran out."""
    from cryptography import x509

    return x509.load_pem_x509_certificate(late.certificate.read_bytes()).not_valid_after_utc


async def test_a_real_server_tells_its_metrics_and_the_doctor(tmp_path: Path) -> None:
    used = Authority(tmp_path).issue("den.example", 20)
    with free_port() as port:
        pass
    files = ("--certificate", str(used.certificate), "--key", str(used.key))
    data = ("--data", str(tmp_path / "data"))
    options = (*files, *data, "--metrics-port", str(port))
    with trio.fail_after(LIMIT), serving(*options, encrypted=True) as server:
        used.key.unlink()
        found: dict[str, float] = {}
        while not found.get("kings_certificate_not_renewed"):
            await trio.aclose_forcefully(await server.stream())
            _, text = await trio.to_thread.run_sync(fetched, port, "/metrics")
            found = figures(text)
        assert found["kings_certificate_days_left"] == pytest.approx(20, abs=0.1)
        status, text = await trio.to_thread.run_sync(fetched, port, "/health")
        assert status == 200
        assert text.startswith("well\nthe certificate is not renewed")
        ran = await trio.to_thread.run_sync(
            lambda: command("doctor", *data, "--no-discovery", "--json")
        )
        (told,) = (one for one in json.loads(ran.stdout) if one["about"] == "certificate")
        assert told["state"] == "wrong"
        assert "cannot read" in told["words"]
        shown = await trio.to_thread.run_sync(lambda: command("admin", *data, "stats"))
        assert "certificate trouble" in shown.stdout


@pytest.mark.parametrize(("days", "state"), [(60, State.WELL), (2, State.NOTE), (-1, State.WRONG)])
def test_the_doctor_looks_at_a_given_certificate(tmp_path: Path, days: int, state: State) -> None:
    issued = Authority(tmp_path).issue("den.example", days)
    config = Config(certificate=issued.certificate, key=issued.key)
    (found,) = doctor_data.given_certificate(config)
    assert (found.about, found.state) == ("certificate", state)


def test_the_doctor_is_silent_about_a_certificate_that_never_runs_out() -> None:
    assert list(doctor_data.given_certificate(Config())) == []
