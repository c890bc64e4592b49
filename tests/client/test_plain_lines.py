"""Lines from a pipe: whole, in order, of a bounded length, and an end."""

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest
import trio
import trio.testing

from kings_client.plain.lines import LINE_BYTES, PlainLines

LIMIT = 10


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


async def read_all(lines: PlainLines) -> list[str]:
    found = []
    with trio.fail_after(LIMIT):
        while (line := await lines.read()) is not None:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"", []),
        (b"end\n", ["end"]),
        (b"end", ["end"]),
        (b"play 9h e\r\n\n  hand \n", ["play 9h e", "", "hand"]),
        ("say привет\n".encode(), ["say привет"]),
        (b"say \xff\xfe\nend\n", ["say \ufffd\ufffd", "end"]),
        (b"x" * (LINE_BYTES + 9) + b"\nend\n", ["x" * LINE_BYTES, "end"]),
        (b"x" * (3 * LINE_BYTES), ["x" * LINE_BYTES]),
    ],
)
async def test_lines_are_read_as_written(
    written: bytes, lines: list[str], pipe: tuple[int, int]
) -> None:
    os.write(pipe[1], written)
    os.close(pipe[1])
    assert await read_all(PlainLines(pipe[0])) == lines


async def test_a_line_that_comes_in_pieces_is_one(pipe: tuple[int, int]) -> None:
    source = PlainLines(pipe[0])
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            found = []

            async def take() -> None:
                found.append(await source.read())

            nursery.start_soon(take)
            os.write(pipe[1], b"play ")
            await trio.testing.wait_all_tasks_blocked()
            os.write(pipe[1], b"9h e\nend\n")
        assert found == ["play 9h e"]
        assert await source.read() == "end"


async def test_waiting_for_a_line_can_be_given_up(pipe: tuple[int, int]) -> None:
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(PlainLines(pipe[0]).read)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
    # The thread that still waits ends with its pipe.
    os.close(pipe[1])
