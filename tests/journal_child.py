"""A program that keeps numbered entries and prints each once it is acknowledged; it is killed."""

import sys
from pathlib import Path

import trio

from kings_server.committer import Committer
from kings_server.journal_file import opened
from kings_server.journal_rows import keep_table
from kings_server.log import logger

WRITERS = 8


async def main(directory: Path, first: int) -> None:
    """Keep entries from ``first`` on, several at a time, for ever."""
    with opened(directory) as journal:
        async with trio.open_nursery() as nursery:
            committer = Committer(journal.file, logger())
            await nursery.start(committer.run)
            for writer in range(WRITERS):
                nursery.start_soon(_write, committer, first + writer)


async def _write(committer: Committer, number: int) -> None:
    while True:
        await committer.commit([keep_table(str(number), "x" * 500, "")])
        print(number, flush=True)
        number += WRITERS


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), int(sys.argv[2]))
