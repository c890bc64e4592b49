"""Finished deals that are looked at again: each position is shown as it was."""

from attrs import evolve
from hypothesis import given

from kings_engine.match import Match
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_engine.verify import DealProof, Problem, proof_of, replay_deal
from kings_engine.view import Public, observe
from strategies import Temper, fair_match, journey, rule_sets, seeds, tempers


def _proof(match: Match, number: int) -> DealProof:
    made = proof_of(match, number)
    assert made is not None
    return made


@given(rule_sets(), seeds, tempers)
def test_a_replay_shows_each_position_as_it_was_from_every_seat(
    rules: Rules, seed: int, temper: Temper
) -> None:
    positions = list(journey(rules, seed, temper, secrets=True))
    whole = positions[-1]
    for number in range(1, len(whole.sheet) + 1):
        replayed = replay_deal(rules, _proof(whole, number), whole.sheet[: number - 1])
        assert not isinstance(replayed, Problem)
        deal = [at for at in positions if at.number == number]
        assert len(deal) >= len(replayed)
        for was, now in zip(deal, replayed, strict=False):
            for viewer in (None, *range(rules.players)):
                before, after = observe(was, viewer), observe(now, viewer)
                assert before.own == after.own
                # A replayed deal counts its own steps, and knows no loser of an earlier deal.
                assert _but_for_its_own_count(before.public) == _but_for_its_own_count(after.public)
                standing = [(seat.cards, seat.points, seat.known) for seat in before.public.seats]
                assert standing == [(a.cards, a.points, a.known) for a in after.public.seats]


def _but_for_its_own_count(public: Public) -> Public:
    return evolve(public, version=0, seats=(), losers=())


def test_what_is_no_deal_is_not_replayed() -> None:
    match = fair_match(preset_rules("pagat", {"players": 2}), 4, Temper(0.8, 0.0), deals=1)
    broken = evolve(_proof(match, 1), actions=((0, "play KH N"), (0, "play KH N")))
    assert replay_deal(match.rules, broken) == Problem.NOT_BY_THE_RULES
    assert replay_deal(match.rules, evolve(broken, seats=(7,))) == Problem.UNREADABLE
