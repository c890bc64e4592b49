"""Long names at a table in 80 columns: they are cut, never to two alike, and nothing else is.

The real drawing is watched: whatever is written beyond its canvas, or shortened, is a fault.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.finished import Archive, Finished, Player
from kings_client.marks import Mark
from kings_client.model import Hosting, Kept, Linked, LinkState, Model, Security
from kings_client.parts.canvas import Canvas, fit, width_of
from kings_client.parts.log import told
from kings_client.parts.names import short_name
from kings_client.saved import Result
from kings_client.screens import route
from kings_client.screens.route import settle
from kings_client.screens.state import Ui
from kings_client.settings import Settings
from kings_client.style import UNICODE
from kings_client.words import tongue
from kings_client.words.events import Line
from kings_client.words.meanwhile import counted
from kings_engine.events import Event, Moved, Played, TurnEnded
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import Rules
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import SeatState, TableState
from tables import (
    line_of,
    lobby_of,
    model_of,
    picture,
    played,
    pressed,
    scene_of,
    table_of,
)

NARROW = ["Wolfeschlegelstein-Haus" + end for end in "nmab"]
WIDE = ["漢字" * 11 + "漢" + end for end in "一二三四"]
CODE = "04HM-ASW9-NF6Y-Y093"
LATER = 59 * 60_000

SEATS: dict[str, dict[str, Any]] = {
    "seated": {},
    "dropped": {"state": "dropped", "back_in": LATER},
    "held": {"state": "held"},
    "left": {"state": "left"},
    "pausing": {"pause": True},
    "voted about": {"votes": (0, 1)},
    "short of time": {"state": "bot", "level": "master", "short": True},
}
TABLES: dict[str, dict[str, Any]] = {
    "dropped": {"absent": "forfeit"},
    "pausing": {"paused": True},
    "voted about": {"turn_in": LATER},
    "short of time": {"turn_in": LATER},
    "seated": {"away_in": 29_000},
}


def moments(rules: Rules) -> Iterator[Match]:
    """Give a position of each kind: before the deals, in one, between two, after the match."""
    found: dict[tuple[Phase, int], Match] = {}
    for match in played(rules, 6000, 5):
        found[match.phase, min(match.number, 2)] = match
    yield from found.values()


def tables(match: Match, preset: str, names: list[str]) -> Iterator[TableState]:
    for kind, changes in SEATS.items():
        first, *others = (SeatState(state="seated", name=name) for name in names)
        seats = (first, *(replace(one, **changes) for one in others))
        about = TABLES.get(kind, {})
        yield table_of(match, preset, name=names[0], seats=seats, **about)


def models(preset: str, names: list[str]) -> Iterator[Model]:
    link = LinkState(Linked.ONLINE, "den", security=Security("known", CODE))
    hosting = Hosting(("192.168.100.100:7654",), CODE)
    for match in moments(preset_rules(preset, {"players": 4})):
        for table in tables(match, preset, names):
            for seat in (0, None):
                yield model_of(match, seat, table=table, link=link, hosting=hosting)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    tongue.use("en")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("names", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_but_names_is_cut(
    preset: str, names: list[str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: set[str] = set()
    draw = Canvas.put
    called: set[str] = set()

    def put(self: Canvas, x: int, y: int, text: str, style: str = "") -> int:
        rest = text.rstrip()
        if x + width_of(rest) > self.width:
            cut.add(text)
        for name in called:
            rest = rest.replace(name, "")
        if "…" in rest:
            cut.add(text)
        return draw(self, x, y, text, style)

    monkeypatch.setattr(Canvas, "put", put)
    for model in models(preset, names):
        assert model.table is not None
        for room in range(4, 48):
            called.add(fit(model.table.name, room))
            called |= {short_name(model.table, seat, None, room) for seat in range(4)}
        called -= set("…")
        for overlay in (None, "people", "sheet"):
            ui = evolve(settle(Ui(), model), overlay=overlay, settings=Settings(language=language))
            route.draw(evolve(scene_of(model), ui=ui))
            assert not cut, (preset, overlay, cut)


@pytest.mark.parametrize("names", [NARROW, WIDE, ["Ann", "Ann", "medium", "medium 2"]])
@pytest.mark.parametrize("room", [8, 13, 20])
def test_no_two_people_are_called_alike(names: list[str], room: int) -> None:
    assert all(len(name) <= NAME_LENGTH for name in names)
    (match,) = played(preset_rules("pagat", {"players": 4}), 1, 1)
    table = table_of(match, seats=tuple(SeatState(state="seated", name=name) for name in names))
    called = [short_name(table, seat, None, room) for seat in range(4)]
    assert len(set(called)) == 4
    assert all(width_of(name) <= room for name in called)


def test_the_rules_and_the_deal_stay_in_the_top_line_when_the_tables_name_is_long() -> None:
    match = next(one for one in played(preset_rules("pagat", {"players": 4}), 99, 5) if one.number)
    table = table_of(match, name=WIDE[0])
    top = picture(model_of(match, None, table=table)).split("\n")[0]
    assert "… · pagat, to 25 · deal 1 · watching" in top


@pytest.mark.parametrize("names", [NARROW, WIDE], ids=["narrow", "wide"])
def test_the_lobby_tells_the_whole_name_of_the_table_under_the_cursor(names: list[str]) -> None:
    lobby = lobby_of(line_of("Kitchen"), line_of(names[0]), kept=(Kept("t9", names[1]),))
    text = picture(lobby)
    assert "Enter takes it back" in text
    assert names[0] not in text
    scene = pressed(scene_of(lobby), "down", "down")
    assert f"{names[0]} · made by Ben" in route.draw(scene).text()


@pytest.mark.parametrize("names", [["Ann", "expert", "hard", "medium"], NARROW])
def test_the_match_under_the_cursor_is_told_whole(names: list[str]) -> None:
    result = Result(points=(125, 112, 88, 130), winners=(2,), losers=(), abandoned=False)
    players = tuple(Player(name, None) for name in names)
    file = Path("match.json")
    match = Finished(file, "2026-11-30T20:15", "Den", "pagat", players, 0, result, Mark.FAIR, 2)
    brief = evolve(
        match, players=(Player("Ann", None),) * 2, result=replace(result, points=(1, 2), winners=())
    )
    scene = scene_of(Model(matches=Archive((match, brief))))
    whole = f"you, {', '.join(names[1:])}: {names[2]} won, 125 : 112 : 88 : 130"
    assert whole in " ".join(route.draw(scene).text().split())
    below = route.draw(pressed(scene, "down")).text().split("\n")[-2]
    assert below.strip() == ""


def test_a_line_of_the_log_that_is_too_long_goes_on_below() -> None:
    lines = [Line("Ben", "gave up the seat"), Line("", "the match was given up without a result")]
    rows = told(lines, 0, ["Ben", "Cleo and more"], 21, 9, UNICODE).text().split("\n")
    said = " ".join(row.strip("│ ") for row in rows[1:])
    assert "Ben gave up the seat" in " ".join(said.split())
    assert "the match was given up without a result" in " ".join(said.split())
    cut = told(lines, 0, ["Ben", "Cleo and more"], 21, 5, UNICODE).text()
    assert "without a" in cut
    assert "Ben" not in cut


def did(seat: int, cards: int, piles: int) -> list[Event]:
    """Return a turn in which so many cards were played and piles moved."""
    played_cards = [Played(seat, 5, 0, False)] * cards
    return [*played_cards, *[Moved(seat, 1, 2, 3)] * piles, TurnEnded(seat, False)]


@pytest.mark.parametrize("language", ["en", "ru"])
def test_what_the_others_did_is_told_of_each_while_there_is_room(language: str) -> None:
    tongue.use(language)
    (match,) = played(preset_rules("pagat", {"players": 4}), 1, 1)
    long = table_of(match, seats=tuple(SeatState(state="seated", name=name) for name in WIDE))
    happened = [*did(1, 12, 12), *did(2, 12, 12), *did(3, 12, 12)]
    *_, of_all = counted(happened, long, 0)
    assert "36" in of_all
    assert width_of(of_all) <= 76


def test_what_the_others_did_becomes_briefer_and_then_a_sum() -> None:
    (match,) = played(preset_rules("pagat", {"players": 4}), 1, 1)
    happened = [*did(1, 1, 1), *did(2, 0, 0), *did(3, 1, 0)]
    assert counted(happened, table_of(match), 0) == (
        "Meanwhile: Ben played 1 card and moved 1 pile; Cleo played nothing; Dora played 1 card",
        "Meanwhile: Ben: 1 card, 1 pile; Cleo: nothing; Dora: 1 card",
        "Meanwhile: the others played 2 cards and moved 1 pile",
    )
