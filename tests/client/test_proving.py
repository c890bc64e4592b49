"""The client's part in a fair deal, over deals that the engine really played."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from kings_client.model import Check, Mark, Model
from kings_client.proving import CUT, Prover, Witness
from kings_client.saved import (
    FORMAT,
    BadFile,
    SavedDeal,
    SavedMatch,
    plain_event,
    read_match,
    verify_match,
    write_match,
)
from kings_client.updating import Checked, Happening, Sent, update
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import Action, BeginDeal, Cut
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import DealBegan, DealEnded
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import REVISION, Rules, make_rules, rules_as_plain
from kings_engine.shuffle import commitment
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, proof_of
from kings_engine.view import legal_actions, observe_own
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from scripted import TABLE, offer, table_state, update_of

SEED = bytes(range(32))
CUT_SEED = bytes(range(1, 33))
CUT_RULES = make_rules({"first_dealer": "cut_higher", "match": "deals", "deals": 2})


def act(match: Match, actor: int, action: Action) -> Match:
    applied = apply(match, actor, action)
    assert not isinstance(applied, Refusal), applied
    return applied[0]


class Played:
    """A prover at seat 0 of a match that the test plays, over everything but the wire."""

    def __init__(self, rules: Rules = CUT_RULES, seat: int | None = 0) -> None:
        self.match = new_match(rules)
        self.seat = seat
        self.model = Model(seat=seat)
        self.asked: list[m.Request] = []
        self.prover = Prover(self.ask, self.tell)
        self.shown = 0
        self.random = random.Random(1)  # noqa: S311  choices of a script

    def ask(self, request: m.Request) -> None:
        self.asked.append(request)
        self.tell(Sent(request))

    def tell(self, news: m.Message | Happening) -> None:
        self.model = update(self.model, news, 0.0)

    def hear(self, message: m.Message, answered: m.Request | None = None) -> None:
        self.tell(message)
        self.prover.take(message, answered, self.model)

    def promise(self, deal: int, seed: bytes) -> Secret:
        """Offer the deal, take the nonce if one is given, and return the secret."""
        rules = self.match.rules
        self.hear(table_state(rules, phase="offering", offer=offer(deal, commitment(seed))))
        nonce = None
        for request in [one for one in self.asked if isinstance(one, m.Nonce)]:
            if request.deal == deal:
                nonce = bytes.fromhex(request.nonce)
                self.hear(m.Done(re=request.id), request)
        self.hear(table_state(rules))
        return Secret(seed, (nonce, *(None,) * (rules.players - 1)))

    def show(self) -> None:
        """Show the newest position."""
        self.hear(update_of(self.match, self.seat, self.shown))
        self.shown = self.match.version

    def do(self, actor: int, action: Action, *, shown: bool = True) -> None:
        """Apply an action, and show it."""
        self.match = act(self.match, actor, action)
        if shown:
            self.show()

    def play_deal(self, shown: Callable[[int], bool] = lambda _: True) -> None:
        """Play the running deal to its end; ``shown`` says after which steps to show it."""
        step = 0
        while self.match.phase is Phase.PLAY:
            turn = self.match.turn
            assert turn is not None
            own = observe_own(self.match, turn)
            assert own is not None
            step += 1
            self.do(turn, self.random.choice(legal_actions(own)), shown=shown(step))
        if self.shown != self.match.version:
            self.show()

    def answer_proof(self, change: Callable[[DealProof], DealProof] = lambda proof: proof) -> None:
        """Answer the last request, which is for a proof."""
        request = self.asked[-1]
        assert isinstance(request, m.GetProof)
        proof = proof_of(self.match, request.deal)
        assert proof is not None
        told = change(proof)
        reply = m.Proof(
            re=request.id,
            deal=told.number,
            dealer=told.dealer,
            seats=told.seats,
            begin=told.begin,
            actions=told.actions,
        )
        self.hear(reply, request)


def after_cut() -> Played:
    played = Played()
    secret = played.promise(CUT, CUT_SEED)
    played.do(TABLE_ACTOR, Cut(secret))
    return played


def after_deal(**shown: Callable[[int], bool]) -> Played:
    played = after_cut()
    played.answer_proof()
    secret = played.promise(1, SEED)
    played.do(TABLE_ACTOR, BeginDeal(secret))
    played.play_deal(**shown)
    return played


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


def saved(played: Played) -> SavedMatch:
    deals = tuple(
        SavedDeal(
            commitment=played.model.checks.get(deal, Check()).commitment,
            nonce=played.model.checks.get(deal, Check()).nonce,
            proof=proof,
            seen=tuple(map(plain_event, played.prover.witness.seen(deal))),
        )
        for deal, proof in sorted(played.prover.proofs.items())
    )
    return SavedMatch(
        format=FORMAT,
        revision=REVISION,
        table=TABLE,
        names=("Ann", "medium"),
        seat=played.seat,
        rules=rules_as_plain(played.match.rules),
        deals=deals,
    )


def finished() -> SavedMatch:
    played = after_deal()
    played.answer_proof()
    return saved(played)


def test_a_saved_match_is_verified_again(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(write_match(finished()))
    verdicts = verify_match(read_match(file))
    assert [(one.deal, one.problems, one.unproved) for one in verdicts] == [
        (0, (), False),
        (1, (), False),
    ]


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
    file.write_text(text.replace('"format": 1', '"format": 9'))
    with pytest.raises(BadFile, match="form 9"):
        read_match(file)
    with pytest.raises(BadFile, match="cannot read"):
        read_match(tmp_path / "none.json")


def test_checks_are_told_one_by_one() -> None:
    played = after_cut()
    played.answer_proof()
    assert played.model.checks[CUT].mark is Mark.VERIFIED
    assert update(Model(), Checked(1, Check(Mark.BROKEN)), 0.0).marks == {1: Mark.BROKEN}
