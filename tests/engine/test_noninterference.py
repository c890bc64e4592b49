"""Nothing that a viewer is given depends on cards that it may not know.

Each play gets a twin (``pairs``) that differs in hidden cards only; everything the engine makes for
the viewer, a seat or a spectator, must be the same for both. That the comparison can fail at all is
shown by a leak planted in each channel.
"""

import random
from collections.abc import Callable
from typing import Final

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import kings_engine.apply
import kings_engine.view
from kings_engine.actions import EndTurn, SeatAction
from kings_engine.apply import apply
from kings_engine.cards import cards_in
from kings_engine.deal import Deal
from kings_engine.errors import Code, Refusal
from kings_engine.events import Event
from kings_engine.match import Match
from kings_engine.moves import refuse
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.record import record_of
from kings_engine.rules import Rules
from kings_engine.view import Own, deal_history, deal_start, history, observe_own, observe_public
from pairs import hidden_cards, states_of, twin
from strategies import EVERY_ACTION, Temper, played, rule_sets, seeds, tempers


def refusals(match: Match, viewer: int | None) -> tuple[Refusal | None, ...]:
    """Return the answer to everything a seat can try, nothing where it would be carried out."""
    if viewer is None:
        return ()
    answers = (apply(match, viewer, action) for action in EVERY_ACTION)
    return tuple(answer if isinstance(answer, Refusal) else None for answer in answers)


Channel = Callable[[Match, int | None], object]

CHANNELS: Final[dict[str, Channel]] = {
    "public": lambda match, _: observe_public(match),
    "own": lambda match, viewer: kings_engine.view.observe(match, viewer).own,
    "history": lambda match, viewer: history(match, viewer, 0),
    "deal_history": deal_history,
    "reprs": lambda match, _: (
        repr(match),
        repr(match.deal),
        repr(match.steps),
        repr(record_of(match)),
    ),
}
"""Everything that comes out of the engine for a viewer, but for refusals."""

REFUSAL_STATES: Final = 3
"""How many of a pair's versions, the newest, have every action tried."""


def told_apart_by(
    states: tuple[Match, ...], others: tuple[Match, ...], viewer: int | None
) -> set[str]:
    """Return the channels by which ``viewer`` could tell the twins apart since the last deal."""
    start = deal_start(states[-1])
    channels = set()
    for match, other in zip(states[start:], others[start:], strict=True):
        channels |= {
            name for name, made in CHANNELS.items() if made(match, viewer) != made(other, viewer)
        }
    for match, other in zip(states[-REFUSAL_STATES:], others[-REFUSAL_STATES:], strict=True):
        if refusals(match, viewer) != refusals(other, viewer):
            channels.add("refusals")
    return channels


def test_twins_are_the_same_to_their_viewer_and_really_differ() -> None:
    compared, differing = 0, 0

    @given(rule_sets(), seeds, tempers, st.randoms(use_true_random=False))
    def compare(rules: Rules, seed: int, temper: Temper, chance: random.Random) -> None:
        nonlocal compared, differing
        match = played(rules, seed, temper)
        running = [n for n, state in enumerate(states_of(match)) if state.phase == Phase.PLAY]
        viewer = chance.choice((None, *range(rules.players)))
        version = chance.choice(running)
        others = twin(match, viewer, version, chance)
        if others is None:
            return
        states = states_of(match)[: version + 1]
        assert told_apart_by(states, others, viewer) == set()
        for mine, its in list(zip(states, others, strict=True))[deal_start(states[-1]) :]:
            compared += 1
            differing += hidden_cards(mine) != hidden_cards(its)

    compare()
    assert compared > 200
    assert differing >= 0.8 * compared


def test_twins_after_a_deal_differ_in_the_stock_alone() -> None:
    found = 0
    for seed in range(20):
        match = played(pagat(players=2), seed, Temper(eager=1.0, meddling=0.0), deals=1)
        others = twin(match, 0, match.version, random.Random(seed))  # noqa: S311
        if others is None:
            continue
        found += 1
        assert match.deal is not None
        assert others[-1].deal is not None
        assert others[-1].deal.hands == match.deal.hands
        assert others[-1].deal.stock != match.deal.stock
        assert told_apart_by(states_of(match), others, 0) == set()
    assert found > 10


def pagat(**knobs: object) -> Rules:
    return preset_rules("pagat", knobs)


def leak_in_public(monkeypatch: pytest.MonkeyPatch) -> None:
    def known(_: Match, deal: Deal, seat: int) -> tuple[int, ...]:
        return cards_in(deal.hands[seat])[:1]

    monkeypatch.setattr(kings_engine.view, "_known", known)


def leak_in_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(match: Match, seat: int) -> Own:
        own = observe_own(match, seat)
        held = match.deal.hands if match.deal is not None else ()
        return evolve(own, may_end=bool(held[seat - 1] >> 20 & 1)) if held else own

    monkeypatch.setattr(kings_engine.view, "observe_own", leaky)


def leak_in_history(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(_: Match, event: Event, __: int | None) -> Event:
        return event

    monkeypatch.setattr(kings_engine.view, "_seen", whole)


def leak_in_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(deal: Deal, action: SeatAction) -> Refusal | None:
        if isinstance(action, EndTurn) and deal.hands[deal.turn - 1] >> 48:
            return Refusal(Code.MUST_PLAY)  # because another seat holds a king
        return refuse(deal, action)

    monkeypatch.setattr(kings_engine.apply, "refuse", leaky)


@pytest.mark.parametrize(
    ("plant", "channels"),
    [
        (leak_in_public, {"public"}),
        (leak_in_own, {"own"}),
        (leak_in_history, {"history", "deal_history"}),
        (leak_in_refusals, {"refusals"}),
    ],
)
def test_a_planted_leak_is_found(
    plant: Callable[[pytest.MonkeyPatch], None],
    channels: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = []
    for seed in range(10):
        match = played(pagat(players=3), seed, Temper(eager=0.8, meddling=0.0), deals=1)
        others = twin(match, seed % 3, version := 12, random.Random(seed))  # noqa: S311
        assert others is not None
        pairs.append((states_of(match)[: version + 1], others, seed % 3))
    for states, others, viewer in pairs:
        assert told_apart_by(states, others, viewer) == set()
    plant(monkeypatch)
    found = [told_apart_by(states, others, viewer) for states, others, viewer in pairs]
    assert set[str]().union(*found) == channels
