"""What can be done now, in words: the label of the button that ends a turn, and hints for cards."""

from collections.abc import Sequence

from kings_client.turn_end import TurnEnd, turn_end
from kings_client.words import counts
from kings_client.words.cards import the_card, wanted
from kings_client.words.tongue import any_of, tell, tell_as, tell_some
from kings_engine.actions import Move, Play, PlayStock, SeatAction
from kings_engine.cards import KING, Card
from kings_engine.events import Event
from kings_engine.places import is_corner, place_str
from kings_engine.rules import Draw, EmptyPlace, Layout, Rules
from kings_engine.view import Public


def end_label(rules: Rules, public: Public, happened: Sequence[Event]) -> str:
    """Return what ending the turn will do: draw and end it, end it, or pass.

    Args:
        rules: the table's.
        public: the position.
        happened: the deal's events, as far as known.
    """
    end = turn_end(rules, public, happened)
    if end.draws:
        return tell_some("Draw and end turn", "Draw {count} and end turn", end.draws)
    return tell("Pass") if not end.acted and rules.draw != Draw.END else tell("End turn")


def end_short(label: str) -> tuple[str, ...]:
    """Return what the button that ends the turn says instead of ``label`` in less and less room."""
    if label == tell("Pass"):
        return (label,)
    return tell_as("short", "End turn"), tell_as("shortest", "End")


def why_not(card: Card, name: str, rules: Rules, public: Public) -> str:
    """Say what a card of one's hand, which can go nowhere now, would need.

    Args:
        card: the card.
        name: how the table shows it.
        rules: the table's.
        public: the position.
    """
    if card >> 2 == KING and rules.layout == Layout.CROSS:
        taken = all(pile for at, pile in enumerate(public.piles) if is_corner(at))
        if taken:
            return tell("{name} needs an empty corner; all are taken", name=name)
        return tell("{name} needs an empty corner", name=name)
    if card >> 2 == KING:
        return tell("{name} needs an empty place", name=name)
    on = wanted(card)
    if rules.empty_place == EmptyPlace.VACATED:
        return tell("{name} needs a {wanted}, or a place just emptied", name=name, wanted=on)
    if rules.layout == Layout.CORNERS:
        return tell("{name} needs a {wanted}, or an empty place", name=name, wanted=on)
    return tell("{name} needs a {wanted}, or an empty side", name=name, wanted=on)


def your_turn(playable: int, movable: int) -> str:
    """Say how much can be done."""
    cards, piles = counts.cards(playable), counts.piles(movable)
    if playable and movable:
        return tell("Your turn: {cards} can be played, {piles} can move", cards=cards, piles=piles)
    if playable:
        return tell("Your turn: {cards} can be played", cards=cards)
    if movable:
        return tell("Your turn: no card fits, but {piles} can move", piles=piles)
    return tell("Your turn: nothing fits")


def hint(action: SeatAction, name: str) -> str:
    """Say what a good player might do.

    Args:
        action: the hint.
        name: how the table shows the card that it is about, if it is about one.
    """
    match action:
        case Play(place=place):
            return tell("Hint: {name} to {place}", name=name, place=place_str(place))
        case Move(source=source, place=place):
            return tell(
                "Hint: move the pile on {source} to {place}",
                source=place_str(source),
                place=place_str(place),
            )
        case PlayStock(place=place):
            return tell("Hint: the stock's top card to {place}", place=place_str(place))
    return tell("Hint: end your turn")


def ends_deal() -> str:
    """Say that the deal ends with the turn."""
    return tell("Your turn: ending it ends the deal")


def surely(label: str, *, deal: bool) -> str:
    """Ask once more before the turn ends.

    Args:
        label: what the button says.
        deal: whether the deal ends with the turn.
    """
    if deal:
        return tell("This ends the deal. Once more to be sure: {label}", label=label)
    return tell("Once more to be sure: {label}", label=label)


def no_draw(end: TurnEnd, rules: Rules, stock: int) -> str:
    """Say why the turn's end would draw nothing."""
    if end.drew or (rules.draw == Draw.START and stock):
        return tell("you have drawn already")
    if not stock:
        return tell("the stock is empty")
    if rules.draw == Draw.AFTER_HAND_CARD:
        return tell("you draw only after playing a card of your hand")
    return tell("you played or moved, so you draw nothing")


def hand_sorted(sorting: str) -> str:
    """Say how the hand is sorted now."""
    ways = {
        "rank": tell("your hand is sorted by rank"),
        "colour": tell("your hand is sorted by colour"),
        "suit": tell("your hand is sorted by suit"),
    }
    return ways[sorting]


def goes_on(card: Card, places: Sequence[int]) -> str:
    """Say where a picked card goes."""
    return tell("the {card} goes to {places}", card=the_card(card), places=_or(places))


def pile_goes_on(source: int, places: Sequence[int]) -> str:
    """Say where a picked pile goes."""
    return tell(
        "the pile on {source} goes to {places}", source=place_str(source), places=_or(places)
    )


def stock_goes_on(places: Sequence[int]) -> str:
    """Say where the picked top card of the stock goes."""
    return tell("the stock's top card goes to {places}", places=_or(places))


def _or(places: Sequence[int]) -> str:
    return any_of(map(place_str, places))
