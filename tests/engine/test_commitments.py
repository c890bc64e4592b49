"""Commitments: known answers, made again from the description alone, and what they are bound to."""

import hashlib
from collections import Counter
from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from kings_engine.cards import DECK_SIZE
from kings_engine.commitments import (
    DealContext,
    commit_seed,
    commit_share,
    rules_digest,
    set_digest,
)
from kings_engine.presets import PRESETS
from kings_engine.rules import rules_as_plain
from kings_engine.shuffle import deck
from kings_engine.sources import Secret

SERVER = bytes.fromhex("5eed5eed5eed5eed5eed5eed5eed5eed")
SEED = bytes(range(32))
SHARE = bytes(range(32, 64))
CONTEXT = DealContext(SERVER, "k4a1", 1, 2, 0, rules_digest({"players": 2, "points": None}))

contexts = st.builds(
    DealContext,
    st.binary(min_size=16, max_size=16),
    st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=16),
    st.integers(0, 2**31 - 1),
    st.integers(0, 2**31 - 1),
    st.integers(0, 2**31 - 1),
    st.binary(min_size=32, max_size=32),
)
blocks = st.binary(min_size=32, max_size=32)


def spelled_out(*parts: bytes) -> bytes:
    """Join the parts as the protocol's page describes it."""
    return hashlib.sha256(b"".join(len(part).to_bytes(2, "big") + part for part in parts)).digest()


def test_the_digests_follow_the_description() -> None:
    rules = spelled_out(b"kings rules", b"players", b"2", b"points", b"nil")
    assert rules_digest({"points": None, "players": 2}) == rules
    numbers = (bytes((0, 0, 0, 1)), bytes((0, 0, 0, 2)), bytes(4))
    context = spelled_out(b"kings context", SERVER, b"k4a1", *numbers, rules)
    assert CONTEXT.digest == context
    seed = spelled_out(b"kings seed", context, SEED)
    assert commit_seed(CONTEXT, SEED) == seed
    share = spelled_out(b"kings share", context, seed, b"\1", SHARE)
    assert commit_share(CONTEXT, seed, 1, SHARE) == share
    assert set_digest(CONTEXT, seed, (None, share)) == spelled_out(
        b"kings set", context, seed, b"", share
    )


@pytest.mark.parametrize(
    ("knobs", "text"),
    [
        ({"a": None}, b"nil"),
        ({"a": True}, b"true"),
        ({"a": False}, b"false"),
        ({"a": 25}, b"25"),
        ({"a": "start"}, b"start"),
        ({"a": (1, 1, 10)}, b"1,1,10"),
    ],
)
def test_each_kind_of_knob_has_its_text(knobs: dict[str, Any], text: bytes) -> None:
    assert rules_digest(knobs) == spelled_out(b"kings rules", b"a", text)


def test_rules_that_were_sent_have_the_digest_of_the_rules_in_force() -> None:
    for preset in PRESETS.values():
        plain = rules_as_plain(preset.rules())
        sent = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in reversed(plain.items())
        }
        assert rules_digest(sent) == rules_digest(plain)  # type: ignore[arg-type]  # as decoded


@given(contexts, contexts, blocks, blocks)
def test_a_seeds_commitment_is_bound_to_all_of_its_context(
    one: DealContext, other: DealContext, seed: bytes, another: bytes
) -> None:
    assume(one != other and seed != another)
    assert commit_seed(one, seed) != commit_seed(other, seed)
    assert commit_seed(one, seed) != commit_seed(one, another)
    for field in ("server", "table", "match", "deal", "attempt", "rules"):
        mixed = evolve(one, **{field: getattr(other, field)})
        assert (commit_seed(mixed, seed) == commit_seed(one, seed)) is (mixed == one)


@given(contexts, blocks, blocks, st.integers(0, 3), st.integers(0, 3))
def test_a_share_fits_one_seat_and_one_offer(
    context: DealContext, seed: bytes, share: bytes, seat: int, other: int
) -> None:
    made = commit_share(context, seed, seat, share)
    assert (commit_share(context, seed, other, share) == made) is (seat == other)
    assert commit_share(context, bytes(32), seat, share) != made or seed == bytes(32)
    assert commit_share(evolve(context, attempt=context.attempt ^ 1), seed, seat, share) != made


@given(contexts, blocks, st.lists(st.none() | blocks, min_size=2, max_size=4), st.data())
def test_a_sets_digest_tells_every_entry_and_its_place(
    context: DealContext, seed: bytes, found: list[bytes | None], data: st.DataObject
) -> None:
    members = tuple(found)
    at = data.draw(st.integers(0, len(members) - 1))
    entry = data.draw(st.none() | blocks)
    changed = (*members[:at], entry, *members[at + 1 :])
    same = set_digest(context, seed, changed) == set_digest(context, seed, members)
    assert same is (changed == members)
    assert set_digest(context, seed, (*members, None)) != set_digest(context, seed, members)


def test_decks_of_honest_deals_are_uniform() -> None:
    """Ten thousand deals with shares of scripted clients: chi-squared over the places of a card.

    With 51 degrees of freedom a sum above 99.7 has a chance of one in ten thousand; all 52 places
    together are allowed the largest of 52 such sums. The seeds are fixed, so the test is, too.
    """
    deals = 10_000
    counts = [Counter[int]() for _ in range(DECK_SIZE)]
    for number in range(deals):
        made = [
            hashlib.sha256(bytes((who,)) + number.to_bytes(4, "big")).digest() for who in (1, 2, 3)
        ]
        for place, card in enumerate(deck(Secret(made[0], (made[1], None, made[2])), 1)):
            counts[place][card] += 1
    expected = deals / DECK_SIZE
    sums = [
        sum((count[card] - expected) ** 2 / expected for card in range(DECK_SIZE))
        for count in counts
    ]
    assert max(sums) < 110
    assert 51 - 5 < sum(sums) / DECK_SIZE < 51 + 5
