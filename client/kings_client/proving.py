"""The client's part in a fair deal: its share in each deck, and the check when a deal is over.

What it concludes is in ``fairness``; here messages are taken in, answers are sent and proofs are
asked for. When a deal is over its secret and actions are published, and the client deals and plays
it again: what comes out has to agree with all that was promised and shown.
"""

import secrets
from collections.abc import Callable, Iterable
from typing import Final

from attrs import define, evolve, field

from kings_client import fairness
from kings_client.fairness import Book
from kings_client.marks import Check, Exchange, Mark
from kings_client.model import Model
from kings_client.updating import Checked
from kings_client.witness import Deal, Witness
from kings_engine.rules import BadRules, Rules, make_rules
from kings_engine.verify import DealProof, Problem, wrong_dealers
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import (
    Commit,
    Done,
    GetProof,
    Message,
    Proof,
    Refused,
    Request,
    Reveal,
    Seated,
    TableState,
    Update,
    Watching,
)

NOT_NOW: Final = frozenset(
    {
        RefusalCode.TOO_MANY_REQUESTS,
        RefusalCode.JOURNAL_UNAVAILABLE,
        RefusalCode.SHUTTING_DOWN,
        RefusalCode.DEAL_UNFINISHED,
    }
)
"""Refusals after which the same is asked for again: they say nothing about the deal."""


@define
class Prover:
    """Answers offers, asks for proofs and judges them.

    Attributes:
        ask: sends a request.
        tell: brings the model up to date.
        keep: keeps the offers that are out, before a share in them is committed to or sent.
        book: what is known of the fairness of the current match; nothing away from a table.
        witness: what was seen of it.
        proofs: its proofs so far.
        owed: whether the server owes a deck that it had one's share for.
    """

    ask: Callable[[Request], None]
    tell: Callable[[Checked], None]
    keep: Callable[[tuple[Exchange, ...]], None] = lambda _: None
    book: Book | None = None
    witness: Witness = field(factory=Witness)
    proofs: dict[Deal, DealProof] = field(factory=dict)
    owed: bool = False
    _late: set[Deal] = field(factory=set)
    _asked: set[tuple[type[Request], int, Deal, int]] = field(factory=set)
    _kept: tuple[Exchange, ...] = ()
    _sat_down: tuple[str, str | None] | None = None

    def sit(self, message: Seated | Watching, server: str, recalled: tuple[Exchange, ...]) -> None:
        """Be at a table: the one that was left a moment ago, or another.

        Args:
            message: the server's answer.
            server: the server's id.
            recalled: the offers to this seat that an earlier run of this program kept.
        """
        seat = message.seat if isinstance(message, Seated) else None
        token = message.token if isinstance(message, Seated) else None
        if self._sat_down == (message.table, token) and self.book is not None:
            return
        self.leave()
        self._sat_down = (message.table, token)
        self.book = Book(server, message.table, seat, dropped=self.owed, away=bool(recalled))
        self.owed = False
        self._kept = recalled
        self._begin_match()
        for exchange in recalled:
            if exchange.match == recalled[-1].match and exchange.table == message.table:
                book = self.book.having(exchange.deal, Check(exchange=exchange))
                self.book = evolve(book, match=exchange.match, withheld=exchange.withheld)

    def _begin_match(self) -> None:
        self.witness = Witness()
        self.proofs = {}
        self._late = set()
        self._asked = set()

    def look_away(self) -> None:
        """The connection is gone: what was asked may have to be asked again."""
        self.witness.look_away()
        self._asked = set()
        if self.book is not None:
            self.book = fairness.look_away(self.book)

    def leave(self) -> Book | None:
        """Be at the table no more, and return what is known of its match; deals may be owed."""
        book = None if self.book is None else fairness.leave(self.book)
        self.book = self._sat_down = None
        self.owed = self.owed or (book is not None and (book.dropped or book.undealt))
        return book

    def take(self, message: Message, answered: Request | None, model: Model) -> None:
        """Do what ``message`` asks of this client; ``model`` has it in it already.

        Args:
            message: what the server said.
            answered: the request that it answers, if it is a reply.
            model: what is known now.
        """
        match message:
            case TableState() if self.book is not None:
                self._at_table(self.book, message, model)
            case Update():
                self._see(message, model)
            case Done() if isinstance(answered, Commit | Reveal) and self.book is not None:
                self._turn_to(fairness.taken(self.book, answered), model)
                self._answer_offer(model)
            case Refused() if isinstance(answered, Commit | Reveal) and message.code in NOT_NOW:
                self._asked.discard(_kind(answered))
            case Proof() if isinstance(answered, GetProof):
                self._judge(answered.deal, message, model)
            case Refused() if isinstance(answered, GetProof):
                self._go_without(answered.deal, message, model)
            case _:
                pass

    def ask_again(self, model: Model) -> None:
        """Send what the server did not take for the moment, and ask for proofs that it had not."""
        self._answer_offer(model)
        late, self._late = self._late, set()
        for deal in sorted(late):
            self._want(deal, model)

    def _turn_to(self, book: Book, model: Model) -> None:
        """Go on with ``book``: keep the offers that are out, and show every check that is new."""
        self.book = book
        exchanges = fairness.open_exchanges(book)
        if exchanges != self._kept:
            self._kept = exchanges
            self.keep(exchanges)
        if dict(book.checks) != model.checks:
            self.tell(Checked(book.checks))

    def _at_table(self, before: Book, table: TableState, model: Model) -> None:
        book = fairness.see_table(before, table)
        if book.match != before.match:
            self._begin_match()
        self._turn_to(book, model)
        self._answer_offer(model)
        if book.offered is not None:
            for deal in self._waited_for(book.offered):
                self._want(deal, model)

    def _answer_offer(self, model: Model) -> None:
        """Commit to a share, or reveal it, if the offer that is out waits for that."""
        request = None if self.book is None else fairness.due(self.book)
        if self.book is None or request is None:
            return
        waits = (one.request for one in model.pending if isinstance(one.request, Commit | Reveal))
        if _kind(request) in {*self._asked, *map(_kind, waits)}:
            return
        kind = _kind(request)
        self._asked = {asked for asked in self._asked if asked[1:] == kind[1:]} | {kind}
        self._turn_to(fairness.sent(self.book, request), model)
        self.ask(request)

    def _see(self, update: Update, model: Model) -> None:
        ended = self.witness.see(update)
        book = self.book
        if book is None:
            return
        for deal in book.checks:
            if self.witness.knows(deal):
                book = fairness.see_dealt(book, deal, began=self.witness.began(deal))
        changed = self.witness.changed()
        again = (deal for deal in changed if book.check(deal).mark is not Mark.BROKEN)
        self._turn_to(self._judged(book, again, model), model)
        earlier = self._waited_for(max(ended)) if ended else ()
        for deal in sorted({*ended, *earlier}):
            self._want(deal, model)

    def _judged(self, book: Book, deals: Iterable[Deal], model: Model) -> Book:
        """Compare those of ``deals`` that are proved with what was promised and shown of them.

        Later ones that waited for them are judged too.
        """
        rules = None if model.table is None else rules_of(model.table)
        proved = sorted(set(deals) & set(self.proofs))
        if rules is not None and proved:
            wrong = wrong_dealers(rules, book.match, self.witness.starts())
            for deal in wrong.intersection(proved):
                book = book.doubting(deal, Problem.DEALER_OUT_OF_TURN.value)
        for deal in proved:
            seen, shown = self.witness.seen(deal), self.witness.shown(deal)
            book = fairness.judge(book, deal, rules, self.proofs[deal], seen, shown)
        return book

    def _waited_for(self, later: Deal) -> tuple[Deal, ...]:
        """Return the deals before ``later`` that it cannot be judged without."""
        book = self.book
        if book is None:
            return ()
        found = (deal for deal in book.unproved if deal < later)
        return tuple(deal for deal in found if book.check(deal).mark is Mark.PENDING)

    def _waiting(self, book: Book, model: Model) -> Book:
        """Judge the deals that waited for an earlier one."""
        waiting = (deal for deal in self.proofs if book.check(deal).mark is Mark.PENDING)
        return self._judged(book, waiting, model)

    def _want(self, deal: Deal, model: Model) -> None:
        if self.book is None or not (deal in self.book.checks or self.witness.knows(deal)):
            return
        asked = {one.request.deal for one in model.pending if isinstance(one.request, GetProof)}
        if deal not in asked and deal not in self.proofs:
            self.ask(GetProof(id=secrets.token_hex(16), deal=deal))

    def _judge(self, deal: Deal, proof: Proof, model: Model) -> None:
        if self.book is None:
            return
        published = DealProof(proof.deal, proof.dealer, proof.seats, proof.begin, proof.actions)
        self.proofs[deal] = published
        book = self.book
        if proof.deal != deal:
            book = book.doubting(deal, "another_deal")
        book = self._judged(book, (deal,), model)
        self._turn_to(self._waiting(book, model), model)

    def _go_without(self, deal: Deal, refused: Refused, model: Model) -> None:
        """Wait for the proof, where it is only late; otherwise say that there is none."""
        if refused.code in NOT_NOW:
            self._late.add(deal)
        elif self.book is not None:
            book = fairness.judge(self.book, deal, None, None, ())
            self._turn_to(self._waiting(book, model), model)


def _kind(request: Commit | Reveal) -> tuple[type[Request], int, Deal, int]:
    return type(request), request.match, request.deal, request.attempt


def rules_of(table: TableState) -> Rules | None:
    """Return the table's rules, or nothing where a newer server plays by unknown ones."""
    try:
        return make_rules(table.rules)
    except BadRules:
        return None
