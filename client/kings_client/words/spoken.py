"""What is happening, in whole sentences to be listened to: no symbols, no columns, short."""

from collections.abc import Iterable, Sequence
from typing import Final

from kings_client.turn_end import turn_end
from kings_client.words import counts
from kings_client.words.cards import the_card
from kings_client.words.events import ENDINGS, MATCH_ENDINGS
from kings_client.words.people import name_of, names_of
from kings_client.words.tongue import (
    CASES,
    Worded,
    any_of,
    later,
    later_noun,
    listed,
    noun,
    tell,
    tell_some,
)
from kings_client.words.turns import end_label
from kings_engine import events
from kings_engine.cards import Card
from kings_engine.events import Event, MatchEnding
from kings_engine.places import Place
from kings_engine.rules import Rules
from kings_engine.view import Own, Public
from kings_protocol.messages import TableState

_PLACES: Final = (
    later_noun("place", "north"),
    later_noun("place", "east"),
    later_noun("place", "south"),
    later_noun("place", "west"),
    later_noun("place", "north-east"),
    later_noun("place", "south-east"),
    later_noun("place", "south-west"),
    later_noun("place", "north-west"),
)

PLACE_NAMES: Final = tuple(name for _, name in _PLACES)
"""The places by number, as they are typed in English."""


def place_words() -> dict[str, Place]:
    """Return the words for places in the language in use, in every case, with their places."""
    named = {place: place_name(place) for place in range(len(_PLACES))}
    return {format(word, case): at for case in ("", *CASES) for at, word in named.items()}


def place_name(place: Place) -> Worded:
    """Return a place's name as it is spoken."""
    return noun(_PLACES[place])


def cards(several: Iterable[Card]) -> str:
    """Return cards one after another, or ``none``."""
    return listed(map(the_card, several)) or tell("none")


def either(places: Iterable[Place]) -> str:
    """Return places as a choice: ``east or south``."""
    return any_of(map(place_name, places))


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
                mine, theirs = (
                    later("Your turn ran out of time."),
                    later("{who}'s turn ran out of time."),
                )
                sentences.append(_does(table, event.seat, me, mine, theirs))
            elif event.seat != me and _was_idle(happened[:at]):
                sentences.append(tell("{who} passes.", who=name_of(table, event.seat)))
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


def _does(
    table: TableState, seat: int, me: int | None, mine: str, theirs: str, **facts: object
) -> str:
    """Return the sentence to whom it is about, or the one about somebody else."""
    return tell(mine if seat == me else theirs, who=name_of(table, seat), **facts)


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
            mine = later("You have no card left and went out.")
            yield _does(table, seat, me, mine, later("{who} has no card left and went out."))
        case events.Forfeited(seat=seat):
            mine = later("You have given up the seat.")
            yield _does(table, seat, me, mine, later("{who} has given up the seat."))
        case events.DealEnded():
            yield from _deal_ended(event, table, me)
        case events.Eliminated(seats=seats) if len(seats) == 1:
            mine = later("You are out of the match.")
            yield _does(table, seats[0], me, mine, later("{who} is out of the match."))
        case events.Eliminated(seats=seats):
            yield tell("{names} are out of the match.", names=names_of(table, seats, me))
        case events.MatchEnded():
            yield match_ended(event, table, me)


def _cut(
    event: events.CardsCut | events.DealerChosen, table: TableState, me: int | None
) -> Iterable[str]:
    if isinstance(event, events.CardsCut):
        mine, theirs = later("You cut the {card}."), later("{who} cuts the {card}.")
        for seat, card in zip(event.seats, event.cards, strict=True):
            yield _does(table, seat, me, mine, theirs, card=the_card(card))
    elif event.lot:
        mine, theirs = later("You deal first, by lot."), later("{who} deals first, by lot.")
        yield _does(table, event.seat, me, mine, theirs)
    else:
        mine, theirs = later("You deal first."), later("{who} deals first.")
        yield _does(table, event.seat, me, mine, theirs)


def _act(
    event: events.Drew | events.Played | events.Moved, table: TableState, me: int | None
) -> str:
    match event:
        case events.Drew(seat=seat, count=count, cards=drawn):
            return _drew(seat, count, drawn, table, me)
        case events.Played(seat=seat, card=card, place=place, from_stock=from_stock):
            mine = later("You play the {card} to {place}.")
            theirs = later("{who} plays the {card} to {place}.")
            if from_stock:
                mine = later("You play the {card} from the stock to {place}.")
                theirs = later("{who} plays the {card} from the stock to {place}.")
            named = place_name(place)
            return _does(table, seat, me, mine, theirs, card=the_card(card), place=named)
        case events.Moved(seat=seat, source=source, place=place, count=count):
            mine = later("You move {source} to {place}.")
            theirs = later("{who} moves {source} to {place}.")
            if count > 1:
                mine = later("You move {source}, {cards}, to {place}.")
                theirs = later("{who} moves {source}, {cards}, to {place}.")
            start, goal = place_name(source), place_name(place)
            size = counts.cards(count)
            return _does(table, seat, me, mine, theirs, source=start, place=goal, cards=size)


def _drew(
    seat: int, count: int, drawn: tuple[Card, ...] | None, table: TableState, me: int | None
) -> str:
    if drawn is not None:
        mine, theirs = later("You draw the {cards}."), later("{who} draws the {cards}.")
        return _does(table, seat, me, mine, theirs, cards=cards(drawn))
    if seat == me:
        return tell_some("You draw {count} card.", "You draw {count} cards.", count)
    who = name_of(table, seat)
    return tell_some("{who} draws {count} card.", "{who} draws {count} cards.", count, who=who)


def _deal_began(event: events.DealBegan, table: TableState, me: int | None) -> Iterable[str]:
    mine = later("Deal {number} begins. You deal.")
    theirs = later("Deal {number} begins. {who} deals.")
    yield _does(table, event.dealer, me, mine, theirs, number=event.number)
    turned = "; ".join(f"{place_name(place)}, {the_card(card)}" for card, place in event.turned)
    stock = counts.cards(event.stock)
    yield tell("On the table: {turned}. The stock has {cards}.", turned=turned, cards=stock)
    for seat, hand in enumerate(event.hands):
        if hand is not None:
            mine, theirs = later("Your hand: {cards}."), later("The hand of {who}: {cards}.")
            yield _does(table, seat, me, mine, theirs, cards=cards(hand))


def _deal_ended(event: events.DealEnded, table: TableState, me: int | None) -> Iterable[str]:
    ending = tell(ENDINGS[event.ending])
    yield tell("Deal {number} is over: {ending}.", number=event.number, ending=ending)
    for seat, points in enumerate(event.points):
        if points is None:
            continue
        mine, theirs = later("You get {points}."), later("{who} gets {points}.")
        if event.hands[seat]:
            mine = later("You get {points} for {cards}.")
            theirs = later("{who} gets {points} for {cards}.")
        cost, left = counts.points(points), cards(event.hands[seat])
        yield _does(table, seat, me, mine, theirs, points=cost, cards=left)


def match_ended(event: events.MatchEnded, table: TableState, me: int | None) -> str:
    """Say who won the match."""
    winners, losers = event.winners, event.losers
    if event.ending == MatchEnding.ABANDONED:
        return tell("The match is over: {result}.", result=tell(MATCH_ENDINGS[event.ending]))
    if not winners or len(winners) == len(table.seats):
        result = tell("it is a draw")
    elif len(winners) > 1:
        result = tell("{names} share the win", names=names_of(table, winners, me))
    else:
        result = _does(table, winners[0], me, later("you win"), later("{who} wins"))
    over = tell("The match is over: {result}.", result=result)
    return f"{over} {lost(table, losers, me)}".strip()


def lost(table: TableState, losers: tuple[int, ...], me: int | None) -> str:
    """Say who is named as the loser; nothing if nobody is."""
    return tell("{names} lost it.", names=names_of(table, losers, me)) if losers else ""


# ---- one's own turn


def offers(own: Own, public: Public) -> str:
    """Say everything that can be played and moved now, and nothing else."""
    parts = []
    if own.plays:
        plays = "; ".join(_goes(the_card(card), places) for card, places in own.plays)
        parts.append(tell("You can play: {plays}.", plays=plays))
    if own.stock_plays and public.stock_top is not None:
        plays = _goes(the_card(public.stock_top), own.stock_plays)
        parts.append(tell("From the stock you can play: {plays}.", plays=plays))
    if own.moves:
        sources = dict.fromkeys(source for source, _ in own.moves)
        moves = "; ".join(
            _goes(place_name(source), [to for at, to in own.moves if at == source])
            for source in sources
        )
        parts.append(tell("You can move: {moves}.", moves=moves))
    return " ".join(parts)


def _goes(what: Worded, places: Sequence[Place]) -> str:
    return tell("{what} to {places}", what=what, places=either(places))


def turn(own: Own, public: Public, rules: Rules, happened: Sequence[Event], *, new: bool) -> str:
    """Announce one's turn, or after a play of one's own what can be done now.

    Args:
        own: one's hand and what it can do.
        public: the position.
        rules: the table's.
        happened: the deal's events.
        new: whether the turn has only begun.
    """
    parts = [tell("Your turn.")] if new else []
    last = happened[-1] if happened else None
    uncovered = isinstance(last, events.Played) and last.from_stock
    if public.stock_top is not None and (new or uncovered):
        parts.append(tell("The stock shows the {card}.", card=the_card(public.stock_top)))
    offered = offers(own, public)
    if offered:
        parts.append(offered)
    last_turn = own.may_end and turn_end(rules, public, happened).ends_deal
    if last_turn:
        parts.append(tell("Your turn's end is the deal's end, too: type end yes for that."))
    elif not offered:
        label = end_label(rules, public, happened)
        nothing = later("Nothing fits: type end, which means: {label}.")
        no_more = later("Nothing more fits: type end, which means: {label}.")
        parts.append(tell(nothing if new else no_more, label=label))
    elif not own.may_end:
        parts.append(tell("The turn cannot end yet."))
    return " ".join(parts)


def waits_for(public: Public, table: TableState, me: int | None) -> str:
    """Say whose turn it is."""
    if public.turn is None:
        return tell("no deal is running")
    return whose_turn(table, public.turn, me)


def whose_turn(table: TableState, seat: int, me: int | None) -> str:
    """Say whose turn it is."""
    return _does(table, seat, me, later("it is your turn"), later("it is {who}'s turn"))
