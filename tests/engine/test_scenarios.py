"""The written cases of the rules (``tests/data/scenarios*.yaml``): each is played and checked."""

import pytest

from casebook import Case, cases, run
from kings_engine.errors import Code
from kings_engine.rules import KNOBS, rules_as_plain

CASES = tuple(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    run(case)


def test_every_case_has_its_own_name_and_a_reason() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.body["why"] for case in CASES)


def test_every_code_is_the_outcome_of_some_case() -> None:
    assert set(Code) - {case.code for case in CASES} == set()


def test_every_code_with_facts_is_compared_with_them_in_some_case() -> None:
    compared = {case.code for case in CASES if "facts" in case.body}
    bare = {Code.MATCH_OVER, Code.NO_DEAL, Code.DEAL_RUNNING, Code.TABLE_ONLY, Code.SEAT_ONLY}
    bare |= {Code.NOT_IN_MATCH, Code.BAD_SOURCE}
    assert set(Code) - compared == bare


@pytest.mark.parametrize("knob", KNOBS)
def test_every_value_of_a_knob_occurs_in_some_case(knob: str) -> None:
    occurring = {rules_as_plain(case.rules)[knob] for case in CASES}
    allowed = KNOBS[knob]
    wanted: set[object] = set(allowed.choices)
    if allowed.numbers is not None:
        wanted |= {min(allowed.numbers), max(allowed.numbers)}
    if allowed.optional:
        wanted.add(None)
    assert wanted - occurring == set()
    assert not allowed.per_rank or any(isinstance(value, tuple) for value in occurring)
