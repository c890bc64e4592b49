"""What a deal's events tell: what each card in a hand was not played as, and how others played.

Which of its unknown cards a seat has played is guessed as ``beliefs.passed_up`` does: the oldest of
which that face had not been passed up before. So every card has a time at which it came to its hand
and one at which it left it; the sampled deals begin with that and try others.
"""

from collections.abc import Iterable

from attrs import define, field

from kings_engine.events import (
    DealBegan,
    Drew,
    Event,
    Forfeited,
    Moved,
    Played,
    TurnBegan,
    TurnEnded,
    WentOut,
)
from kings_engine.places import PLACE_COUNT
from kings_engine.rules import Draw, Rules
from kings_engine.view import Own, Public
from kings_server.bots.kernel_deal import MOST_CARDS, SEATS
from kings_server.bots.kernel_reading import Ends, code_of, table_of
from kings_server.bots.kernel_table import with_card
from kings_server.bots.kernel_worlds import MOST_PAST, NEVER, Past, new_past


@define
class _Held:
    """A card that was unknown when it came.

    Attributes:
        arrived: the number of the turn from which on it is held.
        passed: what it was passed up as, in codes.
        left: the number of the turn in which it was played.
        code: what it then turned out to be.
    """

    arrived: int
    passed: int = 0
    left: int = NEVER
    code: int = 0


@define
class PastTurn:
    """A turn as everybody saw it: how it began, and the table in which it ended."""

    seat: int
    when: int
    before: int
    shown: int
    playing: int
    stock: int
    slots: tuple[tuple[int, ...], ...]
    after: int = 0
    taken: int = 0


@define
class Replay:
    """A deal played again from its events.

    Attributes:
        rules: the table's rules.
        held: the cards that each seat still holds, the oldest first.
        ever: those that it has held at any time.
        turns: the turns that ended by their seat's will.
    """

    rules: Rules
    held: list[list[_Held]]
    ever: list[list[_Held]] = field(init=False)
    turns: list[PastTurn] = field(factory=list)
    _piles: list[Ends | None] = field(factory=lambda: [None] * PLACE_COUNT)
    _shown: int = 0
    _playing: tuple[int, ...] = ()
    _stock: int = 0
    _turn: PastTurn | None = None
    _fresh: int = 0
    _number: int = 0

    def __attrs_post_init__(self) -> None:
        """Begin with what is held."""
        self.ever = [list(held) for held in self.held]

    def follow(self, events: Iterable[Event]) -> None:
        """Play the events again."""
        for event in events:
            match event:
                case DealBegan():
                    self._deal(event)
                case TurnBegan():
                    self._turn = None
                    self._fresh = 0
                    self._number += 1
                case Drew(seat, count, _):
                    self._draw(seat, count)
                case Played(seat, card, place, _):
                    self._look(seat)
                    self._lay((card, card), place)
                    self._shown = with_card(self._shown, code_of(card))
                    self._take(seat, code_of(card))
                case Moved(seat, source, place):
                    self._look(seat)
                    pile, self._piles[source] = self._piles[source], None
                    if pile is not None:
                        self._lay(pile, place)
                case TurnEnded(seat, timeout):
                    self._end(seat, timeout=timeout)
                case WentOut(seat) | Forfeited(seat):
                    self._playing = tuple(other for other in self._playing if other != seat)

    def _deal(self, event: DealBegan) -> None:
        self._playing = event.seats
        self._stock = event.stock
        for seat in event.seats:
            self.held[seat], self.ever[seat] = [], []
            self._give(seat, self.rules.hand_size, 0)
        for card, place in event.turned:
            self._lay((card, card), place)
            self._shown = with_card(self._shown, code_of(card))

    def _draw(self, seat: int, count: int) -> None:
        start = self.rules.draw == Draw.START
        if not start:
            self._look(seat)
            self._fresh = count
        self._give(seat, count, self._number if start else self._number + 1)
        self._stock -= count

    def _give(self, seat: int, count: int, arrived: int) -> None:
        cards = [_Held(arrived) for _ in range(count)]
        self.held[seat] += cards
        self.ever[seat] += cards

    def _look(self, seat: int) -> None:
        """Keep how the turn of ``seat`` begins, if it is not kept yet."""
        if self._turn is None:
            self._turn = PastTurn(
                seat=seat,
                when=self._number,
                before=table_of(self.rules, self._piles),
                shown=self._shown,
                playing=sum(1 << player for player in self._playing),
                stock=self._stock,
                slots=tuple(tuple(card.passed for card in held) for held in self.held),
            )

    def _lay(self, pile: Ends, place: int) -> None:
        under = self._piles[place]
        self._piles[place] = pile if under is None else (under[0], pile[1])

    def _take(self, seat: int, code: int) -> None:
        """Take the card away that was probably played."""
        held = self.held[seat]
        if held:
            fresh = (at for at, card in enumerate(held) if not card.passed >> code & 1)
            card = held.pop(next(fresh, len(held) - 1))
            card.code = code
            card.left = self._number
            if self._turn is not None:
                self._turn.taken = with_card(self._turn.taken, code)

    def _end(self, seat: int, *, timeout: bool) -> None:
        self._look(seat)
        if self._turn is not None and not timeout:
            self._turn.after = table_of(self.rules, self._piles)
            self.turns.append(self._turn)
        offered = codes_on_offer(self._piles)
        held = self.held[seat]
        for card in held[: len(held) - self._fresh]:
            card.passed |= offered


def codes_on_offer(piles: Iterable[Ends | None]) -> int:
    """Return the codes that fit a pile, as bits."""
    offered = 0
    for pile in piles:
        if pile is not None and pile[1] >> 2:
            offered |= 1 << code_of(pile[1]) - 1
    return offered


def others_turns(replay: Replay, own: Own, public: Public) -> Past:
    """Return the turns of the others, the newest ones, as the kernel remembers them.

    Those of a seat are left out whose cards the events do not add up to, as where a position was
    set up by hand.
    """
    past = new_past()
    turned = []
    for number, seat in enumerate(public.seats):
        if number != own.seat and seat.cards and not seat.known:
            held = replay.ever[number]
            if len(replay.held[number]) == seat.cards:
                turned.append(number)
            else:
                held = [_Held(0)] * seat.cards
            past.many[number] = len(held)
            for at, card in enumerate(held, number * MOST_CARDS):
                past.arrived[at] = card.arrived
                past.left[at] = card.left
                past.code[at] = card.code
    turns = [turn for turn in replay.turns if turn.seat in turned][-MOST_PAST:]
    past.number[0] = len(turns)
    for at, turn in enumerate(turns):
        past.seat[at] = turn.seat
        past.when[at] = turn.when
        past.before[at] = turn.before
        past.after[at] = turn.after
        past.shown[at] = turn.shown
        past.playing[at] = turn.playing
        past.stock[at] = turn.stock
        past.taken[at] = turn.taken
        for other, slots in enumerate(turn.slots, at * SEATS):
            past.held[other] = len(slots)
            for place, passed in enumerate(slots, other * MOST_CARDS):
                past.slots[place] = passed
    return past
