"""The welcome screen, the lobby and the forms: what each key and click asks for."""

import pytest
from attrs import evolve
from msgspec.structs import replace

from kings_client.choices import LEVELS
from kings_client.intents import (
    BrowsePage,
    ComeBack,
    Join,
    MakeTable,
    Quit,
    StartHost,
    StartJoin,
    StartPlay,
    ToWelcome,
    Watch,
)
from kings_client.model import Hosting, Kept, Linked, LinkState, Lobby, Model, Recent, Stop
from kings_client.parts.canvas import OnKey, OnRow, width_of
from kings_client.screens import route
from kings_client.screens.forms import FIELDS
from kings_client.screens.knobs import KNOB_FIELDS
from kings_client.screens.knowing import counting
from kings_client.session import HERE
from kings_client.words.knobs import ABOUT, LABELS
from kings_client.words.people import about_level
from kings_client.words.refusals import refusal
from kings_client.words.spoken import capital
from kings_engine.match import new_match
from kings_engine.rules import KNOBS, Rules
from kings_protocol.messages import FaultLine, Refused, SeatState
from tables import line_of, lobby_of, model_of, picture, position, pressed, scene_of, table_of


def test_the_lobby_joins_watches_and_asks_for_passwords() -> None:
    model = lobby_of(
        line_of("Kitchen"), line_of("Attic", locked=True), line_of("Shed", watchable=False)
    )
    scene = scene_of(model)
    assert "waits for players  password" in route.draw(scene).text()
    assert route.press(scene, "enter").intents == (Join("kitchen"),)
    assert route.press(scene, "w").intents == (Watch("kitchen"),)
    locked = pressed(scene, "down", "enter", *"sesame")
    assert "sesame" not in route.draw(locked).text()
    assert route.press(locked, "enter").intents == (Join("attic", "sesame"),)
    closed = pressed(scene, "down", "down", "w")
    assert "no spectators" in route.draw(closed).text()


def test_the_lobby_turns_pages_and_takes_seats_back() -> None:
    pages = lobby_of(line_of("Kitchen"), lobby=Lobby(0, 2, 51, (line_of("Kitchen"),)))
    assert route.press(scene_of(pages), "pagedown").intents == (BrowsePage(1),)
    assert route.press(scene_of(pages), "pageup").intents == ()
    kept = scene_of(lobby_of(line_of("Kitchen"), kept=(Kept("attic", "Ann's attic"),)))
    assert "your seat at Ann's attic: Enter takes it back" in route.draw(kept).text()
    assert route.press(kept, "enter").intents == (ComeBack("attic"),)
    assert route.press(kept, "escape").intents == (ToWelcome(),)
    assert route.press(pressed(kept, "down"), "enter").intents == (Join("kitchen"),)


def test_why_one_is_back_in_the_lobby_is_told() -> None:
    assert "The table was closed" in picture(lobby_of(unseated="table_closed"))


def test_what_the_server_says_to_everybody_stands_over_the_tables() -> None:
    model = lobby_of(line_of("Kitchen"), announced="Chess is on Thursdays. " * 12)
    lines = picture(model).split("\n")
    assert lines[1].strip().startswith("the server says: Chess is on Thursdays.")
    assert "".join(lines[1:6]).count("Thursdays") == 12
    assert "Kitchen" in "".join(lines[6:])
    assert len(lines) == len(picture(evolve(model, announced="")).split("\n"))


def test_the_seconds_until_the_server_stops_are_counted_wherever_one_is() -> None:
    match, begun = new_match(Rules()), position("9H", {"N": "TS"})
    waiting = table_of(match, phase="waiting")
    lobby = lobby_of(line_of("Kitchen"))
    for model in (lobby, model_of(match, view=None, events=(), table=waiting), model_of(begun)):
        stops = evolve(model, link=evolve(model.link, stop=Stop(9.0, 8.5)))
        assert "the server stops in 0:09" in picture(stops).split("\n")[0]
        assert counting(stops)


def test_where_others_join_stands_over_the_lobby_and_over_a_game_of_bots_alone() -> None:
    own = Hosting(("192.0.2.207:26480", "198.51.100.1:26480"), "code")
    game = model_of(position("9H", {"N": "TS"}), hosting=own)
    for model in (evolve(lobby_of(line_of("Kitchen")), hosting=own), game):
        top = picture(model).split("\n")[0]
        assert "192.0.2.207:26480" in top
        assert "online" in top


def test_a_table_is_made_by_a_form() -> None:
    scene = pressed(scene_of(lobby_of()), "n", "down", "left", "down", "right", "down", "left")
    assert route.press(scene, "enter").intents == (
        MakeTable("Ann's table", "pagat", {"players": 3}, bots=("easy",)),
    )
    too_many = pressed(scene, "up", "right", "right", "enter")
    assert "room for 2 bots" in route.draw(too_many).text()


def test_whoever_hosts_is_told_in_the_lobby_who_else_plays_on_the_server() -> None:
    hosting = Hosting(("192.0.2.7",))
    full = pressed(scene_of(lobby_of(line_of("Kitchen", people=1), hosting=hosting)), "q")
    assert "People have seats on your server" in route.draw(full).text()
    assert route.press(full, "s").intents == (Quit(stop_server=True),)
    assert route.press(full, "enter").intents == (Quit(stop_server=False),)
    empty = pressed(scene_of(lobby_of(line_of("Kitchen", people=0), hosting=hosting)), "q")
    assert "Nobody else is at your table" in route.draw(empty).text()


def test_a_form_says_what_becomes_of_somebody_gone() -> None:
    scene = pressed(scene_of(lobby_of()), "n", "up", "right", "up", "left", "up", "left")
    assert "Their seat waits, a bot plays" in route.draw(scene).text()
    (made,) = route.press(scene, "enter").intents
    assert isinstance(made, MakeTable)
    assert (made.absent, made.grace_seconds, made.away_seconds) == ("wait", 30, 300)


def test_a_form_says_how_bots_of_a_level_play() -> None:
    scene = pressed(scene_of(lobby_of()), "n", "down", "down", "down")
    at = LEVELS.index("medium")
    for level in (*LEVELS[at:], *LEVELS[:at]):
        assert about_level(level)[:50] in route.draw(scene).text()
        scene = pressed(scene, "right")
    assert len(set(map(about_level, LEVELS))) == len(LEVELS)


def test_a_form_says_why_a_level_is_not_offered() -> None:
    lobby = lobby_of(missing={"master": "level_needs_compiler"})
    scene = pressed(scene_of(lobby), "n", "down", "down", "down")
    assert "not offered" not in route.draw(scene).text()
    shown = route.draw(pressed(scene, "right", "right", "right")).text()
    assert "master is not offered here: such bots need numba" in shown


def test_the_welcome_screen_starts_each_kind_of_game() -> None:
    scene = scene_of(Model(name="Ann"))
    (play,) = route.press(pressed(scene, "p", "down", "right"), "enter").intents
    assert play == StartPlay(
        MakeTable("Ann's table", "pagat", {"players": 3}, bots=("medium", "medium")), "Ann"
    )
    (host,) = route.press(pressed(scene, "h", *["down"] * 7, *"7000"), "enter").intents
    assert host == StartHost(MakeTable("Ann's table", "pagat", {"players": 4}), "Ann", 7000)
    (join,) = route.press(pressed(scene, "j", *"den:7000"), "enter").intents
    assert join == StartJoin("den:7000", "Ann")
    assert "fill in" in route.draw(pressed(scene, "j", "enter")).text()
    assert "no port" in route.draw(pressed(scene, "h", *["down"] * 7, *"x", "enter")).text()
    assert route.press(scene, "q").intents == (Quit(),)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_lobby_keeps_within_its_frame_and_says_which_table_is_locked(width: int) -> None:
    shown = picture(lobby_of(line_of("Attic", locked=True), line_of("Den")), width, 20).split("\n")
    assert [row[-1] for row in shown[2:5]] == ["│"] * 3
    assert all(len(row) == width for row in shown[2:5])
    assert "password" in shown[3]
    assert "waits" in shown[4]


def test_a_server_visited_before_is_one_key_away() -> None:
    scene = scene_of(Model(recent=(Recent("den.example:7654", "den"),)))
    assert "den.example" in route.draw(scene).text()
    assert route.press(scene, "1").intents == (StartJoin("den.example:7654", "Player"),)
    (typed,) = route.press(pressed(scene, "j", *"attic"), "enter").intents
    assert typed == StartJoin("attic", "Player")


def test_of_a_server_visited_before_the_name_is_cut_and_not_the_address() -> None:
    address = "192.168.100.100:7654"
    known = (Recent(address, "Hanna's table"), Recent("den.example", "Den"))
    scene = scene_of(Model(name="Ann", recent=known))
    assert f"1  Hanna…, {address}" in route.draw(scene).text()
    assert "2  Den, den.example" in route.draw(scene).text()
    on_it = pressed(scene, *["down"] * 5)
    assert f"Hanna's table, {address}" in route.draw(on_it).text()
    assert "Hanna's table" not in route.draw(pressed(on_it, "down")).text()
    far = scene_of(Model(recent=(Recent("a-host.with-a-long-name.example.org:7654", "Den"),)))
    assert "a-host.with-a-long-name.exa…" in route.draw(far).text()


def test_an_address_that_led_nowhere_stands_in_the_form_again() -> None:
    scene = scene_of(Model(name="Ann"))
    gone = route.press(pressed(scene, "j", *"dem.example"), "enter")
    again = pressed(evolve(scene, ui=gone.ui), "j", *["backspace"] * 9, *"n.example")
    (join,) = route.press(again, "enter").intents
    assert join == StartJoin("den.example", "Ann")
    visited = evolve(scene.model, recent=(Recent("dem.example", "dem"),))
    form = pressed(evolve(scene, ui=gone.ui, model=visited), "j").ui.form
    assert form is not None
    assert form.fields["address"].text == ""


def test_every_rule_can_be_changed_in_a_form_and_is_judged_while_it_is_filled_in() -> None:
    scene = scene_of(Model(name="Ann"))
    first = len(FIELDS["play"]) - len(KNOB_FIELDS)
    names = [field.name for field in KNOB_FIELDS]
    assert set(names) == set(KNOBS) - {"players"}

    def to(name: str) -> list[str]:
        return ["down"] * (first + names.index(name))

    assert "← end →" in route.draw(pressed(scene, "p", *to("draw"))).text()
    assert "← start, changed →" in route.draw(pressed(scene, "p", *to("draw"), "right")).text()
    back = pressed(scene, "p", *to("draw"), "right", "left")
    assert "← end →" in route.draw(back).text()
    usual = " ".join(route.draw(pressed(scene, "p", *to("points"))).text().split())
    assert "Possible: 5 to 500. Left empty, it is 25." in usual
    points = pressed(scene, "p", *to("points"), *"4")
    assert "5 to 500" in route.draw(points).text()
    refused = route.press(points, "enter")
    assert refused.intents == ()
    (play,) = route.press(pressed(points, "0"), "enter").intents
    assert isinstance(play, StartPlay)
    assert play.table.knobs == {"players": 2, "points": 40}
    corners = pressed(scene, "p", *to("layout"), "left", *["down"] * 4, "right", "right")
    assert "✗ empty places" in route.draw(corners).text()
    (own,) = route.press(
        pressed(scene, "p", *to("scoring"), *"1,1,1,1,1,1,1,1,1,1,2,3,9"), "enter"
    ).intents
    assert isinstance(own, StartPlay)
    assert own.table.knobs["scoring"] == (1,) * 10 + (2, 3, 9)


def test_rules_that_exclude_each_other_lead_to_the_field_at_fault() -> None:
    scene = pressed(scene_of(Model(name="Ann")), "p")
    to_match = ["down"] * (
        len(FIELDS["play"]) - len(KNOB_FIELDS) + [f.name for f in KNOB_FIELDS].index("match")
    )
    chosen = pressed(scene, *to_match, "right", "right", "right", "enter")
    assert "deals" in route.draw(chosen).text()
    assert chosen.ui.form is not None
    assert FIELDS["play"][chosen.ui.form.row].name == "deals"
    assert "deals: none is not possible: the match is counted" in route.draw(chosen).text()


def test_every_knob_has_its_words() -> None:
    assert set(LABELS) == set(ABOUT) == set(KNOBS)
    assert all(width_of(label) <= 18 for label in LABELS.values())


def test_forms_and_menus_work_by_clicks() -> None:
    scene = scene_of(Model(name="Ann"))
    opened = evolve(scene, ui=route.click(scene, OnRow(0)).ui)
    chosen = evolve(opened, ui=route.click(opened, OnRow(1)).ui)
    turned = evolve(chosen, ui=route.click(chosen, OnRow(1)).ui)
    (play,) = route.click(turned, OnKey("enter")).intents
    assert isinstance(play, StartPlay)
    assert play.table.knobs == {"players": 3}


def test_a_longer_reason_takes_the_line_of_keys_too() -> None:
    faults = tuple(FaultLine(knob=f"knob{at}", given="7", allowed="1 to 3") for at in range(2))
    refused = Refused(re="0" * 32, code="bad_rules", faults=faults)
    *_, status, keys = picture(lobby_of(line_of("Kitchen"), refusal=refused)).split("\n")
    assert " ".join((status + keys).split()) == capital(refusal(refused))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_help_and_quit_are_offered_before_the_start_in_every_window(width: int) -> None:
    match = new_match(Rules(players=4))
    table = table_of(match, phase="waiting")
    someone, *_ = table.seats
    seats = (
        someone,
        SeatState(state="bot", name="easy", level="easy", ready=True),
        *(SeatState(state="open", name="") for _ in range(2)),
    )
    model = model_of(match, view=None, events=(), table=replace(table, seats=seats))
    *_, status, keys = picture(model, width, 24).splitlines()
    assert "? help  Q quit" in keys
    assert "E" in keys.split()
    assert "S" in keys.split()
    assert width < 80 or "E easy, M medium, H hard, P expert, S master" in status


def test_in_the_lobby_of_a_game_alone_nobody_is_promised_others() -> None:
    alone = lobby_of(link=LinkState(Linked.ONLINE, HERE))
    assert "others will see it" in picture(lobby_of())
    assert "others will see it" in picture(evolve(alone, hosting=Hosting(("192.0.2.7",))))
    assert "Press N to make one." in picture(alone)
    assert "others" not in picture(alone)
