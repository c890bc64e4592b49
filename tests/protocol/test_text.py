"""What is left of what people write."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_protocol.text import MARKS, clean

NASTY = (
    "\x1b[]()PX^_;:0123456789mHJ\x07\x9b\x9c\x90\x9d\\ \t\n\r\0\u202e\u2066\u200b\u00ade\u0301"
    "\u0336\u20dd"
)
written = st.text() | st.text(st.sampled_from(NASTY))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ann", "Ann"),
        ("  two \t words\n", "two words"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b2Jgone", "gone"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1;2|stuff\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("\x1b(Bset", "set"),
        ("a\0b\x08c\x7fd", "abcd"),
        ("Ann\u202ennA", "AnnnnA"),
        ("\u2066left\u2069", "left"),
        ("\u200f\u061cmark", "mark"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("line\u2028break", "line break"),
        ("e\u0301", "é"),
        ("Дама ♠ 女王", "Дама ♠ 女王"),
        ("\ud800lone", "lone"),
        ("Za" + "\u0335\u0336" * 11 + "lgo", "Za\u0335\u0336\u0335\u0336lgo"),
        ("e" + "\u0301" * 9, "é" + "\u0301" * 4),
        ("\u0301\u0302Ann \u20dd\u20dd!", "Ann !"),
        ("\u0301 \u0302", ""),
        ("မြို့ שִּׁ ก็ི", "မြို့ שִּׁ ก็ི"),
        ("\x1b", ""),
        ("\u202e \u2066", ""),
    ],
)
def test_only_what_can_be_read_is_left(text: str, left: str) -> None:
    assert clean(text, 40) == left


def test_a_long_text_is_cut_without_a_space_at_its_end() -> None:
    assert clean("four words of text", 11) == "four words"


@given(written, st.integers(0, 30))
def test_nothing_that_disturbs_a_terminal_is_ever_left(text: str, limit: int) -> None:
    cleaned = clean(text, limit)
    assert len(cleaned) <= limit
    assert not {unicodedata.category(char) for char in cleaned} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert cleaned == " ".join(cleaned.split())
    assert clean(cleaned, limit) == cleaned
    kinds = "".join(" " if char == " " else unicodedata.category(char)[0] for char in cleaned)
    assert not re.search(f"(^| )M|M{{{MARKS + 1}}}", kinds)
