"""The closed set of events: what applying an action made happen.

The engine makes events in full. ``view.history`` builds from them what one viewer may know: only
``DealBegan.hands`` and ``Drew.cards`` differ between viewers, all other fields are public.
"""

from enum import StrEnum
from typing import ClassVar, TypeAlias

from attrs import frozen

from kings_engine.cards import Card
from kings_engine.places import Place


class DealEnding(StrEnum):
    """How a deal came to its end."""

    WENT_OUT = "went_out"  #: a player played the last card
    BLOCKED = "blocked"  #: a whole round went by in which nobody played
    STOCK_GONE = "stock_gone"  #: the stock ran out, under the rule that this ends the deal
    LAST_HOLDER = "last_holder"  #: only one player still holds cards


class MatchEnding(StrEnum):
    """How a match came to its end."""

    DECIDED = "decided"  #: by the rules
    LAST_LEFT = "last_left"  #: all others forfeited
    ABANDONED = "abandoned"  #: the table gave it up


@frozen
class CardsCut:
    """One round of the cut: each of ``seats`` showed one of ``cards``, in the same order (000)."""

    tag: ClassVar = "cards_cut"
    seats: tuple[int, ...]
    cards: tuple[Card, ...]


@frozen
class DealerChosen:
    """The first dealer was decided by a cut or a lot."""

    tag: ClassVar = "dealer_chosen"
    seat: int
    lot: bool


@frozen
class DealBegan:
    """Cards were dealt to ``seats``.

    ``turned`` are the cards turned up from the stock and where each was laid, in order: under
    ``dealt_kings`` a king may have gone to a corner. ``hands`` has an entry a seat: its cards, or
    nothing where the viewer may not know them.
    """

    tag: ClassVar = "deal_began"
    number: int
    dealer: int
    seats: tuple[int, ...]
    turned: tuple[tuple[Card, Place], ...]
    stock: int
    hands: tuple[tuple[Card, ...] | None, ...]


@frozen
class TurnBegan:
    """A seat's turn began; ``number`` counts the deal's turns from 0."""

    tag: ClassVar = "turn_began"
    seat: int
    number: int


@frozen
class Drew:
    """A seat took ``count`` cards from the stock; ``cards`` where the viewer knows them."""

    tag: ClassVar = "drew"
    seat: int
    count: int
    cards: tuple[Card, ...] | None


@frozen
class Played:
    """A card was played to ``place``, from the hand or from the open stock."""

    tag: ClassVar = "played"
    seat: int
    card: Card
    place: Place
    from_stock: bool


@frozen
class Moved:
    """A pile of ``count`` cards was moved."""

    tag: ClassVar = "moved"
    seat: int
    source: Place
    place: Place
    count: int


@frozen
class TurnEnded:
    """A seat's turn ended, by its own action or because the table timed it out."""

    tag: ClassVar = "turn_ended"
    seat: int
    timeout: bool


@frozen
class WentOut:
    """A seat played its last card."""

    tag: ClassVar = "went_out"
    seat: int


@frozen
class Forfeited:
    """A seat is out of this and all later deals."""

    tag: ClassVar = "forfeited"
    seat: int


@frozen
class DealEnded:
    """A deal is over: all hands, and each seat's penalty points (none for one not dealt to)."""

    tag: ClassVar = "deal_ended"
    number: int
    ending: DealEnding
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int | None, ...]


@frozen
class Eliminated:
    """Seats reached the points that put them out of the match (004)."""

    tag: ClassVar = "eliminated"
    seats: tuple[int, ...]


@frozen
class MatchEnded:
    """The match is over; several winners share it, and ``losers`` is empty unless it is named."""

    tag: ClassVar = "match_ended"
    ending: MatchEnding
    winners: tuple[int, ...]
    losers: tuple[int, ...]


Event: TypeAlias = (
    CardsCut
    | DealerChosen
    | DealBegan
    | TurnBegan
    | Drew
    | Played
    | Moved
    | TurnEnded
    | WentOut
    | Forfeited
    | DealEnded
    | Eliminated
    | MatchEnded
)
