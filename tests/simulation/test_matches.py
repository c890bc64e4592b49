"""Whole matches over bad networks, by the real client and the real server, on the virtual clock.

Each evening comes from its seed alone. What has to hold of every byte and of every table is checked
all along by ``wiretap`` and ``world``; here it is checked what everybody knows once the weather has
been calm for a while, and that nothing is left of anybody in the end.
"""

import random
from pathlib import Path
from typing import Final

import trio
from attrs import evolve

from kings_client.model import Linked, Model
from kings_engine.events import CardsCut, DealBegan, DealerChosen, Event
from kings_engine.view import deal_history, observe
from kings_server.table import Table
from simnet import CALM, Weather
from simulation.disk import SOUND, Wear
from simulation.evening import run
from simulation.players import Player
from simulation.rascal import Rascal
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


class Crowd:
    """All who come to one evening."""

    def __init__(self, chance: random.Random) -> None:
        self.players: list[Player] = []
        self._size = chance.randint(1, 6), chance.choice((0, 0, 1, 2))

    async def live(self, world: World) -> None:
        """Let all come and go, until they are asked to leave."""
        players, rascals = self._size
        self.players = [Player(world, number) for number in range(players)]
        async with trio.open_nursery() as nursery:
            for player in self.players:
                nursery.start_soon(player.live)
            for number in range(rascals):
                nursery.start_soon(Rascal(world, number).live)

    def check(self, world: World) -> None:
        """Check that everybody who is there knows what is so, and waits for nothing."""
        for player in self.players:
            if player.link is None or player.link.model.link.state is Linked.CLOSED:
                continue
            for fault in faults_of(player.link.model, world):
                world.fault(f"{player.name} {fault}")


def faults_of(model: Model, world: World) -> list[str]:
    """Return in what a client's model is not what the server holds."""
    if model.link.state is not Linked.ONLINE:
        return [f"did not come back: {model.link}"]
    faults = [f"waits for a reply to {one.request}" for one in model.pending]
    if model.where == "table" and model.table is not None:
        table = world.lobby.tables.get(model.table.table)
        if table is None:
            return [*faults, "is at a table that is no more"]
        faults += _faults_at_table(model, table)
    return faults


def _faults_at_table(model: Model, table: Table) -> list[str]:
    faults = []
    shown = model.table
    assert shown is not None
    truth = [(seat.state.value, seat.name) for seat in table.roster.seats]
    if [(seat.state, seat.name) for seat in shown.seats] != truth:
        faults.append(f"sees {shown.seats} where there are {truth}")
    if (shown.phase, shown.match, shown.host) != (table.phase, table.matches, table.roster.host):
        faults.append(f"sees {shown}, and the table is {table.phase}")
    if model.seat is not None and table.roster.peers[model.seat] is None:
        faults.append("is not where it sits")
    if table.match is not None:
        if model.view != observe(table.match, model.seat):
            faults.append("sees another position")
        if not model.gap and model.events != _story(deal_history(table.match, model.seat)):
            faults.append("saw another deal")
    return faults


def _story(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return what a client keeps of a deal: before it began, only how the dealer was chosen."""
    began = [at for at, event in enumerate(events) if isinstance(event, DealBegan)]
    first = began[-1] if began else 0
    before = (event for event in events[:first] if isinstance(event, CardsCut | DealerChosen))
    return (*before, *events[first:])


def test_an_evening_goes_well_whatever_happens(seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"evening {seed}")  # noqa: S311
    evening = Evening(
        seed,
        chance.choice(WEATHERS),
        seconds=chance.choice((20.0, 40.0, 80.0)),
        wear=chance.choice(WEARS),
    )
    if evening.wear is not None:
        evening = evolve(evening, kills=chance.choice((None, 15.0, 40.0)))
    crowd = Crowd(chance)
    world = run(evening, tmp_path, crowd.live, crowd.check)
    assert world.ledger.faults == [], "\n".join(world.ledger.faults[:20])
