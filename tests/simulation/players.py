"""People with the real client: its link, its model and its store, and somebody who plays."""

import random
from typing import Final

import trio

from kings_client import intents
from kings_client.config import Address, Person, Target
from kings_client.intents import Ask, ComeBack
from kings_client.link import Link
from kings_client.model import Linked, Mark, Model, Reason
from kings_client.remembering import Memory
from kings_client.store import Store
from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.view import legal_actions
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.messages import Level, TableState
from simnet import Cable
from simulation.chances import any_absence, any_preset
from simulation.world import LONGEST_NAP, SLOWEST, World
from strategies import EVERY_ACTION

TARGET: Final = Target(Address("localhost"), "den", remembered=True, plain_text=True)

SOUND: Final = frozenset(
    {
        *Reason,
        CloseCode.GOING,
        CloseCode.DISPLACED,
        CloseCode.STOPPED,
        CloseCode.TOO_MANY_CONNECTIONS,
        CloseCode.TOO_LATE,
        CloseCode.SILENT,
        CloseCode.TOO_SLOW,
        RefusalCode.JOURNAL_UNAVAILABLE,
    }
) - {Reason.OTHER_SERVER, Reason.UNWELCOME, Reason.BAD_ADDRESS}
"""Why a connection between our own two programs may end, on a bad network and a bad disk."""


class Player:
    """Somebody who comes, plays, is cut off, goes, and comes again.

    Attributes:
        name: what the person is called.
        world: where it lives.
        store: what its client keeps between two visits.
        link: the newest visit that is going on.
        restless: how likely it goes away, before each thing that it does.
        drowsy: how likely it falls asleep over it, with its client running.
    """

    restless = 0.004
    drowsy = 0.0

    def __init__(self, world: World, number: int) -> None:
        self.name = f"P{number}"
        self.link: Link | None = None
        self.world = world
        self._chance = random.Random(f"{world.evening.seed} player {number}")  # noqa: S311
        self.store = Store.open(world.folder / self.name)
        self._cable: Cable | None = None
        self._changed = trio.Event()
        self._pace = self._chance.choice((0.3, 1.0, 3.0))
        if self._chance.random() < 0.3:
            self.restless, self.drowsy = self._chance.choice(((0.02, 0.0), (0.004, 0.02)))

    async def live(self) -> None:
        """Come and go until everybody is asked to leave."""
        await trio.sleep(self._chance.uniform(0, 10))
        try:
            while not self.world.closing:
                await self._visit()
                if not self.world.closing and not self.world.paused:
                    await self._wait(self._chance.choice((0, 1, 20, 90)) * self._chance.random())
                elif self.world.paused:
                    await self.world.changed.wait()
        finally:
            self.store.close()

    # ---- one visit

    async def _visit(self) -> None:
        memory = Memory(self.store, "2026-01-02")
        person = Person(self.store.client(), self.name)
        link = self.link = Link(
            person,
            memory,
            Model(name=self.name),
            self._publish,
            now=trio.current_time,
            connect=self._connect,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.run, TARGET)
            if await self._play(link) and self._cable is not None:
                self._break(self._cable)
            nursery.cancel_scope.cancel()
        if self.link is link:
            self.link = None

    def _break(self, cable: Cable) -> None:
        """Be gone without a word: as a program that is killed, or a machine that is."""
        if self._chance.random() < 0.5:
            cable.near.leave()
        else:
            cable.cut(cable.near)

    async def _connect(self, _: Address, __: float) -> trio.abc.Stream | Reason:
        await trio.sleep(self._chance.uniform(0, self.world.network.weather.delay))
        try:
            self._cable = self.world.network.connect()
        except ConnectionRefusedError:
            return Reason.NOBODY_LISTENS
        self.connected(self._cable)
        return self._cable.near

    def connected(self, cable: Cable) -> None:
        """Be told of a new connection."""

    def _publish(self, model: Model) -> None:
        reason = model.link.reason
        if reason is not None and reason not in SOUND:
            self.world.fault(f"{self.name} lost the connection: {reason} {model.link.words}")
        if any(mark is Mark.BROKEN for mark in model.marks.values()):
            self.world.fault(f"{self.name} was dealt to unfairly: {model.checks}")
        self._changed.set()
        self._changed = trio.Event()

    async def _wait(self, seconds: float) -> None:
        """Wait so long, or until everybody is asked to pause or to leave."""
        with trio.move_on_after(seconds):
            await self.world.changed.wait()

    async def _play(self, link: Link) -> bool:
        """Do what people do; say whether it ends without a word."""
        chance, world = self._chance, self.world
        while not world.closing:
            if world.paused:
                await world.changed.wait()
                continue
            await self._wait(chance.uniform(0, self._pace))
            if world.paused or world.closing:
                continue
            if chance.random() < self.restless:
                return chance.random() < 0.7
            if chance.random() < self.drowsy:
                await self._wait(chance.uniform(0, LONGEST_NAP))
                continue
            state = link.model.link.state
            if state is Linked.CLOSED and self._gives_up(link.model):
                return False
            if state is Linked.CLOSED or (state is Linked.WAITING and chance.random() < 0.1):
                link.retry()
            await self._do_something(link)
        return await self._part(link)

    def _gives_up(self, _: Model) -> bool:
        """Say whether to go, now that the client tries no longer to connect."""
        return self._chance.random() < 0.5

    async def _do_something(self, link: Link) -> None:
        wish = self._wish(link.model)
        if wish is not None:
            link.want(wish)
            if self._chance.random() < 0.1:
                link.want(wish)  # a double click
        if wish is None or self._chance.random() < 0.3:
            with trio.move_on_after(SLOWEST):
                await self._changed.wait()

    async def _part(self, link: Link) -> bool:
        if self._chance.random() < 0.5:
            link.want(intents.Leave())
            with trio.move_on_after(5.0):
                while link.model.where == "table":
                    await self._changed.wait()
        return self._chance.random() < 0.3

    # ---- wishes

    def _wish(self, model: Model) -> Ask | ComeBack | None:
        if model.link.state is not Linked.ONLINE:
            return None
        if model.where == "lobby":
            return self._in_lobby(model)
        if model.where == "table" and model.table is not None:
            return self._at_table(model)
        return None

    def _in_lobby(self, model: Model) -> Ask | ComeBack | None:
        chance, lobby = self._chance, model.lobby
        if lobby is None:
            return None
        if model.kept and chance.random() < 0.8:
            return ComeBack(chance.choice(model.kept).table)
        if lobby.tables and chance.random() < 0.8:
            line = chance.choice(lobby.tables)
            password = "sesame" if chance.random() < 0.9 else None
            if line.people + line.bots < line.seats:
                seat = chance.choice((None, None, 0, 1, 3))
                return intents.Join(line.table, password, seat)
            return intents.Watch(line.table, password) if chance.random() < 0.3 else None
        return self._new_table() if lobby.total < 2 else None

    def _new_table(self) -> intents.MakeTable:
        chance = self._chance
        preset, knobs = any_preset(chance)
        players = knobs["players"]
        assert isinstance(players, int)
        levels: tuple[Level, ...] = ("easy", "medium")
        absent, grace, away = any_absence(chance)
        bots = tuple(chance.choice(levels) for _ in range(chance.randrange(players)))
        return intents.MakeTable(
            name=f"{self.name}'s",
            preset=preset,
            knobs=knobs,
            password=chance.choice((None, None, "sesame")),
            watchable=chance.random() < 0.8,
            bots=bots,
            absent=absent,
            grace_seconds=grace,
            away_seconds=away,
            pace=chance.choice(((0, 0), (100, 900))),
        )

    def _at_table(self, model: Model) -> Ask | None:
        chance, table = self._chance, model.table
        assert table is not None
        if chance.random() < 0.03:
            return intents.Say(chance.choice(("well played", "\x1b[2J\u202e!", "♠" * 300)))
        if chance.random() < 0.003:
            return intents.Leave()
        if model.seat is None:
            return intents.Leave() if chance.random() < 0.02 else None
        if table.seats[model.seat].state != "seated" and chance.random() < 0.5:
            return intents.Here()
        if table.paused:
            return intents.Pause(on=False) if chance.random() < 0.2 else None
        if chance.random() < 0.01:
            return self._about_others(len(table.seats))
        if table.phase in ("waiting", "between", "over"):
            return self._between_deals(table, model.seat)
        return self._action(model)

    def _between_deals(self, table: TableState, seat: int) -> Ask | None:
        chance = self._chance
        if table.phase == "waiting" and seat == table.host:
            open_seats = [at for at, other in enumerate(table.seats) if other.state == "open"]
            if open_seats and chance.random() < 0.2:
                return intents.AddBot("easy", chance.choice((None, *open_seats)))
            if chance.random() < 0.05:
                return intents.RemoveBot(chance.randrange(len(table.seats)))
        if table.phase == "over" and chance.random() < 0.3:
            return intents.Leave()
        ready = table.seats[seat].ready
        return None if ready and chance.random() < 0.95 else intents.SetReady(True)

    def _about_others(self, seats: int) -> Ask:
        seat, on = self._chance.randrange(seats), self._chance.random() < 0.8
        return self._chance.choice((intents.Pause(on), intents.Vote(seat, on), intents.Kick(seat)))

    def _action(self, model: Model) -> Ask | None:
        chance, view = self._chance, model.view
        if view is None or view.own is None or model.acting:
            return None
        version = view.public.version
        if chance.random() < 0.02:
            return intents.AskHint(version)
        if chance.random() < 0.03:
            return _asked(chance.choice(EVERY_ACTION), max(0, version - chance.choice((0, 0, 1))))
        legal = legal_actions(view.own)
        if not legal:
            return None
        others = [action for action in legal if not isinstance(action, EndTurn)]
        if others and (len(others) == len(legal) or chance.random() < 0.8):
            return _asked(chance.choice(others), version)
        return _asked(EndTurn(), version)


def _asked(action: SeatAction, version: int) -> Ask:
    match action:
        case Play(card, place):
            return intents.PlayCard(card, place, version)
        case Move(source, place):
            return intents.MovePile(source, place, version)
        case PlayStock(place):
            return intents.PlayTop(place, version)
        case EndTurn():
            return intents.EndTurn(version)
