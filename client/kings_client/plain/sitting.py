"""The commands at a table beside one's own turn: looking, talking, being ready, bots, leaving."""

from collections.abc import Sequence

from kings_client.choices import LEVELS
from kings_client.intents import AddBot, Leave, Pause, RemoveBot, Say, SetReady, Vote
from kings_client.model import Model
from kings_client.plain.orders import Context, Step
from kings_client.screens.knowing import rules_name, rules_of
from kings_client.words import counts, fairness, spoken_table
from kings_client.words.pages import rules_page
from kings_client.words.people import name_of
from kings_client.words.tongue import any_of, later, tell
from kings_protocol.limits import TEXT_LENGTH
from kings_protocol.messages import TableState
from kings_protocol.text import clean

_NO_TABLE = later("you are at no table; list shows the tables here")


def look(context: Context, _: Sequence[str]) -> Step:
    """Say what lies on the table."""
    model = context.model
    if model.table is None:
        return Step(no=tell(_NO_TABLE))
    if model.view is None or not model.view.public.deal:
        return Step(
            no=tell("nothing is dealt yet; {situation}", situation=spoken_table.situation(model))
        )
    public = model.view.public
    lines = spoken_table.places(public, rules_of(model.table))
    return Step(lines, f"{spoken_table.stock(public)}; {spoken_table.situation(model)}.")


def scores(context: Context, _: Sequence[str]) -> Step:
    """Say everybody's points, deal by deal."""
    model = context.model
    if model.table is None or model.view is None:
        return Step(
            no=tell("nothing is played yet; {situation}", situation=spoken_table.situation(model))
        )
    *lines, last = spoken_table.scores(model, model.view.public, model.table)
    return Step(tuple(lines), last)


def fair(context: Context, _: Sequence[str]) -> Step:
    """Say what was found out about each deck of the match."""
    lines = [line.text for line in fairness.page(sorted(context.model.checks.items()))]
    if not lines:
        return Step(no=tell("no deck has been promised yet"))
    return Step(tuple(lines), tell("these are the decks of this match."))


def who(context: Context, _: Sequence[str]) -> Step:
    """Say who sits where."""
    table = context.model.table
    if table is None:
        return Step(no=tell(_NO_TABLE))
    lines = spoken_table.people(context.model, table, context.now)
    situation = spoken_table.situation(context.model)
    return Step(lines, f"{counts.spectators(table.watchers)}; {situation}.")


def rules(context: Context, _: Sequence[str]) -> Step:
    """Say the rules of the table."""
    table = context.model.table
    if table is None:
        return Step(
            no=tell("you are at no table; kings rules, outside, describes every set of rules")
        )
    lines: list[str] = []
    for part in rules_page(rules_of(table)):
        lines += [f"{part.heading}:", *part.sentences]
    return Step(tuple(lines), tell("these are the rules {rules}.", rules=rules_name(table)))


def say(context: Context, words: Sequence[str]) -> Step:
    """Say a line at the table."""
    text = clean(" ".join(words), TEXT_LENGTH + 1)
    if not text:
        return Step(no=tell("there is nothing to say; write say and what you want to say"))
    if len(text) > TEXT_LENGTH:
        return Step(
            no=tell("that is too long; a line has at most {limit} characters", limit=TEXT_LENGTH)
        )
    if context.model.table is None:
        return Step(no=tell(_NO_TABLE))
    return Step(ok=tell("said."), intent=Say(text))


def ready(context: Context, words: Sequence[str]) -> Step:
    """Be ready for what comes next, or no longer."""
    model = context.model
    on = list(words) != ["off"]
    if on and words:
        return Step(no=tell("write ready, or ready off"))
    table = _own_table(model)
    if isinstance(table, str) or model.seat is None:
        return Step(no=str(table))
    if table.phase in ("offering", "playing"):
        return Step(no=tell("a deal is being played; ready is for the time before one"))
    if table.seats[model.seat].ready == on:
        return Step(ok=tell("you were ready already.") if on else tell("you were not ready."))
    ok = tell("you are ready.") if on else tell("you are not ready any more.")
    return Step(ok=ok, intent=SetReady(on))


def bot(context: Context, words: Sequence[str]) -> Step:
    """Put a bot on a seat, or take one away."""
    model = context.model
    table = _own_table(model)
    if isinstance(table, str):
        return Step(no=table)
    usage = tell(
        "write bot and a level ({levels}), or bot off and a seat's number", levels=", ".join(LEVELS)
    )
    if not words or len(words) > 2:
        return Step(no=usage)
    seat = None
    if len(words) == 2:
        if not words[1].isdecimal() or not 1 <= int(words[1]) <= len(table.seats):
            return Step(
                no=tell(
                    "{word!r} is no seat; seats are 1 to {count}",
                    word=words[1][:40],
                    count=len(table.seats),
                )
            )
        seat = int(words[1]) - 1
    if words[0] == "off":
        if seat is None:
            bots = [str(at) for at, one in enumerate(table.seats, 1) if one.state == "bot"]
            return Step(
                no=tell("say which seat: {seats}", seats=any_of(bots))
                if bots
                else tell("no bot sits here")
            )
        return Step(ok=tell("seat {seat} is open.", seat=seat + 1), intent=RemoveBot(seat))
    level = next((level for level in LEVELS if level == words[0].lower()), None)
    if level is None:
        return Step(no=tell("{word!r} is no level; {usage}", word=words[0][:40], usage=usage))
    return Step(ok=tell("a bot sits down."), intent=AddBot(level, seat))


def pause(context: Context, words: Sequence[str]) -> Step:
    """Want the match to stand still, or to go on."""
    on = list(words) != ["off"]
    if on and words:
        return Step(no=tell("write pause, or pause off to go on"))
    table = _own_table(context.model)
    if isinstance(table, str):
        return Step(no=table)
    ok = tell("you want a pause.") if on else tell("you want to go on.")
    return Step(ok=ok, intent=Pause(on))


def vote(context: Context, words: Sequence[str]) -> Step:
    """Want a bot in the place of another person, or no longer."""
    on = list(words[-1:]) != ["off"]
    seat = other_person(context.model, words if on else words[:-1], "vote")
    if isinstance(seat, str):
        return Step(no=seat)
    ok = tell("you want a bot there.") if on else tell("you want no bot there.")
    return Step(ok=ok, intent=Vote(seat, on))


def other_person(
    model: Model, words: Sequence[str], verb: str, *, watching: bool = False
) -> int | str:
    """Return the seat of another person that a word numbers, or what is wrong with it.

    With ``watching``, also who has no seat may ask.
    """
    table = model.table if watching and model.table is not None else _own_table(model)
    if isinstance(table, str):
        return table
    people = [
        at
        for at, seat in enumerate(table.seats)
        if at != model.seat and seat.state in ("seated", "dropped", "held")
    ]
    if not people:
        return tell("nobody else sits here")
    number = int(words[0]) - 1 if len(words) == 1 and words[0].isdecimal() else -1
    if number in people:
        return number
    return tell(
        "write {command} and a seat: {seats}",
        command=verb,
        seats=", ".join(f"{at + 1} {name_of(table, at)}" for at in people),
    )


def leave(context: Context, words: Sequence[str]) -> Step:
    """Leave the table for the lobby."""
    model = context.model
    if model.table is None:
        return Step(no=tell(_NO_TABLE))
    running = model.seat is not None and model.table.phase in ("offering", "playing", "between")
    if running and list(words) != ["yes"]:
        return Step(
            no=tell(
                "leaving gives up your seat for good; write leave yes for that, or quit to keep "
                "the "
                "seat for a while"
            )
        )
    return Step(ok=tell("you left the table."), intent=Leave())


def wait(context: Context, words: Sequence[str]) -> Step:
    """Wait until there is something for this person to do."""
    if words:
        return Step(no=tell("wait takes nothing more; type wait"))
    if context.model.table is None and context.model.unfinished is None:
        return Step(no=tell(_NO_TABLE))
    return Step(waits=True)


def due(model: Model) -> str:
    """Say what there is to do for the person now; empty while others are waited for."""
    table, view, me = model.table, model.view, model.seat
    if table is None and model.unfinished is not None:
        name = model.unfinished.name
        return tell("type back to go on at {name}, or anew to begin another match.", name=name)
    if table is None:
        return tell("you are in the lobby.")
    if table.phase in ("offering", "playing"):
        turn = None if view is None or table.paused or model.acting else view.public.turn
        return tell("it is your turn.") if me is not None and turn == me else ""
    waited_for = table.phase == "over" if me is None else not table.seats[me].ready
    if table.phase == "waiting" and any(seat.state == "open" for seat in table.seats):
        waited_for = me is not None and table.host == me
    return f"{spoken_table.situation(model)}." if waited_for and is_shown(model) else ""


def is_shown(model: Model) -> bool:
    """Say whether the cards that are shown have come as far as the table's phase."""
    ended = model.table is not None and model.table.phase in ("between", "over")
    return not ended or model.view is None or model.view.public.turn is None


def _own_table(model: Model) -> TableState | str:
    """Return the table where one sits, or why one sits at none."""
    if model.table is None:
        return tell(_NO_TABLE)
    if model.seat is None:
        return tell("you are watching; only players can do that")
    return model.table


def arrival(model: Model, table: TableState) -> str:
    """Say where one has come to."""
    facts = {"table": table.name, "rules": rules_name(table)}
    if model.seat is None:
        return tell("You watch the table {table}; the rules are {rules}.", **facts)
    others = [
        name_of(table, at)
        for at, seat in enumerate(table.seats)
        if at != model.seat and seat.state != "open"
    ]
    if not others:
        return tell("You sit at the table {table}; the rules are {rules}.", **facts)
    return tell(
        "You sit at the table {table} with {names}; the rules are {rules}.",
        names=", ".join(others),
        **facts,
    )
