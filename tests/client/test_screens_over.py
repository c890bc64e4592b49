"""What lies over a screen: the help, the rules, the scores, the question before the end."""

from typing import Any

import pytest
from attrs import evolve

from kings_client.intents import Quit
from kings_client.model import Hosting, Linked, LinkState, Model
from kings_client.screens import overlays, route
from kings_client.session import HERE
from tables import model_of, picture, position, pressed, scene_of

GAME = model_of(
    position("KH 9H 5S", {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"})
)
MODELS = {"welcome": Model(), "game": GAME}


def test_the_hand_is_never_covered() -> None:
    for overlay in ("help", "sheet", "quit"):
        text = picture(GAME, overlay=overlay)
        assert all(name in text for name in ("K♥", "9♥", "5♠"))


@pytest.mark.parametrize("size", [(40, 15), (44, 16), (60, 20), (79, 30), (100, 18)])
@pytest.mark.parametrize("overlay", ["help", "sheet", "quit", "settings", "rules", "people"])
def test_what_lies_over_a_small_window_leaves_the_hand_in_sight_and_says_how_it_is_closed(
    size: tuple[int, int], overlay: str
) -> None:
    model = model_of(position("9H 9S 8S 3D 2D KD QH 4D", {"N": "TS", "E": "TC"}))
    lines = picture(model, *size, overlay=overlay).split("\n")
    hand = " ".join(lines[-2:])
    assert all(name in hand for name in ("9♥*", "9♠", "8♠", "3♦", "2♦", "K♦", "Q♥", "4♦"))
    assert "Esc" in "\n".join(lines[:-2])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"link": LinkState(Linked.ONLINE, HERE)}, "waits until you play again"),
        ({"link": LinkState(Linked.ONLINE, "den")}, "seat is kept"),
        ({"hosting": Hosting(("192.0.2.7",))}, "stop the server, or leave it running"),
    ],
)
def test_quitting_says_what_will_become_of_the_game(changes: dict[str, Any], words: str) -> None:
    scene = pressed(scene_of(evolve(GAME, **changes)), "q")
    assert words in " ".join(route.draw(scene).text().replace("│", " ").split())
    assert route.press(scene, "enter").intents == (Quit(False),)
    hosting = "hosting" in changes
    assert route.press(scene, "s").intents == ((Quit(True),) if hosting else ())
    assert pressed(scene, "escape").ui.overlay is None


def test_the_help_is_readable_whole() -> None:
    text = picture(GAME, overlay="help")
    for key, does in overlays._HELP:
        assert f"│ {key:<8}{does} " in text


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (79, 24), (80, 18)])
@pytest.mark.parametrize("name", ["welcome", "game"])
def test_the_help_is_a_page_that_scrolls_where_it_has_no_room(
    name: str, size: tuple[int, int]
) -> None:
    scene = pressed(evolve(scene_of(MODELS[name]), width=size[0], height=size[1]), "?")
    shown = []
    for _ in range(60):
        rows = route.draw(scene).text().split("\n")
        at = next(y for y, row in enumerate(rows) if "keys" in row)
        left = rows[at].index("╭")
        end = next(y for y in range(at, size[1]) if rows[y][left] == "╰")
        right = rows[end].rindex("╯")
        assert all(rows[y][right] == "│" for y in range(at + 1, end))
        shown += [rows[y][left + 1 : right] for y in range(at + 1, end)]
        scene = pressed(scene, "down")
    seen = " ".join(" ".join(shown).split())
    for _, does in overlays._HELP:
        assert all(word in seen for word in does.split())
    assert pressed(scene, "escape").ui.overlay is None


def test_the_rules_of_the_table_are_a_page_that_scrolls() -> None:
    scene = pressed(scene_of(GAME), "r")
    assert "Four cards are turned up north" in route.draw(scene).text()
    end = pressed(scene, "end")
    assert "An ace closes its pile" in route.draw(end).text()
    assert "Four cards are turned up north" not in route.draw(end).text()
    assert pressed(end, "escape").ui.overlay is None
