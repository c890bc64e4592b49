"""A name shows something, and nothing in it is blank or unknown to Unicode."""

import pytest

from kings_protocol.names import clean_name

BLANK = ["ㅤ", "⠀", "ﾠ", "ᅟ", "ᅠ", "឴", "឵", "͏", "️", "᠋", "󠄀", "￼"]


@pytest.mark.parametrize("char", [*BLANK, "\u0378", "\U000e0fff", "\u200b", "\u202e", "\u0301"])
def test_what_shows_nothing_is_no_name(char: str) -> None:
    assert clean_name(char, 24) == ""
    assert clean_name(char * 3 + " " + char, 24) == ""


@pytest.mark.parametrize("char", [*BLANK, "\u0378", "\U000e0fff"])
def test_what_shows_nothing_tells_no_two_names_apart(char: str) -> None:
    assert clean_name(f"An{char}n{char}", 24) == "Ann"


@pytest.mark.parametrize("name", ["Ann", "Пётр", "王小明", "محمد", "42", "♥", "¿?", "Zoë", "ไทย"])
def test_what_can_be_seen_stays(name: str) -> None:
    assert clean_name(name, 24) == name


def test_a_name_is_cut_after_it_is_cleaned() -> None:
    assert clean_name("\u3164" * 50 + "Ann", 2) == "An"
