"""A server process that is killed again and again while one deck is being made."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from kings_engine.actions import BeginDeal, parse_action
from kings_engine.commitments import Promise
from kings_engine.sources import Secret
from kings_protocol import messages as m
from kings_server.journal_file import opened
from offers import begin, promise_of, until_set
from people import Person
from serving import SECONDS_TO_START, Server, serving

NAMES = ("Ann", "Ben")
STARTS = 6


class Couple:
    """Two whose clients remember their shares, as the real one does."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.seats: list[m.Seated] = []
        self.offers: list[dict[tuple[int, int, int], Promise]] = [{} for _ in NAMES]

    @asynccontextmanager
    async def here(
        self, *, answering: int = 2, revealing: int = 0
    ) -> AsyncIterator[tuple[Server, list[Person]]]:
        """Start a server, and let both be there; it is killed at the end.

        ``answering`` and ``revealing`` are how many of them, from the first on, answer offers and
        reveal shares.
        """
        with serving("--data", str(self.directory), "--log-level", "error") as server:
            async with server.guest(NAMES[0]) as ann, server.guest(NAMES[1]) as ben:
                people = [ann, ben]
                for number, person in enumerate(people):
                    person.offers = self.offers[number]
                    person.answers_offers = number < answering
                    person.reveals_shares = number < revealing
                    if self.seats:
                        await person.resume(self.seats[number])
                        await person.until(lambda person=person: person.table is not None)  # type: ignore[misc]
                yield server, people
                server.process.kill()
                await trio.to_thread.run_sync(server.process.wait)


async def test_a_deck_is_made_of_both_shares_though_the_server_is_killed_at_every_step(
    tmp_path: Path,
) -> None:
    couple = Couple(tmp_path)
    with trio.fail_after(STARTS * SECONDS_TO_START):
        async with couple.here(answering=0) as (_, (ann, ben)):
            couple.seats.append(await ann.make_table(2))
            couple.seats.append(await ben.join(couple.seats[0].table))
            await begin([ann, ben])
        async with couple.here(answering=1) as (_, (ann, _)):
            await ann.until(lambda: ann.replies)
        async with couple.here() as (_, people):
            await until_set(*people)
        async with couple.here(revealing=1) as (_, (ann, _)):
            await ann.until(lambda: ann.replies)
        async with couple.here(revealing=2) as (_, (ann, ben)):
            await ann.until_deal(1)
            assert ann.table is not None
            assert ann.table.withheld == ()
            shares = promise_of(ann).share, promise_of(ben).share
    assert [sorted(offers) for offers in couple.offers] == [[(1, 1, 0)]] * 2
    with opened(tmp_path) as journal:
        (saved,) = journal.file.load()
    assert saved.match is not None
    action = parse_action(saved.match.steps[0][1])
    assert isinstance(action, BeginDeal)
    assert isinstance(action.source, Secret)
    assert action.source.shares == shares
