"""One blow at every instant of a match: wherever it falls, the match goes on and nothing is lost.

A short match of two is played again and again from the same seed. Each time one thing happens at
one instant, and the instants are gone through one by one: every write of the server to one person,
every transaction of the journal.
"""

from pathlib import Path
from typing import Final

import pytest
import trio

from simnet import Cable
from simulation.disk import Doom
from simulation.duet import Duet, Steady, Strike, play
from simulation.world import World


def cut(_: World, __: Steady, cable: Cable) -> None:
    cable.cut(cable.near, cable.far)


def cut_unnoticed_by_the_server(_: World, __: Steady, cable: Cable) -> None:
    cable.cut(cable.near)


def cut_unnoticed(_: World, __: Steady, cable: Cable) -> None:
    cable.cut()


def stalled(_: World, __: Steady, cable: Cable) -> None:
    cable.stall(20.0, up=False)


def displaced(world: World, person: Steady, _: Cable) -> None:
    world.network.nursery.start_soon(person.come_again)


FIRST: Final = 14
"""So many of the first transactions are all tried: seats, readiness, and the making of a deck."""

STRIKES: Final = (cut, cut_unnoticed_by_the_server, cut_unnoticed, stalled, displaced)


@pytest.mark.parametrize("strike", STRIKES, ids=lambda strike: strike.__name__)
def test_a_connection_may_be_lost_at_every_write(
    strike: Strike, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    whole = Duet()
    world = play(tmp_path / "whole", whole)
    assert world.ledger.faults == []
    step = 1 if request.config.getoption("--soak") else 6
    struck = 0
    for at in range(1 + STRIKES.index(strike) % step, whole.people[1].writes + 1, step):
        duet = Duet(strike, at)
        world = play(tmp_path / f"{at}", duet)
        struck += duet.people[1].writes >= at
        assert world.ledger.faults == [], f"write {at}"
    assert struck > 5


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_server_may_be_killed_at_every_transaction(
    after: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    step = 1 if request.config.getoption("--soak") else 4
    number, killed = 1, 0
    while True:
        doomed = _Doomed(Doom(number, after=after))
        world = play(tmp_path / f"{number}", doomed)
        assert world.ledger.faults == [], f"transaction {number}"
        if not doomed.doom.come.is_set():
            break
        killed += 1
        number += 1 if number < FIRST else step
    assert killed > 5


class _Doomed(Duet):
    """A duet whose server is killed at one transaction."""

    def __init__(self, doom: Doom) -> None:
        super().__init__()
        self.doom = doom

    async def live(self, world: World) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._kill, world)
            await super().live(world)
            nursery.cancel_scope.cancel()

    async def _kill(self, world: World) -> None:
        assert world.disk is not None
        assert world.restart is not None
        world.disk.doom = self.doom
        await self.doom.come.wait()
        world.disk.doom = None
        await world.restart()
