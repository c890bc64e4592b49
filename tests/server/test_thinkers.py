"""Bots at a table: their pace, and what becomes of a bot that fails."""

import random

import pytest
import trio
from trio.testing import MockClock

from hall import hall
from kings_engine.actions import EndTurn, Play, SeatAction, Timeout
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import View
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from kings_server import thinkers
from people import new_id


async def test_bots_take_their_time(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 3)
        table = await h.match_of(ann, bots=("medium", "easy"), pace=(600, 1500))
        await ann.until(lambda: ann.my_turn)
        began, version = trio.current_time(), ann.version + 1
        await ann.act(EndTurn())
        await ann.until(lambda: ann.my_turn or not ann.phase("playing"))
        assert table.match is not None
        moves = table.match.version - version
        assert moves >= 2
        assert 0.6 * moves <= trio.current_time() - began <= 1.5 * moves + 0.001


def crash(*_: object) -> SeatAction:
    raise RuntimeError("a bot's mistake")


def cheat(
    _level: str, view: View, _past: tuple[Event, ...], _rules: Rules, _rng: random.Random
) -> SeatAction:
    assert view.own is not None
    stranger = next(card for card in range(52) if card not in view.own.hand)
    return Play(stranger, 0)


@pytest.mark.parametrize("bad", [crash, cheat])
async def test_a_bots_mistake_costs_its_move_and_nothing_else(
    bad: object, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 3)
        table = await h.match_of(ann, bots=("medium",))
        await ann.until(lambda: ann.my_turn)
        monkeypatch.setattr(thinkers, "choose", bad)
        version = ann.version + 1
        await ann.ask_for(m.Done, m.EndTurn(id=new_id(), version=ann.version))
        await ann.until(lambda: ann.my_turn and ann.version > version)
        assert table.match is not None
        assert isinstance(table.match.steps[-1].action, Timeout)
        assert m.Notice(code=NoticeCode.BOT_FAILED, seat=1, name="medium") in ann.others
        assert ann.state_of(1) == "bot"
        assert isinstance(await ann.play_once(), m.Done)
