"""Which levels of bots this server has, and how it comes to have them all."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import trio

from kings_protocol.codes import RefusalCode
from kings_server.bots.kernel_ready import Why, make_ready
from kings_server.bots.policy import LEVELS, why_not
from kings_server.log import Log, described
from kings_server.pool import RunApart

START_SECONDS: Final = 10.0
"""Seconds from a server's start in which nothing is compiled: somebody waits for a first screen."""

_REFUSED: Final[Mapping[Why, RefusalCode]] = MappingProxyType(
    {
        Why.NO_NUMBA: RefusalCode.LEVEL_NEEDS_COMPILER,
        Why.NOT_COMPILED: RefusalCode.LEVEL_NOT_READY,
    }
)


def refusal_of(level: str) -> RefusalCode | None:
    """Return why bots of ``level`` cannot be seated here, if they cannot."""
    why = why_not(level)
    return None if why is None else _REFUSED[why]


async def get_ready(run_apart: RunApart, log: Log) -> None:
    """Compile what a level needs, if it can be compiled and was not: half a minute, elsewhere."""
    await trio.sleep(START_SECONDS)
    if not any(why_not(level) is Why.NOT_COMPILED for level in LEVELS):
        return
    try:
        await run_apart(make_ready)
        log.info("the kernel is compiled")
    except Exception as error:  # noqa: BLE001  the fence round bots
        log.error("the kernel cannot be compiled", error=described(error))  # noqa: TRY400
