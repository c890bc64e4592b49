"""The settings in words: what each is called, what it does, and what its values are called."""

from typing import Final

LABELS: Final = {
    "theme": "colours",
    "suit_colours": "colours of the suits",
    "suits": "suits are shown as",
    "symbols": "symbols",
    "top_spacing": "rows under the top card",
    "spacing": "rows of the other cards",
    "sorting": "hand sorted by",
    "confirm": "ask before ending the turn",
    "players": "list of players",
    "highlight": "news stands out",
    "bell": "bell on my turn",
}

ABOUT: Final = {
    "theme": "High contrast has a black ground; none uses bold type.",
    "suit_colours": "With four colours, clubs are green and diamonds blue.",
    "suits": "Letters are s, h, c and d.",
    "symbols": "ASCII is for terminals and fonts without the others.",
    "top_spacing": "How much of the card below shows, where there is room.",
    "spacing": "What shows of each card below that; 0 stacks the pile.",
    "sorting": "Shift and the arrows, or the mouse, move single cards.",
    "confirm": "The key has to be pressed twice then.",
    "players": "How wide the list is in a wide window.",
    "highlight": "How long what the others did is shown brighter.",
    "bell": "The terminal's own bell, which may also be a flash.",
}

VALUES: Final[dict[str, dict[str, str]]] = {
    "theme": {
        "dark": "dark",
        "light": "light",
        "contrast": "high contrast",
        "mono": "none",
    },
    "suit_colours": {"two": "two", "four": "four"},
    "suits": {"symbols": "symbols", "letters": "letters"},
    "symbols": {"all": "all", "ascii": "ASCII only"},
    "top_spacing": {"1": "1", "2": "2", "3": "3"},
    "spacing": {"0": "0, stacked", "1": "1", "2": "2"},
    "sorting": {"rank": "rank", "colour": "colour", "suit": "suit"},
    "confirm": {
        "never": "never",
        "if cards fit": "while something can be played",
        "always": "always",
    },
    "players": {"narrow": "narrow", "medium": "medium", "wide": "wide", "hidden": "hidden"},
    "highlight": {
        "none": "never",
        "short": "for 2 seconds",
        "long": "for 6 seconds",
        "until my turn ends": "until my turn ends",
    },
    "bell": {"off": "off", "on": "on"},
}
