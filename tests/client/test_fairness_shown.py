"""What was found out of the decks, as the screen, the line mode and the history say it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from kings_client import fairness as conclusions
from kings_client.marks import Check, Exchange, Mark, Why, Withheld
from kings_client.plain.commands import obey
from kings_client.plain.orders import Context
from kings_client.screens import route
from kings_client.settings import Settings
from kings_client.words import fairness
from kings_client.words.tongue import use
from kings_engine.verify import MISSING, Problem
from proofs import SERVER
from scripted import TABLE
from tables import ended, line_of, lobby_of, model_of, over, picture, position, scene_of

OFFER = Exchange(
    server=SERVER,
    table=TABLE,
    match=1,
    deal=1,
    attempt=0,
    rules="00" * 32,
    commitment="01" * 32,
    members=("02" * 32, None),
    missing=(None, "bot"),
)
CHECKS = (
    Check(Mark.FAIR, exchange=OFFER),
    *(Check(Mark.FAIR_WITHOUT, why, OFFER) for why in Why),
    Check(Mark.ANEW, exchange=OFFER, anew=(Withheld(1, "Ben"),)),
    Check(Mark.ANEW, exchange=OFFER, anew=(Withheld(1, "Ben"), Withheld(2, "Cleo"))),
    Check(Mark.ANEW, exchange=OFFER, anew=(Withheld(None, ""),)),
    *(Check(Mark.UNCHECKED, why) for why in Why),
    Check(Mark.BROKEN, doubts=("seed_not_committed", "not_as_seen")),
    Check(),
)


MODELS = {
    "playing": model_of(position("KH 9H 5S", {})),
    "deal_end": model_of(ended()),
    "match_end": model_of(over()),
}


@pytest.fixture(params=["en", "ru"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    use(request.param)
    yield request.param
    use("en")


@pytest.mark.usefixtures("language")
def test_every_doubt_that_the_client_can_have_has_its_sentence() -> None:
    source = Path(conclusions.__file__).read_text(encoding="utf-8")
    raised = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"\)', source))
    raised |= {problem.value for problem in Problem} - {problem.value for problem in MISSING}
    assert {"share_denied", "set_changed", "match_dropped"} <= raised
    for doubt in raised:
        said = fairness.told(Check(Mark.BROKEN, doubts=(doubt,)))
        assert not said.endswith(f": {doubt.replace('_', ' ')}"), doubt


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.mark}-{check.why}")
def test_each_mark_is_a_line_and_two_sentences(check: Check) -> None:
    assert fairness.told(check).startswith(fairness.mark(check.mark)) or check.anew
    assert "\n" not in fairness.told(check)
    assert len(fairness.explained(check)) == 2
    assert all(sentence.endswith(".") for sentence in fairness.explained(check))


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (80, 24), (140, 45), (200, 60)])
@pytest.mark.parametrize("name", ["playing", "deal_end", "match_end"])
def test_a_key_explains_every_deck_of_the_match(
    name: str, size: tuple[int, int], language: str
) -> None:
    model = evolve(MODELS[name], checks=dict(enumerate(CHECKS)))
    scene = scene_of(model, *size, settings=Settings(language=language))
    opened = route.press(scene, "f").ui
    pages: list[str] = []
    while (page := route.draw(evolve(scene, ui=opened)).text()) not in pages:
        pages.append(page)
        opened = route.press(evolve(scene, ui=opened), "pagedown").ui
    lines = {line.strip("│ ") for page in pages for line in page.split("\n")}
    for check in CHECKS:
        assert any(fairness.told(check).split()[0] in line for line in lines), check
        for sentence in fairness.explained(check):
            assert any(sentence.split()[-1] in line for line in lines), sentence
    assert any(OFFER.code in line for line in lines)
    assert route.press(evolve(scene, ui=opened), "escape").ui.overlay is None


@pytest.mark.usefixtures("language")
def test_the_line_mode_explains_every_deck_of_the_match() -> None:
    model = evolve(MODELS["playing"], checks=dict(enumerate(CHECKS)))
    step = obey(Context(model, ()), "fair")
    said = " ".join(step.lines)
    for check in CHECKS:
        assert fairness.told(check) in said
        assert all(said.count(sentence) == 1 for sentence in fairness.explained(check))
    assert OFFER.code in said
    assert obey(Context(evolve(model, checks={}), ()), "fair").no


@pytest.mark.usefixtures("language")
def test_a_match_counts_its_marks_and_names_who_withheld_a_share() -> None:
    checks = {
        0: Check(Mark.FAIR),
        1: Check(Mark.FAIR),
        2: Check(Mark.FAIR),
        3: Check(Mark.ANEW, anew=(Withheld(1, "Ben"),)),
        4: Check(Mark.ANEW, anew=(Withheld(1, "Ben"), Withheld(2, "Cleo"))),
    }
    said = fairness.summary(checks)
    assert f"{fairness.mark(Mark.FAIR)}: 2" in said
    assert f"{fairness.mark(Mark.ANEW)}: 2" in said
    assert said.count("Ben") == said.count("Cleo") == 1


def test_a_deck_that_is_owed_is_told_in_the_lobby() -> None:
    assert "deal 2 was never dealt" in picture(lobby_of(line_of("Kitchen"), owed=2), 100, 30)
