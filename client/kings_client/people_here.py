"""The connections of several people at one keyboard, as one: who asks, and what is shown."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import trio

from kings_client.config import Target
from kings_client.covering import Desk, leader, lifted, passed_on, shown
from kings_client.intents import (
    Ask,
    BeginAnew,
    ComeBack,
    Decided,
    Here,
    Join,
    Leave,
    MakeTable,
    Pause,
    SetReady,
)
from kings_client.link import Link
from kings_client.model import Linked, Model
from kings_client.updating import Happening

MakeLink: TypeAlias = Callable[[Callable[[Model], None]], Link]
"""Makes a person's link, given what it publishes to."""


class PeopleHere:
    """The links of several people; it is used in a link's place.

    The first person decides where to go, the others follow and sit down at the same table. What is
    done in a deal is done by the one who has the keyboard; all are ready, pause and leave together.
    """

    def __init__(
        self,
        makers: Sequence[MakeLink],
        publish: Callable[[Model], None],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make the links; ``publish`` is called with what the screen may show."""
        self._publish = publish
        self._now = now
        self._desk = Desk()
        self._changed = trio.Event()
        self._tried: set[tuple[int, str, type[Ask | ComeBack | BeginAnew]]] = set()
        self._given_up: set[str] = set()
        self._password: str | None = None
        self._links = [make(self._heard) for make in makers]

    @property
    def model(self) -> Model:
        """What the screen may show."""
        return shown(self._desk, self._people())

    def _people(self) -> list[Model]:
        return [link.model for link in self._links]

    def _heard(self, _: Model) -> None:
        self._desk = passed_on(self._desk, self._people(), self._now())
        self._changed.set()
        self._publish(self.model)

    def tell(self, news: Happening) -> None:
        """Bring everybody's model up to date."""
        for link in self._links:
            link.tell(news)

    async def run(
        self, target: Target, first: MakeTable | None = None, *, ready: bool = False
    ) -> None:
        """Keep everybody connected to ``target`` until cancelled."""
        self._tried.clear()
        self._password = None if first is None else first.password
        async with trio.open_nursery() as nursery:
            for at, link in enumerate(self._links):
                made = first if at == 0 else None
                nursery.start_soon(partial(link.run, target, made, ready=ready))
            nursery.start_soon(self._keep_together)

    def retry(self) -> None:
        """Make everybody's next attempt now."""
        for link in self._links:
            link.retry()

    def try_again(self, decided: Decided) -> None:
        """Make everybody's next attempt now, with what the first person has decided."""
        for link in self._links:
            link.try_again(decided)

    async def wanted_again(self) -> None:
        """Wait until ``retry`` is called."""
        await self._links[0].wanted_again()

    # ---- asking

    def lift(self, seat: int) -> None:
        """Lift the cover for the person at ``seat``."""
        self._desk = lifted(self._desk, self._people(), seat)
        self._publish(self.model)

    def want(self, wish: Ask | ComeBack | BeginAnew) -> None:
        """Ask for what is wanted, in the name of whom it is wanted by."""
        match wish:
            case Here():
                self._links[self._desk.due if self._desk.at is None else self._desk.at].want(wish)
                return
            case SetReady() | Leave() | Pause():
                for link in self._links:
                    if link.model.seat is not None:
                        link.want(wish)
                return
            case BeginAnew() if self.model.unfinished is not None:
                self._given_up.add(self.model.unfinished.table)
            case Join(password=password) | MakeTable(password=password):
                self._tried.clear()
                self._password = password
            case _:
                pass
        people = self._people()
        if self.model.cover is None:
            at = leader(people) if self._desk.at is None else self._desk.at
            self._links[at].want(wish)

    async def _keep_together(self) -> None:
        """Have the others sit down where the first one sits, and give up what that one gave up."""
        while True:
            self._changed = trio.Event()
            for at, link in enumerate(self._links):
                # The lobby's page comes after what is known of seats to come back to.
                waits = link.model.where == "lobby" and link.model.lobby is not None
                if waits and not link.model.moving and link.model.link.state is Linked.ONLINE:
                    self._bring_along(at, link)
            await self._changed.wait()

    def _bring_along(self, at: int, link: Link) -> None:
        """Have a person do the next thing not yet tried to be where the others are."""
        kept = [seat.table for seat in link.model.kept]
        for table in kept:
            if table in self._given_up and self._first_try(at, table, BeginAnew):
                link.give_up(table)
                return
        people = self._people()
        lead = people[leader(people)]
        if lead.where != "table" or lead.seat is None or lead.table is None:
            return
        table = lead.table.table
        if table in self._given_up:
            return
        if table in kept and self._first_try(at, table, ComeBack):
            link.want(ComeBack(table))
        elif self._first_try(at, table, Join):
            link.want(Join(table, self._password))

    def _first_try(self, at: int, table: str, way: type[Ask | ComeBack | BeginAnew]) -> bool:
        """Note that a person tries a way to a table, or from it; say whether for the first time."""
        tries = len(self._tried)
        self._tried.add((at, table, way))
        return len(self._tried) > tries
