"""Who is not let in, for how long, and what is kept of it."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kings_server.bans import NAME, Bans, CannotKeep

ANN, BEN = "a" * 32, "b" * 32


class Clock:
    """A wall clock that stands still."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def test_a_client_is_barred_wherever_it_comes_from_until_the_time_is_over() -> None:
    clock = Clock()
    bans = Bans(None, clock)
    bans.add(ANN, "", "Ann", 60.0)
    assert bans.bars(ANN, "192.0.2.1")
    assert bans.bars(ANN, "")
    assert not bans.bars(BEN, "192.0.2.1")
    clock.now += 60
    assert not bans.bars(ANN, "192.0.2.1")
    assert bans.all() == ()


@pytest.mark.parametrize(
    ("network", "inside", "outside"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("192.0.2.7/24", "192.0.2.200", "192.0.3.1"),
        ("2001:db8::/48", "2001:db8:0:7::/64", "2001:db9::/64"),
        ("2001:db8::/64", "2001:db8::/64", "192.0.2.1"),
        ("2001:db8::7", "2001:db8::/64", "2001:db8:0:1::/64"),
        ("2001:db8::7/127", "2001:db8::/64", "2001:db8:0:1::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("::ffff:192.0.2.0/120", "192.0.2.7", "192.0.3.8"),
    ],
)
def test_a_network_bars_everybody_in_it(network: str, inside: str, outside: str) -> None:
    bans = Bans(None)
    bans.add("", network, "", None)
    assert bans.bars(ANN, inside)
    assert bans.bars(BEN, inside)
    assert not bans.bars(ANN, outside)
    assert not bans.bars(ANN, "")


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        Bans(None).add("", "kitchen", "", None)


def test_bans_outlive_the_server_and_are_for_its_owner_alone(tmp_path: Path) -> None:
    clock = Clock()
    bans = Bans(tmp_path, clock)
    bans.add(ANN, "", "Ann", None)
    bans.add("", "192.0.2.0/24", "", 60.0)
    bans.add(BEN, "", "Ben", 60.0)
    assert bans.lift(3) is not None
    assert bans.lift(3) is None
    assert not bans.kept
    bans.keep()
    assert bans.kept
    again = Bans(tmp_path, clock)
    assert again.all() == bans.all()
    assert [ban.number for ban in again.all()] == [1, 2]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    clock.now += 61
    assert again.add(BEN, "", "Ben", None).number == 3
    again.keep()
    assert [ban.number for ban in Bans(tmp_path, clock).all()] == [1, 3]


@pytest.mark.parametrize("text", ["", "{}", '[{"number": 1}]', "\x00"])
def test_a_file_that_cannot_be_read_is_told_and_not_thrown_away(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(CannotKeep, match="bans"):
        Bans(tmp_path)
    assert (tmp_path / NAME).read_text() == text


def test_a_ban_that_cannot_be_kept_holds_and_says_so(tmp_path: Path) -> None:
    bans = Bans(tmp_path / "gone")
    bans.add(ANN, "", "Ann", None)
    with pytest.raises(CannotKeep, match="not kept"):
        bans.keep()
    assert bans.bars(ANN, "")
    (tmp_path / "gone").mkdir()
    bans.keep()
    assert Bans(tmp_path / "gone").bars(ANN, "")


def test_a_ban_that_comes_at_any_moment_of_a_writing_is_kept_with_the_next(tmp_path: Path) -> None:
    moment = 0
    while keeps_beside_a_ban(tmp_path / str(moment), moment):
        moment += 1
    assert moment > 10


def keeps_beside_a_ban(folder: Path, moment: int) -> bool:
    """Ban while a thread writes: before an instruction of that; say whether there are so many."""
    folder.mkdir()
    bans, before, passed = Bans(folder), sys.gettrace(), 0
    bans.add(ANN, "", "Ann", None)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal passed
        if frame.f_code is not Bans.keep.__code__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            if passed == moment:
                bans.add(BEN, "", "Ben", None)
            passed += 1
        return trace

    sys.settrace(trace)
    try:
        bans.keep()
    finally:
        sys.settrace(before)
    bans.keep()
    assert Bans(folder).all() == bans.all()
    return moment < passed
