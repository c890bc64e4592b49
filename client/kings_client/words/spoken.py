"""What is happening, in whole sentences to be listened to: no symbols, no columns, short."""

from collections.abc import Iterable, Sequence
from typing import Final

from kings_client.words.cards import the_card
from kings_client.words.events import ENDINGS, MATCH_ENDINGS
from kings_client.words.people import name_of, names_of, plural
from kings_client.words.turns import end_label
from kings_engine import events
from kings_engine.cards import Card
from kings_engine.events import Event, MatchEnding
from kings_engine.places import Place
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_protocol.messages import TableState

PLACE_NAMES: Final = (
    "north", "east", "south", "west", "north-east", "south-east", "south-west", "north-west",
)  # fmt: skip
"""The places by number, as they are spoken."""


def place_name(place: Place) -> str:
    """Return a place's name as it is spoken."""
    return PLACE_NAMES[place]


def cards(several: Iterable[Card]) -> str:
    """Return cards one after another, or ``none``."""
    return ", ".join(map(the_card, several)) or "none"


def either(places: Iterable[Place]) -> str:
    """Return places as a choice: ``east or south``."""
    names = [place_name(place) for place in places]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def capital(text: str) -> str:
    """Return the text with its first letter large and the rest as it was."""
    return text[:1].upper() + text[1:]


def told(
    happened: Sequence[Event], start: int, table: TableState, me: int | None
) -> tuple[str, ...]:
    """Return a sentence for each thing that happened, from the event numbered ``start`` on.

    Beginnings of turns are left out, and ends too where something else of the turn was told.

    Args:
        happened: the deal's events, oldest first; those before ``start`` were told already.
        start: the first event to tell.
        table: who sits where.
        me: one's own seat.
    """
    sentences: list[str] = []
    for at in range(start, len(happened)):
        event = happened[at]
        if isinstance(event, events.TurnEnded):
            if event.timeout:
                whose = "Your" if event.seat == me else f"{name_of(table, event.seat)}'s"
                sentences.append(f"{whose} turn ran out of time.")
            elif event.seat != me and _was_idle(happened[:at]):
                sentences.append(f"{_does(table, event.seat, me, 'pass', 'passes')}.")
        else:
            sentences.extend(_sentences(event, table, me))
    return tuple(sentences)


def _was_idle(before: Sequence[Event]) -> bool:
    """Say whether nothing was told of the turn that ends after ``before``."""
    for event in reversed(before):
        if isinstance(event, events.TurnBegan):
            return True
        if isinstance(event, events.Played | events.Moved | events.Drew):
            return False
    return True


def _does(table: TableState, seat: int, me: int | None, plural_verb: str, verb: str) -> str:
    return f"{name_of(table, seat, me)} {plural_verb if seat == me else verb}"


def _sentences(event: Event, table: TableState, me: int | None) -> Iterable[str]:
    if isinstance(event, events.Drew | events.Played | events.Moved):
        yield _act(event, table, me)
        return
    match event:
        case events.CardsCut() | events.DealerChosen():
            yield from _cut(event, table, me)
        case events.DealBegan():
            yield from _deal_began(event, table, me)
        case events.WentOut(seat=seat):
            yield f"{_does(table, seat, me, 'have', 'has')} no card left and went out."
        case events.Forfeited(seat=seat):
            yield f"{_does(table, seat, me, 'have', 'has')} given up the seat."
        case events.DealEnded():
            yield from _deal_ended(event, table, me)
        case events.Eliminated(seats=seats):
            verb = "is" if len(seats) == 1 and seats[0] != me else "are"
            yield f"{names_of(table, seats, me)} {verb} out of the match."
        case events.MatchEnded():
            yield match_ended(event, table, me)


def _cut(
    event: events.CardsCut | events.DealerChosen, table: TableState, me: int | None
) -> Iterable[str]:
    if isinstance(event, events.CardsCut):
        for seat, card in zip(event.seats, event.cards, strict=True):
            yield f"{_does(table, seat, me, 'cut', 'cuts')} the {the_card(card)}."
    else:
        by_lot = ", by lot" if event.lot else ""
        yield f"{_does(table, event.seat, me, 'deal', 'deals')} first{by_lot}."


def _act(
    event: events.Drew | events.Played | events.Moved, table: TableState, me: int | None
) -> str:
    match event:
        case events.Drew(seat=seat, count=count, cards=drawn):
            what = plural(count, "card") if drawn is None else "the " + cards(drawn)
            return f"{_does(table, seat, me, 'draw', 'draws')} {what}."
        case events.Played(seat=seat, card=card, place=place, from_stock=from_stock):
            source = " from the stock" if from_stock else ""
            plays = _does(table, seat, me, "play", "plays")
            return f"{plays} the {the_card(card)}{source} to {place_name(place)}."
        case events.Moved(seat=seat, source=source, place=place, count=count):
            moves = _does(table, seat, me, "move", "moves")
            size = f", {count} cards," if count > 1 else ""
            return f"{moves} {place_name(source)}{size} to {place_name(place)}."


def _deal_began(event: events.DealBegan, table: TableState, me: int | None) -> Iterable[str]:
    yield f"Deal {event.number} begins. {_does(table, event.dealer, me, 'deal', 'deals')}."
    turned = "; ".join(f"{place_name(place)}, {the_card(card)}" for card, place in event.turned)
    yield f"On the table: {turned}. The stock has {plural(event.stock, 'card')}."
    for seat, hand in enumerate(event.hands):
        if hand is not None:
            whose = "Your hand" if seat == me else f"The hand of {name_of(table, seat, me)}"
            yield f"{whose}: {cards(hand)}."


def _deal_ended(event: events.DealEnded, table: TableState, me: int | None) -> Iterable[str]:
    yield f"Deal {event.number} is over: {ENDINGS[event.ending]}."
    for seat, points in enumerate(event.points):
        if points is not None:
            left = f" for {cards(event.hands[seat])}" if event.hands[seat] else ""
            takes = _does(table, seat, me, "get", "gets")
            yield f"{takes} {plural(points, 'point')}{left}."


def match_ended(event: events.MatchEnded, table: TableState, me: int | None) -> str:
    """Say who won the match."""
    winners, losers = event.winners, event.losers
    if event.ending == MatchEnding.ABANDONED:
        return f"The match is over: {MATCH_ENDINGS[event.ending]}."
    if not winners or len(winners) == len(table.seats):
        result = "it is a draw"
    elif len(winners) > 1:
        result = f"{names_of(table, winners, me)} share the win"
    else:
        result = "you win" if winners[0] == me else f"{name_of(table, winners[0], me)} wins"
    lost = f" {names_of(table, losers, me)} lost it." if losers else ""
    return f"The match is over: {result}.{lost}"


# ---- one's own turn


def offers(own: Own, public: Public) -> str:
    """Say everything that can be played and moved now, and nothing else."""
    parts = []
    if own.plays:
        plays = "; ".join(f"{the_card(card)} to {either(places)}" for card, places in own.plays)
        parts.append(f"You can play: {plays}.")
    if own.stock_plays and public.stock_top is not None:
        top = the_card(public.stock_top)
        parts.append(f"From the stock you can play: {top} to {either(own.stock_plays)}.")
    if own.moves:
        sources = dict.fromkeys(source for source, _ in own.moves)
        moves = "; ".join(
            f"{place_name(source)} to {either(to for at, to in own.moves if at == source)}"
            for source in sources
        )
        parts.append(f"You can move: {moves}.")
    return " ".join(parts)


def turn(own: Own, public: Public, rules: Rules, happened: Sequence[Event], *, new: bool) -> str:
    """Announce one's turn, or after a play of one's own what can be done now.

    Args:
        own: one's hand and what it can do.
        public: the position.
        rules: the table's.
        happened: the deal's events.
        new: whether the turn has only begun.
    """
    parts = ["Your turn."] if new else []
    last = happened[-1] if happened else None
    uncovered = isinstance(last, events.Played) and last.from_stock
    if public.stock_top is not None and (new or uncovered):
        parts.append(f"The stock shows the {the_card(public.stock_top)}.")
    offered = offers(own, public)
    if offered:
        parts.append(offered)
    if not offered:
        label = end_label(rules, public, happened).lower().replace("end turn", "end your turn")
        nothing = "Nothing fits" if new else "Nothing more fits"
        parts.append(f"{nothing}: type end to {label}.")
    elif not own.may_end:
        parts.append("The turn cannot end yet.")
    return " ".join(parts)


def waits_for(public: Public, table: TableState, me: int | None) -> str:
    """Say whose turn it is."""
    if public.turn is None:
        return "no deal is running"
    return "it is your turn" if public.turn == me else f"it is {name_of(table, public.turn)}'s turn"
