"""What is under the cursor and what is picked up: a value of its own, apart from the position.

Cards and piles are kept by what they are, not by where they are drawn, so that nothing jumps when
the position changes; ``settled`` mends what a new position has taken away.
"""

from attrs import evolve, field, frozen

from kings_client.parts.canvas import OnCard, OnPlace, OnStock
from kings_client.parts.hand import HandMarks, HandOrder, arranged
from kings_client.parts.piles import GRID, Marks, places_of
from kings_engine.actions import Move, Play, PlayStock, SeatAction
from kings_engine.cards import Card
from kings_engine.places import Place
from kings_engine.rules import Rules
from kings_engine.view import Own, Public, View

Held = OnCard | OnPlace | OnStock


@frozen
class Selection:
    """Where the keyboard is.

    Attributes:
        card: the card that the cursor is on, or will return to.
        spot: the pile or stock that the cursor is on; nothing while it is in the hand.
        picked: what was picked up.
        aim: the target that Enter would play it to.
        order: how the hand lies.
    """

    card: Card | None = None
    spot: OnPlace | OnStock | None = None
    picked: Held | None = None
    aim: Place | None = None
    order: HandOrder = field(factory=HandOrder)


def reading_order(place: Place) -> tuple[int, int]:
    """Return what sorts places from left to right, row by row."""
    column, row = GRID[place]
    return row, column


def targets(own: Own | None, picked: Held | None) -> tuple[Place, ...]:
    """Return the places that take what is picked, in reading order."""
    found: tuple[Place, ...] = ()
    if own is not None:
        match picked:
            case OnCard(card):
                found = dict(own.plays).get(card, ())
            case OnPlace(source):
                found = tuple(place for start, place in own.moves if start == source)
            case OnStock():
                found = own.stock_plays
    return tuple(sorted(found, key=reading_order))


def movable(own: Own | None) -> tuple[Place, ...]:
    """Return the piles that can be moved, in reading order."""
    if own is None:
        return ()
    return tuple(sorted({source for source, _ in own.moves}, key=reading_order))


def settled(selection: Selection, view: View | None) -> Selection:
    """Return the selection with what is gone taken out of it."""
    own = None if view is None else view.own
    if view is None or own is None:
        return Selection(order=evolve(selection.order, by_hand=()))
    order = evolve(selection.order, by_hand=_still_held(selection.order, own))
    card = _card_left(selection, own)
    spot, picked = selection.spot, selection.picked
    if isinstance(spot, OnPlace) and not view.public.piles[spot.place]:
        spot = None
    if not targets(own, picked):
        picked = None
    return aimed(evolve(selection, card=card, spot=spot, picked=picked, order=order), own)


def pointed(selection: Selection, hint: SeatAction) -> Selection:
    """Return the selection with the cursor where a hint points."""
    match hint:
        case Play(card=card):
            return evolve(selection, card=card, spot=None, picked=None, aim=None)
        case Move(source=source):
            return evolve(selection, spot=OnPlace(source), picked=None, aim=None)
        case PlayStock():
            return evolve(selection, spot=OnStock(), picked=None, aim=None)
    return evolve(selection, picked=None, aim=None)


def aimed(selection: Selection, own: Own | None) -> Selection:
    """Return the selection with its aim at a target: the same as before, or else the first."""
    possible = targets(own, selection.picked)
    if selection.aim in possible:
        return selection
    return evolve(selection, aim=possible[0] if possible else None)


def _still_held(order: HandOrder, own: Own) -> tuple[Card, ...]:
    """Return the cards laid by hand that are left; new ones have joined them at the right."""
    laid = any(card in own.hand for card in order.by_hand)
    return arranged(own.hand, order) if laid else ()


def _card_left(selection: Selection, own: Own) -> Card | None:
    """Return the card under the cursor, or the one that took its place in the hand."""
    card, ordered = selection.card, arranged(own.hand, selection.order)
    if card in ordered or not ordered:
        return card if ordered else None
    if card is None:
        playable = dict(own.plays)
        return next((one for one in ordered if one in playable), ordered[0])
    before = arranged((*own.hand, card), selection.order)
    return ordered[min(before.index(card), len(ordered) - 1)]


def along_hand(selection: Selection, own: Own, step: int) -> Selection:
    """Move the cursor along the hand; it stops at the ends."""
    ordered = arranged(own.hand, selection.order)
    if not ordered:
        return selection
    at = ordered.index(selection.card) if selection.card in ordered else 0
    return evolve(selection, card=ordered[min(max(at + step, 0), len(ordered) - 1)], spot=None)


def shifted(selection: Selection, own: Own, step: int) -> Selection:
    """Move the card under the cursor along the hand, past ``step`` others."""
    ordered = arranged(own.hand, selection.order)
    if selection.card not in ordered:
        return selection
    at = ordered.index(selection.card)
    return laid_at(selection, own, selection.card, ordered[(at + step) % len(ordered)])


def laid_at(selection: Selection, own: Own, card: Card, other: Card) -> Selection:
    """Lay a card of the hand where another one lies; those between make room."""
    ordered = list(arranged(own.hand, selection.order))
    if card not in ordered or other not in ordered:
        return selection
    place = ordered.index(other)
    ordered.remove(card)
    ordered.insert(place, card)
    order = evolve(selection.order, by_hand=tuple(ordered))
    return evolve(selection, card=card, spot=None, order=order)


def to_next_playable(selection: Selection, own: Own) -> Selection:
    """Move the cursor to the next card that can be played, round and round."""
    ordered = arranged(own.hand, selection.order)
    playable = dict(own.plays)
    at = ordered.index(selection.card) if selection.card in ordered else -1
    after = [*ordered[at + 1 :], *ordered[: at + 1]]
    card = next((one for one in after if playable.get(one)), selection.card)
    return evolve(selection, card=card, spot=None)


def along_targets(selection: Selection, own: Own, step: int) -> Selection:
    """Aim at the next target of what is picked, round and round."""
    possible = targets(own, selection.picked)
    if not possible:
        return selection
    at = possible.index(selection.aim) if selection.aim in possible else 0
    return evolve(selection, aim=possible[(at + step) % len(possible)])


def stops(view: View, rules: Rules) -> tuple[OnPlace | OnStock, ...]:
    """Return what Tab goes through after the hand: the movable piles, or else every pile."""
    piles = movable(view.own) or tuple(
        sorted((one for one in places_of(rules) if view.public.piles[one]), key=reading_order)
    )
    stock = (OnStock(),) if view.public.stock_top is not None else ()
    return (*map(OnPlace, piles), *stock)


def through_stops(selection: Selection, view: View, rules: Rules, step: int) -> Selection:
    """Move the cursor from the hand to the piles and on, and back to the hand after the last."""
    ring: list[OnPlace | OnStock | None] = [None, *stops(view, rules)]
    at = ring.index(selection.spot) if selection.spot in ring else 0
    return evolve(selection, spot=ring[(at + step) % len(ring)])


def across_table(selection: Selection, public: Public, rules: Rules, dx: int, dy: int) -> Selection:
    """Move the cursor from a pile or the stock to the nearest one in a direction."""
    spots: dict[tuple[int, int], OnPlace | OnStock] = {
        GRID[place]: OnPlace(place) for place in places_of(rules) if public.piles[place]
    }
    if public.stock_top is not None:
        spots[1, 1] = OnStock()
    here = GRID[selection.spot.place] if isinstance(selection.spot, OnPlace) else (1, 1)
    ahead = []
    for column, row in spots:
        along = (column - here[0]) * dx + (row - here[1]) * dy
        aside = abs((column - here[0]) * dy) + abs((row - here[1]) * dx)
        if along > 0:
            # What lies straight ahead is nearer than what lies aside.
            ahead.append((along + 3 * aside, row, column))
    if ahead:
        _, row, column = min(ahead)
        return evolve(selection, spot=spots[column, row])
    return evolve(selection, spot=None) if dy > 0 else selection


def table_marks(selection: Selection, own: Own | None) -> Marks:
    """Return what is marked on the table."""
    cursor = selection.spot
    if selection.picked is not None and selection.aim is not None:
        cursor = OnPlace(selection.aim)
    return Marks(
        cursor=cursor if own is not None else None,
        picked=selection.picked,
        targets=frozenset(targets(own, selection.picked)),
        movable=frozenset(movable(own)),
        stock_playable=own is not None and bool(own.stock_plays),
    )


def hand_marks(selection: Selection, own: Own) -> HandMarks:
    """Return what is marked in the hand."""
    in_hand = selection.spot is None and selection.picked is None and selection.card is not None
    playable = frozenset(card for card, places in own.plays if places)
    return HandMarks(
        cursor=OnCard(selection.card) if in_hand and selection.card is not None else None,
        picked=selection.picked,
        playable=playable if selection.picked is None else frozenset(),
    )
