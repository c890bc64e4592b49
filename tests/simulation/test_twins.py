"""Nothing that a server sends or logs depends on cards that the receiver may not know.

Each match is played twice on the real server (``twins``); that the comparison can fail is shown by
a leak planted in each channel.
"""

from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import trio
from msgspec.structs import replace

import kings_engine.view
from kings_engine.cards import cards_in
from kings_engine.deal import Deal
from kings_engine.events import Event
from kings_engine.match import Match
from kings_protocol import messages as m
from kings_protocol.connection import Connection
from kings_protocol.states import Role
from kings_server.lobby import Lobby
from kings_server.session import Session
from kings_server.writing import Bell
from pairs import hidden_cards
from simulation.twins import Pair, pair, told, told_apart

Plant: TypeAlias = Callable[[pytest.MonkeyPatch, list[Lobby]], None]

PAIRS: Final = 12
"""Pairs in an ordinary run."""


def pairs() -> Iterator[Pair]:
    """Yield pairs, made from one seed after another."""
    for seed in count():
        made = pair(seed)
        if made is not None:
            yield made


def channels(one: Pair, folder: Path) -> set[str]:
    """Return by what the viewer of a pair could tell its matches apart."""
    mine, _ = told(one, one.match, folder / f"{one.seed}")
    its, _ = told(one, one.other, folder / f"{one.seed} other")
    assert mine.frames
    return told_apart(mine, its)


def test_twins_are_told_and_logged_the_same(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    number = request.config.getoption("--soak") or PAIRS
    for one in islice(pairs(), number):
        assert hidden_cards(one.match) != hidden_cards(one.other)
        assert channels(one, tmp_path) == set(), f"seed {one.seed}"


# ---- leaks


def hidden(lobby: Lobby) -> int:
    """Return a number that depends on all hidden cards."""
    matches = [table.match for table in lobby.tables.values()]
    return hash(tuple(map(hidden_cards, filter(None, matches)))) % 97


def in_message(kind: type[m.Message], name: str) -> Plant:
    """Return a leak in a field of a kind of messages."""

    def plant(monkeypatch: pytest.MonkeyPatch, lobbies: list[Lobby]) -> None:
        send = Connection.send

        def leaky(self: Connection, message: m.Message) -> bytes:
            if isinstance(message, kind) and lobbies and self._role is Role.SERVER:
                message = replace(message, **{name: hidden(lobbies[-1])})
            return send(self, message)

        monkeypatch.setattr(Connection, "send", leaky)

    return plant


def in_views(monkeypatch: pytest.MonkeyPatch, _: list[Lobby]) -> None:
    def known(_: Match, deal: Deal, seat: int) -> tuple[int, ...]:
        return cards_in(deal.hands[seat])[:1]

    monkeypatch.setattr(kings_engine.view, "_known", known)


def in_history(monkeypatch: pytest.MonkeyPatch, _: list[Lobby]) -> None:
    def whole(_: Match, event: Event, __: int | None) -> Event:
        return event

    monkeypatch.setattr(kings_engine.view, "_seen", whole)


def in_log(monkeypatch: pytest.MonkeyPatch, lobbies: list[Lobby]) -> None:
    depart = Session._depart

    def leaky(self: Session) -> None:
        self._log.info("departs", number=hidden(lobbies[-1]))
        depart(self)

    monkeypatch.setattr(Session, "_depart", leaky)


def in_time(monkeypatch: pytest.MonkeyPatch, lobbies: list[Lobby]) -> None:
    wait = Bell.wait

    async def leaky(self: Bell) -> None:
        await wait(self)
        await trio.sleep(hidden(lobbies[-1]) / 1000)

    monkeypatch.setattr(Bell, "wait", leaky)


@pytest.mark.parametrize(
    ("plant", "channel"),
    [
        (in_views, "update"),
        (in_history, "update"),
        (in_message(m.Notice, "number"), "notice"),
        (in_message(m.Refused, "limit"), "refused"),
        (in_message(m.Done, "version"), "done"),
        (in_message(m.TableState, "watchers"), "table"),
        (in_message(m.LobbyPage, "total"), "lobby_page"),
        (in_log, "log"),
        (in_time, "when"),
    ],
)
def test_a_planted_leak_is_found(
    plant: Plant, channel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobbies: list[Lobby] = []
    made = Lobby.__init__

    def noted(self: Lobby, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        lobbies.append(self)

    monkeypatch.setattr(Lobby, "__init__", noted)
    plant(monkeypatch, lobbies)
    assert any(channel in channels(one, tmp_path) for one in islice(pairs(), PAIRS))
