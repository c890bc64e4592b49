"""Finished matches as a person remembers them, and the results against each opponent."""

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from kings_client.marks import Mark
from kings_client.saved import Result
from kings_protocol.messages import Level


@frozen
class Player:
    """Who sat on a seat: a person, or a bot of a level."""

    name: str
    level: Level | None


@frozen
class Finished:
    """A finished match.

    Attributes:
        file: where its proofs are.
        played: when, in local time, as in ``2026-11-30T20:15``.
        table: the table's name.
        preset: the set of rules; empty where the file does not say.
        players: who played, by seat.
        seat: one's own seat; nothing for a match that was watched.
        result: how it ended.
        mark: of its deals' marks the one that claims least.
        deals: how many deals the file has.
        withheld: the seats that withheld a share of a deck, once for each time.
    """

    file: Path
    played: str
    table: str
    preset: str
    players: tuple[Player, ...]
    seat: int | None
    result: Result
    mark: Mark
    deals: int
    withheld: tuple[int, ...] = ()


@frozen
class Archive:
    """The finished matches, newest first, and how many files could not be read."""

    matches: tuple[Finished, ...] = ()
    unread: int = 0


@frozen
class Score:
    """How one did against one opponent.

    Attributes:
        opponent: the person, or a level of bots, under whose ``level`` all its bots are counted.
        played: matches together.
        won: how many of them one won or shared.
        lost: how many the opponent won and oneself did not.
        points: one's own penalty points in them.
        theirs: the opponent's; of several bots of a level at one table, their mean.
        withheld: how often the opponent withheld a share of a deck.
    """

    opponent: Player
    played: int = 0
    won: int = 0
    lost: int = 0
    points: float = 0
    theirs: float = 0
    withheld: int = 0


def scores(matches: Iterable[Finished]) -> tuple[Score, ...]:
    """Return one's results against each person and each level, the most played first.

    Matches that were watched or given up count for nothing.
    """
    found: dict[tuple[str, Level | None], Score] = {}
    for match in matches:
        seat, result = match.seat, match.result
        if seat is None or result.abandoned or seat >= len(result.points):
            continue
        met: dict[tuple[str, Level | None], list[int]] = {}
        for at, player in enumerate(match.players[: len(result.points)]):
            if at != seat:
                met.setdefault((player.level or player.name, player.level), []).append(at)
        for key, seats in met.items():
            before = found.get(key, Score(Player(*key)))
            won = seat in result.winners
            found[key] = Score(
                before.opponent,
                before.played + 1,
                before.won + won,
                before.lost + (not won and any(at in result.winners for at in seats)),
                before.points + result.points[seat],
                before.theirs + sum(result.points[at] for at in seats) / len(seats),
                before.withheld + sum(match.withheld.count(at) for at in seats),
            )
    return tuple(sorted(found.values(), key=lambda one: (-one.played, one.opponent.name)))
