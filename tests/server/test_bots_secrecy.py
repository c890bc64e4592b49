"""No level depends on a card that its seat does not know; and a level that did would be found out.

A position and its twin differ in hidden cards alone: the view and the history of the seat on turn
are equal. With the same random source a level must then mean to do the same in both.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from bot_deals import chance_of, dealt, hidden_twin, play_deal, pondering, rule_sets, seen
from kings_engine.actions import SeatAction
from kings_engine.cards import cards_in
from kings_engine.events import DealBegan
from kings_engine.match import Match
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import Rules
from kings_engine.view import View, deal_history, legal_actions, observe
from kings_server.bots import master_turn
from kings_server.bots.kernel_deal import Deal
from kings_server.bots.kernel_reading import codes_of, understands
from kings_server.bots.kernel_root import root_of
from kings_server.bots.master_race import Race
from kings_server.bots.policy import EVERY_LEVEL, POLICIES, plan

pytestmark = pytest.mark.usefixtures("compiled")

SEEDS = st.integers(0, 2**32)


Player: TypeAlias = Callable[[Match, Random], object]
"""How somebody plays a turn; a level sees of the match what its seat does."""


def level_player(level: str) -> Player:
    """Return how ``level`` plays its turn, and where that leaves its random source."""

    def play(match: Match, chance: Random) -> object:
        assert match.turn is not None
        return thought(level, match, observe(match, match.turn), chance), chance.random()

    return play


def thought(level: str, match: Match, view: View, chance: Random) -> tuple[SeatAction, ...]:
    """Return how ``level`` plays the turn if it sees ``view``."""
    assert match.turn is not None
    history = deal_history(match, match.turn)
    return plan(level, view, history, match.rules, chance, 1.0, pondering(1))


def twins(rules: Rules, seed: int, actions: int) -> tuple[Match, Match] | None:
    """Return a position that bots have reached, and its twin, if there is one."""
    chance = chance_of(seed)
    levels = [chance.choice(list(POLICIES)) for _ in range(4)]
    match = play_deal(dealt(rules, seed), levels, chance, actions)
    if match.turn is None or match.number != 1:
        return None
    twin = hidden_twin(match, match.turn, chance)
    return None if twin is None or twin.turn != match.turn else (match, twin)


def tells(player: Player, match: Match, twin: Match) -> bool:
    """Say whether ``player`` plays otherwise when nothing but hidden cards is different."""
    return player(match, chance_of(1)) != player(twin, chance_of(1))


@given(rule_sets(), SEEDS, st.integers(0, 60))
@settings(max_examples=150, deadline=None)
def test_no_level_depends_on_a_hidden_card(rules: Rules, seed: int, actions: int) -> None:
    found = twins(rules, seed, actions)
    if found is not None:
        assert seen(found[0]) == seen(found[1])
        assert not [level for level in POLICIES if tells(level_player(level), *found)]


@given(rule_sets().filter(understands), SEEDS, st.integers(0, 60))
@settings(max_examples=25, deadline=None)
def test_nor_does_master_that_thinks(rules: Rules, seed: int, actions: int) -> None:
    found = twins(rules, seed, actions)
    if found is not None:
        assert not tells(level_player("master"), *found)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_nor_does_it_late_in_a_deal_of_any_preset(preset: str, level: str) -> None:
    compared = 0
    for match, twin in many_twins(preset_rules(preset, {"players": 3})):
        compared += 1
        assert not tells(level_player(level), match, twin)
    assert compared > 10


def many_twins(rules: Rules) -> Iterator[tuple[Match, Match]]:
    for seed in range(40):
        found = twins(rules, seed, 5 + seed)
        if found is not None:
            yield found


def races(match: Match, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return all that master found out about the ends of its turn, and where its chance stood."""
    run: list[Race] = []

    class Kept(Race):
        def run(self, seconds: float, spare: float, clock: Callable[[], float]) -> None:
            super().run(seconds, spare, clock)
            run.append(self)

    with monkeypatch.context() as patched:
        patched.setattr(master_turn, "Race", Kept)
        assert match.turn is not None
        thought("master", match, observe(match, match.turn), chance_of(1))
    return [(race.deals, race.live, [race.mean(end) for end in race.live]) for race in run]


def test_what_master_tries_tells_of_no_hidden_card(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for match, twin in many_twins(preset_rules("pagat", {"players": 2})):
        found = races(match, monkeypatch)
        compared += len(found)
        assert races(twin, monkeypatch) == found
    assert compared > 10


def test_a_glance_while_master_tries_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    glancing: list[Match] = []

    def root_with_a_hand(*known: Any) -> Deal:
        root = root_of(*known)
        (match,) = glancing
        assert match.deal is not None
        after = (match.deal.turn + 1) % match.rules.players
        root.hand[after] = codes_of(cards_in(match.deal.hands[after]))
        return root

    def glance(match: Match) -> list[object]:
        glancing[:] = [match]
        return races(match, monkeypatch)

    monkeypatch.setattr(master_turn, "root_of", root_with_a_hand)
    rules = preset_rules("pagat", {"players": 2})
    assert any(glance(match) != glance(twin) for match, twin in many_twins(rules))


def next_in_stock(match: Match, _: Random) -> object:
    """Play as one may who has seen the next card: if it is red."""
    assert match.deal is not None
    actions = first_and_last(match)
    return actions[sum(match.deal.stock[-1:]) & 1]


def another_hand(match: Match, _: Random) -> object:
    """Play by how many black cards the next player holds."""
    assert match.deal is not None
    assert match.turn is not None
    held = cards_in(match.deal.hands[(match.turn + 1) % match.rules.players])
    return first_and_last(match)[sum(not card & 1 for card in held) & 1]


def whole_record(match: Match, _: Random) -> object:
    """Play by the events as they were, not as the seat saw them."""
    (began,) = (
        event for step in match.steps for event in step.events if isinstance(event, DealBegan)
    )
    return first_and_last(match)[sum((began.hands[-1] or ())[:3]) & 1]


def first_and_last(match: Match) -> tuple[SeatAction, SeatAction]:
    assert match.turn is not None
    own = observe(match, match.turn).own
    assert own is not None
    actions = legal_actions(own)
    return actions[0], actions[-1]


def expert_who_peeks(match: Match, chance: Random) -> object:
    """Play as expert to whom the next player's hand lies open."""
    return peeking("expert", match, chance)


def master_who_peeks(match: Match, chance: Random) -> object:
    """Play as master to whom it does."""
    return peeking("master", match, chance)


def peeking(level: str, match: Match, chance: Random) -> object:
    assert match.deal is not None
    assert match.turn is not None
    view = observe(match, match.turn)
    seats = list(view.public.seats)
    after = (match.turn + 1) % match.rules.players
    seats[after] = evolve(seats[after], known=cards_in(match.deal.hands[after]))
    view = evolve(view, public=evolve(view.public, seats=tuple(seats)))
    return thought(level, match, view, chance)


def easy_with_the_deals_chance(match: Match, _: Random) -> object:
    """Play as easy whose whims come from the stock."""
    assert match.deal is not None
    assert match.turn is not None
    chance = Random(str(match.deal.stock))  # noqa: S311  a leak
    return thought("easy", match, observe(match, match.turn), chance)


LEAKS = [
    next_in_stock,
    another_hand,
    whole_record,
    expert_who_peeks,
    master_who_peeks,
    easy_with_the_deals_chance,
]


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found_out(leak: Player) -> None:
    rules = preset_rules("pagat", {"players": 3})
    assert any(tells(leak, match, twin) for match, twin in many_twins(rules))


def test_twins_differ_in_what_is_hidden() -> None:
    found = list(many_twins(preset_rules("pagat", {"players": 4})))
    assert len(found) > 20
    assert all(match.deal != twin.deal for match, twin in found)
