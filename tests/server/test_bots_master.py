"""Master thinks on sampled deals: honestly, in its time, and about what the match is played for."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from answers import Answer, play
from bot_deals import applied, at, chance_of, dealt, play_deal, rule_sets
from kings_engine.actions import SeatAction
from kings_engine.cards import DECK_SIZE, card_str
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import MatchForm, Rules
from kings_engine.scoring import judge
from kings_engine.view import deal_history, observe
from kings_server.bots import expert, kernel_ready, master, master_turn
from kings_server.bots.kernel import ints
from kings_server.bots.kernel_deal import FIRST_OUT, new_deal
from kings_server.bots.kernel_match import ELIMINATION, ONE_DEAL, Stakes, share_of_deal
from kings_server.bots.kernel_play import Taste
from kings_server.bots.kernel_reading import codes_of, understands
from kings_server.bots.kernel_root import stakes_of
from kings_server.bots.master_race import Race

SEEDS = st.integers(0, 2**32)
KNOWN_RULES = rule_sets().filter(understands)


def thought(match: Match, seed: int, looks: int = 12) -> tuple[SeatAction, ...]:
    """Return master's turn on a clock that moves on when it is looked at, ``looks`` times."""
    seat = match.turn
    assert seat is not None
    view = observe(match, seat)
    assert view.own is not None
    history = deal_history(match, seat)
    clock = count(0.0, 1.0).__next__
    return master_turn.plan_turn(
        view.own, view.public, history, match.rules, chance_of(seed), float(looks), clock
    )


@given(KNOWN_RULES, SEEDS)
@settings(max_examples=15)
def test_every_turn_of_a_deal_is_legal_to_its_end(rules: Rules, seed: int) -> None:
    match = dealt(rules, seed)
    while match.phase == Phase.PLAY and match.number == 1:
        begun = match.turn, match.deal
        for action in thought(match, seed):
            assert match.turn == begun[0]
            match = applied(match, match.turn or 0, action)
        assert (match.turn, match.deal) != begun
        if match.turn is not None and match.number == 1:
            match = play_deal(match, ["expert"] * 4, chance_of(seed), 3)


@given(rule_sets(), SEEDS)
@settings(max_examples=60)
def test_what_a_deal_decides_is_what_the_rules_say(rules: Rules, seed: int) -> None:
    chance = chance_of(seed)
    stakes = stakes_of(rules, observe(dealt(rules, seed), 0).public)
    deal = new_deal()
    deal.facts[FIRST_OUT] = -1
    before, costs = [], []
    for seat in range(rules.players):
        cards = chance.sample(range(DECK_SIZE), chance.randrange(6))
        deal.hand[seat] = codes_of(cards)
        before.append(0 if rules.match == MatchForm.ONE_DEAL else chance.randrange(rules.points))
        stakes.total[seat] = before[-1]
        costs.append(sum(rules.penalties[card >> 2] for card in cards))
    sheet = (tuple(before), tuple(costs))
    verdict = judge(rules, sheet, tuple(range(rules.players)), ())
    assume(verdict.over)
    if rules.deals is not None:
        stakes = stakes._replace(deals=min(stakes.deals, max(1, rules.deals - 1)))
    futures = ints(1)
    futures[0] = 1
    for seat in range(rules.players):
        won = 1 / len(verdict.winners) if seat in verdict.winners else 0
        assert share_of_deal(stakes, deal, seat, futures) == pytest.approx(won)


def test_points_count_for_what_they_do_to_the_match() -> None:
    rules = preset_rules("pagat")
    stakes = stakes_of(rules, observe(dealt(rules, 0), 0).public)
    futures = ints(1)
    futures[0] = 1

    def chance(mine: int, theirs: int) -> float:
        deal = new_deal()
        deal.facts[FIRST_OUT] = -1
        stakes.total[0], stakes.total[1] = mine, theirs
        return sum(share_of_deal(stakes, deal, 0, futures) for _ in range(200)) / 200

    level = chance(10, 10)
    assert 0.4 < level < 0.6
    assert chance(24, 4) < 0.3 < level < 0.7 < chance(4, 24)


HOARD = {
    "hands": ["9H 8S 7H 8D 7C 6D 5S 5C QS JD TC", "3S 2H 9C"],
    "piles": {"N": "TS", "E": "9S", "S": "", "W": "KD"},
    "stock": "4S 4H 4C 4D",
    "turn": 0,
}


def hoarding(count: int) -> Match:
    """Return a position in which the seat on turn holds so many cards, and a race stays open."""
    deck = [card_str(card) for card in range(DECK_SIZE)]
    chance_of(1).shuffle(deck)
    piles = {place: deck.pop() for place in "NESW"}
    hand, stock = deck[:count], deck[count : count + 8]
    hands = [" ".join(hand), " ".join(deck[count + 8 :])]
    where = {"hands": hands, "piles": piles, "stock": " ".join(stock), "turn": 0, "turn_number": 6}
    return at(where)


@pytest.mark.parametrize("seconds", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("count", [10, 22, 34])
def test_it_keeps_to_its_time_and_uses_it(count: int, seconds: float) -> None:
    match = hoarding(count)
    view, history = observe(match, 0), deal_history(match, 0)
    assert view.own is not None
    spent = []
    for _ in range(3):
        began = thread_time()
        master_turn.plan_turn(
            view.own, view.public, history, match.rules, chance_of(0), seconds, thread_time
        )
        spent.append((thread_time() - began) / seconds)
    assert 0.8 < min(spent) < 1.0


def whole(where: dict[str, Any]) -> dict[str, Any]:
    """Return the position with all other cards, low ones first, under the ace at West."""
    shown = {*where["hands"], *where["piles"].values()}
    named = {name for cards in shown for name in cards.split()}
    rest = [card_str(card) for card in range(DECK_SIZE) if card_str(card) not in named]
    piles = {**where["piles"], "W": " ".join((*rest, where["piles"]["W"]))}
    return {**where, "piles": piles, "turn": 0}


@pytest.mark.parametrize(
    ("where", "right"),
    [
        pytest.param(
            {
                "hands": ["QD JC 9D", "3S 4H"],
                "piles": {"N": "TS", "E": "KS", "S": "AC", "W": "AD"},
            },
            {"play 9D N", "play QD E", "play JC E"},
            id="going out now, by the only order that does it",
        ),
        pytest.param(
            {"hands": ["KH 5D", "3S"], "piles": {"N": "AS", "E": "AH", "S": "AC", "W": "AD"}},
            {"play KH NE", "end"},
            id="a king is not kept",
        ),
        pytest.param(
            {"hands": ["9H 2D", "8S 7H"], "piles": {"N": "TS", "E": "AH", "S": "AC", "W": "AD"}},
            {"end"},
            id="the last cards of another are not let out: blocked is a tie",
        ),
    ],
)
def test_the_right_turn_is_found(where: dict[str, Any], right: set[str]) -> None:
    match = at(whole(where), preset_rules("pagat", {"match": "one_deal"}))
    assert {str(action) for action in thought(match, 0, 60)} == right


@pytest.mark.parametrize(
    ("where", "near", "ahead"),
    [
        pytest.param(
            {"hand": "QH TS", "piles": {"N": "5H", "S": "", "W": "TD"}, "others": [2]},
            ["play QH S", "end"],
            ["play TS S", "end"],
            id="the space is closed with the ten: to expert the queen is as good",
        ),
        pytest.param(
            {"hand": "QC JH 6D", "piles": {"N": "9S", "S": "2H", "W": "8S"}, "others": [3]},
            ["move E S", "play QC E", "play JH E", "end"],
            ["move E S", "play JH E", "end"],
            id="the jack alone goes to the new space: expert sheds two cards, and opens a column",
        ),
    ],
)
def test_looking_ahead_finds_what_expert_does_not(
    where: dict[str, Any], near: list[str], ahead: list[str]
) -> None:
    """On sampled deals these turns win some ten of a hundred more than expert's."""
    kernel_ready.make_ready()
    answer = Answer("", {**where, "knobs": {"match": "one_deal"}})
    assert play(answer, "expert")[0] == near
    assert play(answer, "master")[0] == ahead


def test_a_few_deals_do_not_outweigh_what_expert_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight deals, a king that is kept often wins one more."""
    races: list[Race] = []

    class Short(Race):
        def run(self, *_: Any) -> None:
            self.try_on(8)
            races.append(self)

    monkeypatch.setattr(master_turn, "Race", Short)
    where = {"hand": "KH 5D 3D", "piles": {}, "others": [7, 7, 7], "knobs": {"match": "one_deal"}}
    match = Answer("", where).match()
    chosen = {thought(match, seed)[0] for seed in range(20)}
    assert {str(action) for action in chosen} == {"play KH NE"}
    assert any(race.mean(end) > race.mean(0) for race in races for end in race.live)


def test_it_tries_for_what_the_match_is_played_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Stakes] = []

    class Kept(Race):
        def __init__(self, rules: Rules, taste: Taste, stakes: Stakes, *others: Any) -> None:
            super().__init__(rules, taste, stakes, *others)
            tried.append(stakes)

    monkeypatch.setattr(master_turn, "Race", Kept)
    where = {"hands": ["9H 2D", "8S 7H"], "piles": {"N": "TS", "E": "AH", "S": "AC", "W": "AD"}}
    thought(at(whole(where), preset_rules("classic_match"), (21, 0)), 0)
    thought(at(whole(where), preset_rules("classic")), 0)
    assert [stakes.form for stakes in tried] == [ELIMINATION, ONE_DEAL]
    assert list(tried[0].total[:2]) == [21, 0]


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("no_kernel")
def test_a_kernel_that_is_not_compiled_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernel_ready.why_not() == kernel_ready.Why.NOT_COMPILED
    match = at(HOARD)
    assert of_level(match) == by_expert(match)
    monkeypatch.setenv(kernel_ready.PLAIN, "1")
    assert kernel_ready.why_not() == kernel_ready.Why.NO_NUMBA


@pytest.mark.parametrize("knobs", [{"corner_build": "suit"}, {"open_stock": True}])
def test_rules_that_the_kernel_does_not_know_are_played_as_expert_plays_them(
    knobs: dict[str, object],
) -> None:
    kernel_ready.make_ready()
    assert kernel_ready.why_not() is None
    match = at(HOARD, preset_rules("pagat", knobs))
    assert of_level(match) == by_expert(match)


def of_level(match: Match) -> tuple[SeatAction, ...]:
    view = observe(match, 0)
    assert view.own is not None
    history = deal_history(match, 0)
    return master.plan_turn(view.own, view.public, history, match.rules, chance_of(0), 0.05)


def by_expert(match: Match) -> tuple[SeatAction, ...]:
    view = observe(match, 0)
    assert view.own is not None
    return expert.plan(view.own, view.public, deal_history(match, 0), match.rules, chance_of(0))


def test_once_compiled_there_is_nothing_left_to_compile() -> None:
    kernel_ready.make_ready()
    piles = {"N": "TS", "E": "AH", "S": "AC", "W": "AD"}
    matches = [at(whole({"hands": ["9H 2D", "8S 7H"], "piles": piles}))]
    for players in (2, 3, 4):
        for form in ("one_deal", "points", "elimination"):
            rules = preset_rules("classic", {"players": players, "match": form})
            matches.append(dealt(rules, players))
    for match in matches:
        began = thread_time()
        assert thought(match, 0)
        assert thread_time() - began < 1.0


def test_plain_python_thinks_the_same() -> None:
    """The turns of one deal, by a process that leaves the compiler alone."""
    environment = {**os.environ, kernel_ready.PLAIN: "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    plain = subprocess.run(
        [sys.executable, "-c", "import test_bots_master as t; print(t.turns_of_a_deal())"],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert plain.stdout.strip() == turns_of_a_deal()


def turns_of_a_deal() -> str:
    match = dealt(preset_rules("pagat"), 5)
    turns: list[str] = []
    while match.phase == Phase.PLAY and match.number == 1 and len(turns) < 8:
        seat = match.turn
        assert seat is not None
        actions = thought(match, len(turns), 4)
        turns.append(", ".join(map(str, actions)))
        for action in actions:
            match = applied(match, seat, action)
    return "; ".join(turns)
