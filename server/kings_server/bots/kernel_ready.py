"""Whether the kernel is compiled on this machine, and how it comes to be.

Compiling takes half a minute, once: the machine code is kept in the user's cache directory, and a
note beside it says that it is whole. Nobody waits for it: it is made ahead of time, in another
process. To ask whether it is there costs next to nothing, and loads none of it.
"""

import os
import random
import sys
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from kings_engine.cards import DECK_SIZE, parse_card
from kings_engine.phase import Phase
from kings_engine.rules import make_rules
from kings_engine.view import Own, Public, PublicSeat, Standing

PLAIN: Final = "KINGS_PLAIN_KERNEL"
"""A variable of the environment: where it is set, an installed compiler is left alone."""


class Why(StrEnum):
    """Why the kernel is not ready."""

    NO_NUMBA = "no_numba"  #: the compiler is not installed: ``pip install '.[master]'``
    NOT_COMPILED = "not_compiled"  #: it has not been compiled on this machine yet


def has_compiler() -> bool:
    """Say whether numba is installed, and wanted."""
    return not os.environ.get(PLAIN) and find_spec("numba") is not None


def cache() -> Path:
    """Return where the machine code is kept: another place for every state of its source."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    try:
        base = Path(named) if named else user_cache_path("kings", appauthor=False)
    except RuntimeError:
        # An account without a home has no place of its own for code: nothing is ever found there.
        base = Path(os.devnull)
    return base / f"kernel-{_state()}"


@lru_cache
def _state() -> str:
    """Return what tells the sources from others, as they were when this process asked first.

    Numba looks only at a function's own file for changes, not at those that it calls into. To look
    takes half a millisecond, and a server asks for every bot that is seated.
    """
    state = sha256(f"{version('numba')} {sys.implementation.cache_tag}".encode())
    for file in _sources():
        seen = file.stat()
        state.update(f"{file} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return state.hexdigest()[:16]


def _sources() -> list[Path]:
    """Return the files that are compiled, or whose constants are."""
    bots = Path(__file__).parent
    others = ("beliefs.py", "outlook.py", "planner.py")
    return [*sorted(bots.glob("kernel*.py")), *(bots / name for name in others)]


def why_not() -> Why | None:
    """Return why the kernel cannot be used yet, or nothing if it is compiled."""
    if not has_compiler():
        return Why.NO_NUMBA
    return None if _note().exists() else Why.NOT_COMPILED


def make_ready() -> None:
    """Compile the kernel, or load what was compiled before: half a minute, or a second.

    Two turns are played in which all of the kernel is used.

    Raises:
        ModuleNotFoundError: numba is not installed.
        OSError: the cache directory cannot be written.
    """
    if not has_compiler():
        raise ModuleNotFoundError("numba is not installed; it comes with the extra 'master'")
    from kings_server.bots.master_turn import plan_turn

    for stock in (0, 20):
        own, public = _example(stock)
        # A clock that moves on when it is looked at: compiling must not leave less to compile.
        clock = count(0.0, 0.01).__next__
        plan_turn(own, public, (), make_rules({}), random.Random(0), 0.1, clock)  # noqa: S311
    _note().parent.mkdir(parents=True, exist_ok=True)
    _note().touch()


def _example(stock: int) -> tuple[Own, Public]:
    """Return a position in which there is something to think about; without stock, all is known."""
    hand = tuple(sorted(map(parse_card, ("9H", "5D", "2C"))))
    piles = tuple((parse_card(name),) for name in ("TS", "AS", "AH", "AC"))
    other = DECK_SIZE - len(piles) - len(hand) - stock
    public = Public(
        version=1,
        phase=Phase.PLAY,
        deal=1,
        dealer=1,
        turn=0,
        turn_number=0,
        piles=(*piles, (), (), (), ()),
        stock=stock,
        stock_top=None,
        vacated=(),
        idle=0,
        seats=tuple(PublicSeat(Standing.IN, cards, 0, ()) for cards in (len(hand), other)),
        sheet=(),
        winners=(),
        losers=(),
    )
    return Own(0, hand, (), (), (), may_end=True), public


def _note() -> Path:
    return cache() / "whole"
