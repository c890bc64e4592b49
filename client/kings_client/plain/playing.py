"""The commands of one's own turn: play, move, stock, end, and what is possible."""

from collections.abc import Sequence

from attrs import frozen

from kings_client.intents import AskHint, EndTurn, MovePile, PlayCard, PlayTop
from kings_client.plain.arguments import Given, named_in, or_cards, read
from kings_client.plain.orders import Context, Step
from kings_client.screens.knowing import rules_of
from kings_client.turn_end import TurnEnd, turn_end
from kings_client.words import spoken, spoken_table
from kings_client.words.cards import definite, the_card
from kings_client.words.tongue import later, tell, tell_some
from kings_client.words.turns import no_draw
from kings_engine.places import Place, place_str
from kings_engine.view import Own, Public
from kings_protocol.messages import TableState

_PLAY = later("write a card and a place, as in play 9h e")
_MOVE = later("write two places, as in move n sw")


@frozen
class Turn:
    """The person's turn."""

    table: TableState
    public: Public
    own: Own


def on_turn(context: Context) -> Turn | str:
    """Return the person's turn, or why nothing can be played now."""
    model = context.model
    if model.table is not None and model.seat is None:
        return tell("you are watching; only players can do that")
    table, situation = model.table, spoken_table.situation(model)
    public, own = (None, None) if model.view is None else (model.view.public, model.view.own)
    if table is None or public is None or own is None or public.turn is None:
        if table is None or table.phase in ("waiting", "over"):
            return tell("no match is running; {situation}", situation=situation)
        return tell("{situation}; nothing can be played now", situation=situation)
    if table.paused or not table.saving:
        return tell("{situation}; nothing can be played now", situation=situation)
    if public.turn != own.seat:
        return tell("{situation}; wait for it to be yours", situation=situation)
    return Turn(table, public, own)


def play(context: Context, words: Sequence[str]) -> Step:
    """Play a card of the hand."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    if fault := _fault(given, turn, tell(_PLAY), places=1):
        return Step(no=fault)
    cards = named_in(given, turn.own.hand)
    held = tell("your hand: {cards}", cards=spoken.cards(turn.own.hand))
    if not cards:
        missing = tell("no such card is in your hand") if given.ranks else tell("no card is named")
        return Step(no=f"{missing}; {tell(_PLAY)}; {held}")
    fitting = dict(turn.own.plays)
    if len(cards) > 1 and given.places:
        going = tuple(one for one in cards if given.places[0] in fitting.get(one, ()))
        cards = going if len(going) == 1 else cards
    if len(cards) > 1:
        return Step(no=tell("say which card: {cards}", cards=or_cards(cards)))
    if cards[0] not in turn.own.hand:
        missing = tell("the {card} is not in your hand", card=the_card(cards[0]))
        return Step(no=f"{missing}; {held}")
    place = _place(given, fitting.get(cards[0], ()), definite(cards[0]))
    if isinstance(place, str):
        return Step(no=place)
    intent = PlayCard(cards[0], place, turn.public.version)
    return Step(
        ok=tell("{card} to {place}.", card=the_card(cards[0]), place=spoken.place_name(place)),
        intent=intent,
    )


def move(context: Context, words: Sequence[str]) -> Step:
    """Move a pile."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    if fault := _fault(given, turn, tell(_MOVE), places=2):
        return Step(no=fault)
    if not given.places or given.cards or given.ranks:
        return Step(
            no=tell("piles are moved whole, from place to place; {usage}", usage=tell(_MOVE))
        )
    source = given.places[0]
    targets = [to for at, to in turn.own.moves if at == source]
    rest = Given(places=given.places[1:])
    place = _place(rest, targets, tell("the pile on {place}", place=place_str(source)))
    if isinstance(place, str):
        return Step(no=place)
    intent = MovePile(source, place, turn.public.version)
    ok = tell(
        "{source} moved to {place}.",
        source=spoken.place_name(source),
        place=spoken.place_name(place),
    )
    return Step(ok=ok, intent=intent)


def stock(context: Context, words: Sequence[str]) -> Step:
    """Play the top card of the open stock."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    top = turn.public.stock_top
    if top is None:
        if not turn.public.stock:
            return Step(no=tell("the stock is empty"))
        return Step(no=tell("the stock lies face down; end draws from it where the rules let it"))
    if fault := _fault(given, turn, tell("write a place, as in stock ne"), places=1):
        return Step(no=fault)
    if given.cards not in ((), (top,)) or given.ranks:
        return Step(
            no=tell(
                "on top of the stock lies the {top}; write stock and a place", top=the_card(top)
            )
        )
    place = _place(given, turn.own.stock_plays, definite(top))
    if isinstance(place, str):
        return Step(no=place)
    ok = tell("{top} from the stock to {place}.", top=the_card(top), place=spoken.place_name(place))
    return Step(ok=ok, intent=PlayTop(place, turn.public.version))


def end(context: Context, words: Sequence[str]) -> Step:
    """End the turn."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    if words and list(words) not in (["turn"], ["yes"]):
        return Step(no=tell("end takes nothing more; type end"))
    if _end_of(context, turn).ends_deal and turn.own.may_end and list(words) != ["yes"]:
        return Step(no=tell("your turn's end ends the deal, too; type end yes for that"))
    return Step(ok=tell("your turn has ended."), intent=EndTurn(turn.public.version))


def draw(context: Context, words: Sequence[str]) -> Step:
    """Draw and end the turn, where its end draws."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    found, rules = _end_of(context, turn), rules_of(turn.table)
    if not found.draws:
        why = no_draw(found, rules, turn.public.stock)
        return Step(no=tell("{why}; type end to end your turn", why=why))
    return end(context, words)


def _end_of(context: Context, turn: Turn) -> TurnEnd:
    return turn_end(rules_of(turn.table), turn.public, context.model.events)


def can(context: Context, _: Sequence[str]) -> Step:
    """Say what is possible, as it is typed."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    deal = _end_of(context, turn).ends_deal
    return Step(ok=spoken_table.can(turn.own, turn.public, "end yes" if deal else "end"))


def hint(context: Context, words: Sequence[str]) -> Step:
    """Ask what a good player might do."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    if words:
        return Step(no=tell("hint takes nothing more; type hint"))
    if not rules_of(turn.table).hints:
        return Step(no=tell("this table is played without hints; can tells what is possible"))
    # The answer is the hint itself, which comes in the model.
    return Step(ok=tell("there is no hint for this now."), intent=AskHint(turn.public.version))


def hand(context: Context, _: Sequence[str]) -> Step:
    """Say which cards one holds."""
    view = context.model.view
    if view is None or view.own is None:
        return Step(
            no=tell(
                "you hold no cards; {situation}", situation=spoken_table.situation(context.model)
            )
        )
    count = len(view.own.hand)
    return Step(
        ok=tell_some(
            "{count} in your hand: {cards}.",
            "{count} in your hand: {cards}.",
            count,
            cards=spoken.cards(view.own.hand),
        )
    )


def _fault(given: Given, turn: Turn, usage: str, *, places: int) -> str:
    """Say what is wrong with the words themselves."""
    if given.strange:
        return tell(
            "{word!r} is no card and no place; {usage}", word=given.strange[0][:40], usage=usage
        )
    if len(given.places) > places:
        return tell("that is a place too many; {usage}", usage=usage)
    here = spoken_table.all_places(rules_of(turn.table))
    missing = [at for at in given.places if at not in here]
    if missing:
        names = ", ".join(map(place_str, here)).lower()
        return tell(
            "this table has no place {place}; it has {places}",
            place=place_str(missing[0]).lower(),
            places=names,
        )
    return ""


def _place(given: Given, fitting: Sequence[Place], subject: str) -> Place | str:
    """Return the place that is meant; where none is named, the only one that fits."""
    if given.places:
        return given.places[0]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        return tell(
            "say where: {subject} goes to {places}", subject=subject, places=spoken.either(fitting)
        )
    return tell("{subject} can go nowhere now; type can for what is possible", subject=subject)
