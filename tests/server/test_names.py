"""Nobody is called by a word that a program uses for somebody, or so as to be taken for another."""

import pytest
from trio.testing import MockClock

from hall import hall
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import NAME_LENGTH
from kings_server.names import distinct, reserved
from people import Person, new_id


@pytest.mark.parametrize(
    "name",
    [
        *("You", "you", "YOU", "Yоu", "You 2", "Уоu", "easy", "Master", "mеdium 3", "hard bot"),
        *("seat 3", "Seat #1", "The server says:", "server", "Вы", "место 2", "Bы", "бот-мастер"),
    ],
)
def test_a_word_for_somebody_is_no_name(name: str) -> None:
    assert reserved(name)


@pytest.mark.parametrize("name", ["Ann", "Youri", "Easyrider", "Выгодно", "42", "Seats", "王"])
def test_what_only_begins_like_one_is_a_name(name: str) -> None:
    assert not reserved(name)


@pytest.mark.parametrize(
    "other",
    [
        *("Mona", "mona", "MONA", "Моna", "Мопа", "Mоnа", "Ｍｏｎａ", "𝐌𝐨𝐧𝐚", "M0na"),
        "rnona",
    ],
)
def test_what_looks_like_anothers_name_gets_a_number(other: str) -> None:
    looks_alike = other != "Мопа"  # a Cyrillic п is no n
    assert distinct(other, ["Ben", "Mona"]) == (f"{other} 2" if looks_alike else other)


def test_a_number_that_is_taken_is_not_given_again() -> None:
    assert distinct("Ann", ["Ann", "Ann 2", "Аnn 3"]) == "Ann 4"
    long = "A" * NAME_LENGTH
    assert distinct(long, [long]) == "A" * (NAME_LENGTH - 2) + " 2"


@pytest.mark.parametrize("name", ["\u3164", "\ufe0f", "\u0378", "You", "expert", "seat 1"])
async def test_who_comes_by_such_a_name_is_refused(name: str, autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.stranger()
        await ann.greet()
        enter = m.Enter(id=new_id(), client=ann.client, name=name)
        assert (await ann.ask_for(m.Refused, enter)).code == RefusalCode.BAD_NAME


async def test_nobody_at_a_table_is_called_like_another(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, twin, double, watcher = [
            await h.guest(name) for name in ("Ann", "Аnn", "Ann", "\uff21nn")
        ]
        seat = await ann.make_table(3)
        await twin.join(seat.table)
        await double.join(seat.table)
        await watcher.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
        await ann.until_state(2, "seated")
        assert ann.table is not None
        assert [one.name for one in ann.table.seats] == ["Ann", "Аnn 2", "Ann 3"]
        await watcher.ask_for(m.Done, m.Say(id=new_id(), text="it is me"))
        other = await h.guest("ann")
        await other.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
        await other.ask_for(m.Done, m.Say(id=new_id(), text="no, me"))
        assert said(ann) == [("\uff21nn 4", "it is me"), ("ann 5", "no, me")]


async def test_a_line_that_shows_nothing_is_not_said(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben)
        for text in ("\u3164", "\u2800 \ufe0f", "I am here \u2764\ufe0f"):
            await ann.ask_for(m.Done, m.Say(id=new_id(), text=text))
        assert said(ben) == [("Ann", "I am here \u2764\ufe0f")]


def said(person: Person) -> list[tuple[str, str]]:
    return [(one.name, one.text) for one in person.others if isinstance(one, m.Said)]
