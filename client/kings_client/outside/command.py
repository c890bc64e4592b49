"""The command ``kings bot``: from its options to a seat that plays."""

import argparse
import random
import sys
from pathlib import Path
from typing import Final

from kings_client.config import parse_address
from kings_client.intents import StartJoin
from kings_client.model import Model
from kings_client.outside.policy import BadModule, load_policy
from kings_client.outside.running import run
from kings_client.outside.seat import Plan
from kings_client.session import Session
from kings_client.store import Store, StoreError, state_folder
from kings_client.words.reasons import reason
from kings_client.words.tongue import tell
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.text import clean

FAILED: Final = 1
MISUSED: Final = 2


def play(options: argparse.Namespace) -> int:
    """Let the module of ``kings bot`` play, and return the exit code."""
    short = Path(options.module).stem if options.module.endswith(".py") else options.module
    name = clean(options.name or short, NAME_LENGTH)
    if not name:
        return _say(tell("--name: a name needs a letter or two"), MISUSED)
    try:
        parse_address(options.address)
        plan = Plan(options.table, _password(options.password_file), options.once)
        policy = load_policy(options.module, _complain)
    except (ValueError, BadModule) as error:
        return _say(str(error), MISUSED)
    try:
        # A folder of its own: a seat that its author left is not the program's to take.
        store = Store.open(state_folder() / "bots" / short)
    except StoreError as error:
        return _say(str(error), FAILED)
    try:
        session = Session(store, StartJoin(options.address, name), Model(name=name))
        code = run(session, plan, policy, random.Random(options.seed))  # noqa: S311  no secret
    finally:
        store.close()
    failure = session.failure
    if failure is None:
        return code
    more = f": {failure.words}" if failure.words else ""
    return _say(f"{tell(failure.address)}: {reason(failure.reason or '')}{more}", FAILED)


def _password(file: Path | None) -> str | None:
    """Return the first line of ``file``.

    Raises:
        ValueError: it cannot be read.
    """
    if file is None:
        return None
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(
            tell("--password-file: {path} cannot be read: {why}", path=file, why=why)
        ) from error
    return lines[0] if lines else ""


def _complain(text: str) -> None:
    print(f"kings bot: {text}", file=sys.stderr, flush=True)


def _say(text: str, code: int) -> int:
    _complain(text)
    return code
