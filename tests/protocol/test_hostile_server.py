"""A server that sends what would break a client is refused by the client's connection."""

from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from attrs import fields
from hypothesis import given

from kings_engine import events as e
from kings_engine.phase import Phase
from kings_engine.presets import PRESETS
from kings_engine.rules import rules_as_plain
from kings_engine.view import Own, Public, PublicSeat, Standing, View
from kings_protocol import messages as m
from kings_protocol.checks import RANGES
from kings_protocol.codec import decode, encode
from kings_protocol.codes import CloseCode
from kings_protocol.errors import RemoteError
from kings_protocol.frames import frame
from kings_protocol.limits import SERVER_FRAME_BYTES
from kings_protocol.states import Role, State
from strategies_protocol import updates
from wire import HEX16, ConnectionPair

PUBLIC = Public(
    version=31,
    phase=Phase.PLAY,
    deal=2,
    dealer=1,
    turn=0,
    turn_number=9,
    piles=((45, 40), (12,), (30,), (), (51, 46), (), (), ()),
    stock=12,
    stock_top=17,
    vacated=(3,),
    idle=0,
    seats=(PublicSeat(Standing.IN, 7, 12, (3,)), PublicSeat(Standing.IN, 7, 0, ())),
    sheet=((12, 0),),
    winners=(),
    losers=(),
)
OWN = Own(
    seat=0, hand=(1, 5), plays=((1, (0, 3)),), moves=((2, 0),), stock_plays=(3,), may_end=True
)
EVENTS: tuple[e.Event, ...] = (
    e.CardsCut((0, 1), (3, 4)),
    e.DealerChosen(1, lot=True),
    e.DealBegan(2, 1, (0, 1), ((45, 0),), 34, ((1, 5), None)),
    e.TurnBegan(0, 9),
    e.Drew(0, 1, (5,)),
    e.Played(0, 44, 3, from_stock=False),
    e.Moved(0, 2, 0, 1),
    e.TurnEnded(0, timeout=False),
    e.WentOut(0),
    e.Forfeited(1),
    e.DealEnded(2, e.DealEnding.WENT_OUT, ((), (5,)), (0, 1)),
    e.Eliminated((1,)),
    e.MatchEnded(e.MatchEnding.DECIDED, (0,), (1,)),
)
UPDATE = m.Update(view=View(PUBLIC, OWN), events=m.Happened(EVENTS))
TABLE = m.TableState(
    table="t1",
    name="ours",
    preset="pagat",
    rules=rules_as_plain(PRESETS["pagat"].rules()),
    locked=False,
    watchable=True,
    absent="bot",
    grace_seconds=60,
    away_seconds=180,
    host=0,
    phase="playing",
    match=1,
    seats=(m.SeatState(state="seated", name="Ann"), m.SeatState(state="bot", name="Bot")),
    watchers=0,
    offer=m.Offer(
        deal=1,
        attempt=1,
        commitment=HEX16 * 2,
        left=2000,
        members=(m.Member(commitment=HEX16 * 2), m.Member(missing="bot")),
    ),
    withheld=(1,),
)
LINE = m.TableLine(
    table="t1",
    name="ours",
    preset="pagat",
    changed={},
    host="Ann",
    seats=2,
    people=1,
    bots=0,
    watchers=0,
    locked=False,
    watchable=True,
    phase="waiting",
)
PAGE = m.LobbyPage(page=0, pages=1, total=1, whole=True, order=("t1",), tables=(LINE,))


def plain(message: m.Message) -> dict[str, Any]:
    unpacked: dict[str, Any] = msgpack.unpackb(encode(message))
    return unpacked


def outcome(changed: dict[str, Any]) -> CloseCode | None:
    try:
        decode(msgpack.packb(changed), Role.SERVER, {m.Update, m.TableState, m.LobbyPage})
    except RemoteError as error:
        return error.code
    return None


def put(message: dict[str, Any], path: str, value: object) -> None:
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    at: Any = message
    for step in way:
        at = at[step]
    at[last] = value


@pytest.mark.parametrize("message", [UPDATE, TABLE, PAGE], ids=["update", "table", "page"])
def test_the_unbroken_messages_are_taken(message: m.Message) -> None:
    assert outcome(plain(message)) is None


VIEW: dict[str, object] = {
    "view.public": None,
    "view.public.version": -1,
    "view.public.deal": 2**31,
    "view.public.phase": "lunch",
    "view.public.dealer": 2,
    "view.public.turn": 2,
    "view.public.turn_number": -1,
    "view.public.piles": [[]] * 7,
    "view.public.piles.0": [52],
    "view.public.piles.1": [-1],
    "view.public.piles.2": [],
    "view.public.piles.3": [*range(52), 0],
    "view.public.stock": 53,
    "view.public.stock_top": 52,
    "view.public.vacated": [8],
    "view.public.seats": [],
    "view.public.seats.0.cards": 53,
    "view.public.seats.0.points": -1,
    "view.public.seats.0.known": [99],
    "view.public.seats.0.standing": "lost",
    "view.public.sheet": [[1]],
    "view.public.sheet.0": [1, -2],
    "view.public.winners": [2],
    "view.public.losers": [7],
    "view.own.seat": 2,
    "view.own.hand": [],
    "view.own.hand.0": 52,
    "view.own.plays": [[1, [8]]],
    "view.own.moves": [[3, 0]],
    "view.own.moves.0": [0, 9],
    "view.own.stock_plays": [8],
    "view.own.may_end": 1,
    "gap": 0,
    "events": {},
}


@pytest.mark.parametrize(("path", "value"), VIEW.items(), ids=VIEW)
def test_a_view_that_would_break_a_client_is_refused(path: str, value: object) -> None:
    changed = plain(UPDATE)
    put(changed, path, value)
    assert outcome(changed) == CloseCode.BAD_MESSAGE


@pytest.mark.parametrize("part", ["dealer", "turn"])
def test_a_running_deal_lacks_neither_dealer_nor_turn(part: str) -> None:
    changed = plain(UPDATE)
    put(changed, f"view.public.{part}", None)
    assert outcome(changed) == CloseCode.BAD_MESSAGE


def test_plays_from_a_stock_that_shows_no_top_are_refused() -> None:
    changed = plain(UPDATE)
    put(changed, "view.public.stock_top", None)
    assert outcome(changed) == CloseCode.BAD_MESSAGE


HAPPENED: dict[str, tuple[type, dict[str, object]]] = {
    "no tag": (e.WentOut, {"t": None}),
    "an unknown tag": (e.WentOut, {"t": "sneezed"}),
    "another's fields": (e.WentOut, {"t": "played"}),
    "a cut of fewer cards": (e.CardsCut, {"cards": [3]}),
    "a cut by a stranger": (e.CardsCut, {"seats": [0, 2]}),
    "a dealer who is not there": (e.DealerChosen, {"seat": 2}),
    "a deal by a stranger": (e.DealBegan, {"dealer": 2}),
    "a deal to a stranger": (e.DealBegan, {"seats": [0, 2]}),
    "a hand too few": (e.DealBegan, {"hands": [None]}),
    "a hand of no cards": (e.DealBegan, {"hands": [[52], None]}),
    "a turned card of no deck": (e.DealBegan, {"turned": [[52, 0]]}),
    "a turned card at no place": (e.DealBegan, {"turned": [[5, 8]]}),
    "a stranger's turn": (e.TurnBegan, {"seat": 2}),
    "a negative turn": (e.TurnBegan, {"number": -1}),
    "a draw of no card": (e.Drew, {"cards": [99]}),
    "a draw of too many": (e.Drew, {"count": 53}),
    "a play of no card": (e.Played, {"card": 52}),
    "a play at no place": (e.Played, {"place": 8}),
    "a move from no place": (e.Moved, {"source": -1}),
    "a boolean that is a number": (e.TurnEnded, {"timeout": 1}),
    "a stranger who goes out": (e.WentOut, {"seat": 5}),
    "points too few": (e.DealEnded, {"points": [0]}),
    "hands too few": (e.DealEnded, {"hands": [[]]}),
    "an ending of no kind": (e.DealEnded, {"ending": "rain"}),
    "a stranger who is out": (e.Eliminated, {"seats": [3]}),
    "a stranger who wins": (e.MatchEnded, {"winners": [2]}),
    "a stranger who loses": (e.MatchEnded, {"losers": [2]}),
}


@pytest.mark.parametrize(("kind", "change"), HAPPENED.values(), ids=HAPPENED)
def test_an_event_that_would_break_a_client_is_refused(
    kind: type, change: dict[str, object]
) -> None:
    changed = plain(UPDATE)
    at = next(index for index, event in enumerate(EVENTS) if isinstance(event, kind))
    changed["events"][at].update(change)
    assert outcome(changed) == CloseCode.BAD_MESSAGE


def test_the_examples_hold_every_kind_of_event() -> None:
    assert {type(event) for event in EVENTS} == set(e.Event.__args__)


LISTS = {
    "a host who is not there": (TABLE, "host", 2),
    "no seats": (TABLE, "seats", []),
    "rules for another number of seats": (TABLE, "rules.players", 3),
    "rules that cannot be played": (TABLE, "rules.hand_size", 99),
    "a rule of no kind": (TABLE, "rules.blindfold", True),
    "a share withheld by a stranger": (TABLE, "withheld", [2]),
    "a set without a seat": (TABLE, "offer.members", [{"commitment": HEX16 * 2}]),
    "a set with a stranger": (TABLE, "offer.members", [{"missing": "bot"}] * 3),
    "a commitment of no length": (TABLE, "offer.members.0.commitment", HEX16),
    "a seed's commitment of no length": (TABLE, "offer.commitment", HEX16),
    "no number of the offer": (TABLE, "offer.attempt", None),
    "a table listed twice": (PAGE, "order", ["t1", "t1"]),
    "a table in no order": (PAGE, "order", []),
    "more tables than a page has": (PAGE, "order", [f"t{n}" for n in range(51)]),
}


@pytest.mark.parametrize(("message", "path", "value"), LISTS.values(), ids=LISTS)
def test_a_table_or_page_that_would_break_a_client_is_refused(
    message: m.Message, path: str, value: object
) -> None:
    changed = plain(message)
    put(changed, path, value)
    assert outcome(changed) == CloseCode.BAD_MESSAGE


def test_every_field_of_every_engine_value_has_its_range() -> None:
    assert set(RANGES) == {Public, PublicSeat, Own, *e.Event.__args__}
    for kind, ranges in RANGES.items():
        assert set(ranges) == {field.name for field in fields(kind)}


# ---- against what was said before


def taken(pair: ConnectionPair, message: m.Message) -> bool:
    """Say whether the client of ``pair`` takes a message from its server, or ends as it should."""
    pair.client.receive(frame(encode(message), SERVER_FRAME_BYTES))
    try:
        return pair.client.next_message() == message
    except RemoteError as error:
        return error.code != CloseCode.BAD_MESSAGE


@given(updates(players=3, seat=1))
def test_a_table_does_not_change_its_number_of_seats(update: m.Update) -> None:
    pair = ConnectionPair().sit(seat=1)
    assert taken(pair, TABLE)
    assert not taken(pair, update)


@given(updates(players=2, seat=1))
def test_a_view_of_another_seat_is_refused(update: m.Update) -> None:
    assert taken(ConnectionPair().sit(seat=1), update)
    assert not taken(ConnectionPair().sit(seat=0), update)
    assert not taken(ConnectionPair().watch(), update)


@pytest.mark.parametrize(
    "message",
    [m.Said(seat=2, name="Zed", text="hello"), m.Notice(code="back", seat=2)],
    ids=["said", "notice"],
)
def test_who_is_not_at_the_table_neither_speaks_nor_is_spoken_of(message: m.Message) -> None:
    pair = ConnectionPair().sit()
    assert taken(pair, TABLE)
    assert not taken(pair, message)


def test_ones_own_seat_exists() -> None:
    assert not taken(ConnectionPair().sit(seat=3), TABLE)
    assert taken(ConnectionPair().sit(seat=1), TABLE)


def test_another_table_may_have_another_number_of_seats() -> None:
    pair = ConnectionPair().sit()
    assert taken(pair, TABLE)
    pair.server_says(m.Unseated(code="table_closed"))
    assert pair.states == (State.ENTERED, State.ENTERED)
    joining = pair.client_says(m.Join(id=HEX16, table="t2"))
    pair.server_says(m.Seated(re=joining.id, table="t2", seat=3, token=HEX16 * 2))
    rules = rules_as_plain(PRESETS["pagat"].rules({"players": 4}))
    seats = (m.SeatState(state="open", name=""),) * 4
    four = msgspec.structs.replace(TABLE, rules=rules, seats=seats, offer=None)
    assert taken(pair, four)
