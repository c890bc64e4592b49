"""A program of somebody's own takes a seat: ``kings bot``, with the example of its page."""

import signal
from pathlib import Path

import pytest
import trio

from people import Person
from plain_lines import LIMIT, Script, script
from serving import Server, serving

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
UNLIMITED = ("--limit", "requests_per_second=0")
FAULTY = "def choose(view, history, rng):\n    return view.own.hand[99]\n"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("```python\n")
    file = tmp_path / "my_bot.py"
    file.write_text(rest.partition("```")[0])
    return file


def seat(server: Server, module: Path, *options: str) -> tuple[str, ...]:
    return ("bot", "--module", str(module), f"127.0.0.1:{server.port}", *options)


async def until_line(bot: Script, begins: str) -> None:
    while not (await bot.line()).startswith(begins):
        pass


async def play_with(ann: Person) -> None:
    await ann.until_state(1, "seated")
    await ann.ready()
    await ann.until_deal(1)
    await ann.play_match()


async def test_the_example_plays_a_whole_match_and_leaves(example: Path, tmp_path: Path) -> None:
    with (
        trio.fail_after(LIMIT),
        serving(*UNLIMITED, encrypted=True) as server,
    ):
        async with server.guest("Ann") as ann:
            await ann.make_table(2, knobs={"match": "one_deal"})
            async with script(*seat(server, example, "--once"), state=tmp_path / "s") as bot:
                await play_with(ann)
                assert await bot.rest() == 0
            assert ann.table is not None
            assert ann.table.phase == "over"
    assert bot.lines[1].startswith("At ")
    assert any(line.startswith("The match is over: ") for line in bot.lines)
    assert any(line.startswith("You play the ") for line in bot.lines)


async def test_a_program_that_fails_at_every_turn_does_not_hold_up_the_match(
    tmp_path: Path,
) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    with (
        trio.fail_after(LIMIT),
        serving(*UNLIMITED, encrypted=True) as server,
    ):
        async with server.guest("Ann") as ann:
            await ann.make_table(2, knobs={"match": "one_deal"})
            command = seat(server, tmp_path / "faulty.py", "--once")
            async with script(*command, state=tmp_path / "s") as bot:
                await play_with(ann)
                assert await bot.rest() == 0


async def test_killed_and_started_again_it_has_its_seat(example: Path, tmp_path: Path) -> None:
    command_state = tmp_path / "s"
    with (
        trio.fail_after(LIMIT),
        serving(*UNLIMITED, encrypted=True) as server,
    ):
        async with server.guest("Ann") as ann:
            await ann.make_table(2, knobs={"match": "one_deal"}, absent="wait")
            async with script(*seat(server, example), state=command_state) as bot:
                await ann.until_state(1, "seated")
                await ann.ready()
                await until_line(bot, "Deal 1 begins")
                bot.process.send_signal(signal.SIGKILL)
                await ann.until_state(1, "dropped")
            async with script(*seat(server, example, "--once"), state=command_state) as bot:
                await ann.until_state(1, "seated")
                await ann.play_match()
                assert await bot.rest() == 0


@pytest.mark.parametrize("options", [("--module", "nowhere.py"), ("--module", "json")])
async def test_a_module_that_is_none_is_refused_at_once(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    async with script("bot", *options, state=tmp_path) as bot:
        assert await bot.rest() == 2
    assert not bot.lines
