"""The command ``kings serve``: what was asked for, checked, and run or only shown."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path

import platformdirs
import trio
from attrs import evolve

from kings_server import log
from kings_server.bans import CannotKeep
from kings_server.bounds import Bounds
from kings_server.certificate import CannotSecure
from kings_server.command_line import Asked, make_parser, read_command_line
from kings_server.config import Config, clashes
from kings_server.exits import FAILED, INTERRUPTED, MISUSED
from kings_server.journal import JournalUnavailable
from kings_server.journal_file import CannotOpen
from kings_server.options import LIMITS
from kings_server.service import STDIN, serve
from kings_server.sources import (
    CONFIG_VARIABLE,
    Setting,
    Source,
    from_environment,
    from_file,
    settle,
)

__all__ = ["main", "make_parser"]


def main(arguments: Sequence[str]) -> int:
    """Run ``kings serve`` with its ``arguments``, and return the exit code."""
    asked = read_command_line(arguments)
    settled = settle(_sources(asked))
    settings = _with_folder(settled.settings)
    config = config_of(settings)
    faults = settled.faults or clashes(config)
    if faults:
        for fault in faults:
            print(f"kings serve: {fault}", file=sys.stderr)
        return MISUSED
    if asked.check:
        print("\n".join(_listed(settings)))
        return 0
    try:
        secret = _read_secret() if config.private else None
    except ValueError as error:
        print(f"kings serve: {error}", file=sys.stderr)
        return MISUSED
    return _serve(evolve(config, secret=secret))


def config_of(settings: Mapping[str, Setting]) -> Config:
    """Return what is in force as one value."""
    values = {name: setting.value for name, setting in settings.items()}
    limits = {
        name.partition(".")[2]: values.pop(name) for name in tuple(values) if LIMITS + "." in name
    }
    return Config(bounds=Bounds(**limits), **values)  # type: ignore[arg-type]  # kinds see to it


# ---- what was asked for


def _sources(asked: Asked) -> Sequence[Source]:
    if asked.private:
        return [asked.source]
    file = asked.config or os.environ.get(CONFIG_VARIABLE)
    others = [from_file(Path(file))] if file else []
    return [asked.source, from_environment(os.environ), *others]


def _with_folder(settings: Mapping[str, Setting]) -> Mapping[str, Setting]:
    """Return the settings with the data directory of this user, if no other is chosen."""
    data = settings["data"]
    if data.origin != "default" or settings["private"].value:
        return settings
    folder = Path(platformdirs.user_data_dir("kings", appauthor=False))
    return {**settings, "data": evolve(data, value=folder)}


def _listed(settings: Mapping[str, Setting]) -> Sequence[str]:
    width = max(map(len, settings))
    texts = max(len(setting.text) for setting in settings.values())
    return [
        f"{name:<{width}}  {setting.text:<{texts}}  {setting.origin}"
        for name, setting in settings.items()
    ]


def _read_secret() -> str:
    """Return the first line of standard input, byte by byte: the rest is not ours to take.

    Raises:
        ValueError: it is not a secret.
    """
    line = b""
    while len(line) < 65 and (byte := os.read(STDIN, 1)) not in (b"", b"\n"):
        line += byte
    secret = line.decode("ascii", "replace").strip()
    if not re.fullmatch("[0-9a-f]{64}", secret):
        raise ValueError("--private takes 64 hexadecimal digits as the first line of its input")
    return secret


# ---- running


def _serve(config: Config) -> int:
    log.set_up(config.log_level, config.log_format)
    try:
        trio.run(serve, config, log.logger(), _say_ready)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except UnicodeError:
        reason = "that is no host name"
    except (CannotKeep, CannotOpen, CannotSecure, JournalUnavailable) as error:
        print(f"kings: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    else:
        return 0
    where = f"{config.host or 'any interface'}, port {config.port}"
    print(
        f"kings: cannot listen on {where}: {reason}. "
        "Choose another with --port or --host; --port 0 takes any free port.",
        file=sys.stderr,
    )
    return FAILED


def _say_ready(host: str, port: int, code: str | None) -> None:
    if code is None and not ip_address(host.partition("%")[0]).is_loopback:
        warning = "kings: not encrypted: whoever is on this network can read along"
        print(warning, file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    known_by = "" if code is None else f"code {code}, "
    print(f"kings: {known_by}listening on {shown}:{port}", flush=True)
