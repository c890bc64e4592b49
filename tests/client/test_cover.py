"""The cover: whom it names, which keys it takes and when, and what is left of the one before."""

from typing import Any

import pytest
from attrs import evolve

from kings_client.covering import Desk, lifted, passed_on, shown
from kings_client.intents import LiftCover
from kings_client.model import Model
from kings_client.parts.canvas import OnCard, OnKey
from kings_client.parts.hand import HandOrder
from kings_client.screens import route
from kings_client.screens.cover import GRACE_SECONDS
from kings_client.screens.draft import written
from kings_client.screens.selection import Selection
from kings_client.screens.state import Scene, Ui
from kings_engine.actions import EndTurn, Play
from kings_engine.cards import parse_card
from kings_engine.places import parse_place
from tables import acted, model_of, position

MINE = position("KH 9H 5S", {"N": "TS", "S": "4D"}, other="8C 3C")
PASSED = acted(MINE, (0, Play(parse_card("9H"), parse_place("N"))), (0, EndTurn()))
PEOPLE = [model_of(PASSED, 0), model_of(PASSED, 1)]
DOWN = passed_on(Desk(0), PEOPLE, 10.0)
COVERED = shown(DOWN, PEOPLE)


def scene(now: float = 20.0, model: Model = COVERED, **changes: Any) -> Scene:
    return Scene(model, evolve(Ui(), **changes), 80, 24, now)


def test_it_names_who_gets_the_keyboard_and_shows_the_table_alone() -> None:
    text = route.draw(scene()).text()
    assert "Pass the keyboard to Ben." in text
    assert "I am Ben" in text
    assert "9♥" in text
    assert not any(card in text for card in ("K♥", "5♠", "8♣", "3♣"))


@pytest.mark.parametrize("key", ["enter", " "])
def test_a_key_lifts_it_once_it_cannot_have_been_meant_for_the_game(key: str) -> None:
    early, later = 10.0 + GRACE_SECONDS - 0.01, 10.0 + GRACE_SECONDS
    assert route.press(scene(early), key).intents == ()
    assert route.press(scene(later), key).intents == (LiftCover(1),)


def test_a_click_on_its_button_lifts_it_and_one_on_the_table_does_nothing() -> None:
    drawn = route.draw(scene())
    spots = {region.spot for region in drawn.regions}
    assert OnKey("enter") in spots
    assert all(isinstance(spot, OnKey) for spot in spots)
    assert route.click(scene(), OnKey("enter")).intents == (LiftCover(1),)
    assert route.click(scene(), OnCard(parse_card("8C"))).intents == ()


@pytest.mark.parametrize("key", ["d", "n", "h", "left", "tab", "7", "/"])
def test_keys_of_the_game_do_nothing_under_it(key: str) -> None:
    step = route.press(scene(), key)
    assert step.intents == ()
    assert step.ui.line is None


def test_nothing_of_the_one_before_is_left_for_the_next() -> None:
    card = parse_card("KH")
    by_hand = HandOrder(by_hand=(card, parse_card("5S")))
    picked = Selection(card=card, picked=OnCard(card), order=by_hand)
    ui = Ui(selection=picked, line=written("I hold a king"), note="K♥ goes to NW")
    after = route.settle(ui, COVERED, model_of(MINE, 0))
    assert after.selection == Selection()
    assert (after.line, after.note) == (None, "")


def test_what_the_others_did_is_told_when_it_is_lifted() -> None:
    ben = shown(lifted(DOWN, PEOPLE, 1), PEOPLE)
    ui = route.settle(Ui(), ben, COVERED)
    assert "Ann" in ui.meanwhile[0]
    assert "9♥" in ui.meanwhile[0]
    assert "drew" in ui.meanwhile[0]
    drawn = route.draw(Scene(ben, ui, 80, 24, 20.0)).text()
    assert "Meanwhile" in drawn
    assert "Your turn" in drawn
