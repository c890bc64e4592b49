"""Trivial policies do as little as they say, and no level is beaten by one of them."""

import pytest

from bot_deals import at, chance_of
from kings_engine.presets import preset_rules
from kings_engine.view import observe
from kings_server.arena_figures import figures
from kings_server.arena_play import Fixture, play_match
from kings_server.arena_run import play_all
from kings_server.arena_trivial import TRIVIAL
from kings_server.bots.policy import EVERY_LEVEL, POLICIES

PLACES = {"N": "TS", "E": "9D", "S": "AC", "W": "AD"}


def chosen(policy: str, hand: str, knobs: dict[str, object] | None = None) -> set[str]:
    """Return what ``policy`` does in a position, over many chances."""
    where = {"hands": [hand, "3S"], "piles": PLACES, "stock": "4S 5S", "turn": 0}
    own = observe(at(where, preset_rules("pagat", knobs or {})), 0).own
    assert own is not None
    return {str(TRIVIAL[policy](own, chance_of(seed))) for seed in range(60)}


@pytest.mark.parametrize(
    ("policy", "hand", "expected"),
    [
        ("never", "9H 8S 2C", {"end"}),
        ("greedy", "9H 8S 2C", {"play 9H N"}),
        ("greedy", "7H 2C", {"end"}),
        ("random", "9H 8S 2C", {"play 9H N", "play 8S E", "move E N", "end"}),
    ],
)
def test_a_trivial_policy_does_what_its_name_says(
    policy: str, hand: str, expected: set[str]
) -> None:
    assert chosen(policy, hand) == expected


def test_who_never_plays_still_does_what_the_rules_ask_for() -> None:
    assert chosen("never", "9H 2C", {"must_play": "hand"}) == {"play 9H N"}


def test_trivial_policies_are_for_the_arena_alone() -> None:
    assert not set(TRIVIAL) & set(EVERY_LEVEL)


@pytest.mark.parametrize("trivial", TRIVIAL)
@pytest.mark.parametrize("level", POLICIES)
def test_no_level_is_beaten_by_a_trivial_policy(level: str, trivial: str) -> None:
    rules = preset_rules("pagat", {"match": "one_deal"})
    played = Fixture(rules, (level, trivial), 4)
    tallies, _ = play_all(played, 60 if level == "easy" else 20, 1)
    first = figures(played, tallies).levels[0]
    assert first.win_rate > 0.5


def test_two_that_never_play_end_a_deal() -> None:
    rules = preset_rules("pagat", {"match": "one_deal"})
    match = play_match(Fixture(rules, ("never", "never"), 4), 0, 0)
    assert len(match.winners) in (1, 2)
    assert match.deal is not None
    assert match.deal.piles[4:] == ((), (), (), ())
