"""Keys and clicks in a game: what each asks for, and that nothing jumps."""

from typing import Any

import pytest
from attrs import evolve

from kings_client.intents import EndTurn, Intent, MovePile, PlayCard, PlayTop, RetryNow, Say
from kings_client.keys import command
from kings_client.model import Linked, LinkState, Pending
from kings_client.parts.canvas import OnCard, OnKey, OnPlace, OnStock, Spot
from kings_client.screens import route
from kings_client.screens.draft import Draft, draw_draft, written
from kings_client.screens.selection import settled
from kings_client.screens.state import Scene
from kings_engine.actions import EndTurn as End
from kings_engine.actions import Move, Play
from kings_engine.cards import parse_card
from kings_engine.match import Match
from kings_engine.places import parse_place
from kings_protocol import messages
from tables import acted, model_of, position, pressed, scene_of

PILES = {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"}
HAND = "KH 9H 5S 3S"


def game(match: Match | None = None, **changes: Any) -> Scene:
    return scene_of(model_of(match or position(HAND, PILES), **changes))


def card(name: str) -> OnCard:
    return OnCard(parse_card(name))


def place(name: str) -> OnPlace:
    return OnPlace(parse_place(name))


def asked(scene: Scene, *keys: str) -> tuple[Intent, ...]:
    *before, last = keys
    return route.press(pressed(scene, *before), last).intents


def clicked(scene: Scene, *spots: Spot) -> tuple[Scene, tuple[Intent, ...]]:
    intents: tuple[Intent, ...] = ()
    for spot in spots:
        step = route.click(scene, spot)
        scene, intents = evolve(scene, ui=route.settle(step.ui, scene.model)), step.intents
    return scene, intents


def version(scene: Scene) -> int:
    assert scene.model.view is not None
    return scene.model.view.public.version


def test_the_cursor_starts_on_a_playable_card_and_stops_at_the_ends() -> None:
    scene = game(position("QC 9H 5S", PILES))
    assert scene.ui.selection.card == parse_card("9H")
    assert pressed(scene, "right", "right", "right").ui.selection.card == parse_card("5S")
    assert pressed(scene, "left", "left", "left").ui.selection.card == parse_card("QC")
    assert pressed(scene, "end").ui.selection.card == parse_card("5S")


def test_n_goes_to_the_next_playable_card_and_round() -> None:
    scene = game(position("KH QC 9H 8S 3S", PILES))
    found = [pressed(scene, *["n"] * times).ui.selection.card for times in range(4)]
    assert found == [parse_card(name) for name in ("KH", "9H", "3S", "KH")]


def test_enter_picks_and_enter_again_plays_to_the_first_target() -> None:
    scene = game()
    assert scene.ui.selection.card == parse_card("KH")
    assert asked(scene, "enter", "enter") == (
        PlayCard(parse_card("KH"), parse_place("NE"), version(scene)),
    )


def test_a_single_target_is_played_to_by_enter() -> None:
    scene = game(position("3S", PILES))
    assert asked(scene, "enter", "enter") == (PlayCard(parse_card("3S"), 2, version(scene)),)


def test_arrows_and_tab_go_round_the_targets_of_what_is_picked() -> None:
    scene = pressed(game(), "right", "enter")
    aims = [pressed(scene, *["right"] * turns).ui.selection.aim for turns in range(3)]
    assert aims == [parse_place("N"), parse_place("E"), parse_place("N")]
    assert pressed(scene, "tab").ui.selection.aim == parse_place("E")
    assert pressed(scene, "left").ui.selection.aim == parse_place("E")
    assert scene.ui.selection.card == parse_card("9H")


def test_escape_puts_back_then_returns_to_the_hand() -> None:
    scene = pressed(game(), "tab", "enter")
    assert scene.ui.selection.picked is not None
    scene = pressed(scene, "escape")
    assert scene.ui.selection.picked is None
    assert scene.ui.selection.spot is not None
    assert pressed(scene, "escape").ui.selection.spot is None


def test_tab_goes_through_the_movable_piles_and_back_to_the_hand() -> None:
    scene = game()
    spots = [pressed(scene, *["tab"] * times).ui.selection.spot for times in range(4)]
    assert spots == [None, place("N"), place("E"), None]
    assert pressed(scene, "s-tab").ui.selection.spot == place("E")


def test_with_no_movable_pile_tab_goes_through_all_of_them() -> None:
    scene = game(position("2S", {"N": "4D", "SW": "KC"}))
    spots = [pressed(scene, *["tab"] * times).ui.selection.spot for times in range(4)]
    assert spots == [None, place("N"), place("SW"), None]


def test_a_pile_is_picked_and_moved() -> None:
    match = position("AS", {"N": "TS", "W": "JD", "NE": "KS QH", "E": "4C"})
    scene = game(match)
    assert asked(scene, "tab", "enter", "enter") == (
        MovePile(parse_place("N"), parse_place("W"), version(scene)),
    )


def test_arrows_go_across_the_table_and_down_to_the_hand() -> None:
    scene = pressed(game(), "tab")
    path = ["down", "right", "left", "up", "up", "left", "down", "down"]
    spots = [pressed(scene, *path[:steps]).ui.selection.spot for steps in range(1, len(path) + 1)]
    assert spots == [place(name) for name in ("S", "E", "W", "NW", "NW", "NW", "W", "S")]
    assert pressed(scene, "down", "down").ui.selection.spot is None


@pytest.mark.parametrize(
    ("digit", "name"),
    list(zip("78946123", ["NW", "N", "NE", "W", "E", "SW", "S", "SE"], strict=True)),
)
def test_digits_are_places_as_on_a_number_pad(digit: str, name: str) -> None:
    scene = pressed(game(), "right", "enter")
    assert asked(scene, digit) == (PlayCard(parse_card("9H"), parse_place(name), version(scene)),)


def test_the_players_insistence_is_asked_of_the_server_and_its_answer_shown() -> None:
    scene = pressed(game(), "right", "enter")
    assert asked(scene, "2") == (PlayCard(parse_card("9H"), parse_place("S"), version(scene)),)
    refused = messages.Refused(
        re="0" * 32, code="wrong_rank", card=parse_card("9H"), place=2, top=parse_card("4D")
    )
    told = evolve(scene, model=evolve(scene.model, refusal=refused))
    sentence = "A red 9 goes on a black 10, not on the 4 of diamonds"
    assert sentence in route.draw(told).text()
    assert sentence not in route.draw(pressed(told, "left")).text()


def test_d_ends_the_turn_also_with_something_picked() -> None:
    scene = game()
    for keys in (("d",), ("enter", "d"), ("tab", "d")):
        assert asked(scene, *keys) == (EndTurn(version(scene)),)


def test_a_turn_that_may_not_end_is_still_asked_of_the_server() -> None:
    match = position("9H 2S", PILES, must_play="hand")
    scene = game(match)
    assert not scene.model.view.own.may_end  # type: ignore[union-attr]
    assert asked(scene, "d") == (EndTurn(version(scene)),)


def test_a_card_without_a_place_says_what_it_needs() -> None:
    scene = pressed(game(position("8S 2S", PILES)), "enter")
    assert scene.ui.selection.picked is None
    assert scene.ui.note == "8♠ needs a red 9, or an empty side"
    assert (
        "needs an empty corner"
        in pressed(
            game(position("KC", {**PILES, "NE": "KS", "SE": "KH", "SW": "QC"}, other="2C")), "enter"
        ).ui.note
    )


def test_off_turn_nothing_is_sent_and_the_reason_is_told() -> None:
    scene = game(position(HAND, PILES, turn=1))
    for keys in (("d",), ("enter",), ("8",)):
        assert asked(scene, *keys) == ()
        assert "Ben's turn" in pressed(scene, *keys).ui.note
    assert pressed(scene, "right").ui.selection.card != scene.ui.selection.card


def test_without_a_connection_nothing_is_sent() -> None:
    waiting = LinkState(Linked.WAITING, "here", 1, 3.0, "cut")
    scene = game(link=waiting)
    assert asked(scene, "d") == ()
    assert "no connection" in pressed(scene, "d").ui.note
    assert asked(scene, "r") == (RetryNow(),)


def test_a_second_action_waits_for_the_answer_to_the_first() -> None:
    request = messages.EndTurn(id="0" * 32, version=1)
    scene = game(pending=(Pending(request, None),))
    assert asked(scene, "enter", "enter") == ()
    waits = pressed(scene, "enter", "enter")
    assert waits.ui.selection.picked is not None
    assert "on its way" in waits.ui.note
    answered = evolve(scene.model, pending=())
    assert route.settle(waits.ui, answered, scene.model).note == ""


def test_clicks_pick_play_and_put_back() -> None:
    scene = game()
    picked, intents = clicked(scene, card("9H"))
    assert intents == ()
    assert picked.ui.selection.picked == card("9H")
    assert clicked(picked, card("9H"))[0].ui.selection.picked is None
    assert clicked(picked, card("KH"))[0].ui.selection.picked == card("KH")
    assert clicked(picked, place("E"))[1] == (PlayCard(parse_card("9H"), 1, version(scene)),)


def test_a_click_on_a_pile_picks_it_and_on_another_moves_it() -> None:
    scene = game(position("AS", {"N": "TS", "W": "JD", "E": "4C"}))
    assert clicked(scene, place("N"), place("W"))[1] == (MovePile(0, 3, version(scene)),)
    assert clicked(scene, place("N"), place("N"))[0].ui.selection.picked is None
    assert "nowhere" in clicked(scene, place("E"))[0].ui.note
    assert "empty" in clicked(scene, place("S"))[0].ui.note


def test_a_click_on_a_closed_stock_or_the_button_ends_the_turn() -> None:
    scene = game()
    assert clicked(scene, OnStock())[1] == (EndTurn(version(scene)),)
    assert clicked(scene, OnKey("d"))[1] == (EndTurn(version(scene)),)
    put_back, intents = clicked(scene, card("9H"), OnStock())
    assert intents == ()
    assert put_back.ui.selection.picked is None


def test_an_open_stock_is_picked_by_a_click_and_by_tab() -> None:
    scene = game(position("AS", {"NE": "TS"}, preset="royal_corners", stock="9D 8C"))
    expected = (PlayTop(parse_place("NE"), version(scene)),)
    assert clicked(scene, OnStock(), place("NE"))[1] == expected
    assert asked(scene, "5", "enter") == expected
    assert clicked(scene, OnStock(), OnStock())[0].ui.selection.picked is None


def test_the_cursor_stays_where_it_is_while_others_play() -> None:
    before = position("KH 9H 5S", PILES, other="9D 2C", turn=1)
    scene = pressed(game(before), "right", "right")
    assert scene.ui.selection.card == parse_card("5S")
    after = acted(before, (1, Play(parse_card("9D"), 0)), (1, End()))
    assert settled(scene.ui.selection, model_of(after).view).card == parse_card("5S")


def test_selection_survives_a_reconnect() -> None:
    before = position("KH 9H 5S", PILES)
    scene = pressed(game(before), "right", "enter", "right")
    kept = scene.ui.selection
    assert kept.aim == parse_place("E")
    lost = evolve(scene.model, link=LinkState(Linked.WAITING, "here", 1, 3.0, "cut"))
    away = route.settle(scene.ui, lost)
    assert away.selection == kept
    assert route.settle(away, model_of(before)).selection == kept


def test_a_card_that_is_played_on_another_pile_leaves_the_rest_picked() -> None:
    before = position("KH 9H 5S", PILES)
    scene = pressed(game(before), "enter")
    after = acted(before, (0, Move(parse_place("N"), parse_place("NW"))))
    assert settled(scene.ui.selection, model_of(after).view).picked == card("KH")


def test_after_a_play_the_cursor_is_on_the_card_that_took_its_place() -> None:
    before = position("KH 9H 5S", PILES)
    scene = pressed(game(before), "right", "enter")
    after = acted(before, (0, Play(parse_card("9H"), 0)))
    selection = settled(scene.ui.selection, model_of(after).view)
    assert selection.card == parse_card("5S")
    assert selection.picked is None
    last = acted(after, (0, Play(parse_card("KH"), 4)))
    assert settled(selection, model_of(last).view).card == parse_card("5S")


def test_what_is_picked_is_put_back_when_the_turn_is_over() -> None:
    before = position("KH 9H 5S", PILES)
    scene = pressed(game(before), "right", "enter")
    after = model_of(acted(before, (0, End())))
    selection = settled(scene.ui.selection, after.view)
    assert selection.picked is None
    assert selection.card == parse_card("9H")


def test_a_spectator_can_do_nothing_but_look_talk_and_leave() -> None:
    match = position(HAND, PILES)
    scene = game(match, seat=None)
    assert scene.model.view is not None
    for key in ("enter", "d", "8", "tab", "left"):
        assert asked(scene, key) == ()
    assert len(asked(scene, "l")) == 1
    assert "watching" in route.draw(scene).text()


def test_chat_is_written_and_said_and_its_letters_play_nothing() -> None:
    scene = pressed(game(), "/", *"dead q/?", "backspace")
    assert scene.ui.line == written("dead q/")
    assert route.writes(scene)
    assert route.press(scene, "enter").intents == (Say("dead q/"),)
    assert pressed(scene, "escape").ui.line is None
    assert asked(game(), "/", " ", "enter") == ()


def test_a_line_is_edited_anywhere_and_its_cursor_stays_in_sight() -> None:
    line = Draft()
    for key in ("a", "王", "c", "left", "left", "x", "home", "delete", "end", "backspace", "tab"):
        line = line.press(key, 10)
    assert line == Draft("x王", 2)
    for _ in range(20):
        line = line.press("y", 10)
    assert len(line.text) == 10
    drawn = draw_draft(line, 5, "class:field")
    assert drawn.cursor is not None
    assert drawn.cursor[0] < 5


def test_keys_mean_the_same_under_a_russian_layout() -> None:
    assert [command(letter) for letter in "ВйЫ.5"] == ["d", "q", "s", "/", "5"]
