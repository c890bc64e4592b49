"""The search kernel's ground: what its functions are compiled with, and the memory they work in.

The kernel plays deals many thousand times faster than the engine, for ``master``. It is written in
the part of Python that numba compiles, on integers in flat buffers; without numba the same source
runs as it stands, on lists. The engine stays the authority: the tests hold the kernel to it.
"""

from collections.abc import Callable, MutableSequence
from importlib import import_module
from typing import Any, Final, TypeAlias, TypeVar

from kings_server.bots.kernel_ready import cache, has_compiler

F = TypeVar("F", bound=Callable[..., Any])

Ints: TypeAlias = MutableSequence[int]
Floats: TypeAlias = MutableSequence[float]


def _numba() -> Any:
    if not has_compiler():
        return None
    numba = import_module("numba")
    numba.config.CACHE_DIR = str(cache())
    return numba


NUMBA: Final = _numba()


def compiled(function: F) -> F:
    """Compile ``function`` when it is first called, or leave it as it is without numba."""
    if NUMBA is None:
        return function
    fast: F = NUMBA.njit(cache=True, error_model="numpy")(function)
    return fast


def inlined(function: F) -> F:
    """Compile ``function`` into its callers: to hand a structure on costs more than most do."""
    if NUMBA is None:
        return function
    fast: F = NUMBA.njit(cache=True, error_model="numpy", forceinline=True)(function)
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
