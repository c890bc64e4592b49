"""What a link remembers of a visit: tokens, promises and proofs, in memory and in the store.

A store that cannot be written costs the memory of the next run, never this one's game.
"""

from collections.abc import Mapping
from contextlib import suppress

from attrs import define, evolve, field

from kings_client.model import Check, Kept, Model, Recent
from kings_client.pins import Pins
from kings_client.proving import Deal, Witness
from kings_client.saved import (
    FORMAT,
    Result,
    SavedDeal,
    SavedMatch,
    plain_event,
    write_match,
)
from kings_client.store import Seat, Store, StoreError
from kings_client.updating import Checked
from kings_engine.events import MatchEnded, MatchEnding
from kings_engine.phase import Phase
from kings_engine.rules import REVISION
from kings_engine.verify import DealProof
from kings_protocol.messages import Seated


@define
class Memory:
    """The memory of one visit.

    Attributes:
        store: where it is kept.
        now: when the visit began, in local time, as in ``2026-11-30T20:15``.
        forgets_finished: whether a seat is kept for its match alone, and not for a rematch.
        keeps_matches: whether matches are kept; of several people here, the first one's are.
    """

    store: Store
    now: str
    forgets_finished: bool = False
    keeps_matches: bool = True
    pins: Pins = field(init=False)
    _seats: dict[tuple[str, str], Seat] = field(factory=dict, repr=False)
    _saved: tuple[tuple[Mapping[Deal, DealProof], Result | None], str] | None = None

    def __attrs_post_init__(self) -> None:
        self.pins = Pins(self.store.folder)

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

    # ---- promises and proofs

    def recall(self, model: Model) -> tuple[Checked, ...]:
        """Return what an earlier run was promised about deals of the table's current match."""
        seat = None if model.table is None else self._seat(model.identity, model.table.table)
        if seat is None or model.table is None or seat.match != model.table.match:
            return ()
        return tuple(
            Checked(int(deal), Check(commitment=commitment, nonce=nonce))
            for deal, (commitment, nonce) in seat.promises.items()
            if int(deal) not in model.checks
        )

    def note(self, model: Model, proofs: Mapping[Deal, DealProof], witness: Witness) -> str | None:
        """Keep what is new in ``model``; return the file that the match's proofs are in."""
        if model.table is None:
            return None
        self._note_promises(model)
        if self.forgets_finished and _result(model) is not None:
            with suppress(OSError):
                self.store.forget_seat(model.identity, model.table.table)
        if not proofs or not self.keeps_matches:
            return None
        news = (dict(proofs), _result(model))
        if self._saved is None or self._saved[0] != news:
            path = self._save(model, proofs, witness)
            self._saved = (news, path) if path is not None else None
        return None if self._saved is None else self._saved[1]

    def _note_promises(self, model: Model) -> None:
        table = model.table
        seat = None if table is None else self._seat(model.identity, table.table)
        if seat is None or table is None:
            return
        promises = {
            str(deal): (check.commitment, check.nonce)
            for deal, check in model.checks.items()
            if check.commitment is not None
        }
        newer = evolve(seat, name=table.name, match=table.match, promises=promises)
        if newer != seat:
            self._keep(newer)

    def _save(self, model: Model, proofs: Mapping[Deal, DealProof], witness: Witness) -> str | None:
        table = model.table
        if table is None:
            return None
        deals = tuple(
            SavedDeal(
                commitment=check.commitment,
                nonce=check.nonce,
                proof=proof,
                seen=tuple(map(plain_event, witness.seen(deal))),
                mark=check.mark,
            )
            for deal, proof in sorted(proofs.items())
            for check in (model.checks.get(deal, Check()),)
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
        day = self.now.partition("T")[0]
        name = f"{day}-{model.server[:8]}-{table.table}-{table.match}"
        try:
            return str(self.store.save_match(name, write_match(match)))
        except StoreError:
            return None

    def _seat(self, server: str, table: str) -> Seat | None:
        seat = self._seats.get((server, table))
        return self.store.seat(server, table) if seat is None else seat

    def _keep(self, seat: Seat) -> None:
        self._seats[seat.server, seat.table] = seat
        with suppress(StoreError):
            self.store.keep_seat(seat)


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
