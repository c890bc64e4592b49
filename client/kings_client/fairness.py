"""What an honest client concludes from the offers of a match, and how it answers them.

All of it is a pure function of what was seen, so that a test can try every order of messages. A
deal is called fair, with one's own share, only if the deck follows from commitments that were all
seen before one's share was sent, and no deck that one's share had been sent for was dropped before.
Whatever else a server does shows as another mark.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Final

from attrs import evolve, frozen

from kings_client.marks import Check, Exchange, Mark, Why, Withheld
from kings_client.witness import CUT, Deal
from kings_engine.commitments import LoosePromise, Promise, rules_digest
from kings_engine.events import Event
from kings_engine.rules import FirstDealer, Rules, rules_as_plain
from kings_engine.verify import MISSING, DealProof, Problem, check_deal
from kings_protocol.messages import Commit, Offer, Reveal, TableState

KEPT_DEALS: Final = 400
"""Deals of a match of which checks are kept: more than any match has, whatever a server says."""

DROPPED: Final = Withheld(None, "")
"""What a deal tells that came after a deck that was dropped."""

BY_CUT: Final = frozenset({FirstDealer.LOT, FirstDealer.CUT_HIGHER, FirstDealer.CUT_LOWER})
"""Values of the rule about the first dealer under which a match begins with the cut or the lot."""

KEPT_OFFERS: Final = 8
"""Offers that are kept for a later run of this program."""


@frozen
class Book:
    """The offers of one match at one table, as somebody there saw them.

    Attributes:
        server: the server's id.
        table: the id of the table that one sits down at, or looks on at.
        seat: one's own seat; nothing for a spectator.
        match: the match's number; 0 before any was seen.
        checks: what is known of each deal.
        offered: the deal whose offer is out.
        withheld: the seats that have lost their share of this match.
        names: who sits where.
        over: whether the match was seen to be over.
        dropped: whether a deck is owed from before: one's share had been sent for it when its match
            ended, or its table. Until a deal is dealt that tells of it.
        away: whether the connection was lost since the table was seen last.
    """

    server: str
    table: str
    seat: int | None
    match: int = 0
    checks: Mapping[Deal, Check] = {}
    offered: Deal | None = None
    withheld: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    over: bool = False
    dropped: bool = False
    away: bool = False

    @property
    def owed(self) -> tuple[Deal, ...]:
        """The deals for which one's share is known to the server, and that were not dealt."""
        return tuple(deal for deal, check in sorted(self.checks.items()) if check.owed)

    @property
    def undealt(self) -> bool:
        """Whether one's share is known to the server for a deck of which no start was seen."""
        return any(check.revealed and not check.began for check in self.checks.values())

    @property
    def unproved(self) -> tuple[Deal, ...]:
        """The deals for which one's share is known to the server, and that nothing proves."""
        return tuple(deal for deal, check in sorted(self.checks.items()) if check.unproved)

    def check(self, deal: Deal) -> Check:
        """Return what is known of ``deal``."""
        return self.checks.get(deal, Check())

    def having(self, deal: Deal, check: Check) -> "Book":
        """Return the book with another check of ``deal``; of more deals than it holds, as it is."""
        if deal not in self.checks and len(self.checks) >= KEPT_DEALS:
            return self
        return evolve(self, checks={**self.checks, deal: check})

    def doubting(self, deal: Deal, doubt: str) -> "Book":
        """Return the book after something that an honest server does not do."""
        check = self.check(deal)
        doubts = check.doubts if doubt in check.doubts else (*check.doubts, doubt)
        return self.having(deal, evolve(check, mark=Mark.BROKEN, why=None, doubts=doubts))


def see_table(
    book: Book, table: TableState, new_share: Callable[[], str] = lambda: secrets.token_hex(32)
) -> Book:
    """Return the book after the table's state came; ``new_share`` makes 32 bytes as hexadecimal."""
    offer = table.offer
    deal = offer.deal if offer is not None else max(book.checks, default=0)
    if table.table != book.table:
        return book.doubting(deal, "another_table")
    if table.match < book.match:
        return book.doubting(deal, "another_match")
    if table.match > book.match:
        book = _next_match(book, table)
    book = _see_withheld(book, table, deal)
    names, over = tuple(seat.name for seat in table.seats), book.over or table.phase == "over"
    book = evolve(book, names=names, over=over, offered=None, away=False)
    if offer is None:
        return book
    return _see_offer(evolve(book, offered=deal), table, offer, new_share)


def _next_match(book: Book, table: TableState) -> Book:
    """Begin another match; a deck that was dropped with the last one is not forgotten.

    Whoever was away may have missed the deck, and that the match was over.
    """
    if not book.match:
        return evolve(book, match=table.match)
    dropped = book.dropped or bool(book.unproved)
    new = Book(book.server, book.table, book.seat, table.match, dropped=dropped)
    if not book.owed or book.over or book.away:
        return new
    first = CUT if table.rules.get("first_dealer", FirstDealer.LAST) in BY_CUT else 1
    return new.doubting(first if table.offer is None else table.offer.deal, "match_dropped")


def _see_withheld(book: Book, table: TableState, deal: Deal) -> Book:
    """Note whose shares were withheld, and that the deal is offered anew for that."""
    if not set(book.withheld) <= set(table.withheld):
        return book.doubting(deal, "withheld_forgotten")
    lost = tuple(seat for seat in table.withheld if seat not in book.withheld)
    anew = tuple(Withheld(seat, dict(enumerate(book.names)).get(seat, "")) for seat in lost)
    book = evolve(book, withheld=table.withheld)
    if table.offer is None or not table.offer.attempt:
        # What was offered anew was not seen; it can only have been the newest deal known of.
        deal = max(book.checks, default=deal)
    check = book.check(deal)
    exchange = check.exchange
    if not lost or exchange is None or exchange.kept:
        first = table.offer is not None and table.offer.attempt
        return book.having(deal, evolve(check, anew=anew)) if first and lost else book
    book = book.having(deal, evolve(check, anew=(*check.anew, *anew)))
    without = {seat for seat, one in enumerate(exchange.members) if one is None}
    if without.intersection(lost):
        return book.doubting(deal, "withheld_without_commitment")
    if exchange.received and book.seat in lost:
        return book.doubting(deal, "share_denied")
    return book


def _see_offer(book: Book, table: TableState, offer: Offer, new_share: Callable[[], str]) -> Book:
    deal, check = offer.deal, book.check(offer.deal)
    known, rules = check.exchange, rules_digest(table.rules).hex()
    if known is None or offer.attempt > known.attempt:
        if known is not None and known.kept:
            return book.doubting(deal, "offered_after_it_was_dealt")
        tried = 0 if known is None else known.attempt
        if any(one > deal and book.checks[one].exchange is not None for one in book.checks):
            return book.doubting(deal, "offer_taken_back")
        lost = len(set(table.withheld) - set(() if known is None else known.withheld))
        if lost < offer.attempt - tried:
            return book.doubting(deal, "offered_anew_without_cause")
        able = book.seat is not None and book.seat not in table.withheld
        new = Exchange(
            server=book.server,
            table=book.table,
            match=book.match,
            deal=deal,
            attempt=offer.attempt,
            rules=rules,
            commitment=offer.commitment,
            withheld=table.withheld,
            seat=book.seat,
            share=new_share() if able else None,
        )
        book = _without_idle(book).having(deal, evolve(check, exchange=new))
        return _see_set(book, new, offer, len(table.seats), first=True) if offer.members else book
    for differs, doubt in (
        (known.kept, "offered_after_it_was_dealt"),
        (offer.attempt < known.attempt, "offer_taken_back"),
        (offer.commitment != known.commitment, "commitment_changed"),
        (rules != known.rules, "rules_changed"),
        (known.members and not offer.members, "set_taken_back"),
    ):
        if differs:
            return book.doubting(deal, doubt)
    return _see_set(book, known, offer, len(table.seats), first=False) if offer.members else book


def _without_idle(book: Book) -> Book:
    """Forget offers that came to nothing before anybody could know one's share."""
    kept = {
        deal: check
        for deal, check in book.checks.items()
        if check.mark is not Mark.PENDING
        or check.owed
        or (check.exchange is not None and check.exchange.kept)
    }
    return evolve(book, checks=kept)


def _see_set(book: Book, known: Exchange, offer: Offer, seats: int, *, first: bool) -> Book:
    """Compare the set with one's own commitment, and with what was shown of it before.

    Args:
        book: the book.
        known: the offer as it is known.
        offer: the offer with the set.
        seats: how many seats the table has.
        first: whether it is the first that is seen of the offer. A commitment in one's own name may
            then be of an earlier run of this program, which forgot the share.
    """
    deal = offer.deal
    members = tuple(one.commitment for one in offer.members)
    if known.members:
        return book if members == known.members else book.doubting(deal, "set_changed")
    if len(members) != seats:
        return book.doubting(deal, "set_incomplete")
    mine = None if book.seat is None else members[book.seat]
    if mine is None and known.taken:
        return book.doubting(deal, "commitment_left_out")
    if mine is not None and mine != known.own and not first:
        return book.doubting(deal, "commitment_not_yours")
    missing = tuple(one.missing for one in offer.members)
    share = known.share if mine is not None and mine == known.own else None
    seen = evolve(known, members=members, missing=missing, share=share)
    return book.having(deal, evolve(book.check(deal), exchange=seen))


def see_dealt(book: Book, deal: Deal, *, began: bool) -> Book:
    """Return the book after something of ``deal`` was shown; ``began``: so was its start."""
    check = book.check(deal)
    if check.exchange is None or (check.exchange.kept and check.began >= began):
        return book
    exchange = evolve(check.exchange, kept=True)
    return book.having(deal, evolve(check, exchange=exchange, began=check.began or began))


def look_away(book: Book) -> Book:
    """Return the book after the connection was lost."""
    return evolve(book, away=True)


def open_exchanges(book: Book) -> tuple[Exchange, ...]:
    """Return the newest offers that a later run of this program would have to go on with."""
    checks = (book.checks[deal] for deal in sorted(book.checks))
    found = ((check.mark, check.exchange) for check in checks if check.exchange is not None)
    pending = (
        one
        for mark, one in found
        if mark is Mark.PENDING or (mark is Mark.BROKEN and one.shown and not one.kept)
    )
    return tuple(pending)[-KEPT_OFFERS:]


# ---- answers


def due(
    book: Book, new_id: Callable[[], str] = lambda: secrets.token_hex(16)
) -> Commit | Reveal | None:
    """Return what the offer that is out asks of this client, if it asks for anything."""
    if book.offered is None:
        return None
    check = book.check(book.offered)
    exchange = check.exchange
    if exchange is None or exchange.share is None or exchange.own is None or check.doubts:
        return None
    if exchange.taken and not exchange.members:
        return None
    if exchange.received:
        return None
    match, deal, attempt = exchange.context.numbers
    if not exchange.members:
        return Commit(id=new_id(), match=match, deal=deal, attempt=attempt, commitment=exchange.own)
    return Reveal(
        id=new_id(),
        match=match,
        deal=deal,
        attempt=attempt,
        members=exchange.digest,
        share=exchange.share,
    )


def sent(book: Book, request: Commit | Reveal) -> Book:
    """Return the book before a request goes out: whoever reads it may know the share from then."""
    exchange = book.check(request.deal).exchange
    if exchange is None or isinstance(request, Commit):
        return book
    return _with(book, evolve(exchange, shown=True))


def taken(book: Book, request: Commit | Reveal) -> Book:
    """Return the book after the server said that it has what ``request`` brought."""
    exchange = book.check(request.deal).exchange
    if exchange is None or request.match != book.match:
        return book
    if exchange.attempt != request.attempt:
        denied = isinstance(request, Reveal) and book.seat in exchange.withheld
        return book.doubting(request.deal, "share_denied") if denied else book
    if isinstance(request, Commit):
        if exchange.members and not exchange.has_own:
            return book.doubting(request.deal, "commitment_left_out")
        return _with(book, evolve(exchange, taken=True))
    book = _with(book, evolve(exchange, received=True))
    denied = book.seat in book.withheld
    return book.doubting(request.deal, "share_denied") if denied else book


def _with(book: Book, exchange: Exchange) -> Book:
    check = book.check(exchange.deal)
    return book.having(exchange.deal, evolve(check, exchange=exchange))


# ---- the end of a deal


def judge(
    book: Book,
    deal: Deal,
    rules: Rules | None,
    proof: DealProof | None,
    seen: tuple[tuple[Event, ...], ...],
    shown: tuple[str, ...] = (),
) -> Book:
    """Return the book after the proof of ``deal`` came, or is known not to come.

    The deal stays pending until every deal before it that one's share was sent for is judged.

    Args:
        book: the book.
        deal: the deal's number.
        rules: the table's rules, if they can be read.
        proof: what the server published, if it did.
        seen: what was seen of the deal, as in ``check_deal``.
        shown: the positions that were shown of it, as in ``check_deal``.
    """
    for owed in book.owed:
        if owed < deal:
            book = book.doubting(owed, "dropped")
    check = book.check(deal)
    earlier = [book.checks[one] for one in book.unproved if one < deal]
    if proof is not None and check.exchange is not None:
        check = evolve(check, exchange=evolve(check.exchange, kept=True), began=True)
    if (earlier or book.dropped) and DROPPED not in check.anew:
        check = evolve(check, anew=(DROPPED, *check.anew))
    found = verdict(check, rules, proof, book.seat, seen, shown=shown)
    if found.mark is Mark.ANEW and any(one.mark is Mark.PENDING for one in earlier):
        return book.having(deal, evolve(book.check(deal), exchange=check.exchange, began=True))
    book = book.having(deal, found)
    return evolve(book, dropped=False) if deal and found.mark is Mark.ANEW else book


def leave(book: Book) -> Book:
    """Return the book when one leaves the table, or it ends: what is owed will not be dealt."""
    for deal in book.owed:
        check = book.check(deal)
        if check.mark is Mark.PENDING:
            book = book.having(deal, evolve(check, mark=Mark.UNCHECKED, why=Why.NEVER_DEALT))
    return book


def verdict(
    check: Check,
    rules: Rules | None,
    proof: DealProof | None,
    seat: int | None,
    seen: tuple[tuple[Event, ...], ...],
    loose: LoosePromise | None = None,
    shown: tuple[str, ...] = (),
) -> Check:
    """Return the check with its mark, from what was promised, published and seen of a deal.

    ``loose`` is what an old file has in the place of an offer. The other arguments are those of
    ``judge``; ``seat`` is one's own.
    """
    exchange = check.exchange
    promise = loose if exchange is None or check.superseded else exchange.promise
    problems: tuple[Problem, ...] = ()
    if rules is None:
        proof = None
    if proof is not None and rules is not None:
        problems = check_deal(rules, proof, promise, seat, seen, shown)
    doubts = (*check.doubts, *(str(one) for one in problems if one not in MISSING))
    if exchange is not None and exchange.members and exchange.share and not exchange.has_own:
        doubts = (*doubts, "commitment_not_yours")
    if rules is not None and exchange is not None:
        played = rules_digest(rules_as_plain(rules)).hex()
        doubts = doubts if played == exchange.rules else (*doubts, "rules_changed")
    if doubts:
        return evolve(check, mark=Mark.BROKEN, why=None, doubts=tuple(dict.fromkeys(doubts)))
    if why := _why_unchecked(check, proof, promise, problems):
        return evolve(check, mark=Mark.UNCHECKED, why=why)
    if loose is not None:
        return evolve(check, mark=Mark.FAIR_WITHOUT, why=Why.FIRST_FORM)
    without = None if exchange is None or exchange.has_own else _why_without(exchange)
    anew = check.anew or (exchange is not None and exchange.attempt)
    mark = Mark.ANEW if anew else Mark.FAIR if without is None else Mark.FAIR_WITHOUT
    return evolve(check, mark=mark, why=without)


def _why_unchecked(
    check: Check,
    proof: DealProof | None,
    promise: Promise | LoosePromise | None,
    problems: tuple[Problem, ...],
) -> Why | None:
    if proof is None:
        return Why.NEVER_DEALT if check.owed else Why.NO_PROOF
    if check.superseded or (check.exchange is not None and promise is None):
        return Why.OFFER_NOT_SEEN
    if promise is None:
        return Why.NO_PROMISE
    if Problem.NOTHING_SEEN in problems:
        return Why.NOTHING_SEEN
    return Why.START_NOT_SEEN if problems else None


def _why_without(exchange: Exchange) -> Why:
    """Return why one has no share in a deal, in the server's words where they are known."""
    if exchange.seat is None:
        return Why.WATCHED
    said = exchange.missing[exchange.seat : exchange.seat + 1]
    return next((why for why in Why if said == (why.value,)), Why.GONE)
