"""Generators of messages: of every class, with every value in its range, and views that agree."""

from functools import cache
from typing import Any

import msgspec
from attrs import fields
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from msgspec import inspect as shape

from kings_engine import events as e
from kings_engine.phase import Phase
from kings_engine.presets import PRESETS
from kings_engine.rules import rules_as_plain
from kings_engine.view import Own, Public, PublicSeat, Standing, View
from kings_protocol import messages as m
from kings_protocol.codec import CLASS_BY_TAG

CARDS = st.integers(0, 51)
PLACES = st.integers(0, 7)
COUNTS = st.integers(0, 2**31 - 1)
OF_DECK = st.integers(0, 52)
HANDS = st.sets(CARDS, max_size=9).map(sorted).map(tuple)


def message_of(kind: type[m.Message]) -> SearchStrategy[Any]:
    """Return a strategy for messages of one class."""
    if kind is m.Update:
        return updates()
    if kind is m.TableState:
        return table_states()
    if kind is m.LobbyPage:
        return _of_struct(kind).map(_agreeing_page)
    return _of_struct(kind)


def any_message() -> SearchStrategy[Any]:
    """Return a strategy for messages of every class."""
    return st.sampled_from(sorted(CLASS_BY_TAG)).flatmap(lambda tag: message_of(CLASS_BY_TAG[tag]))


@cache
def _of_struct(kind: type[msgspec.Struct]) -> SearchStrategy[Any]:
    described = shape.type_info(kind)
    assert isinstance(described, shape.StructType)
    return st.builds(kind, **{field.name: _of(field.type) for field in described.fields})


def _of(kind: shape.Type) -> SearchStrategy[Any]:
    match kind:
        case shape.UnionType():
            return st.one_of(*map(_of, kind.types))
        case shape.TupleType():
            return st.tuples(*map(_of, kind.item_types))
        case shape.VarTupleType():
            items, least = _of(kind.item_type), kind.min_length or 0
            return st.lists(items, min_size=least, max_size=max(least, 4)).map(tuple)
        case shape.DictType():
            return st.dictionaries(_of(kind.key_type), _of(kind.value_type), max_size=5)
        case shape.StructType():
            return _of_struct(kind.cls)
    return _of_scalar(kind)


def _of_scalar(kind: shape.Type) -> SearchStrategy[Any]:
    match kind:
        case shape.NoneType():
            return st.none()
        case shape.BoolType():
            return st.booleans()
        case shape.IntType():
            highest = kind.le if kind.lt is None else kind.lt - 1
            return st.integers(kind.ge or 0, 2**31 if highest is None else highest) | st.just(
                kind.ge or 0
            )
        case shape.StrType(pattern=str(pattern)):
            longest = kind.max_length or 40
            return st.from_regex(pattern).filter(lambda text: len(text) <= longest)
        case shape.StrType():
            longest = min(kind.max_length or 40, 40)
            characters = st.characters(codec="utf-8")
            return st.text(characters, min_size=kind.min_length or 0, max_size=longest)
        case shape.LiteralType():
            return st.sampled_from(kind.values)
    raise AssertionError(f"no strategy for {kind}")


def _agreeing_page(page: m.LobbyPage) -> m.LobbyPage:
    order = dict.fromkeys((*(line.table for line in page.tables), *page.order))
    return msgspec.structs.replace(page, order=tuple(order))


def _seats(players: int) -> SearchStrategy[m.SeatState]:
    voting = st.sets(st.integers(0, players - 1)).map(tuple)
    return st.builds(
        lambda seat, votes: msgspec.structs.replace(seat, votes=votes),
        _of_struct(m.SeatState),
        voting,
    )


@st.composite
def table_states(draw: st.DrawFn) -> m.TableState:
    """Draw a table whose rules, host, seats and set of commitments agree."""
    drawn: m.TableState = draw(_of_struct(m.TableState))
    players = draw(st.integers(2, 4))
    rules = PRESETS[draw(st.sampled_from(sorted(PRESETS)))].rules({"players": players})
    seats = st.integers(0, players - 1)
    offer = drawn.offer
    if offer is not None and offer.members:
        members = tuple(draw(_of_struct(m.Member)) for _ in range(players))
        offer = msgspec.structs.replace(offer, members=members)
    return msgspec.structs.replace(
        drawn,
        rules=rules_as_plain(rules),
        seats=tuple(draw(_seats(players)) for _ in range(players)),
        host=draw(st.none() | seats),
        offer=offer,
        withheld=tuple(draw(st.sets(seats))),
    )


@st.composite
def publics(draw: st.DrawFn, players: int) -> Public:
    """Draw the public part of a position, in range and of one piece."""
    seat = st.integers(0, players - 1)
    phase = draw(st.sampled_from(Phase))
    running = phase == Phase.PLAY
    return Public(
        version=draw(COUNTS),
        phase=phase,
        deal=draw(COUNTS),
        dealer=draw(seat if running else st.none() | seat),
        turn=draw(seat) if running else None,
        turn_number=draw(COUNTS),
        piles=draw(st.tuples(*[HANDS] * 8)),
        stock=draw(OF_DECK),
        stock_top=draw(st.none() | CARDS),
        vacated=tuple(draw(st.sets(PLACES))),
        idle=draw(COUNTS),
        seats=tuple(
            PublicSeat(draw(st.sampled_from(Standing)), draw(OF_DECK), draw(COUNTS), draw(HANDS))
            for _ in range(players)
        ),
        sheet=tuple(draw(st.lists(st.tuples(*[st.none() | COUNTS] * players), max_size=3))),
        winners=tuple(draw(st.sets(seat))),
        losers=tuple(draw(st.sets(seat))),
    )


@st.composite
def owns(draw: st.DrawFn, public: Public, seat: int) -> Own:
    """Draw what a seat knows beyond ``public``."""
    hand = draw(HANDS)
    piles = [place for place, pile in enumerate(public.piles) if pile]
    targets = st.sets(PLACES, min_size=1, max_size=3).map(tuple)
    sources = st.sampled_from(piles) if piles else st.nothing()
    return Own(
        seat=seat,
        hand=hand,
        plays=tuple((card, draw(targets)) for card in hand[::2]),
        moves=tuple(draw(st.lists(st.tuples(sources, PLACES), max_size=3))) if piles else (),
        stock_plays=() if public.stock_top is None else draw(targets),
        may_end=draw(st.booleans()),
    )


@cache
def events(players: int) -> SearchStrategy[e.Event]:
    """Return a strategy for events of every class, at a table of so many seats."""
    seat = st.integers(0, players - 1)
    seats = st.sets(seat).map(sorted).map(tuple)
    values: dict[str, SearchStrategy[Any]] = {
        "seat": seat,
        "seats": seats,
        "dealer": seat,
        "card": CARDS,
        "source": PLACES,
        "place": PLACES,
        "number": COUNTS,
        "count": OF_DECK,
        "stock": OF_DECK,
        "cards": st.none() | HANDS,
        "turned": st.lists(st.tuples(CARDS, PLACES), max_size=8).map(tuple),
        "points": st.tuples(*[st.none() | COUNTS] * players),
        "winners": seats,
        "losers": seats,
        "lot": st.booleans(),
        "timeout": st.booleans(),
        "from_stock": st.booleans(),
    }
    special: dict[type, dict[str, SearchStrategy[Any]]] = {
        e.DealBegan: {"hands": st.tuples(*[st.none() | HANDS] * players)},
        e.DealEnded: {
            "hands": st.tuples(*[HANDS] * players),
            "ending": st.sampled_from(e.DealEnding),
        },
        e.MatchEnded: {"ending": st.sampled_from(e.MatchEnding)},
    }
    plain = [
        st.builds(
            kind,
            **{
                field.name: {**values, **special.get(kind, {})}[field.name]
                for field in fields(kind)
            },
        )
        for kind in e.Event.__args__
        if kind is not e.CardsCut
    ]
    cut = seats.flatmap(
        lambda cutting: st.builds(e.CardsCut, st.just(cutting), st.tuples(*[CARDS] * len(cutting)))
    )
    return st.one_of(cut, *plain)


@st.composite
def updates(draw: st.DrawFn, players: int | None = None, seat: int | None = None) -> m.Update:
    """Draw an update of one piece, for ``seat``, or for whoever."""
    players = players or draw(st.integers(2, 4))
    public = draw(publics(players))
    viewer = draw(st.none() | st.integers(0, players - 1)) if seat is None else seat
    own = None if viewer is None else draw(owns(public, viewer))
    happened = draw(st.lists(events(players), max_size=6))
    return m.Update(
        view=View(public, own), events=m.Happened(tuple(happened)), gap=draw(st.booleans())
    )
