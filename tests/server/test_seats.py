"""A seat's life is a table of transitions: each listed pair leads where it says; no other is."""

from itertools import product

import pytest

from kings_protocol.messages import Absent, SeatState
from kings_server.seats import TRANSITIONS, Input, Seat, State, after_grace, after_leaving, step

PAIRS = tuple(product(State, Input))


@pytest.mark.parametrize(("state", "what"), PAIRS)
def test_a_pair_leads_where_the_table_says_or_cannot_happen(state: State, what: Input) -> None:
    seat = Seat(state, "Ann", key=b"key")
    if what in TRANSITIONS[state]:
        assert step(seat, what, name="x", level="easy").state is TRANSITIONS[state][what]
    else:
        with pytest.raises(LookupError):
            step(seat, what)


def test_every_state_has_a_way_in_and_a_way_out() -> None:
    reached = {after for row in TRANSITIONS.values() for after in row.values()}
    assert reached == set(State) == set(TRANSITIONS)
    assert all(set(row.values()) - {state} for state, row in TRANSITIONS.items())


def test_the_states_are_those_of_the_protocol() -> None:
    for state in State:
        assert SeatState(state=state.value, name="").state == state


def test_a_token_lives_exactly_as_long_as_its_person_may_come_back() -> None:
    seat = step(Seat(), Input.SIT, name="Ann", key=b"key")
    dropped = step(seat, Input.DROP, until=60.0)
    held = step(dropped, Input.HOLD)
    assert [one.key for one in (seat, dropped, step(dropped, Input.WAIT_ON), held)] == [b"key"] * 4
    for gone in (
        step(seat, Input.VACATE),
        step(seat, Input.GIVE_UP),
        step(seat, Input.REPLACE, name="medium"),
        step(dropped, Input.GIVE_UP),
    ):
        assert gone.key is None


def test_nobody_is_waited_for_but_in_a_grace() -> None:
    dropped = step(Seat(State.SEATED, "Ann", key=b"key"), Input.DROP, until=60.0)
    assert dropped.until == 60.0
    for what in (Input.RETURN, Input.WAIT_ON, Input.HOLD, Input.VACATE, Input.GIVE_UP):
        assert step(dropped, what).until is None


def test_a_seat_that_is_held_is_played_plainly_and_keeps_its_name() -> None:
    held = step(Seat(State.DROPPED, "Ann", key=b"key", until=1.0), Input.HOLD)
    assert (held.level, held.name) == ("medium", "Ann")
    back = step(held, Input.RETURN)
    assert (back.level, back.name) == (None, "Ann")


def test_who_comes_back_wants_no_pause_and_is_voted_on_still() -> None:
    gone = Seat(State.DROPPED, "Ann", key=b"key", until=1.0, pause=True, votes=frozenset({2}))
    back = step(gone, Input.RETURN)
    assert back.votes == {2}
    assert not back.pause
    assert not back.away
    assert step(Seat(State.SEATED), Input.DROP, until=1.0, away=True).away


def test_a_seat_that_was_left_keeps_the_name_for_the_sheet_and_is_free_again() -> None:
    left = step(Seat(State.SEATED, "Ann", key=b"key"), Input.GIVE_UP)
    assert (left.name, left.free) == ("Ann", True)
    assert step(left, Input.SIT, name="Ben", key=b"other").name == "Ben"


@pytest.mark.parametrize(
    ("absent", "grace", "leaving"),
    [
        ("bot", Input.HOLD, Input.REPLACE),
        ("wait", Input.WAIT_ON, Input.REPLACE),
        ("skip", Input.WAIT_ON, Input.GIVE_UP),
        ("forfeit", Input.GIVE_UP, Input.GIVE_UP),
    ],
)
def test_who_is_gone_in_a_match_becomes_what_the_table_chose(
    absent: Absent, grace: Input, leaving: Input
) -> None:
    assert after_grace(absent, running=True, over=False) is grace
    assert after_leaving(absent, running=True, over=False) is leaving


@pytest.mark.parametrize("absent", ["bot", "wait", "skip", "forfeit"])
def test_outside_a_match_a_seat_is_free_again_at_once(absent: Absent) -> None:
    for after in (after_grace, after_leaving):
        assert after(absent, running=False, over=False) is Input.VACATE
        assert after(absent, running=False, over=True) is Input.GIVE_UP


def test_a_seat_shows_no_key() -> None:
    assert "key" not in repr(Seat(State.SEATED, "Ann", key=b"0123"))
