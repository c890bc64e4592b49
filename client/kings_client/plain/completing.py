"""What may be typed next: commands, cards in hand, places, tables, presets and options."""

from collections.abc import Iterable

from kings_client.choices import LEVELS
from kings_client.model import Model
from kings_client.plain.commands import COMMANDS
from kings_client.plain.orders import find, possible
from kings_client.plain.visiting import OWN_OPTIONS
from kings_client.screens.knowing import rules_of
from kings_client.words.spoken_table import all_places
from kings_engine.cards import card_str, parse_card
from kings_engine.places import parse_place, place_str
from kings_engine.presets import PRESETS
from kings_engine.rules import KNOBS
from kings_engine.view import Own


def completions(model: Model, before: str) -> list[str]:
    """Return the words that can stand at the end of ``before``, what is being typed."""
    *words, begun = before.lstrip().split(" ")
    words = [word for word in words if word]
    if not words:
        offered: Iterable[str] = (one.name for one in possible(COMMANDS, model))
    else:
        command = find(COMMANDS, words[0].lower(), model)
        offered = () if isinstance(command, str) else _arguments(model, command.name, words[1:])
    return [word for word in offered if word.startswith(begun.lower())]


def _arguments(model: Model, command: str, words: list[str]) -> Iterable[str]:
    match command:
        case "play" | "move" | "stock":
            return _playable(model, command, words)
        case "bot":
            return () if words else (*LEVELS, "off")
        case "help":
            return () if words else (one.name for one in possible(COMMANDS, model))
        case "make":
            options = tuple(f"{option}=" for option in (*OWN_OPTIONS, *KNOBS))
            return (*PRESETS, *options) if not words else options
        case "join" if not words and model.at_home and model.search is not None:
            return (str(one.number) for one in model.search.servers)
        case "join" | "watch" if not words and model.lobby is not None:
            return map(str, range(1, len(model.lobby.tables) + 1))
        case "ready" | "leave" | "quit" if not words:
            return ({"ready": "off", "leave": "yes", "quit": "stop"}[command],)
    return ()


def _playable(model: Model, command: str, words: list[str]) -> Iterable[str]:
    """Offer what is legal where that is known, and else every card of the hand and every place."""
    own = None if model.view is None else model.view.own
    if own is None or model.table is None or len(words) > (0 if command == "stock" else 1):
        return ()
    places = [place_str(at).lower() for at in all_places(rules_of(model.table))]
    if command == "stock":
        return [place_str(at).lower() for at in own.stock_plays] or places
    if not words:
        return _starts(own, command, places)
    try:
        if command == "play":
            targets = dict(own.plays).get(parse_card(words[0]), ())
        else:
            source = parse_place(words[0])
            targets = tuple(to for at, to in own.moves if at == source)
    except ValueError:
        return ()
    return [place_str(at).lower() for at in targets] or places


def _starts(own: Own, command: str, places: list[str]) -> list[str]:
    if command == "move":
        return [place_str(at).lower() for at in dict.fromkeys(at for at, _ in own.moves)] or places
    fitting = [card for card, _ in own.plays]
    return [card_str(card).lower() for card in fitting or own.hand]
