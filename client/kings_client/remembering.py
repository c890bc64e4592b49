"""What a link remembers of a visit: tokens, offers and proofs, in memory and in the store.

A store that cannot be written costs the memory of the next run, never this one's game.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen

from kings_client.marks import Check, Exchange, Mark
from kings_client.model import Kept, Model, Recent
from kings_client.pins import Pins
from kings_client.saved import (
    FORMAT,
    Result,
    SavedDeal,
    SavedMatch,
    plain_event,
    write_match,
)
from kings_client.store import Seat, Store, StoreError
from kings_client.witness import Deal, Witness
from kings_engine.events import MatchEnded, MatchEnding
from kings_engine.phase import Phase
from kings_engine.rules import REVISION
from kings_engine.verify import DealProof
from kings_protocol.messages import Seated, TableState

News: TypeAlias = tuple[tuple[str, str, int, str | None], Mapping[Deal, Mark], Result | None]
"""Which match it is, and what is known of it."""


NEW_FILES: Final = (20, 10.0)
"""Files of matches that a visit may begin at once, and the seconds after which it is one more."""

WRITES: Final = (60, 1.0)
"""How often a visit may write such files at once, and the seconds after which it is once more."""


@define
class Budget:
    """So many times at once, and once more after each ``seconds``: a server may cause no more."""

    most: int
    seconds: float
    clock: Callable[[], float]
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._left, self._at = self.most, self.clock()

    def spend(self) -> bool:
        """Say whether it is allowed now, and count it if it is."""
        now = self.clock()
        self._left = min(self.most, self._left + (now - self._at) / self.seconds)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


@frozen
class MatchFile:
    """The file of a match: ``match`` is whose it is, ``deals`` are those that are in it."""

    match: tuple[str, str, int, str | None]
    name: str
    deals: frozenset[Deal]


@define
class Memory:
    """The memory of one visit.

    Attributes:
        store: where it is kept.
        now: when the visit began, in local time, as in ``2026-11-30T20:15``.
        forgets_finished: whether a seat is kept for its match alone, and not for a rematch.
        keeps_matches: whether matches are kept; of several people here, the first one's are.
        clock: tells seconds, for how often files are written.
    """

    store: Store
    now: str
    forgets_finished: bool = False
    keeps_matches: bool = True
    clock: Callable[[], float] = time.monotonic
    pins: Pins = field(init=False)
    _seats: dict[tuple[str, str], Seat] = field(factory=dict, repr=False)
    _saved: tuple[News, str] | None = None
    _file: MatchFile | None = None
    _new_files: Budget = field(init=False)
    _writes: Budget = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.pins = Pins(self.store.folder)
        self._new_files = Budget(*NEW_FILES, self.clock)
        self._writes = Budget(*WRITES, self.clock)

    # ---- seats

    def token(self, server: str, table: str) -> str | None:
        """Return what brings back the seat at ``table`` of ``server``, if it is known."""
        seat = self._seat(server, table)
        return None if seat is None else seat.token

    def kept(self, server: str) -> tuple[Kept, ...]:
        """Return the seats of ``server`` that can be taken back."""
        return self.store.kept(server)

    def seated(self, server: str, seated: Seated) -> None:
        """Remember a seat that was given or taken back."""
        before = self._seat(server, seated.table)
        if before is not None and before.token == seated.token:
            self._keep(before)
        else:
            self._keep(Seat(server, seated.table, seated.table, seated.seat, seated.token))

    def gone(self, server: str, table: str) -> None:
        """Forget a seat that is given up."""
        self._seats.pop((server, table), None)
        with suppress(OSError):
            self.store.forget_seat(server, table)

    def visited(self, address: str, name: str) -> tuple[Recent, ...]:
        """Remember a server, and return all that are remembered."""
        with suppress(StoreError):
            self.store.visited(address, name)
        return self.store.recent()

    # ---- offers and proofs

    def exchanges(self, server: str, table: str, token: str) -> tuple[Exchange, ...]:
        """Return the offers to the seat that ``token`` opens, as far as they are open."""
        seat = self._seat(server, table)
        return () if seat is None or seat.token != token else seat.exchanges

    def keep_exchanges(self, server: str, table: str, exchanges: tuple[Exchange, ...]) -> None:
        """Remember the offers to a seat that are open."""
        seat = self._seat(server, table)
        if seat is not None:
            self._keep(evolve(seat, exchanges=exchanges))

    def note(self, model: Model, proofs: Mapping[Deal, DealProof], witness: Witness) -> str | None:
        """Keep what is new in ``model``; return the file that the match's proofs are in."""
        table = model.table
        if table is None:
            return None
        seat = self._seat(model.identity, table.table)
        if seat is not None and seat.name != table.name:
            self._keep(evolve(seat, name=table.name))
        if self.forgets_finished and _result(model) is not None:
            with suppress(OSError):
                self.store.forget_seat(model.identity, table.table)
        marks = {deal: mark for deal, mark in model.marks.items() if mark is not Mark.PENDING}
        if not marks or not self.keeps_matches:
            return None
        key = (model.server, table.table, table.match, None if seat is None else seat.token)
        news = (key, marks, _result(model))
        if (self._saved is None or self._saved[0] != news) and self._writes.spend():
            file = self._file_for(key, frozenset(marks))
            path = None if file is None else self._save(file, table, model, proofs, witness)
            self._saved = (news, path) if path is not None else None
        return self._saved[1] if self._saved is not None and self._saved[0][0] == key else None

    def _file_for(
        self, match: tuple[str, str, int, str | None], deals: frozenset[Deal]
    ) -> MatchFile | None:
        """Return the file to write ``deals`` of ``match`` to.

        It is never one of another run of this program, nor one that has deals that would be lost.
        """
        file = self._file
        if file is None or file.match != match or not file.deals <= deals:
            if not self._new_files.spend():
                return None
            server, table, number, _ = match
            day = self.now.partition("T")[0]
            try:
                name = self.store.new_match(f"{day}-{server[:8]}-{table}-{number}")
            except StoreError:
                return None
            file = MatchFile(match, name, deals)
        self._file = evolve(file, deals=deals)
        return file

    def _save(
        self,
        file: MatchFile,
        table: TableState,
        model: Model,
        proofs: Mapping[Deal, DealProof],
        witness: Witness,
    ) -> str | None:
        deals = tuple(
            _saved_deal(deal, check, proofs.get(deal), witness)
            for deal, check in sorted(model.checks.items())
            if check.mark is not Mark.PENDING
        )
        match = SavedMatch(
            format=FORMAT,
            revision=REVISION,
            table=table.name,
            names=tuple(seat.name for seat in table.seats),
            seat=model.seat,
            rules=table.rules,
            deals=deals,
            preset=table.preset,
            levels=tuple(seat.level if seat.state == "bot" else None for seat in table.seats),
            played=self.now,
            result=_result(model),
        )
        try:
            return str(self.store.save_match(file.name, write_match(match)))
        except StoreError:
            return None

    def _seat(self, server: str, table: str) -> Seat | None:
        seat = self._seats.get((server, table))
        return self.store.seat(server, table) if seat is None else seat

    def _keep(self, seat: Seat) -> None:
        self._seats[seat.server, seat.table] = seat
        with suppress(StoreError):
            self.store.keep_seat(seat)


def _saved_deal(deal: Deal, check: Check, proof: DealProof | None, witness: Witness) -> SavedDeal:
    runs = witness.seen(deal)
    return SavedDeal(
        number=deal,
        exchange=check.exchange,
        anew=check.anew,
        doubts=check.doubts,
        proof=proof,
        seen=tuple(tuple(map(plain_event, run)) for run in runs),
        mark=check.mark,
        why=check.why,
        shown=witness.shown(deal),
    )


def _result(model: Model) -> Result | None:
    """Return how the match ended, once it has."""
    public = None if model.view is None else model.view.public
    if public is None or public.phase != Phase.MATCH_OVER:
        return None
    endings = [event.ending for event in model.events if isinstance(event, MatchEnded)]
    return Result(
        winners=public.winners,
        losers=public.losers,
        points=tuple(seat.points for seat in public.seats),
        abandoned=MatchEnding.ABANDONED in endings,
    )
