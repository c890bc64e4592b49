"""Which levels of bots this server has, and how it comes to have them all."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Final

import trio
from trio_parallel import BrokenWorkerError  # type: ignore[import-untyped]  # it has no types

from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Level
from kings_server import kernel_fault
from kings_server.bots.kernel_ready import Why, make_ready
from kings_server.bots.policy import LEVELS, TIMED, why_not
from kings_server.log import Log, described
from kings_server.pool import RunApart
from kings_server.scarcity import is_scarce

START_SECONDS: Final = 10.0
"""Seconds from a server's start in which nothing is compiled: somebody waits for a first screen."""

AGAIN_SECONDS: Final = (60.0, 3600.0)
"""Seconds until it is tried again where the system kept it from that: the first, and the most."""

MISSING_SECONDS: Final = 10.0
"""Seconds for which it is known which levels are missing."""

_REFUSED: Final[Mapping[Why, RefusalCode]] = MappingProxyType(
    {
        Why.NO_NUMBA: RefusalCode.LEVEL_NEEDS_COMPILER,
        Why.NOT_COMPILED: RefusalCode.LEVEL_NOT_READY,
    }
)


def refusal_of(level: str) -> RefusalCode | None:
    """Return why bots of ``level`` cannot be seated here, if they cannot."""
    if level in TIMED and kernel_fault.fault() is not None:
        return RefusalCode.LEVEL_BROKEN
    why = why_not(level)
    return None if why is None else _REFUSED[why]


class Missing:
    """The levels that cannot be seated, looked for every few seconds: that takes milliseconds."""

    def __init__(self) -> None:
        self._until = -inf
        self._levels: dict[Level, str] = {}

    @property
    def levels(self) -> dict[Level, str]:
        """Each such level with the code of the refusal that one would get."""
        now = trio.current_time()
        if now >= self._until:
            self._until = now + MISSING_SECONDS
            found = ((level, refusal_of(level)) for level in LEVELS)
            self._levels = {level: code.value for level, code in found if code is not None}
        return self._levels


async def get_ready(run_apart: RunApart, log: Log) -> None:
    """Compile what a level needs, if it can be compiled and was not: half a minute, elsewhere.

    Where the system keeps it from being compiled, for it ended the process or has too little of
    something, that is tried again, less and less often; what fails otherwise would fail again.
    """
    await trio.sleep(START_SECONDS)
    if not any(why_not(level) is Why.NOT_COMPILED for level in LEVELS):
        return
    pause, longest = AGAIN_SECONDS
    while True:
        try:
            await run_apart(make_ready)
        except Exception as error:  # noqa: BLE001  the fence round bots
            failure = described(error)
            passes = isinstance(error, BrokenWorkerError) or is_scarce(error)
        else:
            log.info("the kernel is compiled")
            return
        if not passes:
            kernel_fault.note(failure)
            log.error("the kernel cannot be compiled", error=failure)
            return
        log.error("the kernel could not be compiled", error=failure, again_in=pause)
        await trio.sleep(pause)
        pause = min(2 * pause, longest)
