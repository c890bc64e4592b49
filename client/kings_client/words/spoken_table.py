"""What a person asks for, in sentences to be listened to: the table, hands, points, people."""

from collections.abc import Sequence
from typing import Final

from kings_client.intents import MovePile, PlayCard, PlayTop
from kings_client.model import Lobby, Model
from kings_client.words import counts
from kings_client.words.cards import definite, the_card
from kings_client.words.people import bot_of, clock, name_of, names_of
from kings_client.words.spoken import either, place_name, waits_for
from kings_client.words.tongue import later, listed, tell, tell_some
from kings_engine.cards import card_str
from kings_engine.places import CORNERS, PLACE_COUNT, SIDES, is_corner, place_str
from kings_engine.rules import Layout, Rules
from kings_engine.view import Own, Public, Standing
from kings_protocol.messages import SeatState, TableLine, TableState

PHASES: Final = {
    "waiting": later("waits for players"),
    "playing": later("playing"),
    "over": later("match over"),
}
"""What a table in the lobby is about."""


def places(public: Public, rules: Rules) -> tuple[str, ...]:
    """Return a line for each pile of the table, and one for each kind of empty place."""
    shown = CORNERS if rules.layout == Layout.CORNERS else (*SIDES, *CORNERS)
    lines = []
    for at in shown:
        pile = public.piles[at]
        if len(pile) == 1:
            card = the_card(pile[0])
            lines.append(tell("{place}: {card} alone.", place=place_name(at), card=card))
        elif pile:
            lines.append(
                tell(
                    "{place}: {top} on top, {bottom} at the bottom, {cards}.",
                    place=place_name(at),
                    top=the_card(pile[-1]),
                    bottom=the_card(pile[0]),
                    cards=counts.cards(len(pile)),
                )
            )
    empty = [place_name(at) for at in shown if not public.piles[at]]
    if empty:
        lines.append(tell("empty: {places}.", places=listed(empty)))
    return tuple(lines)


def stock(public: Public) -> str:
    """Say how much is left to draw, and what lies on top where it is open."""
    cards = counts.cards(public.stock)
    if public.stock_top is None:
        return tell("the stock has {cards}", cards=cards)
    top = the_card(public.stock_top)
    return tell("the stock has {cards}, the {top} on top", cards=cards, top=top)


def people(model: Model, table: TableState, now: float) -> tuple[str, ...]:
    """Return a line for each seat: who, what kind, how many cards."""
    lines = []
    public = None if model.view is None else model.view.public
    for at, seat in enumerate(table.seats):
        parts = [name_of(table, at, model.seat) if seat.state != "open" else tell("open")]
        parts += _standing(seat, now - model.table_at)
        if at == table.host:
            parts.append(tell("host"))
        if seat.ready and seat.state == "seated" and table.phase not in ("offering", "playing"):
            parts.append(tell("ready"))
        if seat.pause:
            parts.append(tell("keeps the pause") if table.paused else tell("wants a pause"))
        if seat.votes:
            votes = len(seat.votes)
            parts.append(
                tell_some("{count} vote for a bot here", "{count} votes for a bot here", votes)
            )
        if public is not None and at < len(public.seats):
            parts += _in_deal(public, at)
        lines.append(tell("seat {seat}: {facts}.", seat=at + 1, facts=", ".join(parts)))
    return tuple(lines)


def _standing(seat: SeatState, since: float) -> list[str]:
    match seat.state:
        case "bot":
            what = bot_of(seat.level) if seat.level else tell("a bot")
            return [what, tell("short of time")] if seat.short else [what]
        case "held":
            return [tell("away, a bot plays")]
        case "left":
            return [tell("gone")]
        case "dropped":
            if seat.back_in is None:
                return [tell("away")]
            left = clock(seat.back_in / 1000 - since)
            return [tell("away, waited for another {left}", left=left)]
    return []


def _in_deal(public: Public, at: int) -> list[str]:
    sitting = public.seats[at]
    if sitting.standing in (Standing.ELIMINATED, Standing.FORFEITED):
        return [tell("out of the match")]
    parts = [counts.cards(sitting.cards), counts.points(sitting.points)]
    known = listed(map(the_card, sitting.known))
    if known and len(sitting.known) < sitting.cards:
        parts.append(tell("known: {cards}", cards=known))
    elif known:
        parts.append(tell("holding {cards}", cards=known))
    if public.turn == at:
        parts.append(tell("on turn"))
    return parts


def scores(model: Model, public: Public, table: TableState) -> tuple[str, ...]:
    """Return a line for each finished deal, and one with the sums."""
    lines = []
    for number, row in enumerate(public.sheet, 1):
        points = (
            f"{name_of(table, at, model.seat)} {tell('out') if cost is None else cost}"
            for at, cost in enumerate(row)
        )
        told = ", ".join(points)
        lines.append(tell("deal {number}: {points}.", number=number, points=told))
    sums = (
        f"{name_of(table, at, model.seat)} {counts.points(seat.points)}"
        for at, seat in enumerate(public.seats)
    )
    return (*lines, tell("in all: {points}.", points=", ".join(sums)))


def lobby(page: Lobby) -> tuple[str, ...]:
    """Return a line for each table of the page, with the number to join it by."""
    return tuple(f"{at}: {_table_line(line)}." for at, line in enumerate(page.tables, 1))


def _table_line(line: TableLine) -> str:
    taken = line.people + line.bots
    seats = tell("{taken} of {seats} seats taken", taken=taken, seats=line.seats)
    parts = [line.name, line.preset, seats]
    if line.bots:
        parts.append(counts.bots(line.bots))
    parts.append(tell(PHASES[line.phase]))
    if line.locked:
        parts.append(tell("with a password"))
    if not line.watchable:
        parts.append(tell("no spectators"))
    return ", ".join(parts)


def can(own: Own, public: Public, end: str) -> str:
    """Return every command that is legal now, as it is typed.

    Args:
        own: one's hand and what it can do.
        public: the position.
        end: how the turn's end is typed now.
    """
    typed = [f"play {card_str(card)} {place_str(at)}" for card, to in own.plays for at in to]
    if public.stock_top is not None:
        typed += [f"stock {place_str(at)}" for at in own.stock_plays]
    typed += [f"move {place_str(source)} {place_str(at)}" for source, at in own.moves]
    if own.may_end:
        typed.append(end)
    return "; ".join(typed).lower()


def instead(own: Own, act: PlayCard | MovePile | PlayTop) -> str:
    """Say where else the card or pile that was refused can go."""
    match act:
        case PlayCard(card=card):
            subject: str = definite(card)
            to = dict(own.plays).get(card, ())
        case MovePile(source=source):
            subject = tell("the pile on {place}", place=place_str(source))
            to = tuple(place for at, place in own.moves if at == source)
        case _:
            subject, to = tell("the stock's top card"), own.stock_plays
    if to:
        return tell("{subject} can go to {places}", subject=subject, places=either(to))
    return tell("{subject} can go nowhere now; type can for what is possible", subject=subject)


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
            if me is None or table.host != me:
                return tell_some(
                    "The table waits for {count} more player.",
                    "The table waits for {count} more players.",
                    opened,
                )
            return tell_some(
                "The table waits for {count} more player; type bot easy to seat a bot.",
                "The table waits for {count} more players; type bot easy to seat a bot.",
                opened,
            )
        case "waiting" | "between" | "over" if waited:
            mine, others = _READY[table.phase]
            return tell(mine if me in waited else others, names=names_of(table, waited, me))
    return ""


_READY: Final = {
    "waiting": (later("Type ready to start."), later("Waiting for {names}, to start.")),
    "between": (
        later("Type ready for the next deal."),
        later("Waiting for {names}, for the next deal."),
    ),
    "over": (later("Type ready for a rematch."), later("Waiting for {names}, for a rematch.")),
}
"""By phase: what one is told oneself, and what is told of others."""


def situation(model: Model) -> str:
    """Say in a few words where one is and whose move it is."""
    table, view = model.table, model.view
    if table is None:
        return tell("you are in the lobby")
    if not table.saving:
        return tell("the server cannot save; the game waits")
    if table.paused:
        return tell("the match is paused until everybody wants to go on")
    if view is not None and view.public.turn is not None:
        return waits_for(view.public, table, model.seat)
    waited = phase(model, table).rstrip(".")
    return waited[:1].lower() + waited[1:] or tell("the cards are being dealt")


def all_places(rules: Rules) -> Sequence[int]:
    """Return the places that the table has."""
    corners = rules.layout == Layout.CORNERS
    return [at for at in range(PLACE_COUNT) if is_corner(at) or not corners]
