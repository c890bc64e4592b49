"""Tables for tests of the screen: real matches of the engine, as a client's model knows them."""

import random
from collections.abc import Iterable
from typing import Any

from attrs import evolve

from kings_client.marks import Check, Mark
from kings_client.model import Linked, LinkState, Lobby, Model
from kings_client.screens import route
from kings_client.screens.state import Scene, Ui
from kings_engine.actions import TABLE, Action, BeginDeal, Cut, EndTurn
from kings_engine.apply import apply
from kings_engine.cards import Card, parse_card
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.places import PLACES
from kings_engine.presets import preset_rules
from kings_engine.rules import Rules, rules_as_plain
from kings_engine.sources import Position, Secret
from kings_engine.view import deal_history, legal_actions, observe, observe_own
from kings_protocol.messages import SeatState, TableLine, TableState

NAMES = ("Ann", "Ben", "Cleo", "Dora")


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards that ``text`` names."""
    return tuple(map(parse_card, text.split()))


def position(
    hand: str,
    piles: dict[str, str],
    *,
    preset: str = "pagat",
    other: str = "2C 3C",
    stock: str = "5C 6C 7C",
    turn: int = 0,
    **knobs: Any,
) -> Match:
    """Return a match for two in the middle of a deal that is set up by hand."""
    rules = preset_rules(preset, {"players": 2, "first_dealer": "last", **knobs})
    start = Position(
        hands=(cards(hand), cards(other)),
        piles=tuple(cards(piles.get(place, "")) for place in PLACES),
        stock=cards(stock),
        turn=turn,
    )
    return acted(new_match(rules), (TABLE, BeginDeal(start)))


def acted(match: Match, *steps: tuple[int, Action]) -> Match:
    """Return the match after steps that the rules allow."""
    for actor, action in steps:
        changed = apply(match, actor, action)
        assert not isinstance(changed, Refusal), changed
        match = changed[0]
    return match


def played(rules: Rules, steps: int, seed: int) -> Iterable[Match]:
    """Play at random, and give every position on the way."""
    dice = random.Random(seed)  # noqa: S311  choices of a test
    match = new_match(rules)
    for _ in range(steps):
        yield match
        if match.phase == Phase.MATCH_OVER:
            return
        match = acted(match, _next(match, dice))


def ended(seed: int = 3) -> Match:
    """Return a match of three just after the end of its first deal."""
    rules = preset_rules("pagat", {"players": 3})
    return next(match for match in played(rules, 4000, seed) if match.sheet)


def over() -> Match:
    """Return a match of three that is over."""
    *_, match = played(preset_rules("pagat", {"players": 3}), 9000, seed=3)
    assert match.phase == Phase.MATCH_OVER
    return match


def _next(match: Match, dice: random.Random) -> tuple[int, Action]:
    secret = Secret(dice.randbytes(32), (None,) * match.rules.players)
    if match.phase == Phase.CUT:
        return TABLE, Cut(secret)
    if match.phase == Phase.DEAL_DUE or match.turn is None:
        return TABLE, BeginDeal(secret)
    legal = legal_actions(observe_own(match, match.turn))
    plays = [action for action in legal if not isinstance(action, EndTurn)]
    return match.turn, dice.choice(plays if plays and dice.random() < 0.8 else legal)


def table_of(match: Match, preset: str = "pagat", **changes: Any) -> TableState:
    """Return the table at which a match is played, with people in all the seats."""
    phases = {
        Phase.CUT: "offering",
        Phase.DEAL_DUE: "between" if match.number else "offering",
        Phase.PLAY: "playing",
        Phase.MATCH_OVER: "over",
    }
    fields: dict[str, Any] = {
        "table": "t1",
        "name": "Kitchen",
        "preset": preset,
        "rules": rules_as_plain(match.rules),
        "locked": False,
        "watchable": True,
        "absent": "bot",
        "grace_seconds": 60,
        "away_seconds": 180,
        "host": 0,
        "phase": phases[match.phase],
        "match": 1,
        "seats": tuple(
            SeatState(state="seated", name=name) for name in NAMES[: match.rules.players]
        ),
        "watchers": 0,
        **changes,
    }
    return TableState(**fields)


def model_of(match: Match, seat: int | None = 0, **changes: Any) -> Model:
    """Return what the client at ``seat`` knows of a match."""
    fields: dict[str, Any] = {
        "where": "table",
        "link": LinkState(Linked.ONLINE, "here"),
        "name": "Ann",
        "server_name": "den",
        "table": table_of(match),
        "seat": seat,
        "view": observe(match, seat),
        "events": deal_history(match, seat),
        "events_at": -9.0,
        "checks": {deal: Check(Mark.FAIR) for deal in range(1, len(match.sheet) + 1)},
        **changes,
    }
    return Model(**fields)


def scene_of(model: Model, width: int = 80, height: int = 24, **changes: Any) -> Scene:
    """Return a scene with the screen's state settled on the model."""
    ui = evolve(route.settle(Ui(), model), **changes)
    return Scene(model, ui, width, height, 0.0)


def picture(model: Model, width: int = 80, height: int = 24, **changes: Any) -> str:
    """Return the picture of a model as text."""
    return route.draw(scene_of(model, width, height, **changes)).text()


def pressed(scene: Scene, *keys: str) -> Scene:
    """Return the scene after keys; what they ask for is ignored."""
    for key in keys:
        step = route.press(scene, key)
        scene = evolve(scene, ui=route.settle(step.ui, scene.model))
    return scene


def line_of(name: str, **changes: Any) -> TableLine:
    """Return a line of the lobby."""
    fields: dict[str, Any] = {
        "table": name.lower(),
        "name": name,
        "preset": "pagat",
        "changed": {},
        "host": "Ben",
        "seats": 4,
        "people": 1,
        "bots": 1,
        "watchers": 0,
        "locked": False,
        "watchable": True,
        "phase": "waiting",
        **changes,
    }
    return TableLine(**fields)


def lobby_of(*lines: TableLine, **changes: Any) -> Model:
    """Return what a client in the lobby knows."""
    fields: dict[str, Any] = {
        "where": "lobby",
        "link": LinkState(Linked.ONLINE, "den"),
        "server_name": "den",
        "name": "Ann",
        "lobby": Lobby(0, 1, len(lines), lines),
        **changes,
    }
    return Model(**fields)
