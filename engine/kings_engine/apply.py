"""The one way to change a match: apply an action, get the next match or a refusal."""

from typing import TypeAlias

from kings_engine.actions import (
    TABLE,
    Abandon,
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
from kings_engine.cards import DECK_SIZE
from kings_engine.deal import deal_out, position_fits, set_up
from kings_engine.errors import Code, Refusal
from kings_engine.events import CardsCut, DealerChosen, Event, Forfeited, MatchEnding
from kings_engine.match import Match, Step, coming_dealer, end_match, finish_deal
from kings_engine.moves import refuse
from kings_engine.phase import Phase
from kings_engine.rules import Draw, FirstDealer
from kings_engine.scoring import cut_holders
from kings_engine.shuffle import cut_deck, deck, lot, well_formed
from kings_engine.sources import Deck, Position, Secret, Source
from kings_engine.turns import Outcome, act, begin_turn, end_turn, forfeit

Changed: TypeAlias = tuple[Match, tuple[Event, ...]]


def apply(match: Match, actor: int, action: Action) -> Changed | Refusal:
    """Apply ``action`` of ``actor`` to ``match``.

    Args:
        match: the match as it stands; it is never changed.
        actor: the seat's number, or ``actions.TABLE``.
        action: what it does.

    Returns:
        The next match with its version one higher, and what happened; or a refusal, of which the
        first reason that applies is given (``errors.Code`` lists them in order).
    """
    changed = _dispatch(match, actor, action)
    if isinstance(changed, Refusal):
        return changed
    after, events = changed
    return after._replace(steps=(*match.steps, Step(actor, action, events))), events


def _dispatch(match: Match, actor: int, action: Action) -> Changed | Refusal:
    if match.phase == Phase.MATCH_OVER:
        return Refusal(Code.MATCH_OVER)
    match action:
        case Play() | Move() | PlayStock() | EndTurn():
            return _seat_acts(match, actor, action)
    if actor != TABLE:
        return Refusal(Code.TABLE_ONLY)
    match action:
        case Cut(secret):
            return _cut(match, secret)
        case BeginDeal(source):
            return _begin_deal(match, source)
        case Timeout():
            return _time_out(match)
        case Forfeit(seat):
            return _forfeit(match, seat)
        case Abandon():
            match, ended = end_match(match, MatchEnding.ABANDONED, ())
            return match, (ended,)


def _seat_acts(match: Match, actor: int, action: SeatAction) -> Changed | Refusal:
    if actor == TABLE:
        return Refusal(Code.SEAT_ONLY)
    if match.deal is None or match.phase != Phase.PLAY:
        return Refusal(Code.NO_DEAL)
    if actor != match.deal.turn:
        return Refusal(Code.NOT_YOUR_TURN)
    return refuse(match.deal, action) or _settle(match, act(match.deal, action))


def _settle(match: Match, outcome: Outcome) -> Changed:
    deal, events = outcome
    if deal.ending is None:
        return match._replace(deal=deal), events
    match, ended = finish_deal(match, deal)
    return match, (*events, *ended)


def _time_out(match: Match) -> Changed | Refusal:
    if match.deal is None or match.phase != Phase.PLAY:
        return Refusal(Code.NO_DEAL)
    return _settle(match, end_turn(match.deal, timeout=True))


def _forfeit(match: Match, seat: int) -> Changed | Refusal:
    if seat not in match.seats:
        return Refusal(Code.NOT_IN_MATCH)
    deal = match.deal
    match = match._replace(
        seats=tuple(other for other in match.seats if other != seat),
        forfeited=(*match.forfeited, seat),
    )
    if deal is not None and match.phase == Phase.PLAY and seat in deal.playing:
        return _settle(match, forfeit(deal, seat))
    if len(match.seats) > 1 or match.phase == Phase.PLAY:
        return match, (Forfeited(seat),)
    match, ended = end_match(match, MatchEnding.LAST_LEFT, match.seats)
    return match, (Forfeited(seat), ended)


def _cut(match: Match, secret: Secret) -> Changed | Refusal:
    """Decide the first dealer: by a cut, which tied players repeat (000), or by lot (003)."""
    if match.phase != Phase.CUT:
        return Refusal(Code.DEAL_RUNNING)
    if not well_formed(secret, match.rules.players):
        return Refusal(Code.BAD_SOURCE)
    seats = match.seats
    events: list[Event] = []
    by_lot = match.rules.first_dealer == FirstDealer.LOT
    if by_lot:
        seats = (seats[lot(secret, len(seats))],)
    higher = match.rules.first_dealer == FirstDealer.CUT_HIGHER
    cut_round = 0
    while len(seats) > 1:
        cards = dict(zip(seats, cut_deck(secret, cut_round), strict=False))
        events.append(CardsCut(seats, tuple(cards.values())))
        seats = cut_holders(cards, higher=higher)
        cut_round += 1
    match = match._replace(phase=Phase.DEAL_DUE, dealer=seats[0])
    return match, (*events, DealerChosen(seats[0], by_lot))


def _begin_deal(match: Match, source: Source) -> Changed | Refusal:
    if match.phase != Phase.DEAL_DUE:
        return Refusal(Code.DEAL_RUNNING if match.phase == Phase.PLAY else Code.NO_DEAL)
    rules, number, dealer = match.rules, match.number + 1, coming_dealer(match)
    drawn = False
    match source:
        case Secret():
            if not well_formed(source, rules.players):
                return Refusal(Code.BAD_SOURCE)
            deal, began = deal_out(rules, number, dealer, match.seats, deck(source, number))
        case Deck(cards):
            if sorted(cards) != list(range(DECK_SIZE)):
                return Refusal(Code.BAD_SOURCE)
            deal, began = deal_out(rules, number, dealer, match.seats, cards)
        case Position():
            if not position_fits(rules, match.seats, source):
                return Refusal(Code.BAD_SOURCE)
            deal, began = set_up(rules, number, dealer, match.seats, source)
            drawn = source.drawn
    match = match._replace(phase=Phase.PLAY, number=number, dealer=dealer)
    if drawn and rules.draw == Draw.START:
        return match._replace(deal=deal), (began,)
    match, events = _settle(match, begin_turn(deal))
    return match, (began, *events)
