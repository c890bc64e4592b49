"""Records: their canonical text, what is refused, and that old ones replay to the same state."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kings_engine.actions import TABLE, BeginDeal, Forfeit
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.record import (
    BadRecord,
    Record,
    record_from_text,
    record_of,
    record_to_text,
    replay,
    state_hash,
)
from kings_engine.rules import Rules
from kings_engine.sources import Secret
from strategies import journeys

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
PLAIN = Secret(bytes(32), (None, None))


def begun(rules: Rules, secret: Secret = PLAIN) -> Match:
    changed = apply(new_match(rules), TABLE, BeginDeal(secret))
    assert not isinstance(changed, Refusal)
    return changed[0]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_golden_record_replays_to_the_state_it_had_when_it_was_made(preset: str) -> None:
    golden = json.loads((GOLDEN / f"{preset}.json").read_text(encoding="ascii"))
    text = golden["record"]
    record = record_from_text(text)
    assert record.rules == preset_rules(preset, {"players": record.rules.players})
    match = replay(record)
    assert state_hash(match) == golden["state_hash"]
    assert list(match.totals) == golden["totals"]
    assert list(match.winners) == golden["winners"]
    assert record_to_text(record_of(match)) == text


def test_there_is_one_golden_record_a_preset() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(PRESETS)


def test_the_canonical_text() -> None:
    text = record_to_text(record_of(begun(Rules())))
    assert text == (
        '{"format":1,"revision":2,"rotation":0,"rules":{"corner_build":"alternate","deals":null,'
        '"dealt_kings":"stay","draw":"end","draw_count":1,"empty_place":"any",'
        '"first_dealer":"last","forced_kings":false,"going_out":"ends_deal","hand_size":7,'
        '"hints":true,"idle_counts":"any","idle_round":"when_stock_empty",'
        '"king_pile_to_corner":"anytime","layout":"cross","match":"points","must_play":"off",'
        '"name_loser":false,"open_hands":false,"open_stock":false,"opens":"left_of_dealer",'
        '"players":2,"points":25,"scoring":"kings_10","stock_empty":"play_on","tie":"play_on",'
        f'"turn_seconds":null}},"steps":[[-1,"deal {"00" * 32} - -"]]}}'
    )


@given(journeys(deals=1))
def test_text_and_record_convert_into_each_other(states: tuple[Match, ...]) -> None:
    record = record_of(states[-1])
    text = record_to_text(record)
    assert record_from_text(text) == record
    assert text.isascii()
    assert record_to_text(record_from_text(json.dumps(json.loads(text), indent=2))) == text


def test_the_text_is_the_same_whatever_the_hash_seed() -> None:
    program = (
        "from kings_engine.match import new_match; from kings_engine.rules import Rules;"
        "from kings_engine.record import *; m = new_match(Rules());"
        "print(record_to_text(record_of(m)), state_hash(m))"
    )
    room = Path(sys.modules[Record.__module__].__file__ or "").parents[1]
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(room)},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(made) == 1


def test_the_record_keeps_the_rotation() -> None:
    match = new_match(Rules(players=3), 2)
    assert record_of(match).rotation == 2
    assert replay(record_of(match)).dealer == 1


def test_a_record_of_another_revision_is_not_replayed() -> None:
    record = evolve(record_of(begun(Rules())), revision=99)
    with pytest.raises(BadRecord, match="rules revision 99; this program plays 2"):
        replay(record)


def test_a_step_that_is_no_action_is_named_by_its_number() -> None:
    record = record_of(begun(Rules()))
    with pytest.raises(BadRecord, match=r"^step 2 is not an action$"):
        replay(evolve(record, steps=(*record.steps, (0, "play 9X N"))))


def test_a_step_that_is_not_legal_is_named_without_its_cards() -> None:
    record = record_of(begun(Rules()))
    with pytest.raises(BadRecord, match=r"^step 2 is not legal: not_your_turn$"):
        replay(evolve(record, steps=(*record.steps, (1, "play 9H N"))))


def record_text(**changes: Any) -> str:
    return json.dumps(json.loads(record_to_text(record_of(begun(Rules())))) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "^not a record$") for text in ("", "{", "[]", "3", "null", "{}", '"x"', "[[1]]")),
        (record_text(format=2), "^record format 2; this program reads 1$"),
        (record_text(rules={"players": 9}), "^rules that cannot be played: players: 9 is not"),
        (record_text(rules={"x": 9}), "^rules that cannot be played: x: 9 is not"),
        (record_text(rules=[1]), "^not a record$"),
        (record_text(steps=[[1]]), "^not a record$"),
        (record_text(steps=5), "^not a record$"),
        (record_text(revision="one"), "^not a record$"),
        (record_text(rotation=None), "^not a record$"),
        (record_text(rotation=float("inf")), "^not a record$"),
        (record_text(rotation=float("nan")), "^not a record$"),
        ("[" * 100_000, "^not a record$"),
    ],
)
def test_what_is_no_record_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        record_from_text(text)


plain_data = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("format", "rules", "steps", "rotation")), inner)
    ),
    max_leaves=6,
)


@given(st.text() | plain_data.map(json.dumps))
def test_no_text_raises_anything_else(text: str) -> None:
    with pytest.raises(BadRecord):
        record_from_text(text)


def test_a_record_shows_no_step_in_its_repr() -> None:
    assert repr(record_of(begun(Rules()))) == "<Record of 1 steps>"


def test_the_state_hash_covers_hidden_cards_and_who_forfeited() -> None:
    one, other = begun(Rules()), begun(Rules(), Secret(bytes(31) + b"\x01", (None, None)))
    assert state_hash(one) != state_hash(other)
    assert len(state_hash(one)) == 64
    three = begun(Rules(players=3), Secret(bytes(32), (None,) * 3))
    without = [apply(three, TABLE, Forfeit(seat)) for seat in (1, 2)]
    hashes = {state_hash(changed[0]) for changed in without if not isinstance(changed, Refusal)}
    assert len(hashes | {state_hash(three)}) == 3
