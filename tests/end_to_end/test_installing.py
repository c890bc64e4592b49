"""The unit and the container file: read as their programs read them, and carried out here.

There is no systemd that runs units here and no image to build on; what they would run is run.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from documents import blocks
from serving import SECONDS_TO_START, Server, command
from unit import COMMAND, UNIT, here, installed, setting, settings, started

ROOT = Path(__file__).parents[2]
CONTAINER = ROOT / "docs" / "hosting" / "Containerfile"
GUIDE = ROOT / "docs" / "hosting.md"
LIMIT = 120
EXPOSURE = 15
"""Tenths of the exposure that systemd computes; what is left is the network, which it is for."""

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="neither is for Windows")
ANALYZE = shutil.which("systemd-analyze") or ""
BASH = shutil.which("bash") or ""
SYSTEMD = pytest.mark.skipif(not ANALYZE, reason="no systemd here")


# ---- the unit


@SYSTEMD
def test_systemd_understands_the_unit_and_finds_it_shut_in(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    (handed_over,) = (block for block in blocks(GUIDE) if block.file == "files.conf")
    text = UNIT.read_text().replace("[Install]", f"{handed_over.text}\n[Install]")
    unit.write_text(text.replace(COMMAND, installed()))
    verified = subprocess.run(
        (ANALYZE, "verify", str(unit)),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = subprocess.run(
        (ANALYZE, "security", "--offline=true", f"--threshold={EXPOSURE}", str(unit)),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert judged.returncode == 0, judged.stdout


@UNIX
def test_what_the_unit_starts_says_when_it_is_ready_and_stops_when_asked(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS_TO_START) == 0


@UNIX
def test_the_unit_gives_people_time_to_play_to_the_end() -> None:
    words = shlex.split(setting("ExecStart"))
    drain = float(words[words.index("--drain") + 1])
    assert drain + 20 <= float(setting("TimeoutStopSec"))
    assert setting("KillMode") == "mixed"


@UNIX
def test_a_reload_checks_the_options_before_it_restarts_anything(tmp_path: Path) -> None:
    check, restart = settings("ExecReload")
    start = setting("ExecStart").partition(" --drain")[0]
    assert check == f"{start} --check", "the same options are checked that would be in force"
    assert restart == "+systemctl --no-block restart %n"
    for text, code in (('name = "Attic"\n', 0), ("prot = 3\n", 2)):
        (tmp_path / "kings.toml").write_text(text)
        ran = subprocess.run(here(check, tmp_path), capture_output=True, timeout=LIMIT, check=False)
        assert ran.returncode == code


@UNIX
def test_a_supervisor_that_does_not_listen_keeps_nobody_from_starting(tmp_path: Path) -> None:
    gone = {"NOTIFY_SOCKET": str(tmp_path / "gone")}
    ended = command(
        *("serve", "--no-data", "--host", "127.0.0.1", "--port", "0", "--linger", "1"),
        environment=gone,
    )
    assert ended.returncode == 0


# ---- the container


def steps() -> list[tuple[str, str]]:
    """Return the instructions of the container file."""
    lines = CONTAINER.read_text().splitlines()
    told = [line for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in told)]


def only(word: str) -> str:
    """Return what the one instruction of this kind says."""
    (rest,) = [rest for kind, rest in steps() if kind == word]
    return rest


def test_the_container_file_has_only_instructions_that_there_are() -> None:
    known = {"FROM", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"}
    assert {word for word, _ in steps()} == known | {"HEALTHCHECK", "ENTRYPOINT"}
    assert steps()[0][0] == "FROM"
    assert not only("USER").startswith(("root", "0"))


def not_ignored(folder: Path) -> Path:
    """Copy what the engine would be sent, and return the copy."""
    lines = (ROOT / ".containerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*", "all is left out that is not named"
    assert rules[-1] == "**/__pycache__"
    for name in (rule.removeprefix("!") for rule in rules[1:-1]):
        found = ROOT / name
        if found.is_dir():
            shutil.copytree(found, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(found, folder / name)
    return folder


STOP_SECONDS = 10
"""How long an engine waits for a container to stop before it ends it."""


@pytest.mark.skipif(not BASH, reason="there is no bash here")
async def test_what_the_container_installs_and_starts_is_a_server_that_is_well(
    tmp_path: Path,
) -> None:
    source = not_ignored(tmp_path / "source")
    place = {"/opt/kings": f"{tmp_path}/kings", "/src": str(source), "/data": f"{tmp_path}/data"}

    def placed(text: str) -> str:
        for there, found in place.items():
            text = text.replace(there, found)
        return text.replace("-o 26480 -g 26480 ", "")

    environment = dict(part.split("=") for part in placed(only("ENV")).split())
    # The libraries of this environment stand for those that the image would be given.
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for word, rest in steps():
        if word == "RUN":
            again = placed(rest).replace(
                "pip install", "pip install --no-deps --no-build-isolation"
            )
            await trio.run_process(
                (BASH, "-c", again),
                env={**os.environ, "PATH": path, "PYTHONPATH": ":".join(libraries)},
                capture_stdout=True,
                capture_stderr=True,
            )
    outside = {**os.environ, **environment, "PYTHONPATH": ":".join(libraries)}
    words = json.loads(placed(only("ENTRYPOINT")))
    options = ("--host", "127.0.0.1", "--port", "0", "--no-announce")
    with (
        trio.fail_after(LIMIT),
        subprocess.Popen(  # noqa: ASYNC220  it starts at once
            (*words, *options), env=outside, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process,
    ):
        try:
            assert process.stdout is not None
            ready = await trio.to_thread.run_sync(process.stdout.readline)
            server = Server(process, ready.decode().strip())
            healthy = json.loads(placed(only("HEALTHCHECK").partition("CMD ")[2]))
            for _ in range(3):
                await trio.run_process(healthy, env=outside, capture_stdout=True)
            async with server.guest("Ann") as ann:
                process.send_signal(signal.Signals[only("STOPSIGNAL")])
                assert await trio.to_thread.run_sync(process.wait, STOP_SECONDS) == 0
                await ann.until_ended()
            assert process.stderr is not None
            log = (await trio.to_thread.run_sync(process.stderr.read)).decode()
            assert "entered" in log
            assert "admin" not in log, "asking whether it is well is no line of the log"
        finally:
            process.kill()
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
