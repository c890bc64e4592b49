"""A wire: bytes over real sockets on loopback. Each test ends within its limit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
import trio.testing

from kings_server.wire import Wire

LIMIT = 10
"""Seconds for any of these tests."""

MUCH = bytes(range(256)) * 40_000
"""More than the system takes at once."""


@asynccontextmanager
async def pair() -> AsyncIterator[tuple[Wire, trio.SocketStream]]:
    """Give both ends of a connection: a wire, and the other one."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    with trio.fail_after(LIMIT):
        far = await trio.open_tcp_stream("127.0.0.1", port)
        async with listener, far, Wire(await listener.accept()) as wire:
            yield wire, far


async def received(stream: trio.abc.ReceiveStream) -> bytes:
    return b"".join([chunk async for chunk in stream])


async def for_ever(stream: trio.abc.SendStream, data: bytes) -> None:
    while True:
        await stream.send_all(data)
        await trio.lowlevel.checkpoint()


async def test_all_bytes_go_both_ways_however_slowly_they_are_taken() -> None:
    async with pair() as (wire, far):
        got: list[bytes] = []

        async def slowly() -> None:
            while sum(map(len, got)) < len(MUCH):
                await trio.testing.wait_all_tasks_blocked(0.001)
                got.append(await far.receive_some(300_000))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(slowly)
            await wire.send_all(MUCH)
        assert b"".join(got) == MUCH
        async with trio.open_nursery() as nursery:
            nursery.start_soon(far.send_all, MUCH)
            come = b""
            while len(come) < len(MUCH):
                come += await wire.receive_some()
        assert come == MUCH


async def test_the_end_of_the_other_side_is_no_bytes_and_then_an_error() -> None:
    async with pair() as (wire, far):
        await far.send_all(b"last")
        await far.aclose()
        assert await received(wire) == b"last"
        with pytest.raises(trio.BrokenResourceError):
            await for_ever(wire, b"too late")


async def test_what_is_put_back_comes_first_and_once() -> None:
    async with pair() as (wire, far):
        await far.send_all(b"abc")
        assert await wire.receive_some() == b"abc"
        wire.put_back(b"abc")
        await far.send_all(b"def")
        assert await wire.receive_some() == b"abc"
        assert await wire.receive_some() == b"def"


async def test_a_send_that_is_given_up_leaves_the_reader_alone() -> None:
    async with pair() as (wire, far):
        with trio.move_on_after(0.05) as scope:
            await wire.send_all(MUCH)
        assert scope.cancelled_caught
        await far.send_all(b"still here")
        assert await wire.receive_some() == b"still here"


@pytest.mark.parametrize("sends", [True, False])
async def test_closing_wakes_who_waits_and_refuses_who_comes_later(*, sends: bool) -> None:
    async with pair() as (wire, _):
        use = partial(wire.send_all, MUCH) if sends else wire.receive_some

        async def refused() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await use()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(refused)
            await trio.testing.wait_all_tasks_blocked()
            await wire.aclose()
        await refused()
        await wire.aclose()
