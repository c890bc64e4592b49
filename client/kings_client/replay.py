"""A finished match as it was, moment by moment: the views that a replay shows.

The engine's check of proofs plays each published deal again; what is looked at here are views of
it, one's own as the seat knew it then, and all hands, which everybody may know by now.
"""

from pathlib import Path
from typing import Final

from attrs import frozen

from kings_client.saved import BadFile, SavedMatch, saved_rules
from kings_client.words.tongue import tell
from kings_engine.cards import Card
from kings_engine.events import Event, TurnBegan
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.verify import DealProof, Problem, replay_deal
from kings_engine.view import View, history, observe, observe_own
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import SeatState, TableState
from kings_protocol.text import clean

LONGEST: Final = 1000
"""Deals of the longest match that is believed in."""


@frozen
class Moment:
    """A moment of a match.

    Attributes:
        deal: the deal's number.
        view: the position as one's own seat knew it, or as everybody did where one watched.
        hands: every seat's cards.
        events: what had happened in the deal so far, as one's own seat knew it.
        open_events: the same with nothing hidden.
        turn: how many turns the deal has begun, from 0.
        action: how many actions it has had.
    """

    deal: int
    view: View
    hands: tuple[tuple[Card, ...], ...]
    events: tuple[Event, ...]
    open_events: tuple[Event, ...]
    turn: int
    action: int

    @property
    def over(self) -> bool:
        """Whether the match is over here."""
        return self.view.public.phase == Phase.MATCH_OVER


@frozen
class Replay:
    """An opened match: its table as far as a screen shows it, and its moments."""

    file: Path
    table: TableState
    seat: int | None
    moments: tuple[Moment, ...]


def open_replay(match: SavedMatch, file: Path) -> Replay:
    """Return the replay of the match that ``file`` holds.

    Raises:
        BadFile: it holds no deal that can be played again.
    """
    found = moments(match)
    if not found:
        raise BadFile(tell("it holds no finished deal"))
    levels = match.levels or (None,) * len(match.names)
    seats = tuple(
        SeatState(state="bot" if level else "seated", name=clean(name, NAME_LENGTH), level=level)
        for name, level in zip(match.names, levels, strict=False)
    )
    table = TableState(
        table="replay",
        name=clean(match.table, NAME_LENGTH) or "table",
        preset=match.preset or "rules",
        rules=match.rules,
        locked=False,
        watchable=True,
        absent="wait",
        grace_seconds=60,
        away_seconds=180,
        host=None,
        phase="playing",
        match=1,
        seats=seats,
        watchers=0,
    )
    return Replay(file, table, match.seat, found)


def moments(match: SavedMatch) -> tuple[Moment, ...]:
    """Return every moment of the match's deals, in order.

    Raises:
        BadFile: its rules cannot be played, or a deal's proof is no deal.
    """
    rules = saved_rules(match)
    if match.seat is not None and not 0 <= match.seat < rules.players:
        raise BadFile(tell("it tells of a seat that is not there"))
    unknown = (None,) * rules.players
    sheet: tuple[tuple[int | None, ...], ...] = ()
    found: list[Moment] = []
    for deal in sorted(match.deals, key=lambda one: one.number):
        number = deal.number
        if number > LONGEST:
            raise BadFile(tell("it tells of a deal {number}", number=number))
        if deal.proof is None:
            continue
        if number > len(sheet):
            sheet = (*sheet, *(unknown,) * (number - 1 - len(sheet)))
            found += _deal(rules, deal.proof, sheet, match.seat)
            sheet = found[-1].view.public.sheet
    return tuple(found)


def _deal(
    rules: Rules, proof: DealProof, sheet: tuple[tuple[int | None, ...], ...], seat: int | None
) -> list[Moment]:
    played = replay_deal(rules, proof, sheet)
    if isinstance(played, Problem):
        raise BadFile(
            tell(
                "deal {number} cannot be played again: {why}",
                number=proof.number,
                why=played.replace("_", " "),
            )
        )
    own = history(played[-1], seat, 0)
    full = tuple(event for step in played[-1].steps for event in step.events)
    return [_moment(match, proof.number, seat, own, full) for match in played]


def _moment(
    match: Match, number: int, seat: int | None, own: tuple[Event, ...], full: tuple[Event, ...]
) -> Moment:
    so_far = sum(len(step.events) for step in match.steps)
    turns = sum(isinstance(event, TurnBegan) for event in full[:so_far])
    hands = tuple(observe_own(match, at).hand for at in range(match.rules.players))
    return Moment(
        deal=number,
        view=observe(match, seat),
        hands=hands,
        events=own[:so_far],
        open_events=full[:so_far],
        turn=max(turns - 1, 0),
        action=match.version - 1,
    )
