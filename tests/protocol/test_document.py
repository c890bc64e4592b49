"""``docs/protocol.md`` says what the program does: every field, code, number and example frame."""

import hashlib
import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from attrs import fields

from kings_engine import view
from kings_engine.cards import card_str
from kings_engine.commitments import (
    DealContext,
    commit_seed,
    commit_share,
    rules_digest,
    set_digest,
)
from kings_engine.errors import Code
from kings_engine.events import DealEnding, MatchEnding
from kings_engine.phase import Phase
from kings_engine.shuffle import deck
from kings_engine.sources import Secret
from kings_protocol import limits
from kings_protocol import messages as m
from kings_protocol.codec import CLASS_BY_TAG, EVENT_BY_TAG, FRAME_LIMIT, decode, encode
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode, UnseatedCode
from kings_protocol.discovery import LARGEST, SERVICE, Announcement, write_txt
from kings_protocol.frames import FrameDecoder, frame
from kings_protocol.states import CLIENT_SAYS, SERVER_SAYS, Role, State

DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")

PARTS: dict[str, type] = {
    "Line": m.TableLine,
    "Chat line": m.ChatLine,
    "Seat state": m.SeatState,
    "Offer": m.Offer,
    "Member": m.Member,
    "Fault": m.FaultLine,
    "View": view.View,
    "Public": view.Public,
    "Public seat": view.PublicSeat,
    "Own": view.Own,
}

BOTH = {m.Ping, m.Pong, m.Bye}


def section(heading: str) -> str:
    """Return what stands under a heading, up to the next one of any depth."""
    pattern = rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)"
    found = re.findall(pattern, DOCUMENT, re.DOTALL | re.MULTILINE)
    assert len(found) == 1, heading
    return str(found[0])


def rows(heading: str) -> list[tuple[str, str]]:
    """Return the first and the second cell of a section's rows whose first cell is code."""
    return re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", section(heading), re.MULTILINE)


def field_names(kind: Any) -> list[str]:
    if issubclass(kind, msgspec.Struct):
        return list(kind.__struct_fields__)
    return [field.name for field in fields(kind)]


def sayer(kind: type[m.Message]) -> str:
    if kind in BOTH:
        return "both"
    return "client" if issubclass(kind, m.Request | m.Hello) else "server"


@pytest.mark.parametrize("tag", sorted(CLASS_BY_TAG))
def test_every_message_has_its_fields_and_defaults_described(tag: str) -> None:
    kind = CLASS_BY_TAG[tag]
    described = rows(f"`{tag}` ({sayer(kind)})")
    assert [name for name, _ in described] == field_names(kind)
    assert_defaults(kind, dict(described))


@pytest.mark.parametrize("part", sorted(PARTS))
def test_every_part_has_its_fields_and_defaults_described(part: str) -> None:
    described = rows(part)
    assert [name for name, _ in described] == field_names(PARTS[part])
    if issubclass(PARTS[part], msgspec.Struct):
        assert_defaults(PARTS[part], dict(described))


def assert_defaults(kind: type[msgspec.Struct], described: dict[str, str]) -> None:
    for field in msgspec.structs.fields(kind):
        if field.required:
            assert " = " not in described[field.name], field.name
            continue
        default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        shown = "nil" if default is None else json.dumps(default)
        assert described[field.name].replace("`", "").endswith(f" = {shown}"), field.name


@pytest.mark.parametrize("tag", sorted(EVENT_BY_TAG))
def test_every_event_has_its_fields_described(tag: str) -> None:
    assert [name for name, _ in rows(f"Event `{tag}`")] == field_names(EVENT_BY_TAG[tag])


def test_every_pair_of_an_announcement_is_described_in_its_order() -> None:
    said = Announcement("0" * 16, 1, 1, "0.1.0", "Kitchen")
    assert [key for key, _ in rows("Finding servers")] == list(write_txt(said))
    text = section("Finding servers")
    assert f"`{SERVICE}`" in text
    assert str(LARGEST) in text
    assert all(
        f"up to {length} characters" in text
        for length in (limits.NAME_LENGTH, limits.PROGRAM_LENGTH)
    )


def test_nothing_is_described_that_is_not_there() -> None:
    headings = set(re.findall(r"^#### (.*)$", DOCUMENT, re.MULTILINE))
    messages = {f"`{tag}` ({sayer(kind)})" for tag, kind in CLASS_BY_TAG.items()}
    assert headings == messages | set(PARTS) | {f"Event `{tag}`" for tag in EVENT_BY_TAG}


@pytest.mark.parametrize(
    ("heading", "codes"),
    [
        ("Refusals", RefusalCode),
        ("The rules' refusals", Code),
        ("Notices", NoticeCode),
        ("Why somebody is sent back", UnseatedCode),
        ("Why a connection ends", CloseCode),
    ],
)
def test_every_code_is_described_in_its_order(heading: str, codes: type[StrEnum]) -> None:
    described = re.findall(r"^\| `(\w+)` \|", section(heading), re.MULTILINE)
    assert described == [code.value for code in codes]


@pytest.mark.parametrize("values", [Phase, view.Standing, DealEnding, MatchEnding])
def test_every_word_of_a_closed_set_is_described(values: type[StrEnum]) -> None:
    for value in values:
        assert f'`"{value}"`' in DOCUMENT


def test_the_table_of_states_is_the_programs() -> None:
    names = {
        "start": State.START,
        "hello sent": State.HELLO_SENT,
        "greeted": State.GREETED,
        "entering": State.ENTERING,
        "entered (in the lobby)": State.ENTERED,
        "seated": State.SEATED,
        "watching": State.WATCHING,
    }
    listed = re.findall(r"^\| ([^|`]+) \| ?([^|]*)\| ?([^|]*)\|$", section("States"), re.MULTILINE)
    found = {names[name]: (says, hears) for name, says, hears in listed if name in names}
    assert set(found) == set(names.values())
    at_table = found[State.SEATED][1]
    for state, (client, server) in found.items():
        assert tags(client) == said(CLIENT_SAYS[state])
        assert tags(at_table if server.strip() == "as seated" else server) == said(
            SERVER_SAYS[state]
        )


def tags(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell)))


def said(kinds: Any) -> set[str]:
    return {str(kind.__struct_config__.tag) for kind in kinds if kind not in BOTH}


def test_the_limits_are_the_programs() -> None:
    described = rows("Limits")
    assert len(described) > 20
    for name, words in described:
        (number, *_) = re.findall(r"\d+", words)
        assert getattr(limits, name) == int(number), name


def test_the_versions_and_lengths_in_the_text_are_the_programs() -> None:
    bytes_ = section("Bytes")
    for number in (
        limits.CLIENT_FRAME_BYTES,
        limits.SERVER_FRAME_BYTES,
        limits.CLIENT_STRING_BYTES,
        limits.CLIENT_ITEMS,
        limits.SERVER_STRING_BYTES,
        limits.SERVER_ITEMS,
        limits.DEPTH,
    ):
        assert re.search(rf"\b{number}\b", bytes_)


def test_the_worked_example_of_a_fair_deal_is_right() -> None:
    secret = Secret(bytes(range(32)), (bytes(range(32, 64)), None))
    key = hashlib.sha256(
        b"kings-deck"
        + bytes((0, 0, 0, 1))
        + bytes(range(32))
        + b"\1"
        + bytes(range(32, 64))
        + b"\0"
    )
    words = " ".join(section("A fair deal").split())
    welcome, table = example("welcome"), example("table")
    assert isinstance(welcome, m.Welcome)
    assert isinstance(table, m.TableState)
    rules = rules_digest(table.rules)
    context = DealContext(bytes.fromhex(welcome.server), table.table, table.match, 1, 0, rules)
    seed = commit_seed(context, secret.seed)
    share = commit_share(context, seed, 0, bytes(range(32, 64)))
    whole = set_digest(context, seed, (share, None))
    assert f"rules {rules.hex()}" in words
    assert f"context {context.digest.hex()}" in words
    assert f"seed's {seed.hex()}" in words
    assert f"share's {share.hex()}" in words
    assert f"set {whole.hex()}" in words
    commit, reveal = example("commit"), example("reveal")
    assert isinstance(commit, m.Commit)
    assert isinstance(reveal, m.Reveal)
    assert table.offer is not None
    assert (table.offer.commitment, commit.commitment) == (seed.hex(), share.hex())
    assert (reveal.members, reveal.share) == (whole.hex(), bytes(range(32, 64)).hex())
    assert f"key {key.hexdigest()}" in words
    assert "deck " + " ".join(map(card_str, deck(secret, 1))) in words


EXAMPLES: list[tuple[str, str]] = re.findall(
    r"```json\n(.*?)```\n\n```hex\n(.*?)```", DOCUMENT, re.DOTALL
)


def example(tag: str) -> m.Message:
    """Return the first example of a message."""
    kind = CLASS_BY_TAG[tag]
    plain = next(json.loads(written) for written, _ in EXAMPLES if json.loads(written)["t"] == tag)
    role = Role.CLIENT if sayer(kind) == "client" else Role.SERVER
    return decode(msgpack.packb(plain), role, {kind})


@pytest.mark.parametrize(("written", "digits"), EXAMPLES)
def test_an_example_frame_is_byte_for_byte_what_is_sent(written: str, digits: str) -> None:
    plain = json.loads(written)
    kind = CLASS_BY_TAG[plain["t"]]
    role = Role.CLIENT if sayer(kind) == "client" else Role.SERVER
    data = bytes.fromhex(digits)
    decoder = FrameDecoder(FRAME_LIMIT[role])
    decoder.feed(data)
    body = decoder.next()
    assert body is not None
    assert not decoder.partial
    assert msgpack.unpackb(body) == plain
    message = decode(body, role, {kind})
    assert decode(msgpack.packb(plain), role, {kind}) == message
    assert frame(encode(message), FRAME_LIMIT[role]) == data


def test_the_examples_cover_the_life_of_a_client() -> None:
    shown = {json.loads(written)["t"] for written, _ in EXAMPLES}
    assert DOCUMENT.count("```hex") == len(EXAMPLES)
    assert shown >= {"hello", "welcome", "enter", "seated", "table", "commit", "update", "play"}
    assert shown >= {
        "reveal",
        "done",
        "refused",
        "resume",
        "proof",
        "unseated",
        "ping",
        "pong",
        "bye",
    }
