"""The arena: duplicate deals, intervals over deals, and an answer that others can read."""

import json
from collections import Counter
from math import sqrt

import pytest

from kings_engine.events import DealBegan
from kings_engine.presets import preset_rules
from kings_server.arena import main
from kings_server.arena_figures import Thinking, figures, interval
from kings_server.arena_play import Fixture, Tally, play_duplicate, play_match
from kings_server.arena_run import play_all
from kings_server.bots import kernel_ready

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


def test_every_level_sits_in_every_seat_once_on_the_same_cards() -> None:
    played = fixture("expert,hard,medium,easy")
    for number in range(10):
        seatings = [played.seating(number, rotation) for rotation in range(4)]
        for seat in range(4):
            assert {seating[seat] for seating in seatings} == set(played.seats)


def test_who_sits_left_of_whom_is_drawn_for_each_set() -> None:
    played = fixture("expert,hard,medium,easy")
    left = Counter[str]()
    for number in range(300):
        seating = played.seating(number, 0)
        left[seating[(seating.index("expert") + 1) % 4]] += 1
    assert set(left) == {"hard", "medium", "easy"}
    assert min(left.values()) > 70


@pytest.mark.parametrize(("seats", "parity"), [("medium,medium", 1 / 2), ("easy,easy,easy", 1 / 3)])
def test_a_level_against_itself_comes_out_at_parity(seats: str, parity: float) -> None:
    played = fixture(seats)
    (level,) = figures(played, play_all(played, 50, 1)[0]).levels
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


def test_the_play_ends_with_the_set_that_is_enough() -> None:
    played = fixture("medium,easy")
    tallies, cut = play_all(played, 40, 1)
    enough = iter([False] * 8 + [True])
    assert play_all(played, 40, 2, lambda _: next(enough)) == (tallies[:9], cut)


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
    assert interval([0.0, 1.0], most=1.0) == (0.0, 1.0)
    assert (interval([0.0, 10.0]) or (1.0, 0.0))[0] == 0


def test_one_deal_has_no_interval() -> None:
    assert interval([0.5]) is None


def test_the_deal_is_the_unit_and_not_the_game() -> None:
    played = fixture("medium,easy,easy")
    times = (Counter({10: 6}), Counter({20: 12}))
    tallies = (
        Tally((36, 0), (0, 60), 3, 0, 40, times),
        Tally((0, 36), (30, 0), 3, 1, 50, times),
    )
    found = figures(played, tallies)
    medium, easy = found.levels
    assert (medium.level, medium.games, medium.win_rate, medium.penalty) == ("medium", 6, 0.5, 5.0)
    assert (easy.level, easy.games, easy.win_rate, easy.penalty) == ("easy", 12, 0.25, 5.0)
    assert medium.win_rate_ci == pytest.approx(interval([1.0, 0.0], most=1.0))
    assert medium.penalty_ci == pytest.approx(interval([0.0, 10.0]))
    assert easy.penalty_ci == pytest.approx(interval([10.0, 0.0]))
    assert found.blocked_rate == 1 / 6
    assert found.deal_turns == 15


def test_two_levels_are_compared_by_their_difference_on_each_deal() -> None:
    played = fixture("medium,easy")
    times = (Counter({10: 6}), Counter({20: 12}))
    shares = [(24, 0), (24, 0), (12, 12), (0, 24)]
    tallies = [Tally(share, (0, 8), 2, 0, 40, times) for share in shares]
    (pair,) = figures(played, tallies).pairs
    assert (pair.first, pair.second) == ("medium", "easy")
    assert pair.win_rate.mean == 0.25
    assert pair.win_rate.ci == pytest.approx(interval([1.0, 1.0, 0.0, -1.0], least=-2.0))
    assert pair.win_rate.p == pytest.approx(0.602, abs=0.001)
    assert (pair.penalty.mean, pair.penalty.p) == (-4.0, 2 / 2**4)


def test_thinking_times_are_of_whole_turns() -> None:
    played = fixture("medium,easy")
    times = (Counter({10: 50, 20: 49, 3000: 1}), Counter({7: 1}))
    found = figures(played, [Tally((12, 12), (0, 0), 2, 0, 101, times)])
    assert found.levels[0].thinking_ms == Thinking(0.01, 0.02, 3.0)
    assert found.levels[1].thinking_ms == Thinking(0.007, 0.007, 0.007)
    tally = play_duplicate(played, 0)
    assert sum(spent.total() for spent in tally.times) == tally.turns


def test_json_is_one_object_with_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--seats medium,easy --deals 30 --seed 5 --rules strict --hand-size 6 --workers 1"
    assert arena(f"{words} --json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [
        "rules",
        "seats",
        "deals",
        "seed",
        "levels",
        "pairs",
        "blocked_rate",
        "deal_turns",
        "seconds",
    ]
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
            "thinking_ms",
        ]
        assert level["games"] == 60
        assert level["win_rate_ci"][0] < level["win_rate"] < level["win_rate_ci"][1]
        assert level["penalty_ci"][0] < level["penalty"] < level["penalty_ci"][1]
    assert sum(level["win_rate"] for level in answer["levels"]) == pytest.approx(1)


def test_a_table_is_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--deals 20 --seats medium,easy,easy --workers 1 --draw start") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "pagat, draw: start; medium,easy,easy; 20 deals, each played 3 times; seed 0"
    assert [line.split()[0] for line in lines[1:]] == [
        "level",
        "medium",
        "easy",
        "medium",
        "blocked",
    ]


def test_several_fields_and_presets_are_played_one_after_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "--seats medium,easy hard,medium,never --rules pagat classic --deals 2 --workers 1"
    assert arena(f"{words} --json") == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(answer["rules"]["preset"], len(answer["seats"])) for answer in answers] == [
        ("pagat", 2),
        ("pagat", 3),
        ("classic", 2),
        ("classic", 3),
    ]


def test_the_play_stops_when_the_question_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--seats medium,never --deals 400 --decide 0.01 --workers 1"
    assert arena(f"{words} --json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["deals"] < 40
    assert answer["decision"]["found"] == "above"
    assert answer["decision"]["win_rate_ci_at_any_stop"][0] > 0.5
    assert arena(f"{words} --deals 3") == 0
    assert "medium and parity: not decided (error 0.01)" in capsys.readouterr().out


def test_a_whole_match_can_be_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--matches 4 --points 10 --workers 1 --json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["rules"] == {"preset": "pagat", "points": 10}
    assert answer["matches"] == 4
    assert max(level["penalty"] for level in answer["levels"]) > 5


def test_medium_beats_easy(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--deals 150 --seed 20261130 --workers 1 --json") == 0
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
        ("--match deals", "--match: a deal is a game of its own without --matches"),
        ("--matches 2 --match deals", "deals: none is not possible; allowed: 1 to 50 (the"),
        ("--matches 2 --deals 2", "argument --deals: not allowed with argument --matches"),
        ("--thinking -1", "argument --thinking: '-1' is not a number from 0 to 60"),
        ("--thinking soon", "argument --thinking: 'soon' is not a number from 0 to 60"),
        ("--decide 1", "argument --decide: '1' is not a number between 0 and 1"),
        ("--decide 0.1 --seats easy,easy", "--decide compares the first level with others"),
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


def test_a_match_by_deals_has_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena("--matches 1 --match deals --match-deals 3 --workers 1 --json") == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert rules == {"preset": "pagat", "match": "deals", "deals": 3}


def spent(thinking: str, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """Return how long master thought, in milliseconds, where it was given ``thinking`` seconds."""
    words = f"--seats master,easy --deals 1 --seed 3 --workers 1 --thinking {thinking} --json"
    assert arena(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["thinking"] == float(thinking)
    times: dict[str, float] = answer["levels"][0]["thinking_ms"]
    return times


def test_master_thinks_for_as_long_as_it_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert 15 < spent("0.02", capsys)["median"] < 30
    assert 50 < spent("0.06", capsys)["median"] < 75


def test_master_is_not_seated_where_its_kernel_cannot_be_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(kernel_ready.PLAIN, "1")
    assert arena("--seats master,easy --deals 1") == 2
    said = capsys.readouterr().err
    assert said == "kings arena: master needs numba here: pip install '.[master]'\n"


def test_workers_have_masters_kernel_before_its_first_turn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert arena("--seats master,easy --deals 2 --workers 2 --thinking 0.02 --json") == 0
    (master, _) = json.loads(capsys.readouterr().out)["levels"]
    assert master["thinking_ms"]["longest"] < 300


def test_the_bots_own_chance_is_another_in_each_rotation() -> None:
    played = fixture("easy,easy")
    assert play_match(played, 0, 0).steps != play_match(played, 0, 1).steps
