"""The rules of a table: a frozen, validated value with one field a knob.

Each knob's comment names the written source that asks for it (``docs/rules.md`` lists them). Values
are checked as a whole: a bad set is refused with every fault at once.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, TypeAlias, get_args

from attrs import asdict, evolve, fields, frozen

from kings_engine.cards import DECK_SIZE, SUITS
from kings_engine.places import SIDES

REVISION: Final = 2
"""Which reading of the rules this engine plays; part of every record."""


class Layout(StrEnum):
    """Where piles lie."""

    CROSS = "cross"
    CORNERS = "corners"


class Draw(StrEnum):
    """When a player takes cards from the stock."""

    START = "start"
    END = "end"
    AFTER_HAND_CARD = "after_hand_card"
    IF_IDLE = "if_idle"


class EmptyPlace(StrEnum):
    """What may be laid on an empty place."""

    ANY = "any"
    NOT_KING = "not_king"
    VACATED = "vacated"


class DealtKings(StrEnum):
    """What becomes of a king that is turned up in the deal."""

    STAY = "stay"
    TO_CORNER_REFILLED = "to_corner_refilled"
    TO_CORNER_OPEN = "to_corner_open"


class KingPileToCorner(StrEnum):
    """When a side pile with a king at its bottom may move to an empty corner."""

    NEVER = "never"
    OPENING = "opening"
    ANYTIME = "anytime"


class MustPlay(StrEnum):
    """What has to be played before a turn can end."""

    OFF = "off"
    HAND = "hand"
    ANY = "any"


class CornerBuild(StrEnum):
    """How a corner is built down."""

    ALTERNATE = "alternate"
    SUIT = "suit"


class GoingOut(StrEnum):
    """What happens when a player plays the last card."""

    ENDS_DEAL = "ends_deal"
    PLAYS_ON = "plays_on"


class StockEmpty(StrEnum):
    """What happens when the stock is gone."""

    PLAY_ON = "play_on"
    ENDS_DEAL = "ends_deal"


class IdleCounts(StrEnum):
    """What counts as playing."""

    ANY = "any"
    HAND = "hand"


class IdleRound(StrEnum):
    """When a round in which nobody plays ends the deal."""

    WHEN_STOCK_EMPTY = "when_stock_empty"
    ALWAYS = "always"


class Scoring(StrEnum):
    """What left-over cards cost, where it is not thirteen numbers of one's own."""

    KINGS_10 = "kings_10"
    KINGS_10_FACES_2 = "kings_10_faces_2"
    FACE_VALUE = "face_value"


class MatchForm(StrEnum):
    """What ends a match."""

    ONE_DEAL = "one_deal"
    POINTS = "points"
    DEALS = "deals"
    POINTS_OR_DEALS = "points_or_deals"
    ELIMINATION = "elimination"


class Tie(StrEnum):
    """What a tie for the fewest points does."""

    PLAY_ON = "play_on"
    SHARED = "shared"


class FirstDealer(StrEnum):
    """Who deals first; ``last`` is the last seat, so that seat 1 opens."""

    LAST = "last"
    SEAT_1 = "seat_1"
    SEAT_2 = "seat_2"
    SEAT_3 = "seat_3"
    SEAT_4 = "seat_4"
    LOT = "lot"
    CUT_HIGHER = "cut_higher"
    CUT_LOWER = "cut_lower"


class Opens(StrEnum):
    """Who plays first in a deal."""

    LEFT_OF_DEALER = "left_of_dealer"
    DEALER = "dealer"


PENALTIES: Final[Mapping[Scoring, tuple[int, ...]]] = {
    Scoring.KINGS_10: (1,) * 12 + (10,),
    Scoring.KINGS_10_FACES_2: (1,) * 10 + (2, 2, 10),
    Scoring.FACE_VALUE: tuple(range(1, 14)),
}
"""What a card of each rank costs, ace to king."""

PLAYERS: Final = range(2, 5)
HAND_SIZE: Final = range(5, 11)
DRAW_COUNT: Final = range(1, 3)
POINTS: Final = range(5, 501)
DEALS: Final = range(1, 51)
TURN_SECONDS: Final = range(10, 601)
PENALTY: Final = range(51)

LEAST_ROUNDS: Final = 2
"""Turns of each player for which the stock has to last, where the deal ends with it: with fewer,
hardly anybody could go out."""

MOST_DECKS: Final = 6
"""How often the cost of all 52 cards goes into the points that end a match, at most: 500 points are
5.7 times what they cost with kings at 10. With more the match would hardly ever end."""

Value: TypeAlias = str | int | bool | tuple[int, ...] | None


@frozen
class Knob:
    """The values one knob may take: the listed choices or a range, and perhaps none at all."""

    choices: tuple[str | bool, ...] = ()
    numbers: range | None = None
    optional: bool = False
    per_rank: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words and numbers."""
        parts = [str(choice).lower() for choice in self.choices]
        if self.numbers is not None:
            parts.append(f"{self.numbers.start} to {self.numbers.stop - 1}")
        if self.per_rank:
            parts.append(f"13 numbers from 0 to {PENALTY.stop - 1}, ace to king, not all 0")
        if self.optional:
            parts.append("none")
        return ", ".join(parts)

    def allows(self, value: object) -> bool:
        """Say whether ``value`` is one of the allowed values, of the right type."""
        if value is None:
            return self.optional
        if isinstance(value, bool):
            return value in self.choices and True in self.choices
        if isinstance(value, int):
            return self.numbers is not None and value in self.numbers
        if isinstance(value, str):
            return value in self.choices
        return self.per_rank and _is_scale(value)


class Why(StrEnum):
    """Why a value that its knob allows cannot be: which other rule stands in the way."""

    NO_SUCH_RULE = "there is no such rule"
    UNDRAWN_STOCK = "with after_hand_card the stock may never run out"
    CORNERS_ONLY = "the layout is corners"
    COUNTED_DEALS = "the match is counted in deals"
    NO_SUCH_SEAT = "the table has fewer seats"
    SHORT_STOCK = "the deal ends with the stock, and each player needs two turns"
    FAR_POINTS = "cards left in hands cost too little for that many points"


@frozen
class Fault:
    """One thing wrong with a set of rules.

    Attributes:
        knob: its name.
        given: the value that it cannot have.
        possible: what it can have instead.
        why: which other rule keeps it from a value that the knob allows, if one does.
    """

    knob: str
    given: str
    possible: Knob
    why: Why | None = None

    def __str__(self) -> str:
        return f"{self.knob}: {self.given} is not possible; allowed: {self.allowed}"

    @property
    def allowed(self) -> str:
        """What is possible in words, and why no more is."""
        because = "" if self.why is None else f" ({self.why})"
        return self.possible.allowed + because


class BadRules(ValueError):  # noqa: N818  the field's own word
    """A set of rules cannot be played; ``faults`` names every reason."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


@frozen
class Rules:
    """All knobs of a table. The defaults are the preset ``pagat`` (002).

    Raises:
        BadRules: the set cannot be played.
    """

    players: int = 2
    layout: Layout = Layout.CROSS  # corners: 003
    hand_size: int = 7
    draw: Draw = Draw.END  # start: 000, 001, 004; after_hand_card: 003 to the letter
    draw_count: int = 1  # two: 002
    empty_place: EmptyPlace = EmptyPlace.ANY  # not_king: 000; vacated: 003
    dealt_kings: DealtKings = DealtKings.STAY
    king_pile_to_corner: KingPileToCorner = KingPileToCorner.ANYTIME  # 002, 004
    must_play: MustPlay = MustPlay.OFF  # 000, 001
    forced_kings: bool = False  # 002
    corner_build: CornerBuild = CornerBuild.ALTERNATE  # suit: 002
    open_stock: bool = False  # 003
    going_out: GoingOut = GoingOut.ENDS_DEAL  # plays_on: 003
    stock_empty: StockEmpty = StockEmpty.PLAY_ON  # ends_deal: 000
    idle_counts: IdleCounts = IdleCounts.ANY  # hand: 000
    idle_round: IdleRound = IdleRound.WHEN_STOCK_EMPTY  # always: 003 to the letter
    scoring: Scoring | tuple[int, ...] = Scoring.KINGS_10  # 000, 002
    match: MatchForm = MatchForm.POINTS  # 000; elimination: 004
    points: int = 25
    deals: int | None = None  # 000
    tie: Tie = Tie.PLAY_ON  # 001, 002
    name_loser: bool = False  # 003
    first_dealer: FirstDealer = FirstDealer.LAST  # cut: 000; lot: 003
    opens: Opens = Opens.LEFT_OF_DEALER  # dealer: 003
    open_hands: bool = False  # 000
    turn_seconds: int | None = None
    hints: bool = True

    def __attrs_post_init__(self) -> None:
        faults = (*_range_faults(self), *_combination_faults(self))
        if faults:
            raise BadRules(faults)

    @property
    def penalties(self) -> tuple[int, ...]:
        """What a card of each rank costs, ace to king."""
        return self.scoring if isinstance(self.scoring, tuple) else PENALTIES[self.scoring]


def _is_scale(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 13
        and all(isinstance(cost, int) and not isinstance(cost, bool) for cost in value)
        and all(cost in PENALTY for cost in value)
        and any(value)
    )


_ON_OFF: Final = Knob(choices=(False, True))

KNOBS: Final[Mapping[str, Knob]] = {
    "players": Knob(numbers=PLAYERS),
    "layout": Knob(choices=tuple(Layout)),
    "hand_size": Knob(numbers=HAND_SIZE),
    "draw": Knob(choices=tuple(Draw)),
    "draw_count": Knob(numbers=DRAW_COUNT),
    "empty_place": Knob(choices=tuple(EmptyPlace)),
    "dealt_kings": Knob(choices=tuple(DealtKings)),
    "king_pile_to_corner": Knob(choices=tuple(KingPileToCorner)),
    "must_play": Knob(choices=tuple(MustPlay)),
    "forced_kings": _ON_OFF,
    "corner_build": Knob(choices=tuple(CornerBuild)),
    "open_stock": _ON_OFF,
    "going_out": Knob(choices=tuple(GoingOut)),
    "stock_empty": Knob(choices=tuple(StockEmpty)),
    "idle_counts": Knob(choices=tuple(IdleCounts)),
    "idle_round": Knob(choices=tuple(IdleRound)),
    "scoring": Knob(choices=tuple(Scoring), per_rank=True),
    "match": Knob(choices=tuple(MatchForm)),
    "points": Knob(numbers=POINTS),
    "deals": Knob(numbers=DEALS, optional=True),
    "tie": Knob(choices=tuple(Tie)),
    "name_loser": _ON_OFF,
    "first_dealer": Knob(choices=tuple(FirstDealer)),
    "opens": Knob(choices=tuple(Opens)),
    "open_hands": _ON_OFF,
    "turn_seconds": Knob(numbers=TURN_SECONDS, optional=True),
    "hints": _ON_OFF,
}
"""Every knob by name, in the order in which a form lists them."""


def make_rules(knobs: Mapping[str, object], base: Rules | None = None) -> Rules:
    """Return ``base`` (by default ``pagat``) with ``knobs`` changed.

    Values are as they come from a message or a command line: strings for the named choices,
    integers, booleans, ``None``, and a sequence of thirteen integers for ``scoring``.

    Raises:
        BadRules: a knob does not exist, a value is not allowed or values exclude each other. All
            faults are named.
    """
    base = Rules() if base is None else base
    faults: list[Fault] = []
    changes: dict[str, Any] = {}
    for name, given in knobs.items():
        knob = KNOBS.get(name)
        value = tuple(given) if isinstance(given, list) else given
        if knob is None:
            known = Knob(choices=tuple(KNOBS))
            faults.append(Fault(name[:40], _shown(given), known, Why.NO_SUCH_RULE))
        elif not knob.allows(value):
            faults.append(Fault(name, _shown(given), knob))
        else:
            changes[name] = _typed(name, value)
    try:
        rules = evolve(base, **changes)
    except BadRules as bad:
        named = {fault.knob for fault in faults}
        others = (fault for fault in bad.faults if fault.knob not in named)
        raise BadRules((*faults, *others)) from None
    if faults:
        raise BadRules(tuple(faults))
    return rules


def rules_as_plain(rules: Rules) -> dict[str, Value]:
    """Return every knob with its value as plain data; ``make_rules`` takes it back."""
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in asdict(rules, recurse=False).items()
    }


def differences(rules: Rules, base: Rules) -> dict[str, Value]:
    """Return the knobs in which ``rules`` differ from ``base``, with their values in ``rules``."""
    other = rules_as_plain(base)
    return {name: value for name, value in rules_as_plain(rules).items() if value != other[name]}


def _typed(name: str, value: object) -> Any:
    if isinstance(value, str):
        for kind in get_args(_FIELD_TYPES[name]) or (_FIELD_TYPES[name],):
            if isinstance(kind, type) and issubclass(kind, StrEnum):
                return kind(value)
    return value


def _shown(value: object) -> str:
    return "none" if value is None else str(value)[:60]


def _range_faults(rules: Rules) -> tuple[Fault, ...]:
    return tuple(
        Fault(name, _shown(getattr(rules, name)), knob)
        for name, knob in KNOBS.items()
        if not knob.allows(getattr(rules, name))
    )


def _combination_faults(rules: Rules) -> tuple[Fault, ...]:
    corners = rules.layout == Layout.CORNERS
    counted = rules.match in (MatchForm.DEALS, MatchForm.POINTS_OR_DEALS)
    by_points = rules.match in (MatchForm.POINTS, MatchForm.ELIMINATION)
    with_stock = rules.stock_empty == StockEmpty.ENDS_DEAL
    after_hand_card = rules.draw == Draw.AFTER_HAND_CARD
    limits = (
        (after_hand_card, "idle_round", Knob(choices=(IdleRound.ALWAYS,)), Why.UNDRAWN_STOCK),
        (corners, "empty_place", Knob(choices=_ON_CORNERS), Why.CORNERS_ONLY),
        (corners, "dealt_kings", Knob(choices=(DealtKings.STAY,)), Why.CORNERS_ONLY),
        (corners, "corner_build", Knob(choices=(CornerBuild.ALTERNATE,)), Why.CORNERS_ONLY),
        (counted, "deals", Knob(numbers=DEALS), Why.COUNTED_DEALS),
        (True, "first_dealer", Knob(choices=_dealers(rules)), Why.NO_SUCH_SEAT),
        (with_stock, "hand_size", Knob(numbers=_hands_for_turns(rules)), Why.SHORT_STOCK),
        (by_points, "points", Knob(numbers=_points_in_reach(rules)), Why.FAR_POINTS),
    )
    return tuple(
        Fault(name, _shown(value), possible, why)
        for applies, name, possible, why in limits
        if applies and KNOBS[name].allows(value := getattr(rules, name))
        if not possible.allows(value)
    )


def _dealers(rules: Rules) -> tuple[FirstDealer, ...]:
    return tuple(dealer for dealer in FirstDealer if _NAMED_SEATS.get(dealer, 0) < rules.players)


def _hands_for_turns(rules: Rules) -> range:
    """Return the sizes of hands that leave the stock long enough for a deal that ends with it."""
    drawn = rules.players * rules.draw_count * LEAST_ROUNDS
    most = (DECK_SIZE - len(SIDES) - drawn) // rules.players
    return range(HAND_SIZE.start, min(most, HAND_SIZE.stop - 1) + 1)


def _points_in_reach(rules: Rules) -> range:
    most = MOST_DECKS * len(SUITS) * sum(rules.penalties)
    return range(POINTS.start, min(most, POINTS.stop - 1) + 1)


def fixed_dealer(rules: Rules) -> int | None:
    """Return the seat that deals first, from 0, or nothing where a cut or a lot decides."""
    if rules.first_dealer == FirstDealer.LAST:
        return rules.players - 1
    return _NAMED_SEATS.get(rules.first_dealer)


_ON_CORNERS: Final = (EmptyPlace.ANY, EmptyPlace.VACATED)

_NAMED_SEATS: Final = {
    FirstDealer.SEAT_1: 0,
    FirstDealer.SEAT_2: 1,
    FirstDealer.SEAT_3: 2,
    FirstDealer.SEAT_4: 3,
}

_FIELD_TYPES: Final = {field.name: field.type for field in fields(Rules)}
