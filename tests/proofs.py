"""Deals that the engine really played, as a client at one seat sees them."""

import random
from collections.abc import Callable

from kings_client.model import Check, Model
from kings_client.proving import CUT, Prover
from kings_client.saved import FORMAT, SavedDeal, SavedMatch, plain_event
from kings_client.updating import Happening, Sent, update
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import Action, BeginDeal, Cut
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import REVISION, Rules, make_rules, rules_as_plain
from kings_engine.shuffle import commitment
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, proof_of
from kings_engine.view import legal_actions, observe_own
from kings_protocol import messages as m
from scripted import TABLE, offer, table_state, update_of

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

    def __init__(self, rules: Rules = CUT_RULES, seat: int | None = 0) -> None:
        self.match = new_match(rules)
        self.seat = seat
        self.model = Model(seat=seat)
        self.asked: list[m.Request] = []
        self.prover = Prover(self.ask, self.tell)
        self.shown = 0
        self.random = random.Random(1)  # noqa: S311  choices of a script

    def ask(self, request: m.Request) -> None:
        self.asked.append(request)
        self.tell(Sent(request))

    def tell(self, news: m.Message | Happening) -> None:
        self.model = update(self.model, news, 0.0)

    def hear(self, message: m.Message, answered: m.Request | None = None) -> None:
        self.tell(message)
        self.prover.take(message, answered, self.model)

    def promise(self, deal: int, seed: bytes) -> Secret:
        """Offer the deal, take the nonce if one is given, and return the secret."""
        rules = self.match.rules
        self.hear(table_state(rules, phase="offering", offer=offer(deal, commitment(seed))))
        nonce = None
        for request in [one for one in self.asked if isinstance(one, m.Nonce)]:
            if request.deal == deal:
                nonce = bytes.fromhex(request.nonce)
                self.hear(m.Done(re=request.id), request)
        self.hear(table_state(rules))
        return Secret(seed, (nonce, *(None,) * (rules.players - 1)))

    def show(self) -> None:
        """Show the newest position."""
        self.hear(update_of(self.match, self.seat, self.shown))
        self.shown = self.match.version

    def do(self, actor: int, action: Action, *, shown: bool = True) -> None:
        """Apply an action, and show it."""
        self.match = act(self.match, actor, action)
        if shown:
            self.show()

    def play_deal(self, shown: Callable[[int], bool] = lambda _: True) -> None:
        """Play the running deal to its end; ``shown`` says after which steps to show it."""
        step = 0
        while self.match.phase is Phase.PLAY:
            turn = self.match.turn
            assert turn is not None
            own = observe_own(self.match, turn)
            assert own is not None
            step += 1
            self.do(turn, self.random.choice(legal_actions(own)), shown=shown(step))
        if self.shown != self.match.version:
            self.show()

    def answer_proof(self, change: Callable[[DealProof], DealProof] = lambda proof: proof) -> None:
        """Answer the last request, which is for a proof."""
        request = self.asked[-1]
        assert isinstance(request, m.GetProof)
        proof = proof_of(self.match, request.deal)
        assert proof is not None
        told = change(proof)
        reply = m.Proof(
            re=request.id,
            deal=told.number,
            dealer=told.dealer,
            seats=told.seats,
            begin=told.begin,
            actions=told.actions,
        )
        self.hear(reply, request)


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
            commitment=played.model.checks.get(deal, Check()).commitment,
            nonce=played.model.checks.get(deal, Check()).nonce,
            proof=proof,
            seen=tuple(map(plain_event, played.prover.witness.seen(deal))),
        )
        for deal, proof in sorted(played.prover.proofs.items())
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
