"""Dishonest servers and seats against the unchanged client, its line mode and ``kings verify``.

The victim sits at seat 0. Whoever attacks knows everything: seeds, the shares of seats that play
along, and, once it is sent, the victim's.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve, frozen
from msgspec.structs import replace

from attack import ALLY, ALLY_2, BOT, LOT, MANY, SEED, SEED_2, Attack
from kings_client.main import main
from kings_client.marks import Check, Mark, Why, Withheld
from kings_client.saved import write_match
from kings_client.words import fairness
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal, Cut
from kings_engine.commitments import commit_share
from kings_engine.phase import Phase
from kings_engine.rules import Rules, make_rules
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, Problem
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from proofs import saved
from scripted import offer, update_of


def honest() -> Attack:
    one = Attack(Rules())
    one.finish(Secret(SEED, (one.exchange(), None)))
    return one


# ---- the victim's share is kept out of the deck


def refused_with_no_offer() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    (commit,) = one.answers(m.Commit, 1)
    one.hear(m.Refused(re=commit.id, code=RefusalCode.NO_OFFER), commit)
    one.offer(1, one.seed(SEED), (m.Member(missing="late"), BOT))
    one.finish(Secret(SEED, (None, None)))
    return one


def refused_with_silence() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.offer(1, one.seed(SEED), (m.Member(missing="late"), BOT))
    one.finish(Secret(SEED, (None, None)))
    return one


def taken_and_left_out() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.take(m.Commit, 1)
    one.offer(1, one.seed(SEED), (m.Member(missing="late"), BOT))
    one.finish(Secret(SEED, (None, None)))
    return one


def left_out_and_taken_later() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.offer(1, one.seed(SEED), (m.Member(missing="late"), BOT))
    one.take(m.Commit, 1)
    one.finish(Secret(SEED, (None, None)))
    return one


def in_the_set_and_not_in_the_deck() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.finish(Secret(SEED, (None, None)))
    return one


def another_commitment_in_her_name() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    other = commit_share(one.context(1), one.seed(SEED), 0, ALLY)
    one.offer(1, one.seed(SEED), (m.Member(commitment=other.hex()), BOT))
    assert one.answers(m.Reveal, 1) == []
    one.finish(Secret(SEED, (ALLY, None)))
    return one


def commitments_swapped() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.offer(1, one.seed(SEED), (one.ally(ALLY, SEED), one.mine()))
    assert one.answers(m.Reveal, 1) == []
    one.finish(Secret(SEED, (None, ALLY)))
    return one


# ---- the deck is chosen once her share is known


def another_seed() -> Attack:
    one = Attack(Rules())
    one.finish(Secret(SEED_2, (one.exchange(), None)))
    return one


def another_share_of_the_ally() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.finish(Secret(SEED, (one.exchange(one.ally(ALLY, SEED)), ALLY_2)))
    return one


def a_share_of_the_ally_more() -> Attack:
    one = Attack(Rules())
    one.finish(Secret(SEED, (one.exchange(), ALLY)))
    return one


def a_share_of_the_ally_less() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.finish(Secret(SEED, (one.exchange(one.ally(ALLY, SEED)), None)))
    return one


def her_commitment_echoed() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    share = one.exchange(one.mine())
    one.finish(Secret(SEED, (share, share)))
    return one


def a_share_that_fits_another_deal() -> Attack:
    one = Attack(MANY)
    one.offer(1, one.seed(SEED))
    one.finish(Secret(SEED, (one.exchange(one.ally(ALLY, SEED)), ALLY)))
    old = one.ally(ALLY, SEED, deal=1)
    one.finish(Secret(SEED, (one.exchange(old, deal=2), ALLY)))
    return one


def her_old_commitment_used_again() -> Attack:
    one = Attack(MANY)
    one.finish(Secret(SEED, (one.exchange(), None)))
    share = one.revealed()
    one.offer(2, one.seed(SEED, 2))
    one.offer(2, one.seed(SEED, 2), (one.mine(1), BOT))
    assert one.answers(m.Reveal, 2) == []
    one.finish(Secret(SEED, (share, None)))
    return one


def the_offer_repeated_with_another_seed() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.offer(1, one.seed(SEED_2))
    one.finish(Secret(SEED_2, (None, None)))
    return one


def the_set_changed() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    share = one.exchange(one.ally(ALLY, SEED))
    one.offer(1, one.seed(SEED), (one.mine(), one.ally(ALLY_2, SEED)))
    one.finish(Secret(SEED, (share, ALLY_2)))
    return one


def the_set_taken_back() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    share = one.exchange(one.ally(ALLY, SEED))
    one.offer(1, one.seed(SEED))
    one.offer(1, one.seed(SEED), (one.mine(), BOT))
    one.finish(Secret(SEED, (share, None)))
    return one


def a_commitment_for_other_rules() -> Attack:
    one, other = Attack(Rules()), Attack(make_rules({"hand_size": 5}))
    committed = other.seed(SEED)
    one.offer(1, committed)
    one.take(m.Commit, 1)
    one.offer(1, committed, (one.mine(), BOT))
    one.finish(Secret(SEED, (one.revealed(), None)))
    return one


def the_rules_changed() -> Attack:
    one = Attack(Rules())
    share = one.exchange()
    table = one.table(phase="offering", offer=offer(1, one.seed(SEED), (one.mine(), BOT)))
    one.hear(replace(table, rules={**table.rules, "hand_size": 5}))
    one.finish(Secret(SEED, (share, None)))
    return one


def the_lot_chosen() -> Attack:
    one = Attack(LOT)
    share = one.exchange(deal=0)
    one.hear(one.table())
    one.do(TABLE_ACTOR, Cut(Secret(SEED_2, (share, None))))
    one.answer_proof()
    return one


# ---- a deck is dropped once her share is known


def an_ally_withholds() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.exchange(one.ally(ALLY, SEED))
    out = m.Member(missing="withheld")
    one.finish(
        Secret(SEED_2, (one.exchange(out, SEED_2, attempt=1, withheld=(1,)), None)), withheld=(1,)
    )
    return one


def offered_anew_for_nobody() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1)
    assert one.answers(m.Commit, 1, 1) == []
    one.finish(Secret(SEED_2, (None, None)))
    return one


def offered_anew_for_a_bot() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1, withheld=(1,))
    one.finish(Secret(SEED_2, (None, None)), withheld=(1,))
    return one


def her_share_denied() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.take(m.Reveal, 1)
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1, withheld=(0,))
    one.finish(Secret(SEED_2, (None, None)), withheld=(0,))
    return one


def her_share_denied_and_taken_later() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1, withheld=(0,))
    one.take(m.Reveal, 1)
    one.finish(Secret(SEED_2, (None, None)), withheld=(0,))
    return one


def her_share_said_to_be_lost() -> Attack:
    one = Attack(Rules())
    one.exchange()
    committed = one.seed(SEED_2, attempt=1)
    one.offer(1, committed, attempt=1, withheld=(0,))
    members = (m.Member(missing="withheld"), BOT)
    one.offer(1, committed, members, attempt=1, withheld=(0,))
    one.finish(Secret(SEED_2, (None, None)), withheld=(0,))
    return one


def the_withheld_share_forgotten() -> Attack:
    one = Attack(MANY)
    one.offer(1, one.seed(SEED))
    one.exchange(one.ally(ALLY, SEED))
    share = one.exchange(BOT, SEED_2, attempt=1, withheld=(1,))
    one.finish(Secret(SEED_2, (share, None)), withheld=(1,))
    one.offer(2, one.seed(SEED, 2))
    assert one.answers(m.Commit, 2) == []
    one.finish(Secret(SEED, (None, None)))
    return one


def a_rematch_while_a_deck_is_promised() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.rematch()
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    return one


def a_match_ended_and_a_rematch() -> Attack:
    one = Attack(Rules())
    one.exchange()
    one.hear(one.table(phase="over"))
    one.rematch()
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    return one


def an_older_match() -> Attack:
    one = Attack(Rules())
    one.hear(one.table(match=2, phase="over"))
    one.offer(1, one.seed(SEED), match=1)
    assert one.asked == []
    one.finish(Secret(SEED, (None, None)), match=2)
    return one


def a_deal_skipped() -> Attack:
    one = Attack(MANY)
    one.finish(Secret(SEED, (one.exchange(), None)))
    one.exchange(deal=2)
    share = one.exchange(deal=3)
    one.refuse_proof(2)
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (None, None))), shown=False)
    while one.match.phase is Phase.PLAY:
        one.step()
    one.shown = one.match.version
    one.finish(Secret(SEED, (share, None)))
    return one


def a_table_closed_and_its_number_used_again() -> Attack:
    one = Attack(Rules())
    one.exchange()
    book = one.prover.leave()
    assert book is not None
    assert book.owed == (1,)
    one.model = evolve(one.model, pending=())
    one.sit((), token="71" * 32)
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2), None)))
    return one


def offered_again_after_it_was_dealt() -> Attack:
    one = Attack(Rules())
    one.hear(one.table())
    share = one.exchange()
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))))
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1, withheld=(1,))
    one.play_deal()
    one.answer_proof()
    return one


# ---- what is shown is not what is published


def dealt_twice() -> Attack:
    """Show the beginning of one deck, and then another one's, on the same connection."""
    one = Attack(Rules())
    share = one.exchange()
    first = Attack(Rules())
    first.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (share, None))), shown=False)
    one.hear(update_of(first.match, 0))
    one.finish(Secret(SEED, (share, None)))
    return one


def told_otherwise_after_the_line_was_lost() -> Attack:
    """Play a whole chosen deck, cut the line, and tell the story of the promised one."""
    one = Attack(Rules())
    share = one.exchange()
    chosen = Attack(Rules())
    chosen.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (share, None))), shown=False)
    while chosen.match.phase is Phase.PLAY and chosen.match.version < 30:
        one.hear(update_of(chosen.match, 0, chosen.shown))
        chosen.shown = chosen.match.version
        chosen.step()
    one.prover.look_away()
    one.finish(Secret(SEED, (share, None)))
    return one


def told_with_a_gap() -> Attack:
    """Show only the end of a deal, so that there is little to compare."""
    one = Attack(Rules())
    share = one.exchange()
    one.hear(one.table())
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))), shown=False)
    while one.match.phase is Phase.PLAY:
        one.step()
    whole = update_of(one.match, 0)
    tail = m.Happened(whole.events.events[-3:])
    one.hear(m.Update(view=whole.view, events=tail, gap=True))
    one.answer_proof()
    return one


def another_deals_proof() -> Attack:
    one = Attack(MANY)
    one.finish(Secret(SEED, (one.exchange(), None)))
    one.deal(Secret(SEED, (one.exchange(deal=2), None)))
    first = one.prover.proofs[1]
    one.answer_proof(lambda _: first)
    return one


def the_proof_refused() -> Attack:
    one = Attack(Rules())
    one.deal(Secret(SEED, (one.exchange(), None)))
    one.refuse_proof(1)
    return one


def the_proof_without_an_action() -> Attack:
    one = Attack(Rules())
    one.deal(Secret(SEED, (one.exchange(), None)))

    def shortened(proof: DealProof) -> DealProof:
        return evolve(proof, actions=proof.actions[:-1])

    one.answer_proof(shortened)
    return one


# ---- an offer for something else


def an_offer_at_another_table() -> Attack:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED), table="other")
    assert one.asked == []
    one.finish(Secret(SEED, (None, None)))
    return one


def a_commitment_for_another_deal() -> Attack:
    one = Attack(Rules())
    committed = one.seed(SEED, deal=2)
    one.offer(1, committed)
    one.take(m.Commit, 1)
    one.offer(1, committed, (one.mine(), BOT))
    one.finish(Secret(SEED, (one.revealed(), None)))
    return one


@frozen
class Case:
    """An attack, and what every honest way out says of the deck that it was for."""

    attack: Callable[[], Attack]
    mark: Mark
    says: str
    status: int
    deal: int = 1


WITHOUT, ANEW, BROKEN = Mark.FAIR_WITHOUT, Mark.ANEW, Mark.BROKEN
CASES = (
    Case(honest, Mark.FAIR, "fair, with your share", 0),
    Case(refused_with_no_offer, WITHOUT, "it came too late", 5),
    Case(refused_with_silence, WITHOUT, "it came too late", 5),
    Case(taken_and_left_out, BROKEN, "was taken, and left out", 1),
    Case(left_out_and_taken_later, BROKEN, "was taken, and left out", 1),
    Case(in_the_set_and_not_in_the_deck, BROKEN, "your share is not in the deck", 1),
    Case(another_commitment_in_her_name, BROKEN, "another commitment in your name", 1),
    Case(commitments_swapped, BROKEN, "another commitment in your name", 1),
    Case(another_seed, BROKEN, "the seed is not the one", 1),
    Case(another_share_of_the_ally, BROKEN, "the shares are not those", 1),
    Case(a_share_of_the_ally_more, BROKEN, "the shares are not those", 1),
    Case(a_share_of_the_ally_less, BROKEN, "the shares are not those", 1),
    Case(her_commitment_echoed, BROKEN, "the shares are not those", 1),
    Case(a_share_that_fits_another_deal, BROKEN, "the shares are not those", 1, deal=2),
    Case(her_old_commitment_used_again, BROKEN, "another commitment in your name", 1, deal=2),
    Case(the_offer_repeated_with_another_seed, BROKEN, "two seeds", 1),
    Case(the_set_changed, BROKEN, "the set of commitments changed", 1),
    Case(the_set_taken_back, BROKEN, "was taken back", 1),
    Case(a_commitment_for_other_rules, BROKEN, "the seed is not the one", 1),
    Case(the_rules_changed, BROKEN, "the rules changed", 1),
    Case(the_lot_chosen, BROKEN, "the seed is not the one", 1, deal=0),
    Case(an_ally_withholds, ANEW, "offered anew once: medium withheld a share", 5),
    Case(offered_anew_for_nobody, BROKEN, "nobody had withheld", 1),
    Case(offered_anew_for_a_bot, BROKEN, "somebody without a share", 1),
    Case(her_share_denied, BROKEN, "says that you withheld it", 1),
    Case(her_share_denied_and_taken_later, BROKEN, "says that you withheld it", 1),
    Case(her_share_said_to_be_lost, ANEW, "offered anew once: Ann withheld a share", 5),
    Case(the_withheld_share_forgotten, BROKEN, "a withheld share was forgotten", 1, deal=2),
    Case(a_rematch_while_a_deck_is_promised, BROKEN, "a new match began", 1),
    Case(a_match_ended_and_a_rematch, ANEW, "offered anew once: a deck was dropped", 5),
    Case(an_older_match, BROKEN, "a match that is over", 1),
    Case(a_deal_skipped, BROKEN, "the deal was never dealt", 1, deal=2),
    Case(a_table_closed_and_its_number_used_again, ANEW, "a deck was dropped", 5),
    Case(offered_again_after_it_was_dealt, BROKEN, "after it had been dealt", 1),
    Case(dealt_twice, BROKEN, "not the one that was shown", 1),
    Case(told_otherwise_after_the_line_was_lost, BROKEN, "not the one that was shown", 1),
    Case(told_with_a_gap, Mark.UNCHECKED, "its start was not seen", 3),
    Case(another_deals_proof, BROKEN, "the proof of another deal", 1, deal=2),
    Case(the_proof_refused, Mark.UNCHECKED, "the server gave no proof", 3),
    Case(the_proof_without_an_action, BROKEN, "not the one that was shown", 1),
    Case(an_offer_at_another_table, BROKEN, "for another table", 1),
    Case(a_commitment_for_another_deal, BROKEN, "the seed is not the one", 1),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.attack.__name__)
def test_an_attack_is_seen(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attacked = case.attack()
    check = attacked.model.checks.get(case.deal, Check())
    assert (check.mark, check.doubts if check.mark is not BROKEN else ()) == (case.mark, ())
    assert case.says in fairness.told(check)
    file = tmp_path / "match.json"
    file.write_bytes(write_match(saved(attacked)))
    assert main(["verify", str(file)]) == case.status
    assert case.says in capsys.readouterr().out


def test_a_deck_after_a_dropped_one_is_no_first_choice() -> None:
    attacked = a_deal_skipped()
    check = attacked.model.checks[3]
    assert (check.mark, check.anew) == (ANEW, (Withheld(None, ""),))


def test_two_victims_who_are_shown_two_sets_cannot_both_be_content(tmp_path: Path) -> None:
    """The deck follows from one set alone; whoever was shown another one sees it at the proof."""
    ann, ben = Attack(Rules()), Attack(Rules(), seat=1)
    for one in (ann, ben):
        one.offer(1, one.seed(SEED))
        one.take(m.Commit, 1)
    (of_ben,) = ben.answers(m.Commit, 1)
    theirs = m.Member(commitment=of_ben.commitment)
    ann.offer(1, ann.seed(SEED), (ann.mine(), m.Member(missing="late")))
    ben.offer(1, ben.seed(SEED), (ann.mine(), theirs))
    secret = Secret(SEED, (ann.revealed(), ben.revealed()))
    for one in (ann, ben):
        one.finish(secret)
    assert ben.model.marks[1] is Mark.FAIR
    assert ann.model.checks[1].doubts == (Problem.SHARES_NOT_COMMITTED,)
    offers = [one.model.checks[1].exchange for one in (ann, ben)]
    assert len({out.code for out in offers if out is not None}) == 2
    for one, status in ((ben, 0), (ann, 1)):
        file = tmp_path / "match.json"
        file.write_bytes(write_match(saved(one)))
        assert main(["verify", str(file)]) == status


def test_no_share_is_revealed_before_the_whole_set_or_into_a_broken_one() -> None:
    for case in CASES:
        attacked = case.attack()
        for reveal in (one for one in attacked.asked if isinstance(one, m.Reveal)):
            before = attacked.asked[: attacked.asked.index(reveal)]
            commits = [one for one in before if isinstance(one, m.Commit)]
            assert any((one.deal, one.attempt) == (reveal.deal, reveal.attempt) for one in commits)


def test_why_a_share_is_missing_is_told_as_the_client_knows_it() -> None:
    check = refused_with_silence().model.checks[1]
    assert (check.mark, check.why) == (WITHOUT, Why.LATE)
