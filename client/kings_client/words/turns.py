"""What can be done now, in words: the label of the button that ends a turn, and hints for cards."""

from collections.abc import Sequence

from kings_client.words.cards import article, the_card, wanted
from kings_client.words.people import name_of, plural
from kings_engine.actions import Move, Play, PlayStock, SeatAction
from kings_engine.cards import KING, Card
from kings_engine.events import Event, Moved, Played, TurnBegan, TurnEnded
from kings_engine.places import is_corner, place_str
from kings_engine.rules import Draw, EmptyPlace, Layout, Rules
from kings_engine.view import Public
from kings_protocol.messages import TableState


def end_label(rules: Rules, public: Public, happened: Sequence[Event]) -> str:
    """Return what ending the turn will do: draw and end it, end it, or pass.

    Args:
        rules: the table's.
        public: the position.
        happened: the deal's events, as far as known.
    """
    played_hand, acted = _this_turn(happened)
    draws = public.stock > 0 and (
        rules.draw == Draw.END
        or (rules.draw == Draw.AFTER_HAND_CARD and played_hand)
        or (rules.draw == Draw.IF_IDLE and not acted)
    )
    if draws:
        count = min(rules.draw_count, public.stock)
        return "Draw and end turn" if count == 1 else f"Draw {count} and end turn"
    return "Pass" if not acted and rules.draw != Draw.END else "End turn"


def end_word(label: str) -> str:
    """Return the label in one word, for when there is no room for more."""
    return label.split(maxsplit=1)[0]


def _this_turn(happened: Sequence[Event]) -> tuple[bool, bool]:
    """Say whether a card of the hand was played since the turn began, and anything at all."""
    played_hand = acted = False
    for event in reversed(happened):
        if isinstance(event, TurnBegan):
            break
        acted = acted or isinstance(event, Played | Moved)
        played_hand = played_hand or (isinstance(event, Played) and not event.from_stock)
    return played_hand, acted


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
        return f"{name} needs an empty corner" + ("; all are taken" if taken else "")
    if card >> 2 == KING:
        return f"{name} needs an empty place"
    place = "a place just emptied" if rules.empty_place == EmptyPlace.VACATED else "an empty side"
    return f"{name} needs {article(wanted(card))}, or {place}"


def your_turn(playable: int, movable: int) -> str:
    """Say how much can be done."""
    cards, piles = plural(playable, "card"), plural(movable, "pile")
    if playable and movable:
        return f"Your turn: {cards} can be played, {piles} can move"
    if playable:
        return f"Your turn: {cards} can be played"
    if movable:
        return f"Your turn: no card fits, but {piles} can move"
    return "Your turn: nothing fits"


def hint(action: SeatAction, name: str) -> str:
    """Say what a good player might do.

    Args:
        action: the hint.
        name: how the table shows the card that it is about, if it is about one.
    """
    match action:
        case Play(place=place):
            return f"Hint: {name} to {place_str(place)}"
        case Move(source=source, place=place):
            return f"Hint: move the pile on {place_str(source)} to {place_str(place)}"
        case PlayStock(place=place):
            return f"Hint: the stock's top card to {place_str(place)}"
    return "Hint: end your turn"


def meanwhile(happened: Sequence[Event], table: TableState, me: int) -> str:
    """Tell in one line what the others did, each in few words."""
    counts: dict[int, list[int]] = {}
    for event in happened:
        if isinstance(event, Played | Moved | TurnEnded) and event.seat != me:
            counts.setdefault(event.seat, [0, 0])[isinstance(event, Moved)] += not isinstance(
                event, TurnEnded
            )
    told = [_did(name_of(table, seat, me), *count) for seat, count in counts.items()]
    return f"Meanwhile: {'; '.join(told)}" if told else ""


def _did(who: str, played: int, moved: int) -> str:
    cards, piles = plural(played, "card"), plural(moved, "pile")
    if played and moved:
        return f"{who} played {cards} and moved {piles}"
    if played:
        return f"{who} played {cards}"
    return f"{who} moved {piles}" if moved else f"{who} played nothing"


def surely(label: str) -> str:
    """Ask once more before the turn ends; ``label`` is what the button says."""
    return f"Once more to be sure: {label}"


def hand_sorted(sorting: str) -> str:
    """Say how the hand is sorted now."""
    ways = {
        "rank": "your hand is sorted by rank",
        "colour": "your hand is sorted by colour",
        "suit": "your hand is sorted by suit",
    }
    return ways[sorting]


def goes_on(card: Card, places: Sequence[int]) -> str:
    """Say where a picked card goes."""
    return f"the {the_card(card)} goes to {_or(places)}"


def pile_goes_on(source: int, places: Sequence[int]) -> str:
    """Say where a picked pile goes."""
    return f"the pile on {place_str(source)} goes to {_or(places)}"


def _or(places: Sequence[int]) -> str:
    names = [place_str(place) for place in places]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
