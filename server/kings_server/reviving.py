"""A table as the journal keeps it, and a table brought back from there.

The match comes back by playing its record through the rules, step by step, and only if that leads
to the state that it led to when it was played.
"""

from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

import trio
from attrs import evolve

from kings_engine.match import Match, closed_match
from kings_engine.record import BadRecord, Record, replay, state_hash
from kings_engine.rules import REVISION
from kings_engine.scoring import Sheet
from kings_server import course
from kings_server.answers import Answers
from kings_server.dealing import Dealing
from kings_server.journal_rows import SavedMatch, SavedTable
from kings_server.kept import (
    KeptOffer,
    KeptSeat,
    KeptState,
    UnknownMessageError,
    line_from,
    reply_from,
    request_from,
    rules_from,
    state_from,
)
from kings_server.roster import Came
from kings_server.seats import PEOPLE, Seat, State
from kings_server.shares import context_of, new_dealing

if TYPE_CHECKING:
    from kings_server.table import Table


def kept_state(table: "Table") -> KeptState:
    """Return what is to be kept of a table's state now."""
    now = trio.current_time()
    roster, dealing, deserted_at = table.roster, table.dealing, table.timers.deserted_at
    stood_at = now if deserted_at is None else deserted_at
    return KeptState(
        phase=table.phase,
        matches=table.matches,
        host=roster.host,
        seats=tuple(
            _kept_seat(seat, came, stood_at)
            for seat, came in zip(roster.seats, roster.came, strict=True)
        ),
        offer=None if dealing is None else _kept_offer(dealing, now),
        withheld=table.withheld,
        next_left=_left(table.timers.next_at, now),
        turn=table.timers.clock.left(now),
        helped=table.timers.clock.helped,
        lines=table.said,
        sheet=() if table.match is None else table.match.sheet,
        closed=table.closed,
        given_up=tuple(key.hex() for key in roster.given_up),
        former=tuple((client, *deal) for client, deal in roster.former.items()),
        paused=roster.paused,
        silent=roster.silent,
        deserted_left=_left(table.timers.ends_at, now),
    )


def _kept_seat(seat: Seat, came: Came | None, now: float) -> KeptSeat:
    asked = came is not None and seat.key is not None
    return KeptSeat(
        state=seat.state,
        name=seat.name,
        level=seat.level,
        key=None if seat.key is None else seat.key.hex(),
        ready=seat.ready,
        left=_left(seat.until, now),
        pause=seat.pause,
        unasked=seat.unasked,
        silent=seat.silent,
        votes=tuple(sorted(seat.votes)),
        client=came.client if came is not None and asked else "",
        request=came.text if came is not None and asked else "",
    )


def _kept_offer(dealing: Dealing, now: float) -> KeptOffer:
    return KeptOffer(
        deal=dealing.deal,
        seed=dealing.seed.hex(),
        left=max(0.0, dealing.until - now),
        attempt=dealing.context.attempt,
        commitments=tuple(None if one is None else one.hex() for one in dealing.commitments),
        shares=tuple(None if one is None else one.hex() for one in dealing.shares),
        missing=dealing.missing,
        closed=dealing.closed,
    )


def _left(until: float | None, now: float) -> float | None:
    return None if until is None or until == inf else max(0.0, until - now)


def revive(table: "Table", saved: SavedTable, allowance: float) -> None:
    """Make ``table`` what ``saved`` says.

    Who is connected stays so; everybody else is waited for as long as was left, and ``allowance``
    seconds more.

    Raises:
        ValueError: what is saved cannot be read.
    """
    state = state_from(saved.state)
    roster, now = table.roster, trio.current_time()
    if len(state.seats) != len(roster.seats):
        raise ValueError("another number of seats")
    table.phase, table.matches = state.phase, state.matches
    table.closed = state.closed or rules_from(saved) is None
    table.said = state.lines
    table.chat.clear()
    table.chat.extend(line_from(line) for _, line in saved.lines)
    roster.host = state.host
    roster.given_up = dict.fromkeys(map(bytes.fromhex, state.given_up))
    roster.former = {client: (match, deal) for client, match, deal in state.former}
    roster.paused = state.paused
    roster.silent = state.silent
    roster.seats = [_seat(kept) for kept in state.seats]
    roster.came = [
        Came(kept.client, request_from(kept.request)) if kept.request else None
        for kept in state.seats
    ]
    roster.answers = [Answers() for _ in roster.seats]
    for answer in saved.answers:
        answers = roster.answers[answer.seat]
        answers.number = answer.number
        with suppress(UnknownMessageError):  # nobody asks again what cannot be asked any more
            answers.keep(request_from(answer.request), reply_from(answer.reply))
    _wait_for_people(table, state, allowance)
    table.match = None if saved.match is None else _match(table, saved.match, state.sheet)
    table.withheld = state.withheld
    table.dealing = None if state.offer is None else _dealing(table, state.offer, now + allowance)
    next_left, turn = state.next_left, state.turn
    table.timers = table.new_timers()
    if next_left is not None:
        table.timers.next_at = now + next_left + allowance
    if turn is not None:
        table.timers.clock.resume(turn[:2], turn[2] + allowance, helped=state.helped)
    if state.deserted_left is not None:
        table.timers.ends_at = now + state.deserted_left + allowance
    # A table of nobody but bots waits for nobody: who looked on can look on elsewhere.
    table.alive_until = now + (allowance if roster.where(*PEOPLE) else 0.0)
    table.keeper.took_over(state)
    if table.closed and not state.closed:
        played = None if saved.match is None else saved.match.revision
        table.log.error("rules are others now", revision=played, ours=REVISION)
        course.close(table)
    if table.match is not None:
        table.ledger.then(table.show, table.match)
    course.arm(table)
    table.touch()


def _wait_for_people(table: "Table", state: KeptState, allowance: float) -> None:
    """Wait for who is not connected; who is, and does nothing, still counts as gone."""
    roster, now = table.roster, trio.current_time()
    for number, kept in enumerate(state.seats):
        if kept.left is not None or (kept.state is State.SEATED and not roster.peers[number]):
            left = course.patience(table) if kept.left is None else kept.left
            roster.drop(number, now + left + allowance)
        if roster.peers[number] is not None and kept.state in (State.DROPPED, State.HELD):
            roster.seats[number] = evolve(roster.seats[number], away=True)


def _seat(kept: KeptSeat) -> Seat:
    return Seat(
        state=kept.state,
        name=kept.name,
        level=kept.level,
        key=None if kept.key is None else bytes.fromhex(kept.key),
        ready=kept.ready,
        pause=kept.pause,
        unasked=kept.unasked,
        silent=kept.silent,
        votes=frozenset(kept.votes),
    )


def _dealing(table: "Table", offer: KeptOffer, now: float) -> Dealing:
    if not offer.commitments:
        new = new_dealing(table, offer.deal)
        return new.wait_until(now + table.bounds.commit_seconds)
    return Dealing(
        context=context_of(table, offer.deal, offer.attempt),
        seed=bytes.fromhex(offer.seed),
        commitments=tuple(None if one is None else bytes.fromhex(one) for one in offer.commitments),
        shares=tuple(None if one is None else bytes.fromhex(one) for one in offer.shares),
        missing=offer.missing,
        until=now + offer.left,
        closed=offer.closed,
    )


def _match(table: "Table", saved: SavedMatch, sheet: Sheet) -> Match:
    """Return the match as it was; or closed with its score, where the rules are others now."""
    rules = table.settings.rules
    if not table.closed:
        with suppress(BadRecord):
            match = replay(Record(REVISION, rules, saved.rotation, saved.steps))
            if not saved.steps or state_hash(match) == saved.hash:
                return match
        table.closed = True
    return closed_match(rules, saved.rotation, sheet)
