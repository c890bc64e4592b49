"""The lobby: all tables, and the fence round each table's task."""

from collections.abc import Iterable
from itertools import chain
from math import inf
from typing import Protocol

import trio

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import BadRules
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode, UnseatedCode
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.names import clean_name
from kings_server.answers import ClientMemory, Recollection
from kings_server.bans import Bans
from kings_server.config import Config
from kings_server.counts import Counts
from kings_server.identity import new_server_id, new_table_id
from kings_server.journal import Journal
from kings_server.journal_rows import SavedTable
from kings_server.kept import settings_from
from kings_server.limits import END_SECONDS, SAVE_AGAIN_SECONDS
from kings_server.listing import Listing
from kings_server.log import CLIENT_SHOWN, Log, described
from kings_server.offered import Missing, refusal_of
from kings_server.outbox import Outbox
from kings_server.passwords import Passwords
from kings_server.picture import Maker, Settings
from kings_server.pool import Pool
from kings_server.room import least_missed
from kings_server.roster import Post
from kings_server.table import Table
from kings_server.writing import Sender


class Guest(Protocol):
    """A connection, as the lobby sees it."""

    @property
    def client(self) -> str:
        """The client's id."""

    @property
    def address(self) -> str:
        """Where it comes from, as the limits of one address count it."""

    @property
    def outbox(self) -> Outbox:
        """What waits to be written to the connection."""

    @property
    def memory(self) -> Recollection:
        """What this client was answered while it had no seat."""


class Lobby:
    """The tables of one server, and when it stops, once that is decided.

    A table is among ``tables``, where everybody finds it, once its making is kept.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        pool: Pool,
        log: Log,
        server_id: str | None = None,
        *,
        passwords: Passwords | None = None,
        password: str | None = None,
    ) -> None:
        """Make an empty lobby; ``run`` brings it to life.

        Args:
            config: how the server runs.
            journal: where tables are kept.
            pool: where bots think.
            log: where to log.
            server_id: the id of an earlier server, which this one goes on as.
            passwords: how passwords are tried and kept.
            password: the hash of the one that everybody needs who enters.
        """
        self.config = config
        self.server_id = server_id or new_server_id()
        self.memory = ClientMemory()
        self.counts = Counts()
        self.missing = Missing()
        self.bans = Bans(config.data)
        self.tables: dict[str, Table] = {}
        self._making: dict[tuple[str, str], Table] = {}
        self._unforgotten: set[str] = set()
        self._ending: set[Table] = set()
        self._giving_way: dict[Table, Table] = {}
        self.passwords = passwords or Passwords(bounds=config.bounds)
        self.password = password
        self.stops_at = inf
        self.listing = Listing(self.tables, config.bounds.lobby_seconds)
        self._journal = journal
        self._pool = pool
        self._log = log
        self._nursery: trio.Nursery | None = None
        self.sender = Sender()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run all tables, and send the list's changes to those who look at it."""
        async with trio.open_nursery() as self._nursery:
            await self._nursery.start(self._pool.run)
            self._nursery.start_soon(self.sender.run)
            task_status.started()
            await self.listing.run()

    def come_back(self, tables: Iterable[SavedTable]) -> None:
        """Let the tables that an earlier server saved go on; one that cannot be read is left out.

        Raises:
            LookupError: the lobby does not run.
        """
        for saved in tables:
            log, failure = self._log.bind(table=saved.table), ""
            try:
                settings, maker = settings_from(saved)
                table = self._table(settings, maker, log)
                table.come_back(saved)
            except Exception as error:  # noqa: BLE001  whatever a damaged row leads to
                failure = described(error)
            if failure:
                log.error("table cannot be read", error=failure)
            else:
                self._remember(table)
                self._begin(table, log)
                self._open(table)

    def _remember(self, table: Table) -> None:
        """Remember who asked for the table's seats; the tokens themselves are not kept."""
        for number, came in enumerate(table.roster.came):
            if came is not None:
                request = came.request
                seated = m.Seated(re=request.id, table=table.settings.table, seat=number, token="")
                self.memory.keep(came.client, request, seated)

    @property
    def would_lose(self) -> bool:
        """Whether a table is lost if the server ends now: there is one, and nothing is kept."""
        return bool(self.tables) and not self._journal.keeps

    # ---- tables

    def find(self, table: str) -> Post | None:
        """Return the way to the table of this id, if there is one."""
        found = self.tables.get(table)
        return None if found is None else found.events

    def asked_before(self, guest: Guest, request: m.MakeTable) -> Table | None:
        """Return the table that ``guest`` has asked for by this request before, if it is there."""
        known = guest.memory.find(request)
        if known is None:
            return self._making.get((guest.client, request.id))
        return self.tables.get(known.reply.table) if isinstance(known.reply, m.Seated) else None

    def make(self, guest: Guest, request: m.MakeTable, password: str | None) -> Table | m.Refused:
        """Make the table that is asked for, empty; the request goes to it to sit its maker down.

        ``password`` is the hash of the one that others need to come to it. A request that is sent
        again goes to the table that it made, or is making.
        """
        table = self.asked_before(guest, request)
        if table is not None:
            return table
        planned = self._planned(guest, request, password)
        if isinstance(planned, m.Refused):
            return planned
        settings, goes = planned
        log = self._log.bind(table=settings.table)
        maker = Maker(guest.client, guest.address)
        table = self._making[guest.client, request.id] = self._table(settings, maker, log)
        if goes is not None:
            self._giving_way[table] = goes
        table.ledger.then(self._made, table, guest.client, request)
        self._begin(table, log)
        return table

    def refusal(self, guest: Guest, request: m.MakeTable) -> m.Refused | None:
        """Say why the table that is asked for would not be made now, if so."""
        planned = self._planned(guest, request, None)
        return planned if isinstance(planned, m.Refused) else None

    def _planned(
        self, guest: Guest, request: m.MakeTable, password: str | None
    ) -> tuple[Settings, Table | None] | m.Refused:
        """Return what a new table is made with, and which one goes for it; or why none is made."""
        known = guest.memory.find(request)
        if known is not None:
            lost = isinstance(known.reply, m.Seated)
            code = RefusalCode.NO_SUCH_TABLE if lost else RefusalCode.ID_REUSED
            return m.Refused(re=request.id, code=code)
        if self.stops_at < inf:
            return m.Refused(re=request.id, code=RefusalCode.SHUTTING_DOWN)
        settings = self._settings(request, password)
        if isinstance(settings, m.Refused):
            return settings
        goes = self._room(guest)
        if isinstance(goes, int):
            return m.Refused(re=request.id, code=RefusalCode.TOO_MANY_TABLES, limit=goes)
        return settings, goes

    def _table(self, settings: Settings, maker: Maker, log: Log) -> Table:
        bounds, journal, pool = self.config.bounds, self._journal, self._pool
        changed = self.listing.changed
        return Table(self.server_id, settings, maker, bounds, journal, pool, log, changed)

    def _begin(self, table: Table, log: Log) -> None:
        if self._nursery is None:
            raise LookupError("the lobby does not run")
        table.counts = self.counts
        self._pool.warm()
        self._nursery.start_soon(self._run_table, table, log)

    def _made(self, table: Table, client: str, request: m.MakeTable) -> None:
        """Let a table be there for everybody: its making is kept."""
        del self._making[client, request.id]
        self._open(table)
        made = {"seats": len(table.roster.seats), "client": client[:CLIENT_SHOWN]}
        table.log.info("table made", name=table.settings.name, **made)
        goes = self._giving_way.pop(table, None)
        if goes is not None:
            goes.log.info("table makes room")
            self.end_soon(goes, UnseatedCode.TABLE_CLOSED)

    def _open(self, table: Table) -> None:
        self.tables[table.settings.table] = table
        self.counts.tables += 1
        self.listing.changed()

    @property
    def every(self) -> Iterable[Table]:
        """All tables, and those whose making is not kept yet."""
        return chain(self.tables.values(), self._making.values())

    def _settings(self, request: m.MakeTable, password: str | None) -> Settings | m.Refused:
        def no(code: RefusalCode, **facts: int) -> m.Refused:
            return m.Refused(re=request.id, code=code, limit=facts.get("limit"))

        name = clean_name(request.name, NAME_LENGTH)
        if not name:
            return no(RefusalCode.BAD_NAME)
        if request.preset not in PRESETS:
            return no(RefusalCode.NO_SUCH_PRESET)
        try:
            rules = preset_rules(request.preset, request.knobs)
        except BadRules as bad:
            faults = tuple(
                m.FaultLine(knob=fault.knob, given=fault.given, allowed=fault.allowed)
                for fault in bad.faults
            )
            return m.Refused(re=request.id, code=RefusalCode.BAD_RULES, faults=faults)
        if len(request.bots) >= rules.players:
            return no(RefusalCode.TOO_MANY_BOTS, limit=rules.players - 1)
        if code := next(filter(None, map(refusal_of, request.bots)), None):
            return no(code)
        if request.pace[0] > request.pace[1]:
            return no(RefusalCode.BAD_PACE)
        return Settings(
            table=self._free_id(),
            name=name,
            preset=request.preset,
            rules=rules,
            password=password,
            watchable=request.watchable,
            absent=request.absent,
            grace=request.grace_seconds,
            away=request.away_seconds,
            pace=request.pace,
            thinking=request.thinking,
        )

    def _room(self, guest: Guest) -> Table | int | None:
        """Return the table to go for one of ``guest``, if one has to; the limit, if none may.

        It goes once the new one is kept, or a match would go for a table that the disk refuses.
        """
        bounds = self.config.bounds
        going = self._ending.union(self._giving_way.values())
        tables = [table for table in self.every if table not in going]
        of_client = [table for table in tables if table.maker.client == guest.client]
        of_address = [table for table in tables if table.maker.address == guest.address != ""]
        if len(of_client) >= bounds.tables_per_client:
            return bounds.tables_per_client
        for some, limit in ((of_address, bounds.tables_per_address), (tables, bounds.tables)):
            if len(some) >= limit:
                return least_missed(some, guest.address) or limit
        return None

    def _free_id(self) -> str:
        taken = {table.settings.table for table in self.every} | self._unforgotten
        while (table := new_table_id()) in taken:
            pass
        return table

    async def _run_table(self, table: Table, log: Log) -> None:
        """Run a table until its end. The fence: an error of one table ends that table alone."""
        code, failure = UnseatedCode.TABLE_CLOSED, ""
        try:
            await table.events.run()
        except Exception as error:  # noqa: BLE001  the fence round tables
            code, failure = UnseatedCode.TABLE_FAILED, described(error)
        finally:
            self._leave(table, code)
        if failure:
            log.error("table failed", error=failure)
        await self._forget(table)
        log.info("table ended")

    def end_soon(self, table: Table, code: UnseatedCode) -> None:
        """End a table whatever is played there.

        Its people are told ``code`` once the journal has forgotten it, or does not answer in time.
        """
        if self._nursery is None:
            raise LookupError("the lobby does not run")
        table.events.hold()
        self._ending.add(table)
        self._nursery.start_soon(self._end, table, code)

    async def _end(self, table: Table, code: UnseatedCode) -> None:
        with trio.move_on_after(END_SECONDS):
            await self._forget(table)
        self._leave(table, code)

    def _leave(self, table: Table, code: UnseatedCode) -> None:
        """Let a table be there no more, for whoever it was."""
        table.events.end(code)
        self._ending.discard(table)
        self._giving_way.pop(table, None)
        self._making = {asked: made for asked, made in self._making.items() if made is not table}
        if self.tables.pop(table.settings.table, None) is not None:
            self.listing.changed()
        if table.keeper.began:
            self._unforgotten.add(table.settings.table)

    async def _forget(self, table: Table) -> None:
        """Have the journal forget a table, however long that takes."""
        told = False
        while table.keeper.began and not await table.keeper.forget():
            if not told:
                table.log.warning("the journal still has the table")
            told = True
            await trio.sleep(SAVE_AGAIN_SECONDS)
        self._unforgotten.discard(table.settings.table)
