"""Which screen is due, and the keys that mean the same on all of them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from attrs import evolve

from kings_client.intents import Leave, Quit, RetryNow, Say, ToWelcome
from kings_client.model import Linked, Model
from kings_client.parts.canvas import Canvas, OnKey, Spot
from kings_client.parts.names import with_short_name, with_short_names
from kings_client.screens import (
    changed,
    cover,
    deal_end,
    forms,
    game,
    lobby,
    match_end,
    matches,
    menu,
    overlays,
    reduced,
    replay,
    waiting,
)
from kings_client.screens.board import draw_board
from kings_client.screens.draft import Draft
from kings_client.screens.knowing import online
from kings_client.screens.presence import told
from kings_client.screens.selection import Selection, pointed, settled
from kings_client.screens.state import Form, Scene, Screen, Step, Ui
from kings_client.words.meanwhile import meanwhile
from kings_client.words.tongue import chosen, use
from kings_engine.phase import Phase
from kings_protocol.limits import TEXT_LENGTH

Name: TypeAlias = Literal[
    "welcome",
    "entering",
    "lobby",
    "waiting",
    "game",
    "cover",
    "deal_end",
    "match_end",
    "matches",
    "replay",
    "changed",
]


def screen_of(model: Model) -> Name:
    """Return the screen that is due."""
    if model.link.change is not None:
        return "changed"
    if model.replay is not None:
        return "replay"
    if model.matches is not None:
        return "matches"
    if model.where == "welcome" or model.where == "lobby":
        return model.where
    if model.where == "entering" or model.table is None:
        return "entering"
    view = model.view
    if model.table.phase == "waiting" or view is None or view.public.deal == 0:
        return "waiting"
    if view.public.phase == Phase.MATCH_OVER:
        # Once a rematch is being prepared, the old match's end is no longer what matters.
        return "waiting" if model.table.phase == "offering" else "match_end"
    if view.public.phase != Phase.PLAY:
        return "deal_end"
    return "game" if model.cover is None else "cover"


def _draw_game(scene: Scene) -> Canvas:
    table, view = scene.model.table, scene.model.view
    if table is None or view is None:
        return Canvas(scene.width, scene.height)
    if scene.width < reduced.FULL[0] or scene.height < reduced.FULL[1]:
        return reduced.draw_reduced(scene, table, view)
    return draw_board(scene, table, view)


def _press_game(scene: Scene, key: str) -> Step:
    if key == "l" and not scene.model.seated:
        return scene.to(Leave())
    return game.press(scene, key) or scene.to()


SCREENS: Final[Mapping[Name, Screen]] = MappingProxyType(
    {
        "welcome": Screen(menu.draw_welcome, menu.press_welcome, menu.click_welcome),
        "entering": Screen(menu.draw_entering, menu.press_entering, menu.click_entering),
        "changed": Screen(changed.draw, changed.press, changed.click),
        "lobby": Screen(lobby.draw, lobby.press, lobby.click),
        "waiting": Screen(waiting.draw, waiting.press, waiting.click),
        "game": Screen(_draw_game, _press_game, game.click),
        "cover": Screen(cover.draw, cover.press, cover.click),
        "deal_end": Screen(deal_end.draw, deal_end.press, deal_end.click),
        "match_end": Screen(match_end.draw, match_end.press, match_end.click),
        "matches": Screen(matches.draw, matches.press, matches.click),
        "replay": Screen(replay.draw, replay.press, replay.click),
    }
)
"""Every screen by name."""


def draw(scene: Scene) -> Canvas:
    """Draw the picture: the screen that is due, and what lies over it, in the language set."""
    use(chosen(scene.ui.settings.language))
    roomy = _with_room(scene)
    if scene.width < reduced.SMALLEST[0] or scene.height < reduced.SMALLEST[1]:
        canvas = reduced.draw_too_small(scene)
    else:
        name = screen_of(scene.model)
        looking_back = scene.ui.table_shown and name in ("deal_end", "match_end")
        canvas = SCREENS["game" if looking_back else name].draw(roomy)
        if scene.ui.form is not None:
            box = forms.draw(scene, scene.ui.form)
            x = max((scene.width - box.width) // 2, 0)
            canvas.paste(x, max((scene.height - box.height) // 2, 0), box)
            canvas.paste(0, scene.height - 1, forms.draw_keys(scene))
    overlays.draw(roomy, canvas)
    return canvas


def _with_room(scene: Scene) -> Scene:
    """Return the scene with names cut to a quarter of the window, so that sentences have room."""
    table = scene.model.table
    if table is None:
        return scene
    room = scene.width // 4
    short = with_short_names(table, room)
    lines = tuple(with_short_name(line, room) for line in scene.model.lines)
    return evolve(scene, model=evolve(scene.model, table=short, lines=lines))


def press(scene: Scene, key: str) -> Step:
    """Return what a key leads to."""
    return told(scene, _read(scene, _pressed(scene, key)))


def _pressed(scene: Scene, key: str) -> Step:
    ui = scene.ui
    if key == "c-c":
        asks = ui.overlay != "quit" and scene.model.where != "welcome"
        return scene.to(overlay="quit", line=None) if asks else scene.to(Quit())
    if ui.overlay is not None:
        return overlays.press(scene, key)
    if ui.form is not None:
        return forms.press(scene, ui.form, key)
    if ui.line is not None:
        return _write(scene, ui.line, key)
    return _common(scene, key) or SCREENS[screen_of(scene.model)].press(scene, key)


def click(scene: Scene, spot: Spot) -> Step:
    """Return what a click leads to."""
    return told(scene, _read(scene, _clicked(scene, spot)))


def _clicked(scene: Scene, spot: Spot) -> Step:
    if scene.ui.overlay is not None:
        return overlays.click(scene, spot)
    if scene.ui.form is not None:
        return forms.click(scene, scene.ui.form, spot)
    if isinstance(spot, OnKey):
        return _pressed(scene, spot.key)
    return SCREENS[screen_of(scene.model)].click(scene, spot)


def drag(scene: Scene, held: Spot, over: Spot | None) -> Step:
    """Return what comes of moving the mouse with its button down since it was on ``held``."""
    return game.drag(scene, held, over) if _dragging(scene) else scene.to()


def drop(scene: Scene, held: Spot, over: Spot | None) -> Step:
    """Return what comes of letting go, over ``over``, of what was taken at ``held``."""
    return game.drop(scene, held, over) if _dragging(scene) else scene.to()


def _dragging(scene: Scene) -> bool:
    ui = scene.ui
    return ui.overlay is None and ui.form is None and screen_of(scene.model) == "game"


def _read(scene: Scene, step: Step) -> Step:
    """Take the refusal on the screen for read."""
    refusal = scene.model.refusal
    return step if refusal is None else Step(evolve(step.ui, dismissed=refusal.re), step.intents)


def settle(ui: Ui, model: Model, before: Model | None = None) -> Ui:
    """Return the screen's state after the model changed: only what is gone is taken out of it.

    Args:
        ui: the state.
        model: what is known now.
        before: what was known; an answer to a key goes when what it was about has changed.
    """
    if model.cover is not None:
        ui = _covered(ui)
    selection = settled(_undone(ui.selection, model, before), model.view)
    shown = ui.table_shown and screen_of(model) in ("deal_end", "match_end")
    line = ui.line if model.where == "table" else None
    form = ui.form if ui.form is not None and _has_place(ui.form, model) else None
    overlay = None if ui.overlay == "sheet" and model.view is None else ui.overlay
    overlay = None if overlay == "people" and model.table is None else overlay
    note, row, server, missed = ui.note, ui.row, ui.server, ui.meanwhile
    if before is not None and _moment(before) != _moment(model):
        note, missed = "", ()
    if before is not None and screen_of(before) != screen_of(model):
        row = ui.row if before.matches is not None and model.matches is not None else 0
        server = None
    if before is not None and before.cover is not None and model.seat is not None:
        missed = meanwhile(model, ui.look)
    if before is not None and model.hint is not None and model.hint != before.hint:
        selection = pointed(selection, model.hint[1])
    return evolve(
        ui,
        selection=selection,
        overlay=overlay,
        line=line,
        form=form,
        row=row,
        server=server,
        note=note,
        meanwhile=missed,
        table_shown=shown,
    )


def _has_place(form: Form, model: Model) -> bool:
    """Say whether what a form asks for can still be wanted."""
    match form.kind:
        case "accept":
            return model.link.change is not None and model.link.change.found == form.about
        case "enter":
            return model.link.wants_password
    return model.where in ("welcome", "lobby")


def _covered(ui: Ui) -> Ui:
    """Return the screen's state without anything that the next person must not see or keep."""
    order = evolve(ui.selection.order, by_hand=())
    return evolve(ui, selection=Selection(order=order), line=None, note="", meanwhile=())


def _undone(selection: Selection, model: Model, before: Model | None) -> Selection:
    """Return the selection without what belongs to another deal."""
    deals = [
        None if one is None or one.view is None else one.view.public.deal for one in (model, before)
    ]
    if before is None or deals[0] == deals[1]:
        return selection
    return evolve(selection, order=evolve(selection.order, by_hand=()))


def _moment(model: Model) -> tuple[object, ...]:
    """Return what an answer to a key can be about."""
    version = None if model.view is None else model.view.public.version
    phase = None if model.table is None else model.table.phase
    return model.where, model.link.state, phase, version, model.acting


def writes(scene: Scene) -> bool:
    """Say whether characters go into a line of text now."""
    ui = scene.ui
    if ui.overlay is not None:
        return False
    return ui.line is not None or (ui.form is not None and forms.writes(ui.form))


def _common(scene: Scene, key: str) -> Step | None:
    """Return what a key means on every screen, or nothing if it has no common meaning."""
    at_table = scene.model.where == "table" and scene.model.table is not None
    if scene.model.where in ("table", "lobby") and not online(scene.model):
        if key == "r" and scene.model.link.wants_password:
            return scene.to(form=forms.open_form("enter", scene.model), note="")
        if key == "r":
            return scene.to(RetryNow(), note="")
        if key == "escape" and scene.model.link.state == Linked.CLOSED:
            return scene.to(ToWelcome(), note="")
    match key:
        case "?":
            return scene.to(overlay="help", scrolled=0)
        case "q" if scene.model.where not in ("welcome", "entering"):
            return scene.to(overlay="quit")
        case "o":
            return scene.to(overlay="settings", note="")
    return _at_table(scene, key) if at_table else None


def _at_table(scene: Scene, key: str) -> Step | None:
    """Return what a key means at a table, whatever is going on there."""
    match key:
        case "r":
            return scene.to(overlay="rules", scrolled=0)
        case "p" if screen_of(scene.model) != "waiting":
            return scene.to(overlay="people", person=0, note="")
        case "s" if scene.model.view is not None:
            return scene.to(overlay="sheet")
        case "f" if scene.model.cover is None:
            return scene.to(overlay="fair", scrolled=0)
        case "/" if scene.model.cover is None:
            return scene.to(line=Draft(), note="")
    return None


def _write(scene: Scene, line: Draft, key: str) -> Step:
    match key:
        case "escape":
            return scene.to(line=None)
        case "enter" if line.text.strip():
            return scene.to(Say(line.text.strip()), line=None)
        case "enter":
            return scene.to(line=None)
    return scene.to(line=line.press(key, TEXT_LENGTH))
