"""The arena: duplicate deals, intervals over deals, and an answer that others can read."""

import json
from math import sqrt

import pytest

from kings_engine.events import DealBegan
from kings_engine.presets import preset_rules
from kings_server.arena import main
from kings_server.arena_figures import figures, interval
from kings_server.arena_play import Fixture, Tally, play_duplicate, play_match
from kings_server.arena_run import play_all

ONE_DEAL = {"match": "one_deal"}


def fixture(seats: str, preset: str = "pagat", seed: int = 7) -> Fixture:
    levels = tuple(seats.split(","))
    return Fixture(preset_rules(preset, {**ONE_DEAL, "players": len(levels)}), levels, seed)


def arena(words: str) -> int:
    return main(words.split())


@pytest.mark.parametrize("preset", ["pagat", "royal_corners"])
def test_every_rotation_is_dealt_the_same_cards(preset: str) -> None:
    played = fixture("medium,easy,easy", preset)
    deals = {
        next(
            event
            for step in play_match(played, 3, rotation).steps
            for event in step.events
            if isinstance(event, DealBegan)
        )
        for rotation in range(3)
    }
    assert len(deals) == 1
    other = play_match(played, 4, 0)
    assert not deals & {event for step in other.steps for event in step.events}


def test_every_level_sits_in_every_seat_once() -> None:
    seats = [fixture("medium,easy,easy").rotated(rotation) for rotation in range(3)]
    assert sorted(seats) == [
        ("easy", "easy", "medium"),
        ("easy", "medium", "easy"),
        ("medium", "easy", "easy"),
    ]


@pytest.mark.parametrize(("seats", "parity"), [("medium,medium", 1 / 2), ("easy,easy,easy", 1 / 3)])
def test_a_level_against_itself_comes_out_at_parity(seats: str, parity: float) -> None:
    played = fixture(seats)
    (level,) = figures(played, play_all(played, 50, 1)).levels
    assert level.win_rate == parity
    assert level.win_rate_ci == pytest.approx((parity, parity), abs=1e-12)


def test_a_shared_win_counts_its_share() -> None:
    played = fixture("medium,easy", "royal_corners")
    shares = [play_duplicate(played, number).shares for number in range(60)]
    assert all(sum(share) == 2 * 12 for share in shares)
    assert any(share[0] % 12 for share in shares)


@pytest.mark.parametrize("deals", [1, 21])
def test_the_number_of_workers_changes_nothing(deals: int) -> None:
    played = fixture("medium,easy")
    assert play_all(played, deals, 2) == play_all(played, deals, 1)


def test_another_seed_is_another_sample() -> None:
    assert play_all(fixture("medium,easy"), 20, 1) != play_all(
        fixture("medium,easy", seed=8), 20, 1
    )


def test_an_interval_is_the_normal_one_of_the_deals_means() -> None:
    low, high = interval([0.0, 0.5, 1.0, 1.0]) or (0, 0)
    deviation = sqrt((0.625**2 + 0.125**2 + 2 * 0.375**2) / 3)
    assert low == pytest.approx(0.625 - 1.959964 * deviation / 2)
    assert high == pytest.approx(0.625 + 1.959964 * deviation / 2)


def test_an_interval_stays_within_what_is_possible() -> None:
    assert interval([0.0, 1.0], 1.0) == (0.0, 1.0)
    assert (interval([0.0, 10.0]) or (1.0, 0.0))[0] == 0


def test_one_deal_has_no_interval() -> None:
    assert interval([0.5]) is None


def test_the_deal_is_the_unit_and_not_the_game() -> None:
    played = fixture("medium,easy,easy")
    tallies = (Tally((36, 0), (0, 60), 3, 0), Tally((0, 36), (30, 0), 3, 1))
    found = figures(played, tallies)
    medium, easy = found.levels
    assert (medium.level, medium.games, medium.win_rate, medium.penalty) == ("medium", 6, 0.5, 5.0)
    assert (easy.level, easy.games, easy.win_rate, easy.penalty) == ("easy", 12, 0.25, 5.0)
    assert medium.win_rate_ci == pytest.approx(interval([1.0, 0.0], 1.0))
    assert medium.penalty_ci == pytest.approx(interval([0.0, 10.0]))
    assert easy.penalty_ci == pytest.approx(interval([10.0, 0.0]))
    assert found.blocked_rate == 1 / 6


def test_json_is_one_object_with_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--seats medium,easy --deals 30 --seed 5 --rules strict --hand-size 6 --workers 1"
    assert arena(f"{words} --json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["rules", "deals", "seed", "levels", "blocked_rate", "seconds"]
    assert answer["rules"] == {"preset": "strict", "hand_size": 6, "match": "one_deal"}
    assert (answer["deals"], answer["seed"]) == (30, 5)
    assert [level["level"] for level in answer["levels"]] == ["medium", "easy"]
    for level in answer["levels"]:
        assert list(level) == [
            "level",
            "games",
            "win_rate",
            "win_rate_ci",
            "penalty",
            "penalty_ci",
        ]
        assert level["games"] == 60
        assert level["win_rate_ci"][0] < level["win_rate"] < level["win_rate_ci"][1]
        assert level["penalty_ci"][0] < level["penalty"] < level["penalty_ci"][1]
    assert sum(level["win_rate"] for level in answer["levels"]) == pytest.approx(1)


def test_a_table_is_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--deals 20 --seats medium,easy,easy --workers 1 --draw start") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "pagat, draw: start, match: one_deal; 3 players; 20 deals; seed 0"
    assert [line.split()[0] for line in lines[1:]] == ["level", "medium", "easy", "blocked"]


def test_a_whole_match_can_be_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--deals 4 --match points --points 10 --workers 1 --json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rules"] == {"preset": "pagat", "points": 10}
    assert max(level["penalty"] for level in answer["levels"]) > 5


def test_medium_beats_easy(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--deals 400 --seed 20261130 --workers 1 --json") == 0
    medium, _ = json.loads(capsys.readouterr().out)["levels"]
    assert medium["win_rate"] >= 0.72


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--seats medium,clever", "argument --seats: there is no level 'clever'; there are easy, "),
        ("--seats medium", "argument --seats: 1 seats; there have to be 2 to 4"),
        ("--deals 0", "argument --deals: '0' is not a number from 1 to "),
        ("--deals many", "argument --deals: 'many' is not a number from 1 to "),
        ("--rules whist", "rules: whist is not possible; allowed: pagat, "),
        ("--draw never --points 2", "draw: never is not possible; allowed: start, end, "),
        ("--draw never --points 2", "points: 2 is not possible; allowed: 5 to 500"),
        ("--match deals", "deals: none is not possible; allowed: 1 to 50, with match: deals"),
        ("--scoring 1,2", "scoring: (1, 2) is not possible; allowed: kings_10, "),
        ("--seat medium,easy", "unrecognized arguments: --seat"),
    ],
)
def test_a_fault_is_one_clear_line(
    words: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kings arena: ")
    assert fault in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "knobs"),
    [
        ("--open-stock on --hints false", {"open_stock": True, "hints": False}),
        ("--match deals --match-deals 3", {"match": "deals", "deals": 3}),
        ("--turn-seconds none", {}),
        ("--scoring 0,1,1,1,1,1,1,1,1,1,2,2,9", {"scoring": [0, *[1] * 9, 2, 2, 9]}),
    ],
)
def test_every_knob_has_its_option(
    words: str, knobs: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena(f"{words} --deals 1 --workers 1 --json") == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert rules == {"preset": "pagat", "match": "one_deal", **knobs}
