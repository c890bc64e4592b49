"""What a person asks for, in sentences to be listened to: the table, hands, points, people."""

from collections.abc import Sequence

from kings_client.intents import MovePile, PlayCard, PlayTop
from kings_client.model import Lobby, Mark, Model
from kings_client.words.cards import the_card
from kings_client.words.people import clock, name_of, names_of, plural
from kings_client.words.spoken import either, place_name, waits_for
from kings_engine.cards import card_str
from kings_engine.places import CORNERS, PLACE_COUNT, SIDES, is_corner, place_str
from kings_engine.rules import Layout, Rules
from kings_engine.view import Own, Public, Standing
from kings_protocol.messages import SeatState, TableLine, TableState


def places(public: Public, rules: Rules) -> tuple[str, ...]:
    """Return a line for each pile of the table, and one for each kind of empty place."""
    shown = CORNERS if rules.layout == Layout.CORNERS else (*SIDES, *CORNERS)
    lines = []
    for at in shown:
        pile = public.piles[at]
        if len(pile) == 1:
            lines.append(f"{place_name(at)}: {the_card(pile[0])} alone.")
        elif pile:
            lines.append(
                f"{place_name(at)}: {the_card(pile[-1])} on top, {the_card(pile[0])} at the "
                f"bottom, {len(pile)} cards."
            )
    empty = [place_name(at) for at in shown if not public.piles[at]]
    if empty:
        lines.append(f"empty: {', '.join(empty)}.")
    return tuple(lines)


def stock(public: Public) -> str:
    """Say how much is left to draw, and what lies on top where it is open."""
    top = "" if public.stock_top is None else f", the {the_card(public.stock_top)} on top"
    return f"the stock has {plural(public.stock, 'card')}{top}"


def people(model: Model, table: TableState, now: float) -> tuple[str, ...]:
    """Return a line for each seat: who, what kind, how many cards."""
    lines = []
    public = None if model.view is None else model.view.public
    for at, seat in enumerate(table.seats):
        parts = [name_of(table, at, model.seat) if seat.state != "open" else "open"]
        parts += _standing(seat, now - model.table_at)
        if at == table.host:
            parts.append("host")
        if seat.ready and seat.state == "seated" and table.phase not in ("offering", "playing"):
            parts.append("ready")
        if seat.pause:
            parts.append("wants a pause" if not table.paused else "keeps the pause")
        if seat.votes:
            parts.append(plural(len(seat.votes), "vote") + " for a bot here")
        if public is not None and at < len(public.seats):
            parts += _in_deal(public, at)
        lines.append(f"seat {at + 1}: {', '.join(parts)}.")
    return tuple(lines)


def _standing(seat: SeatState, since: float) -> list[str]:
    match seat.state:
        case "bot":
            return [f"{seat.level or 'a'} bot"]
        case "held":
            return ["away, a bot plays"]
        case "left":
            return ["gone"]
        case "dropped":
            left = (
                ""
                if seat.back_in is None
                else f", waited for another {clock(seat.back_in / 1000 - since)}"
            )
            return [f"away{left}"]
    return []


def _in_deal(public: Public, at: int) -> list[str]:
    sitting = public.seats[at]
    if sitting.standing in (Standing.ELIMINATED, Standing.FORFEITED):
        return ["out of the match"]
    parts = [plural(sitting.cards, "card"), plural(sitting.points, "point")]
    if sitting.known and len(sitting.known) < sitting.cards:
        parts.append(f"known: {', '.join(map(the_card, sitting.known))}")
    elif sitting.known:
        parts.append(f"holding {', '.join(map(the_card, sitting.known))}")
    if public.turn == at:
        parts.append("on turn")
    return parts


def scores(model: Model, public: Public, table: TableState) -> tuple[str, ...]:
    """Return a line for each finished deal, and one with the sums."""
    lines = []
    for number, row in enumerate(public.sheet, 1):
        points = (
            f"{name_of(table, at, model.seat)} {'out' if cost is None else cost}"
            for at, cost in enumerate(row)
        )
        fair = ", proved fair" if model.marks.get(number) == Mark.VERIFIED else ""
        lines.append(f"deal {number}: {', '.join(points)}{fair}.")
    sums = (
        f"{name_of(table, at, model.seat)} {plural(seat.points, 'point')}"
        for at, seat in enumerate(public.seats)
    )
    return (*lines, f"in all: {', '.join(sums)}.")


def lobby(page: Lobby) -> tuple[str, ...]:
    """Return a line for each table of the page, with the number to join it by."""
    return tuple(f"{at}: {_table_line(line)}." for at, line in enumerate(page.tables, 1))


def _table_line(line: TableLine) -> str:
    taken = line.people + line.bots
    parts = [line.name, line.preset, f"{taken} of {line.seats} seats taken"]
    if line.bots:
        parts.append(plural(line.bots, "bot"))
    parts.append(line.phase)
    if line.locked:
        parts.append("with a password")
    if not line.watchable:
        parts.append("no spectators")
    return ", ".join(parts)


def can(own: Own, public: Public) -> str:
    """Return every command that is legal now, as it is typed."""
    typed = [f"play {card_str(card)} {place_str(at)}" for card, to in own.plays for at in to]
    if public.stock_top is not None:
        typed += [f"stock {place_str(at)}" for at in own.stock_plays]
    typed += [f"move {place_str(source)} {place_str(at)}" for source, at in own.moves]
    if own.may_end:
        typed.append("end")
    return "; ".join(typed).lower()


def instead(own: Own, act: PlayCard | MovePile | PlayTop) -> str:
    """Say where else the card or pile that was refused can go."""
    match act:
        case PlayCard(card=card):
            subject, to = f"the {the_card(card)}", dict(own.plays).get(card, ())
        case MovePile(source=source):
            subject = f"the pile on {place_str(source)}"
            to = tuple(place for at, place in own.moves if at == source)
        case _:
            subject, to = "the stock's top card", own.stock_plays
    if to:
        return f"{subject} can go to {either(to)}"
    return f"{subject} can go nowhere now; type can for what is possible"


def phase(model: Model, table: TableState) -> str:
    """Say what the table waits for; empty while a deal is played."""
    me = model.seat
    opened = sum(seat.state == "open" for seat in table.seats)
    waited = tuple(
        at
        for at, seat in enumerate(table.seats)
        if not seat.ready and seat.state in ("seated", "dropped")
    )
    match table.phase:
        case "waiting" if opened:
            bots = "; type bot easy to seat a bot" if me is not None and table.host == me else ""
            return f"The table waits for {plural(opened, 'more player')}{bots}."
        case "waiting":
            return _ready("to start", table, me, waited)
        case "between":
            return _ready("for the next deal", table, me, waited)
        case "over":
            return _ready("for a rematch", table, me, waited)
    return ""


def _ready(what: str, table: TableState, me: int | None, waited: tuple[int, ...]) -> str:
    if me is not None and me in waited:
        return f"Type ready {what}."
    return f"Waiting for {names_of(table, waited, me)}, {what}." if waited else ""


def situation(model: Model) -> str:
    """Say in a few words where one is and whose move it is."""
    table, view = model.table, model.view
    if table is None:
        return "you are in the lobby"
    if table.paused:
        return "the match is paused until everybody wants to go on"
    if view is not None and view.public.turn is not None:
        return waits_for(view.public, table, model.seat)
    waited = phase(model, table).rstrip(".")
    return waited[:1].lower() + waited[1:] or "the cards are being dealt"


def all_places(rules: Rules) -> Sequence[int]:
    """Return the places that the table has."""
    corners = rules.layout == Layout.CORNERS
    return [at for at in range(PLACE_COUNT) if is_corner(at) or not corners]
