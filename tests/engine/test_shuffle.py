"""The shuffle: known answers, and that no deck, lot or cut is likelier than another."""

import hashlib
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_engine.cards import DECK_SIZE, card_str
from kings_engine.shuffle import (
    _below,
    _shuffled,
    _stream,
    cut_deck,
    deck,
    lot,
    well_formed,
)
from kings_engine.sources import Secret

PLAIN = Secret(bytes(32), (None, None))
MIXED = Secret(bytes(range(32)), (b"\x01" * 32, None, b"\xff" * 32))
secrets = st.builds(
    Secret,
    st.binary(min_size=32, max_size=32),
    st.lists(st.none() | st.binary(min_size=32, max_size=32), min_size=2, max_size=4).map(tuple),
)


def names(cards: tuple[int, ...]) -> str:
    return " ".join(map(card_str, cards))


@pytest.mark.parametrize(
    ("secret", "number", "expected"),
    [
        (
            PLAIN,
            1,
            (
                "2H 4C 8H 6C KH 9S 3H QH 4D 6D 4S 7D KS 2D QS JC 3C AS TC AC 9D JH 6H 8D QC 6S "
                "JD KC AD 8C 9H TH QD 7S 5D TD KD 9C 3S TS 5H 4H AH 8S JS 7H 2S 3D 5S 7C 2C 5C"
            ),
        ),
        (
            PLAIN,
            2,
            (
                "KC 3C 2H KD QH 3H 2S 2D 4H JD JC 6D AH 9S KS TD 6S 4S AD QD 5S 2C QC KH AS 9D "
                "AC 8D TC 8C 7D 9H 5H 4C 7C 8S 6C 4D 8H TS JS JH 5C 3S 3D QS TH 5D 6H 9C 7H 7S"
            ),
        ),
        (
            MIXED,
            1,
            (
                "3C 7C JH KH 6D TH QC 4H 5H 9S KC 3D AD 3S KS AH 4C 2S 6S TS 8H AC 5S JC JD 4S "
                "5D 7D TC 6C 8S 9D 2H 2C 9C 4D 8D 5C QS AS QH 7H 8C QD KD JS 7S 6H 9H 2D TD 3H"
            ),
        ),
    ],
)
def test_known_decks(secret: Secret, number: int, expected: str) -> None:
    assert names(deck(secret, number)) == expected


def test_known_cuts_and_lots() -> None:
    assert names(cut_deck(PLAIN, 0)[:4]) == "2S TC KH 9H"
    assert names(cut_deck(PLAIN, 1)[:4]) == "JD 7D JS 9C"
    assert [lot(MIXED, count) for count in (2, 3, 4)] == [0, 1, 2]


def test_the_deck_as_the_description_has_it() -> None:
    """Shuffle by the words of the description, with nothing of the engine's but the names."""
    key = hashlib.sha256(b"kings-deck" + (7).to_bytes(4, "big") + MIXED.seed)
    key.update(b"\x01" + b"\x01" * 32 + b"\x00" + b"\x01" + b"\xff" * 32)
    stream = b"".join(
        hashlib.sha256(key.digest() + counter.to_bytes(8, "big")).digest() for counter in range(9)
    )
    cards, used = list(range(52)), 0
    for count in range(52, 1, -1):
        while stream[used] >= 256 // count * count:
            used += 1
        chosen = stream[used] % count
        cards[count - 1], cards[chosen] = cards[chosen], cards[count - 1]
        used += 1
    assert deck(MIXED, 7) == tuple(cards)


@given(secrets, st.integers(1, 1000))
def test_a_deck_is_a_permutation_and_follows_from_secret_and_number(
    secret: Secret, number: int
) -> None:
    shuffled = deck(secret, number)
    assert sorted(shuffled) == list(range(DECK_SIZE))
    assert deck(secret, number) == shuffled
    assert deck(secret, number + 1) != shuffled
    assert cut_deck(secret, number) != shuffled


@given(secrets, st.data())
def test_everything_in_a_secret_changes_the_deck(secret: Secret, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(secret.shares) - 1))
    share = data.draw(st.none() | st.binary(min_size=32, max_size=32))
    changed = (*secret.shares[:at], share, *secret.shares[at + 1 :])
    assert (deck(Secret(secret.seed, changed), 1) == deck(secret, 1)) is (changed == secret.shares)
    other = Secret(bytes([secret.seed[0] ^ 1]) + secret.seed[1:], secret.shares)
    assert deck(other, 1) != deck(secret, 1)


def test_an_absent_share_is_not_a_share_of_zeros() -> None:
    assert deck(Secret(bytes(32), (None,) * 2), 1) != deck(Secret(bytes(32), (bytes(32),) * 2), 1)


@pytest.mark.parametrize(
    ("secret", "players", "expected"),
    [
        (PLAIN, 2, True),
        (PLAIN, 3, False),
        (MIXED, 3, True),
        (MIXED, 2, False),
        (Secret(bytes(31), (None, None)), 2, False),
        (Secret(bytes(33), (None, None)), 2, False),
        (Secret(bytes(32), (None, bytes(31))), 2, False),
        (Secret(bytes(32), (bytes(33), None)), 2, False),
        (Secret(bytes(32), (bytes(32), bytes(32))), 2, True),
    ],
)
def test_a_secret_has_a_whole_seed_and_an_entry_a_seat(
    secret: Secret, players: int, expected: bool
) -> None:
    assert well_formed(secret, players) is expected


@pytest.mark.parametrize("bound", range(2, 53))
def test_each_number_below_a_bound_comes_from_equally_many_bytes(bound: int) -> None:
    taken = Counter[int]()
    for byte in range(256):
        stream = iter([byte, 0, 255])
        number = _below(bound, stream)
        if next(stream) == 0:  # the byte itself was taken, not rejected
            taken[number] += 1
    assert set(taken) == set(range(bound))
    assert set(taken.values()) == {256 // bound}


def test_a_rejected_byte_is_replaced_by_the_next() -> None:
    assert _below(52, iter([208, 255, 207])) == 207 % 52
    assert _below(2, iter([255])) == 1


def test_the_stream_goes_on_after_its_first_block() -> None:
    key = bytes(32)
    blocks = (hashlib.sha256(key + bytes(7) + bytes([n])).digest() for n in range(4))
    assert bytes(islice(_stream(key), 128)) == b"".join(blocks)


def test_every_card_is_as_likely_in_every_place() -> None:
    """Pearson's chi-square for 2,000 fixed keys: far from 0 and from its 99.9 % point."""
    decks = 2000
    counts = [Counter[int]() for _ in range(DECK_SIZE)]
    for number in range(decks):
        for place, card in enumerate(_shuffled(number.to_bytes(32, "big"))):
            counts[place][card] += 1
    expected = decks / DECK_SIZE
    chi_square = sum(
        (count[card] - expected) ** 2 / expected for count in counts for card in range(DECK_SIZE)
    )
    freedom = (DECK_SIZE - 1) ** 2
    assert abs(chi_square - freedom) < 3.3 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_seat_is_as_likely_to_be_drawn_by_lot(count: int) -> None:
    lots = Counter(lot(Secret(n.to_bytes(32, "big"), (None,) * count), count) for n in range(3000))
    expected = 3000 / count
    chi_square = sum((lots[seat] - expected) ** 2 / expected for seat in range(count))
    assert chi_square < 16.3  # the 99.9 % point for three degrees of freedom
