"""Proofs of a fair deal: honest ones verify from every seat, and whatever is wrong is found."""

from hashlib import sha256
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from casebook import Case, run
from kings_engine.actions import TABLE, Abandon, BeginDeal, Cut, Forfeit, parse_action
from kings_engine.commitments import (
    DealContext,
    LoosePromise,
    Promise,
    commit_seed,
    commit_share,
    rules_digest,
)
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealerChosen,
    Drew,
    Event,
    Played,
    TurnEnded,
)
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules, rules_as_plain
from kings_engine.sources import Deck, Secret
from kings_engine.verify import DealProof, Problem, check_deal, proof_of
from kings_engine.view import history
from strategies import Temper, fair_match, rule_sets, seeds, step, tempers


def secret_of(match: Match, number: int) -> Secret:
    """Return the secret of deal ``number`` (0: the cut)."""
    secrets = {0: Secret(b"", ())}
    for done in match.steps:
        match done.action:
            case Cut(secret):
                secrets[0] = secret
            case BeginDeal(Secret() as secret):
                secrets[max(secrets) + 1] = secret
    return secrets[number]


def seen_of(match: Match, number: int, viewer: int | None) -> tuple[Event, ...]:
    """Return the events of deal ``number`` as the viewer saw them, and those of the cut before."""
    ends = [at for at, done in enumerate(match.steps) if isinstance(done.action, BeginDeal)]
    bounds = [0, *ends[1:], match.version]
    number = max(number, 1)
    whole = history(match, viewer, bounds[number - 1])
    after = history(match, viewer, bounds[number])
    return whole[: len(whole) - len(after)]


def promise_of(match: Match, number: int, viewer: int | None, secret: Secret) -> Promise:
    """Return the commitments that an honest server and honest clients would have shown."""
    rules = rules_digest(rules_as_plain(match.rules))
    context = DealContext(b"\x05" * 16, "k3x9", 1, number, 0, rules)
    seed = commit_seed(context, secret.seed)
    shares = tuple(
        None if share is None else commit_share(context, seed, seat, share)
        for seat, share in enumerate(secret.shares)
    )
    return Promise(context, seed, shares, viewer, None if viewer is None else secret.shares[viewer])


def check(match: Match, number: int, viewer: int | None, **changes: Any) -> tuple[Problem, ...]:
    """Check a deal as an honest server would have it, but for ``changes``."""
    promise = promise_of(match, number, viewer, secret_of(match, number))
    promise = evolve(promise, **changes.get("promise", {}))
    seen = changes.get("seen", seen_of(match, number, viewer))
    return check_deal(
        match.rules,
        changes["proof"] if "proof" in changes else proof(match, number),
        promise,
        viewer,
        changes.get("runs", (seen,)),
    )


@given(rule_sets(), seeds, tempers)
def test_honest_deals_verify_from_every_seat(rules: Rules, seed: int, temper: Temper) -> None:
    match = fair_match(rules, seed, temper)
    for number in range(1, match.number + 1):
        for viewer in (None, *range(rules.players)):
            assert check(match, number, viewer) == ()


@given(rule_sets(first_dealer="cut_higher") | rule_sets(first_dealer="lot"), seeds)
def test_an_honest_cut_verifies_from_every_seat(rules: Rules, seed: int) -> None:
    match = fair_match(rules, seed, Temper(eager=1.0, meddling=0.0), deals=1)
    for viewer in (None, *range(rules.players)):
        assert check(match, 0, viewer) == ()


@given(seeds, st.data())
def test_whoever_saw_its_start_can_check_a_deal_with_gaps(seed: int, data: st.DataObject) -> None:
    match = fair_match(preset_rules("one_page", {"players": 3}), seed, Temper(0.8, 0.02), deals=2)
    number = data.draw(st.integers(1, match.number))
    viewer = data.draw(st.sampled_from((None, 0, 1, 2)))
    seen = seen_of(match, number, viewer)
    began = next(at for at, event in enumerate(seen) if isinstance(event, DealBegan))
    first = data.draw(st.integers(began + 1, len(seen) - 1))
    last = data.draw(st.integers(first, len(seen) - 1))
    assert check(match, number, viewer, runs=(seen[:first], seen[last:])) == ()
    assert check(match, number, viewer, runs=(seen[:first],)) == ()
    assert check(match, number, viewer, runs=(seen[first:],)) == (Problem.START_NOT_SEEN,)


@given(seeds, st.data())
def test_what_was_told_otherwise_before_is_found(seed: int, data: st.DataObject) -> None:
    match = fair_match(preset_rules("one_page", {"players": 3}), seed, Temper(0.8, 0.02), deals=1)
    other = fair_match(
        preset_rules("one_page", {"players": 3}), seed + 1, Temper(0.8, 0.02), deals=1
    )
    seen, lie = seen_of(match, 1, 1), seen_of(other, 1, 1)
    lie = lie[: data.draw(st.integers(1, len(lie)))]
    for runs in ((lie, seen), (seen, lie)):
        assert check(match, 1, 1, runs=runs) == (Problem.NOT_AS_SEEN,)


def test_where_nothing_was_seen_there_is_nothing_to_compare() -> None:
    match = run(Case("here", {"rules": "strict", "do": ["cut 1", "shuffle 2", "end"]}))
    cut = tuple(one for one in seen_of(match, 0, 0) if isinstance(one, CardsCut | DealerChosen))
    dealt = deal_of_three()
    assert check(match, 0, 0) == ()
    assert check(match, 0, 0, seen=()) == (Problem.NOTHING_SEEN,)
    assert check(dealt, 1, 0, seen=()) == (Problem.NOTHING_SEEN,)
    assert check(dealt, 1, 0, seen=cut) == (Problem.NOTHING_SEEN,)
    forged = evolve(proof(dealt), begin=f"deal {Secret(bytes(32), (None, None, None))}")
    assert Problem.SEED_NOT_COMMITTED in check(dealt, 1, 0, seen=(), proof=forged)


def deal_of_three(seed: int = 1) -> Match:
    return fair_match(preset_rules("pagat", {"players": 3}), seed, Temper(0.9, 0.0), deals=2)


def proof(match: Match, number: int = 1) -> DealProof:
    made = proof_of(match, number)
    assert made is not None
    return made


def test_a_proof_holds_the_seed_and_every_action_of_its_deal() -> None:
    match = deal_of_three()
    begins = [at for at, done in enumerate(match.steps) if isinstance(done.action, BeginDeal)]
    made = proof(match, 2)
    assert (made.number, made.dealer, made.seats) == (2, 0, (0, 1, 2))
    assert made.begin == f"deal {secret_of(match, 2)}"
    assert len(made.actions) == match.version - begins[1] - 1
    assert len(proof(match, 1).actions) == begins[1] - 1
    assert all(actor in (0, 1, 2) for actor, _ in made.actions)


def test_another_seed_than_committed_is_found() -> None:
    match = deal_of_three()
    assert check(match, 1, 0, promise={"seed": bytes(32)})[0] == Problem.SEED_NOT_COMMITTED
    other = evolve(proof(match), begin=f"deal {Secret(bytes(32), secret_of(match, 1).shares)}")
    assert check(match, 1, 0, proof=other)[0] == Problem.SEED_NOT_COMMITTED


@pytest.mark.parametrize("field", ["server", "table", "match", "deal", "attempt", "rules"])
def test_a_commitment_fits_nothing_but_what_it_was_made_for(field: str) -> None:
    match = deal_of_three()
    honest = promise_of(match, 1, 0, secret_of(match, 1)).context
    others = {"server": b"\x06" * 16, "table": "k3x8", "rules": bytes(32)}
    changes: dict[str, Any] = {field: others.get(field, 7)}
    found = check(match, 1, 0, promise={"context": evolve(honest, **changes)})
    assert {Problem.SEED_NOT_COMMITTED, Problem.SHARES_NOT_COMMITTED} <= set(found)
    assert (Problem.ANOTHER_DEAL in found) is (field == "deal")


def test_a_share_that_was_not_used_is_found() -> None:
    match = deal_of_three()
    for viewer in range(3):
        assert check(match, 1, viewer, promise={"share": b"\x07" * 32}) == (Problem.SHARE_NOT_USED,)


def test_a_share_used_for_another_seat_is_found() -> None:
    shares = (b"\x01" * 32, b"\x02" * 32)
    match = step(new_match(Rules()), TABLE, BeginDeal(Secret(bytes(32), shares)))
    match = step(match, TABLE, Abandon())
    assert check(match, 1, 0) == ()
    swapped = evolve(proof(match), begin=f"deal {Secret(bytes(32), shares[::-1])}")
    found = check(match, 1, 0, proof=swapped)
    assert {Problem.SHARES_NOT_COMMITTED, Problem.SHARE_NOT_USED} <= set(found)


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_share_that_is_committed_to_and_not_in_the_deck_is_found(left_out: int) -> None:
    shares: list[bytes | None] = [b"\x01" * 32, b"\x02" * 32]
    whole = step(new_match(Rules()), TABLE, BeginDeal(Secret(bytes(32), tuple(shares))))
    promise = promise_of(whole, 1, 0, secret_of(whole, 1))
    shares[left_out] = None
    match = step(new_match(Rules()), TABLE, BeginDeal(Secret(bytes(32), tuple(shares))))
    match = step(match, TABLE, Abandon())
    found = check_deal(match.rules, proof(match), promise, 0, (seen_of(match, 1, 0),))
    assert Problem.SHARES_NOT_COMMITTED in found
    assert (Problem.SHARE_NOT_USED in found) is (left_out == 0)


def test_a_share_that_nobody_committed_to_is_found() -> None:
    match = step(new_match(Rules()), TABLE, BeginDeal(Secret(bytes(32), (b"\x01" * 32, bytes(32)))))
    match = step(match, TABLE, Abandon())
    promise = promise_of(match, 1, 0, secret_of(match, 1))
    added = evolve(promise, shares=(promise.shares[0], None))
    found = check_deal(match.rules, proof(match), added, 0, (seen_of(match, 1, 0),))
    assert found == (Problem.SHARES_NOT_COMMITTED,)


def test_who_looks_on_has_no_share_to_look_for() -> None:
    assert check(deal_of_three(), 1, None) == ()


def test_a_promise_of_the_first_kind_is_checked_as_it_was() -> None:
    match = deal_of_three()
    secret = secret_of(match, 1)
    made = sha256(b"kings-commit" + secret.seed).digest()
    seen = (seen_of(match, 1, 1),)
    for share, seed, problems in (
        (secret.shares[1], made, ()),
        (None, made, ()),
        (b"\x07" * 32, made, (Problem.SHARE_NOT_USED,)),
        (None, bytes(32), (Problem.SEED_NOT_COMMITTED,)),
    ):
        loose = LoosePromise(seed, 1, share)
        assert check_deal(match.rules, proof(match), loose, 1, seen) == problems


def test_without_a_promise_only_what_was_seen_is_compared() -> None:
    match = deal_of_three()
    assert check_deal(match.rules, proof(match), None, 0, (seen_of(match, 1, 0),)) == ()
    assert check_deal(match.rules, proof(match), None, 0, (seen_of(match, 2, 0),)) == (
        Problem.NOT_AS_SEEN,
    )


def test_another_deck_is_found_by_whoever_saw_the_first() -> None:
    match = deal_of_three()
    secret = secret_of(match, 1)
    other = Secret(b"\x09" * 32, secret.shares)
    played = step(new_match(match.rules), TABLE, BeginDeal(other))
    swapped = DealProof(1, 2, (0, 1, 2), f"deal {other}", ())
    promise = promise_of(match, 1, 1, other)
    found = check_deal(match.rules, swapped, promise, 1, (seen_of(match, 1, 1),))
    assert found == (Problem.NOT_AS_SEEN,)
    assert history(played, 1, 0) != seen_of(match, 1, 1)


def test_an_illegal_action_is_found() -> None:
    match = deal_of_three()
    made = proof(match)
    for actions in (
        ((0, "play AS NE"), *made.actions),
        ((1, made.actions[0][1]), *made.actions[1:]),
        (*made.actions, (0, "end")),
        (*made.actions[:3], (TABLE, "deal deck ASAH"), *made.actions[3:]),
    ):
        assert check(match, 1, None, proof=evolve(made, actions=actions)) == (
            Problem.NOT_BY_THE_RULES,
        )


def test_a_changed_action_is_found() -> None:
    match = deal_of_three()
    made = proof(match)
    at = next(n for n, (_, text) in enumerate(made.actions) if text == "end")
    actions = (*made.actions[:at], (TABLE, "timeout"), *made.actions[at + 1 :])
    for viewer in (None, 0, 1, 2):
        assert check(match, 1, viewer, proof=evolve(made, actions=actions)) == (
            Problem.NOT_AS_SEEN,
        )


def test_a_deal_cut_short_is_found() -> None:
    match = deal_of_three()
    made = proof(match)
    short = evolve(made, actions=made.actions[:-1])
    assert check(match, 1, 0, proof=short) == (Problem.NOT_AS_SEEN,)


def forged(seen: tuple[Event, ...]) -> list[tuple[Event, ...]]:
    """Return what the viewer would have seen had the server shown it one other thing."""
    forgeries = []
    for at, event in enumerate(seen):
        other: Event
        match event:
            case DealBegan(hands=hands):
                other = evolve(
                    event, hands=tuple(hand and (hand[1], hand[0], *hand[2:]) for hand in hands)
                )
            case Drew(cards=tuple(drawn)):
                other = evolve(event, cards=tuple((card + 1) % 52 for card in drawn))
            case Played():
                other = evolve(event, card=(event.card + 1) % 52)
            case TurnEnded():
                other = evolve(event, timeout=not event.timeout)
            case DealEnded():
                other = evolve(event, hands=event.hands[::-1])
            case _:
                continue
        forgeries.append((*seen[:at], other, *seen[at + 1 :]))
    return forgeries


def test_whatever_was_shown_otherwise_than_it_was_is_found() -> None:
    match = deal_of_three()
    seen = seen_of(match, 1, 2)
    kinds = {type(event) for event in seen}
    assert {DealBegan, Drew, Played, TurnEnded, DealEnded} <= kinds
    assert len(forged(seen)) > 20
    for forgery in forged(seen):
        assert check(match, 1, 2, seen=forgery) == (Problem.NOT_AS_SEEN,)
    for at in range(len(seen) - 1):
        assert check(match, 1, 2, seen=(*seen[:at], *seen[at + 1 :])) != ()
    assert check(match, 1, 2, seen=(seen[1], *seen)) == (Problem.NOT_AS_SEEN,)


def test_several_problems_are_named_together() -> None:
    match = deal_of_three()
    wrong = {"seed": bytes(32), "share": bytes(32)}
    assert check(match, 1, 0, promise=wrong, seen=seen_of(match, 2, 0)) == (
        Problem.SEED_NOT_COMMITTED,
        Problem.SHARES_NOT_COMMITTED,
        Problem.SHARE_NOT_USED,
        Problem.NOT_AS_SEEN,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"begin": ""},
        {"begin": "deal"},
        {"begin": "end"},
        {"begin": "deal zz - - -"},
        {"begin": f"deal {Deck(tuple(range(52)))}"},
        {"begin": f"cut {Secret(bytes(32), (None,) * 3)}"},
        {"seats": ()},
        {"seats": (0, 1, 3)},
        {"seats": (0, 1, 2, 3)},
        {"seats": (-1, 0)},
        {"dealer": None},
        {"dealer": 3},
        {"seats": (0, 1)},
        {"number": 0},
        {"number": -1},
        {"number": 2**31},
        {"number": 2**70},
        {"actions": ((0, "play 9X N"),)},
    ],
)
def test_a_proof_that_is_not_well_formed_is_found(changes: dict[str, Any]) -> None:
    match = deal_of_three()
    made = evolve(proof(match), **changes)
    assert Problem.UNREADABLE in check(match, 1, 0, proof=made)


@pytest.mark.parametrize("begin", ["deal 00 - - -", f"deal {'00' * 32} -"])
def test_a_secret_that_is_not_well_formed_is_found(begin: str) -> None:
    match = deal_of_three()
    assert Problem.NOT_BY_THE_RULES in check(match, 1, 2, proof=evolve(proof(match), begin=begin))


def test_another_number_makes_another_deck() -> None:
    match = deal_of_three()
    other, problem = check(match, 1, 0, proof=evolve(proof(match), number=2))
    assert other == Problem.ANOTHER_DEAL
    assert problem in (Problem.NOT_BY_THE_RULES, Problem.NOT_AS_SEEN)


def test_another_dealer_is_found() -> None:
    match = deal_of_three()
    for dealer in (0, 1):
        assert check(match, 1, 0, proof=evolve(proof(match), dealer=dealer)) != ()


def test_a_running_deal_has_no_proof() -> None:
    match = deal_of_three()
    running = step(match, TABLE, BeginDeal(Secret(bytes(32), (None,) * 3)))
    assert proof_of(running, 3) is None
    assert proof_of(running, 2) is not None
    assert proof_of(running, 1) is not None
    assert proof_of(running, 4) is None
    first = step(new_match(Rules()), TABLE, BeginDeal(Secret(bytes(32), (None,) * 2)))
    assert proof_of(first, 1) is None
    assert proof_of(running, -1) is None


def test_an_abandoned_deal_is_published_and_verifies() -> None:
    match = step(deal_of_three(), TABLE, BeginDeal(Secret(b"\x05" * 32, (None,) * 3)))
    assert match.turn is not None
    match = step(step(match, match.turn, parse_action("end")), TABLE, Abandon())
    made = proof(match, 3)
    assert made.actions == ((match.steps[-2].actor, "end"), (TABLE, "abandon"))
    for viewer in (None, 0, 1, 2):
        assert check(match, 3, viewer) == ()
    assert check(match, 3, 0, proof=evolve(made, actions=((TABLE, "abandon"),))) != ()


def test_nothing_after_a_deal_belongs_to_its_proof() -> None:
    match = step(deal_of_three(), TABLE, Forfeit(1))
    assert proof(match, 2).actions[-1][1] != "forfeit 1"
    assert check(match, 2, 0) == ()


def test_a_deal_that_began_from_cards_has_no_proof() -> None:
    match = run(Case("here", {"rules": "pagat", "do": ["score 3 0", "shuffle 1", "abandon"]}))
    assert proof_of(match, 1) is None
    assert proof(match, 2).number == 2


def test_forfeits_and_eliminations_leave_later_deals_verifiable() -> None:
    rules = preset_rules("classic_match", {"players": 4, "points": 10})
    found = 0
    for seed in range(10):
        match = fair_match(rules, seed, Temper(0.9, 0.02), deals=6)
        for number in range(1, match.number + 1):
            made = proof(match, number)
            found += number > 1 and len(made.seats) < 4
            for viewer in (None, *range(4)):
                assert check(match, number, viewer) == ()
    assert found > 10


def test_a_forfeit_in_a_deal_is_one_of_its_actions() -> None:
    match = step(new_match(Rules(players=3)), TABLE, BeginDeal(Secret(bytes(32), (None,) * 3)))
    match = step(step(match, TABLE, Forfeit(1)), TABLE, Forfeit(0))
    assert match.phase == Phase.MATCH_OVER
    assert proof(match).actions == ((TABLE, "forfeit 1"), (TABLE, "forfeit 0"))
    for viewer in (None, 0, 1, 2):
        assert check(match, 1, viewer) == ()


def test_a_cut_by_those_who_had_not_forfeited() -> None:
    match = step(new_match(preset_rules("strict", {"players": 3})), TABLE, Forfeit(0))
    assert proof_of(match, 0) is None
    match = step(match, TABLE, Cut(Secret(bytes(32), (None, b"\x01" * 32, None))))
    made = proof(match, 0)
    assert (made.number, made.dealer, made.seats, made.actions) == (0, None, (1, 2), ())
    assert check(match, 0, 1) == ()
    assert check(match, 0, 1, promise={"share": b"\x02" * 32}) == (Problem.SHARE_NOT_USED,)
    assert check(match, 0, 1, proof=evolve(made, seats=(0, 1, 2))) == (Problem.NOT_AS_SEEN,)
    other = Secret(b"\x01" * 32, (None, b"\x01" * 32, None))
    assert (
        check(match, 0, 2, proof=evolve(made, begin=f"cut {other}"))[0]
        == Problem.SEED_NOT_COMMITTED
    )


def test_the_proof_of_a_cut_tells_nothing_of_the_deal_after_it() -> None:
    body = {"rules": "strict", "do": ["cut 1", "shuffle 2", "end"], "knobs": {"players": 2}}
    match = run(Case("here", body))
    assert proof(match, 0).actions == ()
    assert proof_of(match, 1) is None


def test_no_cut_can_be_proved_at_a_table_with_a_fixed_dealer() -> None:
    match = run(Case("here", {"rules": "strict", "do": ["cut 1"], "knobs": {"players": 2}}))
    found = check_deal(Rules(), proof(match, 0), None, None, (seen_of(match, 0, None),))
    assert found == (Problem.NOT_BY_THE_RULES,)


def test_other_rules_are_found() -> None:
    match = deal_of_three()
    honest = proof(match)
    rules = preset_rules("pagat", {"players": 3, "hand_size": 5})
    promise = promise_of(match, 1, None, secret_of(match, 1))
    assert check_deal(rules, honest, promise, None, (seen_of(match, 1, None),)) != ()
