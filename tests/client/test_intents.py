"""Each thing that a person may ask for becomes the request that asks for it."""

from typing import get_args

import pytest

from kings_client import intents
from kings_client.intents import Ask, MakeTable, request_of
from kings_protocol import messages as m
from kings_protocol.codec import decode, encode
from kings_protocol.states import Role
from wire import request_id


def wishes() -> list[tuple[Ask, m.Request]]:
    one = request_id(1)
    return [
        (intents.BrowsePage(2), m.Browse(id=one, page=2)),
        (intents.BrowsePage(None), m.Browse(id=one, page=None)),
        (
            MakeTable(
                "T", "strict", {"points": 50}, "pw", False, ("easy",), "skip", 30, 90, (0, 5), 300
            ),
            m.MakeTable(
                id=one,
                name="T",
                preset="strict",
                knobs={"points": 50},
                password="pw",  # noqa: S106
                watchable=False,
                bots=("easy",),
                absent="skip",
                grace_seconds=30,
                away_seconds=90,
                pace=(0, 5),
                thinking=300,
            ),
        ),
        (intents.Join("t1", "pw", 2), m.Join(id=one, table="t1", password="pw", seat=2)),  # noqa: S106
        (intents.Watch("t1", None), m.Watch(id=one, table="t1")),
        (intents.Leave(), m.Leave(id=one)),
        (intents.Say("hi"), m.Say(id=one, text="hi")),
        (intents.AddBot("easy", 1), m.AddBot(id=one, level="easy", seat=1)),
        (intents.RemoveBot(1), m.RemoveBot(id=one, seat=1)),
        (intents.SetReady(True), m.Ready(id=one, on=True)),
        (intents.PlayCard(5, 3, 9), m.PlayCard(id=one, version=9, card=5, place=3)),
        (intents.MovePile(1, 4, 9), m.MovePile(id=one, version=9, source=1, place=4)),
        (intents.PlayTop(4, 9), m.PlayTop(id=one, version=9, place=4)),
        (intents.EndTurn(9), m.EndTurn(id=one, version=9)),
        (intents.AskHint(9), m.GetHint(id=one, version=9)),
        (intents.Kick(1), m.Kick(id=one, seat=1)),
        (intents.Silence(None, True), m.Silence(id=one, seat=None, on=True)),
        (intents.Vote(1, True), m.Vote(id=one, seat=1, on=True)),
        (intents.Pause(True), m.Pause(id=one, on=True)),
        (intents.Here(), m.Here(id=one)),
    ]


@pytest.mark.parametrize(("wish", "request_"), wishes())
def test_a_wish_becomes_its_request(wish: Ask, request_: m.Request) -> None:
    made = request_of(wish, request_id(1))
    assert made == request_
    assert decode(encode(made), Role.CLIENT, (type(made),)) == made


def test_no_wish_is_without_a_request() -> None:
    assert {type(wish) for wish, _ in wishes()} == set(get_args(Ask))


def test_a_password_is_in_no_repr() -> None:
    for wish in (intents.Join("t", "sesame"), intents.Watch("t", "sesame")):
        assert "sesame" not in repr(wish)
    assert "sesame" not in repr(MakeTable("T", "pagat", password="sesame"))  # noqa: S106
