"""The ends of deals and matches: what is told whole there, and who is still asked for something."""

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.intents import Leave
from kings_client.model import Model
from kings_client.parts.canvas import OnKey
from kings_client.screens import route
from kings_engine.events import DealEnded, DealEnding
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_protocol.messages import Said
from tables import model_of, picture, played, scene_of

PLAYED = list(played(preset_rules("pagat", {"players": 3}), 9000, 3))
ENDS = {
    "deal_end": model_of(next(one for one in PLAYED if one.phase == Phase.DEAL_DUE and one.sheet)),
    "match_end": model_of(PLAYED[-1]),
}


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
    assert "is over: nobody could play for a whole round" in text


def test_a_deal_that_cannot_be_checked_says_so_whole_in_a_small_window() -> None:
    unseen = evolve(ENDS["deal_end"], checks={})
    text = " ".join(picture(unseen, 60, 20).split())
    assert "this deal was not seen from its start, so it cannot be checked" in text
