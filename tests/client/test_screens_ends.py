"""The ends of deals and matches: what is told whole there, and who is still asked for something."""

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.intents import Leave, SetReady
from kings_client.marks import Check, Mark
from kings_client.model import Model
from kings_client.parts.canvas import OnKey
from kings_client.screens import route
from kings_client.screens.deal_end import best_first
from kings_client.words.people import name_of
from kings_engine.events import DealEnded, DealEnding
from kings_engine.presets import preset_rules
from kings_protocol.messages import Said
from tables import ended, model_of, over, picture, played, pressed, scene_of, table_of

ENDS = {"deal_end": model_of(ended()), "match_end": model_of(over())}


def readied(name: str) -> Model:
    """Return a model in which one is ready for what comes next."""
    model = ENDS[name]
    assert model.table is not None
    mine, *others = model.table.seats
    seats = (replace(mine, ready=True), *others)
    return evolve(model, table=replace(model.table, seats=seats))


FOUR = model_of(list(played(preset_rules("pagat", {"players": 4}), 9000, 3))[-1], saved="/home" * 9)


def test_a_chart_is_drawn_where_it_can_be_read_and_else_not_even_its_frame() -> None:
    assert FOUR.view is not None
    assert len(FOUR.view.public.sheet) > 1
    assert "1 You" in picture(FOUR)
    chatty = evolve(FOUR, lines=(Said(seat=1, name="Ben", text="good game " * 9),))
    assert "points by deal" not in picture(chatty)
    assert picture(chatty).count("good game") == 9
    assert "points by deal" in picture(chatty, 80, 26)


@pytest.mark.parametrize("name", ["deal_end", "match_end"])
def test_who_is_ready_is_asked_no_more(name: str) -> None:
    asking, asked = (
        {one.spot for one in route.draw(scene_of(model)).regions}
        for model in (ENDS[name], readied(name))
    )
    assert OnKey("enter") in asking
    assert OnKey("enter") not in asked


def test_a_spectator_may_go_at_a_deals_end() -> None:
    scene = scene_of(evolve(ENDS["deal_end"], seat=None))
    assert OnKey("l") in {one.spot for one in route.draw(scene).regions}
    assert route.press(scene, "l").intents == (Leave(),)


def test_what_was_said_at_a_deals_end_is_told_whole_where_there_is_room() -> None:
    words = " ".join(f"word{at}" for at in range(36))
    lines = (Said(seat=1, name="Ben", text="hello"), Said(seat=2, name="Cleo", text=words))
    for size in ((80, 24), (60, 20)):
        text = " ".join(picture(evolve(ENDS["deal_end"], lines=lines), *size).split())
        assert f"Ben: hello Cleo: {words}" in text
    model = evolve(ENDS["match_end"], lines=lines, saved="/home/ann/matches/match.json")
    text = " ".join(picture(model).split())
    assert "/home/ann/matches/match.json Cleo: word0" in text
    assert "word20" in text
    cut = picture(evolve(ENDS["deal_end"], lines=lines), 40, 15)
    assert "Cleo: word0" in cut
    assert "Ben:" not in cut


@pytest.mark.parametrize("name", ["deal_end", "match_end"])
def test_how_a_deal_ended_is_told_whole_in_the_smallest_window(name: str) -> None:
    model = ENDS[name]
    blocked = [
        evolve(one, ending=DealEnding.BLOCKED) if isinstance(one, DealEnded) else one
        for one in model.events
    ]
    text = " ".join(picture(evolve(model, events=tuple(blocked)), 40, 15).split())
    assert "is over: nobody played for a whole round" in text


def test_a_deal_that_cannot_be_checked_says_so_whole_in_a_small_window() -> None:
    unseen = evolve(ENDS["deal_end"], checks={})
    text = " ".join(picture(unseen, 60, 20).split())
    assert "the deck: not checked: no commitments were seen before it (F explains it)" in text


def test_a_fair_deal_is_marked_and_an_unfair_one_stands_out() -> None:
    match = ended()
    fair = picture(model_of(match))
    assert "✓ the deck: fair, with your share" in fair
    assert "✓ 1 fair" in fair
    checks = {1: Check(Mark.BROKEN, doubts=("wrong_deck",))}
    unfair = picture(model_of(match, checks=checks))
    assert "✗ the deck: broken: wrong deck" in unfair
    assert "✗ a deal is broken" in unfair


def test_the_end_of_a_deal_shows_all_hands_best_first_and_who_is_waited_for() -> None:
    match = ended(seed=8)
    model = model_of(match)
    assert model.table is not None
    text = picture(model)
    costs = match.sheet[-1]
    order = sorted(range(3), key=lambda seat: costs[seat] or 0)
    rows = [row.split()[0] if row.split() else "" for row in text.split("\n")]
    places = [rows.index(name_of(model.table, seat, 0)) for seat in order]
    assert places == sorted(places)
    assert match.deal is not None
    ready = tuple(replace(seat, ready=at == 0) for at, seat in enumerate(model.table.seats))
    waits = evolve(model, table=table_of(match, seats=ready, next_in=9000))
    assert "Waiting for Ben and Cleo" in picture(waits)
    assert "0:09" in picture(waits)
    assert route.press(scene_of(model), "enter").intents == (SetReady(True),)


def test_the_last_table_can_be_looked_at_and_left_again() -> None:
    scene = pressed(scene_of(ENDS["deal_end"]), "t")
    assert "stock" in route.draw(scene).text()
    assert "T goes back" in route.draw(scene).text()
    assert "is over" in route.draw(pressed(scene, "t")).text()


def test_a_hand_too_large_for_its_line_says_how_many_cards_are_not_shown() -> None:
    model = model_of(over())
    assert model.view is not None
    public = model.view.public
    seat = best_first(public)[-1]
    seats = tuple(
        evolve(one, known=tuple(range(24))) if at == seat else one
        for at, one in enumerate(public.seats)
    )
    text = picture(evolve(model, view=evolve(model.view, public=evolve(public, seats=seats))))
    line = next(line for line in text.splitlines() if "6♠ 6♥" in line)
    *shown, more = line[20:].split()
    assert more.startswith("+")
    assert len(shown) + int(more) == 24


def test_the_end_of_a_match_names_the_winner_and_offers_a_rematch() -> None:
    match = over()
    model = model_of(match, saved="/home/ann/proofs/m1.json")
    text = picture(model)
    assert "kings verify /home/ann/proofs/m1.json" in text
    assert ("You win" if 0 in match.winners else "wins") in text or "share the win" in text
    assert "sum" in text
    scene = scene_of(model)
    assert route.press(scene, "enter").intents == (SetReady(True),)
    assert route.press(scene, "l").intents == (Leave(),)
    long = f"/home/ann/{'deep/' * 15}m1.json"
    assert long in "".join(row.strip() for row in picture(model_of(match, saved=long)).split("\n"))


@pytest.mark.parametrize("name", ["deal_end", "match_end"])
def test_a_key_that_was_meant_for_the_deal_does_not_skip_its_end(name: str) -> None:
    scene = scene_of(evolve(ENDS[name], events_at=-0.1))
    assert route.press(scene, "enter").intents == ()
    assert "Next deal" not in route.draw(scene).text()
    assert route.press(evolve(scene, now=1.0), "enter").intents == (SetReady(True),)
