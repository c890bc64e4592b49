"""Positions with one right answer, each explained in ``tests/data/positions.yaml``."""

import pytest

from answers import ANSWERS, Answer, answers, play
from kings_server.bots.policy import EVERY_LEVEL

pytestmark = pytest.mark.usefixtures("compiled")

EVERY = tuple(answers())
QUESTIONS = [
    pytest.param(answer, level, id=f"{answer.name}-{level}")
    for answer in EVERY
    for level in answer.levels
]


@pytest.mark.parametrize(("answer", "level"), QUESTIONS)
def test_the_right_turn_is_found(answer: Answer, level: str) -> None:
    turn, after = play(answer, level)
    assert answer.right(turn, after), f"{turn}: {answer.body['why']}"


def test_there_are_forty_of_them_and_each_is_explained() -> None:
    assert len({answer.name for answer in EVERY}) == len(EVERY) >= 40
    for answer in EVERY:
        assert answer.body["why"].endswith(".")
        assert set(answer.levels) <= set(EVERY_LEVEL)
        assert any(kind in answer.body for kind in ANSWERS)


def test_each_level_finds_more_than_the_one_below() -> None:
    levels = ("easy", "medium", "hard", "expert")
    found = {level: sum(answer.right(*play(answer, level)) for answer in EVERY) for level in levels}
    assert found["easy"] < found["medium"] < found["hard"] < found["expert"] == len(EVERY)


def test_a_wrong_turn_is_told_from_the_right_one() -> None:
    by_name = {answer.name: answer for answer in EVERY}
    kept = by_name["a king is never kept"]
    assert not kept.right(["end"], kept.match())
    given = by_name["a card that opens a place is kept back"]
    assert not given.right(["play 9H N", "end"], given.match())
    for name in ("out by two spaces", "a space on two sides is closed on both"):
        assert not by_name[name].right(["end"], by_name[name].match())
