"""What the others did since one's own last action, in a sentence."""

from collections.abc import Sequence

from kings_client.model import Model
from kings_client.style import Look
from kings_client.words import counts
from kings_client.words.events import lines_of
from kings_client.words.people import name_of
from kings_client.words.tongue import tell
from kings_engine.events import DealBegan, Drew, Event, Moved, Played, TurnBegan, TurnEnded
from kings_protocol.messages import TableState


def meanwhile(model: Model, look: Look) -> tuple[str, ...]:
    """Say what the others did while somebody else had the keyboard, nothing if they did nothing.

    As with ``counted``, each of the sentences is shorter than the one before.
    """
    table, me = model.table, model.seat
    if table is None or me is None:
        return ()
    told: list[str] = []
    who = ""
    happened = _since(model)
    for line in lines_of(happened, table, me, look):
        if line.who and line.who == who:
            told[-1] += f", {line.what}"
        else:
            told.append(f"{line.who} {line.what}".strip())
        who = line.who
    if not told:
        return ()
    whole = tell("Meanwhile: {told}", told="; ".join(told))
    return (whole, *counted(happened, table, me))


def counted(happened: Sequence[Event], table: TableState, me: int) -> tuple[str, ...]:
    """Tell in a line what the others did: in the words of each line less than in the one before.

    The last one, of all together, has room in any window.
    """
    done: dict[int, tuple[int, int]] = {}
    for event in happened:
        if isinstance(event, Played | Moved | TurnEnded) and event.seat != me:
            played, moved = done.get(event.seat, (0, 0))
            played, moved = played + isinstance(event, Played), moved + isinstance(event, Moved)
            done[event.seat] = played, moved
    if not done:
        return ()
    of_each = [(name_of(table, seat, me), *did) for seat, did in done.items()]
    played, moved = map(sum, zip(*done.values(), strict=True))
    of_all = [(tell("the others"), played, moved)]
    ways = ((_did, of_each), (_did_briefly, of_each), (_did, of_all))
    told = ("; ".join(say(*did) for did in of_them) for say, of_them in ways)
    return tuple(tell("Meanwhile: {told}", told=one) for one in told)


def _did(who: str, played: int, moved: int) -> str:
    cards, piles = counts.cards(played), counts.piles(moved)
    if played and moved:
        return tell("{who} played {cards} and moved {piles}", who=who, cards=cards, piles=piles)
    if played:
        return tell("{who} played {cards}", who=who, cards=cards)
    if moved:
        return tell("{who} moved {piles}", who=who, piles=piles)
    return tell("{who} played nothing", who=who)


def _did_briefly(who: str, played: int, moved: int) -> str:
    cards, piles = counts.cards(played), counts.piles(moved)
    done = [text for count, text in ((played, cards), (moved, piles)) if count]
    return tell("{who}: {done}", who=who, done=", ".join(done) or tell("nothing"))


def _since(model: Model) -> tuple[Event, ...]:
    """Return what others did after one's own last action, or after the deal's beginning."""
    for at in range(len(model.events) - 1, -1, -1):
        event = model.events[at]
        # A turn that begins with a draw has brought nothing of one's own doing yet.
        done = not isinstance(event, TurnBegan | Drew)
        own = done and getattr(event, "seat", None) == model.seat
        if own or isinstance(event, DealBegan):
            later = model.events[at + 1 :]
            return tuple(one for one in later if getattr(one, "seat", None) != model.seat)
    return ()
