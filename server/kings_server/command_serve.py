"""The command ``kings serve``: what was asked for, checked, and run or only shown."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from ipaddress import ip_address

import trio
from attrs import evolve

from kings_server import log
from kings_server.bans import CannotKeep
from kings_server.certificate import CannotSecure, given_identity
from kings_server.chosen import chosen, config_of
from kings_server.command_line import make_parser, read_command_line
from kings_server.config import Config
from kings_server.exits import FAILED, INTERRUPTED, MISUSED
from kings_server.journal_file import CannotOpen
from kings_server.passwords import read_password
from kings_server.service import STDIN, serve
from kings_server.sources import Setting
from kings_server.streams import unwaited
from kings_server.supervisor import tell_supervisor

__all__ = ["main", "make_parser"]


def main(arguments: Sequence[str]) -> int:
    """Run ``kings serve`` with its ``arguments``, and return the exit code."""
    asked = read_command_line(arguments)
    settled = chosen(asked.source, asked.config, private=asked.private)
    faults = list(settled.faults)
    if asked.check and not faults:
        faults += _unreadable(config_of(settled.settings))
    if faults:
        for fault in faults:
            print(f"kings serve: {fault}", file=sys.stderr)
        return MISUSED
    if asked.check:
        print("\n".join(_listed(settled.settings)))
        return 0
    config = config_of(settled.settings)
    try:
        secret = _read_secret() if config.private else None
    except ValueError as error:
        print(f"kings serve: {error}", file=sys.stderr)
        return MISUSED
    return _serve(evolve(config, secret=secret))


def _unreadable(config: Config) -> Sequence[str]:
    """Return what is wrong with the files that the options name; none of them is made."""
    faults = []
    try:
        if config.certificate is not None and config.key is not None:
            given_identity(config.certificate, config.key)
    except CannotSecure as error:
        faults.append(str(error))
    try:
        if config.password_file is not None:
            read_password(config.password_file)
    except CannotSecure as error:
        faults.append(str(error))
    return faults


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
    with unwaited(log.lost, _not_said, log.written_by_others) as stream:
        log.set_up(config.log_level, config.log_format, config.log_people, stream)
        log.take_over()
        code, failure = _run(config)
        if failure and config.log_format == "human":
            # For whoever typed the command, and the program that shows what became of it.
            print(f"kings: {failure}", file=stream)
        elif failure:
            log.logger().error(failure)
        return code


def _not_said(text: str, error: OSError) -> None:
    """Log what standard output did not take: the server is of use without it."""
    why = (error.strerror or "").lower()
    log.logger().warning("cannot write to standard output", why=why, text=text)


def _run(config: Config) -> tuple[int, str]:
    """Serve, and return the exit code, and what kept the server from it, if anything did."""
    try:
        trio.run(serve, config, log.logger(), _say_ready)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except UnicodeError:
        reason = "that is no host name"
    except (CannotKeep, CannotOpen, CannotSecure) as error:
        return FAILED, str(error)
    except KeyboardInterrupt:
        return INTERRUPTED, ""
    except Exception as error:  # noqa: BLE001  told in the form of the log, without its words
        log.uncaught(error)
        return FAILED, f"the server failed: {log.described(error)}"
    else:
        return 0, ""
    where = f"{config.host or 'any interface'}, port {config.port}"
    return FAILED, (
        f"cannot listen on {where}: {reason}. "
        "Choose another with --port or --host; --port 0 takes any free port."
    )


def _say_ready(host: str, port: int, code: str | None) -> None:
    if code is None and not ip_address(host.partition("%")[0]).is_loopback:
        log.logger().error("not encrypted: whoever is on this network can read along")
    shown = f"[{host}]" if ":" in host else host
    known_by = "" if code is None else f"code {code}, "
    print(f"kings: {known_by}listening on {shown}:{port}", flush=True)
    tell_supervisor("READY")
