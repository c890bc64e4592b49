"""Several people at one keyboard, as pure functions: whatever comes, in whatever order, no frame
shows a hand to the wrong person, and between two people's hands there is a frame without any.
"""

import random
from itertools import pairwise
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kings_client.covering import Desk, leader, lifted, passed_on, shown
from kings_client.intents import LiftCover, StartHost, StartJoin, StartPlay
from kings_client.model import Linked, LinkState, Model, Recent
from kings_client.screens import route
from kings_client.screens.cover import GRACE_SECONDS
from kings_client.screens.state import Scene, Ui
from kings_engine.events import Drew
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.view import observe_own
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Refused, Said
from tables import model_of, played, pressed, scene_of

KEYS = ("enter", "right", "tab", "n", "t", "s", "?", "escape", "/", "q", "d", "h", "l", "r")
SIZES = ((80, 24), (130, 40), (60, 20), (20, 5))


class Household:
    """People at one keyboard of a match whose positions reach each of them in their own time."""

    def __init__(self, seed: int, local: int, players: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311  choices of a test
        rules = preset_rules("pagat", {"players": players, "points": 20})
        self.positions = list(played(rules, 250, seed))
        self.local = local
        self.reached = [0] * local
        self.people = [self.model(at) for at in range(local)]
        self.desk = Desk()
        self.now = 0.0
        self.ui = Ui()
        self.model_shown = shown(self.desk, self.people)
        self.hands_shown: list[int | None] = []

    def model(self, at: int, **changes: Any) -> Model:
        match = self.positions[self.reached[at]]
        said = Said(seat=at, name="Ann", text=f"line {self.reached[at]}")
        return model_of(match, at, lines=(said,), **changes)

    def settle(self) -> None:
        self.now += self.dice.choice((0.0, 0.1, GRACE_SECONDS, 5.0))
        self.desk = passed_on(self.desk, self.people, self.now)
        before, self.model_shown = self.model_shown, shown(self.desk, self.people)
        self.ui = route.settle(self.ui, self.model_shown, before)
        self.look()

    def step(self) -> None:
        """Let one thing happen: news, a lost connection, a key, a click of the wrong person."""
        at = self.dice.randrange(self.local)
        match self.dice.randrange(6):
            case 0 | 1:
                newest = len(self.positions) - 1
                self.reached[at] = min(self.reached[at] + self.dice.randint(1, 3), newest)
                self.people[at] = self.model(at)
            case 2:
                states = (LinkState(Linked.WAITING, "here"), LinkState(Linked.ONLINE, "here"))
                self.people[at] = evolve(self.people[at], link=self.dice.choice(states))
            case 3:
                self.desk = lifted(self.desk, self.people, self.dice.randrange(4))
            case _:
                self.press(self.dice.choice(KEYS))
        self.settle()

    def scene(self) -> Scene:
        return Scene(self.model_shown, self.ui, *self.dice.choice(SIZES), self.now)

    def press(self, key: str) -> None:
        step = route.press(self.scene(), key)
        self.ui = step.ui
        for intent in step.intents:
            if isinstance(intent, LiftCover):
                self.desk = lifted(self.desk, self.people, intent.seat)

    def look(self) -> None:
        """Draw a frame and hold it to what may be on it."""
        model, view = self.model_shown, self.model_shown.view
        if view is None:
            return
        match = self.positions[view.public.version]
        owner = None if view.own is None else view.own.seat
        self.hands_shown.append(owner)
        frame = route.draw(self.scene()).text()
        if match.phase is Phase.PLAY:
            for seat in range(self.local):
                if seat != owner:
                    assert not self.seen(frame, match, seat), (seat, owner, frame)
            assert (owner is None) == (model.cover is not None)
        else:
            assert owner is None or self.desk.at is not None

    def seen(self, frame: str, match: Match, seat: int) -> list[str]:
        names = map(self.ui.look.card, observe_own(match, seat).hand)
        # A ten ends as no other card begins, but a lone name may be a part of "10♠".
        return [name for name in names if name in frame]


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(0, 2))
def test_no_frame_shows_a_hand_to_the_wrong_person(seed: int, local: int, others: int) -> None:
    household = Household(seed, local, min(local + others, 4))
    for _ in range(120):
        household.step()
    for before, after in pairwise(household.hands_shown):
        assert before is None or after is None or before == after


def positions_of(seed: int = 5, players: int = 2) -> list[Match]:
    rules = preset_rules("pagat", {"players": players, "points": 20})
    return list(played(rules, 250, seed))


def turn_of(positions: list[Match], seat: int) -> int:
    return next(at for at, one in enumerate(positions) if one.turn == seat)


def here(match: Match, people: int = 2) -> list[Model]:
    return [model_of(match, at) for at in range(people)]


def test_the_cover_is_for_the_person_on_turn_and_lifted_by_that_person_alone() -> None:
    positions = positions_of()
    people = here(positions[turn_of(positions, 1)])
    desk = passed_on(Desk(), people, 3.0)
    covered = shown(desk, people)
    assert covered.cover is not None
    assert (covered.cover.name, covered.cover.seat, covered.cover.since) == ("Ben", 1, 3.0)
    assert covered.view is not None
    assert covered.view.own is None
    assert (covered.seat, covered.here, covered.pending) == (None, (0, 1), ())
    assert lifted(desk, people, 0) == desk
    assert shown(lifted(desk, people, 1), people) == people[1]


def test_the_cover_comes_down_when_the_turn_passes_and_names_whoever_is_next() -> None:
    positions = positions_of()
    mine = turn_of(positions, 0)
    desk = lifted(passed_on(Desk(), here(positions[mine]), 0.0), here(positions[mine]), 0)
    assert shown(desk, here(positions[mine])).seat == 0
    theirs = next(at for at in range(mine, len(positions)) if positions[at].turn == 1)
    passed = passed_on(desk, here(positions[theirs]), 1.0)
    assert (passed.at, passed.due) == (None, 1)
    # The turn of the one who was waited for runs out: the cover stays, for the next.
    again = next(at for at in range(theirs, len(positions)) if positions[at].turn == 0)
    assert passed_on(passed, here(positions[again]), 2.0) == Desk(None, 0, 2.0)


def test_one_looks_at_ones_hand_while_somebody_elsewhere_plays() -> None:
    positions = positions_of(players=3)
    mine = turn_of(positions, 1)
    desk = lifted(passed_on(Desk(), here(positions[mine]), 0.0), here(positions[mine]), 1)
    bot = next(at for at in range(mine, len(positions)) if positions[at].turn == 2)
    assert shown(passed_on(desk, here(positions[bot]), 1.0), here(positions[bot])).seat == 1


def test_the_end_of_a_deal_is_a_page_for_all_that_calls_nobody_you() -> None:
    end = next(one for one in positions_of() if one.phase is not Phase.PLAY and one.number)
    people = here(end)
    common = shown(passed_on(Desk(0), people, 0.0), people)
    assert common.cover is None
    assert (common.seat, common.seated) == (None, (0, 1))
    assert not any(event.cards for event in common.events if isinstance(event, Drew))
    frame = route.draw(Scene(common, Ui(), 80, 24, 60.0)).text()
    assert "You" not in frame
    assert "Enter  Next deal" in frame


def test_a_lost_connection_is_told_on_the_cover_and_shows_nothing() -> None:
    positions = positions_of()
    people = here(positions[turn_of(positions, 1)])
    people[1] = evolve(people[1], link=LinkState(Linked.WAITING, "here", reason="cut"))
    covered = shown(passed_on(Desk(), people, 0.0), people)
    assert covered.link.state is Linked.WAITING
    frame = route.draw(Scene(covered, Ui(), 80, 24, 9.0)).text()
    assert "No connection" in frame


def test_the_first_one_who_sits_leads_and_a_refused_follower_is_told_of() -> None:
    lobby = Model("lobby", LinkState(Linked.ONLINE, "den"))
    seated = model_of(positions_of()[5], 1)
    assert leader([lobby, seated]) == 1
    assert leader([lobby, lobby]) == 0
    full = Refused(re="00" * 16, code=RefusalCode.TABLE_FULL)
    told = shown(Desk(), [lobby, evolve(lobby, refusal=full)])
    assert told == evolve(lobby, refusal=full)


def test_who_is_at_this_keyboard_goes_along_to_whichever_server_is_chosen() -> None:
    recent = (Recent("den.example:7654", "den"),)
    scene = scene_of(Model(name="Ann", company=("Ben", "Cleo"), recent=recent))
    assert "At this keyboard: Ann, Ben and Cleo" in route.draw(scene).text()
    (join,) = route.press(scene, "1").intents
    assert join == StartJoin("den.example:7654", "Ann", ("Ben", "Cleo"))
    (typed,) = route.press(pressed(scene, "j", *"den"), "enter").intents
    assert typed == StartJoin("den", "Ann", ("Ben", "Cleo"))
    (play,) = route.press(pressed(scene, "p"), "enter").intents
    assert isinstance(play, StartPlay)
    assert (play.people, play.table.knobs) == (("Ben", "Cleo"), {"players": 3})


def test_the_forms_take_the_names_of_the_others_here() -> None:
    scene = scene_of(Model(name="Ann"))
    to_names = ["p", "down", "right", "down", "down", "down"]
    (play,) = route.press(pressed(scene, *to_names, *"Ben"), "enter").intents
    assert isinstance(play, StartPlay)
    assert (play.people, play.table.knobs, play.table.bots) == (
        ("Ben",),
        {"players": 3},
        ("medium",),
    )
    for names, fault in (("Ann", "a name of their own"), ("Ben,Cleo,Dora", "room for 2 others")):
        refused = pressed(scene, *to_names, *names, "enter")
        assert fault in route.draw(refused).text()
    to_here = ["h", *["down"] * 8]
    (host,) = route.press(pressed(scene, *to_here, *"Ben"), "enter").intents
    assert isinstance(host, StartHost)
    assert (host.people, host.port) == (("Ben",), None)
    long = ["Wolfeschlegelstein-Haus" + end for end in "nma"]
    for key, downs in (("p", 4), ("h", 8), ("j", 2)):
        form = pressed(scene, key, *["down"] * downs, *", ".join(long)).ui.form
        assert form is not None
        assert form.fields["here"].text == ", ".join(long)
    to_names = ["j", *"den", "down", "down"]
    (join,) = route.press(pressed(scene, *to_names, *"Ben, Cleo"), "enter").intents
    assert join == StartJoin("den", "Ann", ("Ben", "Cleo"))
