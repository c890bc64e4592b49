"""What the people at a table ask of each other: pauses, votes, and whom the host stops."""

from typing import TYPE_CHECKING, TypeAlias

from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode, UnseatedCode
from kings_server.course import count_votes, go_on, lose, stand_still
from kings_server.picture import Phase
from kings_server.seats import after_leaving

if TYPE_CHECKING:
    from kings_server.table import Table

Wish: TypeAlias = m.Kick | m.Silence | m.Vote | m.Pause | m.Here


def judge(table: "Table", number: int, wish: Wish) -> m.Reply:
    """Carry out or refuse what the person at seat ``number`` asks for."""
    match wish:
        case m.Pause():
            code = _pause(table, number, wish)
        case m.Vote():
            code = _vote(table, number, wish)
        case m.Kick():
            code = _kick(table, number, wish)
        case m.Silence():
            code = _silence(table, number, wish)
        case m.Here():
            code = None
    return m.Done(re=wish.id) if code is None else m.Refused(re=wish.id, code=code)


def _pause(table: "Table", number: int, wish: m.Pause) -> RefusalCode | None:
    roster = table.roster
    if table.phase.idle or (wish.on and table.phase is Phase.OFFERING):
        return RefusalCode.NOT_NOW
    wanted = roster.seats[number].pause
    roster.set_pause(number, on=wish.on)
    table.touch()
    if wish.on:
        stand_still(table)
        if not wanted and not roster.paused:
            table.notice(NoticeCode.PAUSE_WANTED, number)
    else:
        go_on(table)
    return None


def _vote(table: "Table", number: int, wish: m.Vote) -> RefusalCode | None:
    roster, about = table.roster, wish.seat
    if table.phase.idle:
        return RefusalCode.NOT_NOW
    if code := _no_other_person(table, number, about):
        return code
    voted = number in roster.seats[about].votes
    roster.set_vote(number, about, on=wish.on)
    table.touch()
    count_votes(table)
    if wish.on and not voted and roster.seats[about].has_person:
        table.notice(NoticeCode.BOT_WANTED, about)
    return None


def _kick(table: "Table", number: int, wish: m.Kick) -> RefusalCode | None:
    if number != table.roster.host:
        return RefusalCode.HOST_ONLY
    if wish.seat is None:
        table.ledger.then(table.roster.remove_watchers)
        table.ledger.then(table.touch)
        return None
    if not table.phase.idle:
        return RefusalCode.NOT_NOW
    if code := _no_other_person(table, number, wish.seat):
        return code
    over = table.phase is Phase.OVER
    table.notice(NoticeCode.REMOVED, wish.seat)
    what = after_leaving(table.settings.absent, running=False, over=over)
    lose(table, wish.seat, what, UnseatedCode.REMOVED)
    return None


def _silence(table: "Table", number: int, wish: m.Silence) -> RefusalCode | None:
    roster = table.roster
    if number != roster.host:
        return RefusalCode.HOST_ONLY
    if wish.seat is None:
        roster.silent = wish.on
    elif code := _no_other_person(table, number, wish.seat):
        return code
    else:
        roster.set_silent(wish.seat, on=wish.on)
    table.touch()
    return None


def _no_other_person(table: "Table", number: int, about: int) -> RefusalCode | None:
    """Return why a wish cannot be about a seat; nothing if it can."""
    seats = table.roster.seats
    if about >= len(seats):
        return RefusalCode.NO_SUCH_SEAT
    if about == number or not seats[about].has_person:
        return RefusalCode.NOT_A_PERSON
    return None
