"""The first message of either side, and which version they agree on."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from kings_protocol import version
from kings_protocol.messages import Unwelcome, Welcome
from wire import HEX16


def test_the_program_names_the_version_that_is_distributed() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["version"] == version.PROGRAM


@pytest.mark.parametrize(
    ("ours", "theirs", "agreed"),
    [
        ((1, 1), (1, 1), 1),
        ((1, 3), (2, 5), 3),
        ((2, 5), (1, 3), 3),
        ((1, 1), (2, 3), None),
        ((4, 5), (2, 3), None),
        ((1, 9), (8, 3), None),
    ],
)
def test_the_newest_common_version_is_spoken(
    monkeypatch: pytest.MonkeyPatch,
    ours: tuple[int, int],
    theirs: tuple[int, int],
    agreed: int | None,
) -> None:
    monkeypatch.setattr(version, "PROTOCOL_OLDEST", ours[0])
    monkeypatch.setattr(version, "PROTOCOL_NEWEST", ours[1])
    assert version.negotiate(*theirs) == agreed


def test_a_client_of_this_program_is_welcome() -> None:
    answer = version.answer_hello(version.make_hello(), HEX16, " the\x1b[1m den ")
    assert isinstance(answer, Welcome)
    assert (answer.version, answer.server, answer.name) == (1, HEX16, "the den")


@pytest.mark.parametrize(
    ("oldest", "newest", "words"),
    [(7, 9, "This server is too old"), (0, 0, "Your program is too old")],
)
def test_another_client_is_told_what_to_install(oldest: int, newest: int, words: str) -> None:
    hello = msgspec.structs.replace(version.make_hello(), oldest=oldest, newest=newest)
    answer = version.answer_hello(hello, HEX16, "the den")
    assert isinstance(answer, Unwelcome)
    assert answer.words.startswith(words)
    assert version.PROGRAM in answer.words
    assert (answer.oldest, answer.newest) == (version.PROTOCOL_OLDEST, version.PROTOCOL_NEWEST)
