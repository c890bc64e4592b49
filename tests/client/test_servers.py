"""The list of servers on the network, on the welcome screen and in the line mode."""

import pytest
from attrs import evolve

from kings_client.intents import StartJoin, ToWelcome
from kings_client.model import Linked, LinkState, Model, Recent
from kings_client.parts.canvas import OnServer, width_of
from kings_client.plain.commands import obey
from kings_client.plain.completing import completions
from kings_client.plain.orders import Context
from kings_client.plain.telling import Teller
from kings_client.screens import route
from kings_client.screens.state import Scene
from kings_client.search import Found, Search
from tables import pressed, scene_of

KITCHEN = Found(1, "Kitchen", "192.0.2.5", 3, 2, program="0.1.0", server="a", seconds=0.0124)
ATTIC = Found(2, "Attic", "192.0.2.6", locked=True, program="0.1.0", server="b", seconds=0.0004)
MUSEUM = Found(3, "Museum", "192.0.2.7:7000", 1, 1, speaks=False, program="9.9", seconds=0.2)
SHED = Found(4, "Shed", "192.0.2.8", program="0.1.0", silent=True)
NEW = Found(5, "", "fe80::1%2", program="0.1.0")
ALL = (KITCHEN, ATTIC, MUSEUM, SHED, NEW)


def model_of(*servers: Found, deaf: bool = False) -> Model:
    return Model(name="Ann", search=Search(servers, deaf))


def after(scene: Scene, *servers: Found) -> Scene:
    """Return the scene when the list has changed."""
    model = model_of(*servers)
    return evolve(scene, model=model, ui=route.settle(scene.ui, model, scene.model))


def line(scene: Scene, words: str) -> str:
    found = [line for line in route.draw(scene).text().split("\n") if words in line]
    assert len(found) == 1, (words, found)
    return found[0]


def test_everything_is_told_of_each_server() -> None:
    scene = scene_of(model_of(*ALL))
    assert line(scene, "Kitchen").split()[2:5] == ["3", "2", "12"]
    assert "0.4 ms  password" in line(scene, "Attic")
    assert "200 ms  another version, 9.9" in line(scene, "Museum")
    assert "no answer" in line(scene, "Shed")
    assert line(scene, "asking…").split()[1] == "server"
    assert line(pressed(scene, "up"), "fe80::1%2, 0 tables, version 0.1.0")


@pytest.mark.parametrize("size", [(40, 15), (60, 18), (80, 24), (200, 60)])
@pytest.mark.parametrize("recent", [0, 5])
@pytest.mark.parametrize("count", [0, 1, 64])
def test_the_list_fits_into_every_window_and_follows_the_cursor(
    size: tuple[int, int], recent: int, count: int
) -> None:
    visited = tuple(Recent(f"192.0.2.{at}", "Küche 你好") for at in range(recent))
    servers = tuple(evolve(KITCHEN, number=at, name=f"宿{at}x" * 8) for at in range(count))
    model = evolve(model_of(*servers), recent=visited)
    scene = scene_of(model, *size)
    for _ in range(count + 12):
        drawn = route.draw(scene).text()
        assert all(width_of(line) <= size[0] for line in drawn.split("\n"))
        assert "Play against the computer" in drawn
        chosen = scene.ui.server
        assert chosen is None or f"宿{chosen}x" in drawn
        scene = pressed(scene, "down")
    assert ("on your network" in route.draw(scene).text()) is True


def test_the_cursor_stays_on_its_server_whatever_becomes_of_the_list() -> None:
    scene = pressed(scene_of(model_of(KITCHEN, ATTIC)), "up")
    assert route.press(scene, "enter").intents == (StartJoin("192.0.2.6", "Ann"),)
    moved = after(scene, ATTIC, KITCHEN, MUSEUM)
    assert route.press(moved, "enter").intents == (StartJoin("192.0.2.6", "Ann"),)
    gone = after(scene, KITCHEN)
    assert route.press(gone, "enter").intents == ()
    assert route.press(gone, "enter").ui.form is not None


def test_a_server_is_chosen_by_one_click_and_gone_to_by_another() -> None:
    scene = scene_of(model_of(KITCHEN, ATTIC))
    step = route.click(scene, OnServer(2))
    assert step.intents == ()
    again = route.click(evolve(scene, ui=step.ui), OnServer(2))
    assert again.intents == (StartJoin("192.0.2.6", "Ann"),)


def test_an_empty_list_says_why() -> None:
    assert "No server has been found yet" in route.draw(scene_of(model_of())).text()
    assert "cannot be heard" in route.draw(scene_of(model_of(deaf=True))).text()
    assert "on your network" not in route.draw(scene_of(Model(name="Ann"))).text()


# ---- by lines


def test_servers_are_listed_by_the_numbers_that_join_takes() -> None:
    context = Context(evolve(model_of(*ALL), recent=(Recent("192.0.2.9", "Den"),)))
    step = obey(context, "servers")
    assert step.ok == "3 servers."
    assert step.lines[0] == "1: Kitchen: 3 people, 12 ms, 192.0.2.5, 2 tables, version 0.1.0"
    assert step.lines[-1] == "visited before: Den, 192.0.2.9"
    assert obey(context, "join 2").intent == StartJoin("192.0.2.6", "Ann")
    assert obey(context, "join den.example:7000").intent == StartJoin("den.example:7000", "Ann")
    assert "no server 9 now" in obey(context, "join 9").no
    assert "no port" in obey(context, "join den:0").no
    assert "number or address" in obey(context, "join").no
    assert completions(context.model, "join ") == ["1", "2", "3", "4", "5"]


def test_servers_are_waited_for_within_bounds() -> None:
    context = Context(model_of())
    assert obey(context, "servers 10").patience == 10
    assert all(obey(context, f"servers {words}").no for words in ("0", "x", "601", "-1"))
    assert obey(context, "servers").no.startswith("No server has been found yet")
    assert "no servers are looked for" in obey(Context(Model(name="Ann")), "servers 10").no


def test_what_is_for_tables_is_refused_before_a_server_is_chosen() -> None:
    assert "at a table only" in obey(Context(model_of(KITCHEN)), "play 9h e").no
    lobby = evolve(model_of(), where="lobby", link=LinkState(Linked.ONLINE))
    assert "no server is chosen" in obey(Context(lobby), "servers").no
    lost = evolve(model_of(), where="entering", link=LinkState(Linked.CLOSED))
    assert obey(Context(lost), "servers").intent == ToWelcome()


def test_servers_are_told_once_as_they_come_and_go() -> None:
    teller = Teller(model_of())
    unasked = evolve(KITCHEN, seconds=None, server="")
    assert teller.tell(model_of(unasked)) == ()
    (told,) = teller.tell(model_of(KITCHEN))
    assert told.startswith("Server 1 is Kitchen: 3 people")
    assert teller.tell(model_of(evolve(KITCHEN, people=4, seconds=0.5))) == ()
    silent = evolve(KITCHEN, seconds=None, silent=True)
    assert teller.tell(model_of(silent)) == ()
    assert teller.tell(model_of()) == ("Server 1 is gone: Kitchen.",)
    mute = evolve(NEW, silent=True)
    assert teller.tell(model_of(NEW)) == teller.tell(model_of(mute)) == ()
    assert teller.tell(model_of()) == ()
