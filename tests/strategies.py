"""Hypothesis strategies of the engine: rule sets of every kind, and matches played at random.

A play is made from a seed by ``random.Random``, not drawn choice by choice: a deal takes some
hundred decisions, and drawing them one by one would be slow and shrink to nothing readable. What
is drawn is the rule set, the seed, and how the players are tempered.
"""

import random
from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen
from hypothesis import strategies as st

from kings_engine.actions import (
    TABLE,
    Action,
    BeginDeal,
    Cut,
    EndTurn,
    Forfeit,
    Move,
    Play,
    PlayStock,
    SeatAction,
    Timeout,
)
from kings_engine.apply import apply
from kings_engine.cards import DECK_SIZE
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.places import PLACE_COUNT
from kings_engine.rules import KNOBS, Rules, make_rules
from kings_engine.sources import Deck, Secret
from kings_engine.view import legal_actions, observe_own

EVERY_ACTION: Final[tuple[SeatAction, ...]] = (
    *(Play(card, place) for card in range(DECK_SIZE) for place in range(PLACE_COUNT)),
    *(Move(source, place) for source in range(PLACE_COUNT) for place in range(PLACE_COUNT)),
    *(PlayStock(place) for place in range(PLACE_COUNT)),
    EndTurn(),
)
"""Everything a seat could try: 416 plays, 64 pile moves, 8 plays from the stock, and the end."""


@st.composite
def rule_sets(draw: st.DrawFn, /, **fixed: object) -> Rules:
    """Draw any rule set that can be played; ``fixed`` knobs keep their values."""
    knobs: dict[str, Any] = {name: draw(values_of(name)) for name in KNOBS if name not in fixed}
    knobs |= fixed
    if knobs["draw"] == "after_hand_card":
        knobs["idle_round"] = "always"
    if knobs["layout"] == "corners":
        knobs |= {"dealt_kings": "stay", "corner_build": "alternate"}
        if knobs["empty_place"] == "not_king":
            knobs["empty_place"] = "vacated"
    if knobs["match"] in ("deals", "points_or_deals") and knobs["deals"] is None:
        knobs["deals"] = 2
    if knobs["first_dealer"] in ("seat_3", "seat_4") and knobs["players"] < 4:
        knobs["first_dealer"] = "seat_2"
    if knobs["stock_empty"] == "ends_deal":
        knobs["hand_size"] = min(knobs["hand_size"], 8)
    if knobs["match"] in ("points", "elimination") and not isinstance(knobs["scoring"], str):
        knobs["points"] = min(knobs["points"], 24 * sum(knobs["scoring"]))
    return make_rules(knobs)


def values_of(name: str) -> st.SearchStrategy[Any]:
    knob = KNOBS[name]
    if name == "points":
        return st.sampled_from((5, 10, 25, 500))
    if name == "deals":
        return st.sampled_from((None, 1, 2, 50))
    kinds: list[st.SearchStrategy[Any]] = []
    if knob.choices:
        kinds.append(st.sampled_from([getattr(choice, "value", choice) for choice in knob.choices]))
    if knob.numbers is not None:
        kinds.append(st.sampled_from(knob.numbers))
    if knob.optional:
        kinds.append(st.none())
    if knob.per_rank:
        kinds.append(st.tuples(*[st.integers(0, 50)] * 13).filter(any))
    return st.one_of(kinds)


@frozen
class Temper:
    """How the players of a random play behave.

    Attributes:
        eager: how likely a seat plays on while it may end its turn as well.
        meddling: how likely the table times a seat out, or (a tenth of that) forfeits one.
    """

    eager: float
    meddling: float


tempers: Final[st.SearchStrategy[Temper]] = st.builds(
    Temper, st.sampled_from((0.0, 0.3, 0.8, 1.0)), st.sampled_from((0.0, 0.0, 0.05))
)
seeds: Final[st.SearchStrategy[int]] = st.integers(0, 2**32 - 1)


def next_step(match: Match, chance: random.Random, temper: Temper) -> tuple[int, Action]:
    """Return a legal actor and action, which the match must not be too far to have."""
    match match.phase:
        case Phase.CUT:
            return TABLE, Cut(random_secret(match, chance))
        case Phase.DEAL_DUE:
            return TABLE, BeginDeal(Deck(tuple(chance.sample(range(DECK_SIZE), DECK_SIZE))))
    if chance.random() < temper.meddling:
        forfeits = chance.random() < 0.1
        return TABLE, Forfeit(chance.choice(match.seats)) if forfeits else Timeout()
    seat = match.turn
    assert seat is not None
    actions = legal_actions(observe_own(match, seat))
    others = [action for action in actions if not isinstance(action, EndTurn)]
    if others and (len(others) == len(actions) or chance.random() < temper.eager):
        return seat, chance.choice(others)
    assert actions, "the seat on turn can do nothing at all"
    return seat, EndTurn()


def random_secret(match: Match, chance: random.Random) -> Secret:
    """Return a well-formed secret, in which some shares are absent."""
    shares = [chance.choice((None, chance.randbytes(32))) for _ in range(match.rules.players)]
    return Secret(chance.randbytes(32), tuple(shares))


def step(match: Match, actor: int, action: Action) -> Match:
    """Return the match after an action that must be legal."""
    changed = apply(match, actor, action)
    assert not isinstance(changed, Refusal), changed
    return changed[0]


def journey(
    rules: Rules, seed: int, temper: Temper, deals: int = 2, *, secrets: bool = False
) -> Iterator[Match]:
    """Yield the states of a random play, the unplayed match first, until ``deals`` deals are over.

    It ends between deals, or with the match. Deals begin from explicit decks, or from ``secrets``,
    as a server's do.
    """
    chance = random.Random(seed)  # noqa: S311  a play that can be repeated
    match = new_match(rules, 0 if secrets else chance.randrange(5))
    yield match
    while match.phase != Phase.MATCH_OVER and len(match.sheet) < deals:
        if secrets and match.phase == Phase.DEAL_DUE:
            match = step(match, TABLE, BeginDeal(random_secret(match, chance)))
        else:
            match = step(match, *next_step(match, chance, temper))
        yield match


def played(rules: Rules, seed: int, temper: Temper, deals: int = 2) -> Match:
    """Return the last state of the journey."""
    *_, match = journey(rules, seed, temper, deals)
    return match


def fair_match(rules: Rules, seed: int, temper: Temper, deals: int = 3) -> Match:
    """Return the last state of a journey whose deals begin from secrets."""
    *_, match = journey(rules, seed, temper, deals, secrets=True)
    return match


@st.composite
def journeys(draw: st.DrawFn, /, deals: int = 2, **fixed: object) -> tuple[Match, ...]:
    """Draw all states of a random play."""
    return tuple(journey(draw(rule_sets(**fixed)), draw(seeds), draw(tempers), deals))
