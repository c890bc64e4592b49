"""Lines of the log that others write: libraries, processes, the system that has no files left.

Conduct: real servers on loopback; an absolute time limit on every wait.
"""

import json
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
import trio

from kings_protocol import messages as m
from kings_server.log import SPELL_SECONDS, Spells
from people import new_id
from serving import SECONDS_TO_START, serving

LIMIT = 60

NOISY = """
import ctypes, logging, os, subprocess, sys, threading, warnings
from kings_server import command_serve

def loud():
    warnings.warn("KS: soon gone")
    for _ in range(100):
        logging.getLogger("zeroconf").error("no interface", exc_info=ValueError("5H"))
    print("a library prints", file=sys.stderr)
    os.write(2, b"and another\\x1b[31m\\n")
    subprocess.run((sys.executable, "-c", "import os; os.write(2, b'a child')"))
    raise KeyError("5H")

said = command_serve._say_ready

def ready(*where):
    thread = threading.Thread(target=loud)
    thread.start()
    thread.join()
    said(*where)

command_serve._say_ready = ready
sys.exit(command_serve.main(sys.argv[1:]))
"""

OPTIONS = ("--host", "127.0.0.1", "--port", "0", "--no-data", "--plain-text", "--linger", "1")


@pytest.mark.parametrize("form", ["json", "human"])
def test_every_line_of_the_log_has_its_form_whoever_wrote_it(form: str) -> None:
    ran = subprocess.run(
        (sys.executable, "-c", NOISY, *OPTIONS, "--log-format", form),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    found = ran.stderr.splitlines()
    if form == "human":
        assert all(line.partition(" [")[0].endswith("Z") for line in found), found
        assert "\x1b" not in ran.stderr
        return
    told = [json.loads(line) for line in found]
    others = [line["text"] for line in told if line["event"] == "standard error"]
    assert sorted(others) == ["a child", "a library prints", "and another\x1b[31m"]
    libraries = [line["library"] for line in told if line["event"] == "a library says"]
    assert sorted(libraries) == ["py.warnings", "zeroconf"], "what is repeated is said once"
    (uncaught,) = (line for line in told if line["event"] == "an error that nobody caught")
    assert uncaught["error"].startswith("KeyError at <string>:")
    assert "5H" not in ran.stderr


def test_why_a_server_does_not_start_is_said_in_the_form_of_the_log() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        options = ("--host", "127.0.0.1", "--port", str(taken.getsockname()[1]), "--no-data")
        ran = subprocess.run(
            (sys.executable, "-m", "kings_server", "serve", *options, "--log-format", "json"),
            capture_output=True,
            text=True,
            timeout=SECONDS_TO_START,
            check=False,
        )
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert json.loads(line)["event"].startswith("cannot listen on 127.0.0.1")


def test_a_spell_is_told_at_its_beginning_and_once_a_minute_with_how_often_it_was() -> None:
    spells = Spells()
    assert spells.due("a", 5.0) == 1
    assert [spells.due("a", 6.0 + at) for at in range(3)] == [0, 0, 0]
    assert spells.due("b", 7.0) == 1
    assert spells.due("a", 5.0 + SPELL_SECONDS) == 4
    assert spells.due("a", 6.0 + SPELL_SECONDS) == 0


def highest_file(process: int) -> int:
    """Return the highest descriptor that a process has."""
    return max(int(file.name) for file in Path(f"/proc/{process}/fd").iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
async def test_a_server_without_files_says_so_once_and_takes_people_when_it_has_some(
    tmp_path: Path,
) -> None:
    import resource

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        figures = found.getsockname()[1]
    options = ("--log-format", "json", "--data", str(tmp_path), "--metrics-port", str(figures))
    with trio.fail_after(LIMIT), serving(*options) as server:
        async with server.guest("Ann") as ann:
            process = psutil.Process(server.process.pid)
            limits = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
            few = highest_file(process.pid) + 4
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (few, limits[1]))
            with ExitStack() as crowd:
                for port in [server.port] * 20 + [figures] * 3:
                    crowd.enter_context(socket.create_connection(("127.0.0.1", port)))
                before = sum(process.cpu_times()[:2])
                for _ in range(4):
                    await trio.sleep(0.5)
                    await ann.ask_for(m.Done, m.Browse(id=new_id(), page=0))
                assert sum(process.cpu_times()[:2]) - before < 1.0
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, limits)
            async with server.guest("Ben"):
                pass
        server.process.terminate()
        assert server.process.stderr is not None
        text = await trio.to_thread.run_sync(server.process.stderr.read)
    told = [json.loads(line) for line in text.decode().splitlines()]
    (scarce,) = (line for line in told if line["event"] == "no connection can be taken")
    assert scarce["level"] == "error"
    assert scarce["why"] == "too many open files"
