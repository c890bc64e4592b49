"""The search kernel's ground: what its functions are compiled with, and the memory they work in.

The kernel plays deals many thousand times faster than the engine, for ``master``. It is written in
the part of Python that numba compiles, on integers in flat buffers; without numba the same source
runs as it stands, on lists. The engine stays the authority: the tests hold the kernel to it.
"""

import os
from collections.abc import Callable, MutableSequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

Ints: TypeAlias = MutableSequence[int]
Floats: TypeAlias = MutableSequence[float]

PLAIN: Final = "KINGS_PLAIN_KERNEL"
"""A variable of the environment: where it is set, numba is left alone although it is there."""


def _cache() -> Path:
    """Return where the machine code is kept: another place for every version of its source.

    Numba looks only at a function's own file for changes, not at those that it calls into.
    """
    source = sha256()
    for file in sorted(Path(__file__).parent.glob("kernel*.py")):
        source.update(file.read_bytes())
    return user_cache_path("kings-in-the-corner") / "kernel" / source.hexdigest()[:16]


def _numba() -> Any:
    if os.environ.get(PLAIN) or find_spec("numba") is None:
        return None
    numba = import_module("numba")
    if not os.environ.get("NUMBA_CACHE_DIR"):
        numba.config.CACHE_DIR = str(_cache())
    return numba


NUMBA: Final = _numba()


def compiled(function: F) -> F:
    """Compile ``function`` when it is first called, or leave it as it is without numba."""
    if NUMBA is None:
        return function
    fast: F = NUMBA.njit(cache=True, error_model="numpy")(function)
    return fast


def ints(count: int) -> Ints:
    """Return a buffer of ``count`` zeros."""
    if NUMBA is None:
        return [0] * count
    zeros: Ints = import_module("numpy").zeros(count, "int64")
    return zeros


def floats(count: int) -> Floats:
    """Return a buffer of ``count`` zeros, of floating point."""
    if NUMBA is None:
        return [0.0] * count
    zeros: Floats = import_module("numpy").zeros(count, "float64")
    return zeros
