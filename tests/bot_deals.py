"""Deals for bots: rule sets of every kind, deals played by bots, and twins that differ unseen."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from casebook import position, score
from kings_engine.actions import TABLE, Action, BeginDeal, Cut, SeatAction
from kings_engine.apply import apply
from kings_engine.cards import DECK_SIZE, cards_in
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, BadRules, Rules
from kings_engine.sources import Deck, Secret
from kings_engine.view import View, deal_history, observe
from kings_server.bots.policy import choose, plan

MOST_ACTIONS = 2000
"""More than any deal can take: what cannot be undone allows some hundreds of plays and moves."""


THINKING = 0.05
"""Seconds of a ``ticking`` clock in which a level thinks that takes the time it is given."""


PLENTY = 20
"""Deals that master tries a fiftieth of a ``pondering`` second where it is to think well."""


def ticking() -> Callable[[], float]:
    """Return a clock that goes on by a hundredth of a second whenever it is looked at."""
    return count(0.0, 0.01).__next__


def pondering(deals: int) -> Callable[[], float]:
    """Return a clock on whose second master tries a turn on some 50 times ``deals`` sampled deals.

    It looks four times before it exchanges cards, once after that and once after the first deal,
    and then after as many deals as a fiftieth of its time is enough for, by how long that took.
    """
    batch = 0.019 * deals / (deals + 0.5)
    return chain([0.0] * 4, [0.1], count(0.1 + batch / deals, batch)).__next__


def chance_of(seed: int) -> random.Random:
    """Return a source of chance that follows from ``seed``."""
    return random.Random(seed)  # noqa: S311  chance that can be repeated


@st.composite
def rule_sets(draw: DrawFn) -> Rules:
    """Draw a preset with some knobs changed; where they exclude each other, the last one yields."""
    preset = draw(st.sampled_from(sorted(PRESETS)))
    rules = preset_rules(preset)
    changes: dict[str, object] = {}
    for name in draw(st.lists(st.sampled_from(sorted(KNOBS)), unique=True, max_size=8)):
        knob = KNOBS[name]
        values = [*knob.choices, *(knob.numbers or ()), *((None,) if knob.optional else ())]
        try:
            rules = preset_rules(preset, {**changes, name: draw(st.sampled_from(values))})
        except BadRules:
            continue
        changes[name] = getattr(rules, name)
    return rules


def applied(match: Match, actor: int, action: Action) -> Match:
    """Return the match after ``action``, which has to be legal."""
    changed = apply(match, actor, action)
    assert not isinstance(changed, Refusal), f"{action}: {changed}"
    return changed[0]


def dealt(rules: Rules, seed: int) -> Match:
    """Return a match whose first deal has begun, from a deck that follows from ``seed``."""
    chance = chance_of(seed)
    match = new_match(rules)
    if match.phase == Phase.CUT:
        secret = Secret(chance.randbytes(32), (None,) * rules.players)
        match = applied(match, TABLE, Cut(secret))
    deck = list(range(DECK_SIZE))
    chance.shuffle(deck)
    return applied(match, TABLE, BeginDeal(Deck(tuple(deck))))


def at(where: Mapping[str, Any], rules: Rules | None = None, points: tuple[int, ...] = ()) -> Match:
    """Return a match in the position that is written as in the casebook.

    If there are ``points``, a deal that ended with them went before.
    """
    rules = preset_rules("pagat", {"players": len(where["hands"])}) if rules is None else rules
    match = new_match(rules)
    if match.phase == Phase.CUT:
        match = applied(match, TABLE, Cut(Secret(bytes(32), (None,) * rules.players)))
    if points:
        match, _ = score(match, points)
    return applied(match, TABLE, BeginDeal(position(dict(where))))


def chosen(match: Match, level: str, chance: random.Random) -> SeatAction:
    """Return what a bot of ``level`` does in the seat on turn."""
    assert match.turn is not None
    seat = match.turn
    view, past = observe(match, seat), deal_history(match, seat)
    return choose(level, view, past, match.rules, chance, THINKING, ticking())


def play_deal(
    match: Match, levels: Sequence[str], chance: random.Random, most: int = MOST_ACTIONS
) -> Match:
    """Let bots play the deal to its end, or at most ``most`` actions; each has to be legal."""
    number = match.number
    for _ in range(most):
        if match.phase != Phase.PLAY or match.number != number:
            break
        assert match.turn is not None
        match = applied(match, match.turn, chosen(match, levels[match.turn], chance))
    return match


def play_turn(match: Match, level: str, chance: random.Random) -> tuple[list[str], Match]:
    """Let the seat on turn play its whole turn; return its actions in words, and the match.

    It plays what it plans, as at a table; a level that takes the time it is given has plenty.
    """
    begun = turn_of(match)
    seat = begun[1]
    actions = []
    while turn_of(match) == begun:
        view, past = observe(match, seat), deal_history(match, seat)
        for action in plan(level, view, past, match.rules, chance, 1.0, pondering(PLENTY)):
            actions.append(str(action))
            match = applied(match, seat, action)
    return actions, match


def turn_of(match: Match) -> tuple[int, int, int]:
    """Return what tells one turn from another: deal, seat and number; the seat is -1 in none."""
    if match.turn is None or match.deal is None:
        return match.number, -1, -1
    return match.number, match.turn, match.deal.turn_number


def hidden_twin(match: Match, seat: int, chance: random.Random) -> Match | None:
    """Return the same play on a deck in which the cards that ``seat`` does not know are permuted.

    Nothing where a recorded action would not have been legal with the other cards, as under
    ``must_play``. The match must have begun with a deck and be in its first deal.
    """
    assert match.deal is not None
    rules, deal = match.rules, match.deal
    hidden = [*(deal.stock[:-1] if rules.open_stock else deal.stock)]
    if not rules.open_hands:
        for other in range(rules.players):
            if other != seat:
                hidden += cards_in(deal.hands[other] & ~deal.known[other])
    exchanged = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
    twin = new_match(rules)
    for step in match.steps:
        action = step.action
        if isinstance(action, BeginDeal):
            assert isinstance(action.source, Deck)
            action = BeginDeal(Deck(tuple(exchanged.get(c, c) for c in action.source.cards)))
        changed = apply(twin, step.actor, action)
        if isinstance(changed, Refusal):
            return None
        twin = changed[0]
    return twin


def seen(match: Match) -> tuple[View, object]:
    """Return all that the seat on turn knows."""
    assert match.turn is not None
    return observe(match, match.turn), deal_history(match, match.turn)
