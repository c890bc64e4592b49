"""Screens: which one is due, what each says, that every size is drawn, and a few golden ones."""

import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kings_client.intents import (
    AddBot,
    Quit,
    RemoveBot,
    RetryNow,
    SetReady,
    ToWelcome,
)
from kings_client.model import (
    Hosting,
    Linked,
    LinkState,
    Model,
    Reason,
    Recent,
)
from kings_client.parts.canvas import OnKey
from kings_client.screens import route
from kings_client.screens.forms import open_form
from kings_client.screens.knowing import touched
from kings_client.screens.state import Ui
from kings_client.settings import Settings
from kings_client.words.refusals import refusal
from kings_client.words.spoken import capital
from kings_engine.actions import EndTurn, Play
from kings_engine.cards import parse_card
from kings_engine.errors import Code
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Refused, Said, SeatState
from tables import (
    acted,
    ended,
    line_of,
    lobby_of,
    model_of,
    over,
    picture,
    position,
    pressed,
    scene_of,
    table_of,
)

GOLDEN = Path(__file__).parents[1] / "data" / "screens"
GOLDENS = ("game", "game_picked", "game_large", "game_full", "deal_end", "match_end")
PILES = {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"}
SIZES = [(1, 1), (20, 5), (39, 15), (40, 14), (40, 15), (79, 24), (80, 23), (80, 24)]
SIZES += [(95, 30), (110, 34), (111, 33), (200, 60)]


def waiting(**changes: Any) -> Model:
    seats = (
        SeatState(state="seated", name="Ann"),
        SeatState(state="seated", name="Ben", ready=True),
        SeatState(state="open", name=""),
    )
    match = position("9H", PILES)
    table = table_of(match, **{"phase": "waiting", "seats": seats, **changes})
    return model_of(match, table=table, view=None, events=())


MODELS = {
    "welcome": Model(recent=(Recent("den.example:7654", "den"),)),
    "entering": Model("entering", LinkState(Linked.CONNECTING, "den")),
    "lobby": lobby_of(line_of("Kitchen"), line_of("Attic", locked=True, phase="playing")),
    "waiting": waiting(),
    "game": model_of(position("KH 9H 5S", PILES)),
    "deal_end": model_of(ended()),
    "match_end": model_of(over()),
}


@pytest.mark.parametrize("name", MODELS)
def test_each_state_has_its_screen(name: str) -> None:
    assert route.screen_of(MODELS[name]) == name


@pytest.mark.parametrize(("name", "size"), list(product(MODELS, SIZES)))
def test_every_screen_is_drawn_at_every_size_with_everything_over_it(
    name: str, size: tuple[int, int]
) -> None:
    model = MODELS[name]
    over_it: list[dict[str, Any]] = [{}, {"overlay": "help"}, {"overlay": "quit"}]
    over_it += [{"overlay": "settings"}, {"overlay": "rules"}]
    over_it += [{"overlay": "sheet"}, {"form": open_form("host", model)}]
    for changes in over_it:
        drawn = route.draw(scene_of(model, *size, **changes))
        assert (drawn.width, drawn.height) == size
        assert all(len(row) == size[0] for row in drawn.chars)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "welcome"])
@pytest.mark.parametrize(
    ("state", "words"),
    [(Linked.ONLINE, "online"), (Linked.WAITING, "in 4 s"), (Linked.CLOSED, "disconnected")],
)
def test_the_connection_is_seen_on_every_screen(name: str, state: Linked, words: str) -> None:
    link = LinkState(state, "den", retry_at=4.0, reason=Reason.CUT)
    for size in ((80, 24), (60, 20), (130, 40)):
        assert words in picture(evolve(MODELS[name], link=link), *size).split("\n")[0]


@pytest.mark.parametrize(
    ("state", "then"),
    [
        (Linked.CONNECTING, "was lost"),
        (Linked.WAITING, "was lost; R tries now"),
        (Linked.CLOSED, "was lost; R tries again, Esc goes back"),
    ],
)
def test_nothing_is_offered_to_be_tried_that_is_being_tried(state: Linked, then: str) -> None:
    link = LinkState(state, "den", retry_at=4.0, reason=Reason.CUT)
    status = picture(evolve(MODELS["game"], link=link)).split("\n")[-2]
    assert status.strip() == f"No connection: the connection {then}"


def test_a_lost_connection_says_why_and_offers_to_try_again() -> None:
    link = LinkState(Linked.WAITING, "den", retry_at=4.0, reason=Reason.CUT)
    for name in ("entering", "lobby", "waiting", "game", "deal_end", "match_end"):
        scene = scene_of(evolve(MODELS[name], link=link))
        assert "the connection was lost" in route.draw(scene).text()
        assert route.press(scene, "r").intents == (RetryNow(),)
        closed = scene_of(evolve(MODELS[name], link=evolve(link, state=Linked.CLOSED)))
        assert route.press(closed, "escape").intents == (ToWelcome(),)


def test_a_tiny_window_says_how_much_is_missing() -> None:
    text = picture(MODELS["game"], 38, 14).replace("\n", " ")
    assert "2 more columns" in text
    assert "1 more row" in text


def test_a_small_window_has_everything_in_lines() -> None:
    text = picture(MODELS["game"], 40, 15)
    for words in (
        "K♦…J♦ ×3",
        "▸You",
        "3c",
        "[K♥*]",
        "9♥*",
        "5 stock",
        "×3",
        "D: Draw and end turn",
    ):
        assert words in text
    scene = pressed(scene_of(MODELS["game"], 40, 15), "right", "enter")
    assert route.draw(scene).text().count("◦") == 2


def test_what_a_click_hits_is_what_is_seen() -> None:
    scene = scene_of(MODELS["game"])
    drawn = route.draw(scene)
    y, row = next((y, row) for y, row in enumerate(drawn.text().split("\n")) if "Draw and" in row)
    assert drawn.at(row.index("Draw and"), y) == OnKey("d")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 15), (150, 46)])
def test_a_click_on_the_points_in_the_corner_opens_the_scores(width: int, height: int) -> None:
    scene = scene_of(MODELS["game"], width, height)
    spot = route.draw(scene).at(4, 1)
    assert spot == OnKey("s")
    assert "sum" in route.draw(evolve(scene, ui=route.click(scene, spot).ui)).text()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 15)])
def test_how_many_cards_the_others_hold_can_be_hidden(width: int, height: int) -> None:
    model = model_of(position("9H KS 2S", PILES, other="2C 3C AD AH AS"))
    shown = picture(model, width, height)
    hidden = picture(model, width, height, settings=Settings(counts="off"))
    changed = [
        (before, after)
        for before, after in zip(shown.split("\n"), hidden.split("\n"), strict=True)
        if before != after
    ]
    ((before, after),) = changed
    assert after == before.replace(" 5", " -", 1)


def test_the_table_before_the_start_is_seated_and_readied() -> None:
    scene = scene_of(waiting())
    text = route.draw(scene).text()
    assert "✓ ready" in text
    assert "Waiting for one more" in text
    assert route.press(scene, "enter").intents == (SetReady(True),)
    assert route.press(scene, "e").intents == (AddBot("easy", None),)
    assert route.press(pressed(scene, "down", "down"), "m").intents == (AddBot("medium", 2),)
    assert route.press(scene, "x").intents == ()
    bots = (SeatState(state="seated", name="Ann"), SeatState(state="bot", name="medium"))
    with_bot = pressed(scene_of(waiting(seats=bots)), "down")
    assert route.press(with_bot, "x").intents == (RemoveBot(1),)


def test_a_host_sees_the_addresses_to_join() -> None:
    model = evolve(waiting(), hosting=Hosting(("192.0.2.7", "192.0.2.8:7000")))
    text = picture(model)
    assert "kings join 192.0.2.7" in text
    assert "kings join 192.0.2.8:7000" in text


@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_always_leads_out(name: str) -> None:
    for changes in ({}, {"overlay": "help"}, {"form": open_form("join", MODELS[name])}):
        scene = scene_of(MODELS[name], **changes)
        once = route.press(scene, "c-c")
        twice = route.press(evolve(scene, ui=once.ui), "c-c")
        assert Quit() in once.intents + twice.intents


def test_a_refusal_is_told_where_it_happened() -> None:
    refused = Refused(re="0" * 32, code="wrong_password")
    assert "not the table's password" in picture(lobby_of(line_of("Kitchen"), refusal=refused))
    assert "not the table's password" in picture(evolve(MODELS["game"], refusal=refused))


@pytest.mark.parametrize("code", [*Code, *(code for code in RefusalCode)])
def test_every_reason_is_readable_whole_beside_the_button(code: str) -> None:
    facts: dict[str, Any] = {
        "card": parse_card("QC"),
        "top": parse_card("KD"),
        "source": 4,
        "place": 5,
    }
    refused = Refused(re="0" * 32, code=code, seconds=30, limit=100, **facts)
    *_, status, keys = picture(evolve(MODELS["game"], refusal=refused)).split("\n")
    assert capital(refusal(refused)) in status
    assert "D  Draw" in status or "D  End" in status
    assert "choose" in keys


def test_nothing_a_server_says_moves_the_columns() -> None:
    seats = tuple(
        SeatState(state="seated", name=name)
        for name in ("王小明王小明王小明", "e\u0301ve\u200b\x1b[2J")
    )
    match = position("KH 9H 5S", PILES)
    said = (Said(seat=1, name="e\u0301ve", text="王" * 80),)
    model = model_of(match, table=table_of(match, seats=seats), lines=said)
    plain = route.draw(scene_of(model_of(match)))
    drawn = route.draw(scene_of(model))
    assert "\x1b" not in drawn.text()
    edges = [x for x, cell in enumerate(plain.chars[8]) if cell == "│"]
    assert [x for x, cell in enumerate(drawn.chars[8]) if cell == "│"] == edges


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_screens_are_as_they_were_reviewed(name: str) -> None:
    """``KINGS_GOLDEN=write`` in the environment writes them anew, for review by eye."""
    match = position("KH KS TH 9H 5S AC", PILES, other="2C 3C 8H")
    playing = model_of(match)
    models = {"deal_end": MODELS["deal_end"], "match_end": MODELS["match_end"]}
    scene = scene_of(models.get(name, playing))
    if name == "game_large":
        scene = evolve(scene, width=120, height=36)
    if name == "game_full":
        scene = evolve(scene, width=160, height=50)
    if name == "game_picked":
        scene = pressed(scene, "right", "right", "right", "enter")
    text = route.draw(scene).text() + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KINGS_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_screens_own_state_starts_empty() -> None:
    assert route.settle(Ui(), Model()) == Ui()


def test_what_others_did_since_ones_own_turn_stands_out() -> None:
    before = position("KH 9H 5S", PILES, other="9D 2C", turn=0)
    mine = acted(before, (0, Play(parse_card("9H"), 0)), (0, EndTurn()))
    assert touched(model_of(mine)) == frozenset()
    theirs = acted(mine, (1, Play(parse_card("9D"), 1)), (1, EndTurn()))
    assert touched(model_of(theirs)) == {1}
    assert touched(model_of(theirs, seat=1)) == frozenset()
    drawn = route.draw(scene_of(model_of(theirs)))
    rows = drawn.text().split("\n")
    y = next(y for y, row in enumerate(rows) if "9♦ →" in row)
    assert drawn.style_at(rows[y].index("9♦ →"), y) == "class:fresh"
    assert drawn.style_at(rows[y - 1].index("drew"), y - 1) == "class:dim"


def test_a_turn_that_begins_with_a_draw_still_tells_what_the_others_did() -> None:
    before = position("KH 9H 5S", PILES, other="9D 2C", turn=1, preset="classic")
    match = acted(before, (1, Play(parse_card("9D"), 1)), (1, EndTurn()))
    assert touched(model_of(match)) == {1}
    assert "Meanwhile: Ben played 1 card" in picture(model_of(match))
    many = position("KH 9H 5S 3S 2S AS JC 8C 7D", PILES, other="9D 2C", turn=1, preset="classic")
    match = acted(many, (1, Play(parse_card("9D"), 1)), (1, EndTurn()))
    assert "Meanwhile: Ben played 1 card" in picture(model_of(match))


@pytest.mark.parametrize(
    ("highlight", "seconds", "stands_out"),
    [("none", 0.0, False), ("short", 1.0, True), ("short", 3.0, False), ("long", 3.0, True)],
)
def test_news_fades_as_it_is_set(highlight: str, seconds: float, stands_out: bool) -> None:
    before = position("KH 9H 5S", PILES, other="9D 2C", turn=1)
    match = acted(before, (1, Play(parse_card("9D"), 1)), (1, EndTurn()))
    scene = scene_of(model_of(match, events_at=-seconds), settings=Settings(highlight=highlight))
    assert ("Meanwhile: Ben played 1 card" in route.draw(scene).text()) is stands_out


def test_the_cost_of_ones_hand_stands_by_ones_name() -> None:
    assert "12 points in hand" in picture(MODELS["game"])


def test_another_screen_starts_at_its_top_and_keeps_only_what_fits_it() -> None:
    scene = pressed(scene_of(MODELS["game"]), "s")
    left = route.settle(scene.ui, MODELS["lobby"], MODELS["game"])
    assert left.overlay is None
    chosen = pressed(scene_of(MODELS["lobby"]), "down")
    assert chosen.ui.row == 1
    assert route.settle(chosen.ui, MODELS["lobby"], MODELS["lobby"]).row == 1
    assert route.settle(chosen.ui, MODELS["waiting"], MODELS["lobby"]).row == 0
    writing = pressed(scene_of(MODELS["game"]), "/", "h")
    assert route.settle(writing.ui, MODELS["deal_end"], MODELS["game"]).line is not None
    assert route.settle(writing.ui, MODELS["lobby"], MODELS["game"]).line is None
