"""Who is at a table: its seats, the connections behind them, and those who look on.

Seats change here through ``seats.step`` alone. Who is connected changes apart from them, by
``connect`` and ``disconnect``, once the seat's change is kept. A connection that was displaced or
has left is no longer in the roster, so nothing that it still does can reach its old seat.
"""

from functools import cached_property
from typing import Protocol, TypeVar

from attrs import evolve, frozen

from kings_protocol.codes import UnseatedCode
from kings_protocol.messages import Level, Message, Reply, Request, Unseated
from kings_server.answers import Answers, Recollection
from kings_server.feed import Feed
from kings_server.identity import key_of, new_token, same
from kings_server.kept import text_of
from kings_server.limits import GIVEN_UP
from kings_server.names import distinct
from kings_server.outbox import Outbox
from kings_server.seats import HOLDER, PEOPLE, Input, Seat, State, step

T = TypeVar("T")
V = TypeVar("V")


class Peer(Protocol):
    """A connection, as a table sees it. Nothing here awaits or fails."""

    @property
    def name(self) -> str:
        """The person's name, cleaned."""

    @property
    def client(self) -> str:
        """The client's id."""

    @property
    def address(self) -> str:
        """Where it comes from, as the limits of one address count it."""

    @property
    def gone(self) -> bool:
        """Whether the connection has ended, or is about to."""

    @property
    def quit(self) -> bool:
        """Whether it was the person who ended it."""

    @property
    def outbox(self) -> Outbox:
        """What waits to be written to the connection."""

    @property
    def memory(self) -> Recollection:
        """What this client was answered while it had no seat."""

    def answer(self, reply: Reply) -> None:
        """Give the one reply to the request that the table was handed."""

    def arrive(self, post: "Post", *, watching: bool) -> None:
        """Be at a table, which takes requests by ``post``, until ``go_back``."""

    def go_back(self) -> None:
        """Be in the lobby again."""

    def displace(self) -> None:
        """End: a newer connection has taken over the seat."""


class Post(Protocol):
    """What a table takes from connections."""

    def ask(self, peer: Peer, request: Request) -> bool:
        """Hand in a request; say whether there was room for it."""

    def depart(self, peer: Peer) -> None:
        """Tell that the connection has ended."""


@frozen
class Came:
    """Which client asked for a seat, and how: it may ask again, if the answer was lost."""

    client: str
    request: Request

    @cached_property
    def text(self) -> str:
        """The request as the journal keeps it."""
        return text_of(self.request)


class Roster:
    """The seats of one table, and the people at it."""

    def __init__(self, count: int) -> None:
        """Begin with ``count`` open seats and nobody there."""
        self.seats = [Seat()] * count
        self.peers: list[Peer | None] = [None] * count
        self.answers = [Answers() for _ in range(count)]
        self.feeds: dict[Peer, Feed] = {}
        self.host: int | None = None
        self.came: list[Came | None] = [None] * count
        self.given_up: dict[bytes, None] = {}
        self.former: dict[str, tuple[int, int]] = {}
        self.paused = False
        self.silent = False
        self.barred: dict[str, None] = {}

    @property
    def watchers(self) -> int:
        """How many people look on."""
        return len(self.feeds) - sum(peer is not None for peer in self.peers)

    def where(self, *states: State) -> list[int]:
        """Return the numbers of the seats in any of ``states``."""
        return [number for number, seat in enumerate(self.seats) if seat.state in states]

    @property
    def full(self) -> bool:
        """Whether somebody or a bot sits everywhere, and nobody is being waited for."""
        return not self.where(State.OPEN, State.LEFT, State.DROPPED)

    @property
    def all_ready(self) -> bool:
        """Whether all people who are connected are ready; there is at least one."""
        people = self.where(State.SEATED)
        return bool(people) and all(self.seats[number].ready for number in people)

    @property
    def alive(self) -> bool:
        """Whether anybody is here, or is being waited for while others are."""
        return bool(self.feeds) or any(seat.until is not None for seat in self.seats)

    def alone(self, number: int) -> bool:
        """Say whether a seat's person is the only one of the table, here or gone for now."""
        return self.where(*PEOPLE) == [number]

    @property
    def deserted(self) -> bool:
        """Whether all people of the table are gone, and may come back."""
        return not self.where(State.SEATED) and bool(self.where(*PEOPLE))

    def names(self, but: int | None = None) -> list[str]:
        """Return what those at the table are called who have a seat, ``but`` perhaps one."""
        return [seat.name for number, seat in enumerate(self.seats) if seat.name and number != but]

    def name_of_watcher(self, peer: Peer) -> str:
        """Return what somebody who looks on is called: no name of a seat, or of who came before."""
        called = self.names()
        for other in self.feeds:
            if other not in self.peers:
                called.append(distinct(other.name, called))
            if other is peer:
                break
        return called[-1]

    def free_seat(self, wanted: int | None) -> int | None:
        """Return the seat somebody may sit down on: the wanted one, or the first; or none."""
        free = [number for number, seat in enumerate(self.seats) if seat.free]
        if wanted is not None:
            return wanted if wanted in free else None
        return free[0] if free else None

    def seat_of(self, peer: Peer) -> int | None:
        """Return where ``peer`` sits, if it sits."""
        for number, other in enumerate(self.peers):
            if other is peer:
                return number
        return None

    def seat_by_token(self, token: str) -> int | None:
        """Return the seat that ``token`` opens, looking at all of them."""
        key, found = key_of(token), None
        for number, seat in enumerate(self.seats):
            if seat.key is not None and same(seat.key, key):
                found = number
        return found

    def was_given_up(self, token: str) -> bool:
        """Say whether ``token`` opened a seat of this table once."""
        return key_of(token) in self.given_up

    def sit(self, number: int, peer: Peer, request: Request) -> str:
        """Seat ``peer``, who asked for it by ``request``, and return the token of the seat."""
        token = new_token()
        name = distinct(peer.name, self.names(but=number))
        self.seats[number] = step(self.seats[number], Input.SIT, name=name, key=key_of(token))
        self.came[number] = Came(peer.client, request)
        if self.host is None:
            self.host = number
        return token

    def new_key(self, number: int) -> str:
        """Give a seat another token: the one it has was lost on its way."""
        token = new_token()
        self.seats[number] = evolve(self.seats[number], key=key_of(token))
        return token

    def resume(self, number: int) -> None:
        """Give the seat back to its person."""
        self.seats[number] = step(self.seats[number], Input.RETURN)
        if self.host is None:
            self.host = number

    def connect(self, number: int, peer: Peer) -> None:
        """Let ``peer`` be who sits at a seat, in the place of an older connection."""
        older = self.peers[number]
        if older is not None and older is not peer:
            self.feeds.pop(older, None)
            older.displace()
        self.peers[number] = peer
        self.feeds[peer] = Feed(peer.outbox, number)

    def disconnect(self, number: int) -> None:
        """Let nobody be connected to a seat."""
        peer = self.peers[number]
        self.peers[number] = None
        if peer is not None:
            self.feeds.pop(peer, None)

    def watch(self, peer: Peer) -> None:
        """Let ``peer`` look on."""
        self.feeds[peer] = Feed(peer.outbox, None)

    def unwatch(self, peer: Peer) -> None:
        """Forget somebody who looked on."""
        self.feeds.pop(peer, None)

    def remove_watchers(self) -> None:
        """Send back all who look on, and let none of them come again for that."""
        for peer in self.people():
            if peer not in self.peers:
                self.unwatch(peer)
                peer.go_back()
                peer.outbox.put(Unseated(code=UnseatedCode.REMOVED))
                for known in filter(None, (peer.client, peer.address)):
                    self.barred[known] = None
                    _forget_oldest(self.barred)

    def bars(self, peer: Peer) -> bool:
        """Say whether somebody may not look on, because somebody of that client or address did."""
        return peer.client in self.barred or peer.address in self.barred

    def tell(self, message: Message, *, but: Peer | None = None) -> None:
        """Send a one-time message to all people here, ``but`` perhaps one."""
        for peer in self.people():
            if peer is not but:
                peer.outbox.put(message)

    def tell_seat(self, number: int, message: Message) -> None:
        """Send a one-time message to who sits at a seat, if anybody is connected."""
        peer = self.peers[number]
        if peer is not None:
            peer.outbox.put(message)

    def send_back(self, number: int, code: UnseatedCode | None) -> None:
        """Send who sat at a seat back to the lobby, if anybody is connected, and say why."""
        peer = self.peers[number]
        self.disconnect(number)
        if peer is not None:
            peer.go_back()
            if code is not None:
                peer.outbox.put(Unseated(code=code))

    def drop(self, number: int, until: float, *, away: bool = False) -> None:
        """Wait for a person whose connection is lost, or who does nothing (``away``)."""
        self.seats[number] = step(self.seats[number], Input.DROP, until=until, away=away)

    def wait_longer(self, seconds: float) -> None:
        """Put off when the table stops waiting for people."""
        self.seats = [
            seat if seat.until is None else evolve(seat, until=seat.until + seconds)
            for seat in self.seats
        ]

    def disconnected(self, number: int) -> None:
        """Note that the person at a seat has no connection any more, and did nothing before."""
        self.seats[number] = evolve(self.seats[number], away=False)

    def lose(self, number: int, what: Input, deal: tuple[int, int]) -> None:
        """Do ``what`` becomes of a seat whose person is gone, for now or for good.

        Args:
            number: the seat.
            what: what becomes of it.
            deal: the numbers of the match and of the deal that it happens in.
        """
        seat = self.seats[number]
        name = self.bot_name(HOLDER) if what is Input.REPLACE else ""
        self.seats[number] = step(seat, what, name=name)
        if self.seats[number].key is None and seat.key is not None:
            self.given_up[seat.key] = None
            _forget_oldest(self.given_up)
            came = self.came[number]
            if came is not None:
                self.former[came.client] = deal
                _forget_oldest(self.former)
            self.seats = [evolve(seat, votes=seat.votes - {number}) for seat in self.seats]
        if self.host == number:
            self.hand_on_host()

    def hand_on_host(self) -> None:
        """Make another person who is connected the host, rather one who is ready; or nobody."""
        others = [number for number in self.where(State.SEATED) if number != self.host]
        others.sort(key=lambda number: not self.seats[number].ready)
        self.host = next(iter(others), None)

    def add_bot(self, number: int, level: Level) -> None:
        """Seat a bot."""
        name = self.bot_name(level)
        self.seats[number] = step(self.seats[number], Input.ADD_BOT, name=name, level=level)

    def remove_bot(self, number: int) -> None:
        """Take a bot from its seat."""
        self.seats[number] = step(self.seats[number], Input.REMOVE_BOT)

    def set_ready(self, number: int, *, on: bool) -> None:
        """Note whether the person at a seat is ready."""
        self.seats[number] = evolve(self.seats[number], ready=on)

    def unready(self) -> None:
        """Let nobody be ready: something new has begun."""
        self.seats = [evolve(seat, ready=False) for seat in self.seats]

    def set_short(self, number: int, *, on: bool) -> None:
        """Note whether the bot at a seat had no time to think about its last move."""
        self.seats[number] = evolve(self.seats[number], short=on)

    def set_pause(self, number: int, *, on: bool) -> None:
        """Note whether the person at a seat wants the match to stand still."""
        self.seats[number] = evolve(self.seats[number], pause=on)

    def set_silent(self, number: int, *, on: bool) -> None:
        """Note whether the person at a seat may say nothing."""
        self.seats[number] = evolve(self.seats[number], silent=on)

    def set_vote(self, number: int, against: int, *, on: bool) -> None:
        """Note whether the person at seat ``number`` wants a bot at another."""
        votes = self.seats[against].votes
        votes = votes | {number} if on else votes - {number}
        self.seats[against] = evolve(self.seats[against], votes=votes)

    def begin_pause(self) -> None:
        """Let the match stand still, and note who was gone and is not asked."""
        self.paused = True
        self.seats = [
            evolve(
                seat,
                unasked=seat.has_person and seat.state is not State.SEATED and not seat.pause,
            )
            for seat in self.seats
        ]

    def end_pause(self) -> None:
        """Let the match go on, and nobody want a pause."""
        self.paused = False
        self.seats = [evolve(seat, pause=False, unasked=False) for seat in self.seats]

    def calm(self) -> None:
        """Let nobody want a pause or a bot: no match is running."""
        self.end_pause()
        self.seats = [evolve(seat, votes=frozenset()) for seat in self.seats]

    def bot_name(self, level: Level) -> str:
        """Return what the next bot of ``level`` is called: told apart from those who sit here."""
        taken = {seat.name for seat in self.seats}
        names = (level, *(f"{level} {number}" for number in range(2, len(self.seats) + 2)))
        return next(name for name in names if name not in taken)

    def people(self) -> tuple[Peer, ...]:
        """Return the connections of all people here."""
        return tuple(self.feeds)


def _forget_oldest(known: dict[T, V]) -> None:
    if len(known) > GIVEN_UP:
        del known[next(iter(known))]
