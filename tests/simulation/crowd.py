"""All who come to an evening, and what each of them must know when it is quiet."""

import attrs
import trio
from msgspec.structs import replace

from kings_client.model import Linked, Model
from kings_engine.events import CardsCut, DealBegan, DealerChosen, Event
from kings_engine.view import deal_history, observe
from kings_protocol import messages as m
from kings_server.table import Table
from simulation.players import Player
from simulation.rascal import Rascal
from simulation.world import World


class Crowd:
    """All who come to one evening."""

    def __init__(self, players: int, rascals: int) -> None:
        self.players: list[Player] = []
        self._size = players, rascals

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
    if model.where == "lobby" and model.lobby is not None:
        page = world.lobby.listing.form(model.lobby.page).whole
        truth = page.page, page.pages, page.total, page.tables
        if truth != attrs.astuple(model.lobby, recurse=False):
            faults.append(f"sees {model.lobby} where there is {page}")
    return faults


def _faults_at_table(model: Model, table: Table) -> list[str]:
    faults = []
    shown, truth = model.table, table.picture.state(table.settings, trio.current_time())
    assert shown is not None
    if _timeless(shown) != _timeless(truth):
        faults.append(f"sees {shown} where there is {truth}")
    if model.seat is not None and table.roster.peers[model.seat] is None:
        faults.append("is not where it sits")
    if table.match is not None:
        if model.view != observe(table.match, model.seat):
            faults.append("sees another position")
        if not model.gap and model.events != _story(deal_history(table.match, model.seat)):
            faults.append("saw another deal")
    return faults


def _timeless(state: m.TableState) -> m.TableState:
    """Return a table's state without what passes by itself."""
    seats = tuple(replace(seat, back_in=None) for seat in state.seats)
    offer = None if state.offer is None else replace(state.offer, left=0)
    return replace(state, seats=seats, offer=offer, next_in=None, turn_in=None, away_in=None)


def _story(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return what a client keeps of a deal: before it began, only how the dealer was chosen."""
    began = [at for at, event in enumerate(events) if isinstance(event, DealBegan)]
    first = began[-1] if began else 0
    before = (event for event in events[:first] if isinstance(event, CardsCut | DealerChosen))
    return (*before, *events[first:])
