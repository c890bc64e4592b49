"""What a person sets to their own taste: how the table looks, and what the client does by itself.

Each setting is one of a few named values, so that the file, the screen and the checks share one
list. Nothing here changes the game.
"""

from collections.abc import Mapping
from typing import Final

from attrs import evolve, fields, frozen

from kings_client.style import ASCII, COLOURLESS, UNICODE, Look
from kings_client.words.tongue import SYSTEM, codes


@frozen
class Settings:
    """All settings, with their defaults.

    Attributes:
        theme: the colours.
        suit_colours: two, or one for each suit.
        suits: how suits are written.
        symbols: every symbol that the terminal has, or ASCII alone.
        top_spacing: rows of the card below a pile's top card that show, where there is room.
        spacing: rows of each other card of a pile that show; with none the pile is stacked.
        sorting: how one's hand is sorted.
        rearranging: whether single cards of one's hand can be moved along it.
        confirm: when ending the turn asks once more, beside where it ends the deal.
        players: how wide the list of players is, or that it is hidden.
        counts: whether the list shows how many cards the others hold.
        highlight: how long what the others did stands out.
        bell: whether the terminal's bell rings when one's turn begins.
        discovery: whether servers on the network are looked for.
        language: the code of the language, or that the system's holds.
    """

    theme: str = "dark"
    suit_colours: str = "two"
    suits: str = "symbols"
    symbols: str = "all"
    top_spacing: str = "2"
    spacing: str = "1"
    sorting: str = "rank"
    rearranging: str = "on"
    confirm: str = "never"
    players: str = "medium"
    counts: str = "on"
    highlight: str = "until my turn ends"
    bell: str = "off"
    discovery: str = "on"
    language: str = SYSTEM


USUAL: Final = Settings()
"""What holds for who has set nothing."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "theme": ("dark", "light", "contrast", "mono"),
    "suit_colours": ("two", "four"),
    "suits": ("symbols", "letters"),
    "symbols": ("all", "ascii"),
    "top_spacing": ("1", "2", "3"),
    "spacing": ("0", "1", "2"),
    "sorting": ("rank", "colour", "suit"),
    "rearranging": ("on", "off"),
    "confirm": ("never", "if cards fit", "always"),
    "players": ("narrow", "medium", "wide", "hidden"),
    "counts": ("on", "off"),
    "highlight": ("none", "short", "long", "until my turn ends"),
    "bell": ("off", "on"),
    "discovery": ("on", "off"),
    "language": (SYSTEM, *codes()),
}
"""The values that each setting may have, in the order in which the screen lists them."""

HIGHLIGHT_SECONDS: Final[Mapping[str, float]] = {"none": 0.0, "short": 2.0, "long": 6.0}
"""How long the values of ``highlight`` last; the one that is missing has no end of its own."""


def changed(settings: Settings, name: str, step: int) -> Settings:
    """Return the settings with ``name`` moved ``step`` places along its values."""
    values = CHOICES[name]
    at = values.index(getattr(settings, name))
    return evolve(settings, **{name: values[(at + step) % len(values)]})


def as_plain(settings: Settings) -> dict[str, str]:
    """Return the settings by name."""
    return {field.name: str(getattr(settings, field.name)) for field in fields(Settings)}


def look_of(settings: Settings, *, plain: bool, colourless: bool = False) -> Look:
    """Return the symbols that the settings ask for.

    Args:
        settings: the person's.
        plain: whether the terminal shows nothing but ASCII.
        colourless: whether it shows no colours.
    """
    if plain or settings.symbols == "ascii":
        return ASCII
    if settings.suits == "letters":
        return evolve(UNICODE, suits=ASCII.suits)
    return COLOURLESS if colourless or settings.theme == "mono" else UNICODE
