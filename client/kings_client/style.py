"""How things look: the symbols that are drawn, and the colours of the style classes.

A theme is one mapping of class names; a look is one set of symbols. Colour never carries a meaning
alone: whatever a class says is also said by a symbol, a frame or a word.
"""

from collections.abc import Mapping
from typing import Final

from attrs import evolve, frozen

from kings_engine.cards import RANKS, Card


@frozen
class Look:
    """The symbols of the screen.

    Attributes:
        suits: in the engine's order, spades, hearts, clubs, diamonds.
        frame: corners and edges of a box: ╭ ╮ ╰ ╯ ─ │.
        chosen: the same for what the cursor is on.
        picked: the same for what was picked up.
        hollow: the same for an empty place.
        covered: the upper edge of a card of a pile that covers others wholly.
        back: what fills the back of a card.
        playable: the mark of what can be played or moved.
        target: the mark of a place that takes what is picked.
        turn: stands before the player on turn.
        online: the connection works.
        offline: it does not, or a player is away.
        yes: a proved deal, a player who is ready.
        no: a deal whose proof failed.
        arrow: stands between what was moved and where to.
    """

    suits: str
    frame: str
    chosen: str
    picked: str
    hollow: str
    covered: str
    back: str
    playable: str
    target: str
    turn: str
    online: str
    offline: str
    yes: str
    no: str
    arrow: str

    def card(self, card: Card) -> str:
        """Return a card's short name: ``K♠``, ``10♥``."""
        rank = RANKS[card >> 2]
        return ("10" if rank == "T" else rank) + self.suits[card & 3]


UNICODE: Final = Look(
    suits="♠♥♣♦",
    frame="╭╮╰╯─│",
    chosen="┏┓┗┛━┃",
    picked="╔╗╚╝═║",
    hollow="╭╮╰╯╌╎",
    covered="╌",
    back="▒",
    playable="*",
    target="◦",
    turn="▸",
    online="●",
    offline="◌",
    yes="✓",
    no="✗",
    arrow="→",
)

COLOURLESS: Final = evolve(UNICODE, suits="♠♡♣♢")
"""Without colours, outlines tell red suits from black ones."""

ASCII: Final = Look(
    suits="shcd",
    frame="++++-|",
    chosen="####=#",
    picked="@@@@=@",
    hollow="....  ",
    covered="~",
    back="/",
    playable="*",
    target="o",
    turn=">",
    online="*",
    offline="o",
    yes="+",
    no="x",
    arrow=">",
)

PLAIN: Final = str.maketrans({"×": "x", "·": "-", "…": "~", "←": "<", "→": ">", "↑": "^", "↓": "v"})
"""What stands for the few other symbols in the texts, where only ASCII can be shown."""


def _theme(face: str, inks: str, marks: str, words: str) -> dict[str, str]:
    """Return a theme from its parts, each a line of ``class=style`` separated by semicolons."""
    parts = f"{face};{inks};{marks};{words}".split(";")
    return {name: style for name, _, style in (part.strip().partition("=") for part in parts)}


_DARK: Final = _theme(
    "face=bg:#eeeee6; back=#4f6f9f; edge=#8a8a8a; hollow=#6c6c6c",
    "face.dark=#101018 bold; face.red=#c00018 bold; face.cold=#34567c bold; "
    "face.warm=#b85c00 bold; suit.dark=bold; suit.red=#ff6f6f bold; suit.cold=#9fb8d8 bold; "
    "suit.warm=#ffaf5f bold",
    "playable=#5fafff bold; target=#5fd75f bold; chosen=#ffd75f bold; label=#9a9a9a; name=#d0d0d0; "
    "panel=#6c6c6c; title=bold; turn=#ffd75f bold; away=#d7875f; good=#5fd75f; bad=#ff5f5f bold; "
    "dim=#8a8a8a; fresh=bold; note=#ffd75f; key=#5fafff bold; heading=#ffd75f bold",
    "button=reverse; button.off=#6c6c6c; row=reverse; field=underline",
)

_LIGHT: Final = _theme(
    "face=bg:#ffffff; back=#6a8fc0; edge=#8a8a8a; hollow=#a8a8a8",
    "face.dark=#101018 bold; face.red=#c00018 bold; face.cold=#34567c bold; "
    "face.warm=#b85c00 bold; suit.dark=bold; suit.red=#c00018 bold; suit.cold=#34567c bold; "
    "suit.warm=#b85c00 bold",
    "playable=#0055aa bold; target=#007a1f bold; chosen=#a04400 bold; label=#606060; name=#303030; "
    "panel=#909090; title=bold; turn=#a04400 bold; away=#a03000; good=#007a1f; bad=#c00000 bold; "
    "dim=#606060; fresh=bold; note=#a04400; key=#0055aa bold; heading=#a04400 bold",
    "button=reverse; button.off=#909090; row=reverse; field=underline",
)

_CONTRAST: Final = _theme(
    "face=bg:#ffffff; back=#ffffff; edge=#ffffff; hollow=#ffffff",
    "face.dark=#000000 bold; face.red=#b00000 bold; face.cold=#204870 bold; "
    "face.warm=#904000 bold; suit.dark=#ffffff bold; suit.red=#ff8080 bold; "
    "suit.cold=#a0c8f0 bold; suit.warm=#ffb060 bold",
    "playable=#00ffff bold; target=#00ff00 bold; chosen=#ffff00 bold; label=#ffffff; name=#ffffff; "
    "panel=#ffffff; title=#ffffff bold; turn=#ffff00 bold; away=#ffaf00 bold; good=#00ff00 bold; "
    "bad=#ff8080 bold; dim=#ffffff; fresh=#ffff00 bold; note=#ffff00 bold; key=#00ffff bold; "
    "heading=#ffff00 bold",
    "ground=bg:#000000 #ffffff; button=bg:#ffffff #000000 bold; button.off=#ffffff; "
    "row=bg:#ffffff #000000 bold; field=underline",
)

_MONO: Final = _theme(
    "face=; back=; edge=; hollow=",
    "face.dark=bold; face.red=bold; face.cold=bold; face.warm=bold; suit.dark=bold; "
    "suit.red=bold; suit.cold=bold; suit.warm=bold",
    "playable=bold; target=bold; chosen=bold; label=; name=; panel=; title=bold; turn=bold; away=; "
    "good=; bad=bold; dim=; fresh=bold; note=bold; key=bold; heading=bold",
    "button=reverse; button.off=; row=reverse; field=underline",
)

_BASIC: Final = _theme(
    "face=bg:ansigray; back=ansiblue; edge=; hollow=",
    "face.dark=ansiblack; face.red=ansired; face.cold=ansiblue; face.warm=ansimagenta; "
    "suit.dark=bold; suit.red=ansired bold; suit.cold=ansicyan bold; suit.warm=ansimagenta bold",
    "playable=ansicyan bold; target=ansigreen bold; chosen=ansiyellow bold; label=; name=; panel=; "
    "title=bold; turn=ansiyellow bold; away=ansimagenta; good=ansigreen; bad=ansired bold; dim=; "
    "fresh=bold; note=ansiyellow; key=ansicyan bold; heading=ansiyellow bold",
    "button=reverse; button.off=; row=reverse; field=underline",
)
"""``dark`` for terminals of 8 colours: brighter ones than these they would leave out."""

THEMES: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "contrast": _CONTRAST,
    "mono": _MONO,
}
"""Class names and their colours by theme. Only high contrast paints the background as well."""

_INKS: Final = {"two": ("dark", "red", "dark", "red"), "four": ("dark", "red", "cold", "warm")}
"""The inks of spades, hearts, clubs and diamonds: red suits are warm, and black ones cold."""

_SUITS: Final = "shcd"


def theme(name: str, suit_colours: str = "two", *, basic: bool = False) -> dict[str, str]:
    """Return the colours of every style class.

    Args:
        name: one of ``THEMES``.
        suit_colours: ``two``, or ``four`` for one each.
        basic: whether the terminal has 8 colours only.
    """
    colours = dict(_BASIC if basic and name == "dark" else THEMES[name])
    for suit, dye in zip(_SUITS, _INKS[suit_colours], strict=True):
        colours[f"face.{suit}"] = colours[f"face.{dye}"]
        colours[f"suit.{suit}"] = colours[f"suit.{dye}"]
    return colours


def ink(card: Card) -> str:
    """Return the style class of a card's name in running text."""
    return f"class:suit.{_SUITS[card & 3]}"


def face_ink(card: Card) -> str:
    """Return the style classes of what is printed on a card's face."""
    return f"class:face class:face.{_SUITS[card & 3]}"
