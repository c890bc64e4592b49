"""Typed commands: what each spelling leads to, and what every wrong one is told."""

import pytest
from attrs import evolve

from kings_client.choices import LEVELS
from kings_client.intents import (
    AddBot,
    AskHint,
    BrowsePage,
    ComeBack,
    EndTurn,
    Ignore,
    Intent,
    Join,
    Kick,
    Leave,
    MakeTable,
    MovePile,
    Pause,
    PlayCard,
    PlayTop,
    Quit,
    RemoveBot,
    RetryNow,
    Say,
    SetReady,
    Silence,
    Vote,
    Watch,
)
from kings_client.model import Hosting, Kept, Linked, LinkState, Lobby, Model
from kings_client.plain.arguments import read
from kings_client.plain.commands import COMMANDS, obey
from kings_client.plain.completing import completions
from kings_client.plain.orders import Context, Step
from kings_client.plain.sitting import due
from kings_engine.actions import EndTurn as Passed
from kings_engine.actions import Move
from kings_engine.cards import card_str, parse_card
from kings_engine.match import new_match
from kings_engine.places import parse_place, place_str
from kings_engine.rules import Rules
from kings_protocol.limits import TEXT_LENGTH
from kings_protocol.messages import SeatState
from tables import acted, line_of, lobby_of, model_of, position, table_of

PILES = {"N": "TS", "E": "TC", "S": "QD", "W": "JC", "NE": "KS"}
MATCH = position("9H 9S 8S 3D", PILES)
TURN = model_of(MATCH)
OTHERS_TURN = model_of(position("9H 9S 8S 3D", PILES, turn=1))
OPEN = model_of(position("9H", {**PILES, "E": "AC"}, stock="9D 4C", open_stock=True))
CORNERS = model_of(position("9H", {"NE": "TS"}, preset="royal_corners", stock="9D 4C"))
DRAWN = model_of(position("9H", PILES, draw="start"))
IDLE_DRAW = model_of(acted(position("9H 8S", PILES, draw="if_idle"), (0, Move(3, 2))))
CARD_DRAW = model_of(position("9H", PILES, draw="after_hand_card", idle_round="always"))
GONE = model_of(position("9H", PILES, stock=""))
LAST = model_of(acted(position("9H", PILES, stock="", turn=1), (1, Passed())))
NO_HINTS = model_of(position("9H", PILES, hints=False))
OPEN_SEAT = (SeatState(state="seated", name="Ann"), SeatState(state="open", name=""))
WAITING = model_of(
    new_match(Rules()),
    view=None,
    events=(),
    table=table_of(
        new_match(Rules()),
        phase="waiting",
        seats=OPEN_SEAT,
    ),
)
DEALING = evolve(WAITING, table=table_of(new_match(Rules()), phase="offering"))
PAUSED = model_of(MATCH, table=table_of(MATCH, paused=True))
LOBBY = lobby_of(line_of("Kitchen"), line_of("Attic", locked=True, watchable=False))
OFFLINE = Model("entering", LinkState(Linked.CLOSED, "den"))
VERSION = MATCH.version


def asked(model: Model, line: str, listed: tuple[str, ...] = ()) -> Step:
    return obey(Context(model, listed), line)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("9h e", "9H E"),
        ("e 9h", "9H E"),
        ("h9 e", "9H E"),
        ("10h ne", "TH NE"),
        ("th ne", "TH NE"),
        ("h10 ne", "TH NE"),
        ("♥9 e", "9H E"),
        ("9♥ e", "9H E"),
        ("9 h e", "9H E"),
        ("9 s e", "9S E"),
        ("e 9 s", "9S E"),
        ("9 s", "rank 9 S"),
        ("9 e", "rank 9 E"),
        ("the 9 of hearts to east", "9H E"),
        ("queen of spades on north-west", "QS NW"),
        ("QUEEN SPADE NORTHWEST", "QS NW"),
        ("ace hearts, s.", "AH S"),
        ("ten diamonds s", "TD S"),
        ("q", "rank Q"),
        ("n sw", "N SW"),
        ("from n to sw", "N SW"),
        ("9x e", "E strange 9x"),
        ("1h", "strange 1h"),
        ("", ""),
    ],
)
def test_cards_and_places_are_read_in_many_spellings(words: str, found: str) -> None:
    given = read(words.split())
    shown = [
        *map(card_str, given.cards),
        *(f"rank {'A23456789TJQK'[rank]}" for rank in given.ranks),
        *map(place_str, given.places),
        *(f"strange {word}" for word in given.strange),
    ]
    assert " ".join(shown) == found


def play(card: str, place: str) -> PlayCard:
    return PlayCard(parse_card(card), parse_place(place), VERSION)


@pytest.mark.parametrize(
    ("model", "line", "intent"),
    [
        (TURN, "play 9h e", play("9H", "E")),
        (TURN, "p e 9H", play("9H", "E")),
        (TURN, "PLAY 9 of hearts to north", play("9H", "N")),
        (TURN, "play 9 n", play("9H", "N")),
        (TURN, "play 3d w", play("3D", "W")),
        (TURN, "move w s", MovePile(3, 2, VERSION)),
        (TURN, "m w s", MovePile(3, 2, VERSION)),
        (TURN, "move w", MovePile(3, 2, VERSION)),
        (TURN, "move the pile on south to north-east", MovePile(2, 4, VERSION)),
        (TURN, "hint", AskHint(VERSION)),
        (TURN, "end", EndTurn(VERSION)),
        (TURN, "e", EndTurn(VERSION)),
        (TURN, "draw", EndTurn(VERSION)),
        (TURN, "pass", EndTurn(VERSION)),
        (DRAWN, "pass", EndTurn(VERSION)),
        (GONE, "end", EndTurn(VERSION)),
        (LAST, "end yes", EndTurn(VERSION + 1)),
        (TURN, "end turn", EndTurn(VERSION)),
        (OPEN, "stock n", PlayTop(0, VERSION)),
        (OPEN, "st 9d n", PlayTop(0, VERSION)),
        (OPEN, "play 9h n", play("9H", "N")),
        (TURN, "say  hello   there", Say("hello there")),
        (TURN, "leave yes", Leave()),
        (TURN, "pause", Pause(True)),
        (TURN, "pause off", Pause(False)),
        (TURN, "vote 2", Vote(1, True)),
        (TURN, "vote 2 off", Vote(1, False)),
        (TURN, "kick 2", Kick(1)),
        (TURN, "kick watchers", Kick(None)),
        (TURN, "silence 2", Silence(1, True)),
        (TURN, "silence watchers off", Silence(None, False)),
        (TURN, "ignore 2", Ignore("Ben", True)),
        (TURN, "ignore watchers off", Ignore(None, False)),
        (WAITING, "ready", SetReady(True)),
        (WAITING, "leave", Leave()),
        (WAITING, "bot easy", AddBot("easy")),
        (WAITING, "b medium 2", AddBot("medium", 1)),
        (WAITING, "bot off 2", RemoveBot(1)),
        (LOBBY, "join 1", Join("kitchen")),
        (LOBBY, "j 2 open sesame", Join("attic", "open sesame")),
        (LOBBY, "watch 1", Watch("kitchen")),
        (
            evolve(LOBBY, kept=(Kept("t9", "Cellar"),)),
            "back",
            ComeBack("t9"),
        ),
        (
            evolve(LOBBY, kept=(Kept("t9", "Cellar"), Kept("t8", "Roof"))),
            "back 2",
            ComeBack("t8"),
        ),
        (evolve(LOBBY, lobby=Lobby(0, 3, 120, ())), "list 3", BrowsePage(2)),
        (LOBBY, "make", MakeTable("Ann's table", "pagat")),
        (
            LOBBY,
            "make strict players=4 bots=easy name='A shed' password=x watchable=no turn-seconds=30",
            MakeTable(
                "A shed",
                "strict",
                {"players": 4, "turn_seconds": 30},
                "x",
                watchable=False,
                bots=("easy",),
            ),
        ),
        (
            LOBBY,
            "make absent=wait grace-seconds=20 away-seconds=30",
            MakeTable("Ann's table", "pagat", absent="wait", grace_seconds=20, away_seconds=30),
        ),
        (
            LOBBY,
            "make bots=master thinking=0.3",
            MakeTable("Ann's table", "pagat", bots=("master",), thinking=300),
        ),
        (OFFLINE, "retry", RetryNow()),
        (OFFLINE, "quit", Quit()),
        (TURN, "q", Quit()),
        (TURN, "quit stop", Quit(stop_server=True)),
        (evolve(TURN, hosting=Hosting(("here",))), "exit", Quit()),
    ],
)
def test_a_command_leads_to_an_intent(model: Model, line: str, intent: Intent) -> None:
    step = asked(model, line)
    assert step.intent == intent, step.no
    assert step.ok


@pytest.mark.parametrize(
    ("model", "line", "said"),
    [
        (TURN, "plya", "there is no command 'plya'; did you mean play? Type help for all"),
        (TURN, "xyzzy", "there is no command 'xyzzy'; type help for all of them"),
        (TURN, "s", "s can mean stock, scores, say or silence; write more of it"),
        (TURN, "join 1", "join works in the lobby only (leave goes there); here you can type"),
        (LOBBY, "play 9h e", "play works at a table only; here you can type list, make"),
        (OFFLINE, "list", "list works in the lobby only"),
        (TURN, "play", "no card is named; write a card and a place, as in play 9h e; your hand"),
        (TURN, "play 4", "no such card is in your hand; write a card and a place"),
        (TURN, "play 9 w", "say which card: the 9 of spades or the 9 of hearts"),
        (TURN, "play 9h", "say where: the 9 of hearts goes to north or east"),
        (TURN, "play 3d", "the 3 of diamonds can go nowhere now; type can"),
        (TURN, "play kd n", "the king of diamonds is not in your hand; your hand: 3 of diamonds"),
        (TURN, "play 9h e n", "that is a place too many; write"),
        (TURN, "play 9z e", "'9z' is no card and no place; write"),
        (TURN, "move", "piles are moved whole, from place to place; write two places"),
        (TURN, "move 9h e", "piles are moved whole, from place to place; write two places"),
        (TURN, "move n", "the pile on N can go nowhere now; type can"),
        (TURN, "move n e s", "that is a place too many"),
        (TURN, "stock n", "the stock lies face down; end draws from it"),
        (OPEN, "stock 9h n", "on top of the stock lies the 9 of diamonds"),
        (CORNERS, "play 9h n", "this table has no place n; it has ne, se, sw, nw"),
        (NO_HINTS, "hint", "this table is played without hints; can tells"),
        (OTHERS_TURN, "hint", "it is Ben's turn"),
        (TURN, "end now", "end takes nothing more"),
        (OTHERS_TURN, "end", "it is Ben's turn; wait for it to be yours"),
        (evolve(TURN, seat=None, view=model_of(MATCH, None).view), "end", "you are watching;"),
        *(
            (DEALING, command, "the cards are being dealt; nothing can be played now")
            for command in ("hint", "can", "end", "play 9h n")
        ),
        (PAUSED, "end", "the match is paused until everybody wants to go on; nothing can be"),
        (WAITING, "play 9h n", "no match is running; the table waits for 1 more player"),
        (WAITING, "hand", "you hold no cards"),
        (WAITING, "table", "nothing is dealt yet"),
        (WAITING, "scores", "nothing is played yet"),
        (WAITING, "bot", "write bot and a level (easy, medium"),
        (WAITING, "bot grim", "'grim' is no level; write bot and a level"),
        (WAITING, "bot easy 7", "'7' is no seat; seats are 1 to 2"),
        (WAITING, "bot off", "no bot sits here"),
        (TURN, "ready", "a deal is being played; ready is for the time before one"),
        (TURN, "ready perhaps", "write ready, or ready off"),
        (TURN, "say", "there is nothing to say"),
        (TURN, "say " + "x" * (TEXT_LENGTH + 1), "that is too long; a line has at most"),
        (TURN, "leave", "leaving gives up your seat for good; write leave yes"),
        (TURN, "pause now", "write pause, or pause off to go on"),
        (TURN, "vote", "write vote and a seat: 2 Ben"),
        (TURN, "vote 1", "write vote and a seat: 2 Ben"),
        (TURN, "kick Ben", "write kick and a seat: 2 Ben"),
        (WAITING, "kick 2", "nobody else sits here"),
        (TURN, "wait here", "wait takes nothing more"),
        (TURN, "retry", "the connection stands"),
        (TURN, "quit now", "write quit, or quit stop"),
        (TURN, "help xyzzy", "there is no command 'xyzzy'"),
        (LOBBY, "join", "write join and a table's number, 1 to 2"),
        (LOBBY, "join 3", "write join and a table's number, 1 to 2"),
        (LOBBY, "join 2", "that table has a password; write join 2 and the password"),
        (LOBBY, "watch 2 x", "that table takes no spectators"),
        (LOBBY, "join 2 " + "x" * 65, "that password is too long"),
        (LOBBY, "list 9", "there is no page 9; pages are 1 to 1"),
        (LOBBY, "back", "no seat is kept for you here"),
        (LOBBY, "make chess", "'chess' is no set of rules (pagat,"),
        (LOBBY, "make playrs=3", "there is no option 'playrs'; there are name, bots"),
        (LOBBY, "make away_seconds=5", "away_seconds: 5 is not possible; allowed: 30 to 3600"),
        (LOBBY, "make deals=99", "deals: 99 is not possible; allowed: 1 to 50, none"),
        (
            LOBBY,
            "make strict layout=corners",
            "empty_place: not_king is not possible: the layout is corners; allowed: any, vacated",
        ),
        (DRAWN, "draw", "you have drawn already; type end to end your turn"),
        (IDLE_DRAW, "draw", "you played or moved, so you draw nothing; type end to"),
        (CARD_DRAW, "draw", "you draw only after playing a card of your hand; type end to"),
        (GONE, "draw", "the stock is empty; type end to end your turn"),
        (OTHERS_TURN, "draw", "it is Ben's turn; wait for it to be yours"),
        (LAST, "end", "your turn's end ends the deal, too; type end yes for that"),
        (LAST, "pass", "your turn's end ends the deal, too; type end yes for that"),
        (LOBBY, "make bots=grim", "bots=grim has an unknown level; there are easy, medium"),
        (LOBBY, "make bots=easy,easy", "with 2 players there is room for 1 bot beside you"),
        (LOBBY, "make name='x", "a quotation mark is not closed"),
        (LOBBY, "make name=", "the table's name needs a letter or two"),
        (LOBBY, "make watchable=perhaps", "watchable=perhaps is neither on nor off"),
        (lobby_of(), "join 1", "there is no table here; make opens one"),
    ],
)
def test_a_wrong_command_is_told_in_one_line(model: Model, line: str, said: str) -> None:
    step = asked(model, line)
    assert step.no.startswith(said), step
    assert "\n" not in step.no
    assert step.intent is None


def test_to_quit_says_what_becomes_of_ones_own_server() -> None:
    own = Hosting(("192.0.2.7:26480",), "code")
    visited, empty = evolve(LOBBY, hosting=own), evolve(lobby_of(), hosting=own)
    goes_on = "goodbye; your server goes on for the others."
    assert asked(visited, "quit") == Step(ok=goes_on, intent=Quit())
    stops = "goodbye; nobody else has a seat on your server, so it stops; it keeps its tables."
    assert asked(empty, "quit") == Step(ok=stops, intent=Quit())
    stops = "goodbye; your server stops, and keeps its tables."
    for model in (visited, empty):
        assert asked(model, "quit stop") == Step(ok=stops, intent=Quit(stop_server=True))
    assert asked(LOBBY, "quit") == Step(ok="goodbye.", intent=Quit())


def test_a_number_stands_for_the_table_that_was_listed_under_it() -> None:
    listed = asked(LOBBY, "list").listed
    assert listed == ("kitchen", "attic")
    changed = lobby_of(line_of("Roof"), line_of("Kitchen"))
    assert asked(changed, "join 1", listed).intent == Join("kitchen")
    assert asked(changed, "join 2", listed).no.startswith("that table is gone")


def test_what_is_asked_for_is_answered_at_once() -> None:
    assert asked(TURN, "hand").ok == (
        "4 in your hand: 3 of diamonds, 8 of spades, 9 of spades, 9 of hearts."
    )
    assert asked(TURN, "can").ok == ("play 9h n; play 9h e; move s ne; move w s; end")
    look = asked(TURN, "table")
    assert look.lines[0] == "north: 10 of spades alone."
    assert look.lines[-1] == "empty: south-east, south-west, north-west."
    assert look.ok == "the stock has 3 cards; it is your turn."
    seats = (
        SeatState(state="seated", name="Ann", pause=True),
        SeatState(state="dropped", name="Ben", back_in=42_000, votes=(0,)),
    )
    assert asked(evolve(TURN, table=table_of(MATCH, seats=seats)), "who").lines == (
        "seat 1: You, host, wants a pause, 4 cards, 0 points, on turn.",
        "seat 2: Ben, away, waited for another 0:42, 1 vote for a bot here, 2 cards, 0 points.",
    )
    who = asked(TURN, "who")
    assert who.lines[0] == "seat 1: You, host, 4 cards, 0 points, on turn."
    assert asked(TURN, "scores").ok == "in all: You 0 points, Ben 0 points."
    assert asked(TURN, "rules").lines[:2] == ("The deal:", "2 players get 7 cards each.")
    assert asked(LOBBY, "list").lines[1] == (
        "2: Attic, pagat, 2 of 4 seats taken, 1 bot, waits for players, with a password, "
        "no spectators."
    )
    assert asked(TURN, "help play").ok == "play CARD PLACE: play a card, as in play 9h e."


def test_everything_that_can_lists_is_understood() -> None:
    for model, end in ((TURN, "end"), (OPEN, "end"), (CORNERS, "end"), (LAST, "end yes")):
        typed = asked(model, "can").ok.split("; ")
        assert typed[-1] == end
        for line in typed:
            assert asked(model, line).intent is not None


@pytest.mark.parametrize("model", [TURN, LOBBY, OFFLINE, WAITING])
def test_help_lists_what_works_here_and_nothing_else(model: Model) -> None:
    step = asked(model, "help")
    names = [line.split()[0].rstrip(":") for line in step.lines]
    assert names
    for name in COMMANDS:
        elsewhere = " works " in asked(model, name).no
        assert (name in names) != elsewhere


@pytest.mark.parametrize(
    ("model", "typed", "offered"),
    [
        (TURN, "", ["play", "move", "stock", "end", "draw"]),
        (TURN, "st", ["stock"]),
        (LOBBY, "", ["list", "make", "join", "watch", "back", "anew", "wait", "help", "quit"]),
        (TURN, "play ", ["9h"]),
        (TURN, "p 9h ", ["n", "e"]),
        (TURN, "play 8s ", ["n", "e", "s", "w", "ne", "se", "sw", "nw"]),
        (TURN, "play 8s n", ["n", "ne", "nw"]),
        (TURN, "play 9h e ", []),
        (TURN, "play zz ", []),
        (TURN, "move ", ["s", "w"]),
        (TURN, "move w ", ["s"]),
        (OPEN, "stock ", ["n"]),
        (OTHERS_TURN, "play 8", ["8s"]),
        (TURN, "leave ", ["yes"]),
        (WAITING, "bot ", [*LEVELS, "off"]),
        (LOBBY, "join ", ["1", "2"]),
        (LOBBY, "make p", ["pagat", "password=", "players=", "points="]),
        (LOBBY, "make pagat turn", ["turn_seconds="]),
        (TURN, "xyzzy ", []),
        (TURN, "say h", []),
    ],
)
def test_what_may_be_typed_next_is_offered(model: Model, typed: str, offered: list[str]) -> None:
    found = completions(model, typed)
    assert found[: len(offered)] == offered
    assert len(found) == len(offered) or (model, typed) == (TURN, "")


def test_nobody_waits_for_what_others_do_by_being_answered_at_once() -> None:
    table = table_of(new_match(Rules()), phase="waiting", seats=OPEN_SEAT, host=1)
    assert due(WAITING) != ""
    assert due(evolve(WAITING, table=table)) == ""
    assert due(evolve(WAITING, seat=None)) == ""
