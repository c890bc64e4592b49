"""Frames: what is cut out of a stream of bytes, and what is refused before it is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_protocol.codes import CloseCode
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import FrameDecoder, frame

LIMIT = 100

bodies = st.lists(st.binary(min_size=1, max_size=LIMIT), max_size=6)


def all_frames(decoder: FrameDecoder) -> list[bytes]:
    found = []
    while (body := decoder.next()) is not None:
        found.append(body)
    return found


@given(bodies, st.integers(1, 50))
def test_bodies_come_out_as_they_went_in_whatever_the_pieces(sent: list[bytes], step: int) -> None:
    stream = b"".join(frame(body, LIMIT) for body in sent)
    decoder = FrameDecoder(LIMIT)
    found = []
    for at in range(0, len(stream), step):
        decoder.feed(stream[at : at + step])
        found += all_frames(decoder)
    assert found == sent
    assert not decoder.partial


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (b"\0\0\0\0", CloseCode.FRAME_EMPTY),
        (b"\0\0\0\x65", CloseCode.FRAME_TOO_LONG),
        (b"\x80\0\0\1", CloseCode.FRAME_TOO_LONG),  # negative, for who reads it as signed
        (b"\xff\xff\xff\xff", CloseCode.FRAME_TOO_LONG),
        (b"GET ", CloseCode.FRAME_TOO_LONG),
    ],
)
def test_a_bad_length_is_refused_as_soon_as_it_is_known(header: bytes, code: CloseCode) -> None:
    decoder = FrameDecoder(LIMIT)
    decoder.feed(header[:3])
    assert decoder.next() is None
    decoder.feed(header[3:])
    with pytest.raises(RemoteError) as caught:
        decoder.next()
    assert caught.value.code == code


def test_the_longest_body_passes() -> None:
    decoder = FrameDecoder(LIMIT)
    decoder.feed(frame(bytes(LIMIT), LIMIT))
    assert decoder.next() == bytes(LIMIT)


@pytest.mark.parametrize("body", [b"", bytes(LIMIT + 1)])
def test_what_no_peer_would_take_is_not_sent(body: bytes) -> None:
    with pytest.raises(LocalError):
        frame(body, LIMIT)


def test_an_unfinished_frame_shows() -> None:
    decoder = FrameDecoder(LIMIT)
    decoder.feed(frame(b"one", LIMIT) + b"\0\0")
    assert all_frames(decoder) == [b"one"]
    assert decoder.partial
