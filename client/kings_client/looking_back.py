"""What a session does about finished matches: it reads files, off the loop that draws."""

from pathlib import Path

import trio
from attrs import evolve

from kings_client.archive import export, read_archive
from kings_client.intents import Archived, CloseMatches, ExportMatch, ShowMatch, ShowMatches
from kings_client.model import Model
from kings_client.replay import Replay, open_replay
from kings_client.saved import BadFile, read_match
from kings_client.store import StoreError
from kings_client.words.tongue import tell


async def looked_up(model: Model, wish: Archived, folder: Path) -> Model:
    """Return the model after a wish about finished matches; ``folder`` is the client's own."""
    match wish:
        case ShowMatches():
            archive = await trio.to_thread.run_sync(read_archive, folder)
            return evolve(model, matches=archive, replay=None, answer="")
        case ShowMatch(file):
            found = await trio.to_thread.run_sync(_opened, file)
            if isinstance(found, str):
                return evolve(model, answer=found)
            return evolve(model, replay=found, answer="")
        case ExportMatch(file):
            answer = await trio.to_thread.run_sync(_exported, file)
            return evolve(model, answer=answer)
        case CloseMatches():
            matches = None if model.replay is None else model.matches
            return evolve(model, replay=None, matches=matches, answer="")


def _opened(file: Path) -> Replay | str:
    try:
        return open_replay(read_match(file), file)
    except BadFile as bad:
        return tell("it cannot be shown: {why}", why=bad)


def _exported(file: Path) -> str:
    try:
        copy = export(file, Path.cwd())
    except StoreError as error:
        return str(error)
    return tell("saved; check it with: {command}", command=f"kings verify {copy.name}")
