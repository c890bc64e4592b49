"""Pictures in every language: room for its words, and everything that is offered."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from attrs import evolve

from catalogues import read
from kings_client.finished import Archive, Finished, Player
from kings_client.marks import Mark
from kings_client.model import (
    Change,
    Cover,
    Hosting,
    Linked,
    LinkState,
    Model,
    Reason,
    Recent,
    Security,
)
from kings_client.parts.canvas import Canvas, OnKey, width_of
from kings_client.parts.panel import frame
from kings_client.replay import open_replay
from kings_client.saved import Result, SavedMatch
from kings_client.screens import route
from kings_client.screens.after import AfterUi
from kings_client.screens.forms import FIELDS, VALUES_AT, open_form
from kings_client.screens.knowing import rules_of
from kings_client.screens.state import FormKind, Overlay, Ui
from kings_client.settings import CHOICES, Settings
from kings_client.style import UNICODE
from kings_client.words import tongue
from kings_client.words.tongue import FOLDER
from kings_client.words.turns import end_label, end_short
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Refused, SeatState
from proofs import after_deal, saved
from tables import ended, line_of, lobby_of, model_of, over, position, scene_of, table_of

CATALOGUES = sorted(FOLDER.glob("*.po"))
GAME = position("KH 9H 5S", {"N": "TS", "E": "TC", "S": "4D", "W": "QD", "NW": "KD QS JD"})


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    tongue.use("en")


def _waiting() -> Model:
    seats = (
        SeatState(state="seated", name="Ann"),
        SeatState(state="seated", name="Ben", ready=True),
        SeatState(state="open", name=""),
    )
    table = table_of(GAME, phase="waiting", seats=seats)
    return model_of(GAME, table=table, view=None, events=())


def _finished() -> Finished:
    result = Result(points=(3, 26), winners=(0,), losers=(), abandoned=False)
    return Finished(
        file=Path("match.json"),
        played="2026-11-30T20:15",
        table="Kitchen",
        preset="pagat",
        players=(Player("Ann", None), Player("Ben", None)),
        seat=0,
        result=result,
        mark=Mark.UNCHECKED,
        deals=2,
    )


def _saved() -> SavedMatch:
    played = after_deal()
    played.answer_proof()
    return saved(played)


LOBBY = lobby_of(line_of("Kitchen"), line_of("Attic", locked=True, phase="playing"))
CODES = ("04HM-ASW9-NF6Y-Y093", "DERQ-Y4PZ-KX8W-34YD")
CHANGED = LinkState(Linked.CLOSED, "den", reason=Reason.OTHER_CODE, change=Change(*CODES))
ASKED = LinkState(Linked.CLOSED, "den", reason=Reason.NO_PASSWORD)
FIRST = LinkState(Linked.ONLINE, "den", security=Security("first", CODES[0]))
PLAIN = LinkState(Linked.ONLINE, "den", security=Security("plain"))
SHOWN = {
    "changed": Model("entering", CHANGED),
    "asked": Model("entering", ASKED),
    "first visit": evolve(LOBBY, link=FIRST),
    "not encrypted": evolve(LOBBY, link=PLAIN),
    "hosting": evolve(_waiting(), link=FIRST, hosting=Hosting(("192.0.2.1:7654",), CODES[0])),
    "welcome": Model(name="Ann", recent=(Recent("den.example:7654", "den"),)),
    "entering": Model("entering", LinkState(Linked.CONNECTING, "den")),
    "lobby": LOBBY,
    "waiting": _waiting(),
    "game": model_of(GAME),
    "deal_end": model_of(ended()),
    "match_end": model_of(over()),
    "cover": evolve(model_of(GAME), seat=None, here=(0, 1), cover=Cover("Ann", 0, 0.0)),
    "matches": Model(matches=Archive((_finished(), evolve(_finished(), seat=None)))),
    "replay": Model(replay=open_replay(_saved(), Path("match.json")), matches=Archive()),
}
OVERLAYS: tuple[Overlay, ...] = ("help", "sheet", "quit", "settings", "rules", "people")
FORMS: tuple[FormKind, ...] = get_args(FormKind)


FORM_OVER: dict[FormKind, str] = {
    "make": "lobby",
    "join_locked": "lobby",
    "watch_locked": "lobby",
    "accept": "changed",
    "enter": "asked",
}
"""The screen that a form is opened on, if it is another than the first."""


def _pictures() -> Iterator[tuple[str, Model, Ui]]:
    """Give every screen, and every line of what lies over one."""
    plain = Ui()
    for name, model in SHOWN.items():
        yield name, model, plain
    yield "results", SHOWN["matches"], evolve(plain, after=AfterUi(results=True))
    for overlay in OVERLAYS:
        yield overlay, SHOWN["game"], evolve(plain, overlay=overlay)
    yield "help before a table", SHOWN["welcome"], evolve(plain, overlay="help")
    for row, name in enumerate(CHOICES):
        yield f"setting {name}", SHOWN["game"], evolve(plain, overlay="settings", setting=row)
    for kind in FORMS:
        model = SHOWN[FORM_OVER.get(kind, "welcome")]
        form = open_form(kind, model, CODES[1])
        for row, field in enumerate(FIELDS[kind]):
            ui = evolve(plain, form=evolve(form, row=row))
            yield f"{kind} {field.name}", model, ui


def _drawn(model: Model, ui: Ui, language: str) -> Canvas:
    settings = Settings(language=language)
    return route.draw(
        evolve(scene_of(model), ui=evolve(route.settle(ui, model), settings=settings))
    )


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_picture_has_room_for_the_language(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real drawing is watched: nothing may be drawn beyond its canvas, or shortened."""
    cut: list[str] = []
    draw = Canvas.put

    def put(self: Canvas, x: int, y: int, text: str, style: str = "") -> int:
        end = x + width_of(text.rstrip())
        if end > self.width or (text.rstrip().endswith("…") and tongue.tell(text) not in whole):
            cut.append(text)
        return draw(self, x, y, text, style)

    whole = {str(message.string) for message in read(path)}
    monkeypatch.setattr(Canvas, "put", put)
    for name, model, ui in _pictures():
        _drawn(model, ui, path.stem)
        assert not cut, (name, cut)


@pytest.mark.parametrize("language", ["en", *(path.stem for path in CATALOGUES)])
def test_no_label_of_a_form_runs_into_what_is_filled_in(language: str) -> None:
    tongue.use(language)
    for kind in FORMS:
        for field in FIELDS[kind]:
            assert width_of(tongue.tell(field.label)) < VALUES_AT - 4, (kind, field.label)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_key_that_is_offered_in_english_is_offered_in_the_language(path: Path) -> None:
    for name, model, ui in _pictures():
        shown = [
            {one.spot for one in canvas.regions if isinstance(one.spot, OnKey)}
            for canvas in (_drawn(model, ui, "en"), _drawn(model, ui, path.stem))
        ]
        assert shown[0] <= shown[1], name


@pytest.mark.parametrize("code", ["en", *(path.stem for path in CATALOGUES)])
def test_the_button_that_ends_the_turn_is_whole_beside_every_reason(code: str) -> None:
    tongue.use(code)
    game = model_of(GAME)
    assert game.view is not None
    label = end_label(rules_of(table_of(GAME)), game.view.public, game.events)
    for refused in (None, *(Refused(re="0" * 32, code=one, seconds=30) for one in RefusalCode)):
        scene = scene_of(evolve(game, refusal=refused), settings=Settings(language=code))
        status = route.draw(scene).text().split("\n")[-2]
        button = status.partition("   D  ")[2].strip() or status.partition("  D  ")[2].strip()
        assert button in (label, *end_short(label)), status


def test_the_titles_of_a_frame_stand_between_blanks() -> None:
    for width in (21, 22, 40):
        top = "".join(frame(width, 3, "players", UNICODE, "cards pts").chars[0])
        assert " players " in top
        assert top.endswith(" cards pts ╮")
