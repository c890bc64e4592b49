"""The client's part in a fair deal, over deals that the engine really played."""

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.main import main
from kings_client.model import Check, Mark, Model
from kings_client.proving import CUT, Witness
from kings_client.saved import (
    BadFile,
    read_match,
    verify_match,
    write_match,
)
from kings_client.updating import Checked, update
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal
from kings_engine.events import DealBegan, DealEnded
from kings_engine.rules import Rules
from kings_engine.shuffle import commitment
from kings_engine.sources import Secret
from kings_engine.verify import DealProof
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from proofs import CUT_SEED, SEED, Played, after_cut, after_deal, finished
from scripted import offer, table_state, update_of


def test_each_offer_gets_one_fresh_nonce() -> None:
    played = Played()
    first = offer(1, commitment(SEED))
    played.hear(table_state(offer=first))
    played.hear(table_state(offer=first, watchers=1))
    played.hear(table_state(offer=offer(2, commitment(SEED))))
    nonces = [one for one in played.asked if isinstance(one, m.Nonce)]
    assert [one.deal for one in nonces] == [1, 2]
    assert nonces[0].nonce != nonces[1].nonce


def test_who_watches_gives_no_nonce() -> None:
    played = Played(seat=None)
    played.hear(table_state(offer=offer(1, commitment(SEED))))
    assert played.asked == []


def test_a_changed_promise_gets_no_second_nonce() -> None:
    played = Played()
    played.hear(table_state(offer=offer(1, commitment(SEED))))
    played.hear(table_state(offer=offer(1, commitment(CUT_SEED))))
    assert len(played.asked) == 1


def test_an_honest_cut_and_deal_are_verified() -> None:
    played = after_deal()
    assert played.model.marks == {CUT: Mark.VERIFIED, 1: Mark.PENDING}
    played.answer_proof()
    assert played.model.marks == {CUT: Mark.VERIFIED, 1: Mark.VERIFIED}


def test_updates_that_skip_versions_are_verified_too() -> None:
    played = after_deal(shown=lambda step: step % 7 == 0)
    played.answer_proof()
    assert played.model.marks[1] is Mark.VERIFIED


def test_who_was_away_at_the_end_of_a_deal_can_still_check_it() -> None:
    played = after_deal(shown=lambda step: step < 5)
    fresh = after_deal(shown=lambda step: step < 5)
    fresh.prover.witness.look_away()
    fresh.answer_proof()
    played.answer_proof()
    assert {fresh.model.marks[1], played.model.marks[1]} == {Mark.VERIFIED}


def test_a_deal_of_which_nothing_was_seen_is_not_called_verified() -> None:
    played, away = after_deal(), after_deal()
    away.prover.witness = Witness()
    away.answer_proof()
    played.answer_proof()
    assert played.model.marks[1] is Mark.VERIFIED
    assert away.model.marks[1] is Mark.UNPROVED


def test_a_forged_deal_is_broken_though_nothing_was_seen_of_it() -> None:
    away = after_deal()
    away.prover.witness = Witness()
    away.answer_proof(lambda proof: evolve(proof, begin=proof.begin.replace("00", "01", 1)))
    assert away.model.marks[1] is Mark.BROKEN


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        (lambda proof: evolve(proof, begin=proof.begin.replace("00", "01", 1)), "seed_not"),
        (lambda proof: evolve(proof, begin=f"{proof.begin[:69]} - -"), "nonce_not"),
        (lambda proof: evolve(proof, begin="deal"), "unreadable"),
        (lambda proof: evolve(proof, actions=proof.actions[:-1]), "not_as_seen"),
        (lambda proof: evolve(proof, actions=((0, "end"), *proof.actions)), "not_"),
        (lambda proof: evolve(proof, actions=((0, "conjure"), *proof.actions)), "unreadable"),
        (lambda proof: evolve(proof, number=2), "another_deal"),
    ],
)
def test_a_dishonest_proof_breaks_the_deal(
    change: Callable[[DealProof], DealProof], doubt: str
) -> None:
    played = after_deal()
    played.answer_proof(change)
    assert played.model.marks[1] is Mark.BROKEN
    assert any(one.startswith(doubt) for one in played.model.checks[1].doubts)


def test_a_deal_without_a_promise_is_not_called_verified() -> None:
    played = Played(Rules())
    played.hear(table_state())
    played.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (None, None))))
    played.play_deal()
    played.answer_proof()
    assert played.model.marks == {1: Mark.UNPROVED}


def test_a_proof_that_is_not_there_yet_is_asked_for_when_it_is() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.DEAL_UNFINISHED), request)
    assert played.model.marks == {CUT: Mark.VERIFIED, 1: Mark.PENDING}
    played.hear(m.Notice(code=NoticeCode.PROOF_READY, number=1))
    played.answer_proof()
    assert played.model.marks[1] is Mark.VERIFIED
    before = len(played.asked)
    played.hear(m.Notice(code=NoticeCode.PROOF_READY, number=1))
    assert len(played.asked) == before


def test_a_proof_refused_for_the_moment_is_asked_for_again() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.TOO_MANY_REQUESTS), request)
    assert played.model.checks[1].mark is Mark.PENDING
    played.prover.ask_again(played.model)
    assert played.asked[-1] is not request
    played.answer_proof()
    assert played.model.marks[1] is Mark.VERIFIED
    before = len(played.asked)
    played.prover.ask_again(played.model)
    assert len(played.asked) == before


def test_a_proof_that_never_comes_is_said() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.NO_SUCH_DEAL), request)
    assert played.model.checks[1].mark is Mark.UNPROVED


def test_a_gap_leaves_only_what_is_whole() -> None:
    witness = Witness()
    played = after_deal()
    whole = update_of(played.match, 0)
    witness.see(whole)
    assert isinstance(witness.seen(1)[0], DealBegan)
    assert isinstance(witness.seen(1)[-1], DealEnded)
    cut = Witness()
    first = m.Happened(whole.events.events[:20])
    last = m.Happened(whole.events.events[-10:])
    cut.see(m.Update(view=whole.view, events=first))
    cut.see(m.Update(view=whole.view, events=last, gap=True))
    assert cut.seen(1) == last.events


def test_a_story_told_again_is_kept_once() -> None:
    played = after_cut()
    once = played.prover.witness.seen(CUT)
    played.prover.witness.look_away()
    played.hear(update_of(played.match, 0))
    assert played.prover.witness.seen(CUT) == once != ()
    played.answer_proof()
    assert played.model.marks[CUT] is Mark.VERIFIED


def test_who_comes_back_after_the_end_to_a_shortened_story_still_asks_for_the_proof() -> None:
    played = after_deal(shown=lambda step: step < 3)
    witness = Witness()
    whole = update_of(played.match, 0)
    witness.see(m.Update(view=whole.view, events=m.Happened(whole.events.events[:9])))
    witness.look_away()
    tail = m.Happened(whole.events.events[-9:])
    assert witness.see(m.Update(view=whole.view, events=tail, gap=True)) == (1,)
    assert witness.seen(1) == tail.events
    assert witness.see(m.Update(view=whole.view, events=tail, gap=True)) == (1,)
    assert witness.seen(1) == tail.events


# ---- the file


def test_a_saved_match_is_verified_again(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(write_match(finished()))
    verdicts = verify_match(read_match(file))
    assert [(one.deal, one.problems, one.unproved) for one in verdicts] == [
        (0, (), False),
        (1, (), False),
    ]


def test_a_saved_deal_of_which_nothing_was_seen_is_not_called_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, match = tmp_path / "match.json", finished()
    unseen = replace(match, deals=tuple(replace(deal, seen=()) for deal in match.deals))
    file.write_bytes(write_match(unseen))
    assert [(one.problems, one.unproved) for one in verify_match(read_match(file))] == [
        ((), True),
        ((), True),
    ]
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.count("nothing to compare") == 2


@pytest.mark.parametrize("word", ["nonce", "commitment", "begin", "card"])
def test_a_changed_file_is_not_verified(tmp_path: Path, word: str) -> None:
    file = tmp_path / "match.json"
    text = write_match(finished()).decode()
    at = text.index(f'"{word}"', text.index('"deals"')) + len(word) + 4
    digit = next(index for index in range(at, len(text)) if text[index].isdigit())
    other = "1" if text[digit] != "1" else "2"
    file.write_text(text[:digit] + other + text[digit + 1 :])
    assert any(verdict.problems for verdict in verify_match(read_match(file)))


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff", b'{"format": 1', b'{"format": "x"}']
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(content)
    with pytest.raises(BadFile) as raised:
        read_match(file)
    assert "\n" not in str(raised.value)


def test_a_file_of_another_form_or_revision_is_named(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    text = write_match(finished()).decode()
    file.write_text(text.replace('"format": 2', '"format": 9'))
    with pytest.raises(BadFile, match="form 9"):
        read_match(file)
    with pytest.raises(BadFile, match="cannot read"):
        read_match(tmp_path / "none.json")


def test_checks_are_told_one_by_one() -> None:
    played = after_cut()
    played.answer_proof()
    assert played.model.checks[CUT].mark is Mark.VERIFIED
    assert update(Model(), Checked(1, Check(Mark.BROKEN)), 0.0).marks == {1: Mark.BROKEN}
