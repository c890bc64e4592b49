"""The turns of a deal: each function makes the next state and says what happened.

Legality is judged before (``moves``); these functions trust their caller.
"""

from typing import TypeAlias, TypeVar

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import Card
from kings_engine.deal import Deal, Pile, next_seat
from kings_engine.events import (
    DealEnding,
    Drew,
    Event,
    Forfeited,
    Moved,
    Played,
    TurnBegan,
    TurnEnded,
    WentOut,
)
from kings_engine.places import Place
from kings_engine.rules import Draw, EmptyPlace, GoingOut, IdleCounts, IdleRound, StockEmpty

Outcome: TypeAlias = tuple[Deal, tuple[Event, ...]]
T = TypeVar("T")


def act(deal: Deal, action: SeatAction) -> Outcome:
    """Carry out a legal action of the seat on turn."""
    match action:
        case Play(card, place):
            return _play(deal, card, place, from_stock=False)
        case PlayStock(place):
            return _play(deal, deal.stock[-1], place, from_stock=True)
        case Move(source, place):
            return _move(deal, source, place)
        case EndTurn():
            return end_turn(deal, timeout=False)


def begin_turn(deal: Deal) -> Outcome:
    """Begin the turn of the seat on turn, with its draw where the rules draw at the start."""
    began = TurnBegan(deal.turn, deal.turn_number)
    if deal.rules.draw != Draw.START:
        return deal, (began,)
    deal, drew = _draw(deal)
    return deal, (began, *drew)


def end_turn(deal: Deal, *, timeout: bool) -> Outcome:
    """End the turn: the draw where the rules draw at the end, the tests for the deal's end."""
    seat = deal.turn
    drew: tuple[Event, ...] = ()
    if _draws_at_end(deal):
        deal, drew = _draw(deal)
    events = (*drew, TurnEnded(seat, timeout))
    deal = deal._replace(idle=_idle_after(deal, drew_a_card=bool(drew)))
    if ending := _ending_after_turn(deal):
        return deal._replace(ending=ending), events
    deal, began = _pass_on(deal)
    return deal, (*events, *began)


def forfeit(deal: Deal, seat: int) -> Outcome:
    """Take ``seat``, which is still playing, out of the deal; its hand still scores."""
    events: tuple[Event, ...] = (Forfeited(seat),)
    on_turn = deal.turn == seat
    deal = deal._replace(
        playing=tuple(other for other in deal.playing if other != seat),
        idle=0 if on_turn and _counted(deal) else deal.idle & ~(1 << seat),
    )
    if len(deal.playing) == 1:
        return deal._replace(ending=DealEnding.LAST_HOLDER), events
    if not on_turn:  # the seat on turn is not idle yet, so no idle round is complete
        return deal, events
    if ending := _ending_after_turn(deal):
        return deal._replace(ending=ending), events
    deal, began = _pass_on(deal)
    return deal, (*events, *began)


def _play(deal: Deal, card: Card, place: Place, *, from_stock: bool) -> Outcome:
    seat = deal.turn
    gone = ~(1 << card)
    deal = deal._replace(
        hands=_at(deal.hands, seat, deal.hands[seat] & gone),
        known=_at(deal.known, seat, deal.known[seat] & gone),
        stock=deal.stock[:-1] if from_stock else deal.stock,
        piles=_at(deal.piles, place, (*deal.piles[place], card)),
        vacated=deal.vacated & ~(1 << place),
        acted=True,
        played=deal.played or not from_stock,
    )
    played = Played(seat, card, place, from_stock)
    if deal.hands[seat]:
        return deal, (played,)
    deal, events = _go_out(deal)
    return deal, (played, *events)


def _go_out(deal: Deal) -> Outcome:
    seat = deal.turn
    went_out = WentOut(seat)
    deal = deal._replace(
        playing=tuple(other for other in deal.playing if other != seat),
        out=(*deal.out, seat),
        idle=0,
    )
    if deal.rules.going_out == GoingOut.ENDS_DEAL:
        return deal._replace(ending=DealEnding.WENT_OUT), (went_out,)
    if len(deal.playing) == 1:  # 003
        return deal._replace(ending=DealEnding.LAST_HOLDER), (went_out,)
    if ending := _ending_after_turn(deal):
        return deal._replace(ending=ending), (went_out,)
    deal, began = _pass_on(deal)
    return deal, (went_out, *began)


def _move(deal: Deal, source: Place, place: Place) -> Outcome:
    pile = deal.piles[source]
    piles: list[Pile] = list(deal.piles)
    piles[source] = ()
    piles[place] += pile
    opened = 1 << source if deal.rules.empty_place == EmptyPlace.VACATED else 0
    deal = deal._replace(piles=tuple(piles), vacated=deal.vacated | opened, acted=True)
    return deal, (Moved(deal.turn, source, place, len(pile)),)


def _pass_on(deal: Deal) -> Outcome:
    return begin_turn(
        deal._replace(
            turn=next_seat(deal.playing, deal.turn),
            turn_number=deal.turn_number + 1,
            vacated=0,
            acted=False,
            played=False,
        )
    )


def _draws_at_end(deal: Deal) -> bool:
    match deal.rules.draw:
        case Draw.END:
            return True
        case Draw.AFTER_HAND_CARD:
            return deal.played
        case Draw.IF_IDLE:
            return not deal.acted
        case Draw.START:
            return False


def _draw(deal: Deal) -> Outcome:
    """Give the seat on turn its cards from the stock, as many as are left (002)."""
    count = min(deal.rules.draw_count, len(deal.stock))
    if not count:
        return deal, ()
    seat = deal.turn
    cards = tuple(reversed(deal.stock[-count:]))
    drawn = sum(1 << card for card in cards)
    known = deal.known
    if deal.rules.open_stock:  # the drawn cards lay open, so everybody knows them
        known = _at(known, seat, known[seat] | drawn)
    deal = deal._replace(
        hands=_at(deal.hands, seat, deal.hands[seat] | drawn),
        known=known,
        stock=deal.stock[:-count],
    )
    return deal, (Drew(seat, count, cards),)


def _idle_after(deal: Deal, *, drew_a_card: bool) -> int:
    """Return the seats with idle turns in a row, now that the seat on turn has ended its own."""
    watched = deal.rules.idle_round == IdleRound.ALWAYS or not deal.stock
    idle = watched and not drew_a_card and not _counted(deal)
    return deal.idle | 1 << deal.turn if idle else 0


def _counted(deal: Deal) -> bool:
    """Say whether the seat on turn has done what counts as playing (000, 002)."""
    return deal.acted if deal.rules.idle_counts == IdleCounts.ANY else deal.played


def _idle_round(deal: Deal) -> bool:
    return all(deal.idle >> seat & 1 for seat in deal.playing)


def _ending_after_turn(deal: Deal) -> DealEnding | None:
    if deal.rules.stock_empty == StockEmpty.ENDS_DEAL and not deal.stock:  # 000
        return DealEnding.STOCK_GONE
    return DealEnding.BLOCKED if _idle_round(deal) else None


def _at(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
