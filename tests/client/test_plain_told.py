"""What the line mode tells: a sentence for every event, each thing once, in its order."""

import random
from typing import Any, get_args

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.intents import MovePile, PlayCard, PlayTop, SetReady
from kings_client.marks import Check, Mark
from kings_client.model import Linked, LinkState, Model, Pending, Stop
from kings_client.plain.telling import Teller
from kings_client.words.spoken import either, told
from kings_engine import events
from kings_engine.actions import EndTurn, Move, Play, PlayStock
from kings_engine.cards import parse_card
from kings_engine.events import DealEnding, Event, MatchEnding
from kings_engine.match import Match, new_match
from kings_engine.presets import PRESETS
from kings_engine.rules import Rules
from kings_engine.view import history
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from kings_protocol.messages import Announcement, Notice, Said, SeatState
from tables import acted, cards, line_of, lobby_of, model_of, picture, played, position, table_of

TABLE = table_of(new_match(Rules(players=3)))
PILES = {"N": "TS", "E": "TC", "S": "QD", "W": "JC", "NE": "KS"}
NINE = parse_card("9H")

SENTENCES: list[tuple[Event, list[str]]] = [
    (
        events.CardsCut((0, 1), cards("9H KS")),
        ["You cut the 9 of hearts.", "Ben cuts the king of spades."],
    ),
    (events.DealerChosen(1, lot=False), ["Ben deals first."]),
    (events.DealerChosen(0, lot=True), ["You deal first, by lot."]),
    (
        events.DealBegan(
            2, 1, (0, 1), ((NINE, 0), (parse_card("KS"), 4)), 34, (cards("AS TD"), None)
        ),
        [
            "Deal 2 begins. Ben deals.",
            "On the table: north, 9 of hearts; north-east, king of spades. The stock has 34 cards.",
            "Your hand: ace of spades, 10 of diamonds.",
        ],
    ),
    (events.TurnBegan(1, 0), []),
    (events.Drew(0, 1, (NINE,)), ["You draw the 9 of hearts."]),
    (events.Drew(1, 1, None), ["Ben draws 1 card."]),
    (events.Drew(1, 2, None), ["Ben draws 2 cards."]),
    (events.Played(1, NINE, 0, from_stock=False), ["Ben plays the 9 of hearts to north."]),
    (
        events.Played(0, NINE, 7, from_stock=True),
        ["You play the 9 of hearts from the stock to north-west."],
    ),
    (events.Moved(1, 2, 4, 1), ["Ben moves south to north-east."]),
    (events.Moved(1, 2, 4, 3), ["Ben moves south, 3 cards, to north-east."]),
    (events.TurnEnded(1, timeout=True), ["Ben's turn ran out of time."]),
    (events.TurnEnded(0, timeout=True), ["Your turn ran out of time."]),
    (events.TurnEnded(1, timeout=False), ["Ben passes."]),
    (events.TurnEnded(0, timeout=False), []),
    (events.WentOut(1), ["Ben has no card left and went out."]),
    (events.Forfeited(2), ["Cleo has given up the seat."]),
    (
        events.DealEnded(3, DealEnding.WENT_OUT, ((NINE,), (), ()), (1, 0, None)),
        [
            "Deal 3 is over: a player ran out of cards.",
            "You get 1 point for 9 of hearts.",
            "Ben gets 0 points.",
        ],
    ),
    (events.Eliminated((1,)), ["Ben is out of the match."]),
    (events.Eliminated((0, 1)), ["You and Ben are out of the match."]),
    (events.MatchEnded(MatchEnding.DECIDED, (0,), ()), ["The match is over: you win."]),
    (
        events.MatchEnded(MatchEnding.DECIDED, (1,), (0,)),
        ["The match is over: Ben wins. You lost it."],
    ),
    (
        events.MatchEnded(MatchEnding.DECIDED, (0, 2), ()),
        ["The match is over: You and Cleo share the win."],
    ),
    (events.MatchEnded(MatchEnding.DECIDED, (0, 1, 2), ()), ["The match is over: it is a draw."]),
    (
        events.MatchEnded(MatchEnding.ABANDONED, (), ()),
        ["The match is over: the match was given up without a result."],
    ),
]


@pytest.mark.parametrize(
    ("event", "sentences"), SENTENCES, ids=[type(event).__name__ for event, _ in SENTENCES]
)
def test_every_event_has_its_sentence(event: Event, sentences: list[str]) -> None:
    assert list(told([event], 0, TABLE, 0)) == sentences


def test_no_kind_of_event_is_forgotten() -> None:
    assert {type(event) for event, _ in SENTENCES} == set(get_args(Event))


def test_a_turn_with_something_in_it_is_no_pass() -> None:
    turn: list[Event] = [
        events.TurnBegan(1, 0),
        events.Drew(1, 1, None),
        events.TurnEnded(1, timeout=False),
    ]
    assert list(told(turn, 0, TABLE, 0)) == ["Ben draws 1 card."]
    assert list(told(turn, 2, TABLE, 0)) == []


def test_places_are_a_choice() -> None:
    assert either((0,)) == "north"
    assert either((0, 5, 7)) == "north, south-east or north-west"


# ---- the teller


YOUR_TURN = (
    "Your turn. You can play: 9 of hearts to north or east. "
    "You can move: south to north-east; west to south."
)


def after(teller: Teller, *models: Model) -> list[str]:
    return [sentence for model in models for sentence in teller.tell(model)]


def shown(match: Match, before: Model, seat: int | None = 0) -> Model:
    """Return the model after an update to ``match``."""
    now = model_of(match, seat)
    fresh = len(now.events) - len(before.events)
    return evolve(before, view=now.view, events=now.events, fresh=fresh, table=now.table)


def at_start() -> tuple[Match, Teller, Model]:
    match = position("9H 8S 3D", PILES, other="2C 3C 9D")
    model = model_of(match)
    teller = Teller(evolve(model, table=None, view=None, events=()))
    return match, teller, model


def test_coming_to_a_table_tells_the_deal_and_the_turn() -> None:
    _, teller, model = at_start()
    lines = after(teller, model)
    assert lines[:2] == [
        "You sit at the table Kitchen with Ben; the rules are pagat.",
        "Deal 1 begins. Ben deals.",
    ]
    assert lines[2].startswith("On the table: ")
    assert lines[3:] == ["Your hand: 3 of diamonds, 8 of spades, 9 of hearts.", YOUR_TURN]


def test_ones_own_act_is_told_by_its_answer_alone() -> None:
    match, teller, model = at_start()
    after(teller, model)
    teller.answered(PlayCard(NINE, 0, match.version))
    match = acted(match, (0, Play(NINE, 0)))
    model = shown(match, model)
    lines = after(teller, model)
    assert lines == [
        "You can play: 8 of spades to north. You can move: south to north-east; west to south."
    ]
    teller.answered(MovePile(3, 2, match.version))
    match = acted(match, (0, Move(3, 2)))
    lines = after(teller, shown(match, model))
    assert not [line for line in lines if line.startswith("You move")]


def test_an_act_that_nobody_answered_is_told() -> None:
    match, teller, model = at_start()
    after(teller, model)
    lines = after(teller, shown(acted(match, (0, Play(NINE, 0))), model))
    assert lines[0] == "You play the 9 of hearts to north."


def test_a_burst_is_told_in_order_with_the_turn_last() -> None:
    match, teller, model = at_start()
    after(teller, model)
    match = acted(match, (0, EndTurn()), (1, Play(parse_card("9D"), 1)), (1, EndTurn()))
    assert after(teller, shown(match, model)) == [
        "You draw the 5 of clubs.",
        "Ben plays the 9 of diamonds to east.",
        "Ben draws 1 card.",
        YOUR_TURN.replace(
            "9 of hearts to north or east", "8 of spades to east; 9 of hearts to north"
        ),
    ]


def test_nothing_is_told_twice() -> None:
    _, teller, model = at_start()
    after(teller, model)
    assert after(teller, model, evolve(model, link=LinkState(Linked.ONLINE, "elsewhere"))) == []


def test_a_lost_connection_does_not_tell_the_deal_again() -> None:
    match, teller, model = at_start()
    after(teller, model)
    lost = evolve(model, link=LinkState(Linked.WAITING, "here", 1, 9.0, "cut"))
    back = evolve(model, events=(), fresh=0)
    match = acted(match, (0, EndTurn()))
    resumed = evolve(shown(match, back), fresh=len(model_of(match).events))
    assert after(teller, lost) == [
        "The connection was lost. Trying to connect again; retry does it at once."
    ]
    assert after(teller, back, resumed) == ["Connected again.", "You draw the 5 of clubs."]


def test_who_is_back_on_turn_is_told_what_can_be_done() -> None:
    _, teller, model = at_start()
    after(teller, model)
    lost = evolve(model, link=LinkState(Linked.WAITING, "here", 1, 9.0, "cut"))
    after(teller, lost)
    assert after(teller, model, evolve(model, events=(), fresh=0), model) == [
        "Connected again.",
        YOUR_TURN,
    ]


def test_a_gap_is_said() -> None:
    match, teller, model = at_start()
    after(teller, model)
    match = acted(match, (0, EndTurn()), (1, Play(parse_card("9D"), 1)))
    late = shown(match, model)
    assert after(teller, evolve(late, events=late.events[-1:], gap=True)) == [
        "Some of what happened was not heard here.",
        "Ben plays the 9 of diamonds to east.",
    ]


def test_who_comes_late_is_not_told_the_whole_deal() -> None:
    match = next(
        match
        for match in played(Rules(), 60, seed=3)
        if match.deal is not None and len(model_of(match).events) > 20
    )
    model = model_of(match, None)
    teller = Teller(evolve(model, table=None, view=None, events=()))
    assert after(teller, model) == [
        "You watch the table Kitchen; the rules are pagat.",
        "A deal is being played; table tells what lies there, hand what you hold.",
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_whole_matches_are_told_event_by_event(preset: str) -> None:
    rules = PRESETS[preset].rules({"players": 3, "points": 5})
    expected: list[str] = []
    heard: list[str] = []
    teller = Teller(Model("lobby", LinkState(Linked.ONLINE, "here")))
    dice = random.Random(preset)  # noqa: S311  how many steps come together
    version = 0
    for match in played(rules, 400, seed=1):
        ended = any(isinstance(one, events.DealEnded) for one in history(match, 0, version))
        if dice.random() < 0.3 and not ended:
            continue
        model = model_of(match, 0)
        new = history(match, 0, version)
        version = match.version
        assert model.table is not None
        expected += told(model.events, len(model.events) - len(new), model.table, 0)
        heard += teller.tell(model)
    ours = ("Your turn.", "You can ", "Nothing ", "The stock shows", "From the stock", "The turn c")
    extra = ("Type ready", "Waiting for", "You sit", "Deal 1: fair", "Deal 2: fair")
    assert [line for line in heard if not line.startswith((*ours, *extra))] == expected
    assert any(line.startswith("Deal 1 is over") for line in heard)


def test_people_and_their_words_are_told() -> None:
    _, teller, model = at_start()
    after(teller, model)
    spoken = (
        Said(seat=1, name="Ben", text="hello"),
        Said(seat=0, name="Ann", text="my own words"),
        Notice(code="joined", seat=1),
        Notice(code="dropped", seat=1, number=60000),
    )
    first = evolve(model, lines=spoken[:1])
    assert after(teller, first, evolve(model, lines=spoken)) == [
        "Ben says: hello",
        "Ben lost the connection.",
    ]
    bounded = evolve(model, lines=(*spoken[1:], Notice(code="back", seat=1)))
    assert after(teller, bounded) == ["Ben is back."]


def test_what_the_server_says_to_everybody_is_told_once() -> None:
    _, teller, model = at_start()
    after(teller, model)
    news = Announcement(text="Chess is on Thursdays.")
    said = evolve(model, announced=news.text, lines=(news,))
    assert after(teller, said) == ["The server says: Chess is on Thursdays."]
    assert after(teller, evolve(said, lines=())) == []


def test_that_the_server_stops_is_told_once_at_a_table_and_in_the_lobby() -> None:
    _, teller, model = at_start()
    after(teller, model)
    stopping = Notice(code=NoticeCode.STOPPING, number=9000)
    stops = evolve(model, link=evolve(model.link, stop=Stop(9.0, 14.0)), lines=(stopping,))
    assert after(teller, stops, stops) == ["The server stops in 0:09."]
    lobby = lobby_of(line_of("Kitchen"))
    stops = evolve(lobby, link=evolve(lobby.link, stop=Stop(9.0, 14.0)))
    assert after(Teller(lobby), stops, stops) == ["The server stops in 0:09."]


def waiting(**changes: Any) -> Model:
    match = new_match(Rules())
    return model_of(match, view=None, events=(), table=table_of(match, phase="waiting", **changes))


def seats(*, ann: bool = False, ben: bool = False) -> tuple[SeatState, ...]:
    return (
        SeatState(state="seated", name="Ann", ready=ann),
        SeatState(state="seated", name="Ben", ready=ben),
    )


def test_a_bot_that_had_no_time_is_told_of_and_shown_until_its_next_move_in_time() -> None:
    _, teller, model = at_start()
    after(teller, model)
    assert model.table is not None
    ann = model.table.seats[0]
    bot = SeatState(state="bot", name="expert", level="expert")
    calm = evolve(model, table=replace(model.table, seats=(ann, bot)))
    short = evolve(model, table=replace(model.table, seats=(ann, replace(bot, short=True))))
    after(teller, calm)
    assert after(teller, short) == ["expert was short of time, and played plainly."]
    assert after(teller, short, calm) == []
    assert "short of time" in picture(short)
    assert "short of time" not in picture(calm)


def test_what_the_table_waits_for_is_said_once() -> None:
    alone = (SeatState(state="seated", name="Ann"), SeatState(state="open", name=""))
    teller = Teller(lobby_of(line_of("Kitchen")))
    assert after(teller, waiting(seats=alone), waiting(seats=alone, watchers=1)) == [
        "You sit at the table Kitchen; the rules are pagat.",
        "The table waits for 1 more player; type bot easy to seat a bot.",
    ]
    assert after(teller, waiting(seats=seats())) == ["Ben sat down.", "Type ready to start."]
    assert after(teller, waiting(seats=seats(ben=True))) == ["Ben is ready."]
    assert after(teller, waiting(seats=seats())) == []
    assert after(teller, waiting(seats=seats(ann=True))) == ["Waiting for Ben, to start."]


def test_nobody_is_told_to_be_ready_who_has_just_said_so() -> None:
    teller = Teller(lobby_of(line_of("Kitchen")))
    model = waiting(seats=seats())
    asked = evolve(model, pending=(Pending(m.Ready(id="0" * 32, on=True), SetReady(True)),))
    lines = after(teller, asked, model)
    assert lines == ["You sit at the table Kitchen with Ben; the rules are pagat."]
    assert teller.unsure
    assert after(teller, waiting(seats=seats(ann=True))) == ["Waiting for Ben, to start."]
    assert not teller.unsure


def test_a_deal_that_was_not_fair_is_said_once() -> None:
    _, teller, model = at_start()
    after(teller, model)
    broken = evolve(model, checks={1: Check(Mark.BROKEN, doubts=("wrong_seed",))})
    assert after(teller, broken, broken) == ["Deal 1: broken: wrong seed."]


def test_the_clock_of_ones_turn_is_said_once() -> None:
    match, teller, model = at_start()
    after(teller, model)
    timed = evolve(model, table=table_of(match, turn_in=29_500))
    again = evolve(model, table=table_of(match, turn_in=12_000))
    assert after(teller, timed, again) == ["You have 30 seconds."]


def test_the_end_of_a_connection_says_what_can_be_done() -> None:
    _, teller, model = at_start()
    after(teller, model)
    closed = evolve(model, link=LinkState(Linked.CLOSED, "here", reason="displaced"))
    assert after(teller, closed) == [
        "Your seat was taken over from another window. Type retry or quit."
    ]


def test_the_top_of_an_open_stock_is_said_when_it_is_new() -> None:
    match = position("9H 3D", {"N": "TS"}, stock="9D 4C", other="2C 3C", open_stock=True)
    model = model_of(match)
    teller = Teller(evolve(model, table=None, view=None, events=()))
    assert after(teller, model)[-1].startswith("Your turn. The stock shows the 9 of diamonds.")
    teller.answered(PlayTop(0, match.version))
    lines = after(teller, shown(acted(match, (0, PlayStock(0))), model))
    assert lines[0].startswith("The stock shows the 4 of clubs.")


def test_a_refusal_that_no_command_asked_for_is_told_once() -> None:
    lobby = lobby_of()
    teller = Teller(lobby)
    refused = m.Refused(re="0" * 32, code="level_not_ready")
    assert after(teller, evolve(lobby, refusal=refused)) == [
        "Such bots are being made ready; try in half a minute."
    ]
    assert after(teller, evolve(lobby, refusal=refused, name="Ann")) == []
    answered = m.Refused(re="1" * 32, code="level_not_ready")
    teller.answer = answered
    assert after(teller, evolve(lobby, refusal=answered)) == []
