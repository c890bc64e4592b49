"""Any bytes, in any pieces, give messages or one ``RemoteError``, and the same ones either way.

No other exception ever comes out of a connection, whatever comes in.
"""

from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kings_protocol import messages as m
from kings_protocol.codec import CLASS_BY_TAG, EVENT_BY_TAG, encode
from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.errors import RemoteError
from kings_protocol.states import Role, State
from strategies_protocol import any_message
from wire import ConnectionPair

STATES = [state for state in State if state not in (State.FAILED, State.CLOSED)]

FIELDS = sorted(
    {name for kind in CLASS_BY_TAG.values() for name in kind.__struct_fields__}
    | {"t", "public", "own", "piles", "seats", "turn", "cards", "hands", "hand", "plays"}
)

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-1, 60)
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=4)
    | st.sampled_from(sorted({*CLASS_BY_TAG, *EVENT_BY_TAG, "kings", "0" * 32, "0" * 64}))
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5)
    ),
    max_leaves=12,
)


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


@st.composite
def odd_messages(draw: st.DrawFn) -> bytes:
    """Draw a frame of a real tag and real fields with any values."""
    fields = draw(st.dictionaries(st.sampled_from(FIELDS), values, max_size=6))
    fields["t"] = draw(st.sampled_from(sorted(CLASS_BY_TAG)))
    return framed(msgpack.packb(fields))


@st.composite
def bent_messages(draw: st.DrawFn) -> bytes:
    """Draw a real message's frame with one value somewhere in it exchanged."""
    plain = msgpack.unpackb(encode(draw(any_message())))
    at: Any = plain
    while True:
        keys = sorted(at) if isinstance(at, dict) else range(len(at))
        key = draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and at[key] and draw(st.booleans()):
            at = at[key]
            continue
        at[key] = draw(values)
        return framed(msgpack.packb(plain))


@st.composite
def damaged_messages(draw: st.DrawFn) -> bytes:
    """Draw a real message's frame with a few bytes exchanged."""
    data = bytearray(framed(encode(draw(any_message()))))
    for _ in range(draw(st.integers(1, 4))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data)


streams: SearchStrategy[bytes] = st.lists(
    st.one_of(
        st.binary(max_size=60),
        st.binary(max_size=60).map(framed),
        odd_messages(),
        bent_messages(),
        damaged_messages(),
        any_message().map(encode).map(framed),
    ),
    min_size=1,
    max_size=3,
).map(b"".join)


def outcome(role: Role, state: State, data: bytes, step: int) -> tuple[Any, ...]:
    """Return what one end makes of ``data`` in pieces of ``step``: messages, code, last state."""
    pair = ConnectionPair().in_state(state)
    connection: Connection = pair.client if role is Role.CLIENT else pair.server
    found: list[m.Message] = []
    code: CloseCode | None = None
    try:
        for at in range(0, len(data), step):
            connection.receive(data[at : at + step])
            while (message := connection.next_message()) is not None:
                found.append(message)
        connection.receive(b"")
        assert connection.next_message() is None
    except RemoteError as error:
        code = error.code
    return found, code, connection.state


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("state", STATES)
@settings(max_examples=25)
@given(data=streams)
def test_any_bytes_give_messages_or_a_remote_error(role: Role, state: State, data: bytes) -> None:
    whole = outcome(role, state, data, len(data) or 1)
    assert whole == outcome(role, state, data, 1)
    _, code, last = whole
    assert last == (State.FAILED if code else State.CLOSED)


@settings(max_examples=150)
@given(update=st.one_of(bent_messages(), odd_messages()))
def test_whatever_a_client_takes_it_can_write_again(update: bytes) -> None:
    for state in (State.ENTERED, State.SEATED):
        found, _, _ = outcome(Role.CLIENT, state, update, len(update))
        for message in found:
            assert encode(message)
