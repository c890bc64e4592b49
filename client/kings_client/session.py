"""A run of the client, from the first screen to the last: one visit of a server after another.

This is the trio side of the program. It takes intents from a channel and hands out models; it knows
nothing of screens.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import Final, TypeAlias

import trio
from attrs import define, evolve, field

from kings_client import hosting
from kings_client.asking import ask
from kings_client.config import PATIENCE, PORT, Address, Patience, Person, Target, parse_address
from kings_client.embedded import ServerFailed, embedded_server
from kings_client.hosting import Hosted
from kings_client.intents import (
    AcceptCode,
    CloseMatches,
    Dismiss,
    ExportMatch,
    GivePassword,
    Ignore,
    Intent,
    LiftCover,
    Quit,
    RetryNow,
    Seek,
    ShowMatch,
    ShowMatches,
    Start,
    StartHost,
    StartJoin,
    StartPlay,
    ToWelcome,
)
from kings_client.link import Link
from kings_client.listening import listen
from kings_client.looking_back import looked_up
from kings_client.model import Hosting, Linked, LinkState, Model, Reason
from kings_client.nearby import Nearby
from kings_client.people_here import PeopleHere
from kings_client.remembering import Memory
from kings_client.search import Search
from kings_client.store import Store, StoreError
from kings_client.times import minute
from kings_client.updating import Began, Closed, Told, WentHome, update
from kings_client.words.tongue import later

HERE: Final = later("this machine")
"""How a server of one's own is called."""

Intents: TypeAlias = trio.MemoryReceiveChannel[Intent]
Publish: TypeAlias = Callable[[Model], None]
Parting: TypeAlias = Start | ToWelcome | Quit


@define
class Session:
    """The visits of one run.

    Attributes:
        store: what is kept between runs.
        start: where to go at first; nothing means the welcome screen.
        model: what was known last.
        patience: how long the link waits.
        seeks: whether servers on the network are looked for, while there is no connection.
        company: the names of the others at this keyboard.
        keeps: whether anything is kept for another run.
    """

    store: Store
    start: Start | None
    model: Model = field(factory=Model)
    patience: Patience = PATIENCE
    seeks: bool = False
    company: tuple[str, ...] = ()
    keeps: bool = True
    _publish: Publish | None = None
    _news: trio.Event = field(factory=trio.Event)
    _search: Search | None = None
    _link: Link | PeopleHere | None = None
    _hosted: Hosted | None = None
    _process: trio.Process | None = None
    _was_online: bool = False

    @property
    def failure(self) -> LinkState | None:
        """Why no server was ever reached, if that is how the run ended."""
        failed = self.model.link.state is Linked.CLOSED and not self._was_online
        return self.model.link if failed else None

    async def talk(self, intents: Intents, publish: Publish) -> None:
        """Go where the person wants until ``Quit``, or until cancelled."""
        self._publish = publish
        self._show(evolve(self.model, recent=self.store.recent()))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._seek)
            await self._go(intents)
            nursery.cancel_scope.cancel()

    async def _go(self, intents: Intents) -> None:
        start = self.start
        while True:
            parting: Parting = start if start is not None else await self._choice(intents)
            if isinstance(parting, Quit):
                return
            if not isinstance(parting, ToWelcome):
                parting = await self._visit(parting, intents)
            if isinstance(parting, Quit):
                await self._stop_hosted(parting.stop_server)
                return
            start = None if isinstance(parting, ToWelcome) else parting
            self._show(update(self.model, WentHome(), 0.0))

    def _show(self, model: Model) -> None:
        self._was_online = self._was_online or model.link.state is Linked.ONLINE
        # Looked for from the first moment on, though nothing is found or heard yet.
        search = self._search or (Search() if self._seeks_at(model.link.state) else None)
        self.model = evolve(model, search=search, company=self.company, keeps=self.keeps)
        self._tell_seeker()
        if self._publish is not None:
            self._publish(self.model)

    # ---- servers on the network

    async def _seek(self) -> None:
        """Look for servers whenever one is wanted: on the welcome screen, or when one is lost."""
        while True:
            while not self._seeks_now():
                await self._news.wait()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(listen, Nearby(ask, self._found, nursery))
                while self._seeks_now():
                    await self._news.wait()
                nursery.cancel_scope.cancel()
            self._search = None
            self._show(self.model)

    def _seeks_now(self) -> bool:
        return self._seeks_at(self.model.link.state)

    def _seeks_at(self, state: Linked) -> bool:
        if state is Linked.CONNECTING:
            return self.seeks and self._search is not None
        return self.seeks and state is not Linked.ONLINE

    def _want_to_seek(self, on: bool) -> None:
        self.seeks = on
        self._tell_seeker()

    def _tell_seeker(self) -> None:
        self._news.set()
        self._news = trio.Event()

    def _found(self, search: Search) -> None:
        """Show what was found; a lost server that is there again is gone to at once."""
        server, before = self.model.server, self._search or Search()
        self._search = search
        self._show(self.model)
        answers = search.addresses(server)
        news = bool(answers) and answers != before.addresses(server)
        if news and self._link is not None and self.model.link.state is Linked.WAITING:
            self._link.retry()

    def _elsewhere(self, server: str) -> tuple[Address, ...]:
        """Return where the server of this id has answered just now."""
        search = self._search or Search()
        return tuple(parse_address(address) for address in search.addresses(server))

    async def _choice(self, intents: Intents) -> Parting:
        """Wait on the welcome screen, and show finished matches."""
        async for intent in intents:
            match intent:
                case StartPlay() | StartHost() | StartJoin() | Quit():
                    return intent
                case ShowMatches() | ShowMatch() | ExportMatch() | CloseMatches():
                    self._show(await looked_up(self.model, intent, self.store.folder))
                case Seek(on):
                    self._want_to_seek(on)
                case _:
                    pass
        return Quit()

    async def _visit(self, start: Start, intents: Intents) -> Parting:
        """Stay at a server until the person wants to be elsewhere, and return where."""
        with suppress(StoreError):
            self.store.keep_name(start.name)
        with ExitStack() as places:
            self._link = link = self._make_link(start, places)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._stay, start, link)
                parting = await self._relay(link, intents)
                nursery.cancel_scope.cancel()
            self._link = None
        return parting

    async def _relay(self, link: Link | PeopleHere, intents: Intents) -> Parting:
        """Hand the person's wishes to the link until one leads elsewhere."""
        async for intent in intents:
            match intent:
                case StartPlay() | StartHost() | StartJoin() | ToWelcome() | Quit():
                    return intent
                case RetryNow() | AcceptCode() | GivePassword():
                    link.try_again(intent)
                case Seek(on):
                    self._want_to_seek(on)
                case Dismiss() | Ignore():
                    link.tell(intent)
                case ShowMatches() | ShowMatch() | ExportMatch() | CloseMatches():
                    pass
                case LiftCover(seat):
                    if isinstance(link, PeopleHere):
                        link.lift(seat)
                case _:
                    link.want(intent)
        return Quit()

    def _make_link(self, start: Start, places: ExitStack) -> Link | PeopleHere:
        """Return the link of the person, or those of all the people at this keyboard."""
        now = minute(time.time())

        def make(name: str, store: Store, show: Publish) -> Link:
            memory = Memory(
                store,
                now,
                forgets_finished=isinstance(start, StartPlay),
                keeps_matches=self.keeps and store is self.store,
            )
            model = evolve(self.model, name=name)
            person = Person(store.client(), name)
            return Link(
                person,
                memory,
                model,
                show,
                patience=self.patience,
                elsewhere=self._elsewhere if isinstance(start, StartJoin) else None,
            )

        if not start.people:
            return make(start.name, self.store, self._show)
        makers = [partial(make, start.name, self.store)]
        for name in start.people:
            place = places.enter_context(closing(Store.open(self.store.folder)))
            makers.append(partial(make, name, place))
        return PeopleHere(makers, self._show)

    async def _stay(self, start: Start, link: Link | PeopleHere) -> None:
        while True:
            try:
                match start:
                    case StartPlay():
                        await self._play(start, link)
                    case StartHost():
                        await self._host(start, link)
                    case StartJoin():
                        await _join(start, link)
            except (ServerFailed, StoreError) as error:
                link.tell(Closed(Reason.SERVER_FAILED, str(error)))
            await link.wanted_again()

    async def _play(self, start: StartPlay, link: Link | PeopleHere) -> None:
        link.tell(Began(HERE, straight=True))
        place = self.store.place
        async with embedded_server(place / "server.log", place / "tables") as server:
            target = Target(server.address, HERE, server.secret, plain_text=True)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(link.run, target, start.table, ready=True))
                await server.process.wait()
                nursery.cancel_scope.cancel()
        link.tell(Closed(Reason.SERVER_ENDED))

    async def _host(self, start: StartHost, link: Link | PeopleHere) -> None:
        link.tell(Began(HERE, straight=True))
        first = None
        hosted = await hosting.find(self.store, self.patience)
        if hosted is None:
            port = PORT if start.port is None else start.port
            first = start.table
            hosted, self._process = await hosting.start(
                self.store, port, self.patience, first.name, announce=start.announce
            )
        self._hosted = hosted
        machines = hosting.own_addresses()
        addresses = tuple(str(Address(machine, hosted.port)) for machine in machines)
        link.tell(Told(hosting=Hosting(addresses, hosted.code)))
        await link.run(Target(hosted.address, HERE, code=hosted.code), first)

    async def _stop_hosted(self, stop: bool) -> None:
        """End the hosted server if it is wanted so, or if nobody else has a seat there."""
        hosted = self._hosted
        if hosted is None or self.model.hosting is None:
            return
        if not stop:
            people = await hosting.people(hosted, self.patience)
            stop = people is not None and people <= len(self.model.mine)
        if stop:
            await hosting.stop(self.store, hosted, self.patience)


async def _join(start: StartJoin, link: Link | PeopleHere) -> None:
    link.tell(Began(start.address))
    try:
        address = parse_address(start.address)
    except ValueError as error:
        link.tell(Closed(Reason.BAD_ADDRESS, str(error)))
    else:
        target = Target(
            address,
            start.address,
            remembered=True,
            plain_text=start.plain_text,
            code=start.code,
            password=start.password,
        )
        await link.run(target)
