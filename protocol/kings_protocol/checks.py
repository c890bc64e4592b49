"""Ranges and agreement inside what a server sends, beyond what its classes say.

The engine's values say only "a number" of a card or a seat. A client shows what it is sent without
looking twice, so whatever would break it is refused here: numbers of no card, place or seat, lists
of the wrong length, and parts that contradict each other. ``check`` looks at one message;
``Agreement`` at one message against those before it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from kings_engine import events as e
from kings_engine.cards import DECK_SIZE
from kings_engine.phase import Phase
from kings_engine.places import PLACE_COUNT
from kings_engine.rules import make_rules
from kings_engine.view import Own, Public, PublicSeat, View
from kings_protocol import messages as m
from kings_protocol.limits import SERVER_ITEMS, TABLE_SEATS

_Check: TypeAlias = Callable[[Any], bool]


def _below(bound: int) -> _Check:
    return lambda value: 0 <= value < bound


def _maybe(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _each(check: _Check, most: int) -> _Check:
    return lambda values: len(values) <= most and all(map(check, values))


def _pairs(first: _Check, second: _Check, most: int) -> _Check:
    return _each(lambda pair: first(pair[0]) and second(pair[1]), most)


def _any(_: object) -> bool:
    return True


_card: Final = _below(DECK_SIZE)
_place: Final = _below(PLACE_COUNT)
_seat: Final = _below(TABLE_SEATS)
_count: Final = _below(2**31)
_cards: Final = _each(_card, DECK_SIZE)
_places: Final = _each(_place, PLACE_COUNT)
_seats: Final = _each(_seat, TABLE_SEATS)
_points: Final = _each(_maybe(_count), TABLE_SEATS)
_of_deck: Final = _below(DECK_SIZE + 1)

RANGES: Final[Mapping[type, Mapping[str, _Check]]] = {
    PublicSeat: {"standing": _any, "cards": _of_deck, "points": _count, "known": _cards},
    Public: {
        "version": _count,
        "phase": _any,
        "deal": _count,
        "dealer": _maybe(_seat),
        "turn": _maybe(_seat),
        "turn_number": _count,
        "piles": lambda piles: len(piles) == PLACE_COUNT and all(map(_cards, piles)),
        "stock": _of_deck,
        "stock_top": _maybe(_card),
        "vacated": _places,
        "idle": _count,
        "seats": lambda seats: 0 < len(seats) <= TABLE_SEATS and all(map(_in_range, seats)),
        "sheet": _each(_points, SERVER_ITEMS),
        "winners": _seats,
        "losers": _seats,
    },
    Own: {
        "seat": _seat,
        "hand": _cards,
        "plays": _pairs(_card, _places, DECK_SIZE),
        "moves": _pairs(_place, _place, PLACE_COUNT * PLACE_COUNT),
        "stock_plays": _places,
        "may_end": _any,
    },
    e.CardsCut: {"seats": _seats, "cards": _cards},
    e.DealerChosen: {"seat": _seat, "lot": _any},
    e.DealBegan: {
        "number": _count,
        "dealer": _seat,
        "seats": _seats,
        "turned": _pairs(_card, _place, DECK_SIZE),
        "stock": _of_deck,
        "hands": _each(_maybe(_cards), TABLE_SEATS),
    },
    e.TurnBegan: {"seat": _seat, "number": _count},
    e.Drew: {"seat": _seat, "count": _of_deck, "cards": _maybe(_cards)},
    e.Played: {"seat": _seat, "card": _card, "place": _place, "from_stock": _any},
    e.Moved: {"seat": _seat, "source": _place, "place": _place, "count": _of_deck},
    e.TurnEnded: {"seat": _seat, "timeout": _any},
    e.WentOut: {"seat": _seat},
    e.Forfeited: {"seat": _seat},
    e.DealEnded: {
        "number": _count,
        "ending": _any,
        "hands": _each(_cards, TABLE_SEATS),
        "points": _points,
    },
    e.Eliminated: {"seats": _seats},
    e.MatchEnded: {"ending": _any, "winners": _seats, "losers": _seats},
}
"""For each class of the engine's that crosses the wire, what each of its fields may hold."""


def check(message: m.Message) -> None:
    """Check the insides of a message that a server sent.

    Raises:
        ValueError: a number is out of its range, or two parts contradict each other.
    """
    if isinstance(message, m.Update):
        _check_view(message.view)
        seats = len(message.view.public.seats)
        for event in message.events.events:
            _check_event(event, seats)
    elif isinstance(message, m.TableState):
        _check_table(message)
    elif isinstance(message, m.LobbyPage):
        _require(len(set(message.order)) == len(message.order), "a table is listed once")
        listed = {line.table for line in message.tables}
        _require(listed <= set(message.order), "every table is in the order")


class Agreement:
    """Remembers how many seats the table has and which is ours, and holds a server to both."""

    __slots__ = ("_own", "_seats")

    def __init__(self) -> None:
        self._own: int | None = None
        self._seats: int | None = None

    def follow(self, message: m.Message) -> None:
        """Check ``message`` against those before it.

        Raises:
            ValueError: it names a seat that the table does not have, or changes their number.
        """
        match message:
            case m.Seated() | m.Watching():
                self._own = message.seat if isinstance(message, m.Seated) else None
                self._seats = None
            case m.TableState():
                self._agree(len(message.seats))
            case m.Update(view=view):
                self._agree(len(view.public.seats))
                own = view.own.seat if view.own else None
                _require(own == self._own, "the view is of one's own seat")
            case m.Said(seat=int(seat)) | m.Notice(seat=int(seat)) if self._seats is not None:
                _require(seat < self._seats, "the seat exists")

    def _agree(self, seats: int) -> None:
        _require(self._seats in (None, seats), "the number of seats stays the same")
        _require(self._own is None or self._own < seats, "one's own seat exists")
        self._seats = seats


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise ValueError(f"broken: {rule}")


def _in_range(value: object) -> bool:
    return all(check(getattr(value, name)) for name, check in RANGES[type(value)].items())


def _check_view(view: View) -> None:
    public, own = view.public, view.own
    _require(_in_range(public), "the position is in range")
    seats = len(public.seats)
    _require(_exist((*public.winners, *public.losers), seats), "winners and losers exist")
    _require(_exist((public.dealer, public.turn), seats), "the dealer and the turn exist")
    _require(all(len(row) == seats for row in public.sheet), "the sheet has a column a seat")
    _require(
        public.phase != Phase.PLAY or None not in (public.dealer, public.turn),
        "a running deal has a dealer and a turn",
    )
    if own is None:
        return
    _require(_in_range(own), "one's own part is in range")
    _require(own.seat < seats, "one's own seat exists")
    _require({card for card, _ in own.plays} <= set(own.hand), "plays are from the hand")
    _require(all(public.piles[source] for source, _ in own.moves), "moves are of piles")
    _require(
        not own.stock_plays or public.stock_top is not None, "plays from the stock are of its top"
    )


def _check_event(event: e.Event, seats: int) -> None:
    name = type(event).__name__
    _require(_in_range(event), f"{name} is in range")
    match event:
        case e.CardsCut():
            named: tuple[int, ...] = event.seats
            _require(len(event.cards) == len(event.seats), f"{name} has a card a seat")
        case e.DealBegan():
            named = (event.dealer, *event.seats)
            _require(len(event.hands) == seats, f"{name} has an entry a seat")
        case e.DealEnded():
            named = ()
            _require(len(event.hands) == len(event.points) == seats, f"{name} has an entry a seat")
        case e.Eliminated():
            named = event.seats
        case e.MatchEnded():
            named = (*event.winners, *event.losers)
        case _:
            named = (event.seat,)
    _require(_exist(named, seats), f"the seats of {name} exist")


def _check_table(table: m.TableState) -> None:
    seats = len(table.seats)
    _require(_exist((table.host,), seats), "the host's seat exists")
    _require(all(_exist(seat.votes, seats) for seat in table.seats), "who wants a bot has a seat")
    _require(make_rules(table.rules).players == seats, "the rules are for the table's seats")
    _require(_exist(table.withheld, seats), "who withheld a share has a seat")
    members = () if table.offer is None else table.offer.members
    _require(len(members) in (0, seats), "a set of commitments has an entry a seat")


def _exist(named: Iterable[int | None], seats: int) -> bool:
    return all(seat is None or seat < seats for seat in named)
