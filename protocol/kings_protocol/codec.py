"""Messages to bytes and back: msgpack outside, a schema inside, strict in both.

Encoding trusts our own program; decoding trusts nothing. Whatever bytes come in, ``decode`` gives a
message whose every value is of its type and in its range, or raises ``RemoteError``.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]
import msgspec
from attrs import fields

from kings_engine import events as engine_events
from kings_engine.events import Event
from kings_engine.view import Own, Public
from kings_protocol import limits, messages
from kings_protocol.checks import check
from kings_protocol.codes import CloseCode
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import frame
from kings_protocol.messages import Happened, Message, Update
from kings_protocol.states import Role
from kings_protocol.text import clean


def _tagged(base: type[Message]) -> Iterator[tuple[str, type[Message]]]:
    for kind in base.__subclasses__():
        if kind.__subclasses__():
            yield from _tagged(kind)
        else:
            yield str(kind.__struct_config__.tag), kind


CLASS_BY_TAG: Final[Mapping[str, type[Message]]] = dict(_tagged(messages.Message))
"""Every message class by its tag."""

EVENT_BY_TAG: Final[Mapping[str, type[Event]]] = {
    kind.tag: kind for kind in engine_events.Event.__args__
}
"""Every event class of the engine by its tag."""


_FIELDS: Final[Mapping[type[Event], tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in EVENT_BY_TAG.values()
}

FRAME_LIMIT: Final[Mapping[Role, int]] = {
    Role.CLIENT: limits.CLIENT_FRAME_BYTES,
    Role.SERVER: limits.SERVER_FRAME_BYTES,
}
"""Bytes of the longest body that each role may send."""

_UNPACK_LIMITS: Final[Mapping[Role, Mapping[str, int]]] = {
    Role.CLIENT: {
        "max_str_len": limits.CLIENT_STRING_BYTES,
        "max_array_len": limits.CLIENT_ITEMS,
        "max_map_len": limits.CLIENT_ITEMS,
    },
    Role.SERVER: {
        "max_str_len": limits.SERVER_STRING_BYTES,
        "max_array_len": limits.SERVER_ITEMS,
        "max_map_len": limits.SERVER_ITEMS,
    },
}

_SCALARS: Final = frozenset({str, int, bool, type(None)})


def encode(message: Message) -> bytes:
    """Return the body of ``message``'s frame.

    Raises:
        LocalError: a text or a number in it cannot be written.
    """
    if isinstance(message, Update):
        view = message.view
        return _update(pack_public(view.public), view.own, message.events.events, message.gap)
    try:
        return _ENCODER.encode(message)
    except (UnicodeEncodeError, OverflowError) as error:
        raise LocalError(f"{type(message).__name__}: {error}") from None


def pack_public(public: Public) -> bytes:
    """Return the part of an update that is the same for every viewer, for ``frame_update``."""
    return _pack(public)


def frame_update(
    packed_public: bytes, own: Own | None, events: Iterable[Event], gap: bool
) -> bytes:
    """Return the whole frame of an update, byte for byte as sending an ``Update`` would.

    The public part is encoded once for all viewers; the rest is each viewer's own.

    Args:
        packed_public: what ``pack_public`` made of the position.
        own: what the viewer's seat knows beyond it.
        events: what happened, as the viewer may know it.
        gap: whether older events were left out.

    Raises:
        LocalError: the frame would be longer than a server may send.
    """
    return frame(_update(packed_public, own, events, gap), limits.SERVER_FRAME_BYTES)


def decode(body: bytes, sender: Role, kinds: Container[type[Message]]) -> Message:
    """Return the message that ``body`` holds.

    Args:
        body: a frame's body.
        sender: who sent it; clients are held to tighter limits.
        kinds: the classes that the sender may send now.

    Raises:
        RemoteError: the body is no such message.
    """
    plain = _unpack(body, sender)
    tag = plain.get("t")
    kind = CLASS_BY_TAG.get(tag) if isinstance(tag, str) else None
    if kind is None:
        raise RemoteError(CloseCode.UNKNOWN_MESSAGE)
    if kind not in kinds:
        raise RemoteError(CloseCode.OUT_OF_PLACE, kind.__name__)
    try:
        message = msgspec.convert(plain, kind, dec_hook=_to_happened)
        check(message)
    except (msgspec.ValidationError, ValueError) as error:
        detail = f"{kind.__name__}: {clean(str(error), limits.DETAIL_LENGTH)}"
        raise RemoteError(CloseCode.BAD_MESSAGE, detail) from None
    return message


def _plain(event: Event) -> dict[str, object]:
    return {"t": event.tag, **{name: getattr(event, name) for name in _FIELDS[type(event)]}}


_ENCODER: Final = msgspec.msgpack.Encoder()
_pack: Final = _ENCODER.encode

_UPDATE_HEAD: Final = b"\x84" + b"".join(map(_pack, ("t", "update", "view")))
_PUBLIC: Final = b"\x82" + _pack("public")
_OWN: Final = _pack("own")


def _update(packed_public: bytes, own: Own | None, events: Iterable[Event], gap: bool) -> bytes:
    # One packing for all that is the viewer's own; the list's header, a byte, is left out.
    rest = _pack([own, "events", [*map(_plain, events)], "gap", gap])[1:]
    return b"".join((_UPDATE_HEAD, _PUBLIC, packed_public, _OWN, rest))


def _to_happened(kind: type, value: Any) -> Happened:
    if kind is not Happened:
        raise NotImplementedError
    if type(value) is not list:
        raise ValueError("events are a list")
    return Happened(tuple(map(_to_event, value)))


def _to_event(plain: Any) -> Event:
    tag = plain.get("t") if isinstance(plain, dict) else None
    kind = EVENT_BY_TAG.get(tag) if isinstance(tag, str) else None
    if kind is None:
        raise ValueError("an event of no known tag")
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{kind.__name__}: {error}") from None


def _unpack(body: bytes, sender: Role) -> dict[str, Any]:
    try:
        plain = msgpack.unpackb(
            body,
            object_pairs_hook=_unique,
            max_bin_len=0,
            max_ext_len=0,
            **_UNPACK_LIMITS[sender],
        )
        _refuse_strange(plain, limits.DEPTH)
    except (ValueError, msgpack.UnpackException) as error:
        detail = clean(str(error), limits.DETAIL_LENGTH)
        raise RemoteError(CloseCode.UNREADABLE, detail) from None
    if type(plain) is not dict:
        raise RemoteError(CloseCode.UNREADABLE, "not a map")
    return plain


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise ValueError("a key occurs twice")
    return plain


def _refuse_strange(value: object, depth: int) -> None:
    kind = type(value)
    if kind in _SCALARS:
        return
    if depth == 0:
        raise ValueError("nested too deep")
    if kind is list:
        for item in value:  # type: ignore[attr-defined]
            _refuse_strange(item, depth - 1)
    elif kind is dict:
        for item in value.values():  # type: ignore[attr-defined]
            _refuse_strange(item, depth - 1)
    else:
        raise ValueError(f"a {kind.__name__} has no place in a message")
