"""Which levels a server has: what is compiled, when, and what becomes of a compiler that fails."""

import errno
from collections.abc import Callable
from io import StringIO
from typing import TypeVar, TypeVarTuple, cast

import pytest
import trio
from trio.testing import MockClock
from trio_parallel import BrokenWorkerError  # type: ignore[import-untyped]  # it has no types

from kings_protocol.codes import RefusalCode
from kings_server import kernel_fault, offered
from kings_server.bots.kernel_ready import Why, make_ready
from kings_server.log import logger
from kings_server.offered import START_SECONDS, get_ready, refusal_of

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def test_a_level_that_cannot_play_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    why: dict[str, Why] = {}
    monkeypatch.setattr(offered, "why_not", why.get)
    assert refusal_of("master") is None
    why["master"] = Why.NO_NUMBA
    assert refusal_of("master") == RefusalCode.LEVEL_NEEDS_COMPILER
    why["master"] = Why.NOT_COMPILED
    assert refusal_of("master") == RefusalCode.LEVEL_NOT_READY
    assert refusal_of("expert") is None


@pytest.mark.parametrize(
    ("why", "compiled"), [(Why.NOT_COMPILED, True), (Why.NO_NUMBA, False), (None, False)]
)
async def test_what_can_be_compiled_is_elsewhere_and_not_at_once(
    autojump_clock: MockClock,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    why: Why | None,
    compiled: bool,
) -> None:
    asked: list[tuple[object, float]] = []

    async def run_apart(job: Callable[[*Ts], T], /, *_: *Ts) -> T:
        asked.append((job, trio.current_time()))
        return cast("T", None)

    monkeypatch.setattr(offered, "why_not", {"master": why}.get)
    await get_ready(run_apart, logger())
    assert asked == ([(make_ready, START_SECONDS)] if compiled else [])
    assert trio.current_time() >= 5, "somebody waits for a first screen"


@pytest.mark.parametrize(
    "error", [BrokenWorkerError(), MemoryError(), OSError(errno.ENOSPC, "no room")]
)
async def test_a_compiler_that_the_system_ends_is_started_again_later(
    autojump_clock: MockClock,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    log: StringIO,
    error: Exception,
) -> None:
    asked: list[float] = []

    async def run_apart(_: Callable[[*Ts], T], /, *__: *Ts) -> T:
        asked.append(trio.current_time() - START_SECONDS)
        if len(asked) < 3:
            raise error
        return cast("T", None)

    monkeypatch.setattr(kernel_fault, "_faults", [])
    monkeypatch.setattr(offered, "why_not", {"master": Why.NOT_COMPILED}.get)
    await get_ready(run_apart, logger())
    assert asked == [0, 60, 180]
    assert refusal_of("master") == RefusalCode.LEVEL_NOT_READY, "and not that it is broken"
    assert "cannot be compiled" not in log.getvalue()
    assert "the kernel is compiled" in log.getvalue()


async def test_a_compiler_that_fails_is_logged_and_the_level_is_refused_for_that(
    autojump_clock: MockClock,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    log: StringIO,
) -> None:
    async def run_apart(_: Callable[[*Ts], T], /, *__: *Ts) -> T:
        raise OSError("no room")

    monkeypatch.setattr(kernel_fault, "_faults", [])
    monkeypatch.setattr(offered, "why_not", {"master": Why.NOT_COMPILED}.get)
    assert refusal_of("master") == RefusalCode.LEVEL_NOT_READY
    await get_ready(run_apart, logger())
    assert "cannot be compiled" in log.getvalue()
    assert refusal_of("master") == RefusalCode.LEVEL_BROKEN
    assert refusal_of("expert") is None
