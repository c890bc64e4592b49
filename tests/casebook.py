"""The casebook: written cases of the rules, read from ``tests/data/scenarios*.yaml`` and played.

A case names a preset (``rules``) and the ``knobs`` it changes, and says ``why`` in the deciding
words of a written source (000 to 004) or, after ``J``, as a judgement. It starts ``at`` a position,
from a ``deal`` whose cards are given as far as they matter (the others follow in ascending order),
or from nothing. ``do`` lists the steps; all must be legal but the last of a case that is
``refused`` (a code, with the refusal's ``facts``) or ``unreadable``. ``then`` holds what must be
true afterwards. Seats count from 0.

Steps: an action in its text form, done by the seat on turn; ``1: end`` by seat 1; ``table: end`` by
the table; ``timeout``, ``forfeit 1``, ``abandon`` by the table; ``cut 7`` and ``shuffle 7`` from
the secret whose seed is 32 bytes of 7; ``score 12 3`` plays one deal to these penalty points; a
mapping ``{at: …}`` or ``{deal: …}`` begins a deal.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut, parse_action
from kings_engine.apply import apply
from kings_engine.cards import DECK_SIZE, KING, Card, card_str, cards_in, parse_card
from kings_engine.deal import Deal, audit
from kings_engine.errors import Code, Refusal
from kings_engine.events import CardsCut, Eliminated, Event
from kings_engine.match import Match, coming_dealer, new_match
from kings_engine.moves import places
from kings_engine.phase import Phase
from kings_engine.places import PLACES, place_str
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules
from kings_engine.sources import Deck, Position, Secret

DATA: Final = Path(__file__).parent / "data"
BY_TABLE: Final = frozenset({"cut", "deal", "timeout", "forfeit", "abandon"})
QUIET_TOPS: Final = ("AS", "AH", "AC", "AD")
"""Piles on which nothing can be played, for deals that are only there for their points."""


@frozen
class Case:
    """One case as written."""

    name: str
    body: dict[str, Any]

    @property
    def rules(self) -> Rules:
        """The case's rules; without a word on it there are as many players as hands."""
        knobs = dict(self.body.get("knobs", {}))
        if "at" in self.body:
            knobs.setdefault("players", len(self.body["at"]["hands"]))
        return preset_rules(self.body["rules"], knobs)

    @property
    def code(self) -> Code | None:
        """The refusal that the case ends with."""
        return Code(self.body["refused"]) if "refused" in self.body else None


def cases() -> Iterator[Case]:
    """Yield every written case."""
    for path in sorted(DATA.glob("scenarios*.yaml")):
        for body in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield Case(body["id"], body)


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards that ``text`` lists, parted by spaces."""
    return tuple(map(parse_card, text.split()))


def position(at: dict[str, Any]) -> Position:
    """Return the position as a case writes it."""
    piles = at.get("piles", {})
    return Position(
        hands=tuple(map(cards, at["hands"])),
        piles=tuple(cards(piles.get(place, "")) for place in PLACES),
        stock=cards(at.get("stock", "")),
        turn=at["turn"],
        turn_number=at.get("turn_number", 0),
        drawn=at.get("drawn", True),
        idle=tuple(at.get("idle", ())),
    )


def arranged_deck(match: Match, turned: str = "", stock: str = "", hands: str = "") -> Deck:
    """Return a deck that turns up ``turned``, then holds ``stock``; dealt first comes ``hands``."""
    wanted = (*cards(hands), *cards(turned), *cards(stock))
    others = [card for card in range(DECK_SIZE) if card not in wanted]
    dealt = len(match.seats) * match.rules.hand_size - len(cards(hands))
    filled = (*cards(hands), *others[:dealt], *cards(turned), *cards(stock), *others[dealt:])
    return Deck(filled)


def run(case: Case) -> Match:
    """Play the case and check everything it says; return the match after its last legal step."""
    body = case.body
    match = new_match(case.rules, body.get("rotation", 0))
    steps: list[Any] = list(body.get("do", []))
    steps[:0] = [{word: body[word]} for word in ("at", "deal") if word in body]
    events: tuple[Event, ...] = ()
    seen: list[Event] = []
    for index, step in enumerate(steps):
        if body.get("unreadable") and index == len(steps) - 1:
            try:
                parse_action(step)
            except ValueError:
                break
            raise AssertionError(f"{step!r} can be read")
        changed = _do(match, step)
        if isinstance(changed, Refusal):
            assert index == len(steps) - 1, f"{step}: {changed}"
            assert changed.code == case.code, f"{step}: {changed}"
            if "facts" in body:
                assert facts(changed) == body["facts"]
            break
        match, events = changed
        seen += events
        sound(match)
    else:
        assert case.code is None, "the last step was not refused"
    check(match, body.get("then", {}), tuple(seen))
    return match


def sound(match: Match) -> None:
    """Assert that the current deal's audit finds nothing."""
    deal = match.deal
    if deal is not None:
        count = sum(map(int.bit_count, deal.hands)) + sum(map(len, deal.piles)) + len(deal.stock)
        assert audit(deal, count) == ()


def facts(refusal: Refusal) -> dict[str, str]:
    """Return the refusal's facts as a case writes them."""
    named: dict[str, str] = {}
    for name in ("card", "source", "place", "top"):
        value = getattr(refusal, name)
        if value is not None:
            named[name] = place_str(value) if name in ("source", "place") else card_str(value)
    return named


def _do(match: Match, step: Any) -> tuple[Match, tuple[Event, ...]] | Refusal:
    if isinstance(step, dict):
        match = _with_a_dealer(match)
        source = position(step["at"]) if "at" in step else arranged_deck(match, **step["deal"])
        return apply(match, TABLE, BeginDeal(source))
    words = step.split()
    if words[0] == "score":
        return score(_with_a_dealer(match), tuple(map(int, words[1:])))
    actor, action = _actor_and_action(match, step)
    return apply(match, actor, action)


def _actor_and_action(match: Match, step: str) -> tuple[int, Action]:
    who, colon, text = step.rpartition(": ")
    verb, _, number = text.partition(" ")
    action: Action
    if verb == "cut" and number.isdigit():
        action = Cut(secret(int(number), match.rules.players))
    elif verb == "shuffle":
        action = BeginDeal(secret(int(number), match.rules.players))
    else:
        action = parse_action(text)
    if colon:
        return (TABLE if who == "table" else int(who)), action
    if verb in BY_TABLE or verb == "shuffle":
        return TABLE, action
    return (match.turn if match.turn is not None else 0), action


def secret(number: int, players: int) -> Secret:
    """Return a secret that everybody can write down: its seed is 32 times the same byte."""
    return Secret(bytes([number]) * 32, (None,) * players)


def _with_a_dealer(match: Match) -> Match:
    if match.phase != Phase.CUT:
        return match
    changed = apply(match, TABLE, Cut(secret(0, match.rules.players)))
    assert not isinstance(changed, Refusal)
    return changed[0]


def score(match: Match, points: tuple[int, ...]) -> tuple[Match, tuple[Event, ...]]:
    """Play a deal that ends with these penalty points: a seat with 0 goes out, or all are idle.

    The points are those of seats that are still in; with 10 for a king and 1 for any other card.
    """
    kings = [card for card in range(DECK_SIZE) if card >> 2 == KING]
    others = [card for card in range(4, DECK_SIZE - 4) if card not in cards("9H TS")]
    hands = []
    for wanted in points:
        dear = min(wanted // 10, len(kings))
        hands.append((*_taken(kings, dear), *_taken(others, wanted - 10 * dear)))
    first_out = next((seat for seat in match.seats if not points[seat]), None)
    piles: list[tuple[Card, ...]] = [()] * len(PLACES)
    for place, top in zip(places(match.rules), QUIET_TOPS, strict=False):
        piles[place] = cards(top)
    text = "end"
    if first_out is not None:
        place = places(match.rules)[0]
        hands[first_out] = cards("9H")
        piles[place] = cards("TS")
        text = f"play 9H {place_str(place)}"
    turn = coming_dealer(match) if first_out is None else first_out
    at = Position(tuple(hands), tuple(piles), (), turn)
    changed = apply(match, TABLE, BeginDeal(at))
    events: tuple[Event, ...] = ()
    while True:
        assert not isinstance(changed, Refusal), changed
        match, happened = changed
        events += happened
        if match.turn is None:
            assert [value or 0 for value in match.sheet[-1]] == list(points)
            return match, events
        changed = apply(match, match.turn, parse_action(text))
        text = "end"


def _taken(heap: list[Card], count: int) -> list[Card]:
    taken, heap[:count] = heap[:count], []
    assert len(taken) == count, "the cards do not suffice for these points"
    return taken


def check(match: Match, then: dict[str, Any], events: tuple[Event, ...]) -> None:
    """Assert everything that ``then`` says of the match and of the events so far."""
    for name, written in then.items():
        wanted = WRITTEN[name](written) if name in WRITTEN else written
        found = FOUND[name](match) if name in FOUND else OF_EVENTS[name](events)
        assert found == wanted, f"{name}: {found}, not {wanted}"


def _deal(match: Match) -> Deal:
    assert match.deal is not None, "no deal has begun"
    return match.deal


def _names(listed: Iterable[Card]) -> list[str]:
    return list(map(card_str, listed))


WRITTEN: Final[Mapping[str, Callable[[Any], object]]] = {
    "hands": lambda hands: [sorted(hand.split()) for hand in hands],
    "known": lambda hands: [sorted(hand.split()) for hand in hands],
    "piles": lambda piles: {place: pile.split() for place, pile in piles.items()},
    "stock": str.split,
}
"""How what a case writes is read, where it is not plain data already."""

FOUND: Final[Mapping[str, Callable[[Match], object]]] = {
    "hands": lambda match: [sorted(_names(cards_in(hand))) for hand in _deal(match).hands],
    "known": lambda match: [sorted(_names(cards_in(hand))) for hand in _deal(match).known],
    "piles": lambda match: {
        PLACES[at]: _names(pile) for at, pile in enumerate(_deal(match).piles) if pile
    },
    "stock": lambda match: _names(reversed(_deal(match).stock)),
    "stock_left": lambda match: len(_deal(match).stock),
    "cards": lambda match: [hand.bit_count() for hand in _deal(match).hands],
    "out": lambda match: list(_deal(match).out),
    "playing": lambda match: list(_deal(match).playing),
    "ending": lambda match: _deal(match).ending,
    "idle": lambda match: list(cards_in(_deal(match).idle)),
    "turn_number": lambda match: _deal(match).turn_number,
    "vacated": lambda match: [PLACES[place] for place in cards_in(_deal(match).vacated)],
    "over": lambda match: match.phase != Phase.PLAY,
    "points": lambda match: list(match.sheet[-1]),
    "sheet": lambda match: list(map(list, match.sheet)),
    "phase": lambda match: match.phase,
    "turn": lambda match: match.turn,
    "number": lambda match: match.number,
    "dealer": lambda match: match.dealer,
    "totals": lambda match: list(match.totals),
    "winners": lambda match: list(match.winners),
    "losers": lambda match: list(match.losers),
    "seats": lambda match: list(match.seats),
}
"""What a case can say of the match."""

OF_EVENTS: Final[Mapping[str, Callable[[tuple[Event, ...]], object]]] = {
    "events": lambda events: [event.tag for event in events],
    "last_event": lambda events: events[-1].tag,
    "eliminated": lambda events: [
        seat for event in events if isinstance(event, Eliminated) for seat in event.seats
    ],
    "cut": lambda events: [
        {seat: card_str(card) for seat, card in zip(event.seats, event.cards, strict=True)}
        for event in events
        if isinstance(event, CardsCut)
    ],
}
"""What a case can say of the events so far."""
