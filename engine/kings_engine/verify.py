"""Proof of a fair deal: what is published about a finished deal, and how a player checks it.

A deal without problems was dealt from the deck that all commitments together had fixed, by the
rules, and as it was shown. What that says of who could choose the deck hangs on whose shares are in
it, and on what was offered before: whoever asks for the check has to look at both.
"""

import hashlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from attrs import frozen

from kings_engine.actions import TABLE, Action, BeginDeal, Cut, Forfeit, parse_action
from kings_engine.apply import apply
from kings_engine.commitments import LoosePromise, Promise
from kings_engine.deal import next_seat
from kings_engine.errors import Refusal
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealerChosen,
    Eliminated,
    Event,
    Forfeited,
    MatchEnded,
)
from kings_engine.match import Match, Step, new_match
from kings_engine.phase import Phase
from kings_engine.rules import Rules, fixed_dealer
from kings_engine.scoring import Sheet, totals
from kings_engine.sources import Secret
from kings_engine.view import View, history, observe

MOST_DEALS: Final = 2**31 - 1
"""The highest number of a deal; it goes into the deck's key in four bytes."""


@frozen
class DealProof:
    """What is published about a finished deal, or (number 0) about the cut or the lot.

    Attributes:
        number: the deal's number, from 1.
        dealer: who dealt; for the cut, nobody.
        seats: the seats dealt to, or cutting.
        begin: the action that made the deck, as text; it holds the seed and all shares.
        actions: actor and action of everything that followed until the deal's end, as text.
    """

    number: int
    dealer: int | None
    seats: tuple[int, ...]
    begin: str
    actions: tuple[tuple[int, str], ...]


class Problem(StrEnum):
    """What is wrong with a deal, or missing for saying that nothing is.

    All but those in ``MISSING`` speak against the server, and should never be met.
    """

    UNREADABLE = "unreadable"  #: the proof is not well formed
    ANOTHER_DEAL = "another_deal"  #: it is the proof of another deal than was promised
    SEED_NOT_COMMITTED = "seed_not_committed"  #: another seed than was committed to
    SHARES_NOT_COMMITTED = "shares_not_committed"  #: other shares than were committed to
    SHARE_NOT_USED = "share_not_used"  #: the viewer's share is not in the key
    NOT_BY_THE_RULES = "not_by_the_rules"  #: the published actions are not legal
    NOT_AS_SEEN = "not_as_seen"  #: the deal that follows is not the one the viewer saw
    DEALER_OUT_OF_TURN = "dealer_out_of_turn"  #: as ``wrong_dealers`` finds
    NOTHING_SEEN = "nothing_seen"  #: the viewer saw nothing of it that could be compared
    START_NOT_SEEN = "start_not_seen"  #: the viewer did not see how it began


MISSING: Final = frozenset({Problem.NOTHING_SEEN, Problem.START_NOT_SEEN})
"""Problems that speak against nobody: what would have to be compared was not seen."""


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
    promise: Promise | LoosePromise | None,
    viewer: int | None,
    seen: tuple[tuple[Event, ...], ...],
    shown: tuple[str, ...] = (),
) -> tuple[Problem, ...]:
    """Deal and play a finished deal again, and return everything that is wrong with it.

    Args:
        rules: the table's rules.
        proof: what the server published.
        promise: the commitments that were shown before the deal, if they were.
        viewer: the seat that checks, or nothing for a spectator.
        seen: the deal's events as the viewer saw them: runs without a gap, in the order in which
            they were told; what was told twice is in two of them.
        shown: the digests of the positions that the viewer was shown while the deal ran.

    Returns:
        The problems found; none if the deal agrees with all that was promised and seen.
    """
    secret = _secret_of(proof)
    if secret is None:
        return (Problem.UNREADABLE,)
    problems = [] if promise is None else list(_broken(promise, proof, secret))
    played = _play_again(rules, proof, ())
    if isinstance(played, Problem):
        problems.append(played)
    elif problem := _compared(proof.number, history(played[-1], viewer, 0), seen):
        problems.append(problem)
    elif proof.number == 0 and not _were_out(set(range(rules.players)) - set(proof.seats), seen):
        problems.append(Problem.START_NOT_SEEN)
    if not isinstance(played, Problem) and not _follow(shown, played, viewer):
        problems.append(Problem.NOT_AS_SEEN)
    return tuple(dict.fromkeys(problems))


def position_digest(view: View) -> str:
    """Return 32 bytes, as hexadecimal, that stand for the cards in a position of a running deal.

    Two positions have the same digest if they have the same deal, dealer and turn, the same piles
    and stock, the same numbers of cards and known cards, and the same own hand. What hangs on
    earlier deals is not in it.
    """
    public = view.public
    cards = tuple((seat.cards, tuple(map(int, seat.known))) for seat in public.seats)
    piles = tuple(tuple(map(int, pile)) for pile in public.piles)
    hand = None if view.own is None else (view.own.seat, tuple(map(int, view.own.hand)))
    numbers = (public.deal, public.dealer, public.turn, public.stock, public.stock_top)
    return hashlib.sha256(repr((numbers, piles, cards, hand)).encode()).hexdigest()


def _follow(shown: tuple[str, ...], played: tuple[Match, ...], viewer: int | None) -> bool:
    """Say whether every position that was shown is one that the deal went through."""
    if not shown:
        return True
    whole = {position_digest(observe(match, viewer)) for match in played}
    return whole.issuperset(shown)


def wrong_dealers(rules: Rules, match: int, seen: Iterable[Event]) -> frozenset[int]:
    """Return the deals whose dealer is not the one whom what came before them asks for.

    Args:
        rules: the table's rules.
        match: the number of the table's match, from 1; 0 where it is not known.
        seen: the events of the match as somebody saw them. A deal whose start, or what decides its
            dealer, is not among them is not judged.
    """
    dealt: dict[int, DealBegan] = {}
    fixed = fixed_dealer(rules)
    first = None if fixed is None or not match else (fixed + match - 1) % rules.players
    for event in seen:
        if isinstance(event, DealBegan):
            dealt[event.number] = event
        elif isinstance(event, DealerChosen):
            first = event.seat
    before = {number + 1: began.dealer for number, began in dealt.items()}
    if first is not None:
        before[1] = first - 1
    return frozenset(
        number
        for number, began in dealt.items()
        if number in before
        and began.seats
        and began.dealer != next_seat(began.seats, before[number])
    )


def _were_out(seats: set[int], seen: tuple[tuple[Event, ...], ...]) -> bool:
    """Say whether all of ``seats``, which did not cut, were seen to give up before."""
    return seats <= {event.seat for run in seen for event in run if isinstance(event, Forfeited)}


def _secret_of(proof: DealProof) -> Secret | None:
    """Return what the deck was made of, or nothing where the proof has none that fits it."""
    begin = _read(proof.begin)
    if isinstance(begin, Cut):
        return begin.secret if proof.number == 0 else None
    if isinstance(begin, BeginDeal) and isinstance(begin.source, Secret):
        return begin.source if 0 < proof.number <= MOST_DEALS else None
    return None


def _broken(promise: Promise | LoosePromise, proof: DealProof, secret: Secret) -> Iterator[Problem]:
    if isinstance(promise, Promise) and promise.context.deal != proof.number:
        yield Problem.ANOTHER_DEAL
    if not promise.fits_seed(secret):
        yield Problem.SEED_NOT_COMMITTED
    if not promise.fits_shares(secret):
        yield Problem.SHARES_NOT_COMMITTED
    if not promise.uses_own(secret):
        yield Problem.SHARE_NOT_USED


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
    # In another order, or named twice, the seats would be dealt other hands, or draw another lot.
    in_order = tuple(seat for seat in match.seats if seat in proof.seats)
    if not proof.seats or proof.seats != in_order:
        return Problem.UNREADABLE
    if not 0 <= proof.number <= MOST_DEALS:
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


def _compared(
    number: int, played: tuple[Event, ...], seen: tuple[tuple[Event, ...], ...]
) -> Problem | None:
    """Compare what follows from the proof with every run of events that the viewer saw."""
    comparable = _of_deal if number else _of_cut
    expected = comparable(played)
    runs = [run for run in map(comparable, seen) if run]
    if not runs:
        return Problem.NOTHING_SEEN
    if not all(_occurs(run, expected) for run in runs):
        return Problem.NOT_AS_SEEN
    if all(run[0] != expected[0] for run in runs):
        return Problem.START_NOT_SEEN
    return None


def _occurs(run: list[Event], expected: list[Event]) -> bool:
    length = len(run)
    starts = range(len(expected) - length + 1)
    return any(expected[at : at + length] == run for at in starts)


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
