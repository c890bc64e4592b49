"""Settings: kept in a file that may be anything, changed on the screen, and in force at once."""

import os
import re
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth, DummyOutput

from kings_client.colours import depth
from kings_client.intents import Seek
from kings_client.parts.canvas import OnRow
from kings_client.screens import route
from kings_client.settings import CHOICES, Settings, as_plain, changed, look_of
from kings_client.settings_file import NAME, config_folder, load, save
from kings_client.style import ASCII, THEMES, theme
from kings_client.words.settings import ABOUT, LABELS, VALUES, value
from tables import model_of, picture, position, pressed, scene_of

GAME = model_of(position("KH 9H 5S", {"N": "TS", "E": "TC", "NW": "KD QS"}))


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}))
def test_what_is_kept_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("config") / "deeper"
    assert save(Settings(**values), folder) == ""
    assert as_plain(load(folder).settings) == values
    assert load(folder).problem == ""


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path / "nothing").settings == Settings()
    assert load(tmp_path / "nothing").problem == ""


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'theme = "light', b"[[[", b"a" * 100_000])
def test_a_damaged_file_is_told_and_kept_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert "damaged" in loaded.problem
    assert save(evolve(loaded.settings, theme="light"), tmp_path) == ""
    assert load(tmp_path).settings.theme == "light"
    assert (tmp_path / (NAME + ".old")).read_bytes() == content


def test_of_a_newer_file_what_is_understood_is_taken(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('theme = "light"\nbell = 3\nscent = "pine"\n')
    loaded = load(tmp_path)
    assert loaded.settings == Settings(theme="light")
    assert "bell, scent" in loaded.problem


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be kept" in save(Settings(), tmp_path / "file")


def test_the_folder_can_be_named_and_follows_that_of_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINGS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("KINGS_CONFIG_DIR", raising=False)
    assert config_folder() == tmp_path / "state"
    monkeypatch.setenv("KINGS_CONFIG_DIR", str(tmp_path / "config"))
    assert config_folder() == tmp_path / "config"


def test_every_setting_and_value_has_its_words() -> None:
    assert set(LABELS) == set(ABOUT) == set(CHOICES) == set(as_plain(Settings()))
    for name, values in CHOICES.items():
        assert all(value(name, one) for one in values)
        assert name == "language" or set(VALUES[name]) == set(values)
        assert as_plain(Settings())[name] in values


def test_settings_are_changed_by_keys_and_by_clicks_and_hold_at_once() -> None:
    scene = pressed(scene_of(GAME), "o")
    assert "high contrast" not in route.draw(scene).text()
    scene = pressed(scene, "right", "right")
    assert scene.ui.settings.theme == "contrast"
    assert "high contrast" in route.draw(scene).text()
    chosen = evolve(scene, ui=route.click(scene, OnRow(2)).ui)
    assert route.click(chosen, OnRow(2)).ui.settings.suits == "letters"
    lettered = pressed(pressed(scene, "down", "down", "right"), "escape")
    assert "Kh" in route.draw(lettered).text()
    assert pressed(scene, "up", "up", "up", "right").ui.settings.bell == "on"


def test_the_search_for_servers_is_ended_and_begun_by_a_setting() -> None:
    scene = pressed(scene_of(GAME), "o", "up", "up")
    step = route.press(scene, "right")
    assert (step.ui.settings.discovery, step.intents) == ("off", (Seek(on=False),))
    assert route.press(evolve(scene, ui=step.ui), "left").intents == (Seek(on=True),)


def test_the_hand_stays_in_sight_while_settings_are_changed() -> None:
    text = picture(GAME, overlay="settings")
    assert all(name in text for name in ("K♥", "9♥", "5♠"))


@pytest.mark.parametrize(
    ("players", "side"), [("narrow", 26), ("medium", 44), ("wide", 60), ("hidden", 44)]
)
def test_the_list_of_players_is_as_wide_as_it_is_set_or_gone(players: str, side: int) -> None:
    text = picture(GAME, 200, 50, settings=Settings(players=players))
    assert ("─ players ─" in text) is (players != "hidden")
    assert text.split("\n")[1].index("╮") == side - 1


def test_piles_are_fanned_as_it_is_set() -> None:
    deep = model_of(position("9H", {"N": "KD QS JD TS 9D"}))
    stacked = picture(deep, 130, 50, settings=Settings(spacing="0", top_spacing="1"))
    spread = picture(deep, 130, 50, settings=Settings(spacing="1"))
    assert "Q♠" not in stacked
    assert all(name in spread for name in ("K♦", "Q♠", "J♦", "10♠"))


def test_every_theme_colours_every_class_alike() -> None:
    classes = {name: set(theme(name)) - {"ground"} for name in THEMES}
    assert all(found == classes["dark"] for found in classes.values())
    assert set(theme("dark", basic=True)) == classes["dark"]
    two, four = theme("dark", "two"), theme("dark", "four")
    assert two["face.h"] == two["face.d"]
    assert len({four[f"face.{suit}"] for suit in "shcd"}) == 4


@pytest.mark.parametrize("name", sorted(set(THEMES) - {"mono"}))
@pytest.mark.parametrize("suit_colours", ["two", "four"])
def test_red_suits_are_warm_and_black_ones_are_not(name: str, suit_colours: str) -> None:
    colours = theme(name, suit_colours)
    for where in ("face", "suit"):
        for suit, red in zip("shcd", (False, True, False, True), strict=True):
            found = re.search("#(..)(..)(..)", colours[f"{where}.{suit}"])
            dye = (0, 0, 0) if found is None else tuple(int(part, 16) for part in found.groups())
            assert (dye[0] > dye[2] + 32) is red, (where, suit)


def test_without_colours_outlines_tell_red_suits_from_black_ones() -> None:
    look = look_of(Settings(), plain=False, colourless=True)
    assert look == look_of(Settings(theme="mono"), plain=False)
    assert look.suits == "♠♡♣♢"
    letters = look_of(Settings(suits="letters"), plain=False, colourless=True)
    assert letters.suits == ASCII.suits
    assert look_of(Settings(), plain=True, colourless=True) == ASCII


def test_a_terminal_of_ascii_stays_so_whatever_is_set() -> None:
    assert look_of(Settings(), plain=True) == ASCII
    assert look_of(changed(Settings(), "symbols", 1), plain=False) == ASCII


@pytest.mark.skipif(os.name == "nt", reason="there is no list of terminals")
@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, (ColorDepth.DEPTH_24_BIT, False)),
        ({"TERM": "dumb"}, (ColorDepth.DEPTH_1_BIT, False)),
    ],
)
def test_the_terminal_gets_the_colours_that_it_has(
    environment: dict[str, str],
    expected: tuple[ColorDepth, bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert depth(environment, DummyOutput()) == expected


def test_no_color_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert depth({"TERM": "xterm-256color"}, DummyOutput()) == (ColorDepth.DEPTH_1_BIT, False)
