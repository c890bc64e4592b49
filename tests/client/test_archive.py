"""The archive: which matches are in it, what came of them, results, and copies for others."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kings_client.archive import export, finished_in, read_archive
from kings_client.finished import Archive, Finished, Player, scores
from kings_client.marks import Mark
from kings_client.saved import (
    BadFile,
    Result,
    SavedMatch,
    read_match,
    verify_match,
    write_match,
)
from kings_client.store import StoreError
from kings_client.words import history
from kings_engine.actions import TABLE, BeginDeal
from kings_engine.phase import Phase
from proofs import Played, after_deal, finished, old_form, saved

WON = Result(winners=(0,), losers=(), points=(3, 11))


def played_out() -> SavedMatch:
    """Return a match of two deals that was seen to its end, in the first form of the file."""
    played: Played = after_deal()
    played.answer_proof()
    secret = played.promise(2, bytes(range(2, 34)))
    played.do(TABLE, BeginDeal(secret))
    played.play_deal()
    played.answer_proof()
    assert played.match.phase is Phase.MATCH_OVER
    return saved(played)


def put(folder: Path, name: str, match: SavedMatch, **changes: Any) -> Path:
    """Write a match with other fields into a client's folder."""
    file = folder / "matches" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    plain = msgspec.to_builtins(match)
    file.write_text(json.dumps({**plain, **msgspec.to_builtins(changes)}))
    return file


def test_finished_matches_are_listed_newest_first(tmp_path: Path) -> None:
    match = finished()
    put(tmp_path, "a", match, result=WON, played="2026-11-29T20:00", preset="pagat")
    put(tmp_path, "b", match, result=WON, played="2026-11-30T20:00", levels=(None, "easy"))
    put(tmp_path, "left", match, result=None, played="2026-11-30T21:00")
    archive = read_archive(tmp_path)
    assert [one.played for one in archive.matches] == ["2026-11-30T20:00", "2026-11-29T20:00"]
    assert archive.matches[0].players == (Player("Ann", None), Player("medium", "easy"))
    assert (archive.matches[1].preset, archive.matches[1].result) == ("pagat", WON)
    assert archive.unread == 0
    assert read_archive(tmp_path / "nowhere").matches == ()


def test_a_file_of_the_first_form_is_listed_verified_and_says_the_same(tmp_path: Path) -> None:
    match = played_out()
    file = tmp_path / "old.json"
    file.write_text(json.dumps(old_form(match, 1)))
    found = finished_in(file)
    assert found is not None
    assert (found.mark, found.deals) == (Mark.FAIR_WITHOUT, 2)
    assert len(found.result.points) == 2
    assert min(found.result.points) in [found.result.points[at] for at in found.result.winners]
    marks = {check.mark for _, check in verify_match(read_match(file))}
    assert marks == {Mark.FAIR_WITHOUT}


def test_what_was_found_of_the_deals_is_told_by_the_worst(tmp_path: Path) -> None:
    plain = msgspec.to_builtins(finished())
    for marks, told in (
        (("fair", "fair"), Mark.FAIR),
        (("fair", "fair_without"), Mark.FAIR_WITHOUT),
        (("anew", "fair_without"), Mark.ANEW),
        (("unchecked", "anew"), Mark.UNCHECKED),
        (("unchecked", "broken"), Mark.BROKEN),
    ):
        deals = [{**deal, "mark": mark} for deal, mark in zip(plain["deals"], marks, strict=True)]
        file = put(tmp_path, "m", finished(), deals=deals, result=WON)
        found = finished_in(file)
        assert found is not None
        assert found.mark is told


def test_files_that_cannot_be_read_are_counted_and_told_of(tmp_path: Path) -> None:
    put(tmp_path, "a", finished(), result=WON)
    (tmp_path / "matches" / "b.json").write_text("{}")
    archive = read_archive(tmp_path)
    assert (len(archive.matches), archive.unread) == (1, 1)
    assert "1 file could not be read" in history.listed(archive)
    with pytest.raises(BadFile):
        finished_in(tmp_path / "matches" / "b.json")


def test_a_name_in_a_file_cannot_move_the_cursor(tmp_path: Path) -> None:
    file = put(tmp_path, "a", finished(), result=WON, names=("A\x1b[2Jnn", "Ben"))
    found = finished_in(file)
    assert found is not None
    assert "\x1b" not in found.players[0].name


def test_a_copy_is_for_its_owner_and_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    content = write_match(finished())
    file = tmp_path / "m.json"
    file.write_bytes(content)
    copy = export(file, tmp_path)
    assert copy.read_bytes() == content
    assert os.name != "posix" or copy.stat().st_mode & 0o077 == 0
    assert export(file, tmp_path) == copy
    copy.write_text("another")
    with pytest.raises(StoreError, match="something else"):
        export(file, tmp_path)
    with pytest.raises(StoreError, match="cannot read"):
        export(tmp_path / "none.json", tmp_path)


def match_of(points: tuple[int, ...], *players: Player, **changes: Any) -> Finished:
    fewest = min(points)
    winners = tuple(at for at, one in enumerate(points) if one == fewest)
    fields: dict[str, Any] = {
        "file": Path("m.json"),
        "played": "2026-11-30T20:00",
        "table": "Kitchen",
        "preset": "pagat",
        "players": (Player("Ann", None), *players),
        "seat": 0,
        "result": Result(winners=winners, losers=(), points=points),
        "mark": Mark.FAIR,
        "deals": 3,
        **changes,
    }
    return Finished(**fields)


def test_results_are_counted_against_each_person_and_each_level() -> None:
    ben, easy, other = Player("Ben", None), Player("easy", "easy"), Player("easy 2", "easy")
    given_up = Result(winners=(), losers=(), points=(9, 9), abandoned=True)
    found = scores(
        (
            match_of((5, 25, 11, 15), ben, easy, other),
            match_of((30, 12), ben),
            match_of((7, 7), ben),
            match_of((9, 9), ben, result=given_up),
            match_of((1, 9), ben, seat=None),
        )
    )
    lines = [
        (one.opponent.name, one.played, one.won, one.lost, one.points, one.theirs) for one in found
    ]
    assert lines == [("Ben", 3, 2, 1, 42, 44), ("easy", 1, 1, 0, 5, 13)]


def test_the_command_tells_who_won_in_ones_own_words() -> None:
    ben = Player("Ben", None)
    matches = (match_of(points, ben) for points in ((3, 9), (9, 3), (4, 4)))
    told = [history.listed(Archive((match,)))[0] for match in matches]
    assert "you, Ben: you won, 3 : 9; fair, with your share" in told[0]
    assert "Ben won, 9 : 3" in told[1]
    assert "a draw, 4 : 4" in told[2]


def test_results_count_how_often_somebody_withheld_a_share(tmp_path: Path) -> None:
    anew = [{"seat": 1, "name": "Ben"}]
    deals = [{**deal, "anew": anew} for deal in msgspec.to_builtins(finished())["deals"]]
    put(tmp_path, "m", finished(), deals=deals, result=WON, levels=(None, None))
    archive = read_archive(tmp_path)
    assert archive.matches[0].withheld == (1, 1)
    (score,) = scores(archive.matches)
    assert (score.opponent.name, score.withheld) == ("medium", 2)
    head, line = history.results(archive)
    assert head.split()[-1] == "withheld"
    assert line.split()[-1] == "2"
