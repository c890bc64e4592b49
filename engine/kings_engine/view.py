"""What a seat, a spectator or a bot may know: the only way out of the full state.

Everything here is built from allowed facts; nothing is made by stripping. ``Public`` is the same
for every viewer of a match, so it can depend on no hand; ``Own`` is what one seat adds. They have
no slots, because without them their fields are written to the network in the order of their
definition, by an encoder that knows attrs; with slots, that would be the alphabet's.
"""

from enum import StrEnum

from attrs import frozen

from kings_engine.actions import BeginDeal, EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import Card, cards_in
from kings_engine.deal import Deal
from kings_engine.events import DealBegan, Drew, Event
from kings_engine.match import Match
from kings_engine.moves import legal_moves, legal_plays, refuse_end
from kings_engine.phase import Phase
from kings_engine.places import PLACE_COUNT, Place


class Standing(StrEnum):
    """What a seat is in the match."""

    IN = "in"  #: dealt to, and still playing in the current deal
    OUT = "out"  #: went out in this deal; plays again in the next
    ELIMINATED = "eliminated"
    FORFEITED = "forfeited"


@frozen(slots=False)
class PublicSeat:
    """One seat as everybody may see it.

    Attributes:
        standing: what it is in the match.
        cards: how many cards it holds.
        points: the penalty points of its finished deals.
        known: those of its cards that everybody knows: drawn from an open stock; all of them under
            ``open_hands`` and when a deal is over.
    """

    standing: Standing
    cards: int
    points: int
    known: tuple[Card, ...]


@frozen(slots=False)
class Public:
    """The position as everybody at the table may see it.

    Attributes:
        version: how many actions the match's record holds.
        phase: where the match stands.
        deal: the number of the current or last deal, from 1; 0 before the first.
        dealer: the seat that deals the current or last deal, or is to deal the first one.
        turn: the seat on turn while a deal runs.
        turn_number: how many turns of the deal went before this one.
        piles: the eight places' piles, bottom card first.
        stock: how many cards are left to draw.
        stock_top: the next card, where the stock is open.
        vacated: empty places that take any card this turn, under ``empty_place: vacated``.
        idle: how many turns in a row counted as idle.
        seats: the seats, in order.
        sheet: the penalty points of each finished deal, by seat; none for one not dealt to.
        winners: who won, once the match is over.
        losers: who is named the loser, under ``name_loser``, once the match is over.
    """

    version: int
    phase: Phase
    deal: int
    dealer: int | None
    turn: int | None
    turn_number: int
    piles: tuple[tuple[Card, ...], ...]
    stock: int
    stock_top: Card | None
    vacated: tuple[Place, ...]
    idle: int
    seats: tuple[PublicSeat, ...]
    sheet: tuple[tuple[int | None, ...], ...]
    winners: tuple[int, ...]
    losers: tuple[int, ...]


@frozen(slots=False)
class Own:
    """What a seat knows beyond the public facts.

    Attributes:
        seat: its number, from 0.
        hand: its cards, lowest number first.
        plays: each card it may play now, with the places that take it.
        moves: each pile it may move now, as (source, place).
        stock_plays: the places that take the top of the open stock now.
        may_end: whether it may end its turn now.
    """

    seat: int
    hand: tuple[Card, ...]
    plays: tuple[tuple[Card, tuple[Place, ...]], ...]
    moves: tuple[tuple[Place, Place], ...]
    stock_plays: tuple[Place, ...]
    may_end: bool


@frozen
class View:
    """A position as one viewer may know it; ``own`` is nothing for a spectator."""

    public: Public
    own: Own | None


def observe(match: Match, viewer: int | None) -> View:
    """Return what ``viewer``, a seat or (``None``) a spectator, may know of the position now."""
    return View(observe_public(match), None if viewer is None else observe_own(match, viewer))


def observe_public(match: Match) -> Public:
    """Return the public facts of the position, the same for every viewer."""
    deal = match.deal
    running = deal if match.phase == Phase.PLAY else None
    totals = match.totals
    return Public(
        version=match.version,
        phase=match.phase,
        deal=match.number,
        dealer=match.dealer,
        turn=match.turn,
        turn_number=running.turn_number if running else 0,
        piles=deal.piles if deal else ((),) * PLACE_COUNT,
        stock=len(deal.stock) if deal else 0,
        stock_top=deal.stock[-1] if deal and match.rules.open_stock and deal.stock else None,
        vacated=cards_in(running.vacated) if running else (),
        idle=running.idle.bit_count() if running else 0,
        seats=tuple(
            PublicSeat(
                _standing(match, seat),
                deal.hands[seat].bit_count() if deal else 0,
                totals[seat],
                _known(match, deal, seat) if deal else (),
            )
            for seat in range(match.rules.players)
        ),
        sheet=match.sheet,
        winners=match.winners,
        losers=match.losers,
    )


def observe_own(match: Match, seat: int) -> Own:
    """Return what ``seat`` knows beyond the public facts: its hand and its legal actions."""
    deal = match.deal
    hand = deal.hands[seat] if deal else 0
    if deal is None or match.turn != seat:
        return Own(seat, cards_in(hand), (), (), (), False)
    plays: dict[Card, tuple[Place, ...]] = {}
    for place, fitting in legal_plays(deal, hand):
        for card in cards_in(fitting):
            plays[card] = (*plays.get(card, ()), place)
    top = deal.stock[-1] if deal.rules.open_stock and deal.stock else None
    return Own(
        seat=seat,
        hand=cards_in(hand),
        plays=tuple(sorted(plays.items())),
        moves=legal_moves(deal),
        stock_plays=() if top is None else tuple(p for p, _ in legal_plays(deal, 1 << top)),
        may_end=refuse_end(deal) is None,
    )


def legal_actions(own: Own) -> tuple[SeatAction, ...]:
    """Return every action the seat may do now; none when it is not on turn."""
    actions: list[SeatAction] = [Play(card, at) for card, places in own.plays for at in places]
    actions += [Move(source, at) for source, at in own.moves]
    actions += [PlayStock(at) for at in own.stock_plays]
    if own.may_end:
        actions.append(EndTurn())
    return tuple(actions)


def history(match: Match, viewer: int | None, after_version: int) -> tuple[Event, ...]:
    """Return the events after version ``after_version`` as ``viewer`` may know them."""
    seen: list[Event] = []
    for step in match.steps[after_version:]:
        for event in step.events:
            if isinstance(event, DealBegan | Drew):
                seen.append(_seen(match, event, viewer))
            else:
                seen.append(event)
    return tuple(seen)


def deal_history(match: Match, viewer: int | None) -> tuple[Event, ...]:
    """Return the events of the current or last deal as ``viewer`` may know them.

    Before the first deal begins, and in it, the cut for the dealer belongs to it.
    """
    return history(match, viewer, deal_start(match))


def deal_start(match: Match) -> int:
    """Return the version after which the current or last deal's events began."""
    if match.number <= 1:
        return 0
    newest_first = reversed(range(match.version))
    return next(at for at in newest_first if isinstance(match.steps[at].action, BeginDeal))


def _seen(match: Match, event: DealBegan | Drew, viewer: int | None) -> Event:
    """Return an event that holds hidden cards, made anew from what ``viewer`` may know of it."""
    if isinstance(event, DealBegan):
        shown = tuple(
            hand if seat == viewer or match.rules.open_hands else None
            for seat, hand in enumerate(event.hands)
        )
        return DealBegan(event.number, event.dealer, event.seats, event.turned, event.stock, shown)
    known = event.seat == viewer or match.rules.open_stock or match.rules.open_hands
    return Drew(event.seat, event.count, event.cards if known else None)


def _standing(match: Match, seat: int) -> Standing:
    if seat in match.forfeited:
        return Standing.FORFEITED
    if seat not in match.seats:
        return Standing.ELIMINATED
    if match.phase == Phase.PLAY and match.deal is not None and seat in match.deal.out:
        return Standing.OUT
    return Standing.IN


def _known(match: Match, deal: Deal, seat: int) -> tuple[Card, ...]:
    shown = match.rules.open_hands or match.phase != Phase.PLAY
    return cards_in(deal.hands[seat] if shown else deal.known[seat])
