"""The settings in words: what each is called, what it does, and what its values are called."""

from typing import Final

from kings_client.words.tongue import SYSTEM, later, later_as, own_name, tell, tell_as

LABELS: Final = {
    "theme": later("colours"),
    "suit_colours": later("colours of the suits"),
    "suits": later("suits are shown as"),
    "symbols": later("symbols"),
    "top_spacing": later("rows under the top card"),
    "spacing": later("rows of the other cards"),
    "sorting": later("hand sorted by"),
    "rearranging": later("move cards in the hand"),
    "confirm": later("ask before ending the turn"),
    "players": later("list of players"),
    "counts": later("others' card counts"),
    "highlight": later("news stands out"),
    "bell": later("bell on my turn"),
    "discovery": later("look for servers"),
    "language": later("language"),
}

ABOUT: Final = {
    "theme": later("High contrast has a black ground; none uses bold type."),
    "suit_colours": later("With four colours, diamonds are orange and clubs grey-blue."),
    "suits": later("Letters are s, h, c and d."),
    "symbols": later("ASCII is for terminals and fonts without the others."),
    "top_spacing": later("How much of the card below shows, where there is room."),
    "spacing": later("What shows of each card below that; 0 stacks the pile."),
    "sorting": later("Shift and the arrows, or the mouse, move single cards."),
    "rearranging": later("Whether keys and the mouse move cards within the hand."),
    "confirm": later("The key has to be pressed twice then."),
    "players": later("How wide the list is in a wide window."),
    "counts": later("Whether the list says how many cards the others hold."),
    "highlight": later("How long what the others did is shown brighter."),
    "bell": later("The terminal's own bell, which may also be a flash."),
    "discovery": later("The welcome screen lists those on your network."),
    "language": later("Keys, commands and the compass letters stay as they are."),
}

VALUES: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "theme": {
        "dark": later_as("setting", "dark"),
        "light": later_as("setting", "light"),
        "contrast": later_as("setting", "high contrast"),
        "mono": later_as("setting", "none"),
    },
    "suit_colours": {"two": later_as("setting", "two"), "four": later_as("setting", "four")},
    "suits": {"symbols": later_as("setting", "symbols"), "letters": later_as("setting", "letters")},
    "symbols": {"all": later_as("setting", "all"), "ascii": later_as("setting", "ASCII only")},
    "top_spacing": {
        "1": later_as("setting", "1"),
        "2": later_as("setting", "2"),
        "3": later_as("setting", "3"),
    },
    "spacing": {
        "0": later_as("setting", "0, stacked"),
        "1": later_as("setting", "1"),
        "2": later_as("setting", "2"),
    },
    "sorting": {
        "rank": later_as("setting", "rank"),
        "colour": later_as("setting", "colour"),
        "suit": later_as("setting", "suit"),
    },
    "confirm": {
        "never": later_as("setting", "never"),
        "if cards fit": later_as("setting", "while something can be played"),
        "always": later_as("setting", "always"),
    },
    "rearranging": {"on": later_as("setting", "on"), "off": later_as("setting", "off")},
    "counts": {"on": later_as("setting", "on"), "off": later_as("setting", "off")},
    "players": {
        "narrow": later_as("setting", "narrow"),
        "medium": later_as("setting", "medium"),
        "wide": later_as("setting", "wide"),
        "hidden": later_as("setting", "hidden"),
    },
    "highlight": {
        "none": later_as("setting", "never"),
        "short": later_as("setting", "for 2 seconds"),
        "long": later_as("setting", "for 6 seconds"),
        "until my turn ends": later_as("setting", "until my turn ends"),
    },
    "bell": {"off": later_as("setting", "off"), "on": later_as("setting", "on")},
    "discovery": {"on": later_as("setting", "on"), "off": later_as("setting", "off")},
    "language": {SYSTEM: later_as("setting", "the system's")},
}


def label(name: str) -> str:
    """Return what a setting is called."""
    return tell(LABELS[name])


def about(name: str) -> str:
    """Return a line on what a setting does."""
    return tell(ABOUT[name])


def value(name: str, chosen: str) -> str:
    """Return what a value of a setting is called."""
    if name == "language" and chosen != SYSTEM:
        return own_name(chosen)
    return tell_as(*VALUES[name][chosen])
