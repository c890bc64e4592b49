"""Penalty points, and what the points of finished deals mean for the match."""

from typing import TypeAlias

from attrs import frozen

from kings_engine.cards import Hand, cards_in
from kings_engine.deal import Deal
from kings_engine.rules import MatchForm, Rules, Tie

Sheet: TypeAlias = tuple[tuple[int | None, ...], ...]
"""The penalty points of each finished deal, by seat; none for a seat that was not dealt to."""


def penalty(rules: Rules, hand: Hand) -> int:
    """Return what the cards of ``hand`` cost under the table's scoring."""
    penalties = rules.penalties
    return sum(penalties[card >> 2] for card in cards_in(hand))


def deal_points(deal: Deal) -> tuple[int | None, ...]:
    """Return each seat's penalty points for a finished deal."""
    return tuple(
        penalty(deal.rules, hand) if seat in deal.seats else None
        for seat, hand in enumerate(deal.hands)
    )


def totals(sheet: Sheet, players: int) -> tuple[int, ...]:
    """Return each seat's points over all finished deals."""
    return tuple(sum(points[seat] or 0 for points in sheet) for seat in range(players))


@frozen
class Verdict:
    """What a finished deal means for the match.

    Attributes:
        over: whether the match is decided.
        winners: who has won it, if it is decided; several share it.
        seats: who plays on.
    """

    over: bool
    winners: tuple[int, ...]
    seats: tuple[int, ...]


def judge(rules: Rules, sheet: Sheet, seats: tuple[int, ...], out: tuple[int, ...]) -> Verdict:
    """Say what the newest deal of ``sheet`` means.

    Args:
        rules: the table's rules.
        sheet: all finished deals, the newest last.
        seats: the seats still in the match, those who forfeited left out: these alone can reach
            the points or win.
        out: the seats that went out in the newest deal, first one first.
    """
    points = totals(sheet, rules.players)
    reached = tuple(seat for seat in seats if points[seat] >= rules.points)
    if rules.match == MatchForm.ONE_DEAL:
        first_out = tuple(seat for seat in out if seat in seats)[:1]
        return Verdict(True, first_out or _fewest(points, seats), seats)
    if rules.match == MatchForm.ELIMINATION:
        left = tuple(seat for seat in seats if seat not in reached)
        if len(left) > 1:
            return Verdict(False, (), left)
        best = left or _fewest(points, reached)
        return Verdict(_is_alone(rules, best), best, best)
    all_dealt = rules.deals is not None and len(sheet) >= rules.deals
    ended = (rules.match != MatchForm.DEALS and bool(reached)) or (
        rules.match != MatchForm.POINTS and all_dealt
    )
    best = _fewest(points, seats)
    return Verdict(ended and _is_alone(rules, best), best, seats)


def _is_alone(rules: Rules, best: tuple[int, ...]) -> bool:
    """Say whether the match can end with ``best``: one seat, or several where a tie is shared."""
    return len(best) == 1 or rules.tie == Tie.SHARED


def _fewest(points: tuple[int, ...], seats: tuple[int, ...]) -> tuple[int, ...]:
    fewest = min(points[seat] for seat in seats)
    return tuple(seat for seat in seats if points[seat] == fewest)


def losers(
    rules: Rules, points: tuple[int, ...], seats: tuple[int, ...], winners: tuple[int, ...]
) -> tuple[int, ...]:
    """Return who is named the loser of a decided match: who has the most points (003).

    Several with as many are all named. A winner never is, so nobody is where all have as many.

    Args:
        rules: the table's rules, which may name none.
        points: each seat's points over all deals.
        seats: who can be named: all but those who forfeited.
        winners: who has won; nobody where the match was given up.
    """
    if not rules.name_loser or not winners:
        return ()
    most = max(points[seat] for seat in seats)
    named = tuple(seat for seat in seats if points[seat] == most)
    return () if set(named) & set(winners) else named


def cut_holders(cards: dict[int, int], *, higher: bool) -> tuple[int, ...]:
    """Return the seats whose cut card has the best rank; aces are low (000).

    Several have tied, and cut again among themselves.
    """
    best = (max if higher else min)(card >> 2 for card in cards.values())
    return tuple(seat for seat, card in cards.items() if card >> 2 == best)
