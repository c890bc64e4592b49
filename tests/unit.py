"""The unit of systemd, carried out: its settings, and what it starts, as systemd would start it."""

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from serving import SECONDS_TO_START, Server

UNIT: Final = Path(__file__).parents[1] / "docs" / "hosting" / "kings.service"

COMMAND: Final = "/opt/kings/bin/kings"
"""Where the documents install the command."""

OPTIONS: Final = 'host = "127.0.0.1"\nport = 0\nannounce = false\n'
"""What the file of options says in tests."""


def settings(name: str) -> list[str]:
    """Return all settings of this name."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)


def setting(name: str) -> str:
    """Return the one setting of this name."""
    (found,) = settings(name)
    return found


def here(line: str, folder: Path) -> list[str]:
    """Return the words of a command of the unit, with ``folder`` for the system's directories."""
    line = line.replace("%S", str(folder / "state")).replace(COMMAND, installed())
    return shlex.split(line.replace("/etc/kings/kings.toml", str(folder / "kings.toml")))


def installed() -> str:
    """Return the command as this environment has it."""
    return str(Path(sys.executable).with_name("kings"))


@contextmanager
def started(
    folder: Path, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Server]:
    """Start what the unit starts, with ``folder`` for the system's directories, until it is ready.

    Whatever happens, the server is gone at the end.
    """
    config = folder / "kings.toml"
    config.write_text(OPTIONS, encoding="utf-8")
    (folder / "notify").unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(folder / "notify"))
        supervisor.settimeout(SECONDS_TO_START)
        variables = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), **environment}
        with subprocess.Popen(
            here(setting("ExecStart"), folder),
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                assert supervisor.recv(100) == b"READY=1"
                assert process.stdout is not None
                yield Server(process, process.stdout.readline().decode().strip())
                if process.wait(SECONDS_TO_START) == 0:
                    assert supervisor.recv(100) == b"STOPPING=1"
            finally:
                process.kill()
