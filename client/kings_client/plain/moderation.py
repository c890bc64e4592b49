"""The commands against somebody who disturbs: for oneself, and for the table if one is its host."""

from collections.abc import Sequence

from kings_client.intents import Ignore, Kick, Silence
from kings_client.model import Model
from kings_client.plain.orders import Context, Step
from kings_client.plain.sitting import other_person
from kings_client.words.people import name_of
from kings_client.words.tongue import tell


def kick(context: Context, words: Sequence[str]) -> Step:
    """Take another person, or all who watch, from the table."""
    seat = _whom(context.model, words, "kick")
    if isinstance(seat, str):
        return Step(no=seat)
    return Step(ok=tell("done."), intent=Kick(seat))


def silence(context: Context, words: Sequence[str]) -> Step:
    """Have another person, or all who watch, say nothing, or let them speak again."""
    on = list(words[-1:]) != ["off"]
    seat = _whom(context.model, words if on else words[:-1], "silence")
    if isinstance(seat, str):
        return Step(no=seat)
    return Step(ok=tell("done."), intent=Silence(seat, on))


def ignore(context: Context, words: Sequence[str]) -> Step:
    """Show no more what somebody, or all who watch, say, or show it again."""
    table, on = context.model.table, list(words[-1:]) != ["off"]
    seat = _whom(context.model, words if on else words[:-1], "ignore", watching=True)
    if isinstance(seat, str) or table is None:
        return Step(no=str(seat))
    if seat is None:
        ok = (
            tell("you see no more what watchers say.")
            if on
            else tell("you see again what watchers say.")
        )
        return Step(ok=ok, intent=Ignore(None, on))
    who = name_of(table, seat)
    ok = (
        tell("you see no more what {who} says.", who=who)
        if on
        else tell("you see again what {who} says.", who=who)
    )
    return Step(ok=ok, intent=Ignore(table.seats[seat].name, on))


def _whom(
    model: Model, words: Sequence[str], verb: str, *, watching: bool = False
) -> int | str | None:
    """Return the seat of another person that a word numbers, nothing for all who watch, or a fault.

    With ``watching``, also who has no seat may ask.
    """
    if list(words) == ["watchers"] and (watching or model.seat is not None):
        return None
    return other_person(model, words, verb, watching=watching)
