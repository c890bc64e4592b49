"""Messages to bytes and back, and everything that is not a message."""

from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS, rules_as_plain
from kings_protocol import limits
from kings_protocol import messages as m
from kings_protocol.codec import (
    CLASS_BY_TAG,
    FRAME_LIMIT,
    decode,
    encode,
    frame_update,
    pack_public,
)
from kings_protocol.codes import CloseCode
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import frame
from kings_protocol.states import Role
from strategies_protocol import message_of, updates
from wire import HEX16, HEX32

ANY = frozenset(CLASS_BY_TAG.values())


def sender_of(kind: type[m.Message]) -> Role:
    return Role.CLIENT if issubclass(kind, m.Request | m.Hello) else Role.SERVER


def broken(body: bytes, sender: Role = Role.CLIENT) -> CloseCode:
    with pytest.raises(RemoteError) as caught:
        decode(body, sender, ANY)
    return caught.value.code


def play(**changes: Any) -> bytes:
    """Return the body of a ``play`` with some fields changed; ``...`` leaves one out."""
    fields = {"t": "play", "id": HEX16, "version": 3, "card": 4, "place": 2, **changes}
    kept = {name: value for name, value in fields.items() if value is not ...}
    body: bytes = msgpack.packb(kept)
    return body


@pytest.mark.parametrize("tag", sorted(CLASS_BY_TAG))
@settings(max_examples=20)
@given(st.data())
def test_every_message_comes_back_as_it_was(tag: str, data: st.DataObject) -> None:
    message = data.draw(message_of(CLASS_BY_TAG[tag]))
    body = encode(message)
    assert decode(body, sender_of(type(message)), {type(message)}) == message
    assert msgpack.unpackb(body)["t"] == tag


@given(updates())
def test_an_update_from_a_shared_part_has_the_very_bytes_of_the_message(update: m.Update) -> None:
    public, own = update.view.public, update.view.own
    shared = frame_update(pack_public(public), own, update.events.events, update.gap)
    assert shared == frame(encode(update), FRAME_LIMIT[Role.SERVER])


def test_an_update_that_is_too_long_is_not_made() -> None:
    with pytest.raises(LocalError):
        frame_update(bytes(limits.SERVER_FRAME_BYTES), None, (), gap=False)


NEST = b"\x91" * 400 + b"\xc0"

UNREADABLE = {
    "nothing": b"",
    "no map": msgpack.packb([1, 2]),
    "a bare number": b"\x07",
    "the reserved byte": b"\xc1",
    "a map cut short": play()[:-1],
    "something after the map": play() + b"\xc0",
    "a map that claims gigabytes": b"\xdf\xff\xff\xff\xff",
    "a list that claims gigabytes": b"\x81\xa1t\xdd\xff\xff\xff\xff",
    "a string that claims gigabytes": b"\x81\xa1t\xdb\xff\xff\xff\xff",
    "bytes that claim gigabytes": b"\x81\xa1t\xc6\xff\xff\xff\xff",
    "an extension that claims gigabytes": b"\x81\xa1t\xc9\xff\xff\xff\xff\x01",
    "a long string": play(id="a" * (limits.CLIENT_STRING_BYTES + 1)),
    "a long list": play(id=[0] * (limits.CLIENT_ITEMS + 1)),
    "a long map": msgpack.packb({str(n): n for n in range(limits.CLIENT_ITEMS + 1)}),
    "a deep nest": b"\x82\xa1t\xa4play\xa1x" + NEST,
    "a nest too deep for the library": b"\x91" * 2000 + b"\xc0",
    "a key that occurs twice": b"\x82\xa1t\xa4play\xa1t\xa4play",
    "a key that is a number": b"\x81\x01\x02",
    "a key that is bytes": b"\x81\xc4\x01a\x02",
    "bad utf-8": b"\x81\xa1t\xa2\xc3\x28",
    "a surrogate in utf-8": b"\x81\xa1t\xa3\xed\xa0\x80",
    "a float": play(version=3.0),
    "a small float": play(version=1.5),
    "not a number": play(version=float("nan")),
    "bytes": play(id=b"abc"),
    "no bytes": play(id=b""),
    "an extension": play(id=msgpack.ExtType(5, b"ab")),
    "an empty extension": play(id=msgpack.ExtType(5, b"")),
    "a time": play(id=msgpack.Timestamp(1, 2)),
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_bytes_outside_the_allowed_msgpack_are_unreadable(body: bytes) -> None:
    assert broken(body) == CloseCode.UNREADABLE


@pytest.mark.parametrize("role", Role)
def test_a_nest_is_refused_past_its_bound_even_where_unknown_fields_are_passed_over(
    role: Role,
) -> None:
    hello = {"t": "hello", "magic": "kings", "oldest": 1, "newest": 1, "program": ""}
    value: Any = 0
    for _ in range(limits.DEPTH - 1):
        value = [value]
    assert decode(msgpack.packb({**hello, "later": value}), role, ANY)
    assert broken(msgpack.packb({**hello, "later": [value]}), role) == CloseCode.UNREADABLE


@pytest.mark.parametrize("tag", [..., None, 7, "", "Play", "Request", "Message", "PLAY", [], {}])
def test_a_tag_of_no_message_is_unknown(tag: object) -> None:
    assert broken(play(t=tag)) == CloseCode.UNKNOWN_MESSAGE


def test_a_message_that_may_not_be_sent_now_is_out_of_place() -> None:
    with pytest.raises(RemoteError) as caught:
        decode(play(), Role.CLIENT, {m.EndTurn})
    assert caught.value.code == CloseCode.OUT_OF_PLACE


BAD = {
    "a field that is missing": play(card=...),
    "a field too many": play(hint=1),
    "a string for a number": play(card="4"),
    "a boolean for a number": play(card=True),
    "nothing for a number": play(card=None),
    "a number for a string": play(id=5),
    "a card past the deck": play(card=52),
    "a card before the deck": play(card=-1),
    "a place past the last": play(place=8),
    "a version that is huge": play(version=2**31),
    "a version that is huger": play(version=2**64 - 1),
    "a version before the first": play(version=-(2**63)),
    "an id that is too short": play(id=HEX16[:-1]),
    "an id that is too long": play(id=HEX16 + "0"),
    "an id in capitals": play(id=HEX16.upper()),
    "an id with a line's end": play(id=HEX16[:-1] + "\n"),
    "a number for a boolean": msgpack.packb({"t": "ready", "id": HEX16, "on": 1}),
    "an empty line": msgpack.packb({"t": "say", "id": HEX16, "text": ""}),
    "a long line": msgpack.packb({"t": "say", "id": HEX16, "text": "x" * 301}),
    "a slug with a line's end": msgpack.packb({"t": "bye", "code": "going\n"}),
    "a level that is none": msgpack.packb({"t": "add_bot", "id": HEX16, "level": "god"}),
    "a list in a knob": msgpack.packb(
        {"t": "make_table", "id": HEX16, "name": "x", "preset": "pagat", "knobs": {"a": [[1]]}}
    ),
    "a pace of one": msgpack.packb(
        {"t": "make_table", "id": HEX16, "name": "x", "preset": "pagat", "pace": [1]}
    ),
    "another magic": msgpack.packb(
        {"t": "hello", "magic": "chess", "oldest": 1, "newest": 1, "program": ""}
    ),
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_message_whose_fields_are_wrong_is_bad(body: bytes) -> None:
    assert broken(body) == CloseCode.BAD_MESSAGE


def test_the_example_that_the_bad_ones_are_made_of_is_good() -> None:
    message = decode(play(), Role.CLIENT, ANY)
    assert message == m.PlayCard(id=HEX16, version=3, card=4, place=2)


def test_a_client_passes_over_fields_of_a_later_server() -> None:
    body = msgpack.packb({"t": "done", "re": HEX16, "version": 3, "later": [1]})
    assert decode(body, Role.SERVER, ANY) == m.Done(re=HEX16, version=3)


@given(updates(), st.sampled_from(["public", "own", "seat"]))
def test_a_client_passes_over_fields_of_a_later_view(update: m.Update, where: str) -> None:
    plain = msgpack.unpackb(encode(update))
    public, own = plain["view"]["public"], plain["view"]["own"]
    part = {"public": public, "own": own, "seat": public["seats"][0]}[where]
    if part is not None:
        part["later"] = "x"
    assert decode(msgpack.packb(plain), Role.SERVER, ANY) == update


def test_detail_for_a_log_holds_no_control_characters() -> None:
    with pytest.raises(RemoteError) as caught:
        decode(play(**{"\x1b[2J\nfield": 1}), Role.CLIENT, ANY)
    assert caught.value.detail.isprintable()


def test_a_table_with_every_knob_named_fits_a_clients_frame() -> None:
    knobs: dict[str, m.KnobValue] = dict(rules_as_plain(PRESETS["royal_corners"].rules()))
    for name, knob in KNOBS.items():
        knobs[name] = max(map(str, knob.choices), key=len, default=knobs[name])
    message = m.MakeTable(
        id=HEX16,
        name="\U0001f0a1" * limits.NAME_LENGTH,
        preset="royal_corners",
        password="\U0001f0a1" * limits.PASSWORD_LENGTH,
        knobs={**knobs, "scoring": (50,) * 13},
        bots=("expert",) * limits.TABLE_SEATS,
    )
    assert len(encode(message)) <= limits.CLIENT_FRAME_BYTES / 2


def test_a_page_of_the_most_wordy_tables_fits_a_servers_frame() -> None:
    rules = dict(rules_as_plain(PRESETS["royal_corners"].rules()))
    line = m.TableLine(
        table="z" * limits.TABLE_ID_LENGTH,
        name="\U0001f0a1" * limits.NAME_LENGTH,
        preset="royal_corners",
        changed={**rules, "scoring": (50,) * 13},
        host="\U0001f0a1" * limits.NAME_LENGTH,
        seats=4,
        people=4,
        bots=4,
        watchers=limits.WATCHERS,
        locked=True,
        watchable=True,
        phase="playing",
    )
    page = m.LobbyPage(
        page=9, pages=10, total=500, whole=True, order=(line.table,) * 50, tables=(line,) * 50
    )
    assert len(encode(page)) <= limits.SERVER_FRAME_BYTES


def test_a_client_takes_secrets_of_the_right_size() -> None:
    reveal = m.Reveal(id=HEX16, match=1, deal=1, attempt=0, members=HEX32, share=HEX32[::-1])
    body = encode(reveal)
    assert decode(body, Role.CLIENT, ANY) == reveal
    assert broken(body.replace(HEX32.encode(), HEX32[:-1].encode() + b"g")) == CloseCode.BAD_MESSAGE
