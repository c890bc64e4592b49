"""A victim at seat 0, and a dishonest server that knows everything once it is sent."""

from typing import Any

from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal
from kings_engine.commitments import commit_seed, commit_share
from kings_engine.match import new_match
from kings_engine.rules import make_rules
from kings_engine.sources import Secret
from kings_protocol import messages as m
from proofs import Played

SEED, SEED_2 = b"\x01" * 32, b"\x02" * 32
ALLY, ALLY_2 = b"\x0a" * 32, b"\x0b" * 32
BOT = m.Member(missing="bot")
MANY = make_rules({"match": "deals", "deals": 3, "tie": "shared"})
LOT = make_rules({"first_dealer": "lot", "match": "deals", "deals": 2, "tie": "shared"})


class Attack(Played):
    """A victim, and what a dishonest server does to it."""

    def seed(self, seed: bytes, deal: int = 1, attempt: int = 0, match: int = 1) -> bytes:
        """Return the server's commitment."""
        return commit_seed(self.context(deal, attempt, match), seed)

    def ally(
        self, share: bytes, seed: bytes, deal: int = 1, attempt: int = 0, match: int = 1
    ) -> m.Member:
        """Return the commitment of the seat that plays along."""
        context = self.context(deal, attempt, match)
        made = commit_share(context, self.seed(seed, deal, attempt, match), 1, share)
        return m.Member(commitment=made.hex())

    def mine(self, deal: int = 1, attempt: int = 0) -> m.Member:
        """Return the victim's newest commitment to a deck."""
        return m.Member(commitment=self.answers(m.Commit, deal, attempt)[-1].commitment)

    def revealed(self, deal: int = 1, attempt: int = 0) -> bytes:
        """Return what the victim revealed last."""
        return bytes.fromhex(self.answers(m.Reveal, deal, attempt)[-1].share)

    def exchange(
        self,
        second: m.Member = BOT,
        seed: bytes = SEED,
        deal: int = 1,
        attempt: int = 0,
        **fields: Any,
    ) -> bytes:
        """Play an honest exchange until the victim's share is known; return it."""
        committed = self.seed(seed, deal, attempt, fields.get("match", 1))
        self.offer(deal, committed, (), attempt, **fields)
        self.take(m.Commit, deal, attempt)
        self.offer(deal, committed, (self.mine(deal, attempt), second), attempt, **fields)
        return self.revealed(deal, attempt)

    def rematch(self) -> None:
        """Let the engine begin the table's second match."""
        self.match, self.shown = new_match(self.match.rules, 1), 0

    def deal(self, secret: Secret, **fields: Any) -> None:
        """Deal from a secret, and play the deal to its end."""
        self.hear(self.table(**fields))
        self.do(TABLE_ACTOR, BeginDeal(secret))
        self.play_deal()

    def finish(self, secret: Secret, **fields: Any) -> None:
        """Deal, play, and publish what was done."""
        self.deal(secret, **fields)
        self.answer_proof()
