"""How a server is known, as a person sees and hears it."""

import pytest
from attrs import evolve

from kings_client.intents import AcceptCode, GivePassword, RetryNow, ToWelcome
from kings_client.model import Change, Hosting, How, Linked, LinkState, Model, Reason, Security
from kings_client.plain.telling import Teller
from kings_client.screens import route
from kings_client.updating import Began, Closed, Reached, Trying, update
from kings_client.words.security import ended, known_as
from kings_engine.presets import preset_rules
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import SeatState
from tables import line_of, lobby_of, model_of, picture, played, pressed, scene_of, table_of

KNOWN, FOUND = "04HM-ASW9-NF6Y-Y093", "DERQ-Y4PZ-KX8W-34YD"
GAME = next(match for match in played(preset_rules("pagat", {"players": 2}), 50, 1) if match.number)
CHANGED = LinkState(
    Linked.CLOSED,
    "den.example",
    reason=Reason.CERTIFICATE_CHANGED,
    change=Change(KNOWN, FOUND),
)


def by(how: How) -> LinkState:
    code = "" if how in ("here", "plain") else KNOWN
    return LinkState(Linked.ONLINE, "den.example", security=Security(how, code))


@pytest.mark.parametrize(
    ("how", "head"),
    [
        ("here", "● online"),
        ("plain", "● online, not encrypted"),
        ("first", "● online, encrypted"),
        ("known", "● online, encrypted"),
        ("real", "● online, encrypted"),
    ],
)
def test_the_top_line_says_whether_the_connection_is_encrypted(how: How, head: str) -> None:
    for model in (model_of(GAME), lobby_of(line_of("Kitchen"))):
        top = picture(evolve(model, link=by(how))).split("\n")[0]
        assert top.rstrip().endswith(head)


def test_the_lobby_shows_the_code_and_at_the_first_visit_what_it_is_for() -> None:
    first = picture(lobby_of(line_of("Kitchen"), link=by("first")))
    assert first.count(KNOWN) == 2
    assert "First visit: compare the code" in first
    known = picture(lobby_of(line_of("Kitchen"), link=by("known")))
    assert known.count(KNOWN) == 1
    assert "First visit" not in known
    assert "NOT ENCRYPTED" in picture(lobby_of(line_of("Kitchen"), link=by("plain")))


def test_the_host_sees_the_code_beside_the_address_and_later_with_the_people() -> None:
    seats = (SeatState(state="seated", name="Ann"), SeatState(state="open", name=""))
    waiting = table_of(GAME, phase="waiting", seats=seats)
    hosting = Hosting(("192.0.2.1",), KNOWN)
    model = model_of(GAME, table=waiting, view=None, events=(), hosting=hosting)
    shown = picture(model)
    assert "kings join 192.0.2.1" in shown
    assert KNOWN in shown
    assert KNOWN in picture(evolve(model_of(GAME), link=by("known")), overlay="people")


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (80, 24)])
def test_a_host_whose_seats_are_all_bots_finds_the_address_in_the_match(
    size: tuple[int, int],
) -> None:
    hosting = Hosting(("192.168.100.100:7654", "10.0.0.1:7654"), KNOWN)
    model = model_of(GAME, hosting=hosting, link=by("known"))
    people = picture(model, *size, overlay="people")
    for told in (*hosting.addresses, KNOWN):
        assert told in people
    if size[0] >= 60:
        assert hosting.addresses[0] in picture(model, *size)


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (110, 34)])
def test_the_warning_takes_the_place_of_every_screen(size: tuple[int, int]) -> None:
    for before in (Model("entering"), lobby_of(line_of("Kitchen")), model_of(GAME)):
        model = evolve(before, link=CHANGED)
        assert route.screen_of(model) == "changed"
        shown = picture(model, *size)
        assert KNOWN in shown
        assert FOUND in shown
        assert "Kitchen" not in shown


def test_nothing_but_the_end_of_the_new_code_accepts_it() -> None:
    scene = scene_of(evolve(Model("entering"), link=CHANGED))
    for key in ("enter", "r", " ", "y", "d"):
        assert RetryNow() not in route.press(scene, key).intents
        assert route.press(scene, key).ui.form is None
    form = pressed(scene, "a")
    for wrong in (KNOWN[-4:], "", "34y", FOUND[:4], KNOWN):
        step = route.press(pressed(form, *wrong), "enter")
        assert step.intents == ()
        assert "it was not accepted" in step.ui.note
    for right in ("34YD", "34yd", FOUND, FOUND.replace("-", "").lower()):
        assert route.press(pressed(form, *right), "enter").intents == (AcceptCode(FOUND),)
    assert route.press(scene, "escape").intents == (ToWelcome(),)


def test_a_form_for_one_code_is_gone_when_another_is_found() -> None:
    model = evolve(Model("entering"), link=CHANGED)
    ui = pressed(scene_of(model), "a").ui
    assert route.settle(ui, model).form is not None
    other = evolve(CHANGED, change=Change(KNOWN, "0000-0000-0000-0000"))
    assert route.settle(ui, evolve(model, link=other)).form is None


@pytest.mark.parametrize("reason", [Reason.NO_PASSWORD, RefusalCode.WRONG_PASSWORD])
def test_a_servers_password_is_asked_for_and_given(reason: str) -> None:
    link = LinkState(Linked.CLOSED, "den", reason=reason)
    for model, key in ((Model("entering", link), "enter"), (model_of(GAME, link=link), "r")):
        form = pressed(scene_of(model), key)
        assert form.ui.form is not None
        empty = route.press(form, "enter")
        assert (empty.intents, empty.ui.note) == ((), "please fill in: password")
        step = route.press(pressed(form, *"sesame"), "enter")
        assert step.intents == (GivePassword("sesame"),)
        assert "sesame" not in repr(step.intents)
        assert "sesame" not in route.draw(pressed(form, *"sesame")).text()


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (80, 24)])
def test_the_code_is_to_be_compared_before_a_password_is_given(size: tuple[int, int]) -> None:
    link = LinkState(Linked.CLOSED, "den", reason=RefusalCode.WRONG_PASSWORD)
    first = evolve(Model("entering", link), link=evolve(link, security=by("first").security))
    for scene in (scene_of(first, *size), pressed(scene_of(first, *size), "enter")):
        assert f"compare the code {KNOWN}" in " ".join(route.draw(scene).text().split())
    known = evolve(first, link=evolve(link, security=by("known").security))
    assert KNOWN not in picture(known, *size)


def test_a_first_visit_stays_one_when_the_server_has_let_nobody_in() -> None:
    code, model = Security("first", KNOWN), Model("entering")
    tried = update(model, Reached(code, "a"), 0.0)
    refused = update(tried, Closed(RefusalCode.WRONG_PASSWORD), 1.0)
    again = update(update(refused, Trying(), 2.0), Reached(Security("known", KNOWN), "a"), 2.0)
    assert again.link.security == code
    other = update(refused, Reached(Security("known", FOUND), "b"), 2.0)
    assert other.link.security == Security("known", FOUND)
    later = update(update(again, Began("den"), 3.0), Reached(Security("known", KNOWN), "a"), 3.0)
    assert later.link.security == Security("known", KNOWN)


def test_a_script_is_told_what_to_do() -> None:
    assert f"add --accept {FOUND}" in ended(CHANGED)
    assert KNOWN in ended(CHANGED)
    for why in (Reason.NO_PASSWORD, RefusalCode.WRONG_PASSWORD):
        assert "--server-password-file" in ended(LinkState(Linked.CLOSED, "den", reason=why))


@pytest.mark.parametrize("how", ["plain", "first", "known", "real"])
def test_the_line_mode_says_how_the_server_is_known(how: How) -> None:
    before = Model("entering", LinkState(Linked.CONNECTING, "den"))
    teller = Teller(before)
    told = list(teller.tell(evolve(before, link=by(how))))
    assert told[0] == known_as(Security(how, by(how).security.code))  # type: ignore[union-attr]


def test_the_line_mode_has_a_first_code_compared_before_a_password_is_given() -> None:
    before = Model("entering", LinkState(Linked.CONNECTING, "den"))
    link = LinkState(
        Linked.CLOSED, "den", reason=RefusalCode.WRONG_PASSWORD, security=Security("first", KNOWN)
    )
    told = list(Teller(before).tell(evolve(before, link=link)))
    assert told[0] == known_as(Security("first", KNOWN))
    assert "--server-password-file" in told[1]


def test_of_ones_own_server_on_this_machine_there_is_nothing_to_say() -> None:
    assert known_as(Security("here")) == known_as(None) == ""
