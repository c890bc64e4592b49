"""Whose words and doings lines are, after other people have taken the seats that they came from."""

from typing import Any

from attrs import evolve
from msgspec.structs import replace

from kings_client.model import Model, Spoken
from kings_client.plain.telling import Teller
from kings_client.updating import update
from kings_engine.actions import Play
from kings_engine.cards import parse_card
from kings_engine.places import parse_place
from kings_protocol.messages import Notice, Said, SeatState
from scripted import update_of
from tables import acted, model_of, picture, position, table_of

MATCH = position("AS", {"N": "KD"})
SPOKEN = Said(seat=1, name="Ben", text="hello all")
WENT = Notice(code="left", seat=1, name="Ben")


def at(*others: SeatState, lines: tuple[Spoken, ...], seat: int | None = 0) -> Model:
    """Return a table that waits: Ann, and whoever else sits there."""
    fields: dict[str, Any] = {"phase": "waiting"}
    fields["seats"] = (SeatState(state="seated", name="Ann"), *others)
    return model_of(MATCH, seat, view=None, events=(), lines=lines, table=table_of(MATCH, **fields))


def test_words_are_those_of_who_said_them_when_the_seat_is_empty() -> None:
    shown = picture(at(SeatState(state="open", name=""), lines=(SPOKEN,)))
    assert "Ben: hello all" in shown
    assert "seat 2: hello" not in shown


def test_words_are_those_of_who_said_them_when_another_has_the_seat() -> None:
    assert "Ben: hello all" in picture(at(SeatState(state="seated", name="Cleo"), lines=(SPOKEN,)))


def test_who_takes_a_seat_has_not_said_what_was_said_there() -> None:
    shown = picture(at(SeatState(state="seated", name="Dora"), lines=(SPOKEN, WENT), seat=1))
    assert "Ben: hello all" in shown
    assert "Ben left the table" in shown
    assert "you left" not in shown.lower()


def test_the_line_mode_tells_who_takes_a_seat_what_was_said_there() -> None:
    before = at(SeatState(state="seated", name="Dora"), lines=(), seat=1)
    teller = Teller(before)
    told = teller.tell(evolve(before, lines=(SPOKEN, WENT)))
    assert [line for line in told if "Ben" in line] == [
        "Ben says: hello all",
        "Ben left the table.",
    ]


def test_ones_own_words_are_ones_own_however_long_the_name() -> None:
    name = "Maximilian-Alexander III"
    said = Said(seat=1, name=name, text="hello all")
    shown = picture(at(SeatState(state="seated", name=name), lines=(said,), seat=1))
    assert "You: hello all" in shown


def test_what_somebody_played_stays_theirs_when_a_bot_takes_over_their_seat() -> None:
    match = position("9H 2D", {"N": "TS"}, other="9D 3C", turn=1)
    model = model_of(match)
    table = model.table
    assert table is not None
    moved = acted(match, (1, Play(parse_card("9D"), parse_place("N"))))
    model = update(model, update_of(moved, 0, match.version), 1.0)
    ann, _ = table.seats
    seats = (ann, SeatState(state="bot", name="medium", level="medium"))
    model = update(model, replace(table, seats=seats), 2.0)
    assert "│Ben    dealt " in picture(model)
    assert "│medium " not in picture(model)
    assert "Ben 9♦ → N" in picture(model, 60, 20)
