"""What another player probably holds, from what a seat has seen.

Evenly: every card that the seat has not seen is as likely in each place where it may be. By what
was not played: a card that fitted the table when its holder's turn ended was probably not held.
"""

from typing import Final

from kings_engine.cards import DECK_SIZE, FITTING, Card, Hand
from kings_engine.events import DealBegan, Drew, Event, Moved, Played, TurnEnded
from kings_engine.places import PLACE_COUNT
from kings_engine.rules import CornerBuild, Draw, Rules
from kings_engine.view import Own, Public, Standing
from kings_server.bots.planner import IN_SUIT

KEPT_BACK: Final = 0.25
"""How likely a card that could have been played was kept, beside one that could not: people and
the better bots do keep cards back."""


def in_play(public: Public) -> tuple[int, ...]:
    """Return the seats that still play the deal."""
    return tuple(number for number, seat in enumerate(public.seats) if seat.standing == Standing.IN)


def after(own: Own, public: Public) -> list[int]:
    """Return the other seats that still play the deal, in the order of their turns."""
    playing = in_play(public)
    return [seat for seat in playing if seat > own.seat] + [s for s in playing if s < own.seat]


def unseen(own: Own, public: Public) -> frozenset[Card]:
    """Return the cards that the seat has no certain knowledge of."""
    seen = {*own.hand, *(card for pile in public.piles for card in pile)}
    for seat in public.seats:
        seen.update(seat.known)
    if public.stock_top is not None:
        seen.add(public.stock_top)
    return frozenset(range(DECK_SIZE)) - seen


def evenly(own: Own, public: Public, seat: int) -> list[float]:
    """Return for each card how likely ``seat`` holds it, with no more than the counts to go by."""
    hidden = unseen(own, public)
    chances = [0.0] * DECK_SIZE
    holder = public.seats[seat]
    share = (holder.cards - len(holder.known)) / len(hidden) if hidden else 0.0
    for card in hidden:
        chances[card] = min(1.0, share)
    for card in holder.known:
        chances[card] = 1.0
    return chances


def by_play(
    own: Own, public: Public, history: tuple[Event, ...], rules: Rules, seat: int
) -> list[float]:
    """Return for each card how likely ``seat`` holds it, also by what it did not play."""
    hidden = unseen(own, public)
    holder = public.seats[seat]
    chances = [0.0] * DECK_SIZE
    slots = passed_up(history, rules, seat)
    slots = slots[max(0, len(slots) - holder.cards + len(holder.known)) :]
    slots = [0] * (holder.cards - len(holder.known) - len(slots)) + slots
    for passed in set(slots):
        likely = [(card, KEPT_BACK if passed >> card & 1 else 1.0) for card in hidden]
        share = slots.count(passed) / sum(weight for _, weight in likely)
        for card, weight in likely:
            chances[card] = min(1.0, chances[card] + weight * share)
    for card in holder.known:
        chances[card] = 1.0
    return chances


def passed_up(history: tuple[Event, ...], rules: Rules, seat: int) -> list[Hand]:
    """Return for each unknown card in the hand of ``seat`` all that it was not played as.

    Those are the cards that fitted some pile whenever a turn of the seat ended while the card was
    in its hand. The oldest card comes first. Which one was played is guessed: the oldest of which
    its face had not been passed up before.
    """
    slots: list[Hand] = []
    known: set[Card] = set()
    fresh = 0
    tops: list[Card | None] = [None] * PLACE_COUNT
    for event in history:
        match event:
            case DealBegan():
                slots = [0] * rules.hand_size
                for card, place in event.turned:
                    tops[place] = card
            case Drew(by, count, cards) if by == seat:
                known.update(cards or ())
                slots += [0] * (0 if cards else count)
                fresh = count if not cards and rules.draw != Draw.START else 0
            case Played(by, card, place, from_stock):
                tops[place] = card
                if by == seat and not from_stock and card not in known:
                    slots = _without(slots, card)
            case Moved(_, source, place):
                tops[place], tops[source] = tops[source], None
            case TurnEnded(by) if by == seat:
                offered = _offered(tops, rules)
                old = len(slots) - fresh
                slots = [slot | offered for slot in slots[:old]] + slots[old:]
                fresh = 0
    return slots


def _without(slots: list[Hand], card: Card) -> list[Hand]:
    """Return the slots without the one that the card was probably played from."""
    fitting = (at for at, slot in enumerate(slots) if not slot >> card & 1)
    gone = next(fitting, len(slots) - 1)
    return [slot for at, slot in enumerate(slots) if at != gone]


def _offered(tops: list[Card | None], rules: Rules) -> Hand:
    """Return all cards that fit a pile; an empty place says nothing, for it takes any card."""
    suited = rules.corner_build == CornerBuild.SUIT
    offered = 0
    for place, top in enumerate(tops):
        if top is not None:
            offered |= (IN_SUIT if suited and place >= 4 else FITTING)[top]
    return offered
