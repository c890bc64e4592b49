"""What ending the turn now would do: a draw, a pass, or the end of the deal."""

from collections.abc import Sequence

from attrs import frozen

from kings_engine.events import Drew, Event, Moved, Played, TurnBegan
from kings_engine.rules import Draw, IdleCounts, IdleRound, Rules, StockEmpty
from kings_engine.view import Public, Standing


@frozen
class TurnEnd:
    """What the end of the turn would do.

    Attributes:
        draws: how many cards it draws.
        drew: whether the turn has drawn already.
        acted: whether anything was played or moved in the turn.
        ends_deal: whether the deal ends with it: nobody has played for a round, or the stock is
            gone where the deal ends with that.
    """

    draws: int
    drew: bool
    acted: bool
    ends_deal: bool


def turn_end(rules: Rules, public: Public, happened: Sequence[Event]) -> TurnEnd:
    """Return what ending the turn would do.

    Args:
        rules: the table's.
        public: the position, in which somebody is on turn.
        happened: the deal's events, as far as known.
    """
    drew = acted = played = False
    for event in reversed(happened):
        if isinstance(event, TurnBegan):
            break
        drew = drew or isinstance(event, Drew)
        acted = acted or isinstance(event, Played | Moved)
        played = played or (isinstance(event, Played) and not event.from_stock)
    draws = {
        Draw.START: False,
        Draw.END: True,
        Draw.AFTER_HAND_CARD: played,
        Draw.IF_IDLE: not acted,
    }[rules.draw]
    count = min(rules.draw_count, public.stock) if draws else 0
    left = public.stock - count
    counted = acted if rules.idle_counts == IdleCounts.ANY else played
    watched = rules.idle_round == IdleRound.ALWAYS or not left
    idle = watched and not count and not counted
    playing = sum(seat.standing == Standing.IN for seat in public.seats)
    blocked = idle and public.idle + 1 >= playing
    gone = rules.stock_empty == StockEmpty.ENDS_DEAL and not left
    return TurnEnd(count, drew, acted, blocked or gone)
