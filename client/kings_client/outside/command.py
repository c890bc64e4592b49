"""The command ``kings bot``: from its options to a seat that plays."""

import argparse
import random
import sys
from pathlib import Path
from typing import Final

from kings_client.joining import first_line, join_from
from kings_client.model import Model
from kings_client.outside.policy import BadModule, load_policy
from kings_client.outside.running import run
from kings_client.outside.seat import Plan
from kings_client.session import Session
from kings_client.store import Store, StoreError, state_folder
from kings_client.words.security import ended
from kings_client.words.tongue import tell
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.names import clean_name

FAILED: Final = 1
MISUSED: Final = 2


def play(options: argparse.Namespace) -> int:
    """Let the module of ``kings bot`` play, and return the exit code."""
    short = Path(options.module).stem if options.module.endswith(".py") else options.module
    name = clean_name(options.name or short, NAME_LENGTH)
    if not name:
        return _say(tell("--name: a name needs a letter or two"), MISUSED)
    try:
        start = join_from(options, name)
        plan = Plan(options.table, first_line(options.password_file), options.once)
        policy = load_policy(options.module, _complain)
    except (ValueError, BadModule) as error:
        return _say(str(error), MISUSED)
    try:
        # A folder of its own: a seat that its author left is not the program's to take.
        store = Store.open(state_folder() / "bots" / short)
    except StoreError as error:
        return _say(str(error), FAILED)
    try:
        session = Session(store, start, Model(name=name))
        code = run(session, plan, policy, random.Random(options.seed))  # noqa: S311  no secret
    finally:
        store.close()
    failure = session.failure
    if failure is None:
        return code
    return _say(f"{tell(failure.address)}: {ended(failure)}", FAILED)


def _complain(text: str) -> None:
    print(f"kings bot: {text}", file=sys.stderr, flush=True)


def _say(text: str, code: int) -> int:
    _complain(text)
    return code
