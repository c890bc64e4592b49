"""Holds what everybody is shown of the making of decks to what it has to be.

A commitment and a set never change, whoever is shown them and after whatever restart; each is in
the journal before. A deal is offered anew only because a share was withheld that had been committed
to. What a deck is made of is told to nobody before the proof.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from kings_engine.commitments import (
    DealContext,
    commit_seed,
    commit_share,
    rules_digest,
    set_digest,
)
from kings_engine.sources import Secret
from simulation.record import DeckId, Record

HEX32: Final = re.compile(rb"[0-9a-f]{64}")

Plain = dict[str, Any]
Members = tuple[bytes | None, ...]


class Exchanges:
    """What was shown of all decks of an evening.

    Attributes:
        server: the server's id.
        shares: whose shares of which decks the servers took.
        anew: the decks of deals that were offered anew.
    """

    def __init__(self, record: Record, fault: Callable[[str], None]) -> None:
        self.server = b""
        self.shares: set[tuple[DeckId, int]] = set()
        self.anew: set[DeckId] = set()
        self._record = record
        self._fault = fault
        self._commitments: dict[DeckId, str] = {}
        self._contexts: dict[DeckId, DealContext] = {}
        self._sets: dict[DeckId, Members] = {}
        self._withheld: dict[DeckId, frozenset[int]] = {}
        self._secrets: set[bytes] = set()

    def hide(self, secret: Secret) -> None:
        """Note what nobody may be told before the deal is over."""
        self._secrets.add(secret.seed.hex().encode())
        self._secrets.update(one.hex().encode() for one in secret.shares if one is not None)

    def tells(self, body: bytes) -> bool:
        """Say whether a message tells a secret of a deck."""
        return not self._secrets.isdisjoint(HEX32.findall(body))

    def see(self, table: Plain) -> str | None:
        """Take in a table's state that somebody is shown; say what is wrong with it."""
        offer = table["offer"]
        if offer is None:
            return None
        deck = (table["table"], table["match"], offer["deal"], offer["attempt"])
        if self._commitments.setdefault(deck, offer["commitment"]) != offer["commitment"]:
            return f"another commitment for {deck}"
        self._contexts[deck] = DealContext(self.server, *deck, rules_digest(table["rules"]))
        withheld = frozenset(table["withheld"])
        self._withheld[deck] = self._withheld.get(deck, withheld) & withheld
        members = tuple(_bytes(one["commitment"]) for one in offer["members"])
        if members and self._sets.setdefault(deck, members) != members:
            return f"another set for {deck}"
        return self._unkept(deck, members) or self._without_cause(deck)

    def _unkept(self, deck: DeckId, members: Members) -> str | None:
        """Say what of an offer is not in the journal, if there is one."""
        kept = self._record.offers.get(deck)
        if kept is None:
            return f"{deck} was shown before it was kept" if self._record.keeps else None
        seed = commit_seed(self._contexts[deck], bytes.fromhex(kept.seed)).hex()
        if seed != self._commitments[deck]:
            return f"the commitment of {deck} is not to the seed that is kept"
        if members and not (kept.closed and tuple(map(_bytes, kept.commitments)) == members):
            return f"the set of {deck} was shown before it was kept"
        return None

    def _without_cause(self, deck: DeckId) -> str | None:
        """Say what is wrong with a deal's being offered anew."""
        table, match, deal, attempt = deck
        before = (table, match, deal, attempt - 1)
        if before not in self._withheld:
            return None
        lost = self._withheld[deck] - self._withheld[before]
        if not lost:
            return f"{deck} was offered anew without a cause"
        for seat in lost:
            if before in self._sets and self._sets[before][seat] is None:
                return f"seat {seat} had no share to withhold in {before}"
            if (before, seat) in self.shares:
                return f"seat {seat} is said to withhold a share that it revealed in {before}"
        self.anew.add(deck)
        return None

    def take(self, table: str, match: int, seat: int, request: Plain) -> None:
        """Take in that the server said that it has a seat's share."""
        deck = (table, match, request["deal"], request["attempt"])
        self.shares.add((deck, seat))
        share, members = bytes.fromhex(request["share"]), self._sets.get(deck, ())
        self._secrets.add(request["share"].encode())
        context, seed = self._contexts[deck], bytes.fromhex(self._commitments[deck])
        fits = members and commit_share(context, seed, seat, share) == members[seat]
        if not fits or set_digest(context, seed, members).hex() != request["members"]:
            self._fault(f"a share of seat {seat} was taken that does not fit the set of {deck}")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
