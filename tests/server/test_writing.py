"""Writing over real sockets: at once where the system takes it, later and whole where it does not.

Each test ends within its limit.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from math import inf

import pytest
import trio
import trio.testing

from kings_protocol.messages import Message, Notice
from kings_server.outbox import Encode, Slot
from kings_server.wire import Wire
from kings_server.writing import Sender, Writer

LIMIT = 10
"""Seconds for any of these tests."""

MUCH = 64 * 1024
"""Characters of a message of which the system does not take many."""


def encode(message: Message) -> bytes:
    if not isinstance(message, Notice) or message.number is None:
        raise ValueError("not a notice with a number")
    return b"%d;" % message.number


def large(message: Message) -> bytes:
    return encode(message).rjust(MUCH, b".")


def notice(number: int) -> Notice:
    return Notice(code="joined", number=number)


class Counted(Wire):
    """A wire that counts how often the system is asked to send."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self.sends = 0

    def send_now(self, data: bytes) -> bytes:
        self.sends += 1
        return super().send_now(data)


class Rig:
    """A sender at work, and connections to it."""

    def __init__(self, nursery: trio.Nursery, listener: trio.SocketListener) -> None:
        self.sender = Sender()
        self.nursery = nursery
        self.ends: list[trio.abc.AsyncResource] = []
        self._listener = listener

    async def connection(self, encode: Encode = encode) -> tuple[Writer, Counted, trio.abc.Stream]:
        """Return a writer that runs, its stream and the other end."""
        port = self._listener.socket.getsockname()[1]
        far = await trio.open_tcp_stream("127.0.0.1", port)
        wire = Counted(await self._listener.accept())
        self.ends += [wire, far]
        return Writer(wire, encode, self.sender), wire, far


@asynccontextmanager
async def rig() -> AsyncIterator[Rig]:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    with trio.fail_after(LIMIT):
        async with listener, trio.open_nursery() as nursery:
            made = Rig(nursery, listener)
            nursery.start_soon(made.sender.run)
            yield made
            nursery.cancel_scope.cancel()
        for end in made.ends:
            await end.aclose()


@contextmanager
def raised(kind: type[Exception]) -> Iterator[None]:
    with trio.fail_after(LIMIT), pytest.raises(kind):
        yield


async def read(stream: trio.abc.ReceiveStream, length: int) -> bytes:
    got = b""
    while len(got) < length:
        got += await stream.receive_some()
    return got


async def test_what_becomes_due_in_one_go_leaves_in_one_send_of_each_connection() -> None:
    async with rig() as r:
        several = [await r.connection() for _ in range(3)]
        for writer, _, _ in several:
            r.nursery.start_soon(writer.run)
        for number in range(5):
            for writer, _, _ in several:
                writer.outbox.put(notice(number))
        for _, wire, far in several:
            assert await read(far, 10) == b"0;1;2;3;4;"
            assert wire.sends == 1


async def test_what_the_system_does_not_take_follows_in_order_and_only_the_newest_view() -> None:
    async with rig() as r:
        writer, wire, far = await r.connection(large)
        lively, _, beside = await r.connection()
        for one in (writer, lively):
            r.nursery.start_soon(one.run)
        made: list[int] = []

        def view(number: int, _encode: Encode) -> bytes:
            made.append(number)
            return b"view %d;" % number

        sent = 0
        while writer.since == inf:  # it takes all so far, so none waits
            writer.outbox.put(notice(sent))
            sent += 1
            await trio.testing.wait_all_tasks_blocked()
        for number in range(3):
            writer.outbox.renew(Slot.GAME, partial(view, number))
            await trio.testing.wait_all_tasks_blocked()
        writer.outbox.put(notice(sent))
        lively.outbox.put(notice(7))
        assert await read(beside, 2) == b"7;"
        assert made == []
        got = await read(far, (sent + 1) * MUCH + len(b"view 2;"))
        wanted = [b"%d;" % number for number in range(sent + 1)] + [b"view 2;"]
        assert got.replace(b".", b"") == b"".join(wanted)
        assert made == [2]
        await trio.testing.wait_all_tasks_blocked()
        assert writer.since == inf
        before = wire.sends
        writer.outbox.renew(Slot.GAME, partial(view, 3))
        assert await read(far, 7) == b"view 3;"
        assert wire.sends == before + 1


async def test_whatever_becomes_due_while_others_are_sent_keeps_its_place() -> None:
    async with rig() as r:
        writer, _, far = await r.connection(large)
        r.nursery.start_soon(writer.run)
        got, count = b"", 200
        for number in range(count):
            writer.outbox.put(notice(number))
            await trio.testing.wait_all_tasks_blocked()
            if writer.since < inf:  # as much is read as comes, so that the outbox never overflows
                got += await read(far, min(MUCH, (number + 1) * MUCH - len(got)))
        got += await read(far, count * MUCH - len(got))
        assert got.replace(b".", b"") == b"".join(b"%d;" % number for number in range(count))


async def test_what_fails_while_a_frame_is_made_is_raised_by_that_writer_alone() -> None:
    async with rig() as r:
        broken, _, _ = await r.connection()
        other, _, far = await r.connection()
        r.nursery.start_soon(other.run)
        broken.outbox.put(Notice(code="joined"))
        other.outbox.put(notice(1))
        with raised(ValueError):
            await broken.run()
        assert await read(far, 2) == b"1;"


async def test_a_connection_that_is_gone_is_found_out() -> None:
    async with rig() as r:
        writer, _, far = await r.connection(large)
        await far.aclose()

        async def talk() -> None:
            for number in range(1000):
                writer.outbox.put(notice(number))
                await trio.testing.wait_all_tasks_blocked()

        r.nursery.start_soon(talk)
        with raised(trio.BrokenResourceError):
            await writer.run()


async def test_the_writer_ends_once_the_last_word_is_out() -> None:
    async with rig() as r:
        writer, _, far = await r.connection()
        writer.outbox.put(notice(1))
        writer.outbox.close(None)
        await writer.run()
        assert await read(far, 2) == b"1;"


async def test_a_stream_that_can_only_be_awaited_is_written_to_by_its_writer() -> None:
    with trio.fail_after(LIMIT):
        near, far = trio.testing.memory_stream_pair()
        writer = Writer(near, encode, Sender())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(writer.run)
            for number in range(3):
                writer.outbox.put(notice(number))
            assert await read(far, 6) == b"0;1;2;"
            writer.outbox.close(None)
