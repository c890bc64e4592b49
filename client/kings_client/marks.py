"""What a client can find out about whether a deal was fair."""

from enum import StrEnum
from typing import Annotated

from attrs import field, frozen
from msgspec import Meta

from kings_engine.commitments import DealContext, Promise, commit_share, set_digest
from kings_protocol.messages import Count, Hex16, Hex32, SeatNumber, Slug, TableId

CODE_LENGTH = 16
"""Hexadecimal digits of a set's digest that people compare: 64 bits."""


class Mark(StrEnum):
    """What the client found out about a deal."""

    PENDING = "pending"  #: it is running, or the proof is on its way
    FAIR = "fair"  #: nobody chose the deck, because one's own share is in it
    FAIR_WITHOUT = "fair_without"  #: as promised, but without one's own share; ``why`` says why
    ANEW = "anew"  #: as promised, after the deal was offered anew
    UNCHECKED = "unchecked"  #: something that the check needs is missing; ``why`` says what
    BROKEN = "broken"  #: something does not match; ``doubts`` say what


class Why(StrEnum):
    """Why a deal is without one's own share, or is not checked."""

    # without one's own share; the first four are the server's words in the set
    LATE = "late"  #: the commitment came too late
    GONE = "gone"  #: the connection was lost
    BOT = "bot"  #: a bot played
    WITHHELD = "withheld"  #: the share was withheld in an earlier deal of the match
    WATCHED = "watched"  #: one looked on
    FIRST_FORM = "first_form"  #: nobody committed to a share when this file was written

    # not checked
    NO_PROMISE = "no_promise"  #: no commitments were seen before the deal
    OFFER_NOT_SEEN = "offer_not_seen"  #: the deal was offered anew, and that was not seen
    NOTHING_SEEN = "nothing_seen"  #: nothing of the deal was seen
    START_NOT_SEEN = "start_not_seen"  #: its start was not seen
    NO_PROOF = "no_proof"  #: the server gave no proof
    NEVER_DEALT = "never_dealt"  #: it was promised and never dealt


@frozen
class Withheld:
    """Whose share was withheld before a deal was offered anew; nobody's if a deck was dropped."""

    seat: SeatNumber | None
    name: str


@frozen
class Exchange:
    """One offer of a deal, as this client saw it and answered it. It is kept in files as it is.

    Attributes:
        server: the server's id.
        table: the table's id.
        match: the match's number.
        deal: the deal's number; 0 is the cut or the lot.
        attempt: how many offers of this deal went before.
        rules: the digest of the rules in force.
        commitment: the server's commitment to its seed.
        withheld: the seats that had lost their share of the match when the offer came.
        seat: one's own seat; nothing for a spectator.
        share: one's own share, unless it is known not to count.
        members: the seats' commitments, nothing for a seat without a share; empty until the server
            has published the set.
        missing: why a seat has no commitment, in the server's words.
        taken: whether the server said that it has one's commitment.
        shown: whether one's share was sent, so that the server may know it.
        received: whether the server said that it has one's share.
        kept: whether the server has dealt, or accounted for, the deal.
    """

    server: Hex16
    table: TableId
    match: Count
    deal: Count
    attempt: Count
    rules: Hex32
    commitment: Hex32
    withheld: tuple[SeatNumber, ...] = ()
    seat: SeatNumber | None = None
    share: Hex32 | None = field(default=None, repr=False)
    members: Annotated[tuple[Hex32 | None, ...], Meta(max_length=8)] = ()
    missing: Annotated[tuple[Slug | None, ...], Meta(max_length=8)] = ()
    taken: bool = False
    shown: bool = False
    received: bool = False
    kept: bool = False

    @property
    def context(self) -> DealContext:
        """What the commitments are for."""
        return DealContext(
            bytes.fromhex(self.server),
            self.table,
            self.match,
            self.deal,
            self.attempt,
            bytes.fromhex(self.rules),
        )

    @property
    def own(self) -> str | None:
        """One's own commitment, if one has a share."""
        if self.seat is None or self.share is None:
            return None
        seed, share = bytes.fromhex(self.commitment), bytes.fromhex(self.share)
        return commit_share(self.context, seed, self.seat, share).hex()

    @property
    def digest(self) -> str:
        """What stands for the whole set, once it is published."""
        return set_digest(self.context, bytes.fromhex(self.commitment), self._members()).hex()

    @property
    def code(self) -> str:
        """What all who play this deal can compare: it is the same for the same set."""
        digits = self.digest[:CODE_LENGTH]
        return "-".join(digits[at : at + 4] for at in range(0, CODE_LENGTH, 4))

    @property
    def has_own(self) -> bool:
        """Whether one's own commitment is in the set, in its place."""
        return self.own is not None and self.members[self.seat or 0 :][:1] == (self.own,)

    @property
    def promise(self) -> Promise | None:
        """The commitments for the engine to check, once the set is published."""
        if not self.members:
            return None
        share = bytes.fromhex(self.share) if self.share is not None and self.has_own else None
        seed = bytes.fromhex(self.commitment)
        return Promise(self.context, seed, self._members(), self.seat, share)

    def _members(self) -> tuple[bytes | None, ...]:
        return tuple(None if one is None else bytes.fromhex(one) for one in self.members)


@frozen
class Check:
    """A deal of the current match: what was promised, and what came of it.

    Attributes:
        mark: what is known.
        why: why a share, or the check, is missing.
        exchange: the newest offer, as it was seen before the deal.
        anew: whose shares were withheld, in order; the deal was offered anew each time.
        doubts: slugs of what does not match.
        began: whether it was seen that the deal began, or proved.
    """

    mark: Mark = Mark.PENDING
    why: Why | None = None
    exchange: Exchange | None = None
    anew: tuple[Withheld, ...] = ()
    doubts: tuple[str, ...] = ()
    began: bool = False

    @property
    def revealed(self) -> bool:
        """Whether one's share was sent, for this offer or one before it."""
        return self.exchange is not None and (self.exchange.shown or bool(self.anew))

    @property
    def owed(self) -> bool:
        """Whether one's share was sent, and nothing of a deck was shown."""
        return self.revealed and self.exchange is not None and not self.exchange.kept

    @property
    def unproved(self) -> bool:
        """Whether one's share was sent, and nothing proves that its deck was dealt."""
        no_proof = self.why in {Why.NO_PROOF, Why.NEVER_DEALT}
        return self.revealed and (self.mark in {Mark.PENDING, Mark.BROKEN} or no_proof)

    @property
    def superseded(self) -> bool:
        """Whether the deal was offered anew, and the newer offer was not seen."""
        known = () if self.exchange is None else self.exchange.withheld
        return any(one.seat is not None and one.seat not in known for one in self.anew)
