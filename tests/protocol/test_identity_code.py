"""A certificate's fingerprint, and the code that people compare."""

import pytest

from kings_protocol.identity_code import code_of, fingerprint_of, read_code

PRINT = fingerprint_of(b"a certificate")


def test_a_fingerprint_is_the_sha_256_of_the_certificate() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert fingerprint_of(b"") == empty


def test_a_code_is_the_first_eighty_bits_in_groups_of_four() -> None:
    assert code_of("00" * 10 + "ff" * 22) == "0000-0000-0000-0000"
    assert code_of("ff" * 10 + "00" * 22) == "ZZZZ-ZZZZ-ZZZZ-ZZZZ"
    # 0x08421_08421… is a one in every five bits.
    assert code_of("0842108421084210842108421084210842108421084210842108421084210842")[:9] == (
        "1111-1111"
    )


@pytest.mark.parametrize("bit", range(80))
def test_every_one_of_the_eighty_bits_changes_the_code(bit: int) -> None:
    other = f"{int(PRINT, 16) ^ 1 << 255 - bit:064x}"
    assert code_of(other) != code_of(PRINT)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0123-4567-89AB-CDEF", "0123-4567-89AB-CDEF"),
        ("0123456789abcdef", "0123-4567-89AB-CDEF"),
        ("oIL3 4567 89ab cdef", "0113-4567-89AB-CDEF"),
        (" 0123-4567 - 89ABCDEF ", "0123-4567-89AB-CDEF"),
    ],
)
def test_a_code_is_read_as_people_write_it(written: str, read: str) -> None:
    assert read_code(written) == read


@pytest.mark.parametrize("written", ["", "0123", "0123-4567-89AB-CDE!", "U" * 16, "0" * 17])
def test_what_is_no_code_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="16 letters and digits"):
        read_code(written)
