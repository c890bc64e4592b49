"""The client's part in a fair deal, over deals that the engine really played."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.main import main
from kings_client.marks import Check, Mark, Why, Withheld
from kings_client.model import Model
from kings_client.saved import (
    BadFile,
    read_match,
    verify_match,
    write_match,
)
from kings_client.updating import Checked, Sent, update
from kings_client.verify_command import Verified, status
from kings_client.witness import CUT, Witness
from kings_client.words.fairness import told
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal
from kings_engine.commitments import commit_seed, commit_share, set_digest
from kings_engine.events import DealBegan, DealEnded
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.sources import Secret
from kings_engine.verify import DealProof
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from proofs import CUT_SEED, SEED, Played, after_cut, after_deal, finished, old_form
from scripted import update_of


def commitment_of(played: Played, deal: int, seed: bytes, attempt: int = 0) -> bytes:
    return commit_seed(played.context(deal, attempt), seed)


def test_each_offer_gets_one_commitment_to_a_fresh_share() -> None:
    played = Played()
    for watchers in range(2):
        played.offer(1, commitment_of(played, 1, SEED), watchers=watchers)
    assert len(played.answers(m.Commit, 1)) == 1
    played.take(m.Commit, 1)
    played.offer(1, commitment_of(played, 1, SEED))
    assert [type(one) for one in played.asked] == [m.Commit]
    other = Played()
    other.offer(1, commitment_of(other, 1, SEED))
    assert other.answers(m.Commit, 1)[0].commitment != played.answers(m.Commit, 1)[0].commitment


def test_a_share_is_revealed_once_and_only_after_the_whole_set() -> None:
    played = Played()
    played.offer(1, commitment_of(played, 1, SEED))
    played.take(m.Commit, 1)
    assert played.answers(m.Reveal, 1) == []
    committed = played.answers(m.Commit, 1)[0].commitment
    members = (m.Member(commitment=committed), m.Member(missing="bot"))
    for _ in range(3):
        played.offer(1, commitment_of(played, 1, SEED), members)
    (reveal,) = played.answers(m.Reveal, 1)
    context, seed = played.context(1), commitment_of(played, 1, SEED)
    assert commit_share(context, seed, 0, bytes.fromhex(reveal.share)).hex() == committed
    assert reveal.members == set_digest(context, seed, (bytes.fromhex(committed), None)).hex()


def test_what_was_asked_before_the_line_broke_is_asked_again_after_it() -> None:
    played = Played()
    played.offer(1, commitment_of(played, 1, SEED))
    played.model = evolve(played.model, pending=())
    played.prover.look_away()
    played.offer(1, commitment_of(played, 1, SEED))
    first, second = played.answers(m.Commit, 1)
    assert first.commitment == second.commitment


def test_a_share_is_kept_before_anything_is_said_of_it() -> None:
    kept: list[tuple[type[m.Request], bool, bool]] = []
    played = Played()

    def ask(request: m.Request) -> None:
        (exchange,) = played.kept
        kept.append((type(request), exchange.share is not None, exchange.shown))
        played.asked.append(request)
        played.tell(Sent(request))

    played.prover.ask = ask
    played.promise(1, SEED)
    assert kept == [(m.Commit, True, False), (m.Reveal, True, True)]


def test_a_later_run_goes_on_with_the_share_of_an_earlier_one() -> None:
    played = Played()
    played.offer(1, commitment_of(played, 1, SEED))
    committed = played.answers(m.Commit, 1)[0].commitment
    again = Played(recalled=played.kept)
    members = (m.Member(commitment=committed), m.Member(missing="bot"))
    again.offer(1, commitment_of(again, 1, SEED), members)
    assert len(again.answers(m.Reveal, 1)) == 1
    assert again.model.checks[1].doubts == ()


def test_a_run_that_has_forgotten_its_share_accuses_nobody() -> None:
    forgetful = Played()
    members = (m.Member(commitment="ab" * 32), m.Member(missing="bot"))
    forgetful.offer(1, commitment_of(forgetful, 1, SEED), members)
    assert forgetful.asked == []
    assert forgetful.model.checks[1].mark is Mark.PENDING


def test_who_watches_has_no_share_and_is_asked_for_none() -> None:
    played = Played(seat=None)
    secret = played.promise(1, SEED)
    assert played.asked == []
    assert secret.shares == (None, None)


def test_a_changed_promise_gets_no_answer() -> None:
    played = Played()
    played.offer(1, commitment_of(played, 1, SEED))
    played.offer(1, commitment_of(played, 1, CUT_SEED))
    assert len(played.asked) == 1
    assert played.model.checks[1].doubts == ("commitment_changed",)


def test_an_honest_cut_and_deal_are_fair_with_ones_share() -> None:
    played = after_deal()
    assert played.model.marks == {CUT: Mark.FAIR, 1: Mark.PENDING}
    played.answer_proof()
    assert played.model.marks == {CUT: Mark.FAIR, 1: Mark.FAIR}


@pytest.mark.parametrize("why", ["late", "gone", "bot"])
def test_a_deal_without_ones_share_says_why(why: str) -> None:
    played = Played(Rules())
    members = (m.Member(missing=why), m.Member(missing="bot"))
    commitment = commitment_of(played, 1, SEED)
    played.offer(1, commitment)
    played.offer(1, commitment, members)
    played.hear(played.table())
    played.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (None, None))))
    played.play_deal()
    played.answer_proof()
    check = played.model.checks[1]
    assert (check.mark, check.why) == (Mark.FAIR_WITHOUT, Why(why))


def test_a_deal_that_was_watched_is_fair_without_ones_share() -> None:
    played = Played(Rules(), seat=None)
    played.do(TABLE_ACTOR, BeginDeal(played.promise(1, SEED)))
    played.play_deal()
    played.answer_proof()
    check = played.model.checks[1]
    assert (check.mark, check.why) == (Mark.FAIR_WITHOUT, Why.WATCHED)


def test_a_deal_offered_anew_says_whose_share_was_withheld() -> None:
    played = Played(Rules())
    first = commitment_of(played, 1, CUT_SEED)
    played.offer(1, first)
    mine = m.Member(commitment=played.answers(m.Commit, 1)[0].commitment)
    played.offer(1, first, (mine, m.Member(commitment="ab" * 32)))
    secret = played.promise(1, SEED, attempt=1, withheld=(1,))
    played.do(TABLE_ACTOR, BeginDeal(secret))
    played.play_deal()
    played.answer_proof()
    check = played.model.checks[1]
    assert (check.mark, check.anew) == (Mark.ANEW, (Withheld(1, "medium"),))
    assert "medium withheld a share" in told(check)


def test_a_share_of_ones_own_that_did_not_come_costs_it_for_the_match() -> None:
    played = Played(Rules())
    played.offer(1, commitment_of(played, 1, CUT_SEED))
    mine = m.Member(commitment=played.answers(m.Commit, 1)[0].commitment)
    played.offer(1, commitment_of(played, 1, CUT_SEED), (mine, m.Member(missing="bot")))
    played.offer(1, commitment_of(played, 1, SEED, 1), attempt=1, withheld=(0,))
    assert played.answers(m.Commit, 1, 1) == []
    assert played.model.checks[1].anew == (Withheld(0, "Ann"),)


def test_who_was_gone_while_a_deal_was_offered_anew_cannot_check_it() -> None:
    played = Played(Rules())
    played.offer(1, commitment_of(played, 1, CUT_SEED))
    mine = m.Member(commitment=played.answers(m.Commit, 1)[0].commitment)
    played.offer(1, commitment_of(played, 1, CUT_SEED), (mine, m.Member(missing="bot")))
    played.prover.look_away()
    played.hear(played.table(withheld=(0,)))
    played.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (None, None))))
    played.play_deal()
    played.answer_proof()
    check = played.model.checks[1]
    assert (check.mark, check.why) == (Mark.UNCHECKED, Why.OFFER_NOT_SEEN)


def test_a_table_left_with_a_deck_promised_and_not_dealt_is_told() -> None:
    played = Played(Rules())
    played.promise(1, SEED)
    book = played.prover.leave()
    assert book is not None
    assert book.owed == (1,)
    assert (book.checks[1].mark, book.checks[1].why) == (Mark.UNCHECKED, Why.NEVER_DEALT)
    assert played.prover.leave() is None


def test_updates_that_skip_versions_are_verified_too() -> None:
    played = after_deal(shown=lambda step: step % 7 == 0)
    played.answer_proof()
    assert played.model.marks[1] is Mark.FAIR


def test_who_was_away_at_the_end_of_a_deal_can_still_check_it() -> None:
    played = after_deal(shown=lambda step: step < 5)
    fresh = after_deal(shown=lambda step: step < 5)
    fresh.prover.witness.look_away()
    fresh.answer_proof()
    played.answer_proof()
    assert {fresh.model.marks[1], played.model.marks[1]} == {Mark.FAIR}


def test_a_deal_of_which_nothing_was_seen_is_not_called_verified() -> None:
    played, away = after_deal(), after_deal()
    away.prover.witness = Witness()
    away.answer_proof()
    played.answer_proof()
    assert played.model.marks[1] is Mark.FAIR
    assert away.model.marks[1] is Mark.UNCHECKED


def test_a_forged_deal_is_broken_though_nothing_was_seen_of_it() -> None:
    away = after_deal()
    away.prover.witness = Witness()
    away.answer_proof(lambda proof: evolve(proof, begin=proof.begin.replace("00", "01", 1)))
    assert away.model.marks[1] is Mark.BROKEN


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        (lambda proof: evolve(proof, begin=proof.begin.replace("00", "01", 1)), "seed_not"),
        (lambda proof: evolve(proof, begin=f"{proof.begin[:69]} - -"), "share_not"),
        (lambda proof: evolve(proof, begin=f"{proof.begin[:-1]}{'ab' * 32}"), "shares_not"),
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
    played.hear(played.table())
    played.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (None, None))))
    played.play_deal()
    played.answer_proof()
    assert played.model.marks == {1: Mark.UNCHECKED}


def test_a_proof_that_is_not_there_yet_is_asked_for_when_it_is() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.DEAL_UNFINISHED), request)
    assert played.model.marks == {CUT: Mark.FAIR, 1: Mark.PENDING}
    played.prover.ask_again(played.model)
    played.answer_proof()
    assert played.model.marks[1] is Mark.FAIR


def test_a_proof_refused_for_the_moment_is_asked_for_again() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.TOO_MANY_REQUESTS), request)
    assert played.model.checks[1].mark is Mark.PENDING
    played.prover.ask_again(played.model)
    assert played.asked[-1] is not request
    played.answer_proof()
    assert played.model.marks[1] is Mark.FAIR
    before = len(played.asked)
    played.prover.ask_again(played.model)
    assert len(played.asked) == before


def test_a_proof_that_never_comes_is_said() -> None:
    played = after_deal()
    request = played.asked[-1]
    played.hear(m.Refused(re=request.id, code=RefusalCode.NO_SUCH_DEAL), request)
    assert played.model.checks[1].mark is Mark.UNCHECKED


def test_a_gap_parts_what_was_seen_before_it_from_what_came_after() -> None:
    witness = Witness()
    played = after_deal()
    whole = update_of(played.match, 0)
    witness.see(whole)
    (seen,) = witness.seen(1)
    assert isinstance(seen[0], DealBegan)
    assert isinstance(seen[-1], DealEnded)
    cut = Witness()
    first = m.Happened(whole.events.events[:20])
    last = m.Happened(whole.events.events[-10:])
    cut.see(m.Update(view=whole.view, events=first))
    cut.see(m.Update(view=whole.view, events=last, gap=True))
    began = next(at for at, one in enumerate(first.events) if isinstance(one, DealBegan))
    assert cut.seen(1) == (first.events[began:], last.events)


def test_a_story_told_again_is_kept_once() -> None:
    played = after_cut()
    once = played.prover.witness.seen(CUT)
    played.prover.witness.look_away()
    played.hear(update_of(played.match, 0))
    assert played.prover.witness.seen(CUT) == once != ()
    assert len(once) == 1
    played.answer_proof()
    assert played.model.marks[CUT] is Mark.FAIR


def test_who_comes_back_after_the_end_to_a_shortened_story_still_asks_for_the_proof() -> None:
    played = after_deal(shown=lambda step: step < 3)
    witness = Witness()
    whole = update_of(played.match, 0)
    witness.see(m.Update(view=whole.view, events=m.Happened(whole.events.events[:9])))
    witness.look_away()
    tail = m.Happened(whole.events.events[-9:])
    for _ in range(2):
        assert witness.see(m.Update(view=whole.view, events=tail, gap=True)) == (1,)
        assert witness.seen(1)[-1] == tail.events
        assert len(witness.seen(1)) == 2


def test_ends_of_a_story_that_overlap_are_one_run() -> None:
    whole = update_of(after_deal().match, 0)
    events = whole.events.events
    running = evolve(whole.view, public=evolve(whole.view.public, phase=Phase.PLAY))
    witness = Witness()
    witness.see(m.Update(view=running, events=m.Happened(events[:30])))
    for end in (*range(32, len(events), 2), len(events)):
        witness.look_away()
        window = m.Happened(events[max(end - 20, 0) : end])
        witness.see(m.Update(view=running, events=window, gap=True))
    (run,) = witness.seen(1)
    began = next(at for at, one in enumerate(events) if isinstance(one, DealBegan))
    assert run == events[began : began + len(run)]
    assert isinstance(run[-1], DealEnded)


def test_a_deal_that_is_told_again_with_other_cards_is_broken() -> None:
    played, other = after_deal(), after_deal()
    played.prover.look_away()
    played.hear(update_of(other.match, 0))
    played.answer_proof()
    assert played.model.checks[1].doubts == ("not_as_seen",)


def test_a_deal_that_is_told_too_often_is_not_checked() -> None:
    played = after_deal()
    for _ in range(20):
        played.hear(update_of(after_deal().match, 0))
    assert played.prover.witness.seen(1) == ()
    played.answer_proof()
    assert played.model.marks[1] is Mark.UNCHECKED


# ---- the file


def test_a_saved_match_is_checked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(write_match(finished()))
    checks = verify_match(read_match(file))
    assert [(deal, check.mark) for deal, check in checks] == [(0, Mark.FAIR), (1, Mark.FAIR)]
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.count("fair, with your share") == 2


@pytest.mark.parametrize(
    ("change", "mark", "status"),
    [
        ({"seen": ()}, Mark.UNCHECKED, 3),
        ({"exchange": None}, Mark.UNCHECKED, 3),
        ({"proof": None}, Mark.UNCHECKED, 3),
        ({"anew": (Withheld(1, "Ben"),)}, Mark.UNCHECKED, 3),
        ({"doubts": ("set_changed",)}, Mark.BROKEN, 1),
    ],
)
def test_a_saved_deal_of_which_something_is_missing_is_not_called_fair(
    tmp_path: Path, change: dict[str, Any], mark: Mark, status: int
) -> None:
    file, match = tmp_path / "match.json", finished()
    changed = replace(match, deals=tuple(replace(deal, **change) for deal in match.deals))
    file.write_bytes(write_match(changed))
    assert {check.mark for _, check in verify_match(read_match(file))} == {mark}
    assert main(["verify", str(file)]) == status


def test_the_exit_status_tells_what_was_proved() -> None:
    fair, without, anew = Mark.FAIR, Mark.FAIR_WITHOUT, Mark.ANEW
    for marks, expected in (
        ((fair, fair), Verified.FAIR),
        ((fair, without), Verified.LIMITED),
        ((without,), Verified.LIMITED),
        ((fair, anew), Verified.LIMITED),
        ((fair, Mark.UNCHECKED), Verified.LIMITED),
        ((Mark.UNCHECKED, Mark.PENDING), Verified.UNCHECKED),
        ((), Verified.UNCHECKED),
        ((fair, without, anew, Mark.UNCHECKED, Mark.BROKEN), Verified.BROKEN),
    ):
        assert status(marks) is expected


@pytest.mark.parametrize("form", [1, 2])
def test_an_old_file_opens_with_the_mark_that_it_deserves(
    tmp_path: Path, form: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.json"
    file.write_text(json.dumps(old_form(finished(), form)))
    assert {check.mark for _, check in verify_match(read_match(file))} == {Mark.FAIR_WITHOUT}
    assert main(["verify", str(file)]) == Verified.LIMITED
    assert "no share was committed to" in capsys.readouterr().out


def test_an_old_file_with_another_seed_than_was_promised_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    old = old_form(finished(), 2)
    old["deals"][1]["commitment"] = "00" * 32
    file.write_text(json.dumps(old))
    assert main(["verify", str(file)]) == Verified.BROKEN


@pytest.mark.parametrize("word", ["share", "commitment", "rules", "begin", "card"])
def test_a_changed_file_is_not_verified(tmp_path: Path, word: str) -> None:
    file = tmp_path / "match.json"
    text = write_match(finished()).decode()
    at = text.index(f'"{word}"', text.index('"exchange"')) + len(word) + 4
    digit = next(index for index in range(at, len(text)) if text[index].isdigit())
    other = "1" if text[digit] != "1" else "2"
    file.write_text(text[:digit] + other + text[digit + 1 :])
    assert any(check.mark is Mark.BROKEN for _, check in verify_match(read_match(file)))


@pytest.mark.parametrize("number", ["-1", "2147483648", "1e3", "18446744073709551616", "null"])
@pytest.mark.parametrize("field", ['"number"', '"deal"', '"dealer"', '"seat"'])
def test_a_number_out_of_range_is_told_and_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], field: str, number: str
) -> None:
    file = tmp_path / "match.json"
    text = write_match(finished()).decode()
    at = text.rindex(f"{field}: ") + len(field) + 2
    end = next(index for index in range(at, len(text)) if text[index] in ",\n}")
    file.write_text(text[:at] + number + text[end:])
    assert main(["verify", str(file)]) in (Verified.BROKEN, Verified.UNREADABLE, 3, 5)
    assert "Traceback" not in capsys.readouterr().err


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
    file.write_text(text.replace('"format": 3', '"format": 9'))
    with pytest.raises(BadFile, match="form 9"):
        read_match(file)
    with pytest.raises(BadFile, match="cannot read"):
        read_match(tmp_path / "none.json")


def test_checks_are_told_as_they_come() -> None:
    played = after_cut()
    played.answer_proof()
    assert played.model.checks[CUT].mark is Mark.FAIR
    assert update(Model(), Checked({1: Check(Mark.BROKEN)}), 0.0).marks == {1: Mark.BROKEN}
