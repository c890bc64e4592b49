"""The shares in a deck that is being made: who is asked for one, how long, and who withheld one."""

from math import inf
from typing import TYPE_CHECKING

import trio

from kings_engine.commitments import DealContext, rules_digest
from kings_protocol.codes import NoticeCode
from kings_server.dealing import Dealing, Missing
from kings_server.limits import SHOWN_SECONDS
from kings_server.seats import State

if TYPE_CHECKING:
    from kings_server.table import Table


def new_dealing(table: "Table", deal: int, attempt: int = 0) -> Dealing:
    """Commit to the seed of ``deal``, and ask for the commitments of those who may have a share."""
    missing = tuple(why_missing(table, number) for number in range(len(table.roster.seats)))
    context, now = context_of(table, deal, attempt), trio.current_time()
    dealing = Dealing.new(context, missing, now + table.bounds.commit_seconds)
    return dealing if dealing.awaited else dealing.close(now + SHOWN_SECONDS)


def wait_for_shares(table: "Table") -> None:
    """Give people all the time there is for their commitments, or shares, from now on.

    The time that the journal takes, or for which nobody is here, is nobody's fault.
    """
    if table.dealing is not None:
        wait = _share_seconds(table, table.dealing)
        table.dealing = table.dealing.wait_until(trio.current_time() + wait)


def _share_seconds(table: "Table", dealing: Dealing) -> float:
    if not dealing.closed:
        return table.bounds.commit_seconds
    return table.bounds.reveal_seconds if any(dealing.commitments) else SHOWN_SECONDS


def context_of(table: "Table", deal: int, attempt: int) -> DealContext:
    """Return what the commitments to a deck of the running match are for."""
    settings, server = table.settings, bytes.fromhex(table.server)
    rules = rules_digest(settings.knobs)
    return DealContext(server, settings.table, table.matches, deal, attempt, rules)


def why_missing(table: "Table", number: int) -> Missing | None:
    """Return why a seat is not asked for a share, if it is not.

    People who are gone are asked if all are: the exchange waits for them then.
    """
    seat = table.roster.seats[number]
    if seat.level is not None and not seat.away:
        return Missing.BOT
    if number in table.withheld:
        return Missing.WITHHELD
    if seat.state is State.SEATED or seat.away or (table.roster.deserted and seat.has_person):
        return None
    return Missing.GONE if seat.has_person else Missing.OUT


def dealing_due(table: "Table") -> float:
    """Return when the making of a deck goes on, if nobody brings what is missing before.

    It stands still while all people are gone, like everything else.
    """
    dealing = table.dealing
    if dealing is None or table.timers.deserted_at is not None:
        return inf
    return -inf if withholds(table, dealing) else dealing.due


def withholds(table: "Table", dealing: Dealing) -> bool:
    """Say whether somebody has withheld a share of this deck already: it is never dealt."""
    return not set(table.withheld).isdisjoint(dealing.awaited)


def withhold(table: "Table", number: int) -> None:
    """Let a seat have no share any more in this match: it did not reveal what it committed to."""
    table.withheld = (*table.withheld, number)
    table.notice(NoticeCode.SHARE_WITHHELD, number)
    table.ledger.then(table.log.warning, "share withheld", seat=number)
