"""The scripts of the guide, with all their input there at once, and with input that is slow."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from documents import ROOT
from lan import lan
from plain_lines import COMMAND, LIMIT, script
from serving import serving

PAGE = (ROOT / "docs" / "playing.md").read_text(encoding="utf-8")
PLAY = ("play", "--plain", "--pace", "0")
SLOW_SECONDS = 0.02


async def fed(lines: str, *command: str, slowly: bool, environment: dict[str, str]) -> list[str]:
    """Return what a program answers to lines, whose bytes come at once or one by one."""
    pieces = [bytes([byte]) for byte in lines.encode()] if slowly else [lines.encode()]
    with trio.fail_after(LIMIT):
        process = await trio.lowlevel.open_process(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with process.stdin:
            for piece in pieces:
                await process.stdin.send_all(piece)
                await trio.sleep(SLOW_SECONDS if slowly else 0)
        told = b"".join([data async for data in process.stdout])
        assert await process.wait() == 0
        await process.stdout.aclose()
    return [line for line in told.decode().splitlines() if line.startswith(("OK: ", "No: "))]


@pytest.mark.parametrize("slowly", [False, True])
async def test_the_script_that_goes_to_the_first_server(tmp_path: Path, slowly: bool) -> None:
    found = re.search(r"^printf '(servers .*?)' \| kings (.*)$", PAGE, re.MULTILINE)
    assert found is not None
    lines, command = found[1].replace("\\n", "\n"), found[2].split()
    environment = {**os.environ, "KINGS_STATE_DIR": str(tmp_path), "KINGS_DISCOVERY": "on"}
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ben", "192.0.2.2/24")
        everywhere = "0.0.0.0"  # noqa: S104
        with serving("--announce", host=everywhere, within=net.inside("ann"), encrypted=True):
            started = (*net.inside("ben"), *COMMAND, *command)
            answers = await fed(lines, *started, slowly=slowly, environment=environment)
    assert answers[0] == "OK: 1 server."
    assert answers[1].startswith("OK: you are at 192.0.2.1")
    assert answers[2:] == ["OK: 0 tables.", "OK: goodbye."]


async def test_the_script_that_plays_goes_on_with_a_match_that_waits(tmp_path: Path) -> None:
    async with script(*PLAY, state=tmp_path) as player:
        assert await player.ask("wait") == "OK: it is your turn."
        await player.ask("end")
        await player.ask("quit")
        assert await player.rest() == 0
    program = re.findall("^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    kings = json.dumps(COMMAND)[1:-1]
    environment = {**os.environ, "KINGS_STATE_DIR": str(tmp_path)}
    with trio.fail_after(LIMIT):
        finished = await trio.run_process(
            [sys.executable, "-c", program.replace('"kings"', kings)],
            capture_stdout=True,
            env=environment,
        )
    lines = finished.stdout.decode().splitlines()
    assert [line for line in lines if line.startswith("OK: you are back at ")]
    assert [line for line in lines if line.startswith("The match is over: ")]
    assert lines[-1] == "OK: goodbye."


@pytest.mark.parametrize("slowly", [False, True])
async def test_commands_are_answered_alike_however_they_come(tmp_path: Path, slowly: bool) -> None:
    lines = "wait\nend\nwait\nend\nleave yes\nlist\nmake pagat players=2 bots=easy\nwait\nquit\n"
    environment = {**os.environ, "KINGS_STATE_DIR": str(tmp_path)}
    answers = await fed(lines, *COMMAND, *PLAY, slowly=slowly, environment=environment)
    assert [answer.split(":")[0] for answer in answers] == ["OK"] * 9, answers
