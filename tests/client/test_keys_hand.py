"""The hand as one wants it, by keys and by the mouse; drags to the table; sureness; hints."""

from typing import Any

import pytest
from attrs import evolve

from kings_client.intents import AskHint, EndTurn, Intent, PlayCard
from kings_client.model import Linked, LinkState
from kings_client.parts.canvas import OnCard, OnPlace, OnStock, Spot
from kings_client.parts.hand import HandOrder, arranged
from kings_client.screens import route
from kings_client.screens.knowing import rules_of
from kings_client.screens.state import Scene
from kings_client.settings import Settings
from kings_client.updating import Sent, update
from kings_engine.actions import EndTurn as End
from kings_engine.actions import Play
from kings_engine.cards import card_str, parse_card
from kings_engine.places import parse_place
from kings_protocol import messages
from tables import acted, cards, model_of, position, pressed, scene_of
from wire import request_id

PILES = {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"}
HAND = "KH 9H 5S 3S"


def game(hand: str = HAND, **changes: Any) -> Scene:
    return scene_of(model_of(position(hand, PILES)), **changes)


def held(scene: Scene) -> str:
    view = scene.model.view
    assert view is not None
    assert view.own is not None
    return " ".join(map(card_str, arranged(view.own.hand, scene.ui.selection.order)))


def card(name: str) -> OnCard:
    return OnCard(parse_card(name))


def place(name: str) -> OnPlace:
    return OnPlace(parse_place(name))


def dragged(scene: Scene, start: Spot, *over: Spot | None) -> tuple[Scene, tuple[Intent, ...]]:
    """Press on a spot, go over others, and let go over the last."""
    ui = route.click(scene, start).ui
    for spot in over:
        ui = route.drag(evolve(scene, ui=ui), start, spot).ui
    step = route.drop(evolve(scene, ui=ui), start, over[-1])
    return evolve(scene, ui=route.settle(step.ui, scene.model)), step.intents


@pytest.mark.parametrize(
    ("sorting", "expected"),
    [
        ("rank", "KS KH TC 9D AS"),
        ("colour", "KS TC AS KH 9D"),
        ("suit", "KS AS KH TC 9D"),
    ],
)
def test_a_hand_is_sorted_as_it_is_wanted(sorting: str, expected: str) -> None:
    found = arranged(cards("AS KH 9D TC KS"), HandOrder(sorting))
    assert found == cards(expected)


def test_sorting_goes_round_and_is_kept_among_the_settings() -> None:
    scene = game("KS KH 9D 8C AS")
    assert held(scene) == "KS KH 9D 8C AS"
    scene = pressed(scene, "a")
    assert held(scene) == "KS 8C AS KH 9D"
    assert scene.ui.settings.sorting == "colour"
    assert "sorted by colour" in route.draw(scene).text()
    assert held(pressed(scene, "a", "a")) == "KS KH 9D 8C AS"


def test_a_card_is_moved_along_the_hand_by_keys_and_the_cursor_stays_on_it() -> None:
    scene = pressed(game(), "home", "s-right", "s-right")
    assert held(scene) == "9H 5S KH 3S"
    assert scene.ui.selection.card == parse_card("KH")
    assert held(pressed(scene, "s-right", "s-right")) == "KH 9H 5S 3S"
    assert pressed(scene, "left").ui.selection.card == parse_card("5S")


def test_a_card_is_dragged_along_the_hand_and_nothing_is_played() -> None:
    scene, intents = dragged(game(), card("9H"), card("5S"), card("3S"))
    assert held(scene) == "KH 5S 3S 9H"
    assert intents == ()
    assert scene.ui.selection.picked is None


def test_moving_cards_along_the_hand_can_be_switched_off() -> None:
    fixed = game(settings=Settings(rearranging="off"))
    assert held(pressed(fixed, "home", "s-right")) == HAND
    scene, intents = dragged(fixed, card("9H"), card("5S"), card("3S"))
    assert held(scene) == HAND
    assert intents == ()
    moved = pressed(game(), "home", "s-right", "o")
    while moved.ui.settings.rearranging == "on":
        moved = pressed(moved, "down")
        turned = pressed(moved, "right")
        moved = turned if turned.ui.settings.rearranging == "off" else moved
    assert held(moved) == HAND


def test_the_order_by_hand_lasts_for_the_deal_and_new_cards_come_last() -> None:
    scene = pressed(game(), "home", "s-right")
    before = position(HAND, PILES)
    after = acted(before, (0, Play(parse_card("9H"), parse_place("N"))), (0, End()))
    drawn = route.settle(scene.ui, model_of(after), model_of(before))
    assert held(evolve(scene, ui=drawn, model=model_of(after))) == "KH 5S 3S 5C"
    assert model_of(after).view is not None
    again = pressed(evolve(scene, ui=drawn, model=model_of(after)), "a")
    assert held(again) == "KH 5S 5C 3S"
    assert again.ui.settings.sorting == "rank"


def test_what_is_dragged_to_a_place_is_played_there() -> None:
    _, intents = dragged(game(), card("9H"), None, place("E"))
    assert intents == (PlayCard(parse_card("9H"), parse_place("E"), 1),)


def test_a_card_that_crosses_the_hand_on_its_way_to_a_place_is_played_there() -> None:
    scene = game()
    own = scene.model.view.own if scene.model.view is not None else None
    assert own is not None
    others = [OnCard(other) for other in own.hand if OnCard(other) != card("9H")]
    _, intents = dragged(scene, card("9H"), *others, None, place("E"))
    assert intents == (PlayCard(parse_card("9H"), parse_place("E"), 1),)


def test_the_place_below_the_mouse_is_aimed_at() -> None:
    ui = route.click(game(), card("9H")).ui
    ui = route.drag(game(selection=ui.selection), card("9H"), place("E")).ui
    assert ui.selection.aim == parse_place("E")


@pytest.mark.parametrize("over", [None, card("9H")])
def test_what_is_let_go_over_nothing_stays_picked(over: Spot | None) -> None:
    scene, intents = dragged(game(), card("9H"), None, over)
    assert intents == ()
    assert scene.ui.selection.picked == card("9H")


def test_a_connection_lost_in_a_drag_plays_nothing_and_says_so() -> None:
    scene = game()
    ui = route.click(scene, card("9H")).ui
    lost = evolve(scene.model, link=LinkState(Linked.WAITING, "den", retry_at=4.0))
    ui = route.settle(ui, lost, scene.model)
    step = route.drop(evolve(scene, ui=ui, model=lost), card("9H"), place("E"))
    assert step.intents == ()
    assert "nothing was sent" in step.ui.note


@pytest.mark.parametrize("knobs", [{"stock": ""}, {"draw": "start", "idle_round": "always"}])
def test_a_pass_that_ends_the_deal_says_so_and_is_asked_about(knobs: dict[str, Any]) -> None:
    idle = acted(position("9H", PILES, turn=1, **knobs), (1, End()))
    scene = scene_of(model_of(idle))
    assert "Your turn: ending it ends the deal" in route.draw(scene).text()
    first = route.press(scene, "d")
    assert first.intents == ()
    assert "This ends the deal. Once more" in route.draw(evolve(scene, ui=first.ui)).text()
    assert route.press(evolve(scene, ui=first.ui), "d").intents == (EndTurn(2),)


def test_the_stock_ends_no_turn_that_has_drawn_already() -> None:
    scene = scene_of(model_of(position("9H", PILES, draw="start")))
    for step in (route.click(scene, OnStock()), route.press(scene, "5")):
        assert step.intents == ()
        assert step.ui.note == "you have drawn already; D ends your turn"
    assert route.press(scene, "d").intents == (EndTurn(1),)


def test_a_pass_after_which_others_still_play_is_not_asked_about() -> None:
    scene = scene_of(model_of(position("9H", PILES, stock="")))
    assert "ends the deal" not in route.draw(scene).text()
    assert route.press(scene, "d").intents == (EndTurn(1),)


@pytest.mark.parametrize(
    ("confirm", "hand", "asks"),
    [
        ("never", HAND, False),
        ("if cards fit", HAND, True),
        ("if cards fit", "7S", False),
        ("always", "7S", True),
    ],
)
def test_the_end_of_a_turn_is_asked_about_as_it_is_set(confirm: str, hand: str, asks: bool) -> None:
    piles = {"N": "TS", "E": "TC", "S": "4D", "W": "QD"}
    model = model_of(position(hand, piles))
    scene = scene_of(model, settings=Settings(confirm=confirm))
    first = route.press(scene, "d")
    assert (first.intents == ()) is asks
    if asks:
        assert "Once more" in route.draw(evolve(scene, ui=first.ui)).text()
        assert route.press(evolve(scene, ui=first.ui), "d").intents == (EndTurn(1),)
        thought_again = pressed(evolve(scene, ui=first.ui), "left")
        assert route.press(thought_again, "d").intents == ()


def test_a_hint_is_asked_for_shown_and_pointed_at() -> None:
    scene = game()
    assert "H hint" in route.draw(scene).text()
    assert route.press(scene, "h").intents == (AskHint(1),)
    model = update(scene.model, Sent(messages.GetHint(id=request_id(1), version=1)), 0.0)
    told = update(model, messages.Hint(re=request_id(1), version=1, action="play 3S S"), 0.0)
    ui = route.settle(scene.ui, told, model)
    hinted = evolve(scene, model=told, ui=ui)
    assert "Hint: 3♠ to S" in route.draw(hinted).text()
    assert ui.selection.card == parse_card("3S")
    view = told.view
    assert view is not None
    again = messages.Update(view=view, events=messages.Happened(()))
    assert update(told, again, 0.0).hint is None


def hinted(scene: Scene, number: int, action: str) -> Scene:
    """Return the scene after a hint was asked for and came."""
    asked = update(scene.model, Sent(messages.GetHint(id=request_id(number), version=1)), 0.0)
    between = route.settle(scene.ui, asked, scene.model)
    told = update(asked, messages.Hint(re=request_id(number), version=1, action=action), 0.0)
    return evolve(scene, model=told, ui=route.settle(between, told, asked))


def test_the_same_hint_again_brings_the_cursor_back() -> None:
    scene = hinted(game(), 1, "play 3S S")
    away = pressed(scene, "left", "left")
    assert away.ui.selection.card != parse_card("3S")
    assert hinted(away, 2, "play 3S S").ui.selection.card == parse_card("3S")


@pytest.mark.parametrize("place", ["NE", "SE", "SW", "NW"])
def test_what_a_hint_is_about_aims_at_the_place_that_it_names(place: str) -> None:
    scene = scene_of(model_of(position("KS 9C", {"N": "4D"})))
    picked = pressed(hinted(scene, 1, f"play KS {place}"), "enter")
    assert picked.ui.selection.aim == parse_place(place)
    moving = scene_of(model_of(position("9C", {"N": "KS"})))
    picked = pressed(hinted(moving, 1, f"move N {place}"), "enter")
    assert picked.ui.selection.aim == parse_place(place)


def test_a_hint_to_end_the_turn_is_not_hidden_by_what_is_picked() -> None:
    scene = pressed(scene_of(model_of(position("KS 9C", {"N": "4D"}))), "enter")
    assert scene.ui.selection.picked is not None
    assert "Hint: end your turn" in route.draw(hinted(scene, 1, "end")).text()


@pytest.mark.parametrize("action", ["cut the deck", "abandon", "play XX N", "forfeit 1"])
def test_a_hint_that_nobody_could_follow_is_none(action: str) -> None:
    model = update(game().model, Sent(messages.GetHint(id=request_id(1), version=1)), 0.0)
    told = update(model, messages.Hint(re=request_id(1), version=1, action=action), 0.0)
    assert told.hint is None


def test_no_hint_is_offered_where_there_are_none_or_out_of_turn() -> None:
    without = scene_of(model_of(position(HAND, PILES, hints=False)))
    assert without.model.table is not None
    assert not rules_of(without.model.table).hints
    assert "H hint" not in route.draw(without).text()
    theirs = scene_of(model_of(position(HAND, PILES, turn=1)))
    assert route.press(theirs, "h").intents == ()
