"""Two steady people who play one short match, whatever is done to one of them at one instant."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import trio

from kings_client import intents
from kings_client.intents import Ask, ComeBack
from kings_client.model import Linked, Mark, Model
from kings_engine.phase import Phase
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode
from simnet import CALM, Cable
from simulation.disk import SOUND
from simulation.evening import run
from simulation.players import Player
from simulation.world import Evening, World

KNOBS: Final[dict[str, m.KnobValue]] = {"players": 2, "hand_size": 5, "match": "deals", "deals": 1}

SECONDS: Final = 200.0
"""How long the evening is; the match is over long before."""

LATEST: Final = SECONDS - 20
"""The last time at which a strike is one: who comes back after it has to do so by the end."""

SEED: Final = 21
"""Leads to a match of some thirty actions."""

Strike: TypeAlias = Callable[[World, "Steady", Cable], None]
"""What is done to somebody's connection, at once."""


class Steady(Player):
    """Somebody who comes to play one match, and stays.

    Attributes:
        writes: how often the server has written to this person, while it plays.
        strike: is done at the write of number ``at``.
        at: the number of a write, from 1; with 0 nothing is done.
    """

    restless = 0.0

    def __init__(self, world: World, number: int, strike: Strike | None, at: int) -> None:
        super().__init__(world, number)
        self.writes = 0
        self.strike = strike
        self.at = at

    async def live(self) -> None:
        """Stay until everybody is asked to leave, and longer than any wait for a connection."""
        try:
            await self._visit()
            while not self.world.closing:
                await self.world.changed.wait()
        finally:
            self.store.close()

    async def come_again(self) -> None:
        """Start a second client, with the same seat."""
        await self._visit()

    def connected(self, cable: Cable) -> None:
        """Count what the server writes to a new connection of this person's."""
        check = cable.far.said
        assert check is not None

        def said(data: bytes) -> None:
            check(data)
            if trio.current_time() > LATEST:
                return
            self.writes += 1
            if self.writes == self.at and self.strike is not None:
                self.strike(self.world, self, cable)

        cable.far.said = said

    def _gives_up(self, model: Model) -> bool:
        return model.link.reason == CloseCode.DISPLACED

    def _wish(self, model: Model) -> Ask | ComeBack | None:
        if model.link.state is not Linked.ONLINE:
            return None
        if model.where == "lobby":
            return self._go_to_table(model)
        if model.where != "table" or model.table is None or model.seat is None:
            return None
        if model.table.phase in ("waiting", "between"):
            return None if model.table.seats[model.seat].ready else intents.SetReady(True)
        return self._action(model) if model.table.phase == "playing" else None

    def _go_to_table(self, model: Model) -> Ask | ComeBack | None:
        if model.kept:
            return ComeBack(model.kept[0].table)
        if model.lobby is None:
            return None
        if model.lobby.tables:
            return intents.Join(model.lobby.tables[0].table)
        if self.name != "P0":
            return None
        return intents.MakeTable("duet", "pagat", KNOBS, absent="wait", grace_seconds=300)


class Duet:
    """A match of two; ``strike`` meets the second at the ``at``-th write to it.

    If nothing is done to a connection, both have a share in every deck.
    """

    def __init__(self, strike: Strike | None = None, at: int = 0) -> None:
        self.people: list[Steady] = []
        self._strike = strike
        self._at = at
        self.undisturbed = strike is None

    async def live(self, world: World) -> None:
        """Play until everybody is asked to leave."""
        self.people = [Steady(world, 0, None, 0), Steady(world, 1, self._strike, self._at)]
        async with trio.open_nursery() as nursery:
            for person in self.people:
                nursery.start_soon(person.live)

    def check(self, world: World) -> None:
        """Check that the match was played to its end, and both see it."""
        matches = world.ledger.record.states
        if [states[-1].phase for states in matches.values()] != [Phase.MATCH_OVER]:
            world.fault(f"not one match was played to its end: {list(matches)}")
            return
        for person in self.people:
            model = None if person.link is None else person.link.model
            if model is None or model.view is None or model.view.public.phase != "match_over":
                world.fault(f"{person.name} does not see the end")
            elif model.seat is None or model.view.own is None:
                world.fault(f"{person.name} lost the seat")
            elif self.undisturbed and set(model.marks.values()) != {Mark.FAIR}:
                world.fault(f"{person.name} has no share in a deck: {model.marks}")


def play(folder: Path, duet: Duet) -> World:
    """Play a duet in calm weather, and return what is left."""
    folder.mkdir()
    return run(Evening(SEED, CALM, SECONDS, wear=SOUND), folder, duet.live, duet.check)
