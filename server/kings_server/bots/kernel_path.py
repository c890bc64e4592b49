"""From positions that the kernel found back to actions: which cards and places lead there."""

from collections.abc import Iterator

from attrs import evolve, frozen

from kings_engine.actions import EndTurn, Move, Play, SeatAction
from kings_engine.cards import Card
from kings_engine.moves import places
from kings_engine.places import Place
from kings_engine.rules import EmptyPlace, Rules
from kings_engine.view import Own, Public
from kings_server.bots.kernel_reading import Ends, code_of, codes_of, ends_of, table_of
from kings_server.bots.kernel_turn import Tree


@frozen
class _Position:
    """A position within a turn: what matters of each place, the hand, the places vacated."""

    piles: tuple[Ends | None, ...]
    hand: tuple[Card, ...]
    vacated: frozenset[Place]


def actions_to(
    tree: Tree, end: int, own: Own, public: Public, rules: Rules
) -> tuple[SeatAction, ...]:
    """Return the actions of the turn up to ``end``, and the end of the turn if it has to be said.

    Args:
        tree: the search that found it, from this position on.
        end: the position to reach.
        own: what the seat on turn holds.
        public: the table.
        rules: the table's rules.
    """
    position = _Position(ends_of(public.piles), own.hand, frozenset(public.vacated))
    actions: list[SeatAction] = []
    for node in _way(tree, end):
        table = int(tree.table[node])
        action, position = next(
            (action, after)
            for action, after in _steps(position, int(tree.hand[node]), rules)
            if table_of(rules, after.piles, len(after.vacated)) == table
        )
        actions.append(action)
    return (*actions, EndTurn()) if position.hand else tuple(actions)


def _way(tree: Tree, end: int) -> list[int]:
    """Return the positions on the way to ``end``, without the first."""
    way = []
    while end > 0:
        way.append(end)
        end = int(tree.parent[end])
    return way[::-1]


def _steps(position: _Position, hand: int, rules: Rules) -> Iterator[tuple[SeatAction, _Position]]:
    """Yield the actions, legal or not, that leave ``hand``, and where they lead."""
    known = places(rules)
    piles = position.piles
    gone = codes_of(position.hand) ^ hand
    played = [card for card in position.hand if gone and code_of(card) == _code_in(gone)]
    for place in known:
        for card in played:
            under = piles[place]
            yield (
                Play(card, place),
                _Position(
                    _with(piles, place, (card if under is None else under[0], card)),
                    tuple(other for other in position.hand if other != card),
                    position.vacated - {place},
                ),
            )
    opens = rules.empty_place == EmptyPlace.VACATED
    for source in () if gone else known:
        moved = piles[source]
        for place in known:
            if moved is not None and place != source:
                under = piles[place]
                after = _with(piles, place, (moved[0] if under is None else under[0], moved[1]))
                vacated = position.vacated | {source} if opens else position.vacated
                yield (
                    Move(source, place),
                    evolve(position, piles=_with(after, source, None), vacated=vacated),
                )


def _code_in(gone: int) -> int:
    """Return the code of the one card by which two hands differ."""
    return gone.bit_length() - 1 & 31


def _with(
    piles: tuple[Ends | None, ...], place: Place, pile: Ends | None
) -> tuple[Ends | None, ...]:
    return (*piles[:place], pile, *piles[place + 1 :])
