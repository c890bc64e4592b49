"""An evening played twice from the same seed, with decks that differ in hidden cards alone.

A match is made up beforehand, and a twin of it (``pairs``) for one viewer. People play it by heart
on the real server. The viewer does what people do who want to know more than they may: it tries
what is not allowed, asks for proofs, comes and goes on a bad connection. Whatever reaches it, or
somebody who knows less, and whatever is logged, must be the same both times, at the same times.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from unittest.mock import patch

import msgpack  # type: ignore[import-untyped]
import trio
from attrs import define, field, frozen

from kings_engine.actions import TABLE, BeginDeal, SeatAction
from kings_engine.apply import apply
from kings_engine.cards import Card
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules, rules_as_plain
from kings_engine.sources import Deck, Secret
from kings_engine.view import legal_actions
from kings_protocol import messages as m
from kings_protocol.frames import FrameDecoder
from kings_protocol.limits import SERVER_FRAME_BYTES
from pairs import states_of, twin
from people import Person, act_of, new_id
from simnet import CALM, Cable, Weather
from simulation.chances import any_preset
from simulation.evening import run
from simulation.world import Evening, World
from strategies import EVERY_ACTION, Temper, next_step

ROUGH: Final = Weather(delay=0.4, piece=300, room=4000, stall=20.0, stalled=4.0)


@frozen
class Pair:
    """Two matches that their viewer cannot tell apart up to their last version."""

    seed: int
    viewer: int | None
    match: Match
    other: Match


def pair(seed: int) -> Pair | None:
    """Return a pair made from a seed, if one is found."""
    chance = random.Random(f"twins {seed}")  # noqa: S311
    rules = _rules(chance)
    match, temper = new_match(rules), Temper(eager=0.8, meddling=0.0)
    while match.phase != Phase.MATCH_OVER and match.version < 150:
        changed = apply(match, *next_step(match, chance, temper))
        assert not isinstance(changed, Refusal)
        match, _ = changed
    states = states_of(match)
    running = [version for version, state in enumerate(states) if state.phase == Phase.PLAY]
    version, viewer = chance.choice(running), chance.choice((None, *range(rules.players)))
    others = twin(match, viewer, version, chance)
    return None if others is None else Pair(seed, viewer, states[version], others[-1])


def _rules(chance: random.Random) -> Rules:
    preset, knobs = any_preset(chance)
    knobs |= {"first_dealer": "last", "turn_seconds": None}
    return preset_rules(preset, knobs)


@define
class Told:
    """What reached the viewer and those who know less, with its times, and what was logged."""

    frames: list[tuple[str, float, bytes]] = field(factory=list)
    lines: list[str] = field(factory=list)


def told(pair: Pair, match: Match, folder: Path) -> tuple[Told, World]:
    """Play ``match`` of the pair on a server, and return all that was told."""
    evening = _Evening(pair, match)
    with _dealt(match):
        folder.mkdir()
        world = run(Evening(pair.seed, CALM, 3000.0), folder, evening.people, lambda _: None)
    assert evening.done, "the match was not played to its last version"
    evening.told.lines = world.lines.lines
    return evening.told, world


@contextmanager
def _dealt(match: Match) -> Iterator[None]:
    """Let secrets lead to the decks of ``match``."""
    begins = (step.action for step in match.steps if isinstance(step.action, BeginDeal))
    decks = [action.source.cards for action in begins if isinstance(action.source, Deck)]

    def deck(_: Secret, number: int) -> tuple[Card, ...]:
        return decks[number - 1] if number <= len(decks) else tuple(range(52))

    with patch("kings_engine.apply.deck", deck):
        yield


class _Evening:
    """People who play a match by heart."""

    def __init__(self, pair: Pair, match: Match) -> None:
        self.told = Told()
        self.done = False
        self._viewer = pair.viewer
        self._match = match
        self._chance = random.Random(f"evening {pair.seed}")  # noqa: S311
        self._curious = random.Random(f"viewer {pair.seed}")  # noqa: S311
        self._seats: list[Person] = []
        self._here: list[trio.Event] = []

    async def people(self, world: World) -> None:
        """Play up to the last version, and leave."""
        rules = self._match.rules
        async with trio.open_nursery() as nursery:
            for number in range(rules.players):
                person = await self._come(world, nursery, f"P{number}", number == self._viewer)
                await self._sit(number, person)
                self._seats.append(person)
                self._here.append(trio.Event())
                self._here[-1].set()
            watcher = await self._come(world, nursery, "W", True)
            table = self._seats[0].seat
            assert table is not None
            await watcher.ask_for(m.Watching, m.Watch(id=new_id(), table=table.table))
            looker = await self._come(world, nursery, "L", True)
            await looker.ask_for(m.Done, m.Browse(id=new_id(), page=0))
            if self._viewer is None:
                nursery.start_soon(self._pry, watcher, 1e6)
            else:
                nursery.start_soon(self._come_and_go, world, nursery, self._viewer)
            for number, step in enumerate(self._match.steps):
                if step.actor == TABLE:
                    await self._begin(number)
                    # There are hidden cards now: a page of the lobby must not tell of them.
                    await looker.ask_for(m.Done, m.Browse(id=new_id(), page=0))
                else:
                    await self._act(number, step.actor, step.action)  # type: ignore[arg-type]
            await trio.sleep(60.0)
            self.done = True
            nursery.cancel_scope.cancel()
        for cable in list(world.network.cables):
            cable.near.leave()

    async def _come(self, world: World, nursery: trio.Nursery, name: str, listened: bool) -> Person:
        rough = listened and name.startswith("P")
        cable = world.network.connect(ROUGH if rough else CALM)
        if listened:
            self._listen(cable, name)
        person = Person(cable.near, name)
        await nursery.start(person.run)
        await person.enter()
        return person

    def _listen(self, cable: Cable, name: str) -> None:
        check = cable.far.said

        def said(data: bytes) -> None:
            self.told.frames.append((name, trio.current_time(), data))
            assert check is not None
            check(data)

        cable.far.said = said

    async def _sit(self, number: int, person: Person) -> None:
        if number == 0:
            knobs = rules_as_plain(self._match.rules)
            players = self._match.rules.players
            await person.make_table(players, knobs=knobs, absent="wait", grace_seconds=600)
        else:
            assert self._seats[0].seat is not None
            await person.join(self._seats[0].seat.table, seat=number)

    async def _begin(self, number: int) -> None:
        """Be ready for a deal, which then begins."""
        for seat in range(len(self._seats)):
            person = await self._knowing(seat, number)
            await trio.sleep(self._chance.uniform(0, 1))
            if not person.ended:
                await person.send(m.Ready(id=new_id(), on=True))
        for seat in range(len(self._seats)):
            await self._knowing(seat, number + 1)

    async def _act(self, number: int, seat: int, action: SeatAction) -> None:
        await trio.sleep(self._chance.uniform(0, 1))
        while True:
            person = await self._knowing(seat, number)
            if person.version > number:
                return
            with trio.move_on_after(20.0):
                await person.send(act_of(action, number))
                while person.version <= number and not person.ended:
                    await person._changed.wait()

    async def _knowing(self, seat: int, version: int) -> Person:
        """Return the person at a seat, once it is there and knows the version."""
        while True:
            await self._here[seat].wait()
            person = self._seats[seat]
            while person.version < version and not person.ended:
                await person._changed.wait()
            if not person.ended:
                return person
            await trio.sleep(0.5)

    # ---- the viewer

    async def _come_and_go(self, world: World, nursery: trio.Nursery, number: int) -> None:
        chance = self._curious
        while True:
            person = self._seats[number]
            await self._pry(person, chance.uniform(0, 60))
            self._here[number] = trio.Event()
            await trio.aclose_forcefully(person.stream)
            await trio.sleep(chance.uniform(0, 10))
            again = await self._come(world, nursery, person.name, True)
            again.client = person.client
            assert person.seat is not None
            await again.resume(person.seat)
            self._seats[number] = again
            self._here[number].set()

    async def _pry(self, person: Person, seconds: float) -> None:
        """Try for so long what is not allowed, and ask for what is not to be had yet."""
        with suppress(trio.BrokenResourceError), trio.move_on_after(seconds):
            while not person.ended:
                await trio.sleep(self._curious.uniform(0, 3))
                await person.ask_anyway(self._question(person))

    def _question(self, person: Person) -> m.Request:
        chance = self._curious
        own = None if person.view is None else person.view.own
        legal = () if own is None else legal_actions(own)
        action = chance.choice([one for one in EVERY_ACTION if one not in legal])
        return chance.choice(
            (
                act_of(action, person.version),
                act_of(action, person.version),
                m.GetProof(id=new_id(), deal=chance.randrange(3)),
                m.Say(id=new_id(), text="what have you got?"),
                m.RemoveBot(id=new_id(), seat=chance.randrange(4)),
                m.Browse(id=new_id(), page=0),
            )
        )


def _bodies(data: bytes) -> set[tuple[str, bytes]]:
    frames, bodies = FrameDecoder(SERVER_FRAME_BYTES), set()
    frames.feed(data)
    while (body := frames.next()) is not None:
        bodies.add((str(msgpack.unpackb(body, strict_map_key=False)["t"]), body))
    return bodies


def told_apart(one: Told, other: Told) -> set[str]:
    """Return by what the two can be told apart: the tags of frames, ``when``, or ``log``."""
    channels = set()
    if [frame[:2] for frame in one.frames] != [frame[:2] for frame in other.frames]:
        channels.add("when")
    for (_, _, mine), (_, _, its) in zip(one.frames, other.frames, strict=False):
        if mine != its:
            channels |= {tag for tag, _ in _bodies(mine) ^ _bodies(its)}
    if one.lines != other.lines:
        channels.add("log")
    return channels
