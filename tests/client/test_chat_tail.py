"""What was said at a table before one came, or while one was away, is there once and in order."""

from kings_client.intents import Join
from kings_client.model import Model
from kings_client.updating import Began, Lost, Sent, Trying, update
from kings_protocol import messages as m
from scripted import SERVER, TABLE, TOKEN, table_state
from wire import request_id

NOTICE = m.Notice(code="dropped", seat=1)


def said(text: str) -> m.Said:
    return m.Said(seat=1, name="Ben", text=text)


def line(text: str) -> m.ChatLine:
    return m.ChatLine(seat=1, name="Ben", text=text)


def come(model: Model, *chat: str) -> Model:
    """Enter and sit down, or come back, at a table where so much was said."""
    enter = m.Enter(id=request_id(1), client="c" * 32, name="Ann")
    join = m.Join(id=request_id(2), table=TABLE)
    lines = tuple(map(line, chat))
    for one in (
        m.Welcome(magic="kings", version=1, program="1", server=SERVER, name="den"),
        Sent(enter),
        m.Entered(re=enter.id, name="Ann"),
        Sent(join, Join(TABLE)),
        m.Seated(re=join.id, table=TABLE, seat=0, token=TOKEN, chat=lines),
        table_state(),
    ):
        model = update(model, one, 5.0)
    return model


def lost(model: Model) -> Model:
    return update(update(model, Lost("silent", 6.0), 5.0), Trying(), 6.0)


def start() -> Model:
    return update(Model(), Began("den"), 5.0)


def test_who_comes_reads_what_was_said() -> None:
    assert come(start(), "a", "b").lines == (said("a"), said("b"))


def test_who_comes_back_keeps_the_lines_and_reads_the_missed_ones() -> None:
    model = come(start(), "a", "b")
    for news in (said("c"), NOTICE):
        model = update(model, news, 5.0)
    model = come(lost(model), "a", "b", "c", "d")
    assert model.lines == (said("a"), said("b"), said("c"), NOTICE, said("d"))


def test_a_tail_that_has_moved_on_is_joined_where_it_fits() -> None:
    model = come(lost(come(start(), "a", "b", "b")), "b", "b", "c")
    assert model.lines == (said("a"), said("b"), said("b"), said("c"))


def test_a_tail_that_fits_nowhere_follows() -> None:
    model = come(lost(come(start(), "a")), "x", "y")
    assert model.lines == (said("a"), said("x"), said("y"))
