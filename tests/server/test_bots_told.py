"""What a table tells its bots does not depend on what their seats cannot see, chance included."""

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock, wait_all_tasks_blocked

from bot_deals import chance_of, dealt, hidden_twin, play_deal
from kings_engine.actions import SeatAction
from kings_engine.match import Match
from kings_engine.presets import preset_rules
from kings_protocol.messages import Level
from kings_server.bots.question import Question
from kings_server.log import logger
from kings_server.thinkers import LATE_SECONDS, Thinkers
from thinking import Study, pool


class Leaky(Thinkers):
    """Takes its bots' chance from where the cards came from."""

    def _question(self, level: str, match: Match, seat: int, seconds: float = 0.0) -> Question:
        assert match.deal is not None
        asked = super()._question(level, match, seat, seconds)
        return evolve(asked, seed=hash(match.deal.stock))


async def all_of(kind: type[Thinkers], match: Match, level: Level, takes: float) -> object:
    """Return all that a table asks for a bot's move and for a hint, when, and what comes of it."""
    assert match.turn is not None
    study = Study(takes)
    given: list[SeatAction | None] = []
    async with trio.open_nursery() as nursery:
        made = pool(study)
        await nursery.start(made.run)
        bots = kind((600, 1500), 1000, made, logger())
        bots.tempo.seed(1)
        bots.chance.seed(2)
        pause = bots.begin(level, match, match.turn)
        await trio.sleep(pause)
        choice = bots.choose(level, match, match.turn)
        if choice is None:
            await trio.sleep(LATE_SECONDS)
            choice = bots.choose(level, match, match.turn)
        bots.hint(match, match.turn, given.append)
        await trio.sleep(10)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return study.begun, pause, choice, given


def pairs() -> list[tuple[Match, Match]]:
    """Return positions, each with one that looks the same to the seat on turn and is not."""
    found = []
    for seed in range(12):
        chance = chance_of(seed)
        rules = preset_rules("pagat", {"players": 2 + seed % 3})
        match = play_deal(dealt(rules, seed), ["medium"] * 4, chance, seed)
        if match.turn is None or match.deal is None:
            continue
        twin = hidden_twin(match, match.turn, chance)
        if twin is not None and twin.deal is not None and twin.deal.stock != match.deal.stock:
            found.append((match, twin))
    assert len(found) >= 8
    return found


@pytest.mark.parametrize(
    ("level", "takes"),
    # What master finds depends on how much time the machine gave it.
    [("easy", 0.0), ("hard", 0.0), ("hard", 60.0), ("expert", 0.0), ("master", 60.0)],
)
async def test_a_bot_is_asked_the_same_and_does_the_same_whatever_lies_hidden(
    autojump_clock: MockClock,  # noqa: ARG001
    level: Level,
    takes: float,
) -> None:
    for match, twin in pairs():
        told = await all_of(Thinkers, match, level, takes)
        assert told == await all_of(Thinkers, twin, level, takes)


@pytest.mark.parametrize("level", ["easy", "hard"])
async def test_a_chance_that_comes_from_the_deal_would_be_found(
    autojump_clock: MockClock,  # noqa: ARG001
    level: Level,
) -> None:
    differs = [
        await all_of(Leaky, match, level, 0.0) != await all_of(Leaky, twin, level, 0.0)
        for match, twin in pairs()
    ]
    assert all(differs)
