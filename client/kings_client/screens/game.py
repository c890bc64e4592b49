"""The game: what keys and clicks mean while a deal is played."""

from attrs import evolve

from kings_client.intents import AskHint, EndTurn, Intent, MovePile, PlayCard, PlayTop
from kings_client.parts.canvas import OnCard, OnKey, OnPlace, OnStock, Spot
from kings_client.parts.hand import HandOrder
from kings_client.parts.piles import DIGITS, places_of
from kings_client.screens.knowing import online, rules_of
from kings_client.screens.selection import (
    Held,
    Selection,
    across_table,
    aimed,
    along_hand,
    along_targets,
    laid_at,
    shifted,
    targets,
    through_stops,
    to_next_playable,
)
from kings_client.screens.settings import adopt
from kings_client.screens.state import Scene, Step
from kings_client.settings import changed
from kings_client.turn_end import turn_end
from kings_client.words.spoken import whose_turn
from kings_client.words.tongue import tell
from kings_client.words.turns import end_label, hand_sorted, no_draw, surely, why_not
from kings_engine.actions import Move, Play, PlayStock
from kings_engine.places import Place, place_str
from kings_engine.view import Own, Standing, View
from kings_protocol.messages import TableState

_STEPS = {"left": -1, "right": 1, "up": -1, "down": 1, "tab": 1, "s-tab": -1}
_DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def press(scene: Scene, key: str) -> Step | None:
    """Return what a key leads to in a running deal, or nothing if it means nothing there."""
    table, view = scene.model.table, scene.model.view
    if table is None or view is None or view.own is None:
        return None
    own, selection = view.own, scene.ui.selection
    if key in _STEPS:
        return scene.to(selection=_moved(selection, view, table, key), note="")
    if key in DIGITS:
        place = DIGITS[key]
        spot = OnStock() if place is None else OnPlace(place)
        return click(scene, spot)
    if (laid := _in_hand(scene, own, key)) is not None:
        return scene.to(selection=laid, note="")
    match key:
        case "a":
            return _sorted(scene)
        case "enter" | " ":
            return _enter(scene, table, view)
        case "escape":
            return scene.to(selection=_put_back(selection), note="")
        case "h":
            note = _hindered(scene, table, view)
            return scene.say(note) if note else scene.to(AskHint(view.public.version), note="")
        case "d":
            return _end_turn(scene, table, view)
    return None


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click on a spot of the table leads to."""
    table, view = scene.model.table, scene.model.view
    if table is None or view is None or view.own is None:
        return scene.to()
    selection = scene.ui.selection
    if isinstance(spot, OnKey):
        return press(scene, spot.key) or scene.to()
    if isinstance(spot, OnCard) and spot != selection.picked:
        chosen = evolve(_put_back(selection), card=spot.card, spot=None)
        return _pick(scene, table, view, chosen, spot)
    if selection.picked is not None:
        if isinstance(spot, OnPlace) and spot != selection.picked:
            return _play(scene, table, view, spot.place)
        return scene.to(selection=_put_back(selection), note="")
    if isinstance(spot, OnPlace):
        return _pick_pile(scene, table, view, spot)
    if isinstance(spot, OnStock) and view.public.stock_top is not None:
        return _pick(scene, table, view, evolve(selection, spot=spot), spot)
    return _draw(scene, table, view) if isinstance(spot, OnStock) else scene.to()


def _in_hand(scene: Scene, own: Own, key: str) -> Selection | None:
    """Return what a key changes in the hand alone, if it is such a key."""
    selection = scene.ui.selection
    match key:
        case "home" | "end":
            return along_hand(selection, own, -99 if key == "home" else 99)
        case "s-left" | "s-right" if _rearranges(scene):
            return shifted(selection, own, -1 if key == "s-left" else 1)
        case "n" if selection.picked is None:
            return to_next_playable(selection, own)
    return None


def _rearranges(scene: Scene) -> bool:
    return scene.ui.settings.rearranging == "on"


def _sorted(scene: Scene) -> Step:
    """Sort the hand anew: as it was sorted before cards were moved by hand, else the next way."""
    settings = scene.ui.settings
    if not scene.ui.selection.order.by_hand:
        settings = changed(settings, "sorting", 1)
    step = adopt(scene, settings)
    order = HandOrder(settings.sorting)
    ui = evolve(step.ui, selection=evolve(step.ui.selection, order=order))
    return Step(evolve(ui, note=hand_sorted(settings.sorting)))


def drag(scene: Scene, held: Spot, over: Spot | None) -> Step:
    """Return what comes of moving the mouse with its button down since it was on ``held``.

    A card goes along the hand with the mouse; what is picked aims at the place below the mouse.
    """
    view, selection = scene.model.view, scene.ui.selection
    own = None if view is None else view.own
    if own is None:
        return scene.to()
    if isinstance(held, OnCard) and isinstance(over, OnCard) and over != held:
        if not _rearranges(scene):
            return scene.to()
        laid = laid_at(evolve(selection, picked=None, aim=None), own, held.card, over.card)
        return scene.to(selection=laid, note="")
    # On its way a card may have been laid elsewhere in the hand, and is not picked any more.
    carried = held if isinstance(held, OnCard) else selection.picked
    if isinstance(over, OnPlace) and over.place in targets(own, carried):
        return scene.to(selection=evolve(selection, picked=carried, aim=over.place))
    return scene.to()


def drop(scene: Scene, held: Spot, over: Spot | None) -> Step:
    """Return what comes of letting go, over ``over``, of what was taken at ``held``."""
    table, view = scene.model.table, scene.model.view
    if table is None or view is None or over == held or scene.ui.selection.picked != held:
        return scene.to()
    return _play(scene, table, view, over.place) if isinstance(over, OnPlace) else scene.to()


def _pick_pile(scene: Scene, table: TableState, view: View, spot: OnPlace) -> Step:
    if spot.place not in places_of(rules_of(table)):
        return scene.say(tell("there is no such place on this table"))
    if not view.public.piles[spot.place]:
        return scene.say(tell("that place is empty: pick a card for it first"))
    return _pick(scene, table, view, evolve(scene.ui.selection, spot=spot), spot)


def _moved(selection: Selection, view: View, table: TableState, key: str) -> Selection:
    own, rules = view.own, rules_of(table)
    if own is None:
        return selection
    if selection.picked is not None:
        return along_targets(selection, own, _STEPS[key])
    if key in ("tab", "s-tab"):
        return through_stops(selection, view, rules, _STEPS[key])
    if selection.spot is not None:
        return across_table(selection, view.public, rules, *_DIRECTIONS[key])
    if key == "up":
        return through_stops(selection, view, rules, 1)
    return selection if key == "down" else along_hand(selection, own, _STEPS[key])


def _put_back(selection: Selection) -> Selection:
    """Put back what is picked, or else bring the cursor back to the hand."""
    if selection.picked is not None:
        return evolve(selection, picked=None, aim=None)
    return evolve(selection, spot=None)


def _enter(scene: Scene, table: TableState, view: View) -> Step:
    selection = scene.ui.selection
    if selection.picked is not None and selection.aim is not None:
        return _play(scene, table, view, selection.aim)
    if selection.spot is not None:
        return click(scene, selection.spot)
    if selection.card is None:
        return scene.say(tell("your hand is empty"))
    return _pick(scene, table, view, selection, OnCard(selection.card))


def _pick(scene: Scene, table: TableState, view: View, selection: Selection, spot: Held) -> Step:
    """Pick something up, or say why there is no use in it."""
    own = view.own
    if (note := _hindered(scene, table, view)) and own is not None:
        return scene.to(selection=evolve(selection, picked=None, aim=None), note=note)
    if targets(own, spot):
        picked = evolve(selection, picked=spot, aim=_hinted(scene, view, spot))
        return scene.to(selection=aimed(picked, own), note="")
    match spot:
        case OnCard(card):
            note = why_not(card, scene.ui.look.card(card), rules_of(table), view.public)
        case OnPlace(place):
            note = tell("the pile on {place} can be moved nowhere now", place=place_str(place))
        case _:
            note = tell("the stock's top card can be played nowhere now")
    return scene.to(selection=evolve(selection, picked=None, aim=None), note=note)


def _hinted(scene: Scene, view: View, spot: Held) -> Place | None:
    """Return the place that the hint of this position names for what is picked, if it names one."""
    hint = scene.model.hint
    if hint is None or hint[0] != view.public.version:
        return None
    match hint[1], spot:
        case Play(card=card, place=place), OnCard() if spot == OnCard(card):
            return place
        case Move(source=source, place=place), OnPlace() if spot == OnPlace(source):
            return place
        case PlayStock(place=place), OnStock():
            return place
    return None


def _play(scene: Scene, table: TableState, view: View, place: Place) -> Step:
    """Ask to play what is picked to a place; the server says why, if it does not go there."""
    if note := _hindered(scene, table, view) or _unanswered(scene):
        return scene.say(note)
    version = view.public.version
    intent: Intent
    match scene.ui.selection.picked:
        case OnCard(card):
            intent = PlayCard(card, place, version)
        case OnPlace(source):
            intent = MovePile(source, place, version)
        case OnStock():
            intent = PlayTop(place, version)
        case _:
            return scene.to()
    return scene.to(intent, note="")


def _draw(scene: Scene, table: TableState, view: View) -> Step:
    """Draw and end the turn, or say why its end draws nothing."""
    if note := _hindered(scene, table, view):
        return scene.say(note)
    rules, public = rules_of(table), view.public
    end = turn_end(rules, public, scene.model.events)
    if end.draws:
        return _end_turn(scene, table, view)
    return scene.say(tell("{why}; D ends your turn", why=no_draw(end, rules, public.stock)))


def _end_turn(scene: Scene, table: TableState, view: View) -> Step:
    if note := _hindered(scene, table, view) or _unanswered(scene):
        return scene.say(note)
    rules, events, own = rules_of(table), scene.model.events, view.own
    may = own is not None and own.may_end
    deal = may and turn_end(rules, view.public, events).ends_deal
    sure = surely(end_label(rules, view.public, events), deal=deal)
    fits = own is not None and bool(own.plays or own.moves or own.stock_plays)
    asks = {"always": True, "if cards fit": fits}.get(scene.ui.settings.confirm, False)
    if (asks or deal) and scene.ui.note != sure:
        return scene.say(sure)
    selection = evolve(scene.ui.selection, picked=None, aim=None, spot=None)
    return scene.to(EndTurn(view.public.version), selection=selection, note="")


def _hindered(scene: Scene, table: TableState, view: View) -> str:
    """Say why nothing can be done at the table now; nothing if something can."""
    own, turn = view.own, view.public.turn
    if not online(scene.model):
        return tell("there is no connection; nothing was sent")
    if own is None or turn is None:
        return tell("no deal is running just now")
    if turn != own.seat:
        if view.public.seats[own.seat].standing == Standing.OUT:
            return tell("you are out of cards in this deal")
        return whose_turn(table, turn, own.seat)
    return ""


def _unanswered(scene: Scene) -> str:
    """Say that the last action's answer has to come first; nothing if there is none to come."""
    return tell("one moment: the last move is on its way") if scene.model.acting else ""
