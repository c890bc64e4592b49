"""What a deal's events tell: what each card in a hand was not played as, and how others played.

Which of its unknown cards a seat has played is guessed as ``beliefs.passed_up`` does: the oldest of
which that face had not been passed up before. So every card of a hand has an age, and what a hand
was at an earlier turn follows from what it is now and from what was played since.
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
from kings_server.bots.kernel_worlds import MOST_PAST, Past, new_past


@define
class _Held:
    """An unknown card: what it was passed up as, in codes, and what it turned out to be."""

    passed: int = 0
    code: int = 0


@define
class PastTurn:
    """A turn as everybody saw it: how it began, and the table in which it ended."""

    seat: int
    before: int
    shown: int
    playing: int
    stock: int
    held: tuple[_Held, ...]
    slots: tuple[tuple[int, ...], ...]
    after: int = 0
    taken: int = 0


@define
class Replay:
    """A deal played again from its events.

    Attributes:
        rules: the table's rules.
        held: the cards that each seat still holds, the oldest first.
        turns: the turns that ended by their seat's will.
    """

    rules: Rules
    held: list[list[_Held]]
    turns: list[PastTurn] = field(factory=list)
    _piles: list[Ends | None] = field(factory=lambda: [None] * PLACE_COUNT)
    _shown: int = 0
    _playing: tuple[int, ...] = ()
    _stock: int = 0
    _turn: PastTurn | None = None
    _fresh: int = 0

    def follow(self, events: Iterable[Event]) -> None:
        """Play the events again."""
        for event in events:
            match event:
                case DealBegan():
                    self._deal(event)
                case TurnBegan():
                    self._turn = None
                    self._fresh = 0
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
            self.held[seat] = [_Held() for _ in range(self.rules.hand_size)]
        for card, place in event.turned:
            self._lay((card, card), place)
            self._shown = with_card(self._shown, code_of(card))

    def _draw(self, seat: int, count: int) -> None:
        if self.rules.draw != Draw.START:
            self._look(seat)
            self._fresh = count
        self.held[seat] += [_Held() for _ in range(count)]
        self._stock -= count

    def _look(self, seat: int) -> None:
        """Keep how the turn of ``seat`` begins, if it is not kept yet."""
        if self._turn is None:
            self._turn = PastTurn(
                seat=seat,
                before=table_of(self.rules, self._piles),
                shown=self._shown,
                playing=sum(1 << player for player in self._playing),
                stock=self._stock,
                held=tuple(self.held[seat]),
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
    whole = [len(held) == seat.cards for held, seat in zip(replay.held, public.seats, strict=True)]
    turns = [turn for turn in replay.turns if turn.seat != own.seat and whole[turn.seat]]
    turns = turns[-MOST_PAST:]
    past.number[0] = len(turns)
    for at, turn in enumerate(turns):
        past.seat[at] = turn.seat
        past.before[at] = turn.before
        past.after[at] = turn.after
        past.shown[at] = turn.shown
        past.playing[at] = turn.playing
        past.stock[at] = turn.stock
        for card in turn.held:
            if card.code:
                past.fixed[at] = with_card(past.fixed[at], card.code)
            else:
                past.olds[at] += 1
        past.taken[at] = turn.taken
        for seat, slots in enumerate(turn.slots, at * SEATS):
            past.held[seat] = len(slots)
            for number, passed in enumerate(slots, seat * MOST_CARDS):
                past.slots[number] = passed
    return past
