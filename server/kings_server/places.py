"""Who has a place among the connections, and who makes room for somebody new.

Connections cost nothing to make, so those that only lie there must not keep others out. Where all
places are taken, one of the address that has the most is ended for an address that has fewer:
first who has not entered, then who is at no table, then who looks on, each time the oldest; never
who has a seat. Some places are kept for an address from which somebody has entered, and is here or
was lately: as long as it has no more than those, it makes room last, and finds it first.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable

import trio
from attrs import define, field

from kings_protocol.codes import CloseCode
from kings_server.bounds import Bounds
from kings_server.limits import (
    ENTERED_SECONDS,
    EVICTED_SECONDS,
    KEPT_PLACES,
    REMEMBERED_ADDRESSES,
)
from kings_server.session import Session


@define(eq=False)
class Place:
    """One connection's place; it has no ``session`` before it is secured."""

    address: str
    session: Session | None = None
    scope: trio.CancelScope = field(factory=trio.CancelScope)

    @property
    def entered(self) -> bool:
        """Whether it is known who this is."""
        return self.session is not None and self.session.entered

    @property
    def rank(self) -> int:
        """How much is lost with the connection: the lowest makes room first."""
        return 0 if self.session is None else self.session.rank

    def end(self) -> None:
        """End the connection, and say why where that takes no time."""
        if self.session is None:
            self.scope.cancel()
        else:
            self.session.close(CloseCode.TOO_MANY_CONNECTIONS)
            self.scope.deadline = trio.current_time() + EVICTED_SECONDS


class Places:
    """The places of one server."""

    def __init__(self, bounds: Bounds) -> None:
        """Have as many as ``bounds`` say."""
        self._bounds = bounds
        self._all: dict[Place, None] = {}
        self._strangers: dict[Place, None] = {}
        self._here: Counter[str] = Counter()
        self._entered: OrderedDict[str, float] = OrderedDict()

    def take(self, address: str) -> Place | None:
        """Return a place for a connection from ``address``, or nothing if there is none."""
        self._strangers = {place: None for place in self._strangers if not place.entered}
        if not self._make_room(address):
            return None
        place = Place(address)
        self._all[place] = self._strangers[place] = None
        self._here[address] += 1
        return place

    def give_back(self, place: Place) -> None:
        """Have a place back whose connection has ended."""
        if place not in self._all:
            return
        del self._all[place]
        self._strangers.pop(place, None)
        self._here[place.address] -= 1
        if not self._here[place.address]:
            del self._here[place.address]
        if place.entered:
            self._entered.pop(place.address, None)
            self._entered[place.address] = trio.current_time()
            if len(self._entered) > REMEMBERED_ADDRESSES:
                self._entered.popitem(last=False)

    def _make_room(self, address: str) -> bool:
        """Say whether there is room for one more from ``address``, once somebody has made it."""
        bounds = self._bounds
        own = [place for place in self._strangers if place.address == address]
        crowded = self._here[address] >= bounds.connections_per_address
        if address and (crowded or len(own) >= bounds.unentered_per_address):
            return self._end_one(own)
        if len(self._strangers) >= bounds.unentered:
            return self._end_one(self._of_fullest(self._strangers, address, 0))
        if len(self._all) >= bounds.connections:
            # Who has entered comes back, so that people with few would take turns for ever.
            return self._end_one(self._of_fullest(self._all, address, KEPT_PLACES))
        return True

    def _of_fullest(self, places: Iterable[Place], address: str, few: int) -> list[Place]:
        """Return those of the address that has the most, if more than ``address`` and than a few.

        Those with a seat are none of them.
        """
        by_address: dict[str, list[Place]] = {}
        for place in places:
            if place.rank < Session.SEATED:
                by_address.setdefault(place.address, []).append(place)
        strangers = Counter(place.address for place in self._strangers)
        late = trio.current_time() - ENTERED_SECONDS

        def known(at: str) -> bool:
            return self._here[at] > strangers[at] or self._entered.get(at, late) > late

        def load(at: str) -> tuple[int, bool]:
            count = len(by_address.get(at, ()))
            kept = known(at)
            return (min(count, 1) if kept and count <= KEPT_PLACES else count, not kept)

        own = len(by_address.get(address, ()))
        if known(address) and own < KEPT_PLACES:
            own = 0
        fullest = max(by_address, key=load, default=address)
        return by_address[fullest] if load(fullest)[0] > max(own, few) else []

    def _end_one(self, places: list[Place]) -> bool:
        """End the oldest of those with whom least is lost, if there is one, and say so."""
        ended = min(places, key=lambda place: place.rank, default=None)
        if ended is None:
            return False
        ended.end()
        self.give_back(ended)
        return True
