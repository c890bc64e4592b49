"""Languages: whole catalogues, right forms, and one file for one more."""

import os
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from catalogues import TEMPLATE, read, template, texts_of, updated, written
from kings_client.intents import PlayCard
from kings_client.parts.canvas import width_of
from kings_client.plain.commands import COMMANDS, obey
from kings_client.plain.orders import WORDS, Context
from kings_client.screens import route
from kings_client.settings import CHOICES
from kings_client.words import counts, spoken, tongue
from kings_client.words.cards import the_card
from kings_client.words.knobs import VALUES
from kings_client.words.matches import score_head
from kings_client.words.people import bot_of
from kings_client.words.refusals import refusal
from kings_client.words.rules import PRESETS as ABOUT_PRESETS
from kings_client.words.tongue import CASES, FOLDER, tell
from kings_client.words.turns import why_not
from kings_engine.cards import parse_card
from kings_engine.errors import Code
from kings_engine.events import Drew, Played
from kings_engine.places import parse_place
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS
from kings_engine.view import observe_public
from kings_protocol.messages import Level, Refused
from kings_server.names import reserved
from tables import model_of, position, pressed, scene_of, table_of

CATALOGUES = sorted(FOLDER.glob("*.po"))
GAME = position("KH 9H 5S", {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"})


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    tongue.use("en")


@pytest.fixture
def _russian() -> None:
    tongue.use("ru")


def fields(text: str) -> set[str]:
    """Return the names of the places for facts."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


# ---- the catalogues


def test_the_template_has_exactly_the_sentences_of_the_source() -> None:
    """After a change, ``python tests/catalogues.py`` writes it anew."""
    assert TEMPLATE.read_text(encoding="utf-8") == written(template())


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_has_every_sentence_translated_and_no_other(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == written(updated(path))
    catalogue = read(path)
    for message in catalogue:
        if not message.id:
            continue
        texts = texts_of(message.string)
        assert all(texts), message.id
        assert len(texts) == (catalogue.num_plurals if message.pluralizable else 1), message.id


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_translations_have_the_facts_of_their_sentences(path: Path) -> None:
    for message in read(path):
        if not message.id:
            continue
        counted = {"count"} if message.pluralizable else set[str]()
        wanted = set[str]().union(*map(fields, texts_of(message.id)))
        for text in texts_of(message.string):
            # "One more" may be said without its number.
            assert fields(text) | counted == wanted | counted, text
            specs = {spec for _, name, spec, _ in string.Formatter().parse(text) if name and spec}
            assert specs <= set(CASES), text


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_is_read_as_the_translators_tools_read_it(path: Path) -> None:
    tongue.use(path.stem)
    assert tongue.spoken() == path.stem
    for message in read(path):
        if isinstance(message.id, str) and message.id:
            told = (
                tongue.tell_as(message.context, message.id)
                if message.context
                else tongue.tell(message.id)
            )
            assert told == message.string


def test_tables_of_sentences_keep_step_with_what_they_are_about() -> None:
    assert {name for _, name in WORDS} == set(COMMANDS)
    assert {name: preset.about for name, preset in PRESETS.items()} == ABOUT_PRESETS
    plain = {name for knob in KNOBS.values() for name in knob.choices if isinstance(name, str)}
    assert plain <= {name for _, name in VALUES}


# ---- choosing


@pytest.mark.parametrize(
    ("setting", "environment", "code"),
    [
        ("ru", {"KINGS_LANG": "en"}, "ru"),
        ("system", {"KINGS_LANG": "ru", "LC_ALL": "en_GB.UTF-8"}, "ru"),
        ("system", {"LC_ALL": "ru_RU.UTF-8", "LANG": "en_GB.UTF-8"}, "ru"),
        ("system", {"LC_ALL": "", "LANG": "ru-RU"}, "ru"),
        ("system", {}, "en"),
    ],
)
def test_a_setting_goes_before_the_environment(
    setting: str, environment: dict[str, str], code: str
) -> None:
    assert tongue.chosen(setting, environment) == code


@pytest.mark.parametrize("code", ["C", "POSIX", "xx", "../ru", ""])
def test_a_language_without_a_catalogue_is_english(code: str) -> None:
    tongue.use(code)
    assert tongue.spoken() == "en"
    assert tongue.tell("Your turn.") == "Your turn."


def test_the_language_is_a_setting_that_holds_at_once() -> None:
    scene = pressed(scene_of(model_of(GAME)), "o", "up")
    assert "language" in route.draw(scene).text()
    while scene.ui.settings.language != "ru":
        scene = pressed(scene, "right")
    assert "язык" in route.draw(scene).text()
    assert "Русский" in route.draw(scene).text()
    scene = pressed(scene, *["right"] * (len(CHOICES["language"]) - 1))
    assert "English" in route.draw(scene).text()


def test_the_command_line_speaks_the_language_of_its_environment(tmp_path: Path) -> None:
    environment = {**os.environ, "KINGS_LANG": "ru", "KINGS_STATE_DIR": str(tmp_path)}
    environment["PYTHONIOENCODING"] = "utf-8"
    command = [sys.executable, "-m", "kings_client", "rules", "nonsense"]
    done = subprocess.run(
        command, env=environment, capture_output=True, timeout=60, check=False, encoding="utf-8"
    )
    assert done.returncode == 2
    assert "нет правил с названием 'nonsense'" in done.stderr


# ---- a third language is one file


THIRD = r"""
msgid ""
msgstr ""
"Language: xx\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\n"

msgctxt "this language's own name"
msgid "English"
msgstr "Xish"

#, fuzzy
msgid "Your turn."
msgstr "doubtful"

msgid "{count} card"
msgid_plural "{count} cards"
msgstr[0] "{count} kad"
msgstr[1] "{count} kads"

msgid "{name} says: {text}"
msgstr ""
"{name} \"xes\": "
"{text}"

msgid "the {card}"
msgstr "{missing}"
"""


def test_a_file_in_the_folder_is_a_language(tmp_path: Path) -> None:
    (tmp_path / "xx.po").write_text(THIRD, encoding="utf-8")
    assert tongue.codes(tmp_path) == ("en", "xx")
    assert tongue.own_name("xx", tmp_path) == "Xish"
    tongue.use("xx", tmp_path)
    assert [counts.cards(count) for count in (0, 1, 2)] == ["0 kad", "1 kad", "2 kads"]
    assert tongue.tell("{name} says: {text}", name="Ann", text="{hi}") == 'Ann "xes": {hi}'
    assert tongue.tell("Your turn.") == "Your turn."
    assert tongue.tell("the {card}", card="ace") == "the ace"


@pytest.mark.parametrize(
    "text", ["nonsense", 'msgid "a', 'msgid ""\nmsgstr "Plural-Forms: nplurals=x\\n"\n', "\x00"]
)
def test_a_damaged_file_leaves_the_program_in_english(tmp_path: Path, text: str) -> None:
    (tmp_path / "xx.po").write_text(text, encoding="utf-8")
    tongue.use("xx", tmp_path)
    assert tongue.tell("Your turn.") == "Your turn."
    assert tongue.own_name("xx", tmp_path) == "xx"


# ---- Russian


@pytest.mark.usefixtures("_russian")
def test_russian_counts_in_three_forms() -> None:
    told = [counts.cards(count) for count in (0, 1, 2, 5, 11, 21, 24, 111)]
    assert told == [
        *("0 карт", "1 карта", "2 карты", "5 карт"),
        *("11 карт", "21 карта", "24 карты", "111 карт"),
    ]
    assert tongue.number(4.5, 1) == "4,5"


@pytest.mark.usefixtures("_russian")
def test_russian_puts_cards_into_the_case_of_the_sentence() -> None:
    nine, queen = parse_card("9H"), parse_card("QS")
    assert the_card(queen) == "дама пик"
    assert f"{the_card(queen):accusative}" == "даму пик"
    table = table_of(GAME)
    happened = (Played(1, nine, parse_place("E"), from_stock=False), Drew(0, 1, (queen,)))
    assert spoken.told(happened, 0, table, 0) == (
        "Ben кладёт девятку червей на восток.",
        "Вы берёте даму пик.",
    )
    refused = Refused(re="1", code=Code.WRONG_RANK, card=nine, top=queen)
    assert refusal(refused) == (
        "девятку красной масти кладут на десятку чёрной масти, а не на даму пик"
    )
    rules, public = preset_rules("pagat", {"players": 2}), observe_public(position("9H", {}))
    assert why_not(queen, "Q♠", rules, public) == (
        "Q♠ кладут на короля красной масти или на пустую сторону"
    )


@pytest.mark.usefixtures("_russian")
@pytest.mark.parametrize("line", ["play 9h e", "сыграть девятку червей на восток", "сыг 9h восток"])
def test_commands_are_understood_in_russian_as_well(line: str) -> None:
    version = model_of(GAME).view
    assert version is not None
    step = obey(Context(model_of(GAME)), line)
    assert step.intent == PlayCard(parse_card("9H"), parse_place("E"), version.public.version)
    assert step.ok == "девятка червей — на восток."


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_the_heads_of_the_results_stand_over_their_columns(path: Path) -> None:
    widths = []
    for code in ("en", path.stem):
        tongue.use(code)
        widths.append(width_of(score_head()))
    assert widths[0] == widths[1]


@pytest.mark.parametrize("code", ["en", "ru"])
def test_nobody_can_be_called_by_a_word_that_is_said_of_somebody(code: str) -> None:
    tongue.use(code)
    levels = get_args(Level)
    said = (tell("You"), tell("seat {seat}", seat=3), tell("the server says: {text}", text=""))
    words = (*said, *levels, *map(bot_of, levels))
    assert [word for word in words if not reserved(word)] == []
