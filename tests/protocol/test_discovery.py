"""What a server announces can be read again; what anybody else announces is text, or nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_protocol.discovery import LARGEST, SERVICE, Announcement, read_txt, write_txt
from kings_protocol.limits import NAME_LENGTH, PROGRAM_LENGTH
from kings_protocol.names import clean_name

NUMBERS = st.integers(0, LARGEST)
TEXTS = st.text(max_size=NAME_LENGTH).map(lambda text: clean_name(text, NAME_LENGTH))

announcements = st.builds(
    Announcement,
    instance=st.from_regex("[0-9a-f]{16}", fullmatch=True),
    oldest=NUMBERS,
    newest=NUMBERS,
    program=TEXTS,
    name=TEXTS,
    people=NUMBERS,
    tables=NUMBERS,
    locked=st.booleans(),
)

SAID = Announcement("0123456789abcdef", 1, 3, "0.1.0", "Kitchen", 3, 2, locked=True)


def as_heard(pairs: dict[str, str]) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in pairs.items()}


@given(announcements)
def test_what_is_announced_is_heard(said: Announcement) -> None:
    assert read_txt(as_heard(write_txt(said))) == said


@given(announcements)
def test_every_pair_has_room_in_a_record(said: Announcement) -> None:
    assert all(len(f"{key}={value}".encode()) < 256 for key, value in write_txt(said).items())


def test_the_type_of_the_service_is_one_that_may_be_registered() -> None:
    assert re.fullmatch(r"_[a-z-]{1,15}\._tcp\.local\.", SERVICE)


@given(st.dictionaries(st.binary(max_size=8), st.none() | st.binary(max_size=300)))
def test_what_strangers_announce_is_nothing_to_us(pairs: dict[bytes, bytes | None]) -> None:
    assert read_txt(pairs) is None


@given(st.sampled_from(sorted(write_txt(SAID))), st.none() | st.binary(max_size=2000))
def test_one_bad_value_is_read_as_text_or_nothing(key: str, value: bytes | None) -> None:
    heard = read_txt({**as_heard(write_txt(SAID)), key.encode(): value})
    if heard is not None:
        assert max(len(heard.name), len(heard.program)) <= max(NAME_LENGTH, PROGRAM_LENGTH)
        assert clean_name(heard.name + heard.program, 100) == heard.name + heard.program


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "0123456789ABCDEF"),
        ("id", ""),
        ("versions", "1"),
        ("versions", "3000000000-1"),
        ("people", "-1"),
        ("people", "9" * 11),
        ("tables", "٣"),
    ],
)
def test_numbers_out_of_range_are_nothing_to_us(key: str, value: str) -> None:
    assert read_txt(as_heard({**write_txt(SAID), key: value})) is None


def test_words_are_cleaned() -> None:
    heard = read_txt(
        as_heard({**write_txt(SAID), "name": "\x1b[31mKit\u202echen\x07", "more": "x"})
    )
    assert heard is not None
    assert heard.name == "Kitchen"
