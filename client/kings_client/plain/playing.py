"""The commands of one's own turn: play, move, stock, end, and what is possible."""

from collections.abc import Sequence

from attrs import frozen

from kings_client.intents import AskHint, EndTurn, MovePile, PlayCard, PlayTop
from kings_client.plain.arguments import Given, named_in, or_cards, read
from kings_client.plain.orders import Context, Step
from kings_client.screens.knowing import rules_of
from kings_client.words import spoken, spoken_table
from kings_client.words.cards import the_card
from kings_engine.places import Place, place_str
from kings_engine.view import Own, Public
from kings_protocol.messages import TableState

_PLAY = "write a card and a place, as in play 9h e"
_MOVE = "write two places, as in move n sw"


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
        return "you are watching; only players can do that"
    if model.table is None or model.view is None or model.view.own is None:
        return "no match is running; " + spoken_table.situation(model)
    public, own = model.view.public, model.view.own
    if public.turn != own.seat:
        return f"{spoken_table.situation(model)}; wait for it to be yours"
    return Turn(model.table, public, own)


def play(context: Context, words: Sequence[str]) -> Step:
    """Play a card of the hand."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    if fault := _fault(given, turn, _PLAY, places=1):
        return Step(no=fault)
    cards = named_in(given, turn.own.hand)
    if not cards:
        missing = "no such card is in your hand" if given.ranks else "no card is named"
        return Step(no=f"{missing}; {_PLAY}; your hand: {spoken.cards(turn.own.hand)}")
    fitting = dict(turn.own.plays)
    if len(cards) > 1 and given.places:
        going = tuple(one for one in cards if given.places[0] in fitting.get(one, ()))
        cards = going if len(going) == 1 else cards
    if len(cards) > 1:
        return Step(no=f"say which card: {or_cards(cards)}")
    if cards[0] not in turn.own.hand:
        held = f"your hand: {spoken.cards(turn.own.hand)}"
        return Step(no=f"the {the_card(cards[0])} is not in your hand; {held}")
    place = _place(given, fitting.get(cards[0], ()), f"the {the_card(cards[0])}")
    if isinstance(place, str):
        return Step(no=place)
    intent = PlayCard(cards[0], place, turn.public.version)
    return Step(ok=f"{the_card(cards[0])} to {spoken.place_name(place)}.", intent=intent)


def move(context: Context, words: Sequence[str]) -> Step:
    """Move a pile."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    if fault := _fault(given, turn, _MOVE, places=2):
        return Step(no=fault)
    if not given.places or given.cards or given.ranks:
        return Step(no=f"piles are moved whole, from place to place; {_MOVE}")
    source = given.places[0]
    targets = [to for at, to in turn.own.moves if at == source]
    rest = Given(places=given.places[1:])
    place = _place(rest, targets, f"the pile on {place_str(source)}")
    if isinstance(place, str):
        return Step(no=place)
    intent = MovePile(source, place, turn.public.version)
    ok = f"{spoken.place_name(source)} moved to {spoken.place_name(place)}."
    return Step(ok=ok, intent=intent)


def stock(context: Context, words: Sequence[str]) -> Step:
    """Play the top card of the open stock."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    given = read(words)
    top = turn.public.stock_top
    if top is None:
        face_down = "the stock is empty" if not turn.public.stock else "the stock lies face down"
        return Step(no=f"{face_down}; end draws from it where the rules let it")
    if fault := _fault(given, turn, "write a place, as in stock ne", places=1):
        return Step(no=fault)
    if given.cards not in ((), (top,)) or given.ranks:
        return Step(no=f"on top of the stock lies the {the_card(top)}; write stock and a place")
    place = _place(given, turn.own.stock_plays, f"the {the_card(top)}")
    if isinstance(place, str):
        return Step(no=place)
    ok = f"{the_card(top)} from the stock to {spoken.place_name(place)}."
    return Step(ok=ok, intent=PlayTop(place, turn.public.version))


def end(context: Context, words: Sequence[str]) -> Step:
    """End the turn."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    if words and words != ["turn"]:
        return Step(no="end takes nothing more; type end")
    return Step(ok="your turn has ended.", intent=EndTurn(turn.public.version))


def can(context: Context, _: Sequence[str]) -> Step:
    """Say what is possible, as it is typed."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    return Step(ok=spoken_table.can(turn.own, turn.public))


def hint(context: Context, words: Sequence[str]) -> Step:
    """Ask what a good player might do."""
    turn = on_turn(context)
    if isinstance(turn, str):
        return Step(no=turn)
    if words:
        return Step(no="hint takes nothing more; type hint")
    if not rules_of(turn.table).hints:
        return Step(no="this table is played without hints; can tells what is possible")
    # The answer is the hint itself, which comes in the model.
    return Step(ok="there is no hint for this now.", intent=AskHint(turn.public.version))


def hand(context: Context, _: Sequence[str]) -> Step:
    """Say which cards one holds."""
    view = context.model.view
    if view is None or view.own is None:
        return Step(no="you hold no cards; " + spoken_table.situation(context.model))
    count = len(view.own.hand)
    return Step(ok=f"{count} in your hand: {spoken.cards(view.own.hand)}.")


def _fault(given: Given, turn: Turn, usage: str, *, places: int) -> str:
    """Say what is wrong with the words themselves."""
    if given.strange:
        return f"{given.strange[0][:40]!r} is no card and no place; {usage}"
    if len(given.places) > places:
        return f"that is a place too many; {usage}"
    here = spoken_table.all_places(rules_of(turn.table))
    missing = [at for at in given.places if at not in here]
    if missing:
        names = ", ".join(map(place_str, here)).lower()
        return f"this table has no place {place_str(missing[0]).lower()}; it has {names}"
    return ""


def _place(given: Given, fitting: Sequence[Place], subject: str) -> Place | str:
    """Return the place that is meant; where none is named, the only one that fits."""
    if given.places:
        return given.places[0]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        return f"say where: {subject} goes to {spoken.either(fitting)}"
    return f"{subject} can go nowhere now; type can for what is possible"
