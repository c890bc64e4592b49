"""Proof of a fair deal: what is published about a finished deal, and how a player checks it.

A verified deal was dealt from a deck that was fixed before play and that the host alone did not
choose: the seed was committed to before the players' nonces were known, and both are in the deck's
key. It does not prove that whoever runs the server did not look at the cards.
"""

from enum import StrEnum

from attrs import frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut, Forfeit, parse_action
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealerChosen,
    Eliminated,
    Event,
    MatchEnded,
)
from kings_engine.match import Match, Step, new_match
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.scoring import Sheet, totals
from kings_engine.shuffle import commitment
from kings_engine.sources import Secret
from kings_engine.view import history


@frozen
class DealProof:
    """What is published about a finished deal, or (number 0) about the cut or the lot.

    Attributes:
        number: the deal's number, from 1.
        dealer: who dealt; for the cut, nobody.
        seats: the seats dealt to, or cutting.
        begin: the action that made the deck, as text; it holds the seed and all nonces.
        actions: actor and action of everything that followed until the deal's end, as text.
    """

    number: int
    dealer: int | None
    seats: tuple[int, ...]
    begin: str
    actions: tuple[tuple[int, str], ...]


class Problem(StrEnum):
    """What is wrong with a deal, or missing for saying that nothing is.

    All but ``nothing_seen`` speak against the server, and should never be met.
    """

    UNREADABLE = "unreadable"  #: the proof is not well formed
    SEED_NOT_COMMITTED = "seed_not_committed"  #: another seed than was committed to
    NONCE_NOT_USED = "nonce_not_used"  #: the viewer's nonce is not in the key
    NOT_BY_THE_RULES = "not_by_the_rules"  #: the published actions are not legal
    NOT_AS_SEEN = "not_as_seen"  #: the deal that follows is not the one the viewer saw
    NOTHING_SEEN = "nothing_seen"  #: the viewer saw nothing of it that could be compared


def proof_of(match: Match, number: int) -> DealProof | None:
    """Return the proof of deal ``number`` (0: the cut or lot), or nothing while it is hidden.

    A deal is published when it has ended or the match was abandoned. Proofs are only made of what
    began from a secret.
    """
    steps = match.steps
    start = _start_of(match, number)
    if start is None or (number == match.number and match.phase == Phase.PLAY):
        return None
    began = next((e for e in steps[start].events if isinstance(e, DealBegan)), None)
    forfeited = {step.action.seat for step in steps[:start] if isinstance(step.action, Forfeit)}
    end = start + 1
    while began and not _ends_deal(steps[end - 1]):
        end += 1
    return DealProof(
        number=number,
        dealer=began.dealer if began else None,
        seats=began.seats
        if began
        else tuple(seat for seat in range(match.rules.players) if seat not in forfeited),
        begin=str(steps[start].action),
        actions=tuple((step.actor, str(step.action)) for step in steps[start + 1 : end]),
    )


def check_deal(
    rules: Rules,
    proof: DealProof,
    committed: bytes,
    viewer: int | None,
    nonce: bytes | None,
    seen: tuple[Event, ...],
) -> tuple[Problem, ...]:
    """Deal and play a finished deal again, and return everything that is wrong with it.

    Args:
        rules: the table's rules.
        proof: what the server published.
        committed: the commitment that was shown before the deal.
        viewer: the seat that checks, or nothing for a spectator.
        nonce: what the viewer's client contributed, if the server accepted it in time.
        seen: the deal's events as the viewer saw them; older ones may be missing, and those of
            the cut before it may be among them.

    Returns:
        The problems found; none if the deal is verified.
    """
    begin = _read(proof.begin)
    secret = None
    if isinstance(begin, Cut):
        secret = begin.secret
    elif isinstance(begin, BeginDeal) and isinstance(begin.source, Secret):
        secret = begin.source
    if secret is None or isinstance(begin, Cut) != (proof.number == 0):
        return (Problem.UNREADABLE,)
    problems = []
    if commitment(secret.seed) != committed:
        problems.append(Problem.SEED_NOT_COMMITTED)
    if nonce is not None and viewer is not None and nonce not in secret.nonces[viewer : viewer + 1]:
        problems.append(Problem.NONCE_NOT_USED)
    played = _play_again(rules, proof, ())
    if isinstance(played, Problem):
        problems.append(played)
    elif problem := _compared(proof.number, history(played[-1], viewer, 0), seen):
        problems.append(problem)
    return tuple(problems)


def replay_deal(rules: Rules, proof: DealProof, sheet: Sheet = ()) -> tuple[Match, ...] | Problem:
    """Deal and play a finished deal again, to be looked at.

    Args:
        rules: the table's rules.
        proof: what the server published of the deal.
        sheet: the points of the deals before it, a row each; one of nothing but ``None`` where
            they are not known.

    Returns:
        The match after the deal's beginning and after each action that followed, or what is wrong
        with the proof. Their steps are those of this deal alone, and their versions count those; of
        earlier deals they know the points, not who was named a loser or gave up.
    """
    return _play_again(rules, proof, sheet)


def _start_of(match: Match, number: int) -> int | None:
    """Return the index of the step that dealt deal ``number`` from a secret, or made the cut."""
    dealt = 0
    for index, step in enumerate(match.steps):
        if isinstance(step.action, Cut) and number == 0:
            return index
        if isinstance(step.action, BeginDeal):
            dealt += 1
            if dealt == number:
                return index if isinstance(step.action.source, Secret) else None
    return None


def _ends_deal(step: Step) -> bool:
    return any(isinstance(event, DealEnded | MatchEnded) for event in step.events)


def _read(text: str) -> Action | None:
    try:
        return parse_action(text)
    except ValueError:
        return None


def _play_again(rules: Rules, proof: DealProof, sheet: Sheet) -> tuple[Match, ...] | Problem:
    match = new_match(rules)._replace(sheet=sheet, totals=totals(sheet, rules.players))
    if not proof.seats or not set(proof.seats) <= set(match.seats):
        return Problem.UNREADABLE
    match = match._replace(seats=proof.seats)
    if proof.number:
        if proof.dealer not in proof.seats:
            return Problem.UNREADABLE
        # The match passes the deal on to the left before it deals, but for the first one.
        dealer = proof.dealer if proof.number == 1 else proof.dealer - 1
        match = match._replace(phase=Phase.DEAL_DUE, dealer=dealer, number=proof.number - 1)
    played = []
    for actor, text in ((TABLE, proof.begin), *proof.actions):
        action = _read(text)
        if action is None:
            return Problem.UNREADABLE
        changed = apply(match, actor, action)
        if isinstance(changed, Refusal):
            return Problem.NOT_BY_THE_RULES
        match, _ = changed
        played.append(match)
    return tuple(played)


def _compared(number: int, played: tuple[Event, ...], seen: tuple[Event, ...]) -> Problem | None:
    """Compare what follows from the proof with the newest events that the viewer saw."""
    comparable = _of_deal if number else _of_cut
    expected, found = comparable(played), comparable(seen)
    if not found:
        return Problem.NOTHING_SEEN
    if expected[max(0, len(expected) - len(found)) :] != found:
        return Problem.NOT_AS_SEEN
    return None


def _of_cut(events: tuple[Event, ...]) -> list[Event]:
    return [event for event in events if isinstance(event, CardsCut | DealerChosen)]


def _of_deal(events: tuple[Event, ...]) -> list[Event]:
    """Leave out the cut, what hangs on earlier deals, and what came after the deal's end."""
    kept: list[Event] = []
    for event in events:
        if not isinstance(event, CardsCut | DealerChosen | Eliminated | MatchEnded):
            kept.append(event)
        if isinstance(event, DealEnded):
            break
    return kept
