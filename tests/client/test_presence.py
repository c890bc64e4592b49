"""Pauses, people who press no key, and what is asked of others: seen, and asked for by keys."""

from typing import Any

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.intents import Here, Ignore, Kick, Pause, RemoveBot, Silence, Vote
from kings_client.model import Linked, LinkState, Model
from kings_client.parts.canvas import OnKey, OnRow, OnStock
from kings_client.screens import route
from kings_client.screens.knowing import counting
from kings_client.screens.presence import TELL_SECONDS
from kings_client.screens.state import Scene
from kings_client.words.notices import notice
from kings_engine.rules import make_rules
from kings_protocol.messages import Notice, Said, SeatState
from tables import model_of, played, pressed, scene_of, table_of

ANN, BEN, CLEO = 0, 1, 2


def at_table(*changed: dict[str, Any], **changes: Any) -> Model:
    """Return what Ann, who is on turn, sees at a table with changes to its seats and itself."""
    _, match = played(make_rules({"players": 3, "first_dealer": "last"}), 2, seed=4)
    table = table_of(match)
    seats = [
        replace(seat, **change)
        for seat, change in zip(table.seats, (*changed, {}, {}, {}), strict=False)
    ]
    return model_of(match, table=replace(table, seats=tuple(seats), **changes))


def asked(model: Model, *keys: str) -> tuple[object, ...]:
    """Return what the last of some keys asks for."""
    scene = pressed(scene_of(model), *keys[:-1])
    return route.press(scene, keys[-1]).intents


def shown(model: Model, **changes: Any) -> str:
    return route.draw(scene_of(model, **changes)).text()


def test_p_twice_pauses_and_takes_it_back() -> None:
    model = at_table()
    assert asked(model, "p", "p") == (Pause(True),)
    wanting = at_table({"pause": True})
    assert asked(wanting, "p", "p") == (Pause(False),)
    paused = at_table({"pause": True}, paused=True)
    assert "Go on" in route.draw(pressed(scene_of(paused), "p")).text()
    assert asked(paused, "p", "p") == (Pause(False),)


def test_a_server_that_cannot_save_is_told_until_it_can() -> None:
    assert "The server cannot save; the game waits" in shown(at_table(saving=False))
    assert "cannot save" not in shown(at_table())


def test_a_pause_says_who_is_missing() -> None:
    away = at_table({}, {"state": "dropped"}, {"pause": True}, paused=True)
    assert "paused until Ben and Cleo are back" in shown(away)
    mine = at_table({"pause": True}, paused=True)
    assert "paused; press P twice when you are back" in shown(mine)
    assert "the match pauses when all agree" in shown(at_table({"pause": True}))
    asking = at_table({}, {"pause": True})
    assert "Ben asks for a pause; P twice agrees" in shown(asking)


@pytest.mark.parametrize("changes", [{"paused": True}, {"saving": False}])
def test_where_nothing_can_be_done_no_key_promises_it(changes: dict[str, Any]) -> None:
    spots = [
        {one.spot for one in route.draw(scene_of(model)).regions}
        for model in (at_table(), at_table(**changes))
    ]
    assert OnKey("d") in spots[0]
    assert not {OnKey("d"), OnKey("enter"), OnKey("h")} & spots[1]
    assert OnKey("p") in spots[1]


def test_a_small_window_tells_what_becomes_of_who_is_away_and_which_clock_runs() -> None:
    gone = at_table({}, {"state": "dropped", "back_in": 42_000}, {"state": "held"})
    text = route.draw(scene_of(gone, 60, 20)).text()
    assert "Ben: bot in 0:42" in text
    assert "Cleo: away; a bot plays" in text
    assert "You: 0:09 left" in route.draw(scene_of(at_table(turn_in=9_000), 60, 20)).text()
    assert "You: no key: 0:09" in route.draw(scene_of(at_table(away_in=9_000), 40, 15)).text()


def test_a_small_window_shows_what_was_said_last_beside_what_happened() -> None:
    lines = (Said(seat=1, name="Ben", text="hello"), Said(seat=1, name="Ben", text="well played"))
    rows = route.draw(scene_of(evolve(at_table(), lines=lines), 60, 20)).text().split("\n")
    assert [row.strip() for row in rows[-5:-3]] == ["Ben: hello", "Ben: well played"]
    assert "deal 1 begins" in "".join(rows)
    longer = Said(seat=1, name="Ben", text="word " * 20)
    long = evolve(at_table(), lines=(lines[0], longer, lines[1]))
    text = " ".join(route.draw(scene_of(long, 60, 20)).text().split())
    assert f"Ben: hello Ben: {'word ' * 20}Ben: well played" in text


def test_a_pause_is_told_once_of_each_in_the_list_of_people() -> None:
    paused = at_table({"pause": True}, {"pause": True}, {"pause": True}, paused=True)
    seats = route.draw(pressed(scene_of(paused), "p")).text().split("people ─")[1]
    assert seats.count("pausing") == 3


def test_a_bot_is_voted_for_from_the_list_of_people() -> None:
    model = at_table()
    assert asked(model, "p", "v") == ()
    assert asked(model, "p", "down", "v") == (Vote(BEN, True),)
    voted = at_table({}, {"votes": (ANN, CLEO)})
    scene = pressed(scene_of(voted), "p", "down")
    assert "You and Cleo for a bot here" in route.draw(scene).text()
    assert route.press(scene, "v").intents == (Vote(BEN, False),)
    assert asked(model, "p", "down", "k") == ()


def test_the_list_of_people_is_clicked_as_well() -> None:
    scene = pressed(scene_of(at_table()), "p")
    scene = evolve(scene, ui=route.click(scene, OnRow(CLEO)).ui)
    assert route.click(scene, OnKey("v")).intents == (Vote(CLEO, True),)
    assert route.click(scene, OnKey("escape")).ui.overlay is None


def test_the_host_takes_people_out_before_a_start() -> None:
    waiting = at_table(phase="waiting")
    assert asked(waiting, "down", "x") == (Kick(BEN),)
    assert asked(waiting, "x") == ()
    bot = at_table({}, {"state": "bot", "level": "easy"}, phase="waiting")
    assert asked(bot, "down", "x") == (RemoveBot(BEN),)
    beside = at_table({}, {}, {"state": "bot", "level": "easy"}, phase="waiting")
    assert "X take out" in shown(beside, row=BEN)
    assert "X remove bot" in shown(beside, row=CLEO)
    guest = at_table(phase="waiting", host=BEN)
    assert "take out" not in shown(guest, row=CLEO)


def test_who_disturbs_is_hidden_by_anybody_and_stopped_by_the_host() -> None:
    model = at_table(watchers=3)
    assert asked(model, "p", "down", "i") == (Ignore("Ben", True),)
    assert asked(model, "p", "down", "s") == (Silence(BEN, True),)
    for key, wish in (("i", Ignore(None, True)), ("s", Silence(None, True)), ("k", Kick(None))):
        assert asked(model, "p", "up", key) == (wish,)
    guest = at_table(watchers=3, host=BEN)
    assert asked(guest, "p", "up", "i") == (Ignore(None, True),)
    assert asked(guest, "p", "up", "k") == asked(guest, "p", "up", "s") == ()
    hidden = evolve(at_table(watchers=3, silent=True), ignored=frozenset({"Ben", None}))
    assert asked(hidden, "p", "up", "s") == (Silence(None, False),)
    assert asked(hidden, "p", "up", "i") == (Ignore(None, False),)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"away_in": 25_000}, "press any key within 0:25".capitalize()),
        ({"away_in": None, "state": "dropped"}, "press any key and you are back"),
        ({"away_in": None, "state": "held"}, "press any key and you are back"),
    ],
)
def test_somebody_doubted_is_told_and_any_key_says_that_the_person_is_here(
    changes: dict[str, Any], says: str
) -> None:
    state = changes.get("state", "seated")
    model = at_table({"state": state}, away_in=changes["away_in"])
    scene = scene_of(model)
    assert says.lower() in shown(model).lower()
    step = route.press(scene, "right")
    assert step.intents == (Here(),)
    again = evolve(scene, ui=step.ui, now=TELL_SECONDS - 0.1)
    assert route.press(again, "right").intents == ()
    assert Here() not in route.click(again, OnStock()).intents
    later = evolve(again, now=TELL_SECONDS)
    assert Here() in route.press(later, "left").intents
    assert Here() in route.press(evolve(later, ui=evolve(later.ui, line=None)), "?").intents


def test_nothing_is_told_of_keys_that_nobody_doubts() -> None:
    others = at_table({}, {"state": "dropped"}, away_in=None)
    offline = evolve(at_table({"state": "dropped"}), link=LinkState(Linked.WAITING, "here"))
    not_mine = evolve(at_table(away_in=9000), seat=BEN)
    for model in (at_table(), others, offline, not_mine):
        assert Here() not in route.press(scene_of(model), "right").intents


def test_the_countdown_runs_for_everybody() -> None:
    model = at_table(away_in=25_000)
    assert counting(model)
    assert "no key: 0:25" in shown(model)
    scene = scene_of(model)
    later = evolve(scene, now=5.0)
    assert "no key: 0:20" in route.draw(later).text()


def drafts(scene: Scene) -> tuple[object, object]:
    return scene.ui.selection.picked, scene.ui.line


def test_what_was_picked_and_half_written_outlives_a_lost_connection() -> None:
    model = at_table()
    scene = pressed(scene_of(model), "n", "enter", "/", *"hello")
    before = drafts(scene)
    assert None not in before
    lost = evolve(model, link=LinkState(Linked.WAITING, "here", reason="cut", retry_at=9.0))
    ui = route.settle(scene.ui, lost, model)
    connecting = evolve(lost, link=LinkState(Linked.CONNECTING, "here"), events=())
    ui = route.settle(ui, connecting, lost)
    ui = route.settle(ui, model, connecting)
    assert drafts(evolve(scene, ui=ui)) == before


def test_a_list_of_people_closes_with_its_table() -> None:
    model = at_table()
    scene = pressed(scene_of(model), "p")
    assert scene.ui.overlay == "people"
    gone = evolve(model, where="lobby", table=None, view=None, seat=None)
    assert route.settle(scene.ui, gone, model).overlay is None


def test_an_open_seat_is_no_person() -> None:
    model = at_table({}, {"state": "open", "name": ""}, phase="over")
    model = evolve(model, view=None)
    assert asked(model, "p", "down", "k") == ()
    assert SeatState(state="open", name="").votes == ()


def test_who_left_is_named_though_a_bot_has_the_seat_by_now() -> None:
    table = at_table({}, {"state": "bot", "name": "medium"}).table
    assert table is not None
    assert notice(Notice(code="left", seat=BEN, name="Ben"), table, ANN) == "Ben left the table"
    assert notice(Notice(code="left", seat=CLEO, name="Cleo"), table, ANN) == "Cleo left the table"
    assert notice(Notice(code="back", seat=ANN, name="Ann"), table, ANN) == "you are back"


def test_the_status_line_says_whose_return_is_waited_for() -> None:
    away = {"state": "dropped", "back_in": 42_000}
    model = at_table({}, away)
    turn = model.view.public.turn if model.view is not None else None
    assert turn == ANN
    assert "Waiting for Ben" not in shown(model)
    others = evolve(at_table(away), seat=BEN)
    assert "Waiting for Ann to come back: 0:42" in shown(others)
    bound = evolve(at_table({**away, "back_in": None}), seat=BEN)
    assert "Waiting for Ann to come back" in shown(bound)
    before = at_table({}, away, away, phase="waiting")
    before = evolve(before, view=None, events=())
    assert "Waiting for Ben and Cleo to come back: 0:42" in shown(before)


def test_who_becomes_host_while_a_deal_is_played_is_not_told_to_start() -> None:
    model = at_table()
    assert model.table is not None
    told = notice(Notice(code="host_is", seat=ANN, name="Ann"), model.table, ANN)
    assert told == "you are the host now"
