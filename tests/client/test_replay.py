"""Replays: what is shown at each moment, to whom, and how one goes through them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from attrs import evolve

from kings_client.finished import Archive, Finished, Player
from kings_client.intents import CloseMatches, ExportMatch, ShowMatch
from kings_client.marks import Mark
from kings_client.model import Model
from kings_client.replay import LONGEST, moments, open_replay
from kings_client.saved import BadFile, Result, SavedMatch
from kings_client.screens import route
from kings_client.screens.after import AfterUi
from kings_client.screens.state import Scene, Ui
from kings_engine.actions import TABLE, BeginDeal
from kings_engine.events import Drew
from kings_engine.phase import Phase
from kings_engine.view import View, legal_actions, observe_own
from proofs import Played, after_deal, saved

FILE = Path("match.json")


def two_deals() -> tuple[SavedMatch, list[View]]:
    """Return a saved match and every view that its player was shown while it was played."""
    played = after_deal()
    played.answer_proof()
    secret = played.promise(2, bytes(range(2, 34)))
    played.do(TABLE, BeginDeal(secret))
    views = [seen(played)]
    while played.match.phase is Phase.PLAY:
        before = played.match.version
        one_step(played)
        assert played.match.version == before + 1
        views.append(seen(played))
    played.answer_proof()
    return saved(played), views


def seen(played: Played) -> View:
    assert played.model.view is not None
    return played.model.view


def one_step(played: Played) -> None:
    turn = played.match.turn
    assert turn is not None
    played.do(turn, played.random.choice(legal_actions(observe_own(played.match, turn))))


MATCH, SEEN = two_deals()
REPLAY = open_replay(MATCH, FILE)


def scene(width: int = 80, height: int = 24, **after: Any) -> Scene:
    ui = Ui(after=AfterUi(**after))
    return Scene(Model(replay=REPLAY, matches=Archive()), ui, width, height, 0.0)


def frame(**after: Any) -> str:
    return route.draw(scene(**after)).text()


def pressed(start: Scene, *keys: str) -> Scene:
    for key in keys:
        start = evolve(start, ui=route.press(start, key).ui)
    return start


def test_each_moment_is_what_the_player_saw_then() -> None:
    second = [moment for moment in REPLAY.moments if moment.deal == 2]
    assert len(second) == len(SEEN)
    for moment, was in zip(second, SEEN, strict=True):
        assert moment.view.own == was.own
        assert moment.view.public.piles == was.public.piles
        assert moment.view.public.sheet == was.public.sheet
        assert [one.points for one in moment.view.public.seats] == [
            one.points for one in was.public.seats
        ]


def test_ones_own_story_hides_what_others_drew_and_the_open_one_does_not() -> None:
    end = next(moment for moment in reversed(REPLAY.moments) if moment.deal == 1)
    theirs = [event for event in end.events if isinstance(event, Drew) and event.seat != 0]
    assert theirs
    assert all(event.cards is None for event in theirs)
    assert all(event.cards for event in end.open_events if isinstance(event, Drew))
    assert len(end.events) == len(end.open_events)


def test_another_hand_is_on_the_picture_only_by_wish_or_when_the_deal_is_over() -> None:
    look = Ui().look
    for at, moment in enumerate(REPLAY.moments):
        other = [look.card(card) for card in moment.hands[1]]
        lines = frame(at=at).split("\n")[19:22]
        hidden = moment.view.public.phase is Phase.PLAY
        row = " ".join(lines)
        assert not hidden or not any(name in row for name in other)
        assert hidden or all(name in row for name in other)
        every = " ".join(frame(at=at, all_hands=True).split("\n")[19:22])
        assert all(look.card(card) in every for hand in moment.hands for card in hand)


def test_keys_step_by_action_turn_and_deal() -> None:
    start = scene()
    assert pressed(start, "right", "right", "left").ui.after.at == 1
    assert pressed(start, "left").ui.after.at == 0
    last = len(REPLAY.moments) - 1
    assert pressed(start, "end").ui.after.at == last
    assert pressed(start, "end", "right").ui.after.at == last
    assert pressed(start, "end", "home").ui.after.at == 0
    second = next(at for at, moment in enumerate(REPLAY.moments) if moment.deal == 2)
    assert pressed(start, "pagedown").ui.after.at == second
    assert pressed(start, "pagedown", "pageup").ui.after.at == 0
    turns = [pressed(start, *["down"] * count).ui.after.at for count in range(30)]
    for before, after in pairwise(turns):
        if before != after != last:
            was, now = REPLAY.moments[before], REPLAY.moments[after]
            assert (was.deal, was.turn) != (now.deal, now.turn)
    back = pressed(start, "down", "down", "up").ui.after.at
    assert back == turns[1]


def test_it_is_saved_and_left_by_key() -> None:
    assert route.press(scene(), "w").intents == (ExportMatch(FILE),)
    assert route.press(scene(), "escape").intents == (CloseMatches(),)
    assert pressed(scene(), "a").ui.after.all_hands


@pytest.mark.parametrize("size", [(1, 1), (40, 15), (60, 20), (80, 24), (110, 34), (200, 60)])
def test_every_moment_is_drawn_at_every_size(size: tuple[int, int]) -> None:
    for at in range(0, len(REPLAY.moments), 7):
        for every in (False, True):
            drawn = route.draw(scene(*size, at=at, all_hands=every))
            assert (drawn.width, drawn.height) == size


def test_a_deal_that_is_not_in_the_file_counts_for_nothing() -> None:
    second = tuple(deal for deal in MATCH.deals if deal.number == 2)
    found = moments(msgspec.structs.replace(MATCH, deals=second))
    assert {moment.deal for moment in found} == {2}
    assert found[0].view.public.sheet == ((None, None),)


def test_what_cannot_be_played_again_is_refused_in_words() -> None:
    replace = msgspec.structs.replace
    deal = next(one for one in MATCH.deals if one.number == 1)
    assert deal.proof is not None
    bad = replace(deal, proof=evolve(deal.proof, actions=((0, "play KH N"),) * 2))
    far = replace(deal, number=LONGEST + 1)
    for match, words in (
        (replace(MATCH, deals=()), "no finished deal"),
        (replace(MATCH, deals=(bad,)), "cannot be played again"),
        (replace(MATCH, deals=(far,)), "a deal 1001"),
        (replace(MATCH, seat=7), "a seat that is not there"),
    ):
        with pytest.raises(BadFile, match=words):
            open_replay(match, FILE)


def listed() -> Model:
    result = Result(winners=(0,), losers=(), points=(3, 9))
    players = (Player("Ann", None), Player("Ben", None))
    match = Finished(FILE, "2026-11-30T20:15", "Den", "pagat", players, 0, result, Mark.FAIR, 2)
    return Model(matches=Archive((match, evolve(match, mark=Mark.BROKEN))))


def test_the_list_opens_a_match_and_turns_to_the_results() -> None:
    here = Scene(listed(), Ui(), 80, 24, 0.0)
    text = route.draw(here).text()
    assert "you won, 3 : 9" in text
    assert "fair, with your share" in text
    assert "broken" in text
    assert route.press(here, "enter").intents == (ShowMatch(FILE),)
    results = pressed(here, "t")
    assert "Ben" in route.draw(results).text()
    assert route.press(results, "enter").intents == ()
    assert not pressed(results, "escape").ui.after.results
    assert route.press(here, "escape").intents == (CloseMatches(),)
    assert pressed(here, "down", "down").ui.row == 1


@pytest.mark.parametrize("size", [(1, 1), (40, 15), (80, 24), (140, 40)])
def test_the_list_is_drawn_at_every_size(size: tuple[int, int]) -> None:
    for model in (listed(), Model(matches=Archive(unread=2))):
        for results in (False, True):
            drawn = route.draw(Scene(model, Ui(after=AfterUi(results)), *size, 0.0))
            assert (drawn.width, drawn.height) == size
