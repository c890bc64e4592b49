"""What happened while somebody else had the keyboard, in a sentence."""

from kings_client.model import Model
from kings_client.style import Look
from kings_client.words.events import lines_of
from kings_client.words.tongue import tell
from kings_engine.events import DealBegan, Drew, Event, TurnBegan


def meanwhile(model: Model, look: Look) -> str:
    """Say what the others did since one's own last action; nothing if they did nothing."""
    table = model.table
    if table is None:
        return ""
    told: list[str] = []
    who = ""
    for line in lines_of(_since(model), table, model.seat, look):
        if line.who and line.who == who:
            told[-1] += f", {line.what}"
        else:
            told.append(f"{line.who} {line.what}".strip())
        who = line.who
    return tell("Meanwhile: {told}", told="; ".join(told)) if told else ""


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
