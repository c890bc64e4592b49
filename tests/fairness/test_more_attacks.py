"""Further attacks on the exchange: on its order, on what is forgotten, and on what is shown."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from msgspec.structs import replace

from attack import ALLY, BOT, LOT, MANY, SEED, SEED_2, Attack
from kings_client.fairness import DROPPED
from kings_client.marks import Check, Mark
from kings_client.saved import verify_match
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal, Cut
from kings_engine.events import DealBegan, DealerChosen, Event, TurnBegan
from kings_engine.phase import Phase
from kings_engine.rules import Rules, make_rules, rules_as_plain
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, proof_of
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Happened
from proofs import saved
from scripted import update_of

OUT = m.Member(missing="withheld")


def first(one: Attack) -> Check:
    return one.model.checks.get(1, Check())


def deals_offered_backwards() -> Check:
    one = Attack(MANY)
    one.exchange(deal=2)
    one.offer(1, one.seed(SEED))
    assert one.answers(m.Commit, 1) == []
    one.finish(Secret(SEED, (None, None)))
    return first(one)


def a_withheld_seat_named_twice() -> Check:
    one = Attack(MANY)
    one.exchange(one.ally(ALLY, SEED))
    share = one.exchange(OUT, SEED_2, attempt=1, withheld=(1,))
    one.finish(Secret(SEED_2, (share, None)), withheld=(1,))
    one.exchange(OUT, SEED, deal=2, withheld=(1,))
    one.offer(2, one.seed(SEED_2, 2, 1), attempt=1, withheld=(1, 1))
    assert one.answers(m.Commit, 2, 1) == []
    one.finish(Secret(SEED_2, (None, None)), withheld=(1, 1))
    return one.model.checks[2]


def withheld_under_a_later_number() -> Check:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.exchange(one.ally(ALLY, SEED))
    one.prover._want(9, one.model)
    assert not any(isinstance(asked, m.GetProof) for asked in one.asked)
    one.hear(one.table(withheld=(1,)))
    one.offer(1, one.seed(SEED_2, attempt=1), attempt=1, withheld=(1,))
    one.finish(Secret(SEED_2, (None, None)), withheld=(1,))
    return first(one)


def proved_before_its_end() -> Check:
    one = Attack(Rules())
    secret = Secret(SEED, (one.exchange(), None))
    one.hear(one.table())
    one.do(TABLE_ACTOR, BeginDeal(secret))
    begun, shown = one.match, one.shown
    while one.match.turn is not None:
        one.step()
    one.prover._want(1, one.model)
    one.answer_proof()
    one.match, one.shown = begun, shown
    one.random.seed(99)
    one.play_deal()
    return first(one)


def a_deal_dropped_after_one_event() -> Check:
    one = Attack(MANY)
    one.exchange(deal=0)
    told = update_of(one.match, 0)
    one.hear(replace(told, events=Happened((TurnBegan(0, 1),))))
    one.finish(Secret(SEED, (one.exchange(deal=1), None)))
    return first(one)


def other_cards_on_the_screen() -> Check:
    one = Attack(Rules())
    share = one.exchange()
    one.hear(one.table())
    start = one.match
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (share, None))), shown=False)
    chosen = update_of(one.match, 0).view
    one.match = start
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))), shown=False)
    one.hear(replace(update_of(one.match, 0), view=chosen))
    one.shown = one.match.version
    one.play_deal()
    one.answer_proof()
    return first(one)


def positions_under_another_number() -> Check:
    """Show a chosen deck as a later deal's, without events, and then tell the promised one."""
    one = Attack(MANY)
    share = one.exchange()
    one.hear(one.table())
    start = one.match
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (share, None))), shown=False)
    view = update_of(one.match, 0).view
    view = evolve(view, public=evolve(view.public, deal=9))
    one.hear(m.Update(view=view, events=Happened(())))
    one.match = start
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))), shown=False)
    one.play_deal(shown=lambda _: False)
    one.answer_proof()
    return first(one)


def played_by_other_rules() -> Check:
    one = Attack(Rules())
    share = one.exchange()
    other = Attack(make_rules({"hand_size": 5}))
    one.match = other.match
    one.finish(Secret(SEED, (share, None)))
    return first(one)


def another_token_on_return() -> Check:
    one = Attack(Rules())
    one.exchange()
    one.take(m.Reveal, 1)
    one.sit((), token="71" * 32)
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2), None)))
    return first(one)


def restarted_after_a_deck_was_refused() -> Check:
    one = Attack(Rules())
    one.offer(1, one.seed(SEED))
    one.exchange(one.ally(ALLY, SEED))
    share = one.exchange(OUT, SEED_2, attempt=1, withheld=(1,))
    again = Attack(Rules(), recalled=one.kept)
    again.finish(Secret(SEED_2, (share, None)), withheld=(1,))
    return first(again)


def restarted_after_a_broken_offer() -> Check:
    one = Attack(Rules())
    one.exchange()
    one.offer(1, one.seed(SEED_2), (one.mine(), BOT))
    again = Attack(Rules(), recalled=one.kept)
    again.offer(1, again.seed(SEED_2))
    assert again.answers(m.Commit, 1) == []
    again.finish(Secret(SEED_2, (None, None)))
    return first(again)


def the_lot_among_one() -> Check:
    one = Attack(LOT)
    share = one.exchange(deal=0)
    one.hear(one.table())
    one.match = one.match._replace(seats=(1,))
    one.do(TABLE_ACTOR, Cut(Secret(SEED, (share, None))))
    one.answer_proof(lambda proof: evolve(proof, seats=(1,)))
    return one.model.checks[0]


def seats_in_another_order() -> Check:
    one = Attack(Rules())
    one.deal(Secret(SEED, (one.exchange(), None)))
    one.answer_proof(lambda proof: evolve(proof, seats=(1, 0)))
    return first(one)


def proved_before_the_rules_are_known() -> Check:
    one = Attack(Rules())
    share = one.exchange()
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED_2, (share, None))))
    one.play_deal()
    proof = proof_of(one.match, 1)
    assert proof is not None
    again = Attack(Rules(), recalled=one.kept)
    again.prover._want(1, again.model)
    again.match = one.match
    again.answer_proof()
    return first(again)


ATTACKS: tuple[Callable[[], Check], ...] = (
    deals_offered_backwards,
    a_withheld_seat_named_twice,
    withheld_under_a_later_number,
    proved_before_its_end,
    a_deal_dropped_after_one_event,
    positions_under_another_number,
    played_by_other_rules,
    another_token_on_return,
    restarted_after_a_deck_was_refused,
    restarted_after_a_broken_offer,
    the_lot_among_one,
    seats_in_another_order,
    proved_before_the_rules_are_known,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_attack_ends_in_fair(attack: Callable[[], Check]) -> None:
    check = attack()
    assert check.mark is not Mark.FAIR


def test_a_position_that_does_not_follow_from_the_events_is_noticed() -> None:
    assert other_cards_on_the_screen().mark is Mark.BROKEN


# ---- a deck is dropped behind one that seems to be dealt


def proof_of_only(one: Attack) -> DealProof:
    """Return the proof of the one deal that the engine played, whatever its number."""
    at, step = next(
        (at, step) for at, step in enumerate(one.match.steps) if isinstance(step.action, BeginDeal)
    )
    (began,) = (event for event in step.events if isinstance(event, DealBegan))
    later = tuple((step.actor, str(step.action)) for step in one.match.steps[at + 1 :])
    return DealProof(began.number, began.dealer, began.seats, str(step.action), later)


def invented(deal: int) -> DealBegan:
    return DealBegan(deal, 1, (0, 1), (), 0, (None, None))


def show_event(one: Attack, event: Event) -> None:
    one.hear(replace(update_of(one.match, 0), events=Happened((event,))))


@pytest.mark.parametrize("event", [TurnBegan(0, 1), invented(1)])
def test_a_deal_after_one_that_only_seemed_to_begin_is_not_the_first_choice(event: Event) -> None:
    one = Attack(MANY)
    one.exchange()
    position = update_of(one.match, 0)
    view = evolve(position.view, public=evolve(position.view.public, deal=1, phase=Phase.PLAY))
    one.hear(replace(position, view=view, events=Happened((event,))))
    share = one.exchange(deal=2)
    one.hear(one.table())
    one.match = one.match._replace(dealer=1, number=1)
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))))
    one.play_deal()
    one.answer_with(proof_of_only(one))
    assert one.model.checks[2].mark is Mark.PENDING
    one.refuse_proof(1)
    assert one.model.checks[1].mark is Mark.UNCHECKED
    assert (one.model.checks[2].mark, one.model.checks[2].anew) == (Mark.ANEW, (DROPPED,))


def test_a_deal_waits_for_the_proof_of_the_one_before_it() -> None:
    one = Attack(MANY)
    one.deal(Secret(SEED, (one.exchange(), None)))
    late = one.asked[-1]
    one.hear(m.Refused(re=late.id, code=RefusalCode.TOO_MANY_REQUESTS), late)
    one.finish(Secret(SEED, (one.exchange(deal=2), None)))
    assert one.model.marks == {1: Mark.PENDING, 2: Mark.PENDING}
    asked = [ask for ask in one.asked if isinstance(ask, m.GetProof) and ask.deal == 1]
    proof = proof_of(one.match, 1)
    assert proof is not None
    one.answer_with(proof, asked[-1])
    assert one.model.marks == {1: Mark.FAIR, 2: Mark.FAIR}


@pytest.mark.parametrize("shows", [TurnBegan(0, 1), invented(1)])
def test_a_rematch_after_a_deal_that_is_not_proved_is_not_the_first_choice(shows: Event) -> None:
    one = Attack(Rules())
    one.exchange()
    show_event(one, shows)
    one.rematch()
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    assert first(one).mark is not Mark.FAIR
    assert first(one).anew == (DROPPED,)


def test_a_table_closed_after_an_invented_event_is_not_forgotten() -> None:
    one = Attack(Rules())
    one.exchange()
    show_event(one, TurnBegan(0, 1))
    one.prover.leave()
    assert one.prover.owed


def test_who_was_away_when_a_match_ended_accuses_nobody() -> None:
    one = Attack(Rules())
    one.exchange()
    one.prover.look_away()
    one.rematch()
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    assert (first(one).mark, first(one).anew) == (Mark.ANEW, (DROPPED,))


def test_who_came_back_before_a_match_was_dropped_still_says_so() -> None:
    one = Attack(Rules())
    one.exchange()
    one.prover.look_away()
    one.hear(one.table())
    one.hear(one.table(match=2))
    assert first(one).doubts == ("match_dropped",)


@pytest.mark.parametrize(("rules", "deal"), [(MANY, 1), (LOT, 0)])
def test_a_dropped_match_is_told_of_the_first_deck_of_the_next(rules: Rules, deal: int) -> None:
    one = Attack(rules)
    one.exchange(deal=2)
    one.hear(one.table(match=2))
    assert {number: check.doubts for number, check in one.model.checks.items()} == {
        deal: ("match_dropped",)
    }


def test_an_idle_offer_does_not_hide_that_a_deck_was_dropped() -> None:
    one = Attack(LOT)
    one.exchange(deal=0)
    one.hear(one.table(phase="over"))
    one.rematch()
    one.offer(0, one.seed(SEED, 0, match=2), match=2)
    one.match = one.match._replace(phase=Phase.DEAL_DUE, dealer=0)
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    assert (first(one).mark, first(one).anew) == (Mark.ANEW, (DROPPED,))


def test_the_cut_after_a_dropped_deal_does_not_hide_it_from_the_next_deal() -> None:
    one = Attack(LOT)
    one.exchange()
    one.hear(one.table(phase="over"))
    one.rematch()
    share = one.exchange(deal=0, match=2)
    one.hear(one.table(match=2))
    one.do(TABLE_ACTOR, Cut(Secret(SEED, (share, None))))
    one.answer_proof()
    assert one.model.checks[0].mark is Mark.ANEW
    one.finish(Secret(SEED_2, (one.exchange(seed=SEED_2, match=2), None)), match=2)
    assert (first(one).mark, first(one).anew) == (Mark.ANEW, (DROPPED,))


# ---- who deals


def dealt_by(dealer: int, rules: Rules, deal: int = 1, match: int = 1, **told: Any) -> Attack:
    """Deal a promised deck from another seat than the one whose turn it is."""
    one = Attack(rules)
    share = one.exchange(deal=deal, match=match)
    one.hear(one.table(match=match))
    for event in told.values():
        one.hear(replace(update_of(one.match, 0), events=Happened((event,))))
    one.match = one.match._replace(phase=Phase.DEAL_DUE, dealer=dealer, number=deal - 1)
    one.match = one.match._replace(dealer=dealer if deal == 1 else dealer - 1)
    one.do(TABLE_ACTOR, BeginDeal(Secret(SEED, (share, None))))
    one.play_deal()
    one.answer_with(proof_of_only(one))
    return one


@pytest.mark.parametrize(
    ("rules", "deal", "match", "told", "due"),
    [
        (Rules(), 1, 1, {}, 1),
        (Rules(), 1, 2, {}, 0),
        (make_rules({"first_dealer": "seat_1"}), 1, 1, {}, 0),
        (LOT, 1, 1, {"chosen": DealerChosen(1, lot=True)}, 1),
        (MANY, 2, 1, {"began": DealBegan(1, 1, (0, 1), (), 0, (None, None))}, 0),
    ],
)
def test_who_deals_follows_from_what_was_seen(
    rules: Rules, deal: int, match: int, told: dict[str, Any], due: int
) -> None:
    for dealer in (0, 1):
        attacked = dealt_by(dealer, rules, deal, match, **told)
        doubts = () if dealer == due else ("dealer_out_of_turn",)
        assert attacked.model.checks[deal].doubts == doubts
        (found,) = (one for number, one in verify_match(saved(attacked)) if number == deal)
        assert found.doubts == doubts


def test_what_the_table_shows_as_rules_is_whole() -> None:
    plain = rules_as_plain(Rules())
    assert rules_as_plain(make_rules(plain)) == plain
