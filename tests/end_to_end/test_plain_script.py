"""A program plays through the line mode: it writes commands to a pipe and reads only the lines."""

import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
import trio

from kings_client.plain.commands import COMMANDS
from plain_lines import LIMIT, play_out, script

PAGE = Path(__file__).parents[2] / "docs" / "playing.md"
SUITS = {"s": "spades", "h": "hearts", "c": "clubs", "d": "diamonds"}
BOTS = ("play", "--plain", "--bots", "easy", "--pace", "0", "--name", "Ann")


@pytest.mark.parametrize(
    "rules",
    [
        ("--points", "5"),
        ("--rules", "classic_match", "--points", "5", "--players", "3"),
        ("--rules", "strict", "--points", "5"),
        ("--rules", "royal_corners", "--points", "5"),
        ("--match", "one_deal", "--must-play", "any", "--forced-kings", "on", "--draw-count", "2"),
    ],
    ids=lambda rules: "-".join(rules).strip("-"),
)
async def test_a_script_plays_a_whole_match(rules: tuple[str, ...], tmp_path: Path) -> None:
    async with script(*BOTS, *rules, state=tmp_path) as player:
        await play_out(player)
        assert sum(line.startswith("The match is over: ") for line in player.lines) == 1
        assert (await player.ask("scores")).startswith("OK: in all: You ")
        assert await player.ask("quit") == "OK: goodbye."
        assert await player.rest() == 0
    told = [line for line in player.lines if line.startswith("Deal ")]
    begun = [line.split()[1] for line in told if " begins." in line]
    assert begun == [str(number) for number in range(1, len(begun) + 1)]
    assert len([line for line in told if " is over: " in line]) == len(begun)


async def test_a_rematch_follows_when_it_is_wished(tmp_path: Path) -> None:
    async with script(*BOTS, "--match", "one_deal", state=tmp_path) as player:
        await play_out(player)
        assert await player.ask("ready") == "OK: you are ready."
        assert await player.ask("wait") == "OK: it is your turn."
        assert "A new match begins." in player.lines


async def test_commands_written_ahead_are_answered_one_by_one(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        assert player.process.stdin is not None
        commands = b"wait\nhand\n\n# a remark\nend\nwait\nfold\nhand\n"
        await player.process.stdin.send_all(commands)
        await player.process.stdin.aclose()
        assert await player.rest() == 0
    answers = [line for line in player.lines if line.startswith(("OK: ", "No: "))]
    assert [answer.split(":")[0] for answer in answers] == ["OK"] * 4 + ["No", "OK"]
    assert answers[1].startswith("OK: 7 in your hand: ")
    assert answers[5].startswith("OK: 8 in your hand: ")


async def test_a_wrong_command_says_what_is_wrong_and_what_is_allowed(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        await player.ask("wait")
        assert await player.ask("plya 9h e") == (
            "No: there is no command 'plya'; did you mean play? Type help for all of them."
        )
        assert (await player.ask("list")).startswith("No: list works in the lobby only")
        assert (await player.ask("play 9x")).startswith("No: '9x' is no card and no place; write ")
        assert (await player.ask("move 9h")).startswith("No: piles are moved whole, ")
        assert (await player.ask("stock n")).startswith("No: the stock lies face down; ")
        hand = (await player.ask("hand")).partition("hand: ")[2]
        eight = [f"{rank}{suit}" for rank in ("ace", "king") for suit in ("s", "h", "c", "d")]
        named = [f"{one[:-1]} of {SUITS[one[-1]]}" for one in eight]
        strange = next(one for one, name in zip(eight, named, strict=True) if name not in hand)
        assert " is not in your hand; your hand: " in await player.ask(
            f"play {strange[:-1]} {strange[-1]} n"
        )
        assert await player.ask("hand") == f"OK: 7 in your hand: {hand}"


async def test_a_refusal_of_the_rules_is_told_with_what_is_possible(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        await player.ask("wait")
        possible = (await player.ask("can")).removeprefix("OK: ").split("; ")
        moves = [f"move {one} {other}" for one in "nesw" for other in "nesw" if one != other]
        refused = next(move for move in moves if move not in possible)
        answer = await player.ask(refused)
        assert answer.startswith("No: ")
        assert " the pile on " in answer
        assert " can go " in answer


async def test_a_hint_is_a_command_that_can_be_sent_back(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        await player.ask("wait")
        possible = (await player.ask("can")).removeprefix("OK: ").split("; ")
        hint = await player.ask("hint")
        assert hint.removeprefix("OK: ") in possible
    async with script(*BOTS, "--hints", "off", state=tmp_path / "other") as player:
        await player.ask("wait")
        assert (await player.ask("hint")).startswith("No: this table is played without hints")


async def test_a_table_that_cannot_be_made_at_the_start_is_told_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "nothing compiled"))
    masters = ("play", "--plain", "--bots", "master")
    async with script(*masters, state=tmp_path / "state") as player:
        assert (await player.ask("wait")).startswith("No: you are at no table")
        assert "Such bots are being made ready; try in half a minute." in player.lines


async def test_the_lobby_by_commands(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        await player.ask("wait")
        assert (await player.ask("leave")).startswith("No: leaving gives up your seat")
        assert await player.ask("leave yes") == "OK: you left the table."
        assert await player.ask("list") == "OK: 0 tables."
        assert "1 to 50" in await player.ask("make pagat deals=99")
        assert await player.ask("make players=3 bots=easy name='The shed'") == (
            "OK: the table is made."
        )
        assert (await player.ask("who")).startswith("OK: 0 spectators; the table waits for 1 more")
        assert "  seat 2: open." in player.lines
        assert await player.ask("bot easy") == "OK: a bot sits down."
        assert await player.ask("wait") in ("OK: it is your turn.", "OK: type ready to start.")


async def test_the_end_of_input_ends_the_program_in_order(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        assert player.process.stdin is not None
        await player.ask("wait")
        await player.process.stdin.aclose()
        assert await player.rest() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_program_in_order(number: signal.Signals, tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        await player.ask("wait")
        player.process.send_signal(number)
        assert await player.rest() == 128 + number


async def test_a_reader_that_goes_away_ends_the_program(tmp_path: Path) -> None:
    async with script(*BOTS, state=tmp_path) as player:
        assert player.process.stdin is not None
        assert player.process.stdout is not None
        assert player.process.stderr is not None
        await player.ask("wait")
        await player.process.stdout.aclose()
        await player.process.stdin.send_all(b"table\n")
        assert await player.process.wait() == 1
        assert await player.process.stderr.receive_some() == b""


async def test_no_server_is_one_line_and_a_failure(tmp_path: Path) -> None:
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    async with script("join", f"127.0.0.1:{port}", "--plain", state=tmp_path) as player:
        assert player.process.stderr is not None
        assert await player.rest() == 1
        assert player.lines == []
        complaint = bytes(await player.process.stderr.receive_some())
        assert complaint.decode().splitlines() == [
            f"kings: 127.0.0.1:{port}: no server answers at that address"
        ]


async def test_without_a_terminal_the_line_mode_is_taken_by_itself(tmp_path: Path) -> None:
    async with script(*(one for one in BOTS if one != "--plain"), state=tmp_path) as player:
        assert await player.ask("wait") == "OK: it is your turn."


async def test_the_script_of_the_documentation_plays_a_match(tmp_path: Path) -> None:
    program = re.findall(
        "^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )[0]
    kings = json.dumps([sys.executable, "-m", "kings_client"])[1:-1]
    environment = {**os.environ, "KINGS_STATE_DIR": str(tmp_path)}
    with trio.fail_after(LIMIT):
        finished = await trio.run_process(
            [sys.executable, "-c", program.replace('"kings"', kings)],
            capture_stdout=True,
            env=environment,
        )
    lines = finished.stdout.decode().splitlines()
    assert [line for line in lines if line.startswith("The match is over: ")]
    assert lines[-1] == "OK: goodbye."


def test_the_documentation_names_every_command() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in COMMANDS if not re.search(f"`{name}[ `]", page)] == []
