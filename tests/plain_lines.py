"""A program at the other end of the line mode's pipes, as anybody might write one."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

COMMAND = [sys.executable, "-m", "kings_client"]
LIMIT = 90


class Script:
    """A program at the other end of the pipes; it keeps every line that it read."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self._unread = b""

    async def line(self) -> str:
        """Return the next line; EOFError at the end."""
        assert self.process.stdout is not None
        while b"\n" not in self._unread:
            data = await self.process.stdout.receive_some()
            if not data:
                raise EOFError(self.lines)
            self._unread += data
        raw, _, self._unread = self._unread.partition(b"\n")
        self.lines.append(raw.decode())
        return self.lines[-1]

    async def ask(self, command: str) -> str:
        """Give a command, and return its answer."""
        assert self.process.stdin is not None
        await self.process.stdin.send_all(f"{command}\n".encode())
        while not (line := await self.line()).startswith(("OK: ", "No: ")):
            pass
        return line

    async def rest(self) -> int:
        """Read to the end, and return the exit code."""
        try:
            while True:
                await self.line()
        except EOFError:
            return await self.process.wait()


@asynccontextmanager
async def script(
    *arguments: str, state: Path, within: tuple[str, ...] = (), seeks: bool = False
) -> AsyncIterator[Script]:
    """Run the client with ``arguments``.

    Args:
        arguments: of the command.
        state: the folder that stands for the person's own.
        within: a command that runs it somewhere, such as in a network namespace.
        seeks: whether it looks for servers on the network.
    """
    environment = {**os.environ, "KINGS_STATE_DIR": str(state), "PYTHONIOENCODING": "utf-8"}
    if seeks:
        environment["KINGS_DISCOVERY"] = "on"
    with trio.fail_after(LIMIT):
        process = await trio.lowlevel.open_process(
            [*within, *COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        try:
            yield Script(process)
        finally:
            with trio.CancelScope(shield=True):
                process.kill()
                await process.wait()
                for pipe in (process.stdin, process.stdout, process.stderr):
                    if pipe is not None:
                        await pipe.aclose()


async def play_out(player: Script) -> None:
    """Play whatever comes first until the match is over."""
    while "rematch" not in (due := await player.ask("wait")):
        if "your turn" in due:
            possible = (await player.ask("can")).removeprefix("OK: ").split("; ")
            answer = await player.ask(possible[0])
        else:
            assert "ready for the next deal" in due
            answer = await player.ask("ready")
        assert answer.startswith("OK: "), answer
