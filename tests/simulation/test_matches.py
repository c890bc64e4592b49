"""Whole matches over bad networks, by the real client and the real server, on the virtual clock.

Each evening comes from its seed alone. What has to hold of every byte and of every table is checked
all along by ``wiretap`` and ``world``; what everybody knows once nothing has gone wrong for a while
by ``crowd``; and that nothing is left of anybody in the end by ``evening``.
"""

import random
from pathlib import Path
from typing import Final

import trio
from attrs import evolve

from simnet import CALM, Weather
from simulation.crowd import Crowd
from simulation.disk import SOUND, Wear
from simulation.evening import run
from simulation.world import Evening, World

WEATHERS: Final = (
    CALM,
    Weather(delay=0.3, piece=700, cut=200.0, stall=60.0),
    Weather(delay=2.0, piece=50, room=3000, cut=60.0, stall=30.0, stalled=14.0),
    Weather(delay=0.2, piece=20, cut=90.0),
)

WEARS: Final = (
    None,
    SOUND,
    Wear(delay=0.1, failing=0.02),
    Wear(delay=1.0, failing=0.05, outage=0.01, stuck=0.004),
)


def test_an_evening_goes_well_whatever_happens(seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"evening {seed}")  # noqa: S311
    evening = Evening(
        seed,
        chance.choice(WEATHERS),
        seconds=chance.choice((10.0, 20.0, 30.0, 60.0, 150.0)),
        wear=chance.choice(WEARS),
    )
    if evening.wear is not None:
        evening = evolve(evening, kills=chance.choice((None, 15.0, 40.0)))
    crowd = Crowd(chance.randint(1, 6), chance.choice((0, 0, 1, 2)))
    world = run(evening, tmp_path, crowd.live, crowd.check)
    assert world.ledger.faults == [], "\n".join(world.ledger.faults[:20])


def test_clients_killed_by_the_hundred_leave_nothing(tmp_path: Path) -> None:
    crowd = Crowd(players=90, rascals=10)
    most = 0

    async def killed(world: World) -> None:
        nonlocal most
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crowd.live, world)
                await trio.sleep(25.0)
                most = len(world.network.cables)
                for cable in sorted(world.network.cables, key=lambda cable: cable.number):
                    ends = (cable.near, cable.far)
                    cable.cut(*world.chance.choice((ends, ends[:1], ends[1:], ())))
                scope.cancel()

    world = run(Evening(1, CALM, 30.0, SOUND), tmp_path, killed, lambda _: None)
    assert most > 70
    assert len(world.ledger.record.states) > 1
    assert world.ledger.faults == []
