"""The client's part in a fair deal: its share in the key, and the check when a deal is over.

Before a deal the server commits to a seed; each seated client answers with a nonce of its own.
When the deal is over its secret and actions are published, and the client deals and plays it again:
what comes out has to agree with the commitment, with its own nonce and with all that it was shown.
"""

import secrets
from collections.abc import Callable
from typing import Final, TypeAlias

from attrs import define, evolve, field

from kings_client.model import Check, Mark, Model
from kings_client.updating import Checked
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealerChosen,
    Event,
    MatchEnded,
)
from kings_engine.rules import BadRules, Rules, make_rules
from kings_engine.verify import DealProof, Problem, check_deal
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_protocol.messages import (
    GetProof,
    Message,
    Nonce,
    Notice,
    Proof,
    Refused,
    Request,
    TableState,
    Update,
)

CUT = 0
"""The number under which the cut or the lot is proved."""

NOT_NOW: Final = frozenset(
    {
        RefusalCode.TOO_MANY_REQUESTS,
        RefusalCode.JOURNAL_UNAVAILABLE,
        RefusalCode.SHUTTING_DOWN,
    }
)
"""Refusals that say nothing about the deal; of an unfinished one a notice says when it is over."""

Deal: TypeAlias = int


@define
class Witness:
    """What was seen of each deal of the current match.

    Events may be missing before those that are kept for a deal, never between or after them.
    """

    _seen: dict[Deal, list[Event]] = field(factory=dict)
    _ended: set[Deal] = field(factory=set)
    _running: Deal | None = None

    def see(self, update: Update) -> tuple[Deal, ...]:
        """Take in an update's events and return the deals whose ends are among them."""
        ended = []
        if update.gap and self._running is not None:
            self._seen[self._running] = []
        for event in update.events.events:
            deal = self._deal_of(event, update.view.public.deal)
            if deal is not None:
                self._seen[deal].append(event)
            match event:
                case DealerChosen():
                    ended.append(CUT)
                case DealEnded(number=number):
                    ended.append(number)
                case MatchEnded() if self._running is not None:
                    ended.append(self._running)
                case _:
                    continue
            self._ended.update(ended)
            self._running = None
        return tuple(ended)

    def _deal_of(self, event: Event, newest: Deal) -> Deal | None:
        """Return the deal that an event is of; ``newest`` is the number of the last deal begun.

        Where older events are left out, a deal's story begins in its middle. What follows a deal's
        end is of none, and the tail of a story that is known is not told again.
        """
        match event:
            case DealBegan(number=number):
                self._seen[number] = []
                self._running = number
            case CardsCut() | DealerChosen():
                self._seen.setdefault(CUT, [])
                return None if CUT in self._ended else CUT
            case _ if self._running is None and newest not in self._ended:
                self._seen[newest] = []
                self._running = newest
            case _:
                pass
        return self._running

    def look_away(self) -> None:
        """The connection is gone: what a deal's end looks like from here on was not seen.

        Whoever comes back is told the running deal from its start.
        """
        for deal in set(self._seen) - self._ended:
            del self._seen[deal]
        self._running = None

    def seen(self, deal: Deal) -> tuple[Event, ...]:
        """Return what was seen of ``deal`` up to its end, or nothing."""
        return tuple(self._seen.get(deal, ()))


@define
class Prover:
    """Gives nonces, asks for proofs and judges them.

    Attributes:
        ask: sends a request.
        tell: brings the model up to date.
        witness: what was seen of the current match.
        proofs: the proofs of the current match so far.
    """

    ask: Callable[[Request], None]
    tell: Callable[[Checked], None]
    witness: Witness = field(factory=Witness)
    proofs: dict[Deal, DealProof] = field(factory=dict)
    _late: set[Deal] = field(factory=set)
    _table: tuple[str, int] | None = None

    def take(self, message: Message, answered: Request | None, model: Model) -> None:
        """Do what ``message`` asks of this client; ``model`` has it in it already.

        Args:
            message: what the server said.
            answered: the request that it answers, if it is a reply.
            model: what is known now.
        """
        match message:
            case TableState():
                self._at_table(message, model)
            case Update():
                for deal in self.witness.see(message):
                    self._want(deal, model)
            case Notice(code=NoticeCode.PROOF_READY, number=int(deal)):
                self._want(deal, model)
            case Proof() if isinstance(answered, GetProof):
                self._judge(answered.deal, message, model)
            case Refused() if isinstance(answered, GetProof):
                self._go_without(answered.deal, message, model)
            case _:
                pass

    def ask_again(self, model: Model) -> None:
        """Ask for the proofs that could not be had for the moment."""
        late, self._late = self._late, set()
        for deal in late:
            self._want(deal, model)

    def _at_table(self, table: TableState, model: Model) -> None:
        if self._table != (table.table, table.match):
            self._table = (table.table, table.match)
            self.witness = Witness()
            self.proofs = {}
            self._late = set()
        offer = table.offer
        if offer is None or model.seat is None:
            return
        given = {one.request.deal for one in model.pending if isinstance(one.request, Nonce)}
        check = model.checks[offer.deal]
        if check.nonce is None and check.mark is Mark.PENDING and offer.deal not in given:
            nonce = secrets.token_hex(32)
            self.ask(Nonce(id=secrets.token_hex(16), deal=offer.deal, nonce=nonce))

    def _want(self, deal: Deal, model: Model) -> None:
        asked = {one.request.deal for one in model.pending if isinstance(one.request, GetProof)}
        if deal not in asked and deal not in self.proofs:
            self.ask(GetProof(id=secrets.token_hex(16), deal=deal))

    def _judge(self, deal: Deal, proof: Proof, model: Model) -> None:
        published = DealProof(deal, proof.dealer, proof.seats, proof.begin, proof.actions)
        self.proofs[deal] = published
        check = model.checks.get(deal, Check())
        if check.mark is Mark.BROKEN:
            return
        rules = None if model.table is None else rules_of(model.table)
        if check.commitment is None or rules is None:
            self.tell(Checked(deal, evolve(check, mark=Mark.UNPROVED)))
            return
        problems = check_deal(
            rules,
            published,
            bytes.fromhex(check.commitment),
            model.seat,
            None if check.nonce is None else bytes.fromhex(check.nonce),
            self.witness.seen(deal),
        )
        doubts = tuple(map(str, problems))
        if proof.deal != deal:
            doubts = (*doubts, "another_deal")
        mark = Mark.BROKEN if doubts else Mark.VERIFIED
        if doubts == (Problem.NOTHING_SEEN,):
            mark = Mark.UNPROVED
        self.tell(Checked(deal, evolve(check, mark=mark, doubts=doubts)))

    def _go_without(self, deal: Deal, refused: Refused, model: Model) -> None:
        """Wait for the proof, where it is only late; otherwise say that there is none."""
        if refused.code in NOT_NOW:
            self._late.add(deal)
        elif refused.code != RefusalCode.DEAL_UNFINISHED:
            check = model.checks.get(deal, Check())
            self.tell(Checked(deal, evolve(check, mark=Mark.UNPROVED, doubts=(refused.code,))))


def rules_of(table: TableState) -> Rules | None:
    """Return the table's rules, or nothing where a newer server plays by unknown ones."""
    try:
        return make_rules(table.rules)
    except BadRules:
        return None
