"""A match: deals in sequence, their scores, and the record of everything that was done."""

from typing import NamedTuple

from attrs import field, frozen

from kings_engine.actions import Action
from kings_engine.cards import cards_in
from kings_engine.deal import Deal, next_seat
from kings_engine.events import DealEnded, Eliminated, Event, MatchEnded, MatchEnding
from kings_engine.phase import Phase
from kings_engine.rules import Rules, fixed_dealer
from kings_engine.scoring import Sheet, deal_points, judge, losers, totals


@frozen
class Step:
    """One applied action: who did it (a seat, or ``TABLE``), what, and what it made happen."""

    actor: int
    action: Action = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)


class Match(NamedTuple):
    """The whole state of a match.

    Attributes:
        rules: the table's rules.
        rotation: how many rematches went before; a fixed first dealer moves on with each.
        phase: where the match stands.
        seats: the seats still in it, in order.
        forfeited: the seats that forfeited, in order of time.
        dealer: who deals the current or last deal, or is to deal the first; nothing before the cut.
        totals: each seat's points so far: summed once a deal, but asked for with every view.
        number: the number of the current or last deal, from 1; 0 before the first.
        deal: the current or last deal.
        sheet: the points of the finished deals.
        winners: who won, once it is over.
        losers: who is named the loser, once it is over (003).
        steps: everything that was done, in order.
    """

    rules: Rules
    rotation: int
    phase: Phase
    seats: tuple[int, ...]
    dealer: int | None
    totals: tuple[int, ...]
    forfeited: tuple[int, ...] = ()
    number: int = 0
    deal: Deal | None = None
    sheet: Sheet = ()
    winners: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()

    def __repr__(self) -> str:
        return f"Match(number={self.number}, phase={self.phase.value}, version={self.version})"

    @property
    def version(self) -> int:
        """How many actions have been applied."""
        return len(self.steps)

    @property
    def turn(self) -> int | None:
        """The seat on turn while a deal runs."""
        return self.deal.turn if self.deal is not None and self.phase == Phase.PLAY else None


def new_match(rules: Rules, rotation: int = 0) -> Match:
    """Return a match in which nothing has been done.

    Args:
        rules: the table's rules.
        rotation: how many rematches went before; a fixed first dealer moves one seat to the left
            with each.
    """
    dealer = fixed_dealer(rules)
    return Match(
        rules=rules,
        rotation=rotation,
        phase=Phase.CUT if dealer is None else Phase.DEAL_DUE,
        seats=tuple(range(rules.players)),
        dealer=None if dealer is None else (dealer + rotation) % rules.players,
        totals=(0,) * rules.players,
    )


def closed_match(rules: Rules, rotation: int, sheet: Sheet) -> Match:
    """Return a match that is over without a result, of which only the score is known.

    It stands for one that was played under another reading of the rules.
    """
    match = new_match(rules, rotation)
    return match._replace(phase=Phase.MATCH_OVER, number=len(sheet), sheet=sheet)


def coming_dealer(match: Match) -> int:
    """Return the seat that deals next: the deal passes to the left among those still in.

    Raises:
        ValueError: the first dealer has still to be cut for.
    """
    if match.dealer is None:
        raise ValueError("the first dealer has still to be cut for, or drawn by lot")
    return next_seat(match.seats, match.dealer if match.number else match.dealer - 1)


def finish_deal(match: Match, deal: Deal) -> tuple[Match, tuple[Event, ...]]:
    """Write the finished ``deal`` on the sheet and judge what it means for the match."""
    if deal.ending is None:
        raise ValueError("the deal has not ended")
    points = deal_points(deal)
    sheet = (*match.sheet, points)
    events: list[Event] = [
        DealEnded(deal.number, deal.ending, tuple(map(cards_in, deal.hands)), points)
    ]
    verdict = judge(match.rules, sheet, match.seats, deal.out)
    match = match._replace(
        deal=deal,
        sheet=sheet,
        totals=totals(sheet, match.rules.players),
    )
    if len(match.seats) == 1:
        match, ended = end_match(match, MatchEnding.LAST_LEFT, match.seats)
        return match, (*events, ended)
    eliminated = tuple(seat for seat in match.seats if seat not in verdict.seats)
    if eliminated:
        events.append(Eliminated(eliminated))
    match = match._replace(phase=Phase.DEAL_DUE, seats=verdict.seats)
    if verdict.over:
        match, ended = end_match(match, MatchEnding.DECIDED, verdict.winners)
        events.append(ended)
    return match, tuple(events)


def end_match(
    match: Match, ending: MatchEnding, winners: tuple[int, ...]
) -> tuple[Match, MatchEnded]:
    """End the match; nothing can be done in it afterwards."""
    still = tuple(seat for seat in range(match.rules.players) if seat not in match.forfeited)
    named = losers(match.rules, match.totals, still, winners)
    match = match._replace(phase=Phase.MATCH_OVER, winners=winners, losers=named)
    return match, MatchEnded(ending, winners, named)
