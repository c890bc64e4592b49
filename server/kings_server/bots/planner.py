"""The whole-turn planner: every distinct position in which a turn can end, found once each.

A turn is searched on a bare table: of a pile only the bottom and the top card matter. Suits do not
matter for play, only rank and colour, nor does it matter which side or which corner a pile lies on.
So within one turn, in which table and hand together stay the same, the piles, in any order, tell
positions apart. Under corners built in suit, cards count as they are, and so does the hand: which
of two alike lies within a pile is not seen.

What lies under the top of an open stock is not known. A plan may play the top and go on with cards
of the hand, but is followed no further than the top, and made anew when the next card has been
seen.

The engine stays the authority: the tests hold this search to the positions that it reaches.
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from attrs import frozen

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.cards import ALL_KINGS, DECK_SIZE, FITTING, KING, Card, Hand, cards_in, hand_of
from kings_engine.events import Event, Moved, Played, TurnBegan
from kings_engine.moves import ANY_CARD
from kings_engine.places import CORNERS, SIDES, Place, is_corner
from kings_engine.rules import CornerBuild, EmptyPlace, KingPileToCorner, Layout, MustPlay, Rules
from kings_engine.view import Own, Public

MOST_POSITIONS: Final = 1500
"""Positions looked at for one choice, about 30 ms. What is found by then has to do; only hoarded
hands reach it."""

Bare: TypeAlias = tuple[int, ...]
"""The eight places: of each pile ``bottom << 6 | top``, or ``EMPTY``."""

EMPTY: Final = -1
TOP: Final = 0b111111

IN_SUIT: Final[tuple[Hand, ...]] = tuple(1 << top >> 4 for top in range(DECK_SIZE))
"""For each card on top of a corner that is built in suit, the card that goes on it."""

_RANK_AND_COLOUR: Final = ~(2 << 6 | 2)

_CODES: Final = 1 << 12
"""More than any pile's number; the highest ones, and so the negative ones, are of ``EMPTY``."""

_MARKS: Final = tuple(
    tuple(chance.getrandbits(64) for _ in range(_CODES))
    for chance in (random.Random("kings sides"), random.Random("kings corners"))  # noqa: S311
)
"""Of each pile on a side, and in a corner, a number. A position's key is their sum, which does not
depend on the order of the places; two positions of a turn share it by chance in one turn of a
trillion, and then one of them is overlooked."""

_PLAYED: Final = tuple(random.Random(f"kings {card}").getrandbits(64) for card in range(DECK_SIZE))  # noqa: S311
"""Of each card a number that the key gains when it is played, where cards count as they are."""

_VACATED: Final = 1 << 70
"""What a place that takes any card this turn adds to the key, beyond all sums of marks."""

_TAKEN: Final = 1 << 80
"""What is added when the open stock's top has been played, beyond everything else."""

Path: TypeAlias = "tuple[Path, SeatAction] | None"
Node: TypeAlias = tuple[Bare, Hand, int, int, Path]
"""A position on the way: piles, hand, places vacated, its key, and how it was reached."""


@frozen
class Plan:
    """One way to end the turn.

    Attributes:
        piles: the table that it leaves.
        hand: the cards that it leaves in hand, before any draw.
        acted: whether anything was played or moved in the turn, also before the plan.
        played: whether a card of the hand was.
        path: the actions that lead there, the last one first.
        goes_on: whether it plays the open stock's top, after which more is known.
    """

    piles: Bare
    hand: Hand
    acted: bool
    played: bool
    path: Path
    goes_on: bool = False

    @property
    def actions(self) -> tuple[SeatAction, ...]:
        """The actions in order, without the end of the turn; none to end it at once."""
        actions = []
        path = self.path
        while path is not None:
            path, action = path
            actions.append(action)
        return tuple(reversed(actions))

    @property
    def turn(self) -> tuple[SeatAction, ...]:
        """What to do before more is known: the actions in order, and the end unless it comes."""
        actions = self.actions
        if self.goes_on:
            return actions[: 1 + next(at for at, a in enumerate(actions) if type(a) is PlayStock)]
        return (*actions, EndTurn()) if self.hand else actions


class Planner:
    """One turn of one seat, to be searched."""

    def __init__(
        self, own: Own, public: Public, history: tuple[Event, ...], rules: Rules, missed: Hand = 0
    ) -> None:
        """Prepare for a turn.

        Args:
            own: what the seat on turn holds.
            public: the table.
            history: the deal's events, of which this turn's count.
            rules: the table's rules.
            missed: cards that the seat overlooks; it plays none of them.
        """
        self._rules = rules
        self._piles = bare(public.piles)
        self._hand = hand_of(own.hand)
        self._vacated = sum(1 << place for place in public.vacated)
        self._acted, self._played = done_in_turn(history)
        self._stock_top = public.stock_top
        self._seen = ~missed
        self._suited = rules.corner_build == CornerBuild.SUIT
        self._marked = ~0 if self._suited else _RANK_AND_COLOUR
        self._keeps_vacated = rules.empty_place == EmptyPlace.VACATED
        self._takes_on = _takes_on(rules)
        self._kings_move = rules.layout == Layout.CROSS and (
            rules.king_pile_to_corner == KingPileToCorner.ANYTIME
            or (rules.king_pile_to_corner == KingPileToCorner.OPENING and not public.turn_number)
        )

    def plans(self, most: int = MOST_POSITIONS) -> list[Plan]:
        """Return the ways to end the turn, one for each distinct position.

        At most ``most`` positions are looked at, those with more plays first. There is no plan
        only where the rules do not let the turn end without a card that is overlooked.
        """
        found: list[Plan] = []
        first = self._key()
        seen = {first}
        waiting: list[Node] = [(self._piles, self._hand, self._vacated, first, None)]
        while waiting:
            piles, hand, vacated, key, path = waiting.pop()
            takes = self._takes(piles, vacated)
            moves = self._moves(piles, takes)
            top = None if key >= _TAKEN else self._stock_top
            if self._may_end(piles, hand, takes, moves, top):
                acted = self._acted or path is not None
                played = self._played or hand != self._hand
                found.append(Plan(piles, hand, acted, played, path, key >= _TAKEN))
            for node in self._steps((piles, hand, vacated, key, path), takes, moves, top):
                after, left, _, key, path = node
                if not left:
                    found.append(Plan(after, 0, True, True, path, key >= _TAKEN))
                elif key not in seen and len(seen) < most:
                    seen.add(key)
                    waiting.append(node)
        return found

    def _steps(
        self, node: Node, takes: list[Hand], moves: list[tuple[Place, Place]], top: Card | None
    ) -> Iterator[Node]:
        """Yield the positions one move or play further; ``top`` is the open stock's, if known."""
        piles, hand, vacated, _, path = node
        if top is not None and self._seen >> top & 1:
            for _, place in self._plays(piles, 1 << top, takes, vacated):
                after, _, filled, key, _ = self._laid(node, top, place)
                yield after, hand, filled, key + _TAKEN, (path, PlayStock(place))
        for source, place in moves:
            if self._seen >> (piles[source] >> 6) & 1:
                yield self._moved(node, source, place)
        for card, place in self._plays(piles, hand & self._seen, takes, vacated):
            yield self._laid(node, card, place)

    def _takes(self, piles: Bare, vacated: int) -> list[Hand]:
        """Return the cards that each place takes; the engine's ``moves.accepts``, on bare piles."""
        takes = [on[pile] for on, pile in zip(self._takes_on, piles, strict=True)]
        if vacated:
            for place, pile in enumerate(piles):
                if pile == EMPTY and vacated >> place & 1 and takes[place]:
                    takes[place] = ANY_CARD
        return takes

    def _moves(self, piles: Bare, takes: list[Hand]) -> list[tuple[Place, Place]]:
        """Return the moves of piles; of several empty corners, the first stands for all."""
        bottoms = 0
        for pile in piles:
            if pile != EMPTY:
                bottoms |= 1 << (pile >> 6)
        moves = [
            (source, place)
            for place, taken in enumerate(takes)
            if taken & bottoms and piles[place] != EMPTY
            for source, pile in enumerate(piles)
            if pile != EMPTY and taken >> (pile >> 6) & 1
        ]
        if self._kings_move and bottoms & ALL_KINGS and EMPTY in piles[4:]:
            corner = piles.index(EMPTY, 4)
            moves += [(source, corner) for source in SIDES if piles[source] >> 8 == KING]
        if self._suited:
            moves = [
                (source, place)
                for source, place in moves
                if not (is_corner(place) and piles[source] >> 6 != piles[source] & TOP)
            ]
        return moves

    def _moved(self, node: Node, source: Place, place: Place) -> Node:
        """Return the position after the move of a pile."""
        piles, hand, vacated, key, path = node
        pile, under = piles[source], piles[place]
        joined = pile if under == EMPTY else under & ~TOP | pile & TOP
        after = list(piles)
        after[source], after[place] = EMPTY, joined
        key += self._mark(source, EMPTY) - self._mark(source, pile)
        key += self._mark(place, joined) - self._mark(place, under)
        if self._keeps_vacated:
            vacated |= 1 << source
            key += _VACATED
        return tuple(after), hand, vacated, key, (path, Move(source, place))

    def _laid(self, node: Node, card: Card, place: Place) -> Node:
        """Return the position after the play of a card."""
        piles, hand, vacated, key, path = node
        under = piles[place]
        pile = _with_card(under, card)
        key += self._mark(place, pile) - self._mark(place, under)
        if vacated >> place & 1:
            vacated ^= 1 << place
            key -= _VACATED
        if self._suited:
            key += _PLAYED[card]
        after = (*piles[:place], pile, *piles[place + 1 :])
        return after, hand ^ 1 << card, vacated, key, (path, Play(card, place))

    def _plays(
        self, piles: Bare, hand: Hand, takes: list[Hand], vacated: int
    ) -> Iterator[tuple[Card, Place]]:
        """Yield the plays; of several empty places that take the same, the first stands for all."""
        empty: set[tuple[bool, int]] = set()
        for place, taken in enumerate(takes):
            fitting = taken & hand
            if fitting:
                if piles[place] == EMPTY:
                    kind = is_corner(place), vacated >> place & 1
                    if kind in empty:
                        continue
                    empty.add(kind)
                for card in cards_in(fitting):
                    yield card, place

    def _may_end(
        self,
        piles: Bare,
        hand: Hand,
        takes: list[Hand],
        moves: list[tuple[Place, Place]],
        top: Card | None,
    ) -> bool:
        rules = self._rules
        if rules.forced_kings and hand & ALL_KINGS:
            for place in CORNERS:
                if piles[place] == EMPTY and takes[place] & hand & ALL_KINGS:
                    return False
        if rules.must_play == MustPlay.OFF:
            return True
        wanted = hand
        if rules.must_play == MustPlay.ANY:
            if moves:
                return False
            wanted |= 0 if top is None else 1 << top
        return not any(taken & wanted for taken in takes)

    def _key(self) -> int:
        """Return the key of the position in which the search begins."""
        marks = sum(self._mark(place, pile) for place, pile in enumerate(self._piles))
        return marks + _VACATED * self._vacated.bit_count()

    def _mark(self, place: Place, pile: int) -> int:
        return _MARKS[place >= 4][pile & self._marked]


def bare(piles: tuple[tuple[Card, ...], ...]) -> Bare:
    """Return what matters of ``piles``."""
    return tuple(pile[0] << 6 | pile[-1] if pile else EMPTY for pile in piles)


def _with_card(under: int, card: Card) -> int:
    return card << 6 | card if under == EMPTY else under & ~TOP | card


@lru_cache
def _takes_on(rules: Rules) -> tuple[tuple[Hand, ...], ...]:
    """Return for each place the cards that it takes with each pile, and with none.

    An empty place that was vacated this turn takes any card instead.
    """
    side = [FITTING[code & TOP] if code & TOP < DECK_SIZE else 0 for code in range(_CODES)]
    corner = [IN_SUIT[code & TOP] if code & TOP < DECK_SIZE else 0 for code in range(_CODES)]
    if rules.corner_build != CornerBuild.SUIT:
        corner = list(side)
    filling = {
        EmptyPlace.ANY: ANY_CARD,
        EmptyPlace.NOT_KING: ANY_CARD & ~ALL_KINGS,
        EmptyPlace.VACATED: ALL_KINGS,
    }[rules.empty_place]
    crossed = rules.layout == Layout.CROSS
    side[EMPTY] = filling if crossed else 0
    corner[EMPTY] = ALL_KINGS if crossed else filling
    return (tuple(side),) * len(SIDES) + (tuple(corner),) * len(CORNERS)


def done_in_turn(history: tuple[Event, ...]) -> tuple[bool, bool]:
    """Say whether anything was played or moved in this turn, and whether a card of the hand was."""
    acted = played = False
    for event in reversed(history):
        if isinstance(event, TurnBegan):
            break
        if isinstance(event, Played | Moved):
            acted = True
            played = played or (isinstance(event, Played) and not event.from_stock)
    return acted, played
