"""Deals that the engine really played, as a client at one seat sees them."""

import random
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from kings_client.marks import Exchange, Mark
from kings_client.model import Model
from kings_client.proving import Prover
from kings_client.saved import FORMAT, SavedDeal, SavedMatch, plain_event
from kings_client.updating import Happening, Sent, update
from kings_client.witness import CUT
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import Action, BeginDeal, Cut
from kings_engine.apply import apply
from kings_engine.commitments import DealContext, commit_seed, rules_digest
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import REVISION, Rules, make_rules, rules_as_plain
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, proof_of
from kings_engine.view import legal_actions, observe_own
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from scripted import TABLE, offer, table_state, update_of

AnswerT = TypeVar("AnswerT", m.Commit, m.Reveal)

SERVER = "5e" * 16
TOKEN = "70" * 32
SEED = bytes(range(32))
CUT_SEED = bytes(range(1, 33))
CUT_RULES = make_rules(
    {"first_dealer": "cut_higher", "match": "deals", "deals": 2, "tie": "shared"}
)


def act(match: Match, actor: int, action: Action) -> Match:
    applied = apply(match, actor, action)
    assert not isinstance(applied, Refusal), applied
    return applied[0]


class Played:
    """A prover at seat 0 of a match that the test plays, over everything but the wire."""

    def __init__(
        self,
        rules: Rules = CUT_RULES,
        seat: int | None = 0,
        recalled: tuple[Exchange, ...] = (),
    ) -> None:
        self.match = new_match(rules)
        self.seat = seat
        self.model = Model(seat=seat, server=SERVER)
        self.asked: list[m.Request] = []
        self.kept: tuple[Exchange, ...] = ()
        self.prover = Prover(self.ask, self.tell, self.keep)
        self.shown = 0
        self.random = random.Random(1)  # noqa: S311  choices of a script
        self.sit(recalled)

    def sit(self, recalled: tuple[Exchange, ...], token: str = TOKEN) -> None:
        """Sit down at the table, or look on."""
        reply: m.Seated | m.Watching = m.Watching(re="01" * 16, table=TABLE, chat=())
        if self.seat is not None:
            reply = m.Seated(re="01" * 16, table=TABLE, seat=self.seat, token=token, chat=())
        self.prover.sit(reply, SERVER, recalled)

    def keep(self, exchanges: tuple[Exchange, ...]) -> None:
        self.kept = exchanges

    def ask(self, request: m.Request) -> None:
        self.asked.append(request)
        self.tell(Sent(request))

    def tell(self, news: m.Message | Happening) -> None:
        self.model = update(self.model, news, 0.0)

    def hear(self, message: m.Message, answered: m.Request | None = None) -> None:
        self.tell(message)
        self.prover.take(message, answered, self.model)

    def table(self, **fields: Any) -> m.TableState:
        """Return the table's state by the rules of the match."""
        return table_state(self.match.rules, **fields)

    def context(self, deal: int, attempt: int = 0, match: int = 1) -> DealContext:
        """Return what the commitments to a deck are for."""
        rules = rules_digest(rules_as_plain(self.match.rules))
        return DealContext(bytes.fromhex(SERVER), TABLE, match, deal, attempt, rules)

    def answers(self, kind: type[AnswerT], deal: int, attempt: int = 0) -> list[AnswerT]:
        """Return what the client sent of ``kind`` for an offer."""
        sent = [one for one in self.asked if isinstance(one, kind)]
        return [one for one in sent if (one.deal, one.attempt) == (deal, attempt)]

    def take(self, kind: type[AnswerT], deal: int, attempt: int = 0) -> None:
        """Say that the client's answer was taken."""
        for request in self.answers(kind, deal, attempt)[-1:]:
            self.hear(m.Done(re=request.id), request)

    def promise(self, deal: int, seed: bytes, attempt: int = 0, **fields: Any) -> Secret:
        """Play an honest server from the offer to the last share, and return the secret."""
        players = self.match.rules.players
        seed_commitment = commit_seed(self.context(deal, attempt), seed)
        self.offer(deal, seed_commitment, (), attempt, **fields)
        self.take(m.Commit, deal, attempt)
        committed = [one.commitment for one in self.answers(m.Commit, deal, attempt)]
        members = (
            m.Member(commitment=committed[0]) if committed else m.Member(missing="late"),
            *(m.Member(missing="bot") for _ in range(players - 1)),
        )
        self.offer(deal, seed_commitment, members, attempt, **fields)
        self.take(m.Reveal, deal, attempt)
        revealed = [bytes.fromhex(one.share) for one in self.answers(m.Reveal, deal, attempt)]
        self.hear(self.table(**fields))
        return Secret(seed, (revealed[0] if revealed else None, *(None,) * (players - 1)))

    def offer(
        self,
        deal: int,
        commitment: bytes,
        members: tuple[m.Member, ...] = (),
        attempt: int = 0,
        **fields: Any,
    ) -> None:
        """Show the table with an offer."""
        out = offer(deal, commitment, members, attempt)
        self.hear(self.table(phase="offering", offer=out, **fields))

    def show(self) -> None:
        """Show the newest position."""
        self.hear(update_of(self.match, self.seat, self.shown))
        self.shown = self.match.version

    def do(self, actor: int, action: Action, *, shown: bool = True) -> None:
        """Apply an action, and show it."""
        self.match = act(self.match, actor, action)
        if shown:
            self.show()

    def step(self, *, shown: bool = False) -> None:
        """Let the seat on turn do something."""
        turn = self.match.turn
        assert turn is not None
        own = observe_own(self.match, turn)
        assert own is not None
        self.do(turn, self.random.choice(legal_actions(own)), shown=shown)

    def refuse_proof(self, deal: int) -> None:
        """Give no proof of a deal, though the client asked for it."""
        asked = [one for one in self.asked if isinstance(one, m.GetProof) and one.deal == deal]
        self.hear(m.Refused(re=asked[-1].id, code=RefusalCode.NO_SUCH_DEAL), asked[-1])

    def play_deal(self, shown: Callable[[int], bool] = lambda _: True) -> None:
        """Play the running deal to its end; ``shown`` says after which steps to show it."""
        step = 0
        while self.match.phase is Phase.PLAY:
            step += 1
            self.step(shown=shown(step))
        if self.shown != self.match.version:
            self.show()

    def answer_with(self, told: DealProof, request: m.Request | None = None) -> None:
        """Answer a request for a proof, or else the last one, with one that the test made."""
        request = self.asked[-1] if request is None else request
        assert isinstance(request, m.GetProof)
        reply = m.Proof(
            re=request.id,
            deal=told.number,
            dealer=told.dealer,
            seats=told.seats,
            begin=told.begin,
            actions=told.actions,
        )
        self.hear(reply, request)

    def answer_proof(self, change: Callable[[DealProof], DealProof] = lambda proof: proof) -> None:
        """Answer the last request, which is for a proof."""
        request = self.asked[-1]
        assert isinstance(request, m.GetProof)
        proof = proof_of(self.match, request.deal)
        assert proof is not None
        self.answer_with(change(proof))


def after_cut() -> Played:
    played = Played()
    secret = played.promise(CUT, CUT_SEED)
    played.do(TABLE_ACTOR, Cut(secret))
    return played


def after_deal(**shown: Callable[[int], bool]) -> Played:
    played = after_cut()
    played.answer_proof()
    secret = played.promise(1, SEED)
    played.do(TABLE_ACTOR, BeginDeal(secret))
    played.play_deal(**shown)
    return played


def saved(played: Played) -> SavedMatch:
    deals = tuple(
        SavedDeal(
            number=deal,
            exchange=check.exchange,
            anew=check.anew,
            doubts=check.doubts,
            proof=played.prover.proofs.get(deal),
            seen=tuple(tuple(map(plain_event, run)) for run in played.prover.witness.seen(deal)),
            mark=check.mark,
            why=check.why,
            shown=played.prover.witness.shown(deal),
        )
        for deal, check in sorted(played.model.checks.items())
        if check.mark is not Mark.PENDING
    )
    return SavedMatch(
        format=FORMAT,
        revision=REVISION,
        table=TABLE,
        names=("Ann", "medium"),
        seat=played.seat,
        rules=rules_as_plain(played.match.rules),
        deals=deals,
    )


def finished() -> SavedMatch:
    played = after_deal()
    played.answer_proof()
    return saved(played)


def old_form(match: SavedMatch, form: int) -> dict[str, Any]:
    """Return what a file of form 1 or 2 held of the match, when nobody committed to a share."""
    plain: dict[str, Any] = msgspec.to_builtins(match)
    deals = []
    for deal in plain["deals"]:
        seed, own, *_ = deal["proof"]["begin"].split()[1:]
        old = {
            "commitment": sha256(b"kings-commit" + bytes.fromhex(seed)).hexdigest(),
            "nonce": None if own == "-" else own,
            "proof": deal["proof"],
            "seen": [event for run in deal["seen"] for event in run],
        }
        deals.append(old if form == 1 else {**old, "mark": "verified"})
    if form == 1:
        for late in ("preset", "levels", "played", "result"):
            del plain[late]
    return {**plain, "deals": deals, "format": form, "revision": 1}
