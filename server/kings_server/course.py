"""What happens at a table by itself: starts, deals, bots, clocks, and what becomes of lost seats.

Everything here changes a table in one go, without awaiting; ``events`` then has it kept.
"""

from math import inf
from typing import TYPE_CHECKING, Final

import trio

from kings_engine.actions import TABLE, BeginDeal, Cut, Forfeit, Timeout
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase as MatchPhase
from kings_engine.rules import REVISION
from kings_protocol.codes import NoticeCode, UnseatedCode
from kings_protocol.messages import Notice
from kings_server.dealing import Dealing
from kings_server.journal_rows import keep_match
from kings_server.kept import knobs_text
from kings_server.picture import Phase
from kings_server.roster import Peer
from kings_server.seats import Input, State, after_grace
from kings_server.shares import (
    dealing_due,
    new_dealing,
    wait_for_shares,
    why_missing,
    withhold,
    withholds,
)
from kings_server.thinkers import LATE_SECONDS

if TYPE_CHECKING:
    from kings_server.table import Table


_VOTES: Final = 2
"""The fewest votes that take the seat of somebody who is here, or gone for less than the grace."""


def deadline(table: "Table") -> float:
    """Return when something is due, if no event comes before."""
    due = min(table.timers.due, ends_at(table), table.keeper.due, dealing_due(table))
    if table.timers.deserted_at is None:
        for seat in table.roster.seats:
            if seat.until is not None and seat.until < due:
                due = seat.until
    return due


def ends_at(table: "Table") -> float:
    """Return when the table ends, if nobody comes."""
    if table.timers.deserted_at is not None:
        return table.timers.ends_at
    return inf if table.roster.alive else table.alive_until


def do_what_is_due(table: "Table", came: float) -> None:
    """Do all that is due by now.

    Commitments and shares are awaited only until ``came``, when the event came that is being dealt
    with: others may have come in time, and wait for their turn because the journal is slow.
    """
    now = trio.current_time()
    if table.timers.deserted_at is None:
        _wait_no_longer(table, now)
    _look_after_player(table, now)
    if now >= table.timers.host_at:
        _hand_on_host(table)
    if table.phase.idle and _may_start(table):
        _start(table)
    elif table.phase is Phase.BETWEEN and _may_go_on(table, now):
        _prepare(table)
    while table.dealing is not None and came >= dealing_due(table):
        _go_on_dealing(table, table.dealing)
    if now >= table.timers.act_at:
        _act_for_absent(table)


def follow(table: "Table", match: Match) -> None:
    """Bring the table's phase and timers in line with the match."""
    if match.phase is MatchPhase.PLAY:
        if table.phase is not Phase.PLAYING:
            _enter(table, Phase.PLAYING)
        arm(table)
    elif match.phase is MatchPhase.MATCH_OVER:
        _enter(table, Phase.OVER)
        now = trio.current_time()
        for number in table.roster.where(State.DROPPED, State.HELD):
            seat = table.roster.seats[number]
            if seat.away:
                table.roster.resume(number)
            elif seat.state is State.DROPPED:
                table.roster.drop(number, now + table.settings.grace)
    elif table.phase is Phase.PLAYING:
        _enter(table, Phase.BETWEEN)
    elif table.dealing is not None and table.dealing.deal != _due(match):
        _prepare(table)


def _enter(table: "Table", phase: Phase, dealing: Dealing | None = None) -> None:
    table.phase = phase
    table.dealing = dealing
    table.roster.unready()
    if phase.idle:
        table.roster.calm()
    arm(table)
    table.touch()


def close(table: "Table") -> None:
    """Let no match run any more, and nobody be ready for one: the rules are others now."""
    _enter(table, Phase.WAITING if table.match is None else Phase.OVER)


# ---- the course of a match


def _may_start(table: "Table") -> bool:
    if not table.roster.full:
        return False
    alone = table.phase is Phase.WAITING and len(table.roster.where(State.SEATED)) == 1
    return alone or table.roster.all_ready


def _may_go_on(table: "Table", now: float) -> bool:
    ready = table.roster.all_ready or now >= table.timers.next_at
    return ready and not table.roster.paused


def _start(table: "Table") -> None:
    rotation = table.matches
    table.match = new_match(table.settings.rules, rotation)
    table.matches += 1
    table.closed = False
    table.withheld = ()
    table.keep(
        keep_match(
            table.settings.table, table.matches, REVISION, knobs_text(table.settings), rotation
        )
    )
    table.ledger.then(table.log.info, "match begins", match=table.matches)
    table.ledger.then(table.show, table.match)
    _prepare(table)


def _prepare(table: "Table", attempt: int = 0) -> None:
    """Begin to make the deck of the cut or the next deal."""
    if table.match is None:
        raise LookupError("no match is running")
    _enter(table, Phase.OFFERING, new_dealing(table, _due(table.match), attempt))
    table.ledger.then(wait_for_shares, table)


def _go_on_dealing(table: "Table", dealing: Dealing) -> None:
    """Publish the commitments, or deal, or offer the deal anew without who withholds a share."""
    if not dealing.closed:
        table.dealing = dealing.close(trio.current_time())
        wait_for_shares(table)
        table.ledger.then(wait_for_shares, table)
        table.touch()
    elif dealing.awaited:
        if not withholds(table, dealing):
            for number in dealing.awaited:
                withhold(table, number)
        _prepare(table, dealing.context.attempt + 1)
    else:
        _deal(table, dealing)


def _due(match: Match) -> int:
    """Return the number of the deal that is due, or 0 for the cut or the lot."""
    return 0 if match.phase is MatchPhase.CUT else match.number + 1


def _deal(table: "Table", dealing: Dealing) -> None:
    secret = dealing.secret
    refusal = table.apply(TABLE, BeginDeal(secret) if dealing.deal else Cut(secret))
    if refusal is not None:
        raise RuntimeError(f"the deal was refused: {refusal.code}")


def arm(table: "Table") -> None:
    """Set the timers anew, because the match, the phase or a seat has changed."""
    now, timers = trio.current_time(), table.timers
    if table.roster.deserted and not table.phase.idle:
        timers.desert(now, table.bounds.pause_seconds)
        return
    if timers.deserted_at is not None:
        table.roster.wait_longer(now - timers.deserted_at)
        timers.people_are_back()
        wait_for_shares(table)
    if not table.saving:
        timers.halt(now)
    elif table.roster.paused:
        timers.halt(now)
        timers.next_at = inf
    elif table.timers.arm(table.phase, table.match, table.roster, now):
        table.touch()


def _act_for_absent(table: "Table") -> None:
    """Act for the seat on turn: a bot's move, or the end of a turn that nobody plays."""
    match = table.match
    if match is None or match.turn is None:
        return
    number = match.turn
    seat = table.roster.seats[number]
    if seat.level is not None:
        choice = table.thinkers.choose(seat.level, match, number)
        if choice is None:
            table.timers.act_at += LATE_SECONDS
            return
        if choice.short != seat.short:
            table.roster.set_short(number, on=choice.short)
            table.touch()
        if choice.action is not None:
            refusal = table.apply(number, choice.action)
            if refusal is None:
                return
            table.log.error("bot refused", seat=number, code=refusal.code)
        table.notice(NoticeCode.BOT_FAILED, number)
    elif seat.state is State.SEATED:
        table.notice(NoticeCode.TURN_TIMED_OUT, number)
    table.apply(TABLE, Timeout())


# ---- people who do nothing


def _look_after_player(table: "Table", now: float) -> None:
    """Warn the player on turn of the clock, and everybody of a player who does nothing."""
    clock, attention = table.timers.clock, table.timers.attention
    on_turn = None if table.phase.idle or table.match is None else table.match.turn
    if on_turn is not None and now >= clock.warn_at:
        clock.warned()
        left = round((clock.until - now) * 1000)
        notice = Notice(code=NoticeCode.TURN_ENDS, seat=on_turn, number=left)
        table.ledger.then(table.roster.tell_seat, on_turn, notice)
    if now >= attention.until:
        _give_up_hope(table, on_turn)
    elif now >= attention.warn_at:
        attention.warned()
        if on_turn is not None:
            left = round((attention.until - now) * 1000)
            table.notice(NoticeCode.AWAY_SOON, on_turn, left)
            table.touch()


def _give_up_hope(table: "Table", on_turn: int | None) -> None:
    """Take the player on turn for gone; before a start, make another person the host."""
    if on_turn is None:
        _hand_on_host(table)
        return
    _drop(table, on_turn, table.settings.grace, NoticeCode.AWAY)
    arm(table)
    table.touch()


def _hand_on_host(table: "Table") -> None:
    table.roster.hand_on_host()
    table.notice(NoticeCode.HOST_IS, table.roster.host)
    arm(table)
    table.touch()


def pressed(table: "Table", number: int) -> None:
    """Note that a seat's person has done something: whoever counted as gone is back."""
    if table.timers.attention.pressed(number, trio.current_time()):
        table.touch()
    if table.roster.seats[number].state in (State.DROPPED, State.HELD):
        returned(table, number)


def returned(table: "Table", number: int) -> None:
    """Give a seat back to its person, who is here again."""
    seat = table.roster.seats[number]
    if seat.state is not State.SEATED:
        table.notice(NoticeCode.BACK, number)
    table.roster.resume(number)
    if table.dealing is not None:
        table.dealing = table.dealing.ask(number)
    table.timers.attention.returned(number, trio.current_time())
    count_votes(table)
    if seat.unasked:
        _end_pause(table)
    else:
        go_on(table)
    arm(table)
    table.touch()


# ---- pauses


def stand_still(table: "Table") -> None:
    """Let the match stand still, if all people who are connected want it to."""
    roster = table.roster
    here = roster.where(State.SEATED)
    if roster.paused or not all(roster.seats[number].pause for number in here):
        return
    roster.begin_pause()
    _wait_anew(table)
    table.notice(NoticeCode.PAUSED)
    arm(table)
    table.touch()


def go_on(table: "Table") -> None:
    """Let the match go on, if it stands still and everybody is back."""
    roster = table.roster
    waits = roster.where(State.DROPPED) or any(
        roster.seats[number].pause for number in roster.where(State.SEATED)
    )
    if roster.paused and not waits:
        _end_pause(table)


def _end_pause(table: "Table") -> None:
    """Let the match go on; who is still gone has the table's grace from now on."""
    table.roster.end_pause()
    _wait_anew(table)
    table.notice(NoticeCode.GOES_ON)
    arm(table)
    table.touch()


def _wait_anew(table: "Table") -> None:
    """Wait for who is gone as long as for somebody who goes now."""
    until = trio.current_time() + patience(table)
    for number in table.roster.where(State.DROPPED):
        table.roster.drop(number, until, away=table.roster.seats[number].away)


# ---- people who are gone


def patience(table: "Table") -> float:
    """Return the seconds for which somebody is waited for who is gone from now on."""
    return table.bounds.pause_seconds if table.roster.paused else table.settings.grace


def _drop(table: "Table", number: int, seconds: float, why: NoticeCode) -> None:
    """Wait for a seat's person for so many ``seconds``, or longer, if nobody is left."""
    until = trio.current_time() + seconds
    table.roster.drop(number, until, away=why is NoticeCode.AWAY)
    deserted = table.roster.deserted and not table.phase.idle
    told = table.bounds.pause_seconds if deserted else seconds
    table.notice(why, number, round(told * 1000))


def _wait_no_longer(table: "Table", now: float) -> None:
    """Do as the table chose with the seats whose people were waited for until now."""
    for number in range(len(table.roster.seats)):
        until = table.roster.seats[number].until
        if until is not None and now >= until:
            running, over = not table.phase.idle, table.phase is Phase.OVER
            what = after_grace(table.settings.absent, running=running, over=over)
            if what not in (Input.HOLD, Input.WAIT_ON):
                table.notice(NoticeCode.SEAT_LOST, number)
            lose(table, number, what, UnseatedCode.SEAT_LOST)


def lose(table: "Table", number: int, what: Input, code: UnseatedCode | None = None) -> None:
    """Do ``what`` becomes of a seat whose person is gone, for now or for good.

    Args:
        table: the table.
        number: the seat.
        what: what becomes of it.
        code: what the person is told who loses the seat, if it was not the person's own wish.
    """
    if what is Input.GIVE_UP and not table.phase.idle:
        # Refused only for a seat that is out of the match already.
        table.apply(TABLE, Forfeit(number))
    host, name = table.roster.host, table.roster.seats[number].name
    # Of a seat that was voted to a bot, the people have been told so.
    if what in (Input.HOLD, Input.REPLACE) and code is not UnseatedCode.REMOVED:
        table.notice(NoticeCode.BOT_PLAYS, number)
    dealing = table.dealing
    for_good = what not in (Input.HOLD, Input.WAIT_ON)
    if for_good and dealing is not None and dealing.closed and number in dealing.awaited:
        withhold(table, number)
    table.roster.lose(number, what, (table.matches, table.match.number if table.match else 0))
    if for_good and dealing is not None:
        table.dealing = dealing.leave_out(number, why_missing(table, number))
    if table.roster.seats[number].key is None:
        table.ledger.then(table.roster.send_back, number, code)
    if table.roster.host not in (host, None):
        table.notice(NoticeCode.HOST_IS, table.roster.host)
    table.ledger.then(table.log.info, "seat lost", seat=number, name=name, how=what.value)
    count_votes(table)
    go_on(table)
    arm(table)
    table.touch()


def count_votes(table: "Table") -> None:
    """Hand the seats to bots that more than half of the other people want at one.

    One alone takes nobody's seat who is here or expected back: the vote waits until the person has
    been gone for the table's grace. The vote of somebody who is gone counts for nothing, or two who
    lost their line might cost each other's seat. Called whenever a vote is cast, and when it
    changes who the others are or who is expected.
    """
    if table.phase.idle:
        return
    here = table.roster.where(State.SEATED)
    people = len(here) + len(table.roster.where(State.DROPPED))
    for about, seat in enumerate(table.roster.seats):
        others = people - (seat.state in (State.SEATED, State.DROPPED))
        votes = len(seat.votes.intersection(here))
        enough = max(others // 2 + 1, _VOTES if seat.expected else 1)
        if seat.has_person and votes >= enough:
            table.notice(NoticeCode.VOTED_OUT, about)
            lose(table, about, Input.REPLACE, UnseatedCode.REMOVED)
            return


def departed(table: "Table", peer: Peer) -> None:
    """Deal with the end of a connection."""
    number = table.roster.seat_of(peer)
    if number is None:
        table.ledger.then(table.roster.unwatch, peer)
    else:
        table.ledger.then(table.roster.disconnect, number)
        if table.dealing is not None:
            table.dealing = table.dealing.excuse(number)
        if table.roster.seats[number].state is not State.SEATED:
            # The person did nothing for long, and counts as gone already.
            table.roster.disconnected(number)
        else:
            why = NoticeCode.QUIT if peer.quit else NoticeCode.DROPPED
            _drop(table, number, patience(table), why)
        arm(table)
    table.touch()
